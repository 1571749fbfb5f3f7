#!/usr/bin/env python3
"""What goes wrong on CUPTI's side is counted and said, and never changes the job."""
from jobs import Checks, job, need_virtual_gpu, run

need_virtual_gpu()
checks = Checks()
words = [job(), "launch", "2000", "copy", "4", "65536", "sync"]


def fault(text, **more):
    got = run(words, VGPU_FAULT=text, **more)
    checks.equal(text + ": status", got.status, 0)
    checks.equal(text + ": output", got.stdout, "launch failed 0\ncopy failed 0\nsync 0\n")
    return got.report


plain = run(words).report
checks.equal("no fault: operations", plain["coverage"]["ops"], 2005)

zero = fault("zero-times=10")
checks.true("zero times are counted", 150 <= zero["coverage"]["lost"]["bad-clock"] <= 250,
            zero["coverage"])
checks.equal("zero times are still operations of the device", zero["coverage"]["ops"], 2005)

drop = fault("drop=10")
missing = 2005 - drop["coverage"]["ops"]
checks.true("dropped records are missing", missing > 100, missing)
checks.equal("and counted as CUPTI counts them",
             drop["coverage"]["lost"]["device-records"], missing)

ticks = fault("clock-ticks")
checks.equal("times of another clock are refused", ticks["coverage"]["lost"]["bad-clock"], 2005)

for name in ("out-of-order", "deliver-thread=caller", "deliver-thread=own"):
    same = fault(name)
    checks.equal(name + ": operations", same["coverage"]["ops"], 2005)
    checks.equal(name + ": matched", same["coverage"]["ops_matched"], 2005)

never = fault("never-deliver", WHYIDLE_EXIT_MS=300)
checks.equal("nothing delivered: no operation", never["coverage"]["ops"], 0)
checks.equal("nothing delivered: calls owe their records", never["coverage"]["calls_owing"], 2005)
checks.true("nothing delivered is not 'idle'",
            never["verdict"]["id"] == "inconclusive", never["verdict"])
fault("abort-after-teardown")
checks.finish()
