"""The rows of samples/samples.def, and what a run of one of them says."""
import collections
import json
import os
import re
import resource
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TABLE = os.path.join(ROOT, "samples", "samples.def")
LEAST = 0.05  # a stall from here on is worth a verdict
OTHERS = 0.2  # of all cores used by other jobs: a run shows the machine then, not the sample
TIMEOUT_S = 60
CANNOT_SHOW = 77  # what a sample ends with where the machine does not let it do its thing

Sample = collections.namedtuple("Sample", "program subcause when cores model sentence")


class CannotShow(Exception):
    """The sample's own reason."""


def rows():
    with open(TABLE, encoding="utf-8") as file:
        found = re.findall(r'^SAMPLE\(([\w.]+), "([^"]+)", (\w+), (\d+), "([^"]*)", "([^"]+)"\)$',
                           file.read(), re.M)
    return [Sample(program, subcause, when, int(cores), model, sentence)
            for program, subcause, when, cores, model, sentence in found]


def without():
    with open(TABLE, encoding="utf-8") as file:
        return dict(re.findall(r'^WITHOUT\("([^"]+)", "([^"]+)"\)$', file.read(), re.M))


def reason_to_skip(sample, real, later):
    """Why a run of it would prove nothing here, or None."""
    if sample.when == "LATER" and not later:
        return "its evidence is not gathered yet (LATER in samples.def)"
    if sample.when == "REAL" and not real:
        return "only hardware shows it"
    if (os.cpu_count() or 1) < sample.cores:
        return f"needs {sample.cores} cores, there are {os.cpu_count()}"
    return None


def command_of(sample, build, suffix):
    if sample.program.endswith(".py"):
        return ["python3", os.path.join(ROOT, "samples", sample.program)]
    return [os.path.join(build, "samples", sample.program + suffix)]


def busy_s():
    """CPU seconds used so far: (on this machine by anybody, by this process's children)."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:]]
    own = resource.getrusage(resource.RUSAGE_CHILDREN)
    idle = ticks[3] + ticks[4]  # idle, and waiting for a disk
    return (sum(ticks[:8]) - idle) / os.sysconf("SC_CLK_TCK"), own.ru_utime + own.ru_stime


def run_beside_others(*arguments):
    """run(), and the share of all cores that other jobs took meanwhile."""
    begin, (all_before, own_before) = time.monotonic(), busy_s()
    document = run(*arguments)
    length, (all_after, own_after) = time.monotonic() - begin, busy_s()
    others = (all_after - all_before) - (own_after - own_before)
    return document, others / length / (os.cpu_count() or 1)


def run(sample, build, library_path, suffix=""):
    """Runs it under whyidle. Returns the report, or of several ranks the merged view."""
    whyidle = os.path.join(build, "src", "cli", "whyidle")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("WHYIDLE", "VGPU"))}
    env.update(pair.split("=", 1) for pair in sample.model.split())
    with tempfile.TemporaryDirectory() as folder:
        env.update(LD_LIBRARY_PATH=library_path, WHYIDLE_OUT=os.path.join(folder, "out"),
                   TMPDIR=os.environ.get("TMPDIR", build))
        if suffix == "_cu12":
            env["CUDART"] = "libcudart.so.12"
        command = [whyidle, "run", "--quiet", "--", *command_of(sample, build, suffix)]
        done = subprocess.run(command, env=env, cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=TIMEOUT_S)
        if done.returncode == CANNOT_SHOW:
            raise CannotShow(done.stderr.strip())
        if done.returncode:
            raise RuntimeError(f"{sample.program} ended with {done.returncode}:\n{done.stderr}")
        what = "merge" if sample.subcause == "communication/comm-wait" else "report"
        shown = subprocess.run([whyidle, what, "-f", "json"], env=env, cwd=folder,
                               capture_output=True, text=True, timeout=TIMEOUT_S)
        if shown.returncode:
            raise RuntimeError(f"whyidle {what}: {shown.stderr}")
        return json.loads(shown.stdout)


def shares(document):
    """{sub-cause: share of the window}; of several devices or ranks the largest."""
    found = {}
    for row in document.get("ranks") or document["devices"]:
        if not row.get("subcauses"):
            continue
        length = row["window_ns"] if "window_ns" in row else row["window"]["length_ns"]
        for subcause, ns in row["subcauses"].items():
            found[subcause] = max(found.get(subcause, 0), ns / length)
    return found


def judge(sample, document):
    """(1 if the run shows what it should, one line about it)"""
    found = shares(document)
    share = found.get(sample.subcause, 0)
    verdict = document["verdict"]["id"]
    told = verdict == sample.subcause or "findings" not in document or any(
        finding["id"] == sample.subcause for finding in document["findings"])
    most = sorted(((s, c) for c, s in found.items()), reverse=True)[:4]
    text = (f"{sample.program}: expected {sample.subcause}, {100 * share:.1f} %; verdict {verdict}; "
            + ", ".join(f"{c} {100 * s:.1f} %" for s, c in most))
    if "late" in document:  # of the merged view: rank 0 of the sample has more work
        late = [row["rank"] for row in document["ranks"] if row["straggler"]]
        told = told and late == [0] and document["late"]["reason"] == "device-work"
        text += f"; waits for {late}, {document['late']['reason']}"
    return int(share >= LEAST and told), text
