#!/usr/bin/env python3
"""What scripts/gpu_check.sh measures, once everything is built: demo jobs, programs built by nvcc,
the cost of a launch, gaps of known length, every sample, PyTorch jobs, live cases. Writes
OUT/gpu_check.json and OUT/gpu_check.md; the table goes to stdout too. Exit 1 if an expectation is
missed. On the virtual GPU every row is marked as modelled; what the time did not allow is told as
left out.

usage: gpu_check.py [PART...]    of PARTS below (default: all)"""
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from functools import partial

import gpu_rows
from gpu_rows import (BUILD, LIBRARY_PATH, REAL, ROOT, SUFFIX, OutOfTime, add, add_when_quiet,
                      begin, bounded, left, level_of, longest_s, matched, run_job, second_tries,
                      skip, try_again, used_device)
from gpu_torch import check_torch

SCENARIOS = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(ROOT, "tests", "samples"))
import samples_table  # noqa: E402

DEMOS = [("demo_loader", "data-loading/"), ("demo_pageable", "transfer/"),
         ("demo_launch", "small-batch/launch-bound"), ("demo_healthy", ("compute", "none"))]
ROUNDS = 5             # of bare / C / A, interleaved
GAP_ERROR_US = 100.0   # waking up and launching, per gap, on a machine that is not idle
STATIC = "spin_static"
LAUNCHES, COPIES = 300, 7  # of the job of driver calls
# Case: more options of check_play, and why.
PLAYED_WITH = {"G3": ["--max-loops", "5"],    # its player needs more cores than time
               "S17": ["--tolerance", "10"],  # reading takes some CPU time
               "S18": ["--tolerance", "10"]}  # a thread runs a little before its quota stops it
HOST_CALLS_ONLY = ["G12", "S1"]  # played at level C, too


def check_demos():
    for name, wanted in DEMOS:
        wanted = (wanted,) if isinstance(wanted, str) else wanted
        begin(name, partial(check_demo, name, wanted))


def check_demo(name, wanted):
    program = os.path.join(BUILD, "samples", name + SUFFIX)
    bare, runs = run_job(program, None), {}

    def verdict():
        runs["A"] = run_job(program, "A")
        said = (runs["A"][3] or {}).get("verdict", {}).get("id", "-")
        fits = any(said == w or (w.endswith("/") and said.startswith(w)) for w in wanted)
        got = level_of(runs["A"][3])
        return f"{said}, {got}", fits and "level A" in got

    add_when_quiet(f"{name}, level A: verdict", " or ".join(wanted), verdict)
    runs["C"] = run_job(program, "C")
    for level, (status, out, _, _) in runs.items():
        add(f"{name}, level {level}: output and status unchanged", "", f"status {status}",
            bare[0] == 0 and (status, out) == bare[:2])
    got = level_of(runs["C"][3])
    add(f"{name}, level C: says so", "level C", got, "level C" in got)


def check_nvcc():
    program = os.path.join(BUILD, "samples", "nvcc", "spin")
    if not os.path.exists(program):
        skip("program built by nvcc, shared runtime", "nvcc was not there when this was built")
        return
    bare = run_job(program, None)
    for level in "AC":
        status, out, _, report = run_job(program, level)
        add(f"program built by nvcc, shared runtime, level {level}: unchanged, level reached", "",
            f"status {status}, {level_of(report)}",
            bare[0] == 0 and (status, out) == bare[:2] and f"level {level}" in level_of(report))


def static_job():
    """(name, command): a job that launches past every wrapper."""
    program = os.path.join(BUILD, "samples", "nvcc", STATIC)
    if REAL and os.path.exists(program):
        return "program with a static runtime", [program]
    if os.path.exists(program):
        _, out, err, _ = run_job(program, None)
        skip("program with a static runtime", "the virtual GPU's driver does not have all that it "
             f"asks for ({(out or err).strip()[-100:]}); the next rows stand in for it")
    program = os.path.join(BUILD, "tests", "preload", "job_driver")
    return ("job of driver calls, no libcudart (stands in for a static runtime)",
            [program, str(LAUNCHES), str(COPIES)])


def check_static():
    name, command = static_job()
    if not os.path.exists(command[0]):
        skip(name, "not built")
        return
    bare = run_job(command, None)
    for level in "AC":
        status, out, err, report = run_job(command, level)
        same = bare[0] == 0 and (status, out) == bare[:2]
        add(f"{name}, level {level}: output and status unchanged", "", f"status {status}"
            + ("" if same else f", bare {bare[0]}: {(err or bare[2]).strip()[-150:]}"), same)
        if level == "A":
            text, all_matched = matched(report)
            launches = ((report or {}).get("calls", {}).get("launch") or {}).get("count")
            wanted = LAUNCHES if len(command) > 1 else 1
            add(f"{name}, level A: every operation seen", f"{wanted} launches, all matched",
                f"{launches} launches, {text}, {level_of(report)}",
                launches == wanted and all_matched and "level A" in level_of(report))
        else:  # the wrappers see nothing of it: it must not be told as a job that did nothing
            device = used_device(report)
            add(f"{name}, level C: claims no idle time", "no device times",
                level_of(report), not (device and any((device.get("classes") or {}).values())))


def check_launch_cost():
    program = os.path.join(BUILD, "tests", "scenarios", "probe_launch" + SUFFIX)
    costs = {level: [] for level in ("bare", "C", "A")}
    for _ in range(ROUNDS):
        for level in costs:
            status, out, err, _ = run_job(program, None if level == "bare" else level)
            if status:
                add("cost of a launch", "", f"status {status}: {err.strip()[-200:]}", False)
                return
            costs[level].append(int(out.split()[1]))
    bare = statistics.median(costs["bare"])
    add("a launch without whyidle", "", f"{bare:.0f} ns", None, "measure")
    for level in "CA":
        more = statistics.median(a - b for a, b in zip(costs[level], costs["bare"]))
        low, high = (f(a - b for a, b in zip(costs[level], costs["bare"])) for f in (min, max))
        add(f"added per launch at level {level}" + (" (with CUPTI's own cost)"
                                                    if level == "A" else ""),
            "", f"{more:+.0f} ns, {low:+.0f} to {high:+.0f} over {ROUNDS} pairs", None, "measure")


def gaps_of_known_length():
    program = os.path.join(BUILD, "tests", "scenarios", "probe_gaps" + SUFFIX)
    status, out, err, report = run_job(program, "A")
    device = used_device(report)
    if status or not device:
        return f"status {status}, {level_of(report)} {err.strip()[-200:]}", False
    words = out.split()
    gaps, slept_ns = int(words[1]), int(words[3])
    timeline = device["timeline"]
    error_us = (timeline["idle_ns"] - slept_ns) / gaps / 1000
    return (f"{timeline['idle_ns'] / 1e6:.1f} ms idle, {slept_ns / 1e6:.1f} ms slept: "
            f"{error_us:+.1f} us per gap; {timeline['gaps']} gaps",
            -1 <= error_us <= GAP_ERROR_US and timeline["gaps"] >= gaps)


def check_gaps():
    add_when_quiet("idle over 50 sleeps of 0.2 to 50 ms",
                   f"0 to {GAP_ERROR_US:.0f} us more per gap (waking up, launching)",
                   gaps_of_known_length)


def check_samples():
    for sample in samples_table.rows():
        name = f"sample {sample.program}"
        reason = samples_table.reason_to_skip(sample, REAL, False)
        if reason:
            skip(name, reason)
        else:
            begin(name, partial(check_sample, name, sample))


def check_sample(name, sample):
    def attempt():
        samples_table.TIMEOUT_S = longest_s()
        try:
            document = samples_table.run(sample, BUILD, LIBRARY_PATH, SUFFIX)
        except subprocess.TimeoutExpired as late:
            if left() <= 0:
                raise OutOfTime from late
            return f"took more than {late.timeout:.0f} s", False
        good, text = samples_table.judge(sample, document)
        return text.partition("%; ")[2] or text, bool(good)

    try:
        add_when_quiet(name, sample.subcause, attempt, 100 * samples_table.OTHERS)
    except samples_table.CannotShow as reason:
        skip(name, str(reason))
    except (RuntimeError, KeyError, ValueError) as problem:  # must not hide the other samples
        add(name, sample.subcause, f"{type(problem).__name__}: {str(problem)[-200:]}", False)


def play(file, case, level):
    command = [sys.executable, os.path.join(SCENARIOS, "check_play.py"), "--live", "--json",
               "--strict", "--attempts", "1", "--level", level, *PLAYED_WITH.get(case, []),
               "--play-live", os.path.join(BUILD, "tests", "scenarios", "play_live" + SUFFIX),
               file, case]
    env = dict(os.environ)
    if REAL:
        command.append("--real")
        env["LD_LIBRARY_PATH"] = LIBRARY_PATH
    status, out, err = bounded(command, env)
    lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    if not lines:
        return [{"case": case, "ok": False, "skipped": f"status {status}: {err.strip()[-200:]}"}]
    # A run that was disturbed is printed, and then that it is no result.
    return [row for row, after in zip(lines, lines[1:] + [{}]) if not is_disturbed(after)]


def is_disturbed(row):
    return "busy machine" in row.get("skipped", "")


def shares(classes):
    return " ".join(f"{c} {v:.0f}" for c, v in classes.items() if v >= 0.5)


def add_case(row, level):
    name = f"live case {row['case']}, level {level}"
    if "skipped" in row:
        if row["ok"]:
            skip(name, row["skipped"])
        else:
            add(name, "", row["skipped"], False)
        return
    if level == "C":
        add(f"{name}: every launch seen, no shares claimed", "", "; ".join(row["notes"]),
            row["ok"])
        return
    found = shares(row["said"]) + f", {row['subcause_said']}, verdict {row['verdict']}"
    if row["notes"]:
        found += "; " + "; ".join(row["notes"])
    wanted = shares(row["truth"])
    if row["subcause_wanted"]:
        wanted += ", " + " or ".join(row["subcause_wanted"])
    add(name, wanted, found, row["ok"])


def case_files():
    given = os.path.join(os.environ.get("WHYIDLE_CASES") or os.path.join(
        ROOT, "..", "shared", "cases"), "given.md")
    if not os.path.exists(given):
        skip("live cases of given.md", f"{given} is not here (WHYIDLE_CASES names its folder)")
    return [f for f in (given, os.path.join(SCENARIOS, "own_cases.md")) if os.path.exists(f)]


def check_case(file, case, level):
    """Its rows; those of all its blocks once more, later, where one was disturbed."""
    def tell(found):
        for row in found:
            add_case(row, level)

    first = play(file, case, level)
    if any(map(is_disturbed, first)):
        try_again(lambda: tell(play(file, case, level)), lambda: tell(first))
    else:
        tell(first)


def check_live():
    """Every case that can be played; each is cut to a few seconds by the player."""
    for file in case_files():
        listed = subprocess.run([os.path.join(BUILD, "tests", "scenarios", "play"), "list", file],
                                capture_output=True, text=True, check=True).stdout
        for case in dict.fromkeys(line.split()[0] for line in listed.splitlines()):
            for level in "CA" if case in HOST_CALLS_ONLY else "A":
                begin(f"live case {case}, level {level}", partial(check_case, file, case, level))


def describe():
    ask = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    done = subprocess.run(ask, capture_output=True, text=True, check=False) if REAL else None
    name = done.stdout.strip() if done and not done.returncode else None
    return {"gpu": name or ("real, name not known" if REAL else "virtual (modelled)"),
            "real": REAL, "kernel": platform.release(), "cores": os.cpu_count(),
            "library_path": LIBRARY_PATH, "utc": time.strftime("%Y-%m-%d %H:%M", time.gmtime())}


PARTS = {"demos": check_demos,
         "nvcc": partial(begin, "program built by nvcc", check_nvcc),
         "static": partial(begin, "program past every wrapper", check_static),
         "launch-cost": partial(begin, "cost of a launch", check_launch_cost),
         "gaps": partial(begin, "gaps of known length", check_gaps),
         "samples": check_samples, "torch": check_torch, "live": check_live}


def run_part(name, run):
    try:
        run()
    except Exception as problem:  # one broken part must not hide the others
        add(name, "", f"{type(problem).__name__}: {problem}", False)


def main():
    wanted = sys.argv[1:] or list(PARTS)
    if not set(wanted) <= set(PARTS):
        sys.exit(f"gpu_check: the parts are {' '.join(PARTS)}")
    out = os.environ.get("OUT") or "gpu-check-out"
    machine = describe()
    print(f"GPU: {machine['gpu']}, {machine['cores']} cores", flush=True)
    for part in wanted:
        run_part(part, PARTS[part])
    run_part("second tries", second_tries)
    gpu_rows.write(out, machine)
    print(f"{gpu_rows.summary()}; {gpu_rows.seconds():.0f} s; {out}/gpu_check.md and "
          "gpu_check.json")
    return 1 if gpu_rows.failed() else 0


if __name__ == "__main__":
    sys.exit(main())
