#!/usr/bin/env python3
"""Runs samples under whyidle, on the virtual GPU or on a real one, and holds what it says against
samples.def. Exit 0 all as they should, 77 all skipped, 1 otherwise. Where other jobs took the cores
a sample gets a second run; if they do again, it is skipped.

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
    return parser.parse_intermixed_args()


def run_and_judge(sample, build, path, suffix):
    """(word, line): what the run shows, "ok", "BAD", "LATER" or "SKIPPED"."""
    for _ in range(2):
        document, others = samples_table.run_beside_others(sample, build, path, suffix)
        good, text = samples_table.judge(sample, document)
        if good:
            return "ok", text
        if others < samples_table.OTHERS:
            return "LATER" if sample.when == "LATER" else "BAD", text
    return "SKIPPED", f"other jobs take {100 * others:.0f} % of the cores: {text}"


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
            print(f"SKIPPED {sample.program}: {reason}", flush=True)
            skipped += 1
            continue
        try:
            word, text = run_and_judge(sample, build, path, options.suffix)
        except samples_table.CannotShow as reason:
            word, text = "SKIPPED", f"{sample.program}: {reason}"
        print(f"{word:7} {text}", flush=True)
        passed += word == "ok"
        failed += word == "BAD"
        skipped += word in ("LATER", "SKIPPED")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed + skipped else 0 if passed else 77


if __name__ == "__main__":
    sys.exit(main())
