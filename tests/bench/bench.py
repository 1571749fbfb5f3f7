#!/usr/bin/env python3
"""Measures the table of costs in one run, as ratios where a machine's speed would matter, and prints
it as text; --markdown FILE writes it as a table, --json FILE the figures.

Behind it: tests/preload/bench_calls (added time per call), tests/preload/test_hot.py (allocations and
system calls), a job of 20 000 launches a second (helper thread), bench_launches (wall time of a job with
work of its own), bench_idle (processes without CUDA), bench_engine (events, memory, predictions), a made-up
recording (import), and a short job (end of the job)."""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import time

BUILD = os.environ["WI_BUILD"]
SOURCE = os.environ["WI_SOURCE"]
LIB = os.path.join(BUILD, "src", "collect", "libwhyidle.so")
COMMAND = os.path.join(BUILD, "src", "cli", "whyidle")
JOB_ENV = {**{k: v for k, v in os.environ.items() if not k.startswith("WHYIDLE")},
           "LD_LIBRARY_PATH": f"{BUILD}/vgpu/13:{BUILD}/vgpu"}
RATES = (1000, 20000, 100000)  # launches a second of the job whose wall time is compared
RATE_SECONDS = 0.3             # of one run of it: short, so that many pairs meet a quiet moment
RATE_PAIRS = 25
IDLE_PROCESSES = 100
TWENTY_K = "### B1\n```timeline\nloop 1\n  kern %d host=0.05 dev=0.02\nend\n```\n"


def figures(words, **options):
    """The "name value unit" lines of a benchmark program."""
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, **options)
    if done.returncode:
        sys.exit(f"{words[0]}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return {m[1]: float(m[2]) for m in re.finditer(r"^(\S+) ([-\d.]+) \S+$", done.stdout, re.M)}


def report_in(folder):
    files = [f for f in glob.glob(folder + "/**/*.json", recursive=True) if "/latest/" not in f]
    return json.load(open(files[0]))


def added_per_call(rows):
    got = figures([f"{BUILD}/tests/preload/bench_calls"])
    for key, what in (("wrapper", "wrapper (level C)"), ("callback", "callback (level A), over a CUPTI client "
                                                         "that does nothing")):
        name = f"added_per_call_{key}"
        if name in got:
            rows.append((f"added per intercepted call, {what}", "<= 80 ns",
                         f"{got[name]:.0f} ns (95 %: {got[name + '_low']:.0f} to {got[name + '_high']:.0f}, "
                         f"{got['pairs']:.0f} pairs)", got[name] <= 80))
    return got.get("added_per_call_wrapper", float("nan"))


def hot_path(rows):
    done = subprocess.run([sys.executable, f"{SOURCE}/tests/preload/test_hot.py"], capture_output=True,
                          text=True, env={**os.environ, "WI_BUILD": BUILD}, timeout=300)
    text = {0: "0 and 0", 77: "not measured here"}.get(
        done.returncode, "some: " + " ".join(done.stdout.split())[-80:])
    rows.append(("allocations and system calls per launch", "0 and 0", text,
                 None if done.returncode == 77 else done.returncode == 0))


def helper(rows, added_ns, seconds=10):
    with tempfile.TemporaryDirectory() as folder:
        case = os.path.join(folder, "case.md")
        open(case, "w").write(TWENTY_K % (20000 * seconds))
        env = {**JOB_ENV, "LD_PRELOAD": LIB, "WHYIDLE_OUT": folder, "WHYIDLE_PRINT": "none"}
        start = time.monotonic()
        done = subprocess.run([f"{BUILD}/tests/scenarios/play_live", case, "B1", "-", "0"], env=env,
                              capture_output=True, text=True, timeout=300)
        if done.returncode:
            sys.exit("play_live: " + done.stderr)
        wall = time.monotonic() - start
        report = report_in(folder)
    cost = report["overhead"]
    rate = sum(d["kernels"] for d in report["devices"] if d.get("kernels")) / wall \
        if isinstance(report["devices"][0].get("kernels"), int) else 20000
    percent = 100 * cost["helper_cpu_ns"] / (wall * 1e9)
    calls = added_ns * rate / 1e9 * 100
    rows.append((f"helper thread's CPU at {rate:.0f} launches a second", "<= 1 % of a core",
                 f"{percent:.2f} %", percent <= 1))
    rows.append(("the same and the added time of the calls", "<= 1 % of a core",
                 f"{percent + calls:.2f} %", percent + calls <= 1))
    mib = cost["memory_bytes"] / 2**20
    rows.append(("memory of the preload in that job", "<= 64 MiB", f"{mib:.1f} MiB", mib <= 64))


def loop_ns(launches, rounds, folder=None):
    """The time of the job's loop; under the preload if there is a folder for its report."""
    env = {**JOB_ENV, "LD_PRELOAD": LIB, "WHYIDLE_OUT": folder, "WHYIDLE_PRINT": "none"} if folder else JOB_ENV
    return figures([f"{BUILD}/tests/bench/bench_launches", str(launches), str(rounds)], env=env)["loop"]


def work_of_a_launch(rate, rounds_per_ms):
    """Rounds of the job's own work with which it reaches about the rate: what a launch takes is taken off.
    Of three runs the fastest counts, which nothing disturbed."""
    rounds, launches = rounds_per_ms * 1e3 / rate, max(100, rate // 10)
    for _ in range(3):
        over_ns = min(loop_ns(launches, round(rounds)) for _ in range(3)) / launches - 1e9 / rate
        rounds = max(0, rounds - over_ns * rounds_per_ms / 1e6)
    return round(rounds)


def wall_time(rows):
    """The same work with and without the preload, in turn; the virtual CUPTI's own cost is in it."""
    rounds_per_ms = figures([f"{BUILD}/tests/bench/bench_launches", "--calibrate"], env=JOB_ENV)["rounds_per_ms"]
    for rate in RATES:
        launches, rounds = round(rate * RATE_SECONDS), work_of_a_launch(rate, rounds_per_ms)
        ratios, bare = [], []
        with tempfile.TemporaryDirectory() as folder:
            for i in range(RATE_PAIRS):
                order = (None, folder) if i % 2 else (folder, None)
                took = {where: loop_ns(launches, rounds, where) for where in order}
                ratios.append(took[folder] / took[None])
                bare.append(took[None])
        ratios.sort()
        reached = launches / sorted(bare)[RATE_PAIRS // 2] * 1e9
        rows.append((f"wall time of a job of {reached:.0f} launches a second, with over without", "printed only",
                     f"{ratios[RATE_PAIRS // 2]:.4f} ({ratios[RATE_PAIRS // 4]:.3f} to {ratios[-1 - RATE_PAIRS // 4]:.3f} in half of "
                     f"{RATE_PAIRS} pairs)", None))


def without_cuda(rows):
    program = f"{BUILD}/tests/bench/bench_idle"
    got = figures([program, LIB, f"{BUILD}/tests/preload/libnull_preload.so", str(IDLE_PROCESSES)])
    rows.append((f"a process without CUDA, longer than without the preload ({IDLE_PROCESSES} of /bin/true)", "< 100 us",
                 f"{got['added']:.0f} us of {got['bare']:.0f} us (a preload that does nothing: "
                 f"{got['added_other']:.0f} us)", got["added"] < 100))
    left = set()
    with tempfile.TemporaryDirectory() as folder:
        env = {**JOB_ENV, "LD_PRELOAD": LIB, "WHYIDLE_OUT": f"{folder}/out", "TMPDIR": folder}
        for _ in range(IDLE_PROCESSES):
            done = subprocess.run([program, "--child", LIB], env=env, cwd=folder, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=60)
            left |= {done.stdout + done.stderr} if done.returncode or done.stdout or done.stderr else set()
        left |= set(os.listdir(folder))
    rows.append((f"what {IDLE_PROCESSES} processes without CUDA leave: files, threads, open files, output", "none",
                 "none" if not left else "; ".join(sorted(left)).strip()[:80], not left))


def engine(rows):
    few, some, many = (figures([f"{BUILD}/tests/bench/bench_engine", n]) for n in ("100000", "1000000", "10000000"))
    speed = many["engine_events_per_second"]
    rows.append(("engine, one core", ">= 3 M events/s", f"{speed:.1f} M events/s", speed >= 3))
    same = few["engine_memory"] == many["engine_memory"]
    rows.append(("engine memory after 10^5 and 10^7 launches", "the same, <= 64 MiB",
                 f"{few['engine_memory']:.1f} and {many['engine_memory']:.1f} MiB",
                 same and many["engine_memory"] <= 64))
    made_ms = [some["engine_result"], many["engine_result"]]
    rows.append((f"the report's figures with {some['engine_predictions']:.0f} predictions replayed over "
                 f"{some['engine_replayed']:.0f} calls, after 10^6 and 10^7 launches", "< 1 s",
                 " and ".join(f"{ms:.0f}" for ms in made_ms) + " ms",
                 max(made_ms) < 1000 and some["engine_predictions"] > 1 and some["engine_replayed"] > 0))


def keeping(rows, launches="4000000", pairs=15):
    """CPU time of the engine with stretches of the run kept for predictions, over without, in turn."""
    program = f"{BUILD}/tests/bench/bench_engine"
    bare, kept = [], []
    for _ in range(pairs):
        bare.append(figures([program, launches, "bare"])["engine_cpu"])
        kept.append(figures([program, launches])["engine_cpu"])
    ratios = sorted(with_ms / without_ms for with_ms, without_ms in zip(kept, bare))
    middle, slow = sorted(kept)[pairs // 2], sorted(bare)[-1 - pairs // 4]
    rows.append((f"engine's CPU time for {launches} launches with stretches kept for predictions, over without",
                 "within the noise: the slowest quarter of the runs without",
                 f"{ratios[pairs // 2]:.3f} ({ratios[pairs // 4]:.3f} to {ratios[-1 - pairs // 4]:.3f} in half of {pairs} "
                 f"pairs; {middle:.0f} ms, slowest quarter without from {slow:.0f} ms)", middle <= slow))


def importing(rows, events=300000):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        with open(path, "w") as out:
            out.write('{"schemaVersion": 1, "traceEvents": [\n')
            for i in range(events):
                kernel = i % 2
                out.write('%s{"ph": "X", "cat": "%s", "name": "%s", "pid": %d, "tid": 7, "ts": %d.125, '
                          '"dur": 4.5, "args": {"device": 0, "stream": 7, "correlation": %d, '
                          '"External id": %d}}' % (",\n" if i else "", "kernel" if kernel else "cuda_runtime",
                                                   "void kernel<float>(int)" if kernel else "cudaLaunchKernel",
                                                   0 if kernel else 99, 1000000 + 5 * i, i // 2 + 1, i))
            out.write("\n]}\n")
        size = os.path.getsize(path)
        best = min(timed([COMMAND, "report", "--format", "json", path]) for _ in range(3))
    speed = size / best / 1e6
    rows.append(("Kineto JSON, to the finished report", ">= 150 MB/s", f"{speed:.0f} MB/s", speed >= 150))


def timed(words, env=None):
    start = time.monotonic()
    subprocess.run(words, env=env or JOB_ENV, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   check=True, timeout=300)
    return time.monotonic() - start


def end_of_job(rows, pairs=7):
    """A short job with and without the preload, in turn: the difference is start-up and report."""
    job = [f"{BUILD}/tests/preload/job13", "launch", "100", "sync"]
    differences = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(pairs):
            plain = subprocess_time(job, JOB_ENV)
            loaded = subprocess_time(job, {**JOB_ENV, "LD_PRELOAD": LIB, "WHYIDLE_OUT": folder})
            differences.append(loaded - plain)
    middle = sorted(differences)[pairs // 2]
    rows.append(("a short job with its report, longer than without", "< 1 s", f"{middle * 1e3:.0f} ms", middle < 1))


def subprocess_time(words, env):
    start = time.monotonic()
    subprocess.run(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
    return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--markdown")
    parser.add_argument("--json")
    options = parser.parse_args()
    rows = []
    added_ns = added_per_call(rows)
    hot_path(rows)
    wall_time(rows)
    without_cuda(rows)
    helper(rows, added_ns)
    engine(rows)
    keeping(rows)
    importing(rows)
    end_of_job(rows)
    width = max(len(r[0]) for r in rows)
    for what, bar, value, met in rows:
        print(f"{what:<{width}}  {value:<44} bar {bar:<20} {'-' if met is None else 'met' if met else 'NOT MET'}")
    if options.markdown:
        with open(options.markdown, "w") as out:
            out.write("| what | measured | bar | met |\n| --- | --- | --- | --- |\n")
            for what, bar, value, met in rows:
                out.write(f"| {what} | {value} | {bar} | {'-' if met is None else 'yes' if met else 'no'} |\n")
    if options.json:
        json.dump([dict(zip(("what", "bar", "measured", "met"), r)) for r in rows], open(options.json, "w"), indent=1)


main()
