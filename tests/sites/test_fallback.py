#!/usr/bin/env python3
"""Without libunwind the stacks of native code are read with libgcc's unwinder, without that one by
frame pointers; the report says with which, as text and in the document, and still names lines."""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "preload"))
from jobs import (Checks, Run, environment, job, need_virtual_gpu, not_tried,  # noqa: E402
                  sanitizer_runtime)

need_virtual_gpu()
checks = Checks()
words = "copy 1 4096 launch 5 sync sleep 30".split() * 10
WITHOUT = [((), "libunwind"), (("libunwind.so.8",), "libgcc"),
           (("libunwind.so.8", "libgcc_s.so.1"), "frame pointers")]
if sanitizer_runtime():
    not_tried(WITHOUT.pop()[1], "a sanitizer's runtime needs libgcc_s")
for missing, told in WITHOUT:
    with tempfile.TemporaryDirectory() as out, tempfile.TemporaryDirectory() as broken:
        for name in missing:  # found first by the dynamic linker, and no library
            open(os.path.join(broken, name), "w").write("none")
        env = environment(out)
        env["LD_LIBRARY_PATH"] = f"{broken}:{env['LD_LIBRARY_PATH']}"
        run = Run([job(), *words], env, out)
        stacks = run.report["job"]["stacks"]
        print(missing, stacks, run.report["findings"][0]["site"])
        checks.equal(f"{told}: status", run.status, 0)
        if not missing and stacks == "libgcc":
            continue  # this machine has no libunwind: the next case is the usual one
        checks.equal(f"{told}: document", stacks, told)
        checks.equal(f"{told}: text", f"call sites by {told}" in " ".join(run.stderr.split()),
                     bool(missing))
        if told != "frame pointers":  # which the job's code need not keep
            checks.true(f"{told}: line", "job.c:" in run.report["findings"][0]["site"]["after"])
checks.finish()
