#!/bin/sh
# Guess: a reader of EDN in JavaScript reads 9007199254740993, an integer as EDN has it (64 bits), exactly or as a BigInt.
# True: edn-data returns the number 9007199254740992. jsedn returns a string for each integer of fifteen digits or more, and a number for
# shorter ones: the times of one Jepsen history, in nanoseconds, are numbers in its first 27 hours and strings from then on.
# Source: edn-data 1.2.2, jsedn 0.4.1; the EDN format at github.com/edn-format/edn, section on integers ("64-bit (signed integer)").
# It matters to who compares times or ids of histories in JavaScript: two that differ become equal, and a number
# is compared with a string.
set -eu
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
cd "$there"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund edn-data@1.2.2 jsedn@0.4.1 >/dev/null
node - <<'END'
const assert = require('node:assert');
const { parseEDNString } = require('edn-data');
const jsedn = require('jsedn');
console.log('edn-data', require('edn-data/package.json').version, parseEDNString('9007199254740993'));
assert.strictEqual(parseEDNString('9007199254740993'), 9007199254740992);
const read = text => jsedn.toJS(jsedn.parse(text));
for (const text of ['99999999999999', '100000000000000', '9007199254740993'])
  console.log('jsedn', require('jsedn/package.json').version, text, typeof read(text), read(text));
assert.strictEqual(read('99999999999999'), 99999999999999);
assert.strictEqual(read('100000000000000'), '100000000000000');
assert.strictEqual(read('9007199254740993'), '9007199254740993');
END
