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
checks.finish()
