#!/bin/sh
# Guess: edn_format.loads() of a Jepsen history, a file with one map after another, is an error: the text is no single form.
# True: it returns the first map and drops all others without a word. The same with numbers: 007 is 0. A map that has one key twice,
# which EDN forbids, becomes its last entry. A history of Jepsen 0.3, whose maps have the tag jepsen.history.Op, raises an error.
# Source: edn_format 0.8.0; the EDN format at github.com/edn-format/edn, sections on maps and integers.
# It matters to who counts the operations of a history in Python: a check of the first one passes.
set -eu
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
python3 -m venv "$there/venv"
"$there/venv/bin/pip" install --quiet --disable-pip-version-check edn_format==0.8.0
"$there/venv/bin/python" - <<'END'
import importlib.metadata as packages
import edn_format
from edn_format import Keyword, loads
print("edn_format", packages.version("edn_format"))
history = "{:type :invoke, :f :read}\n{:type :ok, :f :read, :value 4}\n"
print("read:", loads(history))
assert dict(loads(history)) == {Keyword("type"): Keyword("invoke"), Keyword("f"): Keyword("read")}
assert loads("007") == 0
assert dict(loads("{:a 1, :a 2}")) == {Keyword("a"): 2}
try:
    loads("#jepsen.history.Op{:index 0, :type :invoke}")
except NotImplementedError as error:
    print("tagged:", error)
else:
    raise SystemExit("tagged maps are read now")
END
