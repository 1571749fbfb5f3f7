#!/usr/bin/env python3
"""samples.def is whole: every sub-cause has a sample or a reason why it has none, every sample has
its program, which says what it shows."""
import os
import re
import sys

import samples_table

SUBCAUSES = os.path.join(samples_table.ROOT, "src", "model", "subcauses.def")
ADVICE = os.path.join(samples_table.ROOT, "src", "analyze", "advice.def")
HEALTHY = "compute/kernels"


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def program_path(sample):
    name = sample.program if sample.program.endswith(".py") else sample.program + ".c"
    return os.path.join(samples_table.ROOT, "samples", name)


def document(ns, finding, verdict="inconclusive"):
    return {"devices": [{"window": {"length_ns": 1000}, "subcauses": {"host/allocator": ns}}],
            "verdict": {"id": verdict}, "findings": [{"id": finding}]}


def judging():
    """What the runs of the samples are judged by: the right sub-cause, told, of 5 % or more."""
    sample = samples_table.Sample("allocator", "host/allocator", "NOW", 1, "", "")
    cases = [(document(50, "host/allocator"), 1), (document(49, "host/allocator"), 0),
             (document(500, "host/logging"), 0), (document(500, "host/logging", "host/allocator"), 1)]
    return [f"{doc} is judged wrongly" for doc, good in cases
            if samples_table.judge(sample, doc)[0] != good]


def main():
    rows, without = samples_table.rows(), samples_table.without()
    table = text_of(samples_table.TABLE)
    wanted = {i for i in re.findall(r'^SUBCAUSE\(\w+, \w+, "([^"]+)"', text_of(SUBCAUSES), re.M)
              if not i.endswith("/undetermined") and i != HEALTHY}
    shown = [sample.subcause for sample in rows] + list(without)
    failures = judging()
    failures += [f"{i}: neither a sample nor a reason" for i in wanted - set(shown)]
    failures += [f"{i}: no sub-cause" for i in set(shown) - wanted]
    failures += [f"{i}: twice" for i in set(shown) if shown.count(i) > 1]
    if len(rows) + len(without) != len(re.findall(r"^(?:SAMPLE|WITHOUT)\(", table, re.M)):
        failures.append("a row of samples.def cannot be read")
    for sample in rows:
        path = program_path(sample)
        if not os.path.exists(path):
            failures.append(f"{sample.program}: no program")
        elif sample.subcause not in text_of(path).split("Expected", 1)[-1][:300]:
            failures.append(f"{sample.program}: its head does not say {sample.subcause}")
        if sample.when not in ("NOW", "LATER", "REAL"):
            failures.append(f"{sample.program}: no '{sample.when}'")
    named = re.findall(r'"(demo_\w+|[\w.]+)"\)$', text_of(ADVICE), re.M)
    programs = {os.path.splitext(sample.program)[0] for sample in rows}
    failures += [f"advice.def names {name}, which is no sample" for name in named
                 if os.path.splitext(name)[0] not in programs]
    print("\n".join(failures) or f"{len(rows)} samples, {len(without)} without")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
