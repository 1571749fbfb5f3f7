"""The model's settings and NVML through ctypes, each case in a process of its own.

Usage: test_vgpu_settings.py BUILD_DIR
"""
import ctypes
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "preload"))
from jobs import preloads  # noqa: E402

PTX = b".version 7.0\n.target sm_80\n.entry big_gemm()\n{ ret; }\n.entry nap(.param .u64 us)\n{ ret; }\n"


def load():
    return ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libcuda.so.1")


def kernel_ms(name, argument=0):
    """The time of one kernel by two events."""
    runtime, cuda = load()
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    begin, end, elapsed = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_float()
    runtime.cudaFree(None)
    if cuda.cuModuleLoadData(ctypes.byref(module), PTX) != 0:
        raise SystemExit("cuModuleLoadData")
    if cuda.cuModuleGetFunction(ctypes.byref(function), module, name) != 0:
        raise SystemExit("no kernel %r" % name)
    value = ctypes.c_uint64(argument)
    params = (ctypes.c_void_p * 1)(ctypes.addressof(value))
    runtime.cudaEventCreate(ctypes.byref(begin))
    runtime.cudaEventCreate(ctypes.byref(end))
    cuda.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, None, params, None)
    runtime.cudaEventRecord(begin, None)
    cuda.cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, None, params, None)
    runtime.cudaEventRecord(end, None)
    runtime.cudaDeviceSynchronize()
    runtime.cudaEventElapsedTime(ctypes.byref(elapsed), begin, end)
    return elapsed.value


def profile_case():
    print("gemm %.2f nap %.1f" % (kernel_ms(b"big_gemm"), kernel_ms(b"nap", 40000)))


def devices_case():
    runtime, _ = load()
    count = ctypes.c_int(-1)
    print(runtime.cudaGetDeviceCount(ctypes.byref(count)), count.value)


def bandwidth_case():
    """Time of 24 million bytes pinned at 2 GB/s: 12 ms."""
    runtime, _ = load()
    host, device = ctypes.c_void_p(), ctypes.c_void_p()
    begin, end, elapsed = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_float()
    runtime.cudaMallocHost(ctypes.byref(host), ctypes.c_size_t(24000000))
    runtime.cudaMalloc(ctypes.byref(device), ctypes.c_size_t(24000000))
    runtime.cudaEventCreate(ctypes.byref(begin))
    runtime.cudaEventCreate(ctypes.byref(end))
    runtime.cudaMemcpyAsync(device, host, ctypes.c_size_t(24000000), 1, None)
    runtime.cudaEventRecord(begin, None)
    runtime.cudaMemcpyAsync(device, host, ctypes.c_size_t(24000000), 1, None)
    runtime.cudaEventRecord(end, None)
    runtime.cudaDeviceSynchronize()
    runtime.cudaEventElapsedTime(ctypes.byref(elapsed), begin, end)
    print("%.1f" % elapsed.value)


def nvml_case():
    nvml = ctypes.CDLL("libnvidia-ml.so.1")
    handle, again = ctypes.c_void_p(), ctypes.c_void_p()
    count = ctypes.c_uint()
    text = ctypes.create_string_buffer(96)
    rates = (ctypes.c_uint * 2)(9, 9)
    print("early", nvml.nvmlDeviceGetCount_v2(ctypes.byref(count)))
    print("init", nvml.nvmlInit_v2())
    nvml.nvmlDeviceGetCount_v2(ctypes.byref(count))
    print("second", nvml.nvmlDeviceGetHandleByIndex_v2(1, ctypes.byref(handle)), count.value)
    nvml.nvmlDeviceGetUUID(handle, text, 96)
    print(text.value.decode(), nvml.nvmlDeviceGetHandleByUUID(text.value, ctypes.byref(again)),
          again.value == handle.value)
    nvml.nvmlDeviceGetName(handle, text, 96)
    print(text.value.decode(), nvml.nvmlDeviceGetUtilizationRates(handle, rates), rates[0])
    print("third", nvml.nvmlDeviceGetHandleByIndex_v2(2, ctypes.byref(handle)))


def visible_case():
    """The third device is the only one seen; NVML finds it by its UUID, busy."""
    runtime, cuda = load()
    nvml = ctypes.CDLL("libnvidia-ml.so.1")
    count, index, handle = ctypes.c_int(), ctypes.c_uint(), ctypes.c_void_p()
    uuid, rates = (ctypes.c_ubyte * 16)(), (ctypes.c_uint * 2)()
    runtime.cudaGetDeviceCount(ctypes.byref(count))
    kernel_ms(b"nap")
    cuda.cuDeviceGetUuid_v2(uuid, 0)
    digits = bytes(uuid).hex()
    text = "GPU-" + "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    nvml.nvmlInit_v2()
    found = nvml.nvmlDeviceGetHandleByUUID(text.encode(), ctypes.byref(handle))
    nvml.nvmlDeviceGetIndex(handle, ctypes.byref(index))
    nvml.nvmlDeviceGetUtilizationRates(handle, rates)
    print(count.value, found, index.value, rates[0] > 10, runtime.cudaSetDevice(1))


def mig_case():
    nvml = ctypes.CDLL("libnvidia-ml.so.1")
    handle, rates = ctypes.c_void_p(), (ctypes.c_uint * 2)()
    nvml.nvmlInit_v2()
    before = time.monotonic()
    nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(handle))
    print(nvml.nvmlDeviceGetUtilizationRates(handle, rates), time.monotonic() - before > 0.03)


def missing_case():
    print(ctypes.CDLL("libnvidia-ml.so.1").nvmlInit_v2())


PROFILE = "# a comment\n*gemm  2.5ms\nnap arg0 us\n"
BROKEN = "nap soon\n"
CASES = [
    # name, environment, expected output, expected messages
    ("profile", {}, "gemm 2.50 nap 40.0\n", ""),
    ("profile", {"VGPU_KERNEL_NS": "4000000", "VGPU_PROFILE": "BROKEN"}, "gemm 4.00 nap 4.0\n",
     "virtual GPU: PATH:1: not `pattern duration`\n"),
    ("devices", {"VGPU_DEVICES": "3"}, "0 3\n", ""),
    ("devices", {"VGPU_DEVICES": "0"}, "100 0\n", ""),
    ("devices", {"VGPU_DEVICES": "99"}, "0 16\n", ""),
    ("devices", {"VGPU_DEVICES": "two"}, "0 1\n",
     "virtual GPU: VGPU_DEVICES=two is not a number, using 1\n"),
    ("bandwidth", {"VGPU_PINNED_GBPS": "2"}, "12.0\n", ""),
    ("nvml", {"VGPU_DEVICES": "2"},
     "early 1\ninit 0\nsecond 0 2\nGPU-77687969-646c-652d-7667-70752d000001 0 True\n"
     "whyidle virtual GPU 0 0\nthird 2\n", ""),
    ("visible", {"VGPU_DEVICES": "4", "CUDA_VISIBLE_DEVICES": "2,9,1", "VGPU_KERNEL_NS": "60000000"},
     "1 0 2 True 101\n", ""),
    ("devices", {"VGPU_DEVICES": "4", "CUDA_VISIBLE_DEVICES": ""}, "100 0\n", ""),
    ("devices", {"VGPU_DEVICES": "4", "CUDA_VISIBLE_DEVICES": "3,0"}, "0 2\n", ""),
    ("devices", {"VGPU_FAULT": "init-fork"}, "0 1\n", ""),
    ("mig", {"VGPU_FAULT": "nvml-mig,nvml-slow=40"}, "3 True\n", ""),
    ("missing", {"VGPU_FAULT": "nvml-missing"}, "9\n", ""),
    ("missing", {"VGPU_FAULT": "no-such"}, "0\n",
     "virtual GPU: VGPU_FAULT: no fault is called no-such\n"),
]


def run_case(build, folder, case):
    name, settings, want, message = case
    paths = {}
    for key, text in (("GOOD", PROFILE), ("BROKEN", BROKEN)):
        paths[key] = os.path.join(folder, key)
        with open(paths[key], "w", encoding="utf-8") as file:
            file.write(text)
    environment = dict(os.environ, LD_LIBRARY_PATH="%s/vgpu/13:%s/vgpu" % (build, build),
                       LD_PRELOAD=preloads())
    environment.update(settings)
    if name == "profile":
        environment["VGPU_PROFILE"] = paths[settings.get("VGPU_PROFILE", "GOOD")]
    done = subprocess.run([sys.executable, __file__, build, name], env=environment,
                          capture_output=True, text=True, timeout=60)
    got = done.stdout, done.stderr.replace(paths["BROKEN"], "PATH")
    if got != (want, message):
        print("%s %s\n  got  %r\n  want %r" % (name, settings, got, (want, message)))
        return 1
    return 0


def main():
    with tempfile.TemporaryDirectory() as folder:
        failed = sum(run_case(sys.argv[1], folder, case) for case in CASES)
    print("%d cases, %d failed" % (len(CASES), failed))
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) == 3:
        globals()[sys.argv[2] + "_case"]()
    else:
        sys.exit(main())
