#!/usr/bin/env python3
"""One live job for each kind of stack: C, C++ that exceptions were thrown through, Python that holds
the interpreter's lock in the call and Python that does not, a thread in a system call."""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "preload"))
from jobs import BUILD, Checks, Run, environment, need_virtual_gpu  # noqa: E402
from jobs import job as native_job  # noqa: E402

need_virtual_gpu()
checks = Checks()
library = os.path.join(BUILD, "tests", "sites", "libsites_gpu.so")


def line_of(file, text):
    """Number of the only line that contains the text."""
    found = [n for n, line in enumerate(open(file), 1) if text in line]
    assert len(found) == 1, (file, text, found)
    return found[0]


def sites_of(words, **more):
    with tempfile.TemporaryDirectory() as out:
        run = Run(words, environment(out, WHYIDLE_PRINT="none", **more), out)
        checks.equal(f"{words[0]}: status", run.status, 0)
        site = run.report["findings"][0]["site"]
        print(os.path.basename(words[0]), words[-1], site)
        return site


# C
source = os.path.join(HERE, "..", "preload", "job.c")
site = sites_of([native_job(), *"copy 1 4096 launch 5 sync sleep 30".split() * 10])
malloc = line_of(source, "cudaMalloc(&device, bytes)")
checks.true("C", (site["after"] or "").startswith(f"job.c:{malloc} in "), site)

# C++: a call inside the handler of an exception that was thrown through its caller
cpp = os.path.join(BUILD, "tests", "sites", "throw_job")
if os.path.exists(cpp):
    with tempfile.TemporaryDirectory() as out:
        trace = os.path.join(out, "trace")
        subprocess.run([cpp], env=environment(out, WHYIDLE_PRINT="none", WHYIDLE_TRACE=trace),
                       capture_output=True, timeout=60, check=True)
        line = line_of(os.path.join(HERE, "throw_job.cpp"), "if (cudaMalloc(")
        names = set(re.findall(rb"throw_job\.cpp:\d+ in \w+", open(trace, "rb").read()))
        print(names)
        checks.true("C++", any(name.startswith(b"throw_job.cpp:%d in " % line) and
                               b"use_device" in name for name in names), names)

# Python, with and without the lock
train = os.path.join(HERE, "train_job.py")
for lock in ("free", "held"):
    site = sites_of([sys.executable, train, library, "10", lock])
    for side in ("before", "after"):
        line = line_of(train, f"# MARK {side}")
        checks.equal(f"Python, lock {lock}: {side}", site[side], f"train_job.py:{line} in train")

# a thread that is in a system call when it is looked at
waits = os.path.join(HERE, "waits_job.py")
site = sites_of([sys.executable, waits, library, "10", "wait"])
checks.equal("in a system call", site["seen_in"], "torch/utils/data/dataloader.py:_try_get_data")
loop = next(n for n, text in enumerate(open(waits), 1) if text == "    action()\n")
checks.equal("in a system call, line", site["waits_at"], f"waits_job.py:{loop}")
checks.finish()
