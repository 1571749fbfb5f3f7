#!/usr/bin/env python3
"""The event trace of a run, read again, gives the report of the run; it is never written over."""
import json
import os
import subprocess
import tempfile

from jobs import BUILD, Checks, job, need_virtual_gpu, run, skip

need_virtual_gpu()
command = os.path.join(BUILD, "src", "cli", "whyidle")
if not os.path.exists(command):
    skip("the command is not built")
checks = Checks()
with tempfile.TemporaryDirectory() as folder:
    trace = folder + "/events"
    words = [job(), "launch", "3000", "copy", "9", "900000", "sleep", "40", "launch", "10", "sync",
             "spin", "30", "launch", "20", "sync"]
    live = run(words, WHYIDLE_TRACE=trace).report
    again = subprocess.run([command, "report", "--format", "json", trace], capture_output=True,
                           text=True)
    checks.equal("reading it: status", (again.returncode, again.stderr), (0, ""))
    offline = json.loads(again.stdout)
    for part in ("level", "devices", "verdict", "kernels", "copies", "calls", "coverage"):
        checks.equal(part, offline[part], live[part])
    pair = run([job(), "peer", "3", "50000000"], VGPU_DEVICES=2, WHYIDLE_TRACE=folder + "/pair")
    again = subprocess.run([command, "report", "--format", "json", folder + "/pair"],
                           capture_output=True, text=True)
    both = pair.report["devices"]
    checks.equal("peer copies", pair.stdout, "peer failed 0\n")
    checks.equal("are one operation each", [d["copies"] for d in both], [3, 0])
    checks.equal("and as such joined", [pair.report["coverage"][k] for k in ("ops", "ops_matched")],
                 [3, 3])
    checks.equal("in one table", [(c["device"], c["count"]) for c in pair.report["copies"]], [(0, 3)])
    checks.equal("but time of both", both[1]["timeline"]["copy_ns"], both[0]["timeline"]["copy_ns"])
    checks.equal("which is not none", both[1]["timeline"]["copy_ns"] > 0, True)
    checks.equal("also when read again", json.loads(again.stdout)["devices"], both)
    size = os.path.getsize(trace)
    run([job(), "launch", "3", "sync"], WHYIDLE_TRACE=trace)
    checks.equal("the first file is left alone", os.path.getsize(trace), size)
    checks.equal("the second is beside it", len(os.listdir(folder)), 3)
    refused = run([job(), "launch", "3", "sync"], WHYIDLE_TRACE=folder + "/none/x")
    checks.equal("a folder that is not there: status", refused.status, 0)
    checks.equal("and it is said once", refused.stderr.count("cannot be written"), 1)
checks.finish()
