#!/usr/bin/env python3
"""Holds what the preload calls of the system against tests/faults/system_calls.def, so that no call
is added whose failure nobody tries: every function that LIBRARY imports, and every number that a
source hands to syscall(), has a row there, either with the ways it fails or with the reason why it
cannot. Rows that nothing uses are reported too. The product itself holds nothing of the fault
table; with FAULT_LIBRARY that one is held to send every call of the list through it.

usage: check_system_calls.py LIBRARY [FAULT_LIBRARY]"""
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
# What the C library's headers and its static part make of a name.
ALIASES = {"__environ": "environ", "__register_atfork": "pthread_atfork"}
LAYERS = ("base", "symbols", "model", "cuda", "analyze", "report", "collect")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def imported(library):
    text = subprocess.run(["nm", "-D", "--undefined-only", library], capture_output=True,
                          text=True, check=True).stdout
    # _chk: what a fortified build makes of a call
    names = {re.sub(r"^__(\w+)_chk$", r"\1", line.split()[1].split("@")[0])
             for line in text.splitlines()}
    return {ALIASES.get(name, name) for name in names}


def numbers_used():
    found = {}
    for layer in LAYERS:
        for folder, _, names in os.walk(os.path.join(ROOT, "src", layer)):
            for name in names:
                for number in re.findall(r"\bsyscall\(\s*(SYS_\w+|\w+)",
                                         read(os.path.join(folder, name))):
                    found.setdefault(number, name)
    return found


def main():
    table = read(os.path.join(ROOT, "tests", "faults", "system_calls.def"))
    fails = set(re.findall(r"^(?:CALL\([^,]*, |TRANSFER\(|CLOCK\()(\w+),", table, re.M))
    numbers = {"SYS_" + n for n in re.findall(r"^SYSTEM_CALL\((\w+),", table, re.M)}
    never = set(re.findall(r'^NEVER_FAILS\((\w+), "[^"]+"\)$', table, re.M))
    rows = len(re.findall(r"^(?:CALL|TRANSFER|CLOCK|SYSTEM_CALL|NEVER_FAILS)\(", table, re.M))
    bad = []
    if rows != len(fails) + len(numbers) + len(never):
        bad.append("system_calls.def has rows in an unexpected form, or twice")
    calls, used = imported(sys.argv[1]), numbers_used()
    numbers |= {"SYS_" + n for n in re.findall(r"^CLOCK\((\w+),", table, re.M)} # one row, both ways
    for name in sorted(calls - fails - never):
        bad.append(f"{name} is called, and has no row in tests/faults/system_calls.def")
    for name in sorted(set(used) - numbers - never):
        bad.append(f"syscall({name}) in {used[name]} has no row in tests/faults/system_calls.def")
    for name in sorted((fails - calls) | (numbers - set(used))):
        bad.append(f"{name} has a row and is not called any more")
    symbols = subprocess.run(["nm", sys.argv[1]], capture_output=True, text=True, check=True).stdout
    with open(sys.argv[1], "rb") as file:
        symbols += file.read().decode("latin-1")
    if re.search(r"__wrap_|__real_|WI_FAULT", symbols):
        bad.append(f"{sys.argv[1]} holds parts of the fault table")
    if len(sys.argv) > 2:
        symbols = subprocess.run(["nm", sys.argv[2]], capture_output=True, text=True,
                                 check=True).stdout
        missing = {n for n in fails if f" __wrap_{n}\n" not in symbols}
        if missing:
            bad.append(f"{sys.argv[2]} does not intercept {sorted(missing)}")
    for line in bad:
        print("check_system_calls:", line, file=sys.stderr)
    if not bad:
        print(f"check_system_calls: {len(fails)} functions and {len(numbers)} system calls can be "
              f"made to fail, {len(never)} cannot fail")
    sys.exit(1 if bad else 0)


main()
