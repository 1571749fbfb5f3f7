#!/usr/bin/env python3
"""Which level is chosen, and that the report says why."""
import os
import tempfile

from jobs import Checks, job, need_virtual_gpu, run

need_virtual_gpu()
checks = Checks()
words = [job(), "launch", "50", "copy", "2", "65536", "sync"]


def level(name, wanted, reason, **settings):
    got = run(words, **settings)
    report = got.report
    checks.equal(name + ": level", report["level"], wanted)
    said = report.get("level_reason") or ""
    checks.true(name + ": reason", reason in said, repr(said))
    checks.equal(name + ": status", got.status, 0)
    return got


level("default", "A", "")
level("callback", "A", "", WHYIDLE_CUPTI="callback")
off = level("switched off", "C", "WHYIDLE_CUPTI=off", WHYIDLE_CUPTI="off")
checks.true("the text of C says so", "host calls" in off.stderr.lower(), off.stderr)
level("somebody else subscribed", "C", "another tool", VGPU_FAULT="subscribe=39")
level("subscriber-scoped client", "C", "subscriber-scoped", VGPU_FAULT="subscribe=14")
level("no privileges", "C", "administrators", VGPU_FAULT="subscribe=35")
level("no reason given", "C", "CUPTI could not be started (code 999)", VGPU_FAULT="subscribe=999")
activity = level("B on request", "B", "WHYIDLE_CUPTI=activity", WHYIDLE_CUPTI="activity")
cover = activity.report["coverage"]
checks.true("B joins calls to records", cover["ops_matched"] >= cover["ops"] * 0.95 > 0, cover)
with tempfile.TemporaryDirectory() as empty:
    lib = os.path.join(empty, "libcupti.so.13")
    open(lib, "w").close()
    level("a broken libcupti named", "A", "", WHYIDLE_LIBCUPTI=lib)

# no device: the first call says so
nothing = run([job(), "launch", "1"], VGPU_DEVICES=0)
checks.equal("no device: level", nothing.report["level"], "D")
checks.equal("no device: one line", nothing.stderr.count("\n"), 1)
checks.true("no device: says D and why", "level D" in nothing.stderr and
            "no device" in nothing.stderr, nothing.stderr)
checks.finish()
