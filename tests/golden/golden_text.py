#!/usr/bin/env python3
"""Text reports of the fixtures against files read and accepted by a person, and what must hold for
every report at every width.

usage: golden_text.py REPORT_PRINT [--accept]     --accept writes the files anew: read the diff
"""
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
# One narrow and one coloured report beside the plain ones.
EXTRA = [("loader", "60", None), ("loader", "100", "color"), ("hostile", "40", None)]


def render(program, name, width="100", color=None):
    command = [program, name, "text", width] + ([color] if color else [])
    return subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode("utf-8")


def golden_path(name, width, color):
    suffix = ("" if width == "100" else "-" + width) + ("-color" if color else "")
    return HERE / "text" / (name + suffix + ".txt")


def compare(program, names, accept):
    failures = []
    for name, width, color in [(name, "100", None) for name in names] + EXTRA:
        path, text = golden_path(name, width, color), render(program, name, width, color)
        if accept:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            failures.append(f"{path.name} differs:\n{text}")
    return failures


TABLE = re.compile(r"WHERE THE TIME WENT +ms/step.*?\n(.*?)\n  device ", re.S)
ROW = re.compile(r"  (?! )(.+?)  +\S* +([\d.]+|-) +[\d.]+ % ")


def steps_add_up(name, text):
    """One step everywhere: the classes add up to it, it is the mean of the line "steps", and what a fix
    brings starts from it."""
    for table in TABLE.findall(text):
        rows = [match.groups() for match in map(ROW.match, table.splitlines()) if match]
        parts = [0 if value == "-" else float(value) for _, value in rows]
        if not rows or not rows[-1][0].startswith("the whole window"):
            yield f"{name}: no sum below its classes: {rows}"
            continue
        if abs(sum(parts[:-1]) - parts[-1]) > 0.005 * len(parts) + 1e-9:
            yield f"{name}: classes add up to {sum(parts[:-1]):.2f} ms a step, told are {parts[-1]}"
        means = re.findall(r"mean (\S+) ms", " ".join(text.split()))
        starts = re.findall(r"([\d.]+)\s->\s[\d.]+\sms/step", text)
        for figure in means + starts:
            if abs(float(figure) - parts[-1]) > 0.006 * parts[-1]:
                yield f"{name}: a step of {figure} ms beside one of {parts[-1]} ms"


def invariants(program, names):
    failures = []
    for name in names:
        plain = render(program, name)
        failures += steps_add_up(name, plain)
        if render(program, name, "100", "color").replace(plain, "") == plain:
            failures.append(f"{name}: no colour where colour was asked for")
        if ESCAPES.sub("", render(program, name, "100", "color")) != plain:
            failures.append(f"{name}: colour changes the text")
        for width in range(40, 101, 5):
            for number, line in enumerate(render(program, name, str(width)).splitlines(), 1):
                # The first line is for scripts and is never broken.
                if len(line) > width and number > 1:
                    failures.append(f"{name}: line {number} has {len(line)} > {width}: {line}")
                if any(ord(c) < 32 or 127 <= ord(c) < 160 for c in line):
                    failures.append(f"{name}: control byte in line {number}: {line!r}")
                if line != line.rstrip():
                    failures.append(f"{name}: blanks at the end of line {number}: {line!r}")
    return failures


def main():
    program = sys.argv[1]
    names = subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout.decode().split()
    failures = compare(program, names, "--accept" in sys.argv) + invariants(program, names)
    print("\n".join(failures) or f"{len(names)} reports as they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
