#!/usr/bin/env python3
"""Makes every call of system_calls.def fail, one at a time, in small jobs under the fault library,
and holds each run against the same job without any preload: what it prints, its status and how
long it takes never change. A report is whole and its classes sum to the window; where there is none
though an undisturbed run leaves one, a line says why.

usage: run_faults.py [--full] [--each JOBS] [--resume FILE] [--workers N] [--only NAME] [--job NAME]
                     [--seed N]
  without --full: each function, way and level: the first, the second and a random later call, in
  the quickest job that makes it.
  --full: every place. A place is a call of a function and the calls within the library that led to
  it. At each level and in each way the first call there fails in the quickest job that comes by, a
  later one in another that the seed draws, the first in a third; with --each 0 both in every job.
  Each function also fails for good, in each way and in every job.
  --resume FILE: what has been done is kept there; the same command goes on where it was ended.
"""
import argparse
import array
import collections
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
from jobs import BUILD, environment, need_virtual_gpu, preloads
from journal import Journal

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
# Runs without a fault in which the places are looked for: what a helper comes by is partly chance.
LOOKS = 3
SAY_EVERY_S = 60
# How much longer a job may take; one that took more is tried again beside one without the fault,
# since the machine may have become busy, and at an ordinary priority.
SLACK_S = 0.6
TRIES = 5
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
NAMES = [*ROWS, "clock_step"]
# As in fault_table.c.
FAULTS, PATHS = 8, 8192
COUNTERS = len(NAMES) + 2 * FAULTS


def read_terminal(end, to):
    """What is written there, until the last writer closes it."""
    try:
        while part := os.read(end, 1 << 16):
            to.append(part)
    except OSError:
        pass


def ordinary():
    """In the child: a run of all faults may be an idle one, which anything can delay."""
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def run_job(command, env, folder, on_terminal, again):
    """(status, stdout), stderr"""
    near, far = os.openpty() if on_terminal else (None, subprocess.PIPE)
    text = []
    reader = threading.Thread(target=read_terminal, args=(near, text)) if on_terminal else None
    try:
        if reader:
            reader.start()
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, timeout=30, cwd=folder,
                              stderr=far, check=False, preexec_fn=ordinary if again else None)
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

    def __init__(self, job, level=None, fault=None, look=False, again=False):
        self.bad = []
        self.places = {}
        with tempfile.TemporaryDirectory(prefix="wi-faults-") as out:
            env = environment(None if job == "relative" else out, preload=False, TMPDIR=out)
            counters = os.path.join(out, "counters")
            if level:
                with open(counters, "wb") as file:
                    file.write(bytes(8 * COUNTERS))
                before = WITH.get(job, "")
                env.update(LD_PRELOAD=preloads(LIB), WI_FAULT_FILE=counters, WHYIDLE_EXIT_MS="1000",
                           WI_FAULT=",".join(f for f in (before, fault) if f))
                if look:
                    env["WI_FAULT_PATHS"] = os.path.join(out, "paths")
                    with open(env["WI_FAULT_PATHS"], "wb") as file:
                        file.truncate(4 * len(NAMES) * PATHS)
                if level == "C":
                    env["WHYIDLE_CUPTI"] = "off"
                if job == "trace":
                    env["WHYIDLE_TRACE"] = os.path.join(out, "trace")
                    env.update((f"VAR_{i}", "") for i in range(200))  # too many for load.c: setenv
            begin = time.monotonic()
            self.seen, self.stderr = run_job(JOBS[job], env, out, job == "terminal", again)
            self.took = time.monotonic() - begin
            self.calls = dict.fromkeys(ROWS, 0)
            self.fired = 0
            if level:
                with open(counters, "rb") as file:
                    values = struct.unpack(f"<{COUNTERS}Q", file.read())
                self.calls = dict(zip(ROWS, values))
                if fault:  # the last one of the list
                    self.fired = values[len(NAMES) + len([f for f in before.split(",") if f])]
                if look:
                    self.read_places(env["WI_FAULT_PATHS"])
                self.read_reports(out)

    def read_places(self, path):
        """How often each function was called at which place."""
        with open(path, "rb") as file:
            for name in NAMES:
                row = array.array("I", file.read(4 * PATHS))[:self.calls.get(name, PATHS)]
                self.places[name] = collections.Counter(row)

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
                known_ns = (device["window"]["length_ns"] -
                            device["subcauses"].get("unknown/blind-interval", 0))
                if known_ns > self.took * 1e9:
                    self.bad.append(f"{known_ns / 1e9:.1f} s of a job of {self.took:.1f} s")


class Faults:
    def __init__(self, seed, looks):
        self.random = random.Random(seed)
        self.runs = self.injected = self.failed = self.missed = 0
        self.plain = {job: Run(job) for job in JOBS}
        self.base = {}
        for job in JOBS:
            for level in "AC":
                self.base[job, level] = self.undisturbed(job, level, looks)

    def undisturbed(self, job, level, looks):
        runs = [Run(job, level, look=True) for _ in range(looks)]
        for run in runs:
            if run.bad or run.seen != self.plain[job].seen:
                sys.exit(f"{job} at level {level} without a fault: {run.bad} {run.seen} "
                         f"{self.plain[job].seen}\n{run.stderr}")
        for run in runs[1:]:
            for name in NAMES:
                runs[0].places[name] |= run.places[name]
        return runs[0]

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
        base = self.base[job, level]
        for at in range(TRIES):
            run = Run(job, level, fault, again=at > 0)
            bad = self.wrong(job, level, fault, run, base)
            late = [text for text in bad if text.startswith(("took", "no report"))]
            if bad and (run.seen[0] == "hangs" or len(late) < len(bad)):
                break
            if late:
                base = max(base, Run(job, level, again=True), key=lambda run: run.took)
            elif run.fired or at >= 2:
                break
        return run, bad

    def all(self, plans, journal, workers):
        """Runs what the journal does not hold yet."""
        for number in journal.done:
            self.add(plans[number], *journal.done[number])
        left = [n for n in range(len(plans)) if n not in journal.done]
        begin = said = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            results = pool.map(lambda n: (n, *self.one(*plans[n])), left)
            for count, (number, run, bad) in enumerate(results, 1):
                text = bad + ["| " + line for line in run.stderr.splitlines()[:6]] if bad else []
                journal.add(number, run.fired, text)
                self.add(plans[number], run.fired, text)
                now = time.monotonic()
                if now - said > SAY_EVERY_S:
                    said = now
                    print(f"... {self.runs} of {len(plans)} runs, {self.failed} failed, "
                          f"{(now - begin) / count * (len(left) - count) / 60:.0f} min to go",
                          flush=True)

    def add(self, plan, fired, bad):
        self.runs += 1
        self.injected += fired
        self.missed += not fired
        if bad:
            self.failed += 1
            job, level, fault = plan
            print(f"FAIL {job}, level {level}, WI_FAULT={fault}:")
            print("".join(f"    {text}\n" for text in bad), end="", flush=True)

    def some(self, count):
        """The first, the second and a random later call of so many."""
        later = [self.random.randint(3, count)] if count > 2 else []
        return [n for n in (1, 2) if n <= count] + later

    def short_plans(self, level, name, way, jobs):
        for n in self.some(self.base[jobs[0], level].calls[name]):
            yield jobs[0], level, f"{name}:{n}:{way}"
        yield from self.for_good(level, name, way, jobs[:1])

    def full_plans(self, level, name, way, jobs, each):
        come_by = collections.defaultdict(dict)
        for job in jobs:
            for place, count in self.base[job, level].places[name].items():
                come_by[place][job] = count
        for place, counts in sorted(come_by.items()):
            quickest, *others = counts
            self.random.shuffle(others)
            for at, job in enumerate([quickest] + others):
                for later in (0, 1):
                    if later and counts[job] == 1 or (each and (at >= each or later != at % 2)):
                        continue
                    n = self.random.randint(2, counts[job]) if later else 1
                    yield job, level, f"{name}@{place:x}:{n}:{way}"
        yield from self.for_good(level, name, way, jobs)

    @staticmethod
    def for_good(level, name, way, jobs):
        for job in jobs:
            if (not NOT_FOR_GOOD & {(name, None), (name, job)} and
                    way not in ("EINTR", "short")):
                yield job, level, f"{name}:1:{way}:0"

    def jobs_with(self, name, level, only_job):
        """Those that call a function, the quickest first."""
        jobs = [j for j in JOBS if self.base[j, level].calls[name] and
                only_job in (None, j) and (name, j) not in NOT_WITH]
        return sorted(jobs, key=lambda j: (not self.base[j, level].reports,
                                           self.base[j, level].took))

    def plans(self, args):
        for level in "AC":
            for name, ways in ROWS.items():
                jobs = self.jobs_with(name, level, args.job)
                if args.only in (None, name) and jobs:
                    for way in ways:
                        yield from (self.full_plans(level, name, way, jobs, args.each)
                                    if args.full else self.short_plans(level, name, way, jobs))
            for ms in (3_600_000, -3_600_000):
                if args.only in (None, "clock_step"):
                    for job in JOBS if args.full else ("plain", "waits"):
                        if args.job in (None, job):
                            for n in (1, 10, 60) + ((20, 30, 100, 300) if args.full else ()):
                                yield job, level, f"clock_step:{n}:{ms}"

    def places(self):
        """How many there are in all jobs together."""
        return len({(name, place) for run in self.base.values() for name in ROWS
                    for place in run.places[name]})

    def never_called(self):
        called = {name for run in self.base.values() for name in ROWS if run.calls[name]}
        return sorted(set(ROWS) - called - RARE)


def main():
    need_virtual_gpu()
    parser = argparse.ArgumentParser()
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--each", type=int, default=3, metavar="JOBS")
    parser.add_argument("--resume", metavar="FILE")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--only")
    parser.add_argument("--job")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    args = parser.parse_args()
    begin = time.monotonic()
    journal = Journal(args.resume, LIB)
    faults = Faults(args.seed, LOOKS if args.full else 1)
    if not journal.head:
        journal.begin(args.seed, faults.places(),
                      list(faults.plans(args)))
    faults.all(journal.head["plans"], journal, args.workers)
    if faults.never_called():
        print("FAIL no job calls", *faults.never_called())
        faults.failed += 1
    print(f"{faults.injected} faults injected in {faults.runs} runs of {len(ROWS)} functions at "
          f"{journal.head['places']} places, {faults.missed} not come by; "
          f"{faults.failed} failed" +
          ("" if faults.failed else ": output and status never changed") +
          f"; seed {journal.head['seed']}; {time.monotonic() - begin:.0f} s")
    sys.exit(1 if faults.failed else 0)


if __name__ == "__main__":
    main()
