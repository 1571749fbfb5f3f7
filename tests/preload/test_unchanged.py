#!/usr/bin/env python3
"""The job is not changed: same output and status with and without the preload, at levels A and C,
for every way of ending, fork, exec, threads and errors."""
from jobs import Checks, job, need_virtual_gpu, run, run_plain

CASES = [
    "launch 20 sync exit 0",
    "launch 20 copy 3 70000 exit 5",
    "launch 20 _exit 3",
    "launch 20 quick_exit 6",
    "launch 20 return 9",
    "launch 20 pthread_exit 0",
    "launch 20 abort",
    "launch 20 kill",
    "launch 5 fork fork sync",
    "fork launch 5 fork sync",
    "launch 5 exec",
    "launch 5 fork-cuda sync",
    "launch 5 again launch 6 sync exit 2",
    "threads 64 40 sync",
    "launch 5 errno bad memset 3 stream launch 4 sync",
]

need_virtual_gpu(cupti=False)
checks = Checks()
for words in CASES:
    argv = [job()] + words.split()
    plain = run_plain(argv)
    for level, setting in (("as it comes", "auto"), ("C", "off")):
        ours = run(argv, WHYIDLE_CUPTI=setting)
        name = f"'{words}' at level {level}"
        checks.equal(name + ": status", ours.status, plain.status)
        checks.equal(name + ": output", ours.stdout, plain.stdout)
        checks.equal(name + ": stderr without the report", plain.stderr, "")
        if ours.status > 0:
            checks.true(name + ": one line only", ours.stderr.count("\n") == 1, ours.stderr)
        if ours.status < 0:
            checks.equal(name + ": nothing is printed", ours.stderr, "")
off = run([job(), "launch", "3"], WHYIDLE="0")
checks.equal("WHYIDLE=0 leaves no trace", (off.stderr, off.files), ("", []))
checks.finish()
