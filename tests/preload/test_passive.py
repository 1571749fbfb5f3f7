#!/usr/bin/env python3
"""Processes without CUDA leave no file and no output; forked children stay silent."""
import os
import re
import subprocess
import sys
import tempfile
import time

from jobs import LIB, Checks, Run, environment, job, need_virtual_gpu, run

checks = Checks()
with tempfile.TemporaryDirectory() as out:
    env = environment(out)
    script = "for i in $(seq 100); do /bin/true; done; echo done"
    done = subprocess.run(["/bin/sh", "-c", script], env=env, capture_output=True, text=True)
    checks.equal("100 processes: output", (done.stdout, done.stderr), ("done\n", ""))
    checks.equal("100 processes: files", os.listdir(out), [])

# the environment that carries the library on to the ranks of a job is set, and nothing else
shown = subprocess.run(["/usr/bin/env"], env=environment("/tmp/x"), capture_output=True, text=True)
names = {line.split("=")[0] for line in shown.stdout.splitlines()}
added = names - set(environment("/tmp/x"))
checks.equal("variables added", added - {"_"},
             {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "WHYIDLE_JOB_DIR"})

# ... whatever there was before: more variables, or longer values, than the quick way has room for
start = {k: v for k, v in environment().items() if k == "LD_PRELOAD" or k.endswith("SAN_OPTIONS")}
for what, extra in (("a few", 3), ("as many as fit", 90), ("many", 400), ("none", 0)):
    for out in ("/tmp/x", "/tmp/" + "x" * 800):
        given = {**start, "WHYIDLE_OUT": out, **{f"VAR_{i}": f"is {i}" for i in range(extra)}}
        done = subprocess.run(["/usr/bin/env", "-0"], env=given, capture_output=True, text=True)
        have = dict(line.split("=", 1) for line in done.stdout.split("\0") if line)
        job_dir = have.pop("WHYIDLE_JOB_DIR", "")
        wanted = {**given, "CUDA_INJECTION64_PATH": LIB, "NVTX_INJECTION64_PATH": LIB}
        checks.equal(f"{what} variables, {len(out)} letters: all stay, and ours",
                     sorted(have.items() ^ wanted.items())[:3], [])
        checks.true(f"{what} variables, {len(out)} letters: the folder, absolute, with date and process",
                    re.fullmatch(re.escape(out) + r"/20\d{6}-[0-2]\d[0-5]\d[0-5]\d-\d+", job_dir), job_dir)
before = time.time()
shown = subprocess.run(["/usr/bin/env"], env=environment("/tmp/x", TZ="UTC0"), capture_output=True, text=True)
stamp = re.search(r"WHYIDLE_JOB_DIR=/tmp/x/(\S+)-\d+\n", shown.stdout)[1]
checks.true("its date is now, in UTC", time.strftime("%Y%m%d-%H%M%S", time.gmtime(before)) <= stamp <=
            time.strftime("%Y%m%d-%H%M%S", time.gmtime(time.time())), stamp)
shown = subprocess.run(["/usr/bin/env"], env=environment("here", SLURM_JOB_ID="../7 a"), cwd="/usr",
                       capture_output=True, text=True)
checks.true("a relative folder becomes absolute, a foreign name clean",
            re.search(r"WHYIDLE_JOB_DIR=/usr/here/_._7_a-\d+\n", shown.stdout), shown.stdout)
# the job can go on changing them
shown = subprocess.run([sys.executable, "-c", "import os; os.environ['MORE'] = 'x'; del os.environ['WHYIDLE_OUT'];"
                        "os.putenv('CUDA_INJECTION64_PATH', 'y'); os.execv('/usr/bin/env', ['env'])"],
                       env=environment("/tmp/x"), capture_output=True, text=True)
checks.true("later changes of the job hold", "\nMORE=x\n" in shown.stdout and "WHYIDLE_OUT" not in shown.stdout and
            "CUDA_INJECTION64_PATH=y\n" in shown.stdout, shown.stdout)

# set to nothing is not set: the children get the folder of the job, not one each
shown = subprocess.run(["/usr/bin/env"], env=environment("/tmp/x", WHYIDLE_JOB_DIR=""), capture_output=True, text=True)
checks.equal("an empty folder is replaced", re.findall(r"WHYIDLE_JOB_DIR=(.*?)\d{8}-\d{6}-\d+\n", shown.stdout), ["/tmp/x/"])

kept = subprocess.run(["/usr/bin/env"], env=environment(None, CUDA_INJECTION64_PATH="/other.so"),
                      capture_output=True, text=True)
checks.true("a foreign injection path stays",
            "CUDA_INJECTION64_PATH=/other.so\n" in kept.stdout, kept.stdout)

need_virtual_gpu(cupti=False)
only = run([job(), "count"])
checks.equal("asking for devices is no use of CUDA", (only.stdout, only.stderr, only.files),
             ("devices 1\n", "", []))
forked = run([job(), "launch", "5", "fork", "fork", "fork", "sync"])
checks.equal("forked children leave no file", len(forked.files), 1)
forked = run([job(), "launch", "5", "fork-cuda", "sync"])
checks.equal("a forked child that calls CUDA leaves no file", len(forked.files), 1)
checks.equal("nor calls", forked.report["calls"]["launch"]["count"], 5)
again = run([job(), "launch", "7", "sleep", "2300", "again", "launch", "9", "sync"])
checks.equal("exec of a second CUDA program: both reports stay",
             sorted(r["calls"]["launch"]["count"] for r in again.reports), [7, 9])
checks.equal("the launcher's folder holds the ranks",
             len({os.path.dirname(f) for f in forked.files}), 1)
with tempfile.TemporaryDirectory() as out:
    env = environment(out)
    two = Run(["/bin/sh", "-c", f"{job()} launch 3; {job()} launch 4; true"], env, out)
    checks.equal("two processes of one job: two files", len(two.files), 2)
    checks.equal("in one folder", len({os.path.dirname(f) for f in two.files}), 1)
    latest = os.path.join(out, "latest")
    checks.true("latest points to it", os.path.samefile(latest, os.path.dirname(two.files[0])))
    checks.equal("mode", {os.stat(f).st_mode & 0o777 for f in two.files}, {0o600})
checks.finish()
