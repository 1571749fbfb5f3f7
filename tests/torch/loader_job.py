"""A training loop with a real PyTorch DataLoader whose step runs on the GPU through the CUDA runtime.

usage: loader_job.py WORKERS ITEM_MS STEP_MS BATCHES

Each item costs ITEM_MS of CPU, a step STEP_MS of kernels. The last line tells what went through."""
import ctypes
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset

PTX = b""".version 6.0
.target sm_50
.address_size 64
.visible .entry spin_ns(.param .u64 ns)
{
    .reg .pred %p;
    .reg .u64 %t0, %t1, %d, %n;
    ld.param.u64 %n, [ns];
    mov.u64 %t0, %globaltimer;
again:
    mov.u64 %t1, %globaltimer;
    sub.u64 %d, %t1, %t0;
    setp.lt.u64 %p, %d, %n;
    @%p bra again;
    ret;
}
"""
BATCH = 8
TO_DEVICE, TO_HOST = 1, 2


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


class Gpu:
    """The few calls of the runtime that a step needs."""

    def __init__(self, bytes_per_batch):
        self.rt = ctypes.CDLL("libcudart.so.13")
        self.memory, self.kernel, library = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.rt.cudaMalloc(ctypes.byref(self.memory), ctypes.c_size_t(bytes_per_batch)))
        self.check(self.rt.cudaLibraryLoadData(ctypes.byref(library), PTX, None, None, 0, None, None, 0))
        self.check(self.rt.cudaLibraryGetKernel(ctypes.byref(self.kernel), library, b"spin_ns"))

    @staticmethod
    def check(code):
        if code:
            raise RuntimeError("CUDA error %d" % code)

    def upload(self, tensor):
        size = ctypes.c_size_t(tensor.numel() * tensor.element_size())
        self.check(self.rt.cudaMemcpy(self.memory, ctypes.c_void_p(tensor.data_ptr()), size, TO_DEVICE))

    def launch(self, ns):
        value = ctypes.c_uint64(ns)
        arguments = (ctypes.c_void_p * 1)(ctypes.addressof(value))
        self.check(self.rt.cudaLaunchKernel(self.kernel, Dim3(512, 1, 1), Dim3(256, 1, 1), arguments,
                                            ctypes.c_size_t(0), None))

    def read_back(self):
        loss = ctypes.c_float()
        self.check(self.rt.cudaMemcpy(ctypes.byref(loss), self.memory, ctypes.c_size_t(4), TO_HOST))


def decode(seconds):
    """Stands for decoding an image: CPU time, not sleep."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


class Images(Dataset):
    def __init__(self, count, item_ms):
        self.count, self.item_ms = count, item_ms

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        decode(self.item_ms / 1000)
        return torch.full((3, 64, 64), float(index)), index


def main():
    workers, item_ms, step_ms, batches = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
    torch.set_num_threads(1)
    loader = DataLoader(Images(batches * BATCH, item_ms), batch_size=BATCH, num_workers=workers)
    gpu = Gpu(BATCH * 3 * 64 * 64 * 4)
    total = 0
    for images, labels in loader:  # LOOP
        gpu.upload(images)
        for _ in range(20):
            gpu.launch(int(step_ms * 1e6 / 20))
        gpu.read_back()
        total += int(labels.sum())
    print("batches", batches, "labels", total)


main()
