#!/usr/bin/env python3
"""What the look at the machine says: children and how busy they are, cores allowed, NVML."""
import os
import time

from jobs import Checks, job, need_virtual_gpu, run

need_virtual_gpu()
checks = Checks()
words = [job(), "launch", "5", "workers", "1", "3"] + ["sleep", "100", "launch", "5", "sync"] * 30
seen = run(words).report["evidence"]
checks.equal("children", seen["children"], 4)
# one of four works all the time; samples before they all ran weigh a little. Where other programs take
# the cores, looks are few: the job is long enough for some
checks.true("busy share", 200 <= seen["child_cpu_permille"] <= 300, seen)
cores = len(os.sched_getaffinity(0))
checks.true("cores allowed", 1 <= seen["cores_allowed"] <= cores, seen)
checks.true("idle cores", seen["cores_idle_permille"] is not None and
            0 <= seen["cores_idle_permille"] <= cores * 1020, seen)
checks.true("utilisation", seen["gpu_util_permille"] is not None, seen)

few = run(words, WHYIDLE_CUPTI="off").report["evidence"]
checks.equal("level C: children", few["children"], 4)

one = run(["taskset", "-c", str(min(os.sched_getaffinity(0)))] + words).report["evidence"]
checks.equal("bound to one core", one["cores_allowed"], 1)

# NVML is not there, knows no utilisation (MIG), or takes long: what it does not say is not known, and
# what it says late costs no call
for fault, known in (("nvml-missing", []), ("nvml-mig", ["clock", "memory"]),
                     ("nvml-slow=50", ["clock", "memory", "util"])):
    got = run([job(), "beside", "1", "sleep", "3000", "exit", "0"], VGPU_FAULT=fault)
    checks.equal(fault + ": status", got.status, 0)
    said = got.report["evidence"]
    figures = {"util": "gpu_util_permille", "memory": "gpu_memory_free_bytes", "clock": "gpu_clock_mhz"}
    checks.equal(fault + ": known", sorted(k for k, name in figures.items() if said[name] is not None),
                 known)
    lost = got.report["coverage"]["lost"]
    checks.equal(fault + ": nothing lost", (lost["ring-full"], lost["device-records"]), (0, 0))

# a job that ends waits for the answer to one question at most, of the seven to each device
longer = []
while len(longer) < 5 and (not longer or min(longer) > 1):  # other programs may take the cores
    began = time.monotonic()
    plain = run([job(), "launch", "5", "sleep", "1700", "sync"])
    middle = time.monotonic()
    slow = run([job(), "launch", "5", "sleep", "1700", "sync"], VGPU_FAULT="nvml-slow=500")
    longer.append(time.monotonic() - middle - (middle - began))
    checks.equal("an end amid a slow answer", (slow.status, slow.stdout), (plain.status, plain.stdout))
    checks.equal("an end amid a slow answer: operations", slow.report["coverage"]["ops"], 5)
checks.true("the end is near", min(longer) <= 1, longer)

alone = run([job(), "launch", "5", "sleep", "1300", "sync"]).report["evidence"]
checks.equal("no children", alone["children"], 0)
checks.equal("nothing to say of none", alone["child_cpu_permille"], None)
checks.finish()
