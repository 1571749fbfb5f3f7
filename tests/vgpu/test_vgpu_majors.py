"""The stand-ins of every CUDA major through ctypes, each in a process of its own: bytes go to the
device and back, a kernel takes its time, CUPTI of that major delivers its record.

Usage: test_vgpu_majors.py BUILD_DIR
"""
import ctypes
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "preload"))
from jobs import preloads  # noqa: E402

MAJORS = {"11": ("libcudart.so.11.0", "libcupti.so.11.8", 11080),
          "12": ("libcudart.so.12", "libcupti.so.12", 12040),
          "13": ("libcudart.so.13", "libcupti.so.13", 13000)}
PTX = b".version 7.0\n.target sm_80\n.visible .entry spin_ns(.param .u64 ns)\n{ ret; }\n"
KERNEL_KIND = 10


def check(result, what):
    if result != 0:
        raise SystemExit("%s gave %d" % (what, result))


def launch(cuda, milliseconds):
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    check(cuda.cuModuleLoadData(ctypes.byref(module), PTX), "cuModuleLoadData")
    check(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"spin_ns"),
          "cuModuleGetFunction")
    ns = ctypes.c_uint64(milliseconds * 1000000)
    params = (ctypes.c_void_p * 1)(ctypes.addressof(ns))
    check(cuda.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, None, params, None),
          "cuLaunchKernel")


def child(major):
    runtime_name, cupti_name, version = MAJORS[major]
    runtime = ctypes.CDLL(runtime_name)
    cuda = ctypes.CDLL("libcuda.so.1")
    cupti = ctypes.CDLL(cupti_name)
    records = []

    request_type = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_void_p),
                                    ctypes.POINTER(ctypes.c_size_t),
                                    ctypes.POINTER(ctypes.c_size_t))
    complete_type = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_void_p,
                                     ctypes.c_size_t, ctypes.c_size_t)
    store = (ctypes.c_uint64 * 512)()

    def request(buffer, size, count):
        buffer[0], size[0], count[0] = ctypes.addressof(store), 4096, 0

    def complete(context, stream, buffer, size, valid):
        record = ctypes.c_void_p()
        while cupti.cuptiActivityGetNextRecord(ctypes.c_void_p(buffer), ctypes.c_size_t(valid),
                                               ctypes.byref(record)) == 0:
            kind = ctypes.c_uint32.from_address(record.value).value
            start = ctypes.c_uint64.from_address(record.value + 16).value
            end = ctypes.c_uint64.from_address(record.value + 24).value
            records.append((kind, end - start))

    request, complete = request_type(request), complete_type(complete)
    check(cupti.cuptiActivityRegisterCallbacks(request, complete), "RegisterCallbacks")
    check(cupti.cuptiActivityEnable(KERNEL_KIND), "cuptiActivityEnable")

    got = ctypes.c_int()
    check(runtime.cudaRuntimeGetVersion(ctypes.byref(got)), "cudaRuntimeGetVersion")
    if got.value != version:
        raise SystemExit("runtime version %d" % got.value)
    properties = ctypes.create_string_buffer(2048)
    check(runtime.cudaGetDeviceProperties(properties, 0), "cudaGetDeviceProperties")
    if properties.value != b"whyidle virtual GPU":
        raise SystemExit("device is called %r" % properties.value)

    device = ctypes.c_void_p()
    sent = bytes(range(256)) * 16
    back = ctypes.create_string_buffer(len(sent))
    check(runtime.cudaMalloc(ctypes.byref(device), ctypes.c_size_t(len(sent))), "cudaMalloc")
    check(runtime.cudaMemcpy(device, sent, ctypes.c_size_t(len(sent)), 1), "upload")
    check(runtime.cudaMemcpy(back, device, ctypes.c_size_t(len(sent)), 2), "download")
    if back.raw != sent:
        raise SystemExit("other bytes came back")

    before = time.monotonic()
    launch(cuda, 20)
    check(runtime.cudaDeviceSynchronize(), "cudaDeviceSynchronize")
    took = time.monotonic() - before
    if took < 0.020:
        raise SystemExit("a kernel of 20 ms took %f s" % took)
    check(cupti.cuptiActivityFlushAll(0), "cuptiActivityFlushAll")
    if records != [(KERNEL_KIND, 20000000)]:
        raise SystemExit("records %r" % records)
    if runtime.cudaGraphDebugDotPrint(None) != 801:
        raise SystemExit("a stub does not say 801")


def main():
    build = sys.argv[1]
    for major in MAJORS:
        environment = dict(os.environ, LD_LIBRARY_PATH="%s/vgpu/%s:%s/vgpu" % (build, major, build),
                           LD_PRELOAD=preloads())
        done = subprocess.run([sys.executable, __file__, build, major], env=environment,
                              capture_output=True, text=True, timeout=60)
        want = "virtual GPU: cudaGraphDebugDotPrint is not modelled\n"
        if done.returncode != 0 or done.stderr != want:
            print("CUDA %s: status %d\n%s" % (major, done.returncode, done.stderr))
            return 1
        print("CUDA %s: fine" % major)
    return 0


if __name__ == "__main__":
    if len(sys.argv) == 3:
        child(sys.argv[2])
    else:
        sys.exit(main())
