#!/usr/bin/env python3
"""Four real processes under whyidle run, merged: who is waited for, and why. One job a reason.

usage: test_merge_live.py WHYIDLE RANKS_JOB LIBRARIES work|clock|pause|turns|grid
"""
import json
import os
import subprocess
import sys
import tempfile

whyidle, job, libraries, what = sys.argv[1:5]
# Stragglers, and the reasons that may be given.
WANTED = {"work": ([2], {"device-work"}), "clock": ([2], {"slower-clock"}),
          "pause": ([2], {"pause"}), "turns": ([], {"pause"}), "grid": ([3], {"device-work"})}
failures = []


def expect(what, got, good):
    if not good:
        failures.append(f"FAIL {what}: {got!r}")


with tempfile.TemporaryDirectory() as folder:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("WHYIDLE", "VGPU_", "CUDA_"))}
    env.update(LD_LIBRARY_PATH=libraries, WHYIDLE_OUT=folder)
    done = subprocess.run([whyidle, "run", "--", job, what], env=env, capture_output=True,
                          text=True, timeout=120)
    if "plan not kept" in done.stderr:
        print("skipped: the machine is too busy for ranks that keep step")
        sys.exit(77)
    expect("status", (done.returncode, done.stderr), done.returncode == 0)
    merged = subprocess.run([whyidle, "merge", "--format", "json", folder], capture_output=True,
                            text=True, env=env)
    merged = json.loads(merged.stdout)
late, rows = merged["late"], merged["ranks"]
expect("ranks", [r["rank"] for r in rows], [r["rank"] for r in rows] == [0, 1, 2, 3])
stragglers, reasons = WANTED[what]
named = [r["rank"] for r in rows if r["straggler"]]
expect("stragglers", (named, late), named == stragglers)
expect("in turn", late, late["in_turn"] == (what == "turns"))
expect("reason", late, late["reason"] in reasons)
if late["reason"] == "pause":  # of 10 ms; the others pause only before the first step
    expect("the pause", late, late["own_ns"] > 100e6)
if what == "clock":
    expect("clocks", late, late["own_mhz"] == 705 and late["others_mhz"] == 1410)
groups = sorted(m["members"] for m in merged["collectives"] if m["compared"])
wanted = [[0, 1], [0, 2], [1, 3], [2, 3]] if what == "grid" else [[0, 1, 2, 3]]
expect("groups", merged["collectives"], groups == wanted)
# 10 of every 26 ms (grid: of 34), and 0.2 s before the first, for those who wait, by the plan of ranks_job.c.
for row in rows:
    share = (row["comm_wait_ns"] or 0) / row["window_ns"]
    if what in ("work", "clock", "pause"):
        good = share < 0.1 if row["rank"] == 2 else share > 0.25
    elif what == "grid":
        good = share < 0.1 if row["rank"] == 3 else share > 0.2
    else:
        good = share > 0.15
    expect(f"waiting of rank {row['rank']}", share, good)
print("\n".join(failures) or f"ok: {late['text']}")
sys.exit(1 if failures else 0)
