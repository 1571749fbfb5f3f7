#!/usr/bin/env python3
"""What no wrapper sees, and what gives no record: driver calls, captures, graphs."""
import os

from jobs import BUILD, Checks, need_virtual_gpu, run

need_virtual_gpu()
checks = Checks()
here = os.path.join(BUILD, "tests", "preload")

got = run([os.path.join(here, "job_driver"), "300", "7"])
report = got.report
checks.equal("driver: output", got.stdout, "failed 0\n")
checks.equal("driver: level", report["level"], "A")
checks.equal("driver: launches", report["calls"]["launch"]["count"], 300)
checks.equal("driver: kernels", {k["name"]: k["count"] for k in report["kernels"]},
             {"driver_kernel": 300})
checks.equal("driver: copies", [c["count"] for c in report["copies"]], [7])
checks.equal("driver: grid", report["kernels"][0]["grid"], [216, 1, 1])
checks.equal("driver: matched", report["coverage"]["ops_matched"], 307)

for setting, ops in (("graph", 40 + 5), ("node", 40 * 10 + 5)):
    got = run([os.path.join(here, "job_graph"), "5", "40"], WHYIDLE_GRAPH=setting)
    report = got.report
    name = f"WHYIDLE_GRAPH={setting}"
    checks.equal(name + ": output", got.stdout, "failed 0\n")
    checks.equal(name + ": operations", report["coverage"]["ops"], ops)
    checks.equal(name + ": captured launches owe nothing", report["coverage"]["calls_owing"], 0)
    checks.equal(name + ": graph launches", report["calls"]["graph-launch"]["count"], 40)
    checks.equal(name + ": launches", report["calls"]["launch"]["count"], 15)
checks.finish()
