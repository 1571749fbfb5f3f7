#!/usr/bin/env python3
"""Writes docs/rules.md from the tables of the analysis. --check only compares (exit 1 if it is old)."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEAD = """# Rules

Generated from the tables by `scripts/gen_docs.sh`; change the tables, not this page.

"""


def rows(path, macro, fields):
    """The rows of a .def file: arguments split at top-level commas, strings unquoted."""
    text = re.sub(r"/\*.*?\*/", "", open(os.path.join(ROOT, path)).read(), flags=re.S)
    for line in re.findall(r"^%s\((.*)\)$" % macro, text, re.M):
        parts, depth, quoted, start = [], 0, False, 0
        for i, c in enumerate(line):
            if c == '"' and line[i - 1] != "\\":
                quoted = not quoted
            elif not quoted and c in "([{":
                depth += 1
            elif not quoted and c in ")]}":
                depth -= 1
            elif c == "," and not quoted and depth == 0:
                parts.append(line[start:i])
                start = i + 1
        parts.append(line[start:])
        assert len(parts) == fields, (path, line)
        yield [p.strip()[1:-1].replace('\\"', '"') if p.strip().startswith('"') else p.strip() for p in parts]


def table(head, body):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(str(c).replace("|", "\\|") for c in row) + " |" for row in body]
    return "\n".join(lines) + "\n"


def page():
    ids = {r[0]: r[2] for r in rows("src/model/subcauses.def", "SUBCAUSE", 4)}
    code = lambda x: "`" + x.replace("||", "or").replace("&&", "and") + "`"
    out = HEAD
    out += "## Classes\n\n" + table(["class", "in words", "the device is..."],
                                    [[code(r[1]), r[3], r[4]] for r in rows("src/model/classes.def", "CLASS", 5)])
    out += "\n## Stretches of host time\n\nWhat the host did while the device idled, where no record proves it. The first row "
    out += "that matches wins.\n\n"
    out += table(["rule", "portion", "condition", "sub-cause", "what it says"],
                 [[r[0], r[1], code(r[2]), code(ids[r[3]]), r[4]] for r in rows("src/analyze/rules.def", "RULE", 5)])
    out += "\n## Decided causes that evidence changes\n\n"
    out += "The share is the part of the time that becomes the other sub-cause. `WITHOUT_CORE`: of the time that the thread "
    out += "wanted a core, that in which it had none; what a call costs by itself stays what it was.\n\n"
    out += table(["override", "decided", "condition", "share", "sub-cause", "what it says"],
                 [[r[0], code(ids[r[1]]), code(r[2]), code(r[5]), code(ids[r[3]]), r[4]] for r in
                  rows("src/analyze/overrides.def", "OVERRIDE", 6)])
    out += "\nNumbers in the conditions:\n\n"
    out += table(["figure", "number", "unit", "reason"],
                 [[code(r[0]), r[1], r[2], r[3]] for r in rows("src/analyze/rule_reasons.def", "RULE_REASON", 4)])
    out += "\nPortions of a stretch:\n\n" + table(["portion", "meaning"], [[code(r[1]), r[2]] for r in
                                                 rows("src/analyze/portions.def", "PORTION", 3)])
    out += "\n## Copies that nothing hides\n\nThe first row that matches wins.\n\n"
    out += table(["sub-cause", "condition", "what it says"],
                 [[code(ids[r[0]]), code(r[1]), r[2]] for r in rows("src/analyze/copy_causes.def", "COPY_CAUSE", 3)])
    out += "\n## What calls and device records prove by themselves\n\n"
    out += table(["sub-cause", "when", "thresholds"],
                 [[code(ids[r[0]]), r[1], ", ".join(r[2].split()) or "-"] for r in
                  rows("src/analyze/direct_causes.def", "DIRECT_CAUSE", 3)])
    out += "\n## Thresholds\n\n" + table(["id", "value", "unit", "reason"], rows("src/analyze/limits.def", "LIMIT", 4))
    samples = {r[1]: r[0] for r in rows("samples/samples.def", "SAMPLE", 6)}
    out += "\n## Advice\n\n" + table(["sub-cause", "what was seen", "what to change", "sample"],
                                     [[code(ids[r[0]]), r[1], r[2], samples.get(ids[r[0]], "-")] for r in
                                      rows("src/analyze/advice.def", "ADVICE", 3)])
    out += "\nWhere what was seen asks for another fix:\n\n"
    out += table(["sub-cause", "condition", "what to change"],
                 [[code(ids[r[0]]), code(r[1]), r[2]] for r in rows("src/analyze/advice_cases.def", "FIX_IF", 3)])
    out += "\nWhat was seen, where a rule knows it better than the general words:\n\n"
    out += table(["sub-cause", "rule", "what was seen"],
                 [[code(ids[r[0]]), r[1], r[2]] for r in rows("src/analyze/advice_seen.def", "SEEN_IF", 3)])
    dialects = {r[0]: r[2] for r in rows("src/model/dialects.def", "DIALECT", 3)}
    out += "\nIn the words of a framework (`{{` is one brace):\n\n"
    out += table(["sub-cause", "framework", "what to change"],
                 [[code(ids[r[0]]), dialects[r[1]], r[2]] for r in
                  rows("src/analyze/advice_dialects.def", "DIALECT_FIX", 3)])
    out += "\nWhat each is, and how to check it:\n\n"
    out += table(["sub-cause", "what it is", "how to check it", "no help if"],
                 [[code(ids[r[0]])] + r[1:] for r in rows("src/analyze/advice_checks.def", "ADVICE_CHECK", 4)])
    out += "\n## What is told as ruled out\n\nOnly below a verdict of the classes named, and only where the evidence is there.\n\n"
    out += table(["cause", "below", "condition", "what it says"],
                 [[code(r[0]), r[1].replace(" | ", ", "), code(r[2]), r[3]] for r in
                  rows("src/report/ruled_out.def", "RULED_OUT", 6)])
    universes = {r[0]: r[1] for r in rows("src/analyze/universes.def", "UNIVERSE", 3)}
    out += "\n## Predictions\n\nHow they are made: [predictions.md](predictions.md). What can be changed (`--what-if`):\n\n"
    out += table(["change", "in words"], [[code(r[1]), r[2]] for r in
                                          rows("src/analyze/universes.def", "UNIVERSE", 3)])
    out += "\n" + table(["key", "what it says"], [[code(r[0]), r[1]] for r in
                                                 rows("src/analyze/universe_keys.def", "UNIVERSE_KEY", 2)])
    values = {r[0]: r[5] for r in rows("src/analyze/universe_values.def", "UNIVERSE_VALUE", 6)}
    out += "\n" + table(["change", "key", "what it takes", "example"],
                        [[code(universes[r[0]]), code(r[1]), values[r[2]],
                          code(f"{universes[r[0]]}:{r[1]}={r[3]}" if r[0] != "BATCHED" else f"{r[1]}={r[3]}")] for r in
                         rows("src/analyze/universe_uses.def", "UNIVERSE_USES", 5)])
    out += "\nWhich of them stands for the fix of a sub-cause, and whose clock its waits follow:\n\n"
    out += table(["sub-cause", "change", "clock"], [[code(ids[r[0]]), code(universes[r[1]]), r[2].lower()] for r in
                                                    rows("src/analyze/remedies.def", "REMEDY", 3)])
    out += "\nA faster GPU? The first row that one with twice the SMs and the bandwidth reaches:\n\n"
    out += table(["speed-up at least", "answer", "reason"], rows("src/report/faster_gpu.def", "FASTER_GPU", 3))
    return out


def main():
    path = os.path.join(ROOT, "docs", "rules.md")
    if sys.argv[1:] == ["--check"]:
        if not os.path.exists(path) or open(path).read() != page():
            sys.exit("docs/rules.md is older than the tables: run scripts/gen_docs.sh")
        return
    with open(path, "w") as out:
        out.write(page())


if __name__ == "__main__":
    main()
