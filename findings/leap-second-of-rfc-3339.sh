#!/bin/sh
# Guess: 1990-12-31T23:59:60Z, an example of RFC 3339 itself, has the format date-time for a checker of JSON Schema that names that RFC.
# True: jsonschema's checker refuses it, as rfc3339-validator goes through Python's datetime, which has no leap seconds. The same
# checker takes PT0.000001S and -P1D for a duration, although the grammar of RFC 3339, appendix A, has neither fractions nor signs.
# Source: jsonschema 4.26.0 with its extra format-nongpl; RFC 3339, sections 5.6 and 5.8, and appendix A.
# It matters to who takes "format" for an exact statement: it is too strict for one of these and too lax for the other.
set -eu
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
python3 -m venv "$there/venv"
"$there/venv/bin/pip" install --quiet --disable-pip-version-check jsonschema[format-nongpl]==4.26.0
"$there/venv/bin/python" - <<'END'
import importlib.metadata as packages
import jsonschema
checker = jsonschema.Draft202012Validator.FORMAT_CHECKER
said = {text: checker.conforms(text, kind) for kind, text in [
    ("date-time", "1990-12-31T23:59:60Z"), ("date-time", "1990-12-31T23:59:59Z"),
    ("duration", "-P1D"), ("duration", "PT0.000001S"), ("duration", "P1D"),
]}
print("jsonschema", packages.version("jsonschema"), said)
assert list(said.values()) == [False, True, True, True, True]
END
