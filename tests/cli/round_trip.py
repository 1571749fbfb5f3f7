#!/usr/bin/env python3
"""A report document that is read and written again is the same document, and shows the same text.

usage: round_trip.py WHYIDLE REPORT_PRINT
"""
import json
import subprocess
import sys
import tempfile


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout


def main():
    whyidle, report_print = sys.argv[1:3]
    failures = []
    names = output(report_print).decode().split()
    for name in names:
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            first = output(report_print, name, "json")
            file.write(first)
            file.flush()
            second = output(whyidle, "report", "--format", "json", file.name)
            if json.loads(first) != json.loads(second):
                failures.append(f"{name}: the document changed")
            text = output(whyidle, "report", "--width", "100", file.name)
            # Bytes that are no UTF-8 are replaced once, so their number may differ; and the last
            # paragraph with hints is for terminals.
            wanted = output(report_print, name, "text").split(b"\nNEXT")[0]
            if name != "hostile" and text != wanted:
                failures.append(f"{name}: the text changed:\n{text.decode()}")
    print("\n".join(failures) or f"{len(names)} documents survive")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
