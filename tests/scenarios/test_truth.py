#!/usr/bin/env python3
"""Holds the player's truth against a second implementation of the charging rule (case_oracle.py
beside the cases) on every block of the given files: shares equal to 0.01 % of wall time."""
import importlib.util
import json
import os
import re
import subprocess
import sys


def load_oracle(path):
    spec = importlib.util.spec_from_file_location("case_oracle", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def oracle_blocks(oracle, text):
    """{(case, block, rank): (length in ms, {tag: ms})}"""
    found = {}
    for case in re.finditer(r"^### (\w+)[^\n]*\n(.*?)(?=^### |\Z)", text, re.S | re.M):
        for block in re.finditer(r"```timeline ?(\S*)\n(.*?)```", case.group(2), re.S):
            for rank, (length, shares) in oracle.play(block.group(2)):
                found[case.group(1), block.group(1) or "-", int(rank)] = length, shares
    return found


def main():
    play = sys.argv[1]
    cases = os.environ.get("WHYIDLE_CASES") or os.path.join(
        os.environ.get("WI_SOURCE", "."), "..", "shared", "cases")
    oracle_path = os.path.join(cases, "..", "tools", "case_oracle.py")
    if not os.path.exists(oracle_path):
        print(f"skipped: no {oracle_path}")
        return 77
    oracle = load_oracle(oracle_path)
    bad = blocks = 0
    for name in sys.argv[2:]:
        path = os.path.join(cases, name)
        with open(path, encoding="utf-8") as f:
            expected = oracle_blocks(oracle, f.read())
        out = subprocess.run([play, "truth", path], check=True, capture_output=True, text=True)
        seen = set()
        for line in out.stdout.splitlines():
            mine = json.loads(line)
            key = mine["case"], mine["block"], mine["rank"]
            seen.add(key)
            length, shares = expected[key]
            for tag in set(shares) | set(mine["shares"]):
                want = 100 * shares.get(tag, 0) / length
                got = 100 * mine["shares"].get(tag, 0) / mine["length_ns"]
                if abs(want - got) > 0.01:
                    print(f"{name} {key} {tag}: {got:.3f} %, expected {want:.3f} %")
                    bad += 1
        bad += len(set(expected) - seen)
        for key in set(expected) - seen:
            print(f"{name} {key}: not played")
        blocks += len(seen)
    print(f"{blocks} ranks of blocks compared, {bad} differences")
    return 1 if bad or not blocks else 0


if __name__ == "__main__":
    sys.exit(main())
