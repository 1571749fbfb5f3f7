#!/usr/bin/env python3
"""The hot path makes no allocation and no system call."""
import os

from jobs import BUILD, LIB, SKIP, Checks, need_virtual_gpu, run, run_plain

need_virtual_gpu(cupti=False)
checks = Checks()
hot = os.path.join(BUILD, "tests", "preload", "hot_job")
counter = os.path.join(BUILD, "tests", "preload", "liballoc_count.so")
for level, setting in (("A", "auto"), ("C", "off")):
    got = run([hot, "allocations", "20000"], WHYIDLE_CUPTI=setting, LD_PRELOAD=f"{counter}:{LIB}")
    plain = run_plain([hot, "allocations", "20000"], LD_PRELOAD=counter)
    if plain.status != SKIP:
        checks.equal(f"allocations at level {level}", got.stdout, plain.stdout)
    free = run_plain([hot, "system-calls", "20000"])
    if free.status != 0:
        print("system calls: the runtime under test makes some itself, or there is no seccomp")
        continue
    got = run([hot, "system-calls", "20000"], WHYIDLE_CUPTI=setting)
    checks.equal(f"system calls at level {level}", (got.status, got.stdout),
                 (0, "no system call\n"))
checks.finish()
