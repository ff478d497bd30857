#!/bin/sh
# Guess: a field that is told to be a string on the wire, Decimal(as_string=True), is described as a string.
# True: apispec describes it as a number. Every answer of the service is a string and breaks its own description.
# Source: apispec 6.10.1 with MarshmallowPlugin, marshmallow 4.4.0 (as_string: "serialize to a string instead of a Python decimal").
# It matters to who checks answers by the description: all amounts of money are reported.
set -eu
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
python3 -m venv "$there/venv"
"$there/venv/bin/pip" install --quiet --disable-pip-version-check apispec==6.10.1 marshmallow==4.4.0 jsonschema==4.26.0
"$there/venv/bin/python" - <<'END'
import importlib.metadata as packages, json
from decimal import Decimal
import apispec, jsonschema
from apispec.ext.marshmallow import MarshmallowPlugin
from marshmallow import Schema, fields
class Price(Schema):
    amount = fields.Decimal(as_string=True)
spec = apispec.APISpec("t", "1", "3.1.0", plugins=[MarshmallowPlugin()])
spec.components.schema("Price", schema=Price)
described = spec.to_dict()["components"]["schemas"]["Price"]
answer = json.loads(Price().dumps({"amount": Decimal("2.50")}))
print("apispec", packages.version("apispec"), "describes", described["properties"]["amount"], "and the answer is", answer)
assert described["properties"]["amount"] == {"type": "number"} and answer == {"amount": "2.50"}
assert not jsonschema.Draft202012Validator(described).is_valid(answer)
END
