#!/usr/bin/env python3
"""One engine, one answer: what `play whatif` says of a block in memory is what the command says of
the same block as a recorded trace.

usage: test_whatif.py PLAY WHYIDLE FILE"""
import json
import subprocess
import sys
import tempfile

CHANGES = ["gpu-2x", "input-ready:stay=1", "pinned-async:rate=12+graph-replay:divide=3"]
KEYS = ["speedup", "low", "high"]


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    play, whyidle, path = sys.argv[1:]
    failures, compared = [], 0
    blocks = [line.split() for line in run(play, "list", path).splitlines()]
    for case, block, ranks, _ in blocks:
        if ranks != "1":
            continue
        rows = [json.loads(line) for line in run(play, "whatif", path, case, block, *CHANGES).splitlines()]
        with tempfile.TemporaryDirectory(prefix="whatif.") as folder:
            run(play, "trace", path, case, block, folder)
            for row in rows:
                said = json.loads(run(whyidle, "report", "--format", "json", "--what-if", row["spec"],
                                      folder + "/rank0.wit"))
                mine, its = row["predicted"], said["prediction"]
                compared += 1
                if mine.get("withheld") != its["withheld"] or any(
                        abs(mine[k] - its[k]) > 1e-4 * mine[k] for k in KEYS if k in mine):
                    failures.append(f"{case} {row['spec']}: {mine}, from the trace {its}")
    print("\n".join(failures) or f"{compared} predictions are the same")
    return 1 if failures or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
