#!/usr/bin/env python3
"""Report files: a folder that cannot be written, a full disk, hostile names, links, old files."""
import json
import os
import re
import shlex
import subprocess
import tempfile

from jobs import BUILD, LIB, Checks, Run, environment, job, need_virtual_gpu, not_tried

need_virtual_gpu(cupti=False)
checks = Checks()
SOURCES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND = os.path.join(BUILD, "src", "cli", "whyidle")
words = [job(), "launch", "5", "sync"]
PLAIN = "launch failed 0\nsync 0\n"

with tempfile.TemporaryDirectory() as folder:
    # a folder that cannot exist: the report goes to the temporary folder, said in one line
    env = environment("/dev/null/out", TMPDIR=folder)
    got = Run(words, env, folder)
    checks.equal("no folder: job", (got.status, got.stdout), (0, PLAIN))
    checks.equal("no folder: one report in TMPDIR", len(got.files), 1)
    checks.equal("no folder: said once", got.stderr.count("cannot be written"), 1)
    checks.true("no folder: the line names the file", got.files[0] in got.stderr, got.stderr)
    spare = f"{folder}/whyidle-out-{os.getuid()}"
    checks.equal("no folder: in a job's folder of the user's own",
                 os.path.dirname(os.path.dirname(got.files[0])), spare)
    checks.equal("no folder: the latest there", os.path.realpath(spare + "/latest"),
                 os.path.realpath(os.path.dirname(got.files[0])))
    found = subprocess.run([COMMAND, "report", "--format", "json"], capture_output=True, text=True,
                           env={**env, "LD_PRELOAD": ""})
    checks.equal("no folder: the command finds it", json.loads(found.stdout or "{}").get("job"),
                 got.report["job"])

with tempfile.TemporaryDirectory() as folder:
    # the wrapper's choice cannot be made when the time comes: it finds what its job left elsewhere
    out = folder + "/out"
    env = environment(None, preload=False, WHYIDLE_OUT=out, TMPDIR=folder, WHYIDLE_LIB=LIB)
    script = f"touch {out}; exec {job()} launch 5 sync"
    got = subprocess.run([COMMAND, "run", "/bin/sh", "-c", script], capture_output=True, text=True,
                         env=env)
    checks.equal("late: job", (got.returncode, got.stdout), (0, PLAIN))
    checks.true("late: a report", "\nVERDICT " in got.stderr, got.stderr)
    checks.true("late: said where", f"the report is in {folder}/whyidle-out-" in got.stderr,
                got.stderr)

with tempfile.TemporaryDirectory() as folder:
    # the spare folder is taken by something else: the report lies beside it
    with open(f"{folder}/whyidle-out-{os.getuid()}", "w"):
        pass
    got = Run(words, environment("/dev/null/out", TMPDIR=folder), folder)
    checks.equal("no spare folder: one report", len(got.files), 1)
    checks.equal("no spare folder: in TMPDIR", os.path.dirname(got.files[0]), folder)

with tempfile.TemporaryDirectory() as folder:
    # where there is no cause to explain, NEXT shows the report: this one, not the latest elsewhere
    got = Run([job(), "sync"], environment("/dev/null/out", TMPDIR=folder), folder)
    tail = " ".join(got.stderr[got.stderr.index("\nNEXT"):].split())
    shown = shlex.split(re.search(r"whyidle (report --format json.*?) \u00b7", tail).group(1))
    checks.equal("no folder: NEXT names the file", shown[3:], got.files)

with tempfile.TemporaryDirectory() as folder:
    # neither place: the job goes on
    got = Run(words, environment("/dev/null/out", TMPDIR="/dev/null/tmp"), folder)
    checks.equal("nowhere: job", (got.status, got.stdout), (0, PLAIN))
    checks.equal("nowhere: said once", got.stderr.count("could not be written"), 1)

with tempfile.TemporaryDirectory() as folder:
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", folder],
                             capture_output=True).returncode == 0
    if mounted:
        try:
            with open(os.path.join(folder, "full"), "wb") as file:
                try:
                    file.write(b"x" * 4096)
                    file.flush()
                except OSError:
                    pass
            got = Run(words, environment(folder, TMPDIR=folder), None)
            checks.equal("disk full: job", (got.status, got.stdout), (0, PLAIN))
            checks.equal("disk full: said once", got.stderr.count("could not be written"), 1)
            left = [f for _, _, files in os.walk(folder) for f in files if f != "full"]
            checks.equal("disk full: nothing half-written is left", left, [])
        finally:
            subprocess.run(["umount", folder], check=True)
    else:
        not_tried("disk full", "mounting is not allowed")

with tempfile.TemporaryDirectory() as folder:
    # a folder that is there and cannot be written, for root neither
    out, other = os.path.join(folder, "out"), os.path.join(folder, "other")
    os.mkdir(out)
    os.mkdir(other)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "none", out],
                             capture_output=True).returncode == 0
    if not mounted:
        os.chmod(out, 0o555)
    if mounted or os.geteuid() != 0:
        try:
            got = Run(words, environment(out, TMPDIR=other), other)
            checks.equal("read-only folder: job", (got.status, got.stdout), (0, PLAIN))
            checks.equal("read-only folder: one report in TMPDIR", len(got.files), 1)
            checks.equal("read-only folder: said once", got.stderr.count("cannot be written"), 1)
            os.rename(other, other + ".1")
            os.mkdir(other)
            got = Run(words, environment(None, TMPDIR=other), other, cwd=out)
            checks.equal("read-only current folder: job", (got.status, got.stdout), (0, PLAIN))
            checks.equal("read-only current folder: one report in TMPDIR", len(got.files), 1)
            checks.equal("read-only current folder: said once",
                         got.stderr.count("cannot be written"), 1)
        finally:
            if mounted:
                subprocess.run(["umount", out], check=True)
            else:
                os.chmod(out, 0o755)
    else:
        not_tried("read-only folder", "mounting is not allowed")

with tempfile.TemporaryDirectory() as folder:
    # names from the environment are cleaned; ranks are read from every launcher
    for number, (name, world) in enumerate((("RANK", "WORLD_SIZE"),
                                            ("SLURM_PROCID", "SLURM_NTASKS"),
                                            ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
                                            ("PMI_RANK", "PMI_SIZE"))):
        out = os.path.join(folder, name)
        got = Run(words, environment(out, SLURM_JOB_ID="../../x y", **{name: 3, world: 8}), out)
        report = got.report
        checks.equal(name + ": rank", (report["job"]["rank"], report["job"]["world"]), (3, 8))
        checks.true(name + ": file", ".3." in os.path.basename(got.files[0]), got.files)
        checks.true(name + ": folder", os.path.dirname(got.files[0]).startswith(out + "/_._.._x_y-"),
                    got.files)
        checks.equal(name + ": ranks above 0 print nothing", got.stderr, "")
    out = os.path.join(folder, "all")
    got = Run(words, environment(out, RANK=3, WHYIDLE_PRINT="all"), out)
    checks.true("WHYIDLE_PRINT=all", "rank 3" in got.stderr, got.stderr)
    got = Run(words, environment(out + "2", WHYIDLE_PRINT="none"), out + "2")
    checks.equal("WHYIDLE_PRINT=none", (got.stderr, len(got.files)), ("", 1))

with tempfile.TemporaryDirectory() as folder:
    # secrets among the arguments
    secret = words + ["--api-token", "abc123", "--password=def456", "-key", "ghi789"]
    shown = Run(secret, environment(folder + "/a"), folder + "/a").report["job"]["command"]
    checks.true("secrets are masked", not any(s in shown for s in ("abc123", "def456", "ghi789")),
                shown)
    checks.true("the rest is kept", "launch 5 sync --api-token ***" in shown, shown)
    hidden = Run(secret, environment(folder + "/b", WHYIDLE_ARGV=0), folder + "/b").report
    checks.equal("WHYIDLE_ARGV=0", hidden["job"]["command"], None)

with tempfile.TemporaryDirectory() as folder:
    # a relative folder is absolute from the launch on: the job may change its own
    env = environment(None, WHYIDLE_OUT="reports")
    script = f"cd / && {job()} launch 5 sync"
    got = Run(["/bin/sh", "-c", script], env, folder + "/reports", cwd=folder)
    checks.equal("relative folder", len(got.files), 1)

with tempfile.TemporaryDirectory() as folder:
    # every setting set to nothing: as if there were none, and nothing is written elsewhere
    table = open(os.path.join(SOURCES, "src", "base", "settings.def")).read()
    empty = {name: "" for name in re.findall(r'^SETTING\(\w+, "(\w+)"', table, re.M)}
    before = set(os.listdir("/"))
    got = Run(words, environment(None, TMPDIR="", **empty), folder, cwd=folder)
    checks.equal("empty settings: job", (got.status, got.stdout), (0, PLAIN))
    checks.true("empty settings: no word about them", "whyidle: " not in got.stderr, got.stderr)
    checks.equal("empty settings: the report is in the folder for reports",
                 [os.path.dirname(os.path.dirname(f)) for f in got.files], [folder + "/whyidle-out"])
    checks.equal("empty settings: nothing new in /", set(os.listdir("/")) - before, set())
    got = Run(words, environment(folder + "/lib", WHYIDLE_LIB=LIB), folder + "/lib")
    checks.true("a setting of the command: no word about it", "whyidle: " not in got.stderr, got.stderr)


def planted(what, names):
    """Links in the way of the names that the report would have are not followed."""
    with tempfile.TemporaryDirectory() as folder:
        out = folder + "/job"
        os.mkdir(out)
        victim = folder + "/victim"
        with open(victim, "w") as file:
            file.write("mine")
        host = os.uname().nodename
        child = subprocess.Popen(["/bin/sh", "-c", "read go; exec \"$@\"", "sh"] + words,
                                 env=environment(None, WHYIDLE_JOB_DIR=out), stdin=subprocess.PIPE,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name in names:
            os.symlink(victim, os.path.join(out, name.format(host=host, pid=child.pid)))
        child.communicate(b"go\n")
        with open(victim) as file:
            checks.equal(what + ": the victim is untouched", file.read(), "mine")
        made = [f for f in os.listdir(out) if not os.path.islink(os.path.join(out, f))]
        checks.equal(what + ": the report has a name of its own", len(made), 1)
        for name in made:
            json.load(open(os.path.join(out, name)))


REPORT, TEMPORARY = "{host}.0.{pid}.json", ".{host}.0.{pid}.tmp"
planted("links in both places", [REPORT, TEMPORARY])
planted("a link in the report's place", [REPORT])
planted("a link in the place where it is written", [TEMPORARY])
checks.finish()
