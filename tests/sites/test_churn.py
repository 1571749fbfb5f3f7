#!/usr/bin/env python3
"""Threads that come and go, code that is made and thrown away, an interpreter that shuts down while a
thread is in a call: the job ends as it should, with every interpreter here."""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "preload"))
from jobs import BUILD, Checks, Run, environment, need_virtual_gpu  # noqa: E402
from pythons import find  # noqa: E402

SECONDS = 2
need_virtual_gpu()
checks = Checks()
library = os.path.join(BUILD, "tests", "sites", "libsites_gpu.so")
for minor in range(8, 15):
    for interpreter, version in find(minor):
        with tempfile.TemporaryDirectory() as out:
            run = Run([interpreter, os.path.join(HERE, "churn_job.py"), library, str(SECONDS)],
                      environment(out, WHYIDLE_PRINT="none"), out)
        checks.equal(f"{version}: status", run.status, 0)
        checks.equal(f"{version}: output", run.stdout, "done\n")
        checks.equal(f"{version}: errors", run.stderr, "")
        cost = run.report["overhead"]
        print(version, f"helper {cost['helper_cpu_ns'] / 1e6:.0f} ms, {cost['memory_bytes'] / 1e6:.0f} MB")
checks.finish()
