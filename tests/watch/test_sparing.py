#!/usr/bin/env python3
"""A job that is dear to look at: the helper looks less often, says how often and for how long, in its
text, in the document and in the recording, and what the looks say stays true."""
import json
import os
import subprocess

from watching import BUILD, Checks, need_virtual_gpu, watch

DEAR = os.path.join(BUILD, "tests", "watch", "dear_job")
COMMAND = os.path.join(BUILD, "src", "cli", "whyidle")
KEYS = ("looks_apart", "looks_halvings", "looks_spared_ns")
STEPS, THREADS = 25, 60


def again(path, out_format):
    done = subprocess.run([COMMAND, "report", "--format", out_format, path], capture_output=True, text=True, check=True)
    return done.stdout


need_virtual_gpu()
checks = Checks()
kept = {}


def read_again(run):
    kept["json"], kept["text"] = json.loads(again(run.trace, "json")), again(run.trace, "text")


seen = watch([str(STEPS), str(THREADS)], job=DEAR, then=read_again)
checks.equal("status", (seen.status, seen.stderr if seen.status else ""), (0, ""))
cost = seen.report["overhead"]
length = seen.report["devices"][0]["window"]["length_ns"]
checks.true("halved", cost["looks_halvings"] >= 1, cost)
checks.true("a power of two, down to a sixteenth", cost["looks_apart"] in (2, 4, 8, 16), cost)
checks.true("for how long", 0.2e9 <= cost["looks_spared_ns"] <= 1.1 * length, (cost, length))
text = " ".join(seen.stderr.split())
checks.true("its text says so", "less often for" in text and "times less often" in text, text[-900:])
checks.equal("as the recording does", [kept["json"]["overhead"][k] for k in KEYS], [cost[k] for k in KEYS])
checks.true("in its text", "less often for" in " ".join(kept["text"].split()), kept["text"][-900:])
spans = seen.span_ns()
told = sum(spans.values())
checks.true("the waits are told as long as they were", 0.75 * seen.waited_ns <= told <= 1.15 * seen.waited_ns,
            (dict(spans), seen.waited_ns))
checks.true("no thread is busy", (seen.report["evidence"].get("busiest_permille") or 0) <= 200, seen.report["evidence"])
checks.finish()
