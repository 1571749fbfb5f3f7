#!/usr/bin/env python3
"""A Python job with very many objects that collects garbage in every step.
Expected: host/garbage-collection.
Threads: one."""
import gc
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "common"))
from pygpu import Gpu  # noqa: E402

OBJECTS = 300000


def main():
    gpu = Gpu()
    kept = [[i] for i in range(OBJECTS)]
    while gpu.more():
        gpu.kernels(10, 1000000)
        gpu.sync()
        gc.collect()
    return kept


if __name__ == "__main__":
    main()
