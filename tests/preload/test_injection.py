#!/usr/bin/env python3
"""Loaded by the driver (CUDA_INJECTION64_PATH) instead of, or beside, LD_PRELOAD."""
import os
import shutil
import tempfile

from jobs import LIB, Checks, Run, environment, job, need_virtual_gpu, preloads

need_virtual_gpu()
checks = Checks()
WORDS = [job(), "launch", "200", "copy", "3", "4096", "sync"]
WANTED = "launch failed 0\ncopy failed 0\nsync 0\n"


def inject(name, path, preload):
    with tempfile.TemporaryDirectory() as out:
        env = environment(out, preload=preload, CUDA_INJECTION64_PATH=path)
        got = Run(WORDS, env, out)
        checks.equal(name + ": output", (got.status, got.stdout), (0, WANTED))
        return got


alone = inject("injection alone", LIB, False).report
checks.equal("injection alone: level", alone["level"], "A")
checks.equal("injection alone: operations", alone["coverage"]["ops"], 204)
checks.equal("injection alone: launches", alone["calls"]["launch"]["count"], 200)

with tempfile.TemporaryDirectory() as folder:
    link, copy = os.path.join(folder, "link.so"), os.path.join(folder, "copy.so")
    os.symlink(LIB, link)
    shutil.copy(LIB, copy)
    # where the driver does not call us, we attach after the first call: its kernel is not recorded
    for name, path, ops in (("through a link", link, 204), ("a second image", copy, 203),
                            ("a file that is not there", "/nowhere/x.so", 203)):
        got = inject(name, path, True)
        checks.equal(name + ": one report", len(got.reports), 1)
        checks.equal(name + ": operations", got.report["coverage"]["ops"], ops)
        checks.equal(name + ": owing", got.report["coverage"]["calls_owing"], 0)
        checks.equal(name + ": calls", got.report["calls"]["launch"]["count"], 200)
with tempfile.TemporaryDirectory() as folder:
    os.symlink(LIB, os.path.join(folder, "libwhyidle.so"))
    env = environment(folder + "/out",
                      LD_PRELOAD=preloads("./libwhyidle.so"))
    relative = Run(WORDS, env, folder + "/out", cwd=folder)
    checks.equal("relative LD_PRELOAD: level", relative.report["level"], "A")
    checks.equal("relative LD_PRELOAD: operations", relative.report["coverage"]["ops"], 204)
checks.finish()
