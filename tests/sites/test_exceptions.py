#!/usr/bin/env python3
"""C++ exceptions cost the same with and without the preload, and come from the same library."""
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "preload"))
from jobs import BUILD, Checks, environment, need_virtual_gpu  # noqa: E402

PAIRS, PATIENCE = 7, 60
MOST = 1.10
need_virtual_gpu()
checks = Checks()
job = os.path.join(BUILD, "tests", "sites", "throw_job")
times = {True: [], False: []}


def ratio():
    """Of the best of each: other programs only make a run longer."""
    return min(times[True]) / min(times[False])


with tempfile.TemporaryDirectory() as out:
    for pair in range(PATIENCE):
        if pair >= PAIRS and ratio() <= MOST:
            break
        for preload in (bool(pair % 2), not pair % 2):
            done = subprocess.run([job], capture_output=True, text=True, timeout=60,
                                  env=environment(out, preload=preload, WHYIDLE_PRINT="none"))
            ns, raises, traces = done.stdout.split()
            checks.equal("status", done.returncode, 0)
            checks.true("exceptions are libgcc's", "libgcc_s" in raises, raises)
            checks.true("backtrace is the C library's", "libc.so" in traces, traces)
            times[preload].append(int(ns))
# the stack of a call inside a handler, through frames that exceptions went through
with tempfile.TemporaryDirectory() as out:
    trace = os.path.join(out, "trace")
    subprocess.run([job], env=environment(out, WHYIDLE_PRINT="none", WHYIDLE_TRACE=trace),
                   capture_output=True, timeout=60, check=True)
    names = open(trace, "rb").read()
    source = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "throw_job.cpp"))
    line = next(n for n, text in enumerate(source, 1) if "if (cudaMalloc(" in text)
    checks.true("the line in C++", f"throw_job.cpp:{line}".encode() in names)
# a program that does not carry libgcc itself, as Python, must not find libunwind instead
SCOPE = """
import ctypes, sys, time
gpu = ctypes.CDLL(sys.argv[1])
gpu.gpu_open()
time.sleep(0.3)
gpu.gpu_copy_in()
print("libunwind" in open("/proc/self/maps").read(), hasattr(ctypes.CDLL(None), "unw_backtrace"))
"""
with tempfile.TemporaryDirectory() as out:
    library = os.path.join(BUILD, "tests", "sites", "libsites_gpu.so")
    done = subprocess.run([sys.executable, "-c", SCOPE, library], capture_output=True, text=True,
                          env=environment(out, WHYIDLE_PRINT="none"), timeout=60)
    print("libunwind mapped, in the global scope:", done.stdout.strip())
    checks.equal("in the global scope", done.stdout.split()[1:], ["False"])
print(f"10000 exceptions: {statistics.median(times[False]) / 1e6:.2f} ms without, "
      f"{statistics.median(times[True]) / 1e6:.2f} ms with; ratio of the best {ratio():.3f}, "
      f"{len(times[True])} pairs")
checks.true("the ratio", ratio() <= MOST, ratio())
checks.finish()
