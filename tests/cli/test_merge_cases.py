#!/usr/bin/env python3
"""The ranks of the case files, played to event traces, reported one by one, then merged: waiting
within 5 points of what the case expects for each rank, and the straggler it names.

usage: test_merge_cases.py WHYIDLE PLAY own|given
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
OWN = os.path.join(HERE, "..", "scenarios", "own_cases.md")
GIVEN = os.path.join(os.environ.get("WHYIDLE_CASES") or
                     os.path.join(HERE, "..", "..", "..", "shared", "cases"), "given.md")
POINTS = 5
# File, case, block, stragglers, what delays them; factor: the pauses made longer, as the case says.
CASES = {"own": [(OWN, "S10", "-", [0], "device-work", 1)],
         "given": [(GIVEN, "G16", "-", [0], "device-work", 1),
                   (GIVEN, "G18", "real", [], "host/garbage-collection", 1),
                   (GIVEN, "G18", "real", [], "host/garbage-collection", 5)]}
# "then about 84 % compute, 4 % host-other and 12 % comm-wait on every rank"
FIVE_TIMES = {"compute": 84, "host-other": 4, "comm-wait": 12}


def section(path, case):
    with open(path, encoding="utf-8") as file:
        return re.search(rf"^### {case}\b.*?(?=^### |\Z)", file.read(), re.S | re.M).group(0)


def expected(text, rank):
    line = re.search(rf"Expected[^\n]*?:\*\* (?:rank {rank}|every rank): ([^\n]*?)\.(?: |$)",
                     text, re.M)
    return {word: float(share) for word, share in re.findall(r"([\w-]+) ([\d.]+)", line.group(1))}


def document(whyidle, trace, rank, ranks):
    out = subprocess.run([whyidle, "report", "-f", "json", trace], check=True, capture_output=True)
    doc = json.loads(out.stdout)
    doc["job"].update(rank=rank, world=ranks)  # what a live job reads from its environment
    return doc


def merge(whyidle, play, path, case, block, factor):
    with tempfile.TemporaryDirectory() as folder:
        if factor != 1:
            text = re.sub(r"^( *cpu )([\d.]+)( collect-garbage)",
                          lambda m: f"{m[1]}{float(m[2]) * factor}{m[3]}", section(path, case),
                          flags=re.M)
            path = os.path.join(folder, "longer.md")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        subprocess.run([play, "trace", path, case, block, folder], check=True)
        traces = sorted(name for name in os.listdir(folder) if name.endswith(".wit"))
        for rank, name in enumerate(traces):
            with open(os.path.join(folder, f"rank{rank}.json"), "w") as out:
                json.dump(document(whyidle, os.path.join(folder, name), rank, len(traces)), out)
        done = subprocess.run([whyidle, "merge", "-f", "json", folder], check=True,
                              capture_output=True)
        return json.loads(done.stdout)


def judge(label, merged, wanted, stragglers, reason):
    failures = []
    for row in merged["ranks"]:
        want = wanted(row["rank"])
        said = {"comm-wait": row["comm_wait_ns"], "host-other": row["classes"]["host"],
                # The cases count the time in which a collective moves data as compute.
                "compute": row["classes"]["compute"] + row["classes"]["communication"] -
                           row["comm_wait_ns"]}
        for word, ns in said.items():
            share = 100 * ns / row["window_ns"]
            if abs(share - want.get(word, 0)) > POINTS:
                failures.append(f"{label} rank {row['rank']}: {word} {share:.1f} %, "
                                f"expected {want.get(word, 0)} %")
    named = [row["rank"] for row in merged["ranks"] if row["straggler"]]
    if named != stragglers:
        failures.append(f"{label}: stragglers {named}, expected {stragglers}")
    said = merged["late"]["pause"] or merged["late"]["reason"]
    if said != reason or merged["late"]["in_turn"] != (not stragglers):
        failures.append(f"{label}: {merged['late']}, expected {reason}")
    return failures


def main():
    whyidle, play, which = sys.argv[1:4]
    failures = []
    for path, case, block, stragglers, reason, factor in CASES[which]:
        if not os.path.exists(path):
            print(f"skipped: no {os.path.basename(path)}; WHYIDLE_CASES names the folder")
            return 77
        text = section(path, case)
        merged = merge(whyidle, play, path, case, block, factor)
        failures += judge(f"{case} x{factor}", merged,
                          lambda rank: FIVE_TIMES if factor == 5 else expected(text, rank),
                          stragglers, reason)
        print(f"{case} x{factor}: {merged['late']['text']}")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
