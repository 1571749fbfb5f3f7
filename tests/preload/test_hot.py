#!/usr/bin/env python3
"""The hot path makes no allocation and no system call."""
import os

from jobs import BUILD, LIB, SKIP, Checks, need_virtual_gpu, run, run_plain

need_virtual_gpu(cupti=False)
checks = Checks()
CALLS = 20000
hot = os.path.join(BUILD, "tests", "preload", "hot_job")
counter = os.path.join(BUILD, "tests", "preload", "liballoc_count.so")
for level, setting in (("A", "auto"), ("C", "off")):
    got = run([hot, "allocations", str(CALLS)], WHYIDLE_CUPTI=setting, LD_PRELOAD=f"{counter}:{LIB}")
    plain = run_plain([hot, "allocations", str(CALLS)], LD_PRELOAD=counter)
    if plain.status != SKIP:
        checks.equal(f"allocations at level {level}", got.stdout, plain.stdout)
    bare = run_plain([hot, "system-calls", str(CALLS)])
    if bare.status != 0 or int(bare.stdout) > 0:
        print("system calls: the runtime under test makes some itself, or there is no seccomp")
        continue
    got = run([hot, "system-calls", str(CALLS)], WHYIDLE_CUPTI=setting)
    checks.equal(f"status at level {level}", got.status, 0)
    # a thread that the scheduler took off its core for 1 ms reads its clock twice: allowed, rare
    checks.true(f"system calls at level {level}", int(got.stdout or -1) <= CALLS // 500,
                got.stdout)
checks.finish()
