#!/usr/bin/env python3
"""Forked children stay passive while the helper works; Python's ways of making and ending
processes are unchanged."""
import os
import sys

from jobs import BUILD, Checks, job, need_virtual_gpu, run, run_plain

need_virtual_gpu()
checks = Checks()
many = [job(), "launch", "100"] + ["fork", "launch", "20"] * 100 + ["sync"]
plain, ours = run_plain(many), run(many)
checks.equal("100 forks beside a busy helper", (ours.status, ours.stdout),
             (plain.status, plain.stdout))
checks.equal("one report", len(ours.reports), 1)
checks.equal("all launches seen", ours.report["calls"]["launch"]["count"], 2100)

plain, ours = (way([job(), "launch", "9", "sync"], VGPU_FAULT="init-fork") for way in (run_plain, run))
checks.equal("cuInit forks: job", (ours.status, ours.stdout), (plain.status, plain.stdout))
checks.equal("cuInit forks: launches", ours.report["calls"]["launch"]["count"], 9)

LIBRARY = os.path.join(BUILD, "tests", "preload", "libjob_local.so")
PROGRAM = f"""
import ctypes, multiprocessing, os, subprocess, sys, threading, time
lib = ctypes.CDLL({LIBRARY!r})
def child(n):
    os._exit(n)
def spin():
    while True:
        lib.job_local(1)
        time.sleep(0.001)
if __name__ == "__main__":
    print(lib.job_local(5))
    for method in ("fork", "spawn", "forkserver"):
        p = multiprocessing.get_context(method).Process(target=child, args=(4,))
        p.start()
        p.join()
        print(method, p.exitcode)
    print(subprocess.run(["/bin/echo", "sub"], capture_output=True, text=True).stdout)
    threading.Thread(target=spin, daemon=True).start()
    time.sleep(0.05)
    sys.stdout.flush()
    END
"""
for end, status in (("sys.exit(0)", 0), ("os._exit(3)", 3), ("raise ValueError('x')", 1),
                    ("os.kill(os.getpid(), 15)", -15)):
    path = os.path.join(BUILD, "tests", "preload", "python_job.py")
    with open(path, "w") as file:
        file.write(PROGRAM.replace("END", end))
    plain = run_plain([sys.executable, path])
    ours = run([sys.executable, path])
    checks.equal(end + ": status", (plain.status, ours.status), (status, status))
    checks.equal(end + ": output", ours.stdout, plain.stdout)
    if status == 1:
        checks.true(end + ": its own traceback comes before our line",
                    ours.stderr.startswith(plain.stderr), ours.stderr)
        checks.equal(end + ": one line of ours",
                     ours.stderr.count("\n"), plain.stderr.count("\n") + 1)
checks.finish()
