#!/usr/bin/env python3
"""calls.def against the export tables of the runtimes at hand: every wrapped name exists there, and
every launch, copy, memory set, wait or allocation that exists is wrapped or listed here."""
import os
import re
import subprocess

from jobs import BUILD, Checks

SOURCE = os.environ["WI_SOURCE"]
NODES = {"ALL": (11, 12, 13), "UPTO12": (11, 12), "FROM12": (12, 13), "V12": (12,), "V13": (13,)}
# Seen by their effect, or of no weight: creation of what is used later, queries of properties.
NOT_WRAPPED = {
    "cudaLaunchCooperativeKernelMultiDevice", "cudaMallocMipmappedArray", "cudaFreeMipmappedArray",
}
# Came within the 12 series: older ones lack them.
LATE = {
    "__cudaLaunchKernel", "__cudaLaunchKernel_ptsz", "cudaMemcpyBatchAsync",
    "cudaMemcpyBatchAsync_ptsz", "cudaMemcpy3DBatchAsync", "cudaMemcpy3DBatchAsync_ptsz",
    "cudaLibraryLoadData", "cudaLibraryLoadFromFile",
}
WORTH = re.compile(r"^(__)?cuda(Launch|Memcpy|Memset|MemPrefetch|Malloc|Free|Graph(Launch)|HostAlloc|"
                   r"HostRegister|HostUnregister|DeviceSynchronize|StreamSynchronize|StreamQuery|"
                   r"EventSynchronize|EventQuery|EventRecord|StreamWaitEvent|StreamCreate)")


def exported(path):
    text = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True,
                          check=True).stdout
    return {line.split()[2].split("@")[0] for line in text.splitlines()}


with open(os.path.join(SOURCE, "src", "cuda", "calls.def"), encoding="utf-8") as file:
    rows = re.findall(r"^CALL\((\w+), (\w+), (\w+), [^,]*, (\w+), (\d+)\)$", file.read(), re.M)
wrapped = {major: {r[0] for r in rows if major in NODES[r[3]]} for major in (11, 12, 13)}

checks = Checks()
home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
places = [(major, p) for major, p in (
    (13, os.path.join(home, "lib64", "libcudart.so.13")),
    (12, os.path.join(home, "lib64", "libcudart.so.12")),
    (13, os.path.join(BUILD, "vgpu", "13", "libcudart.so.13")),
    (12, os.path.join(BUILD, "vgpu", "12", "libcudart.so.12"))) if os.path.exists(p)]
for major, path in places:
    names = exported(path)
    checks.equal(f"{path}: wrapped and not there", wrapped[major] - names -
                 (LATE if major == 12 else set()), set())
    missed = {n for n in names if WORTH.match(n)} - wrapped[major] - NOT_WRAPPED
    checks.equal(f"{path}: there and not wrapped", missed, set())
checks.true("a runtime to compare with", places)
checks.finish()
