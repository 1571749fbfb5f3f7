#!/usr/bin/env python3
"""The report of a Python job names the lines around its stall, with every interpreter here, at the
level of device records and at that of host calls only."""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "preload"))
from jobs import BUILD, Checks, Run, environment, need_virtual_gpu  # noqa: E402
from jobs import job as native_job  # noqa: E402
from pythons import find  # noqa: E402

need_virtual_gpu()
checks = Checks()
job = os.path.join(HERE, "train_job.py")
library = os.path.join(BUILD, "tests", "sites", "libsites_gpu.so")
lines = {line.split("# MARK ")[1].strip(): f"train_job.py:{number} in train"
         for number, line in enumerate(open(job), 1) if "# MARK " in line}
for interpreter, version in [pair for minor in range(8, 15) for pair in find(minor)]:
    for setting in ("auto", "off"):
        with tempfile.TemporaryDirectory() as out:
            trace = os.path.join(out, "trace")
            run = Run([interpreter, job, library, "20"],
                      environment(out, WHYIDLE_CUPTI=setting, WHYIDLE_TRACE=trace), out)
            what = f"{version} {setting}"
            checks.equal(f"{what}: status", run.status, 0)
            findings = run.report["findings"]
            minor = ".".join(version.split(".")[:2])
            checks.true(f"{what}: how stacks were read",
                        (run.report["job"]["stacks"] or "").startswith(f"Python {minor}, "),
                        run.report["job"]["stacks"])
            if setting == "auto":
                checks.true(f"{what}: a finding", findings, run.stderr)
                site = findings[0]["site"] if findings else {}
                checks.equal(f"{what}: site after", site.get("after"), lines["after"])
                checks.equal(f"{what}: site before", site.get("before"), lines["before"])
            names = open(trace, "rb").read()
            for word in (*lines.values(), "train_job.py:load"):
                checks.true(f"{what}: {word} in the trace", word.encode() in names)
        print(what, [(f["id"], f["site"]) for f in findings[:1]])

# switched off
for which, python in (("off", False), ("python", True)):
    with tempfile.TemporaryDirectory() as out:
        run = Run([sys.executable, job, library, "5"], environment(out, WHYIDLE_STACKS=which), out)
        checks.equal(f"{which}: status", run.status, 0)
        checks.equal(f"{which}: how", bool(run.report["job"]["stacks"]), python)
        checks.equal(f"{which}: sites", bool(run.report["findings"][0]["site"]["after"]), python)
    with tempfile.TemporaryDirectory() as out:
        run = Run([native_job(), *"copy 1 4096 launch 5 sync sleep 30".split() * 5],
                  environment(out, WHYIDLE_STACKS=which), out)
        checks.equal(f"{which}: native sites", run.report["findings"][0]["site"]["after"], None)

# a native job: the source line where there is debug information
words = "copy 1 4096 launch 5 sync sleep 30".split() * 10
source = open(os.path.join(os.environ["WI_SOURCE"], "tests", "preload", "job.c")).read().splitlines()
for setting in ("auto", "off"):
    with tempfile.TemporaryDirectory() as out:
        trace = os.path.join(out, "trace")
        run = Run([native_job(), *words],
                  environment(out, WHYIDLE_CUPTI=setting, WHYIDLE_TRACE=trace), out)
        checks.equal(f"native {setting}: status", run.status, 0)
        if setting == "auto":
            sites = run.report["findings"][0]["site"]
            print("native", sites)
            for side, call in (("after", "cudaMalloc("), ("before", "cudaDeviceSynchronize(")):
                place, function = sites[side].split(" in ")
                name, line = place.split(":")
                checks.equal(f"native: file {side}", name, "job.c")
                checks.true(f"native: line {side}", call in source[int(line) - 1], sites)
                # that of the line, or one that it was inlined into
                checks.true(f"native: function {side}",
                            any(text[:1].isalpha() and f" {function}(" in text for text in source),
                            sites)
        checks.true(f"native {setting}: lines in the trace",
                    b"job.c:" in open(trace, "rb").read())
checks.finish()
