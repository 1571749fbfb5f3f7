#!/usr/bin/env python3
"""The optimizer's state lies in CPU memory: gradients come from the device, the CPU updates the
parameters, which go back.
Expected: host/cpu-optimizer.
Threads: one."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "common"))
from pygpu import Gpu  # noqa: E402

PARAMETERS = 1 << 20
UPDATED = 100000  # by plain Python, which is slow


def cpu_adam_update(parameters, gradients, momentum):
    for i in range(UPDATED):
        momentum[i] = 0.9 * momentum[i] + 0.1 * gradients[i]
        parameters[i] = int(parameters[i] - 0.001 * momentum[i]) & 255


def main():
    gpu, momentum = Gpu(), [0.0] * UPDATED
    device, parameters = gpu.memory(PARAMETERS)
    gradients = gpu.memory(PARAMETERS)[1]
    while gpu.more():
        gpu.kernels(5, 1000000)
        gpu.download(gradients, device)
        cpu_adam_update(parameters, gradients, momentum)
        gpu.upload(device, parameters)


if __name__ == "__main__":
    main()
