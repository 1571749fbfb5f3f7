#!/usr/bin/env python3
"""Threads against the helper: many that begin and end while their rings are read, forks while it
runs, ends of the process while others call, arming from two sides, tools that come and go. Run as
it is, the job must be unchanged; with ThreadSanitizer in everything, nothing may be raced for."""
import os

from jobs import BUILD, Checks, job, need_virtual_gpu, run, run_plain

need_virtual_gpu()
checks = Checks()
TSAN = os.environ.get("WI_SANITIZE") == "thread"
PROFILER = os.path.join(BUILD, "tests", "preload", "libtool_profiler.so")


def race(name, words, status=0, launches=None, **more):
    if TSAN: # libunwind ends its own thread data after the sanitizer has ended the thread's
        more["WHYIDLE_STACKS"] = "python"
    got = run([job()] + words, **more)
    checks.equal(name + ": status", got.status, status)
    for word in ("WARNING: ThreadSanitizer", "ERROR: ", "runtime error"):
        at = got.stderr.find(word)
        checks.true(f"{name}: no finding", at < 0, got.stderr[max(at, 0):][:6000])
    if launches is not None and not TSAN:
        checks.equal(name + ": launches", got.report["calls"]["launch"]["count"], launches)
    if launches is not None:
        for device in got.report["devices"]:
            if device["window"]:
                checks.equal(name + ": classes sum", sum(device["classes"].values()),
                             device["window"]["length_ns"])
    return got


race("rings are read while threads call", ["launch", "100", "threads", "8", "1000", "sync"],
     launches=8100)
race("threads begin and end", ["launch", "10"] + ["threads", "30", "20"] * 10 + ["sync"],
     launches=6010)
race("wrappers alone", ["launch", "100", "threads", "8", "1000", "sync"], launches=8100,
     WHYIDLE_CUPTI="off")
race("joined records", ["launch", "100", "threads", "8", "500", "sync"], launches=4100,
     WHYIDLE_CUPTI="activity")
race("forks beside the helper", ["launch", "100"] + ["fork", "launch", "20"] * 20 + ["sync"],
     launches=500)
race("threads arm together", ["threads", "16", "20", "sync"])
race("exit while others call", ["beside", "4", "launch", "500", "sleep", "200", "exit", "3"], 3)
race("exit while others arm", ["beside", "4", "exit", "3"], 3)
race("_exit while others call", ["beside", "4", "launch", "500", "sleep", "200", "_exit", "3"], 3)
race("quick_exit while others call", ["beside", "4", "launch", "50", "quick_exit", "3"], 3)
if not TSAN: # whose own thread keeps the process from being the helper's alone
    # few, so that CUPTI needs no thread of its own: that would outlive the job here, as threads of
    # the real driver do with or without us
    race("the main thread leaves", ["launch", "20", "pthread_exit", "0"], launches=23)
race("a tool comes and goes", ["launch", "10", "beside", "4", "tool", PROFILER, "tool_flicker",
                               "sync"], TOOL_CLOCK=0)

# the runtime is unloaded and loaded elsewhere: what the wrappers call must still be there
local = os.path.join(BUILD, "tests", "preload", "libjob_local.so")
words = [os.path.join(BUILD, "tests", "preload", "job_reopen"), local, "10"]
for setting in ("off", "auto"):
    plain, ours = run_plain(words), run(words, WHYIDLE_CUPTI=setting)
    checks.equal(f"reopened, {setting}: output", (ours.status, ours.stdout),
                 (plain.status, plain.stdout))
    checks.equal(f"reopened, {setting}: plain", plain.stdout, "good 30\n")
checks.finish()
