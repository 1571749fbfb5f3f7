#!/usr/bin/env python3
"""Writes inputs of fuzz_cfi.c made of what a compiler makes: seed_cfi.py FOLDER [CC]"""
import os
import struct
import subprocess
import sys
import tempfile

SOURCE = """
int outside(int *);
__attribute__((noinline)) int leaf(int x) { volatile int a[4] = {x}; return a[0] + x; }
int middle(int x) { int a[64]; a[0] = leaf(x); outside(a); return a[0] + leaf(a[1]) + a[2]; }
int ends(int x) { if (x > 3) return middle(x) * leaf(x + 1) + middle(x - 1); return x; }
int grows(int n) { int a[n]; a[0] = n; outside(a); return a[0] + middle(n); }
"""


def main():
    folder, compiler = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "cc"
    with tempfile.TemporaryDirectory() as out:
        file = os.path.join(out, "seed.so")
        for number, flags in enumerate((["-O0"], ["-O2"], ["-O2", "-fno-omit-frame-pointer"])):
            subprocess.run([compiler, "-x", "c", "-shared", "-fPIC", "-nostdlib", "-s",
                            "-Wl,-z,noseparate-code", "-Wl,-z,max-page-size=4096",
                            "-fasynchronous-unwind-tables", *flags, "-o", file, "-"],
                           input=SOURCE.encode(), check=True, stderr=subprocess.DEVNULL)
            with open(file, "rb") as made:
                image = made.read()
            names = subprocess.run(["readelf", "-W", "-S", file], capture_output=True, text=True,
                                   check=True).stdout
            text = next(line.split() for line in names.splitlines() if " .text " in line)
            start = int(text[text.index("PROGBITS") + 1], 16)
            size = int(text[text.index("PROGBITS") + 3], 16)
            for at in range(start, start + size, 9):
                words = b"".join(struct.pack("<HBBI", start + (i * 7) % size, ord("P"), 0, 0)
                                 for i in range(40))
                with open(os.path.join(folder, f"{number}-{at:x}"), "wb") as seed:
                    seed.write(struct.pack("<HBB", at, 6, 40) + words + image)


main()
