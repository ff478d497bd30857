#!/bin/sh
# Guess: z3.StringVal(text) is the text that Python has, as IntVal(n) is n: six characters for the six of a backslash, u, {41} and so on.
# True: an escape of SMT-LIB in it is read, so that the six characters \u{41} are one, A, and a text is not equal to the terms of its own
# characters. A backslash without such an escape stays.
# Source: z3-solver 4.15.4; SMT-LIB's theory of strings, section on literals, gives the escapes to the literals of its scripts.
# It matters to who gives observed texts to the solver: a log line with a backslash becomes another text without an error.
set -eu
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
python3 -m venv "$there/venv"
"$there/venv/bin/pip" install --quiet --disable-pip-version-check z3-solver==4.15.4.0
"$there/venv/bin/python" - <<'END'
import z3
print("z3-solver", z3.get_version_string())
def length(text):
    return z3.simplify(z3.Length(z3.StringVal(text))).as_long()
for text in [r"\u{41}", r"\u0041", r"\x41", r"C:\users"]:
    print(repr(text), "has", len(text), "characters in Python and", length(text), "in Z3")
assert (length(r"\u{41}"), length(r"\u0041")) == (1, 1)
assert length(r"\x41") == 4 and length(r"C:\users") == 8
whole = z3.StringVal(r"\u{41}")
parts = z3.Concat([z3.StringVal(c) for c in r"\u{41}"])
print("equal to its characters:", z3.simplify(whole == parts))
assert z3.is_false(z3.simplify(whole == parts))
END
