#!/bin/sh
# Guess: `enum: [=, "<"]`, the operators of a filter in an OpenAPI file, is a list of two strings for every YAML reader.
# True: PyYAML and ruamel.yaml refuse it. A plain `=` is the tag `value` of YAML 1.1, for which their safe loaders have no
# constructor. In ruamel.yaml this is so although it reads YAML 1.2, which has no such tag.
# Source: PyYAML 6.0.4, ruamel.yaml 0.18.6; YAML 1.1 type repository, tag:yaml.org,2002:value; YAML 1.2.2, section 10.3.
# It matters as one such line makes a whole description unreadable for tools in Python, while tools in JavaScript read it.
set -eu
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
python3 -m venv "$there/venv"
"$there/venv/bin/pip" install --quiet --disable-pip-version-check PyYAML==6.0.4 ruamel.yaml==0.18.6
"$there/venv/bin/python" - <<'END'
import ruamel.yaml, yaml
text = 'enum: [=, "<"]'
print("PyYAML", yaml.__version__, "ruamel.yaml", ruamel.yaml.__version__)
for name, read, kind in [
    ("PyYAML", yaml.safe_load, yaml.constructor.ConstructorError),
    ("ruamel.yaml", ruamel.yaml.YAML(typ="safe").load, ruamel.yaml.constructor.ConstructorError),
]:
    try:
        read(text)
    except kind as error:
        print(name, "refuses it:", str(error).splitlines()[0])
        assert "tag:yaml.org,2002:value" in str(error)
    else:
        raise SystemExit(f"{name} reads it now")
    assert read('enum: ["=", "<"]') == {"enum": ["=", "<"]}
END
