"""The rows of the GPU check about PyTorch: real jobs where PyTorch finds a GPU; where there is only
a PyTorch for CPUs its DataLoader feeds a loop that calls the CUDA runtime itself."""
import os
import shutil
import subprocess
import sys
from functools import partial

from gpu_rows import (REAL, ROOT, SUFFIX, add, add_when_quiet, begin, level_of, longest_s, matched,
                      run_job, share_percent, skip)

HERE = os.path.dirname(os.path.abspath(__file__))
JOB = os.path.join(HERE, "gpu_torch_job.py")
LOOP = os.path.join(ROOT, "tests", "torch", "loader_job.py")
ASK = ("import torch; print(torch.__version__, torch.version.cuda or '-', "
       "torch.cuda.is_available())")
MOST_INPUT_PERCENT = 10  # what starting the workers may take of a run that waits for no input
MAIN_THREAD, WORKERS = "data-loading/decode-in-main-thread", "data-loading/too-few-workers"
# Workers, what the largest finding must be (None: the input must be no matter), arguments of the
# job with a GPU (32 items of so many ms a batch, a step of 5 to 100 ms), of the loop that calls
# the runtime (8 items of so many ms a batch, ms a step, batches).
LOOPS = [(0, MAIN_THREAD, ["4"], ["8", "20", "20"]),
         (2, WORKERS, ["15"], ["20", "20", "20"]),
         (8, None, ["0.02"], ["0.2", "60", "80"])]


def find_torch():
    """(interpreter, version, whether it finds a GPU), or None"""
    found = None
    for python in dict.fromkeys([sys.executable, shutil.which("python3"), "/usr/bin/python3"]):
        if not python or not os.path.exists(python):
            continue
        try:
            done = subprocess.run([python, "-c", ASK], capture_output=True, text=True,
                                  timeout=min(60, longest_s()), check=False)
        except subprocess.TimeoutExpired:
            continue
        if done.returncode == 0:
            version, cuda, gpu = done.stdout.split()
            if gpu == "True":
                return python, f"{version}, CUDA {cuda}", True
            found = found or (python, version, False)
    return found


def largest_finding(report):
    """Start-up apart: these jobs are too short for it to be no matter."""
    ids = [f["id"] for f in (report or {}).get("findings", [])]
    return next((i for i in ids if not i.startswith("warm-up/")), "no finding")


def judge_loop(wanted, report):
    """(what was found, whether that is right)"""
    input_percent = share_percent(report, "data-loading")
    verdict = (report or {}).get("verdict", {}).get("id", "-")
    text = (f"{largest_finding(report)}, verdict {verdict}, "
            f"input {'-' if input_percent is None else f'{input_percent:.0f}'} %, "
            f"{level_of(report)}")
    if wanted:
        return text, largest_finding(report) == wanted
    return text, input_percent is not None and input_percent <= MOST_INPUT_PERCENT


def run_loop(name, wanted, command, **more):
    add_when_quiet(f"{name}: cause", wanted or f"waits for input at most {MOST_INPUT_PERCENT} %",
                   lambda: judge_loop(wanted, run_pair(name, command, **more)))


def run_pair(name, command, **more):
    """The report of a run at level A, whose output must be that of a bare run."""
    bare = run_job(command, None, **more)
    status, out, err, report = run_job(command, "A", **more)
    same = bare[0] == 0 and (status, out) == bare[:2]
    add(f"{name}: output and status unchanged", "", f"status {status}"
        + ("" if same else f", bare {bare[0]}: {(err or bare[2]).strip()[-150:]}"), same)
    return report


def loops_on_gpu(python):
    for workers, wanted, words, _ in LOOPS:
        name = f"PyTorch training, {workers} loader workers"
        command = [python, JOB, "loader", str(workers), *words]
        begin(name, partial(run_loop, name, wanted, command, library_path=None))


def profiler_on_gpu(python, name):
    report = run_pair(name, [python, JOB, "profiler"], library_path=None)
    blind = share_percent(report, "unknown")
    add(f"{name}: the report tells its level and what it did not see", "level A",
        f"{level_of(report)}, unknown {'-' if blind is None else f'{blind:.1f}'} %",
        level_of(report).startswith("level A"))


def graph_on_gpu(python, name):
    report = run_pair(name, [python, JOB, "graph"], library_path=None)
    seen = (((report or {}).get("calls") or {}).get("graph-launch") or {}).get("count")
    text, all_matched = matched(report)
    add(f"{name}: every replay seen", "1000 graph launches",
        f"{seen}, {text}, {level_of(report)}", seen == 1000 and all_matched)


def matmul_on_gpu(python, name):
    report = run_pair(name, [python, JOB, "matmul"], library_path=None)
    text, all_matched = matched(report)
    busy = share_percent(report, "compute")
    add(f"{name}: every kernel seen", "all matched, level A",
        f"{text}, compute {'-' if busy is None else f'{busy:.0f}'} %, {level_of(report)}",
        all_matched and level_of(report).startswith("level A"))


ON_GPU = {"torch.profiler inside the job": profiler_on_gpu, "CUDA graphs of PyTorch": graph_on_gpu,
          "cuBLAS, launched past the shared runtime": matmul_on_gpu}


def loops_through_the_runtime(python):
    if SUFFIX:
        skip("training loops of PyTorch's DataLoader", "loader_job.py needs libcudart.so.13")
        return
    for workers, wanted, _, words in LOOPS:
        name = f"PyTorch DataLoader, {workers} workers, steps through the CUDA runtime"
        command = [python, LOOP, str(workers), *words]
        begin(name, partial(run_loop, name, wanted, command))


def check_torch():
    found = find_torch()
    if found and found[2] and REAL:
        add("PyTorch", "", found[1], None, "measure")
        loops_on_gpu(found[0])
        for name, check in ON_GPU.items():
            begin(name, partial(check, found[0], name))
        return
    if not found:
        reason = "no PyTorch is installed"
        skip("PyTorch training loops", reason)
    else:
        reason = f"PyTorch {found[1]} finds no GPU" if REAL else \
            "the virtual GPU has no cuBLAS and no cuDNN, which PyTorch needs"
        loops_through_the_runtime(found[0])
    for name in ON_GPU:
        skip(name, reason)
