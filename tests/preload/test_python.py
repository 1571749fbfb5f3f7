#!/usr/bin/env python3
"""A library that Python loads with RTLD_LOCAL finds the real functions behind the wrappers."""
import os
import sys

from jobs import BUILD, Checks, need_virtual_gpu, not_tried, run, sanitizer_runtime

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

# looked up by handle, past every wrapper: the driver's callbacks see it, and wrappers alone leave it be
deep = program.replace(f"CDLL({library!r})", f"CDLL({library!r}, mode=os.RTLD_LOCAL | os.RTLD_DEEPBIND)")
handle = """
import ctypes
lib, at = ctypes.CDLL("libcudart.so.13"), ctypes.c_void_p()
print("allocated", sum(lib.cudaMalloc(ctypes.byref(at), 4096) == 0 and lib.cudaFree(at) == 0
                       for _ in range(7)))
"""
ways = {"RTLD_DEEPBIND": "import os" + deep, "dlopen and dlsym": handle}
if sanitizer_runtime():
    not_tried("RTLD_DEEPBIND", "a sanitizer refuses it")
    del ways["RTLD_DEEPBIND"]
for how, text in ways.items():
    seen = run([sys.executable, "-c", text])
    checks.equal(f"{how}: job", (seen.status, seen.stdout), (0, "allocated 7\n"))
    calls = seen.report["calls"]
    checks.equal(f"{how}: level, calls", (seen.report["level"], calls["alloc"]["count"],
                                          calls["free"]["count"]), ("A", 7, 7))
    past = run([sys.executable, "-c", text], WHYIDLE_CUPTI="off")
    checks.equal(f"{how}, wrappers alone: job", (past.status, past.stdout), (0, "allocated 7\n"))
    checks.equal(f"{how}, wrappers alone: nothing is claimed", (past.files, past.stderr), ([], ""))

# a runtime under another file name, reached from a program and from a library of Python's
renamed = os.path.join(BUILD, "tests", "preload")
own = run([os.path.join(renamed, "job_fake")], WHYIDLE_CUPTI="off")
checks.equal("renamed runtime, program", (own.status, own.stdout), (0, "failed 0, too much 2\n"))
checks.equal("renamed runtime, calls", own.report["calls"]["alloc"]["count"], 6)
local = run([sys.executable, "-c", program.replace("job_local.so", "job_fake_local.so")],
            WHYIDLE_CUPTI="off")
checks.equal("renamed runtime, library", (local.status, local.stdout), (0, "allocated 7\n"))
checks.finish()
