#!/bin/sh
# Guess: a JSON library for Python reads an integer exactly or reports an error, as Python's integers have no bounds.
# True: orjson silently reads 18446744073709551616 (2 to the power of 64) as the float 1.8446744073709552e+19, so that ids which differ
# become equal. json, ujson, msgspec and rapidjson read it exactly; pysimdjson reports an error.
# Source: orjson 3.13.0, msgspec and others as pinned below; RFC 8259, section 6, leaves the range to the implementation.
# It matters to who compares answers that were read by one library with requests that were written by another one.
set -eu
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
python3 -m venv "$there/venv"
"$there/venv/bin/pip" install --quiet --disable-pip-version-check orjson==3.13.0 ujson==6.1.0 msgspec==0.22.0 python-rapidjson==1.25 pysimdjson==7.0.2
"$there/venv/bin/python" - <<'END'
import importlib.metadata as packages, json, msgspec, orjson, rapidjson, simdjson, ujson
for name in ["orjson", "ujson", "msgspec", "python-rapidjson", "pysimdjson"]:
    print(name, packages.version(name))
one, other = "18446744073709551616", "18446744073709551617"
for read in [json.loads, ujson.loads, msgspec.json.decode, rapidjson.loads]:
    assert read(one) == int(one) and read(other) == int(other)
print("orjson:", orjson.loads(one), "and", orjson.loads(other))
assert isinstance(orjson.loads(one), float) and orjson.loads(one) == orjson.loads(other)
assert orjson.loads("18446744073709551615") == 2**64 - 1
try:
    simdjson.Parser().parse(one.encode())
except (RuntimeError, ValueError) as error:
    print("pysimdjson:", error)
else:
    raise SystemExit("pysimdjson reads it now")
END
