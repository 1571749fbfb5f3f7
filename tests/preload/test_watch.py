#!/usr/bin/env python3
"""What the look at the machine says: children and how busy they are, cores allowed, NVML."""
import os

from jobs import Checks, job, need_virtual_gpu, run

need_virtual_gpu()
checks = Checks()
words = [job(), "launch", "5", "workers", "1", "3"] + ["sleep", "100", "launch", "5", "sync"] * 14
seen = run(words).report["evidence"]
checks.equal("children", seen["children"], 4)
# one of four works all the time; samples before they all ran weigh a little
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

alone = run([job(), "launch", "5", "sleep", "1300", "sync"]).report["evidence"]
checks.equal("no children", alone["children"], 0)
checks.equal("nothing to say of none", alone["child_cpu_permille"], None)
checks.finish()
