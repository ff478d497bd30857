#!/bin/sh
# Guess: marshmallow's Range(min=0, min_inclusive=False) becomes exclusiveMinimum in some form in apispec's OpenAPI description.
# True: it becomes "minimum": 0, in 3.0 and in 3.1. The service refuses 0 with an error, which its own description allows.
# Source: apispec 6.10.1 with MarshmallowPlugin, marshmallow 4.4.0; OpenAPI 3.0.3 and 3.1.0, Schema Object.
# It matters as a test that draws requests from the description is refused at each boundary, and takes it for a fault of the service.
set -eu
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
python3 -m venv "$there/venv"
"$there/venv/bin/pip" install --quiet --disable-pip-version-check apispec==6.10.1 marshmallow==4.4.0
"$there/venv/bin/python" - <<'END'
import importlib.metadata as packages
import apispec
from apispec.ext.marshmallow import MarshmallowPlugin
from marshmallow import Schema, ValidationError, fields, validate
class Order(Schema):
    amount = fields.Integer(validate=validate.Range(min=0, min_inclusive=False, max=9, max_inclusive=False))
print("apispec", packages.version("apispec"))
for version in ["3.0.3", "3.1.0"]:
    spec = apispec.APISpec("t", "1", version, plugins=[MarshmallowPlugin()])
    spec.components.schema("Order", schema=Order)
    described = spec.to_dict()["components"]["schemas"]["Order"]["properties"]["amount"]
    print(version, described)
    assert described == {"type": "integer", "minimum": 0, "maximum": 9}
for amount in [0, 9]:
    try:
        Order().load({"amount": amount})
    except ValidationError as error:
        print(amount, "is refused:", error.messages["amount"][0])
    else:
        raise SystemExit("marshmallow takes the bound now")
END
