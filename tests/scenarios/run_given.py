#!/usr/bin/env python3
"""Runs a command on a file of the given cases: COMMAND... FILE ARGUMENT...; 77 if it is absent.
WHYIDLE_CASES names the folder, by default ../shared/cases beside the repository."""
import os
import subprocess
import sys


def main(argv):
    at = next(i for i, word in enumerate(argv) if word.endswith(".md"))
    folder = os.environ.get("WHYIDLE_CASES") or os.path.join(
        os.environ.get("WI_SOURCE", "."), "..", "shared", "cases")
    path = os.path.join(folder, argv[at])
    if not os.path.exists(path):
        print(f"skipped: no {argv[at]}; set WHYIDLE_CASES to the folder that has it")
        return 77
    return subprocess.call(argv[:at] + [path] + argv[at + 1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
