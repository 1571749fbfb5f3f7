#!/usr/bin/env python3
"""What goes wrong on CUPTI's side is counted and said, and never changes the job."""
from jobs import Checks, job, need_virtual_gpu, run, run_plain

need_virtual_gpu()
checks = Checks()
FLOOD = 120000  # their records are more than 14 MiB at every size that a kernel's record has had
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

# more records than the pool holds, and none comes home: CUPTI gets a buffer all the same
flood = run([job(), "launch", str(FLOOD), "sync"], WHYIDLE_EXIT_MS=300,
            VGPU_FAULT="never-deliver,null-buffer-aborts")
checks.equal("no buffer is free: job", (flood.status, flood.stdout), (0, "launch failed 0\nsync 0\n"))
cover = flood.report["coverage"]
checks.equal("no buffer is free: calls owe their records",
             cover["calls_owing"] + cover["lost"]["ring-full"], FLOOD)

# hardware tracing asked for by the job's own variable: CUPTI 13.0 is flushed at the end, not before
for hardware, end, ops in (("1", "sleep 2600 kill", 0), ("0", "sleep 2600 kill", 21),
                           ("1", "sleep 1300", 21), ("1", "pthread_exit 0", 24)):  # whose last thread launches three more
    words = [job()] + f"launch 20 memset 1 {end}".split()
    plain, ours = run_plain(words), run(words, CUPTI_ENABLE_HW_TRACE=hardware)
    name = f"hardware tracing {hardware}, {end}"
    checks.equal(name + ": job", (ours.status, ours.stdout), (plain.status, plain.stdout))
    checks.equal(name + ": operations", ours.report["coverage"]["ops"], ops)
checks.finish()
