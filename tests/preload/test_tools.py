#!/usr/bin/env python3
"""Other CUPTI tools in the process: their results are those they have without us, and our report
says what it could not see, with classes that sum."""
import concurrent.futures
import os
import re
import shutil
import tempfile

from jobs import BUILD, Checks, job, need_virtual_gpu, run, run_plain

need_virtual_gpu()
checks = Checks()
SECOND = 1_000_000_000
# 400 launches, 4 copies and their read-back in a session; then 1 s of silence and at most one more
# second until we look, and have CUPTI back
IN_SESSION = 405
BACK = ["sleep", "2600"]


def tool(name):
    return os.path.join(BUILD, "tests", "preload", f"lib{name}.so")


def session(lib):
    return ["tool", lib, "tool_begin", "launch", "300", "sleep", "400", "launch", "100", "copy",
            "4", "4096", "sync", "tool", lib, "tool_end"]


def last(lib):
    return ["tool", lib, "tool_print"]


def sums(name, report):
    for device in report["devices"]:
        if device["window"] is None:
            continue
        length = device["window"]["length_ns"]
        for table in ("classes", "subcauses"):
            checks.equal(f"{name}: {table} sum", sum(device[table].values()), length)


def not_seen(report):
    return report["devices"][0]["subcauses"].get("unknown/blind-interval", 0)


def both(name, words, but="$", **more):
    """The job with and without us: the same output, what matches `but` aside."""
    words = [job()] + words
    plain, ours = run_plain(words, **more), run(words, **more)
    checks.equal(f"{name}: status and output", (ours.status, re.sub(but, "", ours.stdout)[-300:]),
                 (plain.status, re.sub(but, "", plain.stdout)[-300:]))
    checks.true(f"{name}: the tool worked", " 0 calls failed" in plain.stdout, plain.stdout)
    sums(name, ours.report)
    return ours


def blind(name, ours, sessions, outside):
    """What a report must say that was blind for some sessions, with operations outside."""
    report = ours.report
    cover = report["coverage"]
    checks.equal(name + ": level", report["level"], "A")
    checks.true(name + ": why", "another tool" in (report["level_reason"] or ""),
                report["level_reason"])
    checks.equal(name + ": operations outside of it", cover["ops"], outside)
    checks.equal(name + ": matched", cover["ops_matched"], outside)
    checks.equal(name + ": nothing is owed", cover["calls_owing"], 0)
    checks.equal(name + ": calls in it", cover["lost"]["other-tool"], IN_SESSION * sessions)
    # a session sleeps 0.4 s; what follows counts until the next operation of ours
    checks.true(name + ": blind for its length", sessions * 0.4 * SECOND <= cover["blind_ns"] <=
                sessions * 3.3 * SECOND, cover["blind_ns"])
    checks.true(name + ": charged as blind", abs(cover["blind_ns"] - not_seen(report)) <=
                0.01 * SECOND, (not_seen(report), cover["blind_ns"]))
    checks.true(name + ": the text says so", "not recorded for" in " ".join(ours.stderr.split()),
                ours.stderr)


def later(name, lib, **more):
    """The tool comes later, goes, and we record again."""
    ours = both(name, ["launch", "200", "sync"] + session(lib) + BACK +
                ["launch", "50", "sleep", "100", "launch", "50", "sync"] + last(lib), **more)
    blind(name, ours, 1, 300)
    checks.equal(name + ": host calls go on", ours.report["calls"]["launch"]["count"], 700)
    kernels = ours.report["devices"][0]["timeline"]["kernel_ns"]
    checks.equal(name + ": kernels of 10 us", round(kernels / 300 / 1000), 10)


def twice():
    lib = tool("tool_profiler")
    ours = both("two sessions", ["launch", "200", "sync"] + (session(lib) + BACK + ["launch", "50", "sync"])
                * 2 + last(lib))
    blind("two sessions", ours, 2, 300)


def until_the_end():
    lib = tool("tool_profiler")
    ours = both("until the end", ["launch", "200", "sync"] + session(lib)[:-3] +
                ["sleep", "200"] + last(lib))
    blind("until the end", ours, 1, 200)


def first(name, lib):
    """CUPTI is theirs before we come; we take what is left."""
    ours = both(name, session(lib) + BACK + ["launch", "50", "sync"] + last(lib))
    checks.equal(name + ": level", ours.report["level"], "C")
    checks.true(name + ": why", "another tool" in ours.report["level_reason"],
                ours.report["level_reason"])
    checks.equal(name + ": host calls", ours.report["calls"]["launch"]["count"], 450)


def unseen():
    """Buffers taken by calls that nobody sees: launches go on, and no buffer is asked for."""
    lib, name = tool("tool_profiler_dlsym"), "by dlsym"
    ours = both(name, ["launch", "200", "sync", "sleep", "1500", "tool", lib, "tool_begin"] +
                ["launch", "150", "sleep", "60"] * 100 +
                ["sync", "tool", lib, "tool_end"] + last(lib), but="per thread .")
    cover = ours.report["coverage"]
    checks.equal(name + ": level", ours.report["level"], "A")
    checks.true(name + ": why", "another tool" in (ours.report["level_reason"] or ""),
                ours.report["level_reason"])
    checks.true(name + ": what was before is there", 100 <= cover["ops"] <= 200, cover)
    checks.true(name + ": blind most of the rest", cover["blind_ns"] >= 4 * SECOND, cover)
    checks.true(name + ": no idle time is claimed for it", not_seen(ours.report) >= 4 * SECOND,
                not_seen(ours.report))


def injected():
    """A profiler started from outside owns the injection variable: it stays, CUPTI is theirs."""
    ours = both("injected", ["launch", "100", "sync"],
                CUDA_INJECTION64_PATH=tool("tool_injected"))
    checks.equal("injected: level", ours.report["level"], "C")
    checks.true("injected: it counted", "tool: 100 launches" in ours.stdout, ours.stdout)


def two_images():
    """A copy of libcupti is named, but the job has loaded one: two images would fight."""
    lib = tool("tool_profiler")
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "libcupti.so.13")
        shutil.copy(os.path.join(BUILD, "vgpu", "13", "libcupti.so.13"), copy)
        ours = both("two images", last(lib) + ["launch", "100", "sync"] + session(lib) + BACK +
                    ["launch", "50", "sync"] + last(lib), WHYIDLE_LIBCUPTI=copy)
        blind("two images", ours, 1, 150)
        alone = run([job(), "launch", "100", "sync"], WHYIDLE_LIBCUPTI=copy)
        checks.equal("a copy alone: level", alone.report["level"], "A")


def flicker():
    """Threads launch while sessions come and go: nobody gets a stranger's buffer."""
    lib = tool("tool_profiler")
    ours = run([job(), "launch", "10", "beside", "4", "tool", lib, "tool_flicker"] + last(lib) +
               ["sync"], TOOL_CLOCK=0)
    checks.equal("flicker: status", ours.status, 0)
    checks.true("flicker: no stranger, no failure", re.search(
        "0 foreign buffers, .* 0 calls failed", ours.stdout), ours.stdout + ours.stderr)
    sums("flicker", ours.report)


profiler, subscriber = tool("tool_profiler"), tool("tool_subscriber")
CASES = [
    (later, "subscriber", subscriber, {}),
    (later, "profiler", profiler, {"TOOL_CLOCK": 0}),
    (later, "profiler with a clock", profiler, {}),
    (later, "profiler that finalizes", profiler, {"TOOL_FINALIZE": 1}),
    (twice,), (until_the_end,), (unseen,), (injected,), (two_images,), (flicker,),
    (first, "subscriber first", subscriber),
    (first, "profiler first", profiler),
    (first, "subscriber first, by dlsym", tool("tool_subscriber_dlsym")),
]
with concurrent.futures.ThreadPoolExecutor(4) as pool: # they sleep most of the time
    running = [pool.submit(case[0], *[a for a in case[1:] if not isinstance(a, dict)],
                           **(case[-1] if isinstance(case[-1], dict) else {})) for case in CASES]
    for one in running:
        one.result()
checks.finish()
