#!/usr/bin/env python3
"""What the job did is what the report counts, at level A, for every CUDA major that is built."""
import os

from jobs import BUILD, Checks, job, need_virtual_gpu, run

need_virtual_gpu()
checks = Checks()
for major in ("13", "12", "11"):
    if not os.path.exists(job(major)):
        print(f"no job for CUDA {major}")
        continue
    need_virtual_gpu(major) if major != "11" else None
    got = run([job(major), "launch", "1234", "copy", "37", "65536", "memset", "11", "sync",
               "sleep", "30", "launch", "66", "sync"], major=major)
    report = got.report
    name = f"CUDA {major}"
    checks.equal(name + ": level", report["level"], "A")
    device = report["devices"][0]
    kernels = {k["name"]: k["count"] for k in report["kernels"]}
    checks.equal(name + ": kernels", kernels.get("job_kernel"), 1300)
    copies = {(c["direction"]): c["count"] for c in report["copies"]}
    checks.equal(name + ": copies", copies.get("host-to-device"), 37)
    checks.equal(name + ": read-backs", copies.get("device-to-host"), 1)
    checks.equal(name + ": class sums", sum(device["classes"].values()),
                 device["window"]["length_ns"])
    cover = report["coverage"]
    checks.equal(name + ": operations", cover["ops"], 1300 + 38 + 11)
    checks.equal(name + ": all matched", cover["ops_matched"], cover["ops"])
    checks.equal(name + ": owing", cover["calls_owing"], 0)

# copies of nothing give no record and must hold nothing back
empty = run([job(), "launch", "3", "copy", "5", "0", "sync"]).report
checks.equal("empty copies owe nothing", empty["coverage"]["calls_owing"], 0)

# a spin on a query is folded into few records and still counted in full, without a loss
spin = run([job(), "launch", "10", "stream", "query", "50000", "sync"]).report
checks.equal("queries counted", spin["calls"]["query"]["count"], 50000)
checks.equal("no record lost", spin["coverage"]["lost"]["ring-full"], 0)

# many threads at once: 128 rings, the others share one; what is not accounted is counted as lost
many = run([job(), "threads", "200", "20", "sync", "threads", "100", "30", "sync"]).report
cover = many["coverage"]
lost = cover["lost"]["threads"] + cover["lost"]["ring-full"]
# (the two waits may be among the lost ones)
checks.true("launches of 200 and 100 threads, accounted or counted as lost",
            7000 <= cover["ops_matched"] + lost <= 7002, cover)
checks.true("those with a ring are all seen",
            many["calls"]["launch"]["count"] >= 128 * 20 + 100 * 30, many["calls"]["launch"])
checks.equal("all kernels", sum(k["count"] for k in many["kernels"]), 7000)
checks.finish()
