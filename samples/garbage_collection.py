#!/usr/bin/env python3
"""A Python job with very many objects that collects garbage in every step.
Expected: host/garbage-collection.
Threads: one. The CUDA runtime is called through ctypes; CUDART names the library."""
import ctypes
import gc
import os
import time

RUN_S = 3
OBJECTS = 300000
KERNEL_NS = 1000000
PTX = b""".version 7.0\n.target sm_70\n.address_size 64
.visible .entry wi_spin_ns(.param .u64 ns)
{
    .reg .b64 %rd<5>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [ns];
    mov.u64 %rd2, %globaltimer;
AGAIN:
    mov.u64 %rd3, %globaltimer;
    sub.s64 %rd4, %rd3, %rd2;
    setp.lt.u64 %p1, %rd4, %rd1;
    @%p1 bra AGAIN;
    ret;
}
"""


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


def call(function, *arguments):
    error = function(*arguments)
    if error:
        raise SystemExit(f"{function.__name__}: error {error}")


def load(cuda):
    library, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    call(cuda.cudaLibraryLoadData, ctypes.byref(library), PTX, None, None, 0, None, None, 0)
    call(cuda.cudaLibraryGetKernel, ctypes.byref(kernel), library, b"wi_spin_ns")
    return kernel


def step(cuda, kernel, duration):
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(duration))
    for _ in range(10):
        call(cuda.cudaLaunchKernel, kernel, Dim3(512, 1, 1), Dim3(256, 1, 1), arguments,
             ctypes.c_size_t(0), None)
    call(cuda.cudaDeviceSynchronize)


def main():
    cuda = ctypes.CDLL(os.environ.get("CUDART", "libcudart.so.13"))
    call(cuda.cudaSetDevice, 0)
    kernel, duration = load(cuda), ctypes.c_uint64(KERNEL_NS)
    kept = [[i] for i in range(OBJECTS)]
    end = time.monotonic() + RUN_S
    while time.monotonic() < end:
        step(cuda, kernel, duration)
        gc.collect()
    return len(kept)


if __name__ == "__main__":
    main()
