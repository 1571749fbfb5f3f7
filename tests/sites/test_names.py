#!/usr/bin/env python3
"""C++ names are told as people write them: by the job if it carries a demangler, else by the command;
from the document and from the trace alike. A job that ends by _exit leaves its last report as it is."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "preload"))
from jobs import (BUILD, Checks, Run, environment, need_virtual_gpu, not_tried,  # noqa: E402
                  sanitizer_runtime)

need_virtual_gpu()
checks = Checks()
job = os.path.join(BUILD, "tests", "sites", "names_job")
whyidle = os.path.join(BUILD, "src", "cli", "whyidle")
line = next(n for n, text in enumerate(open(os.path.join(HERE, "names_job.cpp")), 1)
            if text.rstrip().endswith("// MARK"))
KERNEL, SITE = "void probe::kernel<float>(float*)", f"names_job.cpp:{line} in probe::Trainer::step"


def told(document):
    sites = {side for f in document["findings"] for side in f["site"].values()}
    return [row["name"] for row in document["kernels"]], SITE in sites


with tempfile.TemporaryDirectory() as out:
    trace = os.path.join(out, "trace")
    run = Run([job], environment(out, WHYIDLE_TRACE=trace), out)
    checks.equal("status", run.status, 0)
    checks.equal("by the job", told(run.report), ([KERNEL], True))
    checks.true("in its text", "probe::Trainer::step" in run.stderr, run.stderr)
    for path in (run.files[0], trace):
        done = subprocess.run([whyidle, "report", "--format", "json", path],
                              capture_output=True, text=True, timeout=60)
        checks.equal("by the command", told(json.loads(done.stdout)), ([KERNEL], True))
# a job that carries no demangler leaves the names to the command
if sanitizer_runtime():
    not_tried("without a demangler", "a sanitizer's runtime brings one")
    checks.finish()
with tempfile.TemporaryDirectory() as out:
    plain = Run([job + "_plain"], environment(out), out)
    checks.equal("without a demangler", told(plain.report), (["_ZN5probe6kernelIfEEvPT_"], False))
    done = subprocess.run([whyidle, "report", "--format", "json", plain.files[0]],
                          capture_output=True, text=True, timeout=60)
    checks.equal("by the command alone", told(json.loads(done.stdout)), ([KERNEL], True))
checks.finish()
