"""A real PyTorch DataLoader: without workers, with too few, with enough. The report must name the cause and
the lines of the job, the job must not notice, and the forked workers must stay untouched."""
import glob
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "preload"))
from jobs import BUILD, LIB, preloads  # noqa: E402

JOB = os.path.join(HERE, "loader_job.py")
# (workers, ms per item, ms per step, batches): the verdicts that fit, by a look at what each does.
# Eight items a batch. 0 workers: 64 ms of decoding and then 20 ms of kernels in turn. 2 workers: 160 ms a
# batch from each, so one every 80 ms, against 20 ms of kernels. 4 workers: 1.6 ms against 60 ms ("none" where
# the machine is busy and takes more than a tenth of the time: then input must still be a small part).
CASES = [((0, 8, 20, 20), {"data-loading/decode-in-main-thread"}),
         ((2, 20, 20, 20), {"data-loading/too-few-workers"}),
         ((4, 0.2, 60, 25), {"compute", "none"})]
OTHERS_PERMILLE = 300  # of a core: then the machine is not the job's alone
failures = []


def environment(folder=None):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("WHYIDLE", "VGPU_", "CUDA_"))}
    env["LD_LIBRARY_PATH"] = f"{BUILD}/vgpu/13:{BUILD}/vgpu"
    env["PYTHONWARNINGS"] = "ignore"
    env["LD_PRELOAD"] = preloads()
    if folder:
        env.update(LD_PRELOAD=preloads(LIB), WHYIDLE_OUT=folder, WHYIDLE_PRINT="none")
    return env


def run(arguments, folder=None):
    done = subprocess.run([sys.executable, JOB, *map(str, arguments)], env=environment(folder),
                          capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def expect(what, got, wanted):
    if got != wanted:
        failures.append(f"{what}: got {got!r}, wanted {wanted!r}")


def line_of(text):
    """The number of the line of the job that holds the text."""
    return next(i for i, line in enumerate(open(JOB), 1) if text in line)


def check_sites(name, report):
    lines = {f"loader_job.py:{line_of(text)}" for text in ("self.rt.cudaMemcpy(self.memory", "# LOOP",
                                                          "self.rt.cudaMemcpy(ctypes.byref(loss)")}
    first = report["findings"][0]["site"]
    named = {str(v).split(" ")[0] for v in first.values()}
    if not named & lines:
        failures.append(f"{name}: sites {first}, none of {sorted(lines)}")


def verdict_of(report):
    """What the job itself does: where other programs have the cores, behind what comes of that."""
    verdict = report["verdict"]["id"]
    others = report["evidence"]["others_permille"] or 0
    if verdict != "host/cpu-contention" or others < OTHERS_PERMILLE:
        return verdict
    print(f"beside the job other programs take {others / 1000} cores")
    behind = [f["id"] for f in report["findings"] if f["id"].split("/")[0] not in ("compute", "warm-up")
              and f["id"] != verdict and f["share"] >= 0.05]
    return behind[0] if behind else "none"


def check_case(arguments, verdicts):
    name = f"{arguments[0]} workers"
    plain = run(arguments)
    with tempfile.TemporaryDirectory() as folder:
        got = run(arguments, folder)
        files = [f for f in glob.glob(folder + "/**/*.json", recursive=True) if "/latest/" not in f]
        reports = [json.load(open(f)) for f in files]
    expect(name + ": status", got[0], plain[0])
    expect(name + ": output", got[1], plain[1])
    expect(name + ": stderr", got[2], plain[2])
    expect(name + ": reports (one process uses CUDA)", len(reports), 1)
    if not reports:
        return
    report = reports[0]
    steps = report["devices"][0]["kernels"]
    expect(name + ": kernels", steps, arguments[3] * 20)
    verdict = verdict_of(report)
    if verdict not in verdicts:
        shares = {f["id"]: f["share"] for f in report["findings"]}
        failures.append(f"{name}: verdict {report['verdict']}, {shares}, wanted {sorted(verdicts)}")
    elif verdict in ("compute", "none"):
        device = report["devices"][0]
        share = device["classes"]["data-loading"] / device["window"]["length_ns"]
        if share > 0.1:
            failures.append(f"{name}: data-loading takes {share:.2f}")
    else:
        check_sites(name, report)


if importlib.util.find_spec("torch") is None:
    print("skipped: the distribution's python3-torch is not installed")
    sys.exit(77)
for case, wanted in CASES:
    check_case(case, wanted)
print("\n".join("FAIL " + f for f in failures) or "three loaders told apart, the jobs unchanged")
sys.exit(bool(failures))
