#!/usr/bin/env python3
"""Python stacks of every interpreter of one release that this machine has. Argument: the minor."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "preload"))
from jobs import preloads  # noqa: E402
from pythons import find  # noqa: E402

minor = int(sys.argv[1])
build = os.environ["WI_BUILD"]
here = os.path.dirname(os.path.abspath(__file__))
interpreters = find(minor)
if not interpreters:
    print(f"skipped: no Python 3.{minor} on this machine")
    sys.exit(77)
failed = 0
for interpreter, _ in interpreters:
    done = subprocess.run([interpreter, os.path.join(here, "frames_job.py"),
                           os.path.join(build, "tests", "sites", "libwhyidle_sites_probe.so")],
                          env=dict(os.environ, LD_PRELOAD=preloads()), capture_output=True,
                          text=True, timeout=240)
    print(interpreter, "status", done.returncode)
    print(done.stdout[-6000:], done.stderr[-3000:])
    failed += done.returncode != 0
sys.exit(1 if failed else 0)
