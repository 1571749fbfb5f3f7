#!/usr/bin/env python3
"""Holds docs/hazards.md against the tree: every file it names exists, and every test is one of ctest.
usage: check_hazards.py BUILD"""
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def main():
    with open(os.path.join(ROOT, "docs", "hazards.md"), encoding="utf-8") as file:
        rows = [line for line in file if re.match(r"\| \d", line)]
    listed = subprocess.run(["ctest", "--test-dir", sys.argv[1], "-N"], capture_output=True,
                            text=True, check=True).stdout
    tests = set(re.findall(r"Test +#\d+: (\S+)", listed))
    bad = []
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
    print(f"check_hazards: {len(rows)} hazards")
    sys.exit(1 if bad or len(rows) < 12 else 0)


main()
