#!/bin/sh
# Guess: two validators of JSON Schema agree that 4.35 is a multiple of 0.01, as multipleOf is said of decimal numbers.
# True: jsonschema says no, since 4.35 / 0.01 is 434.99999999999994 in binary floating point; jsonschema-rs says yes.
# Source: jsonschema 4.26.0, jsonschema-rs 0.60.3; JSON Schema 2020-12 Validation, section 6.2.1.
# It matters as the generator and the checker of one test may be built on these two, and then report the price of a cup of tea.
set -eu
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
python3 -m venv "$there/venv"
"$there/venv/bin/pip" install --quiet --disable-pip-version-check jsonschema==4.26.0 jsonschema-rs==0.60.3
"$there/venv/bin/python" - <<'END'
import importlib.metadata as packages
import jsonschema, jsonschema_rs
print("jsonschema", packages.version("jsonschema"), "jsonschema-rs", packages.version("jsonschema-rs"))
schema = {"type": "number", "multipleOf": 0.01}
python, rust = jsonschema.Draft202012Validator(schema), jsonschema_rs.Draft202012Validator(schema)
for price in [4.35, 0.29, 1.13, 19.99]:
    print(price, "jsonschema:", python.is_valid(price), "jsonschema-rs:", rust.is_valid(price))
    assert not python.is_valid(price) and rust.is_valid(price)
assert python.is_valid(2.5) and rust.is_valid(2.5)
END
