#!/usr/bin/env python3
"""Two CUDA majors in one process: each caller reaches its own runtime through its own wrapper."""
import os

from jobs import BUILD, LIB, Checks, environment, need_virtual_gpu, run, run_plain

need_virtual_gpu("12")
need_virtual_gpu("13")
checks = Checks()
program = os.path.join(BUILD, "tests", "preload", "job_other")  # linked to 12
library = os.path.join(BUILD, "tests", "preload", "libjob_local.so")  # linked to 13
both = f"{BUILD}/vgpu/12:{BUILD}/vgpu/13:{BUILD}/vgpu"
plain = run_plain([program, library], LD_LIBRARY_PATH=both)
checks.equal("without the preload", plain.stdout, "own 0, other 3\n")
for setting in ("off", "auto"):
    got = run([program, library], LD_LIBRARY_PATH=both, WHYIDLE_CUPTI=setting)
    checks.equal(setting + ": output", got.stdout, plain.stdout)
    calls = got.report["calls"]
    checks.equal(setting + ": calls of both", calls["alloc"]["count"] + calls["free"]["count"], 7)
debug = run_plain([program, library], LD_LIBRARY_PATH=both, LD_DEBUG="bindings",
                  LD_PRELOAD=environment()["LD_PRELOAD"])
for node in ("libcudart.so.12", "libcudart.so.13"):
    bound = [line for line in debug.stderr.splitlines()
             if "symbol `cudaMalloc'" in line and f"[{node}]" in line and
             f"binding file {BUILD}/tests/" in line]
    checks.true(node + ": bound to our wrapper of that node",
                bound and all("to " + LIB in line for line in bound), bound)
checks.finish()
