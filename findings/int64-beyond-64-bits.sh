#!/bin/sh
# Guess: of the format int64 that OpenAPI gives to integers, a validator of ajv-formats refuses 1e300, as it refuses 3000000000 for int32.
# True: it takes every number without a fraction; int32 has its bounds.
# Source: ajv 8.20.0, ajv-formats 3.0.1; OpenAPI 3.0.3, data types: int64 is "signed 64 bits (a.k.a long)".
# It matters to who checks answers, or makes requests, by the validator: a service that keeps the number in 64 bits fails on it.
set -eu
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
cd "$there"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund ajv@8.20.0 ajv-formats@3.0.1 >/dev/null
node - <<'END'
const assert = require('node:assert');
const Ajv = require('ajv');
const ajv = new Ajv();
require('ajv-formats')(ajv);
const takes = (format, number) => ajv.compile({ type: 'integer', format })(number);
for (const name of ['ajv', 'ajv-formats']) console.log(name, require(`${name}/package.json`).version);
for (const [format, number] of [['int32', 3e9], ['int64', 2 ** 64], ['int64', 1e300]])
  console.log(format, number, takes(format, number));
assert(!takes('int32', 3e9) && takes('int32', 2e9));
assert(takes('int64', 2 ** 64) && takes('int64', 1e300) && !takes('int64', 1.5));
END
