"""The little of CUDA that the Python samples need, over the runtime through ctypes. CUDART names
the library, by default libcudart.so.13. A call that fails ends the program."""
import ctypes
import os
import time

RUN_S = 2.5
TO_DEVICE, TO_HOST = 1, 2
PTX = b""".version 7.0
.target sm_70
.address_size 64
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


def _call(function, *arguments):
    error = function(*arguments)
    if error:
        raise SystemExit(f"{function.__name__}: error {error}")


class Gpu:
    def __init__(self):
        self.cuda = ctypes.CDLL(os.environ.get("CUDART", "libcudart.so.13"))
        library, self.kernel = ctypes.c_void_p(), ctypes.c_void_p()
        _call(self.cuda.cudaSetDevice, 0)
        _call(self.cuda.cudaLibraryLoadData, ctypes.byref(library), PTX, None, None, 0, None, None,
              0)
        _call(self.cuda.cudaLibraryGetKernel, ctypes.byref(self.kernel), library, b"wi_spin_ns")
        self.end = None

    def more(self):
        """True until RUN_S after its first call."""
        self.end = self.end or time.monotonic() + RUN_S
        return time.monotonic() < self.end

    def kernels(self, count, ns):
        """Queues kernels that fill the device and take ns each."""
        duration = ctypes.c_uint64(ns)
        arguments = (ctypes.c_void_p * 1)(ctypes.addressof(duration))
        for _ in range(count):
            _call(self.cuda.cudaLaunchKernel, self.kernel, Dim3(512, 1, 1), Dim3(256, 1, 1),
                  arguments, ctypes.c_size_t(0), None)

    def sync(self):
        _call(self.cuda.cudaDeviceSynchronize)

    def memory(self, size):
        """(device memory, page-locked host memory)"""
        device, host = ctypes.c_void_p(), ctypes.c_void_p()
        _call(self.cuda.cudaMalloc, ctypes.byref(device), ctypes.c_size_t(size))
        _call(self.cuda.cudaMallocHost, ctypes.byref(host), ctypes.c_size_t(size))
        return device, (ctypes.c_ubyte * size).from_address(host.value)

    def upload(self, device, host):
        _call(self.cuda.cudaMemcpyAsync, device, host, ctypes.c_size_t(len(host)), TO_DEVICE, None)

    def download(self, host, device):
        _call(self.cuda.cudaMemcpy, host, device, ctypes.c_size_t(len(host)), TO_HOST)
