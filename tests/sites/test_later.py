#!/usr/bin/env python3
"""A program without symbols: the job keeps file, build id and address of its sites, and the command
finds the lines once the debug information is there: beside the file, in .debug, from the document and
from the trace. The debug information of another build is not used."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "preload"))
from jobs import BUILD, Checks, Run, environment, need_virtual_gpu, skip  # noqa: E402
from jobs import job as native_job  # noqa: E402

need_virtual_gpu()
for tool in ("objcopy", "strip", "readelf"):
    if not shutil.which(tool):
        skip(f"no {tool} here")
notes = subprocess.run(["readelf", "-n", native_job()], capture_output=True, text=True).stdout
if "Build ID: " not in notes:
    skip("this compiler gives its programs no build id")
build_id = notes.split("Build ID: ")[1].split()[0]
checks = Checks()
whyidle = os.path.join(BUILD, "src", "cli", "whyidle")
source = open(os.path.join(HERE, "..", "preload", "job.c")).read().splitlines()
after = next(n for n, text in enumerate(source, 1) if "cudaMalloc(&device, bytes)" in text)


def shown(path, home):
    env = {**os.environ, "HOME": home}
    done = subprocess.run([whyidle, "report", "--format", "json", path], capture_output=True,
                          text=True, timeout=60, env=env)
    checks.equal(f"report {path}", (done.returncode, done.stderr), (0, ""))
    return json.loads(done.stdout)


def site_of(document):
    return document["findings"][0]["site"]["after"]


with tempfile.TemporaryDirectory() as home:
    folder = os.path.join(home, "bin")
    out = os.path.join(home, "out")
    program, trace = os.path.join(folder, "solver"), os.path.join(home, "trace")
    debug = os.path.join(home, "solver.debug")
    os.mkdir(folder)
    shutil.copy(native_job(), program)
    subprocess.run(["objcopy", "--only-keep-debug", program, debug], check=True)
    subprocess.run(["strip", "--strip-all", program], check=True)
    subprocess.run(["objcopy", f"--add-gnu-debuglink={debug}", program], check=True)
    env = environment(out, WHYIDLE_TRACE=trace, WHYIDLE_PRINT="none", HOME=home)
    run = Run([program, *"copy 1 4096 launch 5 sync sleep 30".split() * 10], env, out)
    checks.equal("status", run.status, 0)
    raw = site_of(run.report)
    checks.true("unresolved in the job", raw.startswith("solver+0x"), raw)
    kept = [row for row in run.report["unresolved"] if row["site"] == raw]
    checks.equal("what is kept", [(row["path"], row["build_id"]) for row in kept],
                 [("~/bin/solver", build_id)])
    checks.true("its address", kept and f"solver+{hex(kept[0]['address'] + 1)}" == raw, kept)
    for path in (run.files[0], trace):
        document = shown(path, home)
        checks.equal(f"nothing there: {path}", site_of(document), raw)
        checks.equal(f"nothing there, the list: {path}", document["unresolved"],
                     run.report["unresolved"])
    for place in (folder, os.path.join(folder, ".debug")):
        os.makedirs(place, exist_ok=True)
        there = os.path.join(place, "solver.debug")
        shutil.copy(debug, there)
        for path in (run.files[0], trace):
            document = shown(path, home)
            print(place, site_of(document))
            checks.equal(f"{place} {path}", site_of(document).split(" in ")[0], f"job.c:{after}")
            checks.equal(f"{place}, the list", [r for r in document["unresolved"]
                                                if r["site"] == raw], [])
        data = open(there, "rb").read().replace(bytes.fromhex(build_id), bytes(len(build_id) // 2))
        open(there, "wb").write(data)  # of another build, as far as it says
        checks.equal(f"{place}, another build", site_of(shown(run.files[0], home)), raw)
        os.remove(there)
    # packed, as distributions do
    there = os.path.join(folder, "solver.debug")
    subprocess.run(["objcopy", "--compress-debug-sections=zlib", debug, there], check=True)
    listed = subprocess.run(["readelf", "-t", there], capture_output=True, text=True).stdout
    checks.true("it is packed", "COMPRESSED" in listed)
    checks.equal("packed", site_of(shown(run.files[0], home)).split(" in ")[0], f"job.c:{after}")
    data = bytearray(open(there, "rb").read())
    for at in range(len(data) // 3, len(data) // 3 + 4000):  # damaged: no line, and no fault
        data[at] ^= 0x5A
    open(there, "wb").write(data)
    shown(run.files[0], home)
    os.remove(there)
    # the program itself, with all it had: the same build
    shutil.copy(native_job(), program)
    checks.equal("the file itself", site_of(shown(run.files[0], home)).split(" in ")[0],
                 f"job.c:{after}")
checks.finish()
