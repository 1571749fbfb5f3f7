#!/usr/bin/env python3
"""Holds the tables of causes together: every row that can give a sub-cause has advice, a way to
check it, fixes for PyTorch and CUDA C++, a test, and (where samples/samples.def is there) a sample;
every number in a condition has its reason. Prints what is missing and exits with 1.
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from gen_docs import ROOT, rows  # noqa: E402

TESTS = ("tests/unit", "tests/scenarios", "tests/cli")
TEXTS = (".c", ".h", ".py", ".md", ".def", ".txt")


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8", errors="replace") as file:
        return file.read()


def sources(folder, ends=TEXTS):
    for base, _, names in os.walk(os.path.join(ROOT, folder)):
        for name in sorted(names):
            if name.endswith(ends):
                yield os.path.join(base, name)


def column(path, macro, fields, at=0):
    return [row[at] for row in rows(path, macro, fields)]


RULE_TABLES = (("src/analyze/rules.def", "RULE", 5), ("src/analyze/overrides.def", "OVERRIDE", 6))


def chargeable():
    """Sub-causes that a table can give, each with the table that does."""
    found = {}
    for path, macro, fields, at in (("src/analyze/rules.def", "RULE", 5, 3),
                                    ("src/analyze/overrides.def", "OVERRIDE", 6, 3),
                                    ("src/analyze/copy_causes.def", "COPY_CAUSE", 3, 0),
                                    ("src/analyze/direct_causes.def", "DIRECT_CAUSE", 3, 0)):
        for sub in column(path, macro, fields, at):
            found.setdefault(sub, path)
    return found


def named_in_code():
    """Sub-causes that the engine's code names itself: it charges them, so a table must know."""
    for path in sources("src/analyze", (".c",)):
        for sub in re.findall(r"\bWI_SUB_([A-Z_]+)\b", read(path)):
            if sub not in ("COUNT", "COMPUTE"):
                yield sub, os.path.relpath(path, ROOT)


def missing_advice(causes):
    advice = {row[0]: row for row in rows("src/analyze/advice.def", "ADVICE", 3)}
    checks = set(column("src/analyze/advice_checks.def", "ADVICE_CHECK", 4))
    fixes = {tuple(row[:2]) for row in rows("src/analyze/advice_dialects.def", "DIALECT_FIX", 3)}
    for sub in sorted(set(causes) | set(advice)):
        if sub not in advice:
            yield f"{sub}: no ADVICE row ({causes[sub]} gives it)"
        if sub not in checks:
            yield f"{sub}: no ADVICE_CHECK row"
        for dialect in ("PYTORCH", "CUDA"):
            if (sub, dialect) not in fixes:
                yield f"{sub}: no DIALECT_FIX for {dialect}"
    for sub, dialect in sorted(fixes):
        if sub not in advice:
            yield f"{sub}: DIALECT_FIX for {dialect}, but no ADVICE row"


def missing_tests(causes, tests):
    ids = {row[0]: row[2] for row in rows("src/model/subcauses.def", "SUBCAUSE", 4)}
    by_rule = {row[3] for path, macro, fields in RULE_TABLES
               for row in rows(path, macro, fields)}  # held to tests by their rows, below
    for sub in sorted(set(causes) - by_rule):
        if not re.search(rf"\bWI_SUB_{sub}\b", tests) and ids[sub] not in tests:
            yield f"{sub}: no test under {', '.join(TESTS)} names it"
    for path, macro, fields in RULE_TABLES:
        for rule in column(path, macro, fields):
            if f'"{rule}"' not in tests:
                yield f"{rule}: no test names this row of {path}"


def missing_samples(causes):
    """samples/samples.def names the program of each sub-cause, or why there can be none."""
    ids = {row[0]: row[2] for row in rows("src/model/subcauses.def", "SUBCAUSE", 4)}
    programs = {row[1]: row[0] for row in rows("samples/samples.def", "SAMPLE", 6)}
    without = set(column("samples/samples.def", "WITHOUT", 2))
    for sub in sorted(causes):
        sample = programs.get(ids[sub])
        if sample and not any(os.path.exists(os.path.join(ROOT, "samples", sample + end))
                              for end in (".c", "")):
            yield f"{sub}: samples/ has no {sample}"
        if not sample and ids[sub] not in without and not ids[sub].endswith("/undetermined"):
            yield f"{sub}: no sample program shows it"


def literals(condition):
    """(member, number) of every comparison in a condition."""
    text = re.sub(r"WI_[A-Z_]+", "", condition)
    for member, _, number in re.findall(r"e->(\w+)(\[\])?\s*(?:[<>]=?|[=!]=)\s*([0-9.]+)", text):
        yield member, number
    # a multiple of another figure: cores_allowed <= 0.5 * cores_machine
    for member, number in re.findall(r"e->(\w+)\s*[<>]=?\s*([0-9.]+)\s*\*", text):
        yield member, number


def missing_reasons():
    known = {(row[0], row[1]) for row in rows("src/analyze/rule_reasons.def", "RULE_REASON", 4)}
    used = set()
    for path, macro, fields in RULE_TABLES:
        for row in rows(path, macro, fields):
            for pair in literals(row[2]):
                used.add(pair)
                if pair not in known and float(pair[1]) != 0:
                    yield f"{row[0]}: {pair[0]} is compared with {pair[1]}, no RULE_REASON says why"
    for pair in sorted(known - used):
        yield f"RULE_REASON({pair[0]}, {pair[1]}): no rule compares so"
    limits = set(column("src/analyze/limits.def", "LIMIT", 4))
    for sub, _, names in rows("src/analyze/direct_causes.def", "DIRECT_CAUSE", 3):
        for name in names.split():
            if name not in limits:
                yield f"DIRECT_CAUSE({sub}): {name} is no row of limits.def"


def main():
    causes = chargeable()
    tests = "\n".join(read(path) for folder in TESTS
                      for path in sources(folder))
    problems = [f"{sub}: named in {path}, but no table of causes has it"
                for sub, path in sorted(set(named_in_code())) if sub not in causes]
    problems += list(missing_advice(causes)) + list(missing_tests(causes, tests))
    problems += list(missing_samples(causes)) + list(missing_reasons())
    print("\n".join(problems) or f"{len(causes)} sub-causes that can be charged are complete")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
