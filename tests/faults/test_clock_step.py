#!/usr/bin/env python3
"""The clock is set while a job runs: the job does not notice, and what spans the step is said to be
unknown, wherever it comes: in the first second and in the last, forward and back, much or little."""
import os
import struct
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "preload"))
from jobs import Checks, Run, environment, need_virtual_gpu, preloads
from run_faults import COUNTERS, JOB, LIB, NAMES

need_virtual_gpu()
checks = Checks()
SECOND = 1_000_000_000
WORDS = [JOB] + "launch 50 sync sleep 900 launch 50 sync".split()
HOUR_MS = 3_600_000


def job(fault):
    """The run, how often it read the wall clock, and how long it took."""
    with tempfile.TemporaryDirectory() as out:
        counters = os.path.join(out, "counters")
        with open(counters, "wb") as file:
            file.write(bytes(8 * COUNTERS))
        env = environment(out, preload=False, LD_PRELOAD=preloads(LIB), WI_FAULT_FILE=counters,
                          WI_FAULT=fault)
        begin = time.monotonic_ns()
        got = Run(WORDS, env, out)
        took = time.monotonic_ns() - begin
        with open(counters, "rb") as file:
            values = dict(zip(NAMES, struct.unpack(f"<{COUNTERS}Q", file.read())))
    return got, values["clock_step"], took


def step(name, reading, ms):
    got, _, took = job(f"clock_step:{reading}:{ms}")
    checks.equal(name + ": job", (got.status, got.stdout), (plain.status, plain.stdout))
    report, device = got.report, got.report["devices"][0]
    blind = report["coverage"]["blind_ns"]
    # from one look to the next, which are up to 100 ms apart where the machine is quiet
    step_ns = abs(ms) * 1_000_000
    checks.true(name + ": blind for the step", max(1, step_ns - SECOND) <= blind <=
                step_ns + SECOND, blind)
    if not device["window"]:  # all of the run lies in what cannot be told apart
        checks.equal(name + ": verdict", report["verdict"]["id"], "inconclusive")
        return
    length = device["window"]["length_ns"]
    checks.equal(name + ": sum", sum(device["classes"].values()), length)
    known = length - device["subcauses"].get("unknown/blind-interval", 0)
    checks.true(name + ": nothing else is longer than the job", known <= took, (known, took))


plain, readings, _ = job("")
checks.equal("no step: blind", plain.report["coverage"]["blind_ns"], 0)
for ms in (HOUR_MS, -HOUR_MS, 500, -500):
    step(f"{ms} ms in the middle", readings // 2, ms)
# the calls after the sleep read the clock from 70 to 95 % on, and how often is up to a tenth apart
step("in the last calls", readings * 8 // 10, HOUR_MS)
checks.finish()
