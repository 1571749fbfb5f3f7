"""What the parts of the GPU check share: the table of rows, the time that is left, a job run with
and without the preload. Everything is taken from the environment that gpu_env.sh sets."""
import glob
import json
import os
import signal
import subprocess
import tempfile
import time

from check_play import MOST_OTHERS, Others

BUILD = os.environ["WI_BUILD"]
ROOT = os.environ["WI_ROOT"]
REAL = os.environ["WI_GPU"] == "real"
SUFFIX = os.environ["WI_SUFFIX"]
LIBRARY_PATH = os.environ["WI_LIBRARY_PATH"]
BUDGET_S = 460  # the whole, building included, stays under eight minutes
GRACE_S = 10    # what runs then is ended after so much more
LONGEST_S = 15  # nothing that may take this long is begun unless so much is left
START = float(os.environ.get("WI_STARTED_S") or time.time())
MARKS = {True: "ok  ", False: "FAIL", None: "    "}
rows = []
again = []  # (second try, what is told where there is no time for it) of runs that were disturbed


def add(what, expected, found, ok, kind="check"):
    """ok: True, False, or None for what has no bar. kind: check, measure, skipped or left-out."""
    rows.append({"what": what, "expected": expected, "found": found, "ok": ok, "kind": kind,
                 "device": "real" if REAL else "modelled"})
    print(f"{MARKS[ok]} {what}: {found}" + (f" (expected {expected})" if expected else ""),
          flush=True)


def skip(what, reason):
    add(what, "", "skipped: " + reason, None, "skipped")


def leave_out(what):
    add(what, "", "left out: budget", None, "left-out")


def seconds():
    return time.time() - START


class OutOfTime(Exception):
    """What was running when the time of the whole was over."""


def left():
    return BUDGET_S - seconds()


def longest_s():
    """What a command may take that is started now."""
    return max(0.1, min(120, left() + GRACE_S))


def begin(what, check):
    """Runs check() if it can still be begun; what the time does not allow is told as left out."""
    try:
        if left() < LONGEST_S:
            raise OutOfTime
        check()
    except OutOfTime:
        leave_out(what)


def try_again(retry, fallback):
    """A run that other programs disturbed proves nothing. It gets a second one when everything has
    had its first; where there is no time for it, fallback() adds its rows."""
    again.append((retry, fallback))


def second_tries():
    while again:
        retry, fallback = again.pop(0)
        try:
            if left() < LONGEST_S:
                raise OutOfTime
            retry()
        except OutOfTime:
            fallback()


def add_when_quiet(what, expected, attempt, most_percent=MOST_OTHERS):
    """attempt() returns (what was found, whether that is right). What fails while other programs
    use the machine is tried once more, then skipped."""
    def once(disturbed):
        with Others() as others:
            found, ok = attempt()
        reason = f"other programs used {others.percent:.0f} % of the cores: {found}"
        if ok or others.percent <= most_percent:
            add(what, expected, found, ok)
        else:
            disturbed(lambda: skip(what, reason))

    once(lambda told: try_again(lambda: once(lambda second: second()), told))


def bounded(command, env, stdin=None):
    """(status, stdout, stderr); with all its children it ends when the time is over."""
    job = subprocess.Popen(command, env=env, stdin=stdin or subprocess.DEVNULL, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    limit = longest_s()
    try:
        out, err = job.communicate(timeout=limit)
        return job.returncode, out, err
    except subprocess.TimeoutExpired as late:
        os.killpg(job.pid, signal.SIGKILL)
        job.communicate()
        if left() <= 0:
            raise OutOfTime from late
        return 124, "", f"took more than {limit:.0f} s"


def environment(level, folder, library_path=LIBRARY_PATH):
    """level: A, C or None for a bare run; library_path None leaves the caller's as it is."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("WHYIDLE_") or
           k == "WHYIDLE_LIBCUPTI"}
    if library_path is not None:
        env["LD_LIBRARY_PATH"] = library_path
    if level:
        env.update(LD_PRELOAD=os.environ["WI_PRELOAD"], WHYIDLE_OUT=folder, WHYIDLE_PRINT="none")
    if level == "C":
        env["WHYIDLE_CUPTI"] = "off"
    return env


def run_job(command, level, **more):
    """(status, stdout, stderr, report or None)"""
    command = [command] if isinstance(command, str) else command
    with tempfile.TemporaryDirectory(prefix="gpu_check.") as folder:
        status, out, err = bounded(command, environment(level, folder, **more))
        paths = [p for p in glob.glob(os.path.join(folder, "**", "*.json"), recursive=True)
                 if "/latest/" not in p]
        report = None
        if paths:
            with open(max(paths, key=os.path.getsize), encoding="utf-8") as f:
                report = json.load(f)
        return status, out, err, report


def level_of(report):
    if not report:
        return "no report"
    reason = report.get("level_reason")
    return f"level {report.get('level')}" + (f" ({reason})" if reason else "")


def used_device(report):
    """The device that was accounted for, or None."""
    return next((d for d in (report or {}).get("devices", [])
                 if (d.get("window") or {}).get("length_ns")), None)


def share_percent(report, cls):
    """Of the window of the device in use; None without device times."""
    device = used_device(report)
    if not device or not device.get("classes"):
        return None
    return 100 * (device["classes"].get(cls) or 0) / device["window"]["length_ns"]


def matched(report):
    """("all N" or "M of N" device operations joined to their call, whether all were)"""
    coverage = (report or {}).get("coverage") or {}
    ops, joined = coverage.get("ops") or 0, coverage.get("ops_matched") or 0
    return f"{joined} of {ops} operations matched", ops > 0 and joined == ops


def counts():
    return {"failed": sum(r["ok"] is False for r in rows),
            "skipped": sum(r["kind"] == "skipped" for r in rows),
            "left_out": sum(r["kind"] == "left-out" for r in rows)}


def summary():
    n = counts()
    return (f"{len(rows)} rows: {n['failed']} failed, {n['skipped']} skipped, "
            f"{n['left_out']} left out for lack of time")


def failed():
    """Whether an expectation was missed, or nothing at all was found to be right."""
    return counts()["failed"] > 0 or not any(r["ok"] for r in rows)


def write(out, machine):
    os.makedirs(out, exist_ok=True)
    took = seconds()
    document = {"schema": "whyidle-gpu-check/1", "machine": machine, "seconds": round(took, 1),
                **counts(), "rows": rows}
    with open(os.path.join(out, "gpu_check.json"), "w", encoding="utf-8") as f:
        json.dump(document, f, indent=1)
        f.write("\n")
    with open(os.path.join(out, "gpu_check.md"), "w", encoding="utf-8") as f:
        f.write(f"# GPU check, {machine['utc']} UTC\n\nGPU: {machine['gpu']}, "
                f"{machine['cores']} cores, kernel {machine['kernel']}; {took:.0f} s. "
                f"{summary()}.\n\n"
                "| | what | expected | found | device |\n|---|---|---|---|---|\n")
        for r in rows:
            mark = {True: "ok", False: "**FAIL**", None: ""}[r["ok"]]
            cells = [mark, r["what"], r["expected"], r["found"], r["device"]]
            f.write("| " + " | ".join(c.replace("|", "/").replace("\n", " ") for c in cells)
                    + " |\n")
