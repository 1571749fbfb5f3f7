#!/usr/bin/env python3
"""Runs one case: a bash script whose output, both streams together, must be as the file NAME.out
beside it says. There "*" stands for any characters of a line, and a line "..." for any lines.

usage: run_case.py CASE.sh WHYIDLE REPORT_PRINT STAND_IN [--accept]

The script runs in an empty folder with whyidle in the PATH and no WHYIDLE_* set, and may use
  fixture NAME         the report document of a fixture
  rc COMMAND...        runs it, then prints "rc N"
  real_preload         before whyidle preloads the real library, which may be built with sanitizers
Where --accept writes NAME.out anew, read the difference before you keep it.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "preload"))
from jobs import preloads  # noqa: E402

PRELUDE = """
fixture() { "$REPORT_PRINT" "$1" json; }
rc() { local status=0; "$@" || status=$?; echo "rc $status"; }
real_preload() { [ -z "$RUNTIME" ] || export LD_PRELOAD="$RUNTIME" ASAN_OPTIONS=detect_leaks=0; }
"""


def line_pattern(line):
    return ".*".join(re.escape(part) for part in line.split("*"))


def pattern(expected):
    text = ""
    for line in expected.splitlines():
        text += r"(?:.*\n)*?" if line == "..." else line_pattern(line) + r"\n"
    return re.compile(text)


def run(case, whyidle, report_print, stand_in):
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("WHYIDLE", "STAND_IN", "SLURM", "GITHUB")) and k not in ("NO_COLOR", "COLUMNS")}
    env.update(PATH=os.path.dirname(whyidle) + ":" + env["PATH"], LC_ALL="C.UTF-8", TERM="xterm",
               REPORT_PRINT=report_print, STAND_IN=stand_in, WHYIDLE_LIB=stand_in)
    env.pop("LD_PRELOAD", None)
    env["RUNTIME"] = preloads()
    if env["RUNTIME"]:  # the stand-in is built without sanitizers, and may come before their runtime
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    with tempfile.TemporaryDirectory() as folder:
        # A session of its own, so that a case that hangs leaves nothing behind.
        process = subprocess.Popen(["bash", "-uc", PRELUDE + case.read_text()], cwd=folder, env=env,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            output = process.communicate(timeout=60)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output = process.communicate()[0] + b"TIMED OUT\n"
        return output.decode("utf-8", "surrogateescape").replace(folder, "$FOLDER")


def main():
    case = pathlib.Path(sys.argv[1])
    output = run(case, *[os.path.abspath(p) for p in sys.argv[2:5]])
    golden = case.with_suffix(".out")
    if output.startswith("SKIP"):
        print(output)
        return 77
    if golden.exists() and pattern(golden.read_text()).fullmatch(output):
        return 0
    if "--accept" in sys.argv:
        golden.write_text(output)
        return 0
    print(f"{golden.name} is not what came out:\n{output}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
