#!/usr/bin/env python3
"""The job's own NVTX ranges: they give the steps where the launches show none, name where a stall
lies, and change nothing for the job. Runs by our own client, and by the vendor's header if there is
one."""
import json
import os
import subprocess
import tempfile

from jobs import BUILD, LIB, Checks, Run, environment, need_virtual_gpu, run, run_plain

need_virtual_gpu()
checks = Checks()
STEPS = 40
FOLDER = os.path.join(BUILD, "tests", "preload")
COMMAND = os.path.join(BUILD, "src", "cli", "whyidle")
CLIENTS = [name for name in ("job_nvtx", "job_nvtx_real") if os.path.exists(f"{FOLDER}/{name}")]


def steps_of(got):
    return got.report["devices"][0]["steps"]


def waits(got):
    """The findings of host time, the largest first."""
    return [f for f in got.report["findings"] if f["id"] != "compute"]


def check_steps(what, got, count=STEPS):
    steps = steps_of(got)
    checks.true(what + ": steps", steps is not None)
    if steps:
        checks.equal(what + ": as the job marks them", (steps["count"], steps["marked"]),
                     (count, True))


def check_client(client):
    job = os.path.join(FOLDER, client)
    ranges, none = run([job, "steps"]), run([job, "steps"], WHYIDLE_NVTX="off")
    plain = run_plain([job, "steps"])
    checks.equal(client + ": the job's output", (ranges.status, ranges.stdout),
                 (plain.status, plain.stdout))
    checks.equal(client + ": off: the job's output", none.stdout, plain.stdout)
    check_steps(client, ranges)
    steps = steps_of(none)
    checks.true(client + ": the launches alone show no such steps",
                steps is None or steps["count"] != STEPS and not steps["marked"], steps)
    top = waits(ranges)[0]
    checks.equal(client + ": where the stall lies", top["range"], "fetch")
    checks.equal(client + ": off: not known", {f["range"] for f in none.report["findings"]}, {None})
    checks.true(client + ": in the text", "in NVTX range 'fetch'" in " ".join(ranges.stderr.split()),
                ranges.stderr)
    median = steps_of(ranges)["median_ns"]
    checks.true(client + ": a step takes 6 ms and the work", median > 6e6, median)
    numbered = run([job, "numbered"])
    check_steps(client + ", numbered", numbered)
    domains = run([job, "domains"])
    checks.true(client + ": domains", "same domain 1, others differ 1" in domains.stdout,
                domains.stdout)
    check_steps(client + ", registered", domains)
    checks.equal(client + ": the innermost that is not a library's", waits(domains)[0]["range"],
                 "crossing")


for client in CLIENTS:
    check_client(client)

JOB = os.path.join(FOLDER, "job_nvtx")


def unchanged(word, **more):
    got, plain = run([JOB, word], **more), run_plain([JOB, word])
    checks.equal(word + ": the job's output", (got.status, got.stdout),
                 (plain.status, plain.stdout))
    return got


check_steps("phases without a name for the turn", unchanged("phases"))
check_steps("marks", unchanged("marks"))
# every second range is ended by a thread that is not recorded
check_steps("start and end", unchanged("free"), STEPS // 2)

# what lies between two ranges is not told as of the next one, nor of the one before
between = unchanged("between")
told = {(f["id"].split("/")[0], f["api"]["after"]): f["range"] for f in between.report["findings"]}
before = [told[key] for key in told if key[0] != "transfer" and key[1] == "cudaMemcpy"]
checks.true("between: no range", before and set(before) == {None}, told)
checks.equal("between: the range of a wait in it", told.get(("unknown", "cudaDeviceSynchronize")),
             "upload")

hostile = unchanged("hostile")
name = waits(hostile)[0]["range"]
checks.equal("hostile: the bytes of the name", name[:9], "\x1b[31mred\x07")
for char in hostile.stderr:
    if char < " " and char != "\n":
        checks.true("hostile: a control byte in the text", False, repr(char))
        break
checks.true("hostile: all is valid", "\"quoted\\" in name, repr(name))

threads = unchanged("threads")
checks.equal("threads: lost calls", threads.report["coverage"]["calls_owing"], 0)
checks.equal("threads: no range was lost", threads.report["coverage"]["lost"]["marks"], 0)

fork = unchanged("fork")
checks.equal("fork: one report", len(fork.reports), 1)

flood = unchanged("flood")
lost = flood.report["coverage"]["lost"]
checks.equal("flood: no call is lost for it", lost["ring-full"], 0)
checks.true("flood: what found no room is counted", lost["marks"] > 0, lost)

with tempfile.TemporaryDirectory() as folder:
    trace = folder + "/events"
    live = run([JOB, "steps"], WHYIDLE_TRACE=trace).report
    again = subprocess.run([COMMAND, "report", "--format", "json", trace], capture_output=True,
                           text=True)
    offline = json.loads(again.stdout)
    for part in ("devices", "findings", "coverage"):
        checks.equal("read again: " + part, offline[part], live[part])

# Whoever asked for another injection keeps it.
OTHER = os.path.join(FOLDER, "libnvtx_other.so")
other = run([JOB, "steps"], NVTX_INJECTION64_PATH=OTHER)
plain = run_plain([JOB, "steps"], NVTX_INJECTION64_PATH=OTHER)
checks.equal("another tool: output", other.stdout, plain.stdout)
checks.true("another tool: it sees them", "the other tool saw" in other.stdout, other.stdout)
checks.equal("another tool: we do not", {f["range"] for f in other.report["findings"]}, {None})

for name, more, wanted in (("set", {}, LIB), ("off", {"WHYIDLE_NVTX": "off"}, "-"),
                           ("switched off", {"WHYIDLE": "0"}, "-"),
                           ("theirs", {"NVTX_INJECTION64_PATH": OTHER}, OTHER)):
    got = run([JOB, "path"], **more)
    checks.true("injection " + name, f"injection {wanted}\n" in got.stdout, got.stdout)

# Host calls alone (no CUPTI) carry ranges as well.
level_c = run([JOB, "steps"], WHYIDLE_CUPTI="off")
checks.equal("host calls only: status", (level_c.status, level_c.report["level"]), (0, "C"))

# The driver loads us without a preload: nobody sets the variable, so the user has to.
with tempfile.TemporaryDirectory() as out:
    env = environment(out, preload=False, CUDA_INJECTION64_PATH=LIB, NVTX_INJECTION64_PATH=LIB)
    check_steps("both by injection", Run([JOB, "steps"], env, out))
checks.finish()
