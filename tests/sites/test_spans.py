#!/usr/bin/env python3
"""What the helper sees in a silent thread's stack is in the trace: the right kind, the right name,
for most of the time that the thread spent there and for no other. The finding names the function
and the line of the job that led there, and says the same when the trace is analysed again."""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "preload"))
from jobs import BUILD, Checks, Run, environment, need_virtual_gpu, skip  # noqa: E402
from pythons import find  # noqa: E402

STEPS = 15
WAIT_NS = 40_000_000
CASES = (("wait", "input-wait", "torch/utils/data/dataloader.py:_try_get_data", 0.6),
         ("inline", "input-inline", "PIL/Image.py:open", 0.6),
         ("own", "frame", "waits_job.py:burn", 0.6),
         ("collect", "collecting", None, 0.6))
need_virtual_gpu()
dump = os.path.join(BUILD, "tests", "import", "dump_events")
if not os.path.exists(dump):
    skip("dump_events is not built")
checks = Checks()
job = os.path.join(HERE, "waits_job.py")
library = os.path.join(BUILD, "tests", "sites", "libsites_gpu.so")
KINDS = {case[1] for case in CASES}
whyidle = os.path.join(BUILD, "src", "cli", "whyidle")
source = open(job).read().splitlines()
loop = next(n for n, text in enumerate(source, 1) if text == "    action()")
body = {name: next(n for n, text in enumerate(source, 1) if text.lstrip().startswith(f"def {name}("))
        for name in ("burn", "__del__")}


def line_is_right(site, action):
    """The line that calls the package, or one of the function of the job that does the work."""
    if action in ("wait", "inline"):
        return site == f"waits_job.py:{loop}"
    name = {"own": "burn", "collect": "__del__"}[action]  # what the collector calls
    found = re.fullmatch(rf"waits_job\.py:(\d+) in (Slow\.)?{name}", site or "")
    return bool(found) and body[name] < int(found.group(1)) <= body[name] + 5


def check_finding(what, action, name, run, trace):
    done = subprocess.run([whyidle, "report", "--format", "json", trace], capture_output=True,
                          text=True, timeout=60)
    again = json.loads(done.stdout)["findings"]
    checks.equal(f"{what}: again", {f["id"]: f["site"] for f in again},
                 {f["id"]: f["site"] for f in run.report["findings"]})
    site = max(run.report["findings"], key=lambda f: f["site"]["seen_ns"] or 0)["site"]
    print(f"{what}: inside {site['seen_in']}, at {site['waits_at']}, {site['seen_ns']} ns")
    if name:
        checks.equal(f"{what}: seen in", site["seen_in"], name)
    checks.true(f"{what}: waits at", line_is_right(site["waits_at"], action), site)
    checks.true(f"{what}: seen for", site["seen_ns"] and
                0.5 * STEPS * WAIT_NS <= site["seen_ns"] <= 1.3 * STEPS * WAIT_NS, site)


def spans_of(trace):
    """kind -> (ns covered, names)"""
    done = subprocess.run([dump, trace], capture_output=True, text=True, timeout=60)
    found = {}
    for line in done.stdout.splitlines():
        if line.startswith("span "):
            _, start, end, _, kind, *name = line.split(" ")
            ns, names = found.setdefault(kind, (0, set()))
            names.add(" ".join(name))
            found[kind] = (ns + int(end) - int(start), names)
    return found


for minor in range(8, 15):
    for interpreter, version in find(minor)[:1]:
        for action, kind, name, least in CASES:
            if action == "collect" and minor < 9:
                continue  # 3.8 does not say where it keeps that
            with tempfile.TemporaryDirectory() as out:
                trace = os.path.join(out, "trace")
                run = Run([interpreter, job, library, str(STEPS), action],
                          environment(out, WHYIDLE_TRACE=trace, WHYIDLE_PRINT="none"), out)
                checks.equal(f"{version} {action}: status", run.status, 0)
                spans = spans_of(trace)
                check_finding(f"{version} {action}", action, name, run, trace)
            covered, names = spans.get(kind, (0, set()))
            share = covered / (STEPS * WAIT_NS)
            print(f"{version} {action}: {kind} {share:.2f} of the waits, {sorted(names)}")
            checks.true(f"{version} {action}: time", least <= share <= 1.3, share)
            if name:
                checks.true(f"{version} {action}: name", name in names, names)
            for other in KINDS - {kind, "frame"}:
                checks.equal(f"{version} {action}: {other}", spans.get(other, (0,))[0], 0)
checks.finish()
