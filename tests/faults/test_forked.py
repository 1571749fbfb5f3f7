#!/usr/bin/env python3
"""A forked child records nothing, not even into its own copy of the memory: its calls do not read
the clock, at either source of host calls."""
import os
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "preload"))
from jobs import Checks, Run, environment, need_virtual_gpu, preloads
from run_faults import COUNTERS, JOB, LIB, NAMES

need_virtual_gpu()
checks = Checks()
CHILDREN, LAUNCHES = 100, 10  # of each child


def readings(words, level):
    with tempfile.TemporaryDirectory() as out:
        counters = os.path.join(out, "counters")
        with open(counters, "wb") as file:
            file.write(bytes(8 * COUNTERS))
        got = Run([JOB] + words, environment(out, LD_PRELOAD=preloads(LIB), WI_FAULT_FILE=counters,
                                             WHYIDLE_CUPTI=level), out)
        checks.equal(f"{words[-2]}, {level}: status", got.status, 0)
        with open(counters, "rb") as file:
            return dict(zip(NAMES, struct.unpack(f"<{COUNTERS}Q", file.read())))["clock_step"]


for setting in ("auto", "off"):
    ours = readings(["launch", str(CHILDREN * LAUNCHES), "sync"], setting)
    theirs = readings(["launch", "1"] + ["fork-cuda"] * CHILDREN + ["sync"], setting)
    checks.true(f"{setting}: calls of the job read the clock", ours > 2 * CHILDREN * LAUNCHES, ours)
    # the helper reads it some times a second meanwhile
    checks.true(f"{setting}: those of its children do not", theirs < CHILDREN * LAUNCHES, theirs)
checks.finish()
