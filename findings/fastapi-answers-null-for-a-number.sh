#!/bin/sh
# Guess: a FastAPI endpoint whose model has a float cannot answer something that its own description forbids: NaN is an error, or "NaN".
# True: NaN and infinity are answered as null with status 200, while the description says "type": "number" and null is not allowed.
# Source: FastAPI 0.165.0, pydantic 2.14.4; JSON Schema 2020-12, where null is a type of its own.
# It matters as a mean of no values, a usual source of NaN, shows as an answer that breaks the description and not as an error 500.
set -eu
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
python3 -m venv "$there/venv"
"$there/venv/bin/pip" install --quiet --disable-pip-version-check fastapi==0.165.0 pydantic==2.14.4 httpx==0.28.1 jsonschema==4.26.0
"$there/venv/bin/python" - <<'END'
import fastapi, jsonschema, pydantic
from fastapi.testclient import TestClient
class Statistics(pydantic.BaseModel):
    mean: float
app = fastapi.FastAPI()
@app.get("/statistics")
def statistics() -> Statistics:
    return Statistics(mean=float("nan"))
answer = TestClient(app).get("/statistics")
described = app.openapi()["components"]["schemas"]["Statistics"]
print("FastAPI", fastapi.__version__, "answers", answer.status_code, answer.text, "for", described["properties"]["mean"])
assert (answer.status_code, answer.json()) == (200, {"mean": None})
assert described["properties"]["mean"]["type"] == "number" and "mean" in described["required"]
assert not jsonschema.Draft202012Validator(described).is_valid(answer.json())
END
