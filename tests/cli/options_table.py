#!/usr/bin/env python3
"""Every command explains itself, every option of options.def is in the help of its commands and in
no other, every example parses, and the overview says what every setting may be set to.

usage: options_table.py WHYIDLE
"""
import pathlib
import re
import shlex
import subprocess
import sys

TABLE = pathlib.Path(__file__).resolve().parents[2] / "src" / "cli" / "options.def"

SETTINGS = TABLE.parents[1] / "base" / "settings.def"


def text_of(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode()


def main():
    whyidle = sys.argv[1]
    rows = TABLE.read_text().split("*/", 1)[1]
    commands = dict(re.findall(r'^COMMAND\((\w+), "([^"]+)"', rows, re.M))
    options = re.findall(r'^OPTION\(([^,]+), \w+, "([^"]+)"', rows, re.M)
    examples = re.findall(r'^EXAMPLE\((\w+), "([^"]+)"', rows, re.M)
    failures = []
    for identifier, word in commands.items():
        status, text = text_of(whyidle, word, "--help")
        if status != 0 or "examples:" not in text or text_of(whyidle, "help", word)[1] != text:
            failures.append(f"{word}: bad help")
        for where, name in options:
            taken = "IN_ALL" in where or f"IN_{identifier}" in where.replace(" ", "").split("|")
            if (re.search(rf"^ +(-\w, )?{name}\b", text, re.M) is not None) != taken:
                failures.append(f"{word} --help: {name} should {'' if taken else 'not '}be there")
        if identifier not in [command for command, _ in examples]:
            failures.append(f"{word}: no example")
        if max(map(len, text.splitlines())) > 110:
            failures.append(f"{word} --help: a line is too long")
    overview = text_of(whyidle, "--help")[1]
    for name, kind, default, allowed in re.findall(r'^SETTING\(\w+, "(\w+)", (\w+), ([^,]+), ([^,]+),', SETTINGS.read_text(), re.M):
        shown = re.search(rf"^  {name} +\S.*\n(?: +(.*) \(default: (.*)\)\n)?", overview, re.M)
        wanted = (", ".join(allowed.strip('"').split("|")), default.strip('"'))
        if not shown or kind == "WORD" and shown.groups() != wanted or kind == "INT" and not shown[1]:
            failures.append(f"--help: {name} with {wanted}")
    if max(map(len, overview.splitlines())) > 110:
        failures.append("--help: a line is too long")
    for identifier, line in examples:
        words = shlex.split(line)
        if words[0] != "whyidle" or words[1] == "--version":
            continue
        # With --help in front nothing is run, but the options are parsed.
        word = words[1] if words[1] in commands.values() else "run"
        rest = words[2:] if words[1] in commands.values() else words[1:]
        if text_of(whyidle, word, "--help", *rest)[0] != 0:
            failures.append(f"example does not parse: {line}")
    print("\n".join(failures) or f"{len(options)} options, {len(examples)} examples")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
