#!/usr/bin/env python3
"""Records as far apart as each version of CUPTI lays them, from end to end: what a job did is
decoded alike under every CUDA major and every row of record sizes."""
import os

from jobs import BUILD, Checks, job, run, skip

checks = Checks()
BYTES = 40960
ran = 0
for major in ("11", "12", "13"):
    if not os.path.exists(job(major)):
        continue
    for strides in ("11.8", "12.4", "13.0"):
        ran += 1
        name = f"CUDA {major} with the sizes of {strides}"
        # 60 kernels of 432 x 256, 7 copies up and one back, 5 memsets
        report = run([job(major), "launch", "60", "copy", "7", str(BYTES), "memset", "5", "sync"],
                     major, VGPU_CUPTI_STRIDES=strides).report
        checks.equal(name + ": level", report["level"], "A")
        cover, device = report["coverage"], report["devices"][0]
        checks.equal(name + ": operations", (cover["ops"], cover["ops_matched"]), (73, 73))
        checks.equal(name + ": nothing lost", sum(cover["lost"].values()), 0)
        kernel = report["kernels"][0]
        checks.equal(name + ": the kernel", (kernel["name"], kernel["count"], kernel["grid"],
                                             kernel["block"], kernel["total_ns"]),
                     ("job_kernel", 60, [432, 1, 1], [256, 1, 1], 60 * 10000))
        copies = {c["direction"]: (c["count"], c["bytes"]) for c in report["copies"]}
        checks.equal(name + ": copies", copies, {"host-to-device": (7, 7 * BYTES),
                                           "device-to-host": (1, BYTES)})
        checks.equal(name + ": the device", (device["name"], device["sms"]),
                     ("whyidle virtual GPU", 108))
if not ran:
    skip("the virtual GPU is not built")
checks.true("all three majors are built", ran == 9, os.listdir(os.path.join(BUILD, "vgpu")))
checks.finish()
