#!/bin/sh
# Guess: NaN in a column of a pandas frame is NaN in the DataFrame that Spark makes of it: its type double has NaN, beside null.
# True: it is null if the frame goes by Arrow, which is the default since Spark 4, and NaN if it does not; a tuple's NaN stays NaN.
# So the setting of a transport decides what `isNull` and `isnan` say of the same frame.
# Source: pyspark 4.3.0, pandas 2.3.3, pyarrow 26.0.1, OpenJDK 17 (needs `java`).
# It matters to who reads events from pandas into Spark: a reading that was not a number becomes one that is not there.
set -eu
command -v java >/dev/null || { echo "java is missing"; exit 1; }
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
python3 -m venv "$there/venv"
"$there/venv/bin/pip" install --quiet --disable-pip-version-check pyspark==4.3.0 pandas==2.3.3 pyarrow==26.0.1
export SPARK_LOCAL_IP=127.0.0.1 PYSPARK_PYTHON="$there/venv/bin/python" TMPDIR="$there"
cd "$there"
"$there/venv/bin/python" - 2>/dev/null <<'END'
import math
import pandas, pyspark
from pyspark.sql import SparkSession

print("pyspark", pyspark.__version__, "pandas", pandas.__version__)
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
setting = "spark.sql.execution.arrow.pyspark.enabled"
print("by default:", setting, "=", spark.conf.get(setting))
frame = pandas.DataFrame({"n": [1.0, math.nan]})
found = {}
for arrow in ("true", "false"):
    spark.conf.set(setting, arrow)
    found[arrow] = spark.createDataFrame(frame).selectExpr("n", "isnull(n)", "isnan(n)").collect()[1]
    print("by Arrow:" if arrow == "true" else "otherwise:", tuple(found[arrow]))
row = spark.createDataFrame([(math.nan,)], "n double").selectExpr("isnull(n)").first()
assert found["true"][0] is None and found["true"][1]
assert math.isnan(found["false"][0]) and not found["false"][1] and found["false"][2]
assert not row[0]
END
