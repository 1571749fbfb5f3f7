#!/usr/bin/env python3
"""Runs samples under whyidle, on the virtual GPU or on a real one, and holds what it says against
samples.def. Exit 0 all as they should, 77 all skipped, 1 otherwise.

usage: run_samples.py BUILD [--real [--path LIBRARY_PATH] [--suffix SUFFIX]] [--later] [PROGRAM...]
  --real   on hardware; --path: where the loader finds libcudart, --suffix: of the samples' names
  --later  also those whose evidence is not gathered yet; they do not fail
"""
import argparse
import os
import sys

import samples_table


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--real", action="store_true")
    parser.add_argument("--path", default="")
    parser.add_argument("--suffix", default="")
    parser.add_argument("--later", action="store_true")
    parser.add_argument("programs", nargs="*")
    return parser.parse_args()


def main():
    options = parse()
    build = os.path.abspath(options.build)
    path = options.path if options.real else f"{build}/vgpu/13:{build}/vgpu"
    passed = failed = skipped = 0
    for sample in samples_table.rows():
        if options.programs and sample.program not in options.programs:
            continue
        reason = samples_table.reason_to_skip(sample, options.real, options.later)
        if reason:
            print(f"SKIPPED {sample.program}: {reason}")
            skipped += 1
            continue
        good, text = samples_table.judge(
            sample, samples_table.run(sample, build, path, options.suffix))
        expected = sample.when != "LATER"
        print(("ok      " if good else "BAD     " if expected else "LATER   ") + text, flush=True)
        passed += good
        failed += not good and expected
        skipped += not good and not expected
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed + skipped else 0 if passed else 77


if __name__ == "__main__":
    sys.exit(main())
