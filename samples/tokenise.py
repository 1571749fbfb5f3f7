#!/usr/bin/env python3
"""Text is turned into token ids by the launching thread, before each step.
Expected: data-loading/tokenise-on-the-fly.
Threads: one."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "common"))
from pygpu import Gpu  # noqa: E402

IDS_BYTES = 512 << 10
TEXT = ("It is a truth universally acknowledged, that a single man in possession of a good fortune, "
        "must be in want of a wife. ") * 2000


def tokenize(text, vocabulary):
    return [vocabulary.setdefault(word, len(vocabulary)) for word in text.lower().split()]


def main():
    gpu, vocabulary = Gpu(), {}
    device, host = gpu.memory(IDS_BYTES)
    while gpu.more():
        for _ in range(2):
            ids = tokenize(TEXT, vocabulary)
        host[0] = ids[0]
        gpu.upload(device, host)
        gpu.kernels(5, 1000000)
        gpu.sync()


if __name__ == "__main__":
    main()
