#!/usr/bin/env python3
"""A library that Python loads with RTLD_LOCAL finds the real functions behind the wrappers."""
import os
import sys

from jobs import BUILD, Checks, need_virtual_gpu, run

need_virtual_gpu(cupti=False)
checks = Checks()
library = os.path.join(BUILD, "tests", "preload", "libjob_local.so")
program = f"""
import ctypes
lib = ctypes.CDLL({library!r})
print("allocated", lib.job_local(7))
"""
for setting in ("auto", "off"):
    got = run([sys.executable, "-c", program], WHYIDLE_CUPTI=setting)
    checks.equal(f"{setting}: output", got.stdout, "allocated 7\n")
    checks.equal(f"{setting}: status", got.status, 0)
    report = max(got.reports, key=lambda r: r["coverage"]["calls"])
    checks.true(f"{setting}: calls were recorded", report["coverage"]["calls"] >= 14,
                report["coverage"])

# a runtime under another file name, reached from a program and from a library of Python's
renamed = os.path.join(BUILD, "tests", "preload")
own = run([os.path.join(renamed, "job_fake")], WHYIDLE_CUPTI="off")
checks.equal("renamed runtime, program", (own.status, own.stdout), (0, "failed 0, too much 2\n"))
checks.equal("renamed runtime, calls", own.report["calls"]["alloc"]["count"], 6)
local = run([sys.executable, "-c", program.replace("job_local.so", "job_fake_local.so")],
            WHYIDLE_CUPTI="off")
checks.equal("renamed runtime, library", (local.status, local.stdout), (0, "allocated 7\n"))
checks.finish()
