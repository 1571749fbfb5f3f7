#!/usr/bin/env python3
"""Holds docs/hazards.md against the tree: every file it names exists, every test is one of ctest, and
the file that is named for a fault holds the words of its check.
usage: check_hazards.py BUILD"""
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def faults_without_check(text):
    """Rows of the table of faults whose words are not in the file they name, and how many there are."""
    table = text.split("## Faults", 1)[-1].split("\n## ", 1)[0]
    rows = re.findall(r"^\| (.*) \| `(\S+)` \| `(.*)` \|$", table, re.M)
    bad = [f"a row of another form among the faults: {line}"
           for line in re.findall(r"^\|.*\|$", table, re.M)[2:]
           if not re.fullmatch(r"\| (.*) \| `(\S+)` \| `(.*)` \|", line)]
    for fault, name, words in rows:
        path = os.path.join(ROOT, name)
        if not os.path.exists(path):
            bad.append(f"{fault}: {name} is not there")
            continue
        with open(path, encoding="utf-8") as file:
            if words not in file.read():
                bad.append(f"{fault}: '{words}' is not in {name}")
    return bad, len(rows)


def main():
    with open(os.path.join(ROOT, "docs", "hazards.md"), encoding="utf-8") as file:
        text = file.read()
    rows = [line for line in text.split("## Faults", 1)[0].splitlines() if re.match(r"\| \d", line)]
    listed = subprocess.run(["ctest", "--test-dir", sys.argv[1], "-N"], capture_output=True,
                            text=True, check=True).stdout
    tests = set(re.findall(r"Test +#\d+: (\S+)", listed))
    bad, faults = faults_without_check(text)
    for row in rows:
        cells = row.split("|")
        if len(cells) != 6:
            bad.append(f"a row of another form: {row.strip()}")
            continue
        for name in re.findall(r"`([^`]+)`", cells[3] + cells[4]):
            known = os.path.exists(os.path.join(ROOT, name)) if "/" in name else name in tests
            if not known:
                bad.append(f"{cells[1].strip()}: {name} is not there")
        if not re.search("`|device", cells[4]):
            bad.append(f"{cells[1].strip()}: no test")
    for line in bad:
        print("check_hazards:", line, file=sys.stderr)
    print(f"check_hazards: {len(rows)} hazards, {faults} faults")
    sys.exit(1 if bad or len(rows) < 12 or not faults else 0)


main()
