#!/usr/bin/env python3
"""SIGKILL loses at most the rolling interval; a hanging last flush does not hold the job."""
import time

from jobs import Checks, job, need_virtual_gpu, run

need_virtual_gpu(cupti=False)
checks = Checks()
killed = run([job(), "launch", "500", "sync", "sleep", "2600", "kill"])
checks.equal("killed: status", killed.status, -9)
report = killed.report
checks.equal("killed: end", report["job"]["end"], "running")
lost_s = (report["job"]["start_ns"] + 2_600_000_000 - report["run"]["end_ns"]) / 1e9
print("data to", round(lost_s, 2), "s before the end")
# the interval is 1 s in a young job, and writing takes its time on a busy machine
checks.true("killed: at most one interval old", lost_s < 2, lost_s)
launches = report["calls"]["launch"]["count"] if "calls" in report else 500
checks.equal("killed: launches in the last rolling report", launches, 500)

need_virtual_gpu()
begin = time.monotonic()
hung = run([job(), "launch", "100", "sync"], VGPU_FAULT="flush-hang", WHYIDLE_EXIT_MS=300)
took = time.monotonic() - begin
checks.equal("hanging flush: status", hung.status, 0)
checks.true("hanging flush: the job ends in time", took < 5, took)
checks.equal("hanging flush: a report all the same", len(hung.reports), 1)
checks.finish()
