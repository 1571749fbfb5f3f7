#!/usr/bin/env python3
"""With the installed toolkit's own runtime and no driver: output and status are unchanged, and one
line says level D and why."""
import os
import subprocess
import tempfile
import time

from jobs import LIB, Checks, Run, environment, preloads, sanitizer_runtime, skip

home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
runtime = os.path.join(home, "lib64", "libcudart.so")
header = os.path.join(home, "include", "cuda_runtime_api.h")
if not (os.path.exists(runtime) and os.path.exists(header)):
    skip("no CUDA toolkit")

SOURCE = r"""
#include <cuda_runtime_api.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    void *p = NULL;
    (void)argv;
    int r = cudaMalloc(&p, 1 << 20);
    printf("%d %s\n", r, cudaGetErrorString((cudaError_t)r));
    printf("%d\n", cudaDeviceSynchronize());
    return r == 0 ? 0 : 10 + argc;
}
"""
checks = Checks()
MOST_S, TRIES = 0.05, 15
with tempfile.TemporaryDirectory() as folder:
    source, program = folder + "/p.c", folder + "/p"
    with open(source, "w") as file:
        file.write(SOURCE)
    subprocess.run(["cc", "-I", home + "/include", source, "-o", program, runtime,
                    "-Wl,-rpath," + home + "/lib64"], check=True)
    env = {k: v for k, v in environment().items() if k not in ("LD_LIBRARY_PATH", "LD_PRELOAD")}
    if sanitizer_runtime():
        env["LD_PRELOAD"] = preloads()
    plain = Run([program], env, None)
    if plain.status == 0:
        skip("a driver is here")
    out = folder + "/out"
    ours = Run([program], dict(env, LD_PRELOAD=preloads(LIB), WHYIDLE_OUT=out), out)
    checks.equal("status", ours.status, plain.status)
    checks.equal("output", ours.stdout, plain.stdout)
    lines = ours.stderr.splitlines()
    checks.equal("one line", len(lines), 1)
    checks.true("says D and why", "level D" in ours.stderr and "driver" in ours.stderr,
                ours.stderr)
    took = []
    while len(took) < TRIES and (not took or min(took) >= MOST_S):  # a busy machine delays either
        begin = time.monotonic()
        Run([program], env, None)
        middle = time.monotonic()
        Run([program], dict(env, LD_PRELOAD=preloads(LIB), WHYIDLE_OUT=folder + "/more"), None)
        took.append(time.monotonic() - middle - (middle - begin))
    print("longer by ms:", [round(s * 1000) for s in took])
    checks.true("no longer than 50 ms more", min(took) < MOST_S, took)
    checks.equal("level in the report", [r["level"] for r in ours.reports], ["D"])
checks.finish()
