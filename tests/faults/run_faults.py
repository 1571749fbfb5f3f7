#!/usr/bin/env python3
"""Makes every call of system_calls.def fail, one at a time, in small jobs under the fault library,
and holds each run against the same job without any preload: what it prints, its status and how
long it takes never change. A report is whole and its classes sum to the window; where there is none
though an undisturbed run leaves one, a line says why.

usage: run_faults.py [--full] [--only NAME] [--job NAME] [--seed N]
  without --full: each function, way and level: the first, the second and a random later call, in
  the quickest job that makes it. --full: every call in every job; one in ten beyond the 60th of
  a function, or beyond the 8th where the job takes long.
"""
import argparse
import concurrent.futures
import glob
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "preload"))
from jobs import BUILD, environment, need_virtual_gpu

HERE = os.path.dirname(os.path.abspath(__file__))
LIB = os.path.join(BUILD, "tests", "faults", "libwhyidle_faults.so")
JOB = os.path.join(BUILD, "tests", "preload", "job13")
LOCAL = os.path.join(BUILD, "tests", "preload", "libjob_local.so")
TOOL = os.path.join(BUILD, "tests", "preload", "libtool_profiler.so")
PYTHON = f"""
import ctypes, os, time
lib = ctypes.CDLL({LOCAL!r})
def wait(ms):
    time.sleep(ms / 1000)
def step(n):
    wait(12)
    print(lib.job_local(n))
for i in range(3):
    step(i + 1)
"""
EVERY = 60     # from here on one call in STRIDE...
SLOW_S = 0.3   # ...and in a job that takes longer than this from SLOW_EVERY on
SLOW_EVERY = 8
STRIDE = 10
# How much longer a job may take; one that took more is tried again beside one without the fault,
# since the machine may have become busy.
SLACK_S = 0.6
TRIES = 3
# No state a process can be in: a wait that never waits; in the job that has the runtime for itself
# only, one in which not even what is loaded can be opened (a single failure has a second way).
NOT_FOR_GOOD = {("futex", None), ("pause", None), ("dlopen", "python")}
# Without /proc the key of the main thread is all that tells when that has ended.
# A tool's own calls have one way to its library, through functions that fail for want of it only.
NOT_WITH = {("pthread_setspecific", "no /proc"), ("dlsym", "tool"), ("dladdr", "tool"),
            ("dlopen", "tool")}
# Called when two threads meet, which no job can arrange.
RARE = {"nanosleep", "tgkill"}


def words(text):
    return [JOB] + text.split()


# What stands before the fault of a run, for the calls that are made only when another failed.
WITH = {
    "no rename": "renameat:1:EACCES:0",
    "no files": "open:1:EMFILE:0",
    "no latest": "renameat:2:EACCES:0",
    "no /proc": "open:1:ENOENT:0,newfstatat:1:ENOENT:0,readlink:1:ENOENT:0",
}
JOBS = {
    "plain": words("launch 50 copy 2 65536 memset 3 query 5 sync errno"),
    "threads": words("threads 20 5 sync"),
    "fork": words("launch 20 fork launch 5 fork-cuda sync exit 3"),
    "_exit": words("launch 20 sync _exit 4"),
    "quick_exit": words("launch 20 sync quick_exit 5"),
    "abort": words("launch 20 sync abort"),
    "exec": words("launch 20 sync exec"),
    "waits": [os.path.join(BUILD, "tests", "faults", "fault_job")],
    "trace": words("launch 50 copy 2 65536 sync"),
    "python": [sys.executable, "-c", PYTHON],
    "pthread_exit": words("launch 20 pthread_exit 0"),
    "no /proc": words("launch 20 pthread_exit 0"),
    "spin": words("launch 20 spin 120 launch 5 sync"),
    "tool": words(f"launch 20 tool {TOOL} tool_begin launch 9 copy 2 4096 sync tool {TOOL} tool_end"
                  f" launch 5 tool {TOOL} tool_print"),
    "relative": words("launch 20 sync"),    # the folder of reports is below the current one
    "terminal": words("launch 20 sync"),    # stderr is one
    "no rename": words("launch 20 sync"),
    "no files": words("launch 20 sync"),
    "no latest": words("launch 20 sync"),
    "rolling": words("launch 20 sleep 1200 sync kill"),
}


def rows():
    with open(os.path.join(HERE, "system_calls.def"), encoding="utf-8") as file:
        text = file.read()
    found = re.findall(r'^(?:CALL\([^,]*, |TRANSFER\(|CLOCK\(|SYSTEM_CALL\()(\w+),.*"([^"]*)"\)$',
                       text, re.M)
    return {name: ways.split() for name, ways in found}


ROWS = rows()
ALL_COUNTERS = len(ROWS) + 2


def read_terminal(end, to):
    """What is written there, until the last writer closes it."""
    try:
        while part := os.read(end, 1 << 16):
            to.append(part)
    except OSError:
        pass


def run_job(command, env, folder, on_terminal):
    """(status, stdout), stderr"""
    near, far = os.openpty() if on_terminal else (None, subprocess.PIPE)
    text = []
    reader = threading.Thread(target=read_terminal, args=(near, text)) if on_terminal else None
    try:
        if reader:
            reader.start()
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, timeout=30, cwd=folder,
                              stderr=far, check=False)
        seen, stderr = (done.returncode, done.stdout.decode()), done.stderr or b""
    except subprocess.TimeoutExpired:
        seen, stderr = ("hangs", ""), b""
    if reader:
        os.close(far)
        reader.join()
        os.close(near)
        stderr = b"".join(text)
    return seen, stderr.decode(errors="backslashreplace")


class Run:
    """One run of a job: what it did, how long, which calls were counted, what is wrong with it."""

    def __init__(self, job, level=None, fault=None):
        self.bad = []
        with tempfile.TemporaryDirectory(prefix="wi-faults-") as out:
            env = environment(None if job == "relative" else out, preload=False, TMPDIR=out)
            counters = os.path.join(out, "counters")
            if level:
                with open(counters, "wb") as file:
                    file.write(bytes(8 * ALL_COUNTERS))
                env.update(LD_PRELOAD=LIB, WI_FAULT_FILE=counters, WHYIDLE_EXIT_MS="1000",
                           WI_FAULT=",".join(f for f in (WITH.get(job), fault) if f))
                if level == "C":
                    env["WHYIDLE_CUPTI"] = "off"
                if job == "trace":
                    env["WHYIDLE_TRACE"] = os.path.join(out, "trace")
                    env.update((f"VAR_{i}", "") for i in range(200))  # too many for load.c: setenv
            begin = time.monotonic()
            self.seen, self.stderr = run_job(JOBS[job], env, out, job == "terminal")
            self.took = time.monotonic() - begin
            self.calls = dict.fromkeys(ROWS, 0)
            self.fired = 0
            if level:
                with open(counters, "rb") as file:
                    values = struct.unpack(f"<{ALL_COUNTERS}Q", file.read())
                self.calls = dict(zip(ROWS, values))
                self.fired = values[len(ROWS)]
                self.read_reports(out)

    def read_reports(self, out):
        self.reports = [f for f in glob.glob(out + "/**/*.json", recursive=True)
                        if "/latest/" not in f]
        self.left = glob.glob(out + "/**/.*.tmp", recursive=True)
        for path in self.reports:
            try:
                with open(path, encoding="utf-8") as file:
                    report = json.load(file)
            except ValueError as error:
                self.bad.append(f"report is no JSON: {error}")
                continue
            if report["schema"] != "whyidle-report/1":
                self.bad.append("report of another schema")
            for device in report["devices"]:
                classes = device.get("classes")
                if not classes or None in classes.values():
                    continue
                if sum(classes.values()) != device["window"]["length_ns"]:
                    self.bad.append(f"classes sum to {sum(classes.values())} ns, the window is "
                                    f"{device['window']['length_ns']} ns")
                if min(classes.values()) < 0:
                    self.bad.append("a class is negative")


class Faults:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.runs = self.injected = self.failed = 0
        self.plain = {job: Run(job) for job in JOBS}
        self.base = {(job, level): Run(job, level) for job in JOBS for level in "AC"}
        for (job, level), run in self.base.items():
            if run.bad or run.seen != self.plain[job].seen:
                sys.exit(f"{job} at level {level} without a fault: {run.bad} {run.seen} "
                         f"{self.plain[job].seen}\n{run.stderr}")

    def wrong(self, job, level, fault, run, base):
        """What a fault has changed that it may not."""
        bad = list(run.bad)
        if run.seen != self.plain[job].seen:
            bad.append(f"the job gives {run.seen}, alone it gives {self.plain[job].seen}")
        if run.took > base.took + SLACK_S:
            bad.append(f"took {run.took:.2f} s, without the fault {base.took:.2f} s")
        said = "whyidle: " in run.stderr or fault.startswith("write:1:")  # then nothing can be
        if base.reports and not run.reports and not said:
            bad.append("no report, and no line says why")
        killed = isinstance(run.seen[0], int) and run.seen[0] < 0  # in the middle of writing
        if run.left and not fault.startswith("unlink") and not base.left and not killed:
            bad.append(f"left {run.left}")
        return bad

    def one(self, job, level, fault):
        """1 if the fault was injected."""
        base = self.base[job, level]
        for _ in range(TRIES):
            run = Run(job, level, fault)
            bad = self.wrong(job, level, fault, run, base)
            late = [text for text in bad if text.startswith(("took", "no report"))]
            if run.seen[0] == "hangs" or len(late) < len(bad) or not late:
                break
            base = max(base, Run(job, level), key=lambda run: run.took)
        return job, level, fault, run, bad

    def all(self, wanted):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for job, level, fault, run, bad in pool.map(lambda w: self.one(*w), wanted):
                self.runs += 1
                self.injected += run.fired
                if bad:
                    self.failed += 1
                    print(f"FAIL {job}, level {level}, WI_FAULT={fault}:")
                    print("".join(f"    {text}\n" for text in bad), end="")
                    for line in run.stderr.splitlines()[:6]:
                        print("    |", line)

    def numbers(self, run, name, full):
        """Which calls of a function fail."""
        count = run.calls[name]
        if not full:
            later = [self.random.randint(3, count)] if count > 2 else []
            return [n for n in (1, 2) if n <= count] + later
        every = SLOW_EVERY if run.took > SLOW_S else EVERY
        # a few more than counted: two runs differ a little
        return [n for n in range(1, count + 4)
                if n <= every or not self.random.randrange(STRIDE)]

    def plans(self, full, only, only_job):
        for level in "AC":
            for name, ways in ROWS.items():
                if only and name != only:
                    continue
                jobs = [j for j in JOBS if self.base[j, level].calls[name] and
                        only_job in (None, j) and (name, j) not in NOT_WITH]
                jobs.sort(key=lambda j: (not self.base[j, level].reports,
                                         self.base[j, level].took))
                for job in jobs if full else jobs[:1]:
                    for way in ways:
                        for n in self.numbers(self.base[job, level], name, full):
                            yield job, level, f"{name}:{n}:{way}"
                        if (not NOT_FOR_GOOD & {(name, None), (name, job)} and
                                way not in ("EINTR", "short")):
                            yield job, level, f"{name}:1:{way}:0"
            for ms in (3_600_000, -3_600_000):
                if only in (None, "clock_step"):
                    for job in JOBS if full else ("plain", "waits"):
                        if only_job in (None, job):
                            for n in (1, 10, 60) + ((20, 30, 100, 300) if full else ()):
                                yield job, level, f"clock_step:{n}:{ms}"

    def never_called(self):
        called = {name for run in self.base.values() for name in ROWS if run.calls[name]}
        return sorted(set(ROWS) - called - RARE)


def main():
    need_virtual_gpu()
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--job")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    args = parser.parse_args()
    begin = time.monotonic()
    faults = Faults(args.seed)
    faults.all(faults.plans(args.full, args.only, args.job))
    if faults.never_called():
        print("FAIL no job calls", *faults.never_called())
        faults.failed += 1
    print(f"{faults.injected} faults injected in {faults.runs} runs of {len(ROWS)} functions, "
          f"{faults.failed} failed; seed {args.seed}; {time.monotonic() - begin:.0f} s")
    sys.exit(1 if faults.failed else 0)


main()
