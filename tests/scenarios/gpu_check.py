#!/usr/bin/env python3
"""What scripts/gpu_check.sh measures, once everything is built: demo jobs, live cases, the cost of
a launch, gaps of known length. Writes OUT/gpu_check.json and OUT/gpu_check.md; the table goes to
stdout too. Exit 1 if an expectation is missed. Everything is taken from the environment that
gpu_env.sh sets. On the virtual GPU every device figure is marked as modelled."""
import glob
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time

SCENARIOS = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ["WI_BUILD"]
REAL = os.environ["WI_GPU"] == "real"
SUFFIX = os.environ["WI_SUFFIX"]
BUDGET_S = 450  # the whole check stays under eight minutes
START = time.monotonic()

DEMOS = [("demo_loader", "data-loading/"), ("demo_pageable", "transfer/"),
         ("demo_launch", "small-batch/launch-bound"), ("demo_healthy", ("compute", "none"))]
OWN_CASES = ["S1", "S2", "S3", "S4", "S9"]
GIVEN_CASES = ["G1", "G7", "G12"]
ROUNDS = 5             # of bare / C / A, interleaved
GAP_ERROR_US = 100.0   # waking up and launching, per gap, on a machine that is not idle
rows = []


def add(what, expected, found, ok, kind="check"):
    """ok: True, False, or None for a measurement without a bar or something skipped."""
    rows.append({"what": what, "expected": expected, "found": found, "ok": ok, "kind": kind,
                 "device": "real" if REAL else "modelled"})
    mark = {True: "ok  ", False: "FAIL", None: "    "}[ok]
    print(f"{mark} {what}: {found}" + (f" (expected {expected})" if expected else ""), flush=True)


def environment(level, folder):
    env = {k: v for k, v in os.environ.items() if not k.startswith("WHYIDLE_") or
           k == "WHYIDLE_LIBCUPTI"}
    env["LD_LIBRARY_PATH"] = os.environ["WI_LIBRARY_PATH"]
    if level:
        env.update(LD_PRELOAD=os.environ["WI_LIB"], WHYIDLE_OUT=folder, WHYIDLE_PRINT="none")
    if level == "C":
        env["WHYIDLE_CUPTI"] = "off"
    return env


def run_job(program, level):
    """(status, stdout, stderr, report or None, seconds)"""
    with tempfile.TemporaryDirectory(prefix="gpu_check.") as folder:
        before = time.monotonic()
        try:
            done = subprocess.run([program], env=environment(level, folder), capture_output=True,
                                  text=True, timeout=120, check=False)
        except subprocess.TimeoutExpired:
            return 124, "", "took more than 120 s", None, 120.0
        seconds = time.monotonic() - before
        paths = [p for p in glob.glob(os.path.join(folder, "**", "*.json"), recursive=True)
                 if not os.path.islink(p)]
        report = None
        if paths:
            with open(max(paths, key=os.path.getsize), encoding="utf-8") as f:
                report = json.load(f)
        return done.returncode, done.stdout, done.stderr, report, seconds


def level_of(report):
    if not report:
        return "no report"
    reason = report.get("level_reason")
    return f"level {report.get('level')}" + (f" ({reason})" if reason else "")


def check_demos():
    for name, wanted in DEMOS:
        program = os.path.join(BUILD, "samples", name + SUFFIX)
        bare = run_job(program, None)
        for level in "AC":
            status, out, _, report, _ = run_job(program, level)
            same = status == bare[0] and out == bare[1]
            add(f"{name}, level {level}: output and status unchanged", "", f"status {status}",
                same)
            verdict = (report or {}).get("verdict", {}).get("id", "-")
            got = level_of(report)
            if level == "A":
                fits = any(verdict == w or (w.endswith("/") and verdict.startswith(w))
                           for w in ([wanted] if isinstance(wanted, str) else wanted))
                add(f"{name}, level A: verdict", wanted if isinstance(wanted, str) else
                    " or ".join(wanted), f"{verdict}, {got}", fits and "level A" in got)
            else:
                add(f"{name}, level C: says so", "level C", got, "level C" in got)


def check_nvcc():
    programs = [p for p in glob.glob(os.path.join(BUILD, "samples", "nvcc", "*"))
                if os.path.isfile(p) and os.access(p, os.X_OK) and ".so" not in p]
    if not programs:
        add("program built by nvcc", "", "skipped: nvcc was not there when this was built", None)
    for program in programs:
        bare = run_job(program, None)
        for level in "AC":
            status, out, _, report, _ = run_job(program, level)
            add(f"{os.path.basename(program)}, level {level}: unchanged, level reached", "",
                f"status {status}, {level_of(report)}",
                (status, out) == bare[:2] and f"level {level}" in level_of(report))


def play(file, cases, level):
    command = [sys.executable, os.path.join(SCENARIOS, "check_play.py"), "--live", "--json",
               "--level", level, "--play-live",
               os.path.join(BUILD, "tests", "scenarios", "play_live" + SUFFIX), file] + cases
    env = dict(os.environ)
    if REAL:
        command.append("--real")
        env["LD_LIBRARY_PATH"] = os.environ["WI_LIBRARY_PATH"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        add(f"live cases {' '.join(cases)}, level {level}", "", done.stderr.strip()[-200:], False)
    return lines


def shares(classes):
    return " ".join(f"{c} {v:.0f}" for c, v in classes.items() if v >= 0.5)


def check_live():
    files = [(os.path.join(SCENARIOS, "own_cases.md"), OWN_CASES)]
    given = os.path.join(os.environ.get("WHYIDLE_CASES") or os.path.join(
        os.environ["WI_ROOT"], "..", "shared", "cases"), "given.md")
    if os.path.exists(given):
        files.insert(0, (given, GIVEN_CASES))
    for file, cases in files:
        for level in "AC":
            for case in cases if level == "A" else cases[:1]:
                if time.monotonic() - START > BUDGET_S:
                    add(f"{case}, level {level}", "", "skipped: no time left", None)
                    continue
                for row in play(file, [case], level):
                    if "skipped" in row:
                        add(f"{row['case']}, level {level}", "", row["skipped"], row["ok"])
                        continue
                    found = shares(row["said"]) + f", verdict {row['verdict']}"
                    if row["notes"]:
                        found += "; " + "; ".join(row["notes"])
                    add(f"{row['case']}, level {level}: shares within 5 points"
                        if level == "A" else f"{row['case']}, level {level}: every launch seen, no shares claimed",
                        shares(row["truth"]), found, row["ok"])


def check_launch_cost():
    program = os.path.join(BUILD, "tests", "scenarios", "probe_launch" + SUFFIX)
    costs = {level: [] for level in ("bare", "C", "A")}
    for _ in range(ROUNDS):
        for level in costs:
            status, out, err, _, _ = run_job(program, None if level == "bare" else level)
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


def check_gaps():
    program = os.path.join(BUILD, "tests", "scenarios", "probe_gaps" + SUFFIX)
    status, out, err, report, _ = run_job(program, "A")
    used = [d for d in (report or {}).get("devices", []) if (d.get("window") or {}).get("length_ns")]
    if status or not used:
        add("gaps of known length", "", f"status {status}, {level_of(report)} "
            f"{err.strip()[-200:]}", False)
        return
    words = out.split()
    gaps, slept = int(words[1]), int(words[3])
    timeline = used[0]["timeline"]
    error_us = (timeline["idle_ns"] - slept) / gaps / 1000
    add(f"idle over {gaps} sleeps of 0.2 to 50 ms, {slept / 1e6:.1f} ms in all",
        f"0 to {GAP_ERROR_US:.0f} us more per gap (waking up, launching)",
        f"{timeline['idle_ns'] / 1e6:.1f} ms: {error_us:+.1f} us per gap; "
        f"{timeline['gaps']} gaps", -1 <= error_us <= GAP_ERROR_US and timeline["gaps"] >= gaps)


def describe():
    done = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                          capture_output=True, text=True, check=False) if REAL else None
    name = done.stdout.strip() if done and not done.returncode else None
    return {"gpu": name or ("real, name not known" if REAL else "virtual (modelled)"),
            "real": REAL, "kernel": platform.release(), "cores": os.cpu_count(),
            "library_path": os.environ["WI_LIBRARY_PATH"], "utc": time.strftime(
                "%Y-%m-%d %H:%M", time.gmtime())}


def write(out, machine):
    os.makedirs(out, exist_ok=True)
    seconds = time.monotonic() - START
    failed = sum(r["ok"] is False for r in rows)
    document = {"schema": "whyidle-gpu-check/1", "machine": machine, "seconds": round(seconds, 1),
                "failed": failed, "rows": rows}
    with open(os.path.join(out, "gpu_check.json"), "w", encoding="utf-8") as f:
        json.dump(document, f, indent=1)
        f.write("\n")
    with open(os.path.join(out, "gpu_check.md"), "w", encoding="utf-8") as f:
        f.write(f"# GPU check, {machine['utc']} UTC\n\nGPU: {machine['gpu']}, "
                f"{machine['cores']} cores, kernel {machine['kernel']}; {seconds:.0f} s, "
                f"{failed} of {len(rows)} rows failed.\n\n"
                "| | what | expected | found | device |\n|---|---|---|---|---|\n")
        for r in rows:
            mark = {True: "ok", False: "**FAIL**", None: ""}[r["ok"]]
            cells = [mark, r["what"], r["expected"], r["found"], r["device"]]
            f.write("| " + " | ".join(c.replace("|", "/").replace("\n", " ") for c in cells)
                    + " |\n")
    return failed


def main():
    out = os.environ.get("OUT") or "gpu-check-out"
    machine = describe()
    print(f"GPU: {machine['gpu']}, {machine['cores']} cores", flush=True)
    for part in (check_demos, check_nvcc, check_launch_cost, check_gaps, check_live):
        if time.monotonic() - START > BUDGET_S:
            add(part.__name__, "", "skipped: no time left", None)
            continue
        try:
            part()
        except Exception as problem:  # one broken part must not hide the others
            add(part.__name__, "", f"{type(problem).__name__}: {problem}", False)
    failed = write(out, machine)
    print(f"{len(rows)} rows, {failed} failed; {out}/gpu_check.md and gpu_check.json")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
