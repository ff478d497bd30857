#!/bin/sh
# Guess: pySMT's simplifier follows SMT-LIB's str.to_int, which is -1 unless all characters are ASCII digits.
# True: it reads a text as Python's int() does. " 12 ", "1_000", "+5" and Arabic-Indic digits become numbers, so that simplifying
# a formula changes its truth. Z3 gives -1 for each of them.
# Source: SMT-LIB, theory of strings, str.to_int; pySMT 0.9.6; z3-solver 5.4.1.0.
# It matters to who takes pySMT for a reference when a solver's string theory is tested: the two disagree before a solver is asked.
set -eu
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
python3 -m venv "$there/venv"
"$there/venv/bin/pip" install --quiet --disable-pip-version-check PySMT==0.9.6 z3-solver==5.4.1.0
"$there/venv/bin/python" - <<'END'
import pysmt, z3
from pysmt.shortcuts import String, StrToInt
print("pySMT", pysmt.__version__, "Z3", z3.get_version_string())
for text, number in [(" 12 ", 12), ("1_000", 1000), ("+5", 5), ("\u0663", 3)]:
    simplified = StrToInt(String(text)).simplify().constant_value()
    by_z3 = z3.simplify(z3.StrToInt(z3.StringVal(text))).as_long()
    print(repr(text), "pySMT:", simplified, "Z3:", by_z3)
    assert (simplified, by_z3) == (number, -1)
# Where all are ASCII digits they agree.
assert StrToInt(String("007")).simplify().constant_value() == 7
END
