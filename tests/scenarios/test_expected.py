#!/usr/bin/env python3
"""Holds the player's truth against the hand-computed "Expected" lines of a scenario file."""
import json
import re
import subprocess
import sys

TOLERANCE = 0.006  # of a share in %, as the lines have two decimals


def expectations(path):
    """{(case, rank): {class: %}}"""
    found = {}
    with open(path, encoding="utf-8") as f:
        text = f.read()
    for case, body in re.findall(r"^### (\w+)[^\n]*\n(.*?)(?=^### |\Z)", text, re.S | re.M):
        for line in re.findall(r"\*\*Expected, % of wall:\*\* ([^\n]*)", body):
            rank = re.match(r"rank (\d+): (.*)", line)
            shares = re.findall(r"([a-z-]+) (\d+(?:\.\d+)?)", rank.group(2) if rank else line)
            found[case, int(rank.group(1)) if rank else 0] = {c: float(v) for c, v in shares}
    return found


def main():
    play, path = sys.argv[1:]
    expected = expectations(path)
    out = subprocess.run([play, "truth", path], check=True, capture_output=True, text=True)
    bad = seen = 0
    for line in out.stdout.splitlines():
        truth = json.loads(line)
        want = expected[truth["case"], truth["rank"]]
        got = {}
        for tag, ns in truth["shares"].items():
            cls = tag.split("/")[0]
            got[cls] = got.get(cls, 0) + 100 * ns / truth["length_ns"]
        for cls in set(want) | {c for c in got if got[c] > TOLERANCE}:
            if abs(want.get(cls, 0) - got.get(cls, 0)) > TOLERANCE:
                print(f"{truth['case']} rank {truth['rank']} {cls}: {got.get(cls, 0):.3f} %, "
                      f"by hand {want.get(cls, 0):.2f} %")
                bad += 1
        seen += 1
    print(f"{seen} of {len(expected)} compared, {bad} differences")
    return 1 if bad or seen != len(expected) else 0


if __name__ == "__main__":
    sys.exit(main())
