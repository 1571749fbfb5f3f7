#!/usr/bin/env python3
"""A program built by nvcc with the shared runtime runs unmodified under the preload, with both
kinds of default stream; kernel names and grids are right at level A, calls are seen at level C."""
import os
import re
import shutil
import subprocess
import tempfile

from jobs import Checks, need_virtual_gpu, run, run_plain, skip

nvcc = shutil.which("nvcc") or os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"),
                                            "bin", "nvcc")
if not os.path.exists(nvcc):
    skip("no nvcc")
version = subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout
major = re.search(r"release (\d+)", version).group(1)
need_virtual_gpu(major)

SOURCE = r"""
#include <cstdio>
__global__ void scale(float *data, float by) { data[threadIdx.x] *= by; }
__global__ void add_one(float *data) { data[threadIdx.x] += 1; }
int main()
{
    float host[256] = {}, *data;
    int bad = cudaMalloc(&data, sizeof(host)) != 0;
    bad += cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice) != 0;
    for (int i = 0; i < 30; i++)
        scale<<<dim3(7, 3, 2), dim3(64, 2, 1)>>>(data, 2.0f);
    for (int i = 0; i < 11; i++)
        add_one<<<5, 256>>>(data);
    bad += cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost) != 0;
    bad += cudaGetLastError() != 0;
    std::printf("bad %d\n", bad);
    return bad;
}
"""
checks = Checks()
with tempfile.TemporaryDirectory() as folder:
    with open(folder + "/p.cu", "w") as file:
        file.write(SOURCE)
    for mode in ("legacy", "per-thread"):
        program = folder + "/p-" + mode
        subprocess.run([nvcc, "-cudart", "shared", "--default-stream", mode, folder + "/p.cu",
                        "-o", program], check=True)
        plain = run_plain([program], major)
        full = run([program], major)
        host = run([program], major, WHYIDLE_CUPTI="off")
        checks.equal(mode + ": plain", (plain.status, plain.stdout), (0, "bad 0\n"))
        for name, got, level in (("A", full, "A"), ("C", host, "C")):
            checks.equal(f"{mode} {name}: output", (got.status, got.stdout), (0, "bad 0\n"))
            checks.equal(f"{mode} {name}: level", got.report["level"], level)
            calls = got.report["calls"]
            checks.equal(f"{mode} {name}: launches", calls["launch"]["count"], 41)
            checks.equal(f"{mode} {name}: copies", calls["copy"]["count"], 2)
        kernels = {re.sub(r"^_Z\d+|P?f+$|\(.*\)$", "", k["name"]): (k["count"], k["grid"], k["block"])
                   for k in full.report["kernels"]}
        checks.equal(mode + ": kernels", kernels, {"scale": (30, [7, 3, 2], [64, 2, 1]),
                                                   "add_one": (11, [5, 1, 1], [256, 1, 1])})
checks.finish()
