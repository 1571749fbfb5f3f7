#!/usr/bin/env python3
"""JSON reports of the fixtures against docs/whyidle-report-1.schema.json and against themselves, and
docs/report-format.md against the schema.

usage: golden_json.py REPORT_PRINT [--accept]     --accept writes the table of keys anew
"""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "docs" / "whyidle-report-1.schema.json"
FORMAT = ROOT / "docs" / "report-format.md"
MARK = "<!-- table of keys: written by tests/golden/golden_json.py --accept -->\n"


def render(program, name):
    text = subprocess.run([program, name, "json"], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(text.decode("utf-8"), parse_constant=lambda c: sys.exit(f"{name}: {c}"))


def undescribed(document, schema, where="$"):
    """Keys of the document that the schema does not know."""
    if isinstance(document, list):
        for item in document:
            yield from undescribed(item, schema.get("items", {}), where + "[]")
    if isinstance(document, dict):
        known, other = schema.get("properties", {}), schema.get("additionalProperties")
        for key, value in document.items():
            if key not in known and other is None:
                yield f"{where}.{key}"
            else:
                yield from undescribed(value, known.get(key, other), f"{where}.{key}")


def sums(name, document):
    """The sums that hold in every document, exactly."""
    for device in document["devices"]:
        if not device["used"]:
            continue
        length = device["window"]["end_ns"] - device["window"]["start_ns"]
        if sum(device["classes"].values()) != length or device["window"]["length_ns"] != length:
            yield f"{name}: classes of device {device['id']} do not sum to the window"
        for word, value in device["classes"].items():
            parts = [ns for i, ns in device["subcauses"].items() if i.split("/")[0] == word]
            if sum(parts) != value:
                yield f"{name}: sub-causes of {word} do not sum to the class"


def table(schema, path=""):
    """Rows of the table of keys, depth first."""
    for key, value in schema.get("properties", {}).items():
        here = path + key
        kinds = value.get("type", "string")
        kinds = [kinds] if isinstance(kinds, str) else kinds
        if "enum" in value:
            kinds = ["one of " + ", ".join(value["enum"])]
        yield f"| `{here}` | {' or '.join(kinds)} | {value.get('description', '')} |"
        yield from table(value, here + ".")
        yield from table(value.get("items", {}), here + "[].")
        extra = value.get("additionalProperties")
        yield from table(extra if isinstance(extra, dict) else {}, here + ".*.")


def format_document(schema):
    rows = ["| key | type | meaning |", "|---|---|---|"] + list(table(schema))
    return FORMAT.read_text().split(MARK)[0] + MARK + "\n" + "\n".join(rows) + "\n"


def main():
    schema = json.loads(SCHEMA.read_text())
    if "--accept" in sys.argv:
        FORMAT.write_text(format_document(schema))
    failures = [] if FORMAT.read_text() == format_document(schema) else [f"{FORMAT} is not current"]
    program = sys.argv[1]
    names = subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout.decode().split()
    documents = {name: render(program, name) for name in names}
    for name, document in documents.items():
        failures += [f"{name}: {key} is not in the schema" for key in undescribed(document, schema)]
        failures += sums(name, document)
    try:
        import jsonschema
    except ImportError:
        print("\n".join(failures) or "no python3-jsonschema: validation skipped")
        return 1 if failures else 77
    validator = jsonschema.Draft7Validator(schema)
    for name, document in documents.items():
        failures += [f"{name}: {'.'.join(map(str, error.absolute_path))}: {error.message}"
                     for error in validator.iter_errors(document)]
    print("\n".join(failures) or f"{len(names)} documents are valid")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
