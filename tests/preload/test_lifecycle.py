#!/usr/bin/env python3
"""Unusual ends, children and names: the job is as it is alone, and what is left is a whole report."""
import os
import resource
import shutil
import subprocess
import tempfile

from jobs import BUILD, LIB, Checks, Run, environment, need_virtual_gpu, not_tried, run, run_plain

need_virtual_gpu()
checks = Checks()
# a sanitizer's handler is not there where the job has none
UNHANDLED = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":handle_segv=0"}
LIFE = os.path.join(BUILD, "tests", "preload", "life_job")


def both(text, level="auto", **more):
    words = [LIFE] + text.split()
    plain, ours = run_plain(words, **more), run(words, WHYIDLE_CUPTI=level, **more)
    checks.equal(f"{text}, {level}: status and output", (ours.status, ours.stdout),
                 (plain.status, plain.stdout))
    return ours


def launches(report):
    return report["calls"]["launch"]["count"]


for level in ("auto", "off"):
    ours = both("segv", level)
    checks.equal("the job's own handler ran", ours.status, 42)
    checks.equal("fault: by the signal", both("fault", level, **UNHANDLED).status, -11)
    checks.equal("term: by the signal", both("term", level).status, -15)
    checks.equal("spawn, vfork: one report", len(both("spawn vfork spawn", level).reports), 1)
    ours = both("storm 200", level)
    checks.equal("storm: one report, the parent's launches", launches(ours.report), 201)
    ours = both("threads 1000", level)
    # 128 threads have a ring of their own, the others share one that takes entries of any number of
    # threads at once. The engine has no clock for so many threads, which is counted.
    report = ours.report
    checks.equal("1000 threads: seen", launches(report), 1001)
    checks.true("1000 threads: those beyond the engine's clocks are counted",
                report["coverage"]["lost"]["threads"] > 0, report["coverage"]["lost"])
    for device in report["devices"]:
        if device["window"]:
            checks.equal("1000 threads: sums", sum(device["classes"].values()),
                         device["window"]["length_ns"])

# a kill loses no more than one interval of rolling reports, 1 s apart at first, and what writing takes
killed = run([LIFE, "wait", "3", "term"])
lost_s = (killed.report["job"]["start_ns"] + 3_000_000_000 - killed.report["run"]["end_ns"]) / 1e9
checks.true("killed: not older than an interval", lost_s < 2, lost_s)

ours = both("names")
names = [kernel["name"] for kernel in ours.report["kernels"]]
checks.true("names: all kernels, the longest cut", len(names) == 6 and
            all(len(name) <= 1000 for name in names), [name[:40] for name in names])
checks.true("names: no control bytes on the terminal",
            not any(c < " " and c != "\n" or "\x7f" <= c < "\xa0" for c in ours.stderr),
            repr(ours.stderr))
checks.true("names: no forged line", "\nforged" not in ours.stderr, ours.stderr)


def limited(name, limit_bytes):
    """A limit of file size: writing past it sends a signal that ends a process by default."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))
    with tempfile.TemporaryDirectory() as out:
        env = environment(out, WHYIDLE_TRACE=os.path.join(out, "trace"))
        got = Run([LIFE, "wait", "2"], env, out, preexec_fn=limit)
        checks.equal(name + ": job", (got.status, got.stdout), (0, "launch 0\nsync 0\n"))
        checks.equal(name + ": no report", got.files, [])
        checks.equal(name + ": said once", got.stderr.count("could not be written"), 1)
        left = [f for _, _, files in os.walk(out) for f in files if f.endswith(".tmp")]
        checks.equal(name + ": nothing half-written", left, [])


limited("file size limit 0", 0)
limited("file size limit 1000", 1000)

# nobody reads stderr any more
for words in (["wait", "1"], []):
    ends = os.pipe()
    os.close(ends[0])
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([LIFE] + words, env=environment(out, WHYIDLE_LOG=3), stderr=ends[1],
                              stdout=subprocess.PIPE, check=False)
        checks.equal("closed stderr: job", (done.returncode, done.stdout),
                     (0, b"launch 0\nsync 0\n"))
    os.close(ends[1])
# and a job without one at all: its files may get the number 2
done = subprocess.run(["/bin/sh", "-c", f"{LIFE} 2>&-"], capture_output=True, check=False,
                      env=environment(None, WHYIDLE_OUT="/dev/null/x", TMPDIR="/dev/null/y"))
checks.equal("no stderr: job", (done.returncode, done.stdout), (0, b"launch 0\nsync 0\n"))

# a set-id program is left alone, also where the driver loads the library
if os.geteuid() == 0:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o777)
        job, copy = os.path.join(BUILD, "tests", "preload", "job_set_id"), folder + "/set_id_job"
        shutil.copy(job, copy)
        os.chown(copy, 65534, 65534)
        os.chmod(copy, 0o4755)
        env = environment(folder, preload=False)
        plain = subprocess.run([copy], env=env, capture_output=True, text=True, check=False,
                               cwd=folder)
        env.update(CUDA_INJECTION64_PATH=LIB, WHYIDLE_LOG="3")  # says when it is armed
        ours = subprocess.run([copy], env=env, capture_output=True, text=True, check=False,
                              cwd=folder)
        if plain.returncode != 0:
            not_tried("set-id", "other users cannot run the build: " + plain.stderr.strip()[-200:])
        else:
            checks.equal("set-id: job", (ours.returncode, ours.stdout, ours.stderr),
                         (0, plain.stdout, plain.stderr))
            checks.equal("set-id: no file", os.listdir(folder), ["set_id_job"])
            with tempfile.TemporaryDirectory() as out:
                env["WHYIDLE_OUT"] = out
                checks.equal("the same program without the bit leaves a report",
                             len(Run([job], env, out).reports), 1)
else:
    not_tried("set-id", "only root can make one here")
checks.finish()
