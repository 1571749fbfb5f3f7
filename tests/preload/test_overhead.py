#!/usr/bin/env python3
"""What CUPTI says that the driver did inside calls: loading code is told by its records; a launch that
only lasts is no load where there are such records, and is taken for one where there are none."""
from jobs import Checks, job, need_virtual_gpu, run

MS = 1000000
need_virtual_gpu()
checks = Checks()


def causes(words, major="13", **settings):
    report = run([job(major)] + words, major, **settings).report
    return {cause: ns / MS for cause, ns in report["devices"][0]["subcauses"].items()}


def at_least(what, got, cause, wanted):
    """That many ms, as far as other jobs left the thread its core: that part is told apart."""
    ns = got.get(cause, 0)
    checks.true(what, ns > 0 and ns + got.get("host/cpu-contention", 0) >= wanted, got)


# the device has worked; then one launch loads its kernel for 40 ms, and a second one does not
told = causes(["memset", "1", "sync", "launch", "1", "sync", "launch", "1", "sync"],
              VGPU_FUNCTION_NS=40 * MS)
at_least("loading is told", told, "warm-up/module-load", 40)
checks.true("it is no compiling", told.get("warm-up/jit-compile", 0) == 0, told)

# three launches of 40 ms each, which burn the time for another reason
slow = causes(["memset", "1", "sync", "launch", "3", "sync"], VGPU_CALL_NS=40 * MS)
checks.true("a long launch is no load", slow.get("warm-up/module-load", 0) < 10, slow)
at_least("nothing says what it was", slow, "host/undetermined", 120)

# CUDA 11 has no records of loads: a long launch is the only sign
old = causes(["memset", "1", "sync", "launch", "1", "sync"], "11", VGPU_FUNCTION_NS=40 * MS)
at_least("without records", old, "warm-up/module-load", 40)
checks.finish()
