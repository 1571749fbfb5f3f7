#!/usr/bin/env python3
"""Holds predictions made from the bad runs of given.md against what the fixes really brought.

usage: check_twins.py [--markdown FILE] [--least-near PCT] ... [ID...]

The truth is the time of the block before and after the fix (twins.md), both played by
case_oracle.py beside the cases, never by whyidle. What a fix is, as a text for --what-if, stands in
twins_detail.txt. "A GPU twice as fast, for every case" of twins.md is a second table: each kernel
takes half as long; where the waits have their own clock, the time stays.
Exit 0: in each table enough of the predictions are near the truth, enough of the truths lie in the
range, and the ranges are narrow. A withheld prediction is a miss. 77: the files are not there."""
import argparse
import collections
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
NEAR = 10.0    # %: a prediction this close is right
SHOWN = 0.005  # a report shows two decimals: a truth this far outside the range is told as its end
MARK = "<!-- the tables: written by scripts/twins.sh --accept -->\n"

Fix = collections.namedtuple("Fix", "id case block spec scale cpu ranks own")
Row = collections.namedtuple("Row", "id universe truth said low high withheld reported")


# ---- the files

def cases_folder():
    return os.environ.get("WHYIDLE_CASES") or os.path.join(
        os.environ.get("WI_SOURCE", os.path.join(HERE, "..", "..")), "..", "shared", "cases")


def load_oracle(cases):
    path = os.path.join(cases, "..", "tools", "case_oracle.py")
    spec = importlib.util.spec_from_file_location("case_oracle", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    # Only the lengths are asked for; the shares of the classes take most of its time.
    module.share = lambda rank: max(end for _, end, _ in rank.host + rank.busy + rank.copy)
    return module


def blocks_of(text):
    """{(case, block or case): text of the timeline}"""
    found = {}
    for case in re.finditer(r"^### (\w+)[^\n]*\n(.*?)(?=^### |\Z)", text, re.S | re.M):
        for block in re.finditer(r"```timeline ?(\S*)\n(.*?)```", case.group(2), re.S):
            found[case.group(1), block.group(1)] = block.group(2)
    return found


def table_rows(text, heading):
    """Cells of the rows of the first table behind a heading."""
    part = text.split(f"\n## {heading}\n", 1)[1]
    lines = [line for line in part.split("\n## ")[0].splitlines() if line.startswith("|")]
    for line in lines[2:]:
        yield [cell.strip().strip("`") for cell in line.strip("|").split("|")]


def fixes(path):
    for line in open(path, encoding="utf-8"):
        words = line.split("#")[0].split()
        if not words:
            continue
        case, _, block = words[1].partition("/")
        options = dict((w.partition("=")[0], w.partition("=")[2]) for w in words[3:])
        ranks = options.get("ranks")
        yield Fix(words[0], case, block, words[2], float(options.get("scale", 1)),
                  options.get("cpu"), tuple(map(int, ranks.split("-"))) if ranks else None,
                  "own" in options)


def bad_block(given, fix):
    text = given[fix.case, fix.block]
    if fix.cpu:
        old, new = fix.cpu.split(":")
        text = re.sub(rf"^(\s*cpu ){re.escape(old)} ", rf"\g<1>{new} ", text, flags=re.M)
    return text


def halved(text):
    """Every kernel in half the time."""
    def half(match):
        return f"{match.group(1)}{float(match.group(2)) / 2:.6f}"
    return re.sub(r"^(\s*kern .*?dev=)([\d.]+)", half, text, flags=re.M)


# ---- truth and prediction

class Player:
    """Asks the engine, once a block, about every text that is wanted of it."""

    def __init__(self, play):
        self.play, self.wanted, self.said = play, {}, {}

    def want(self, text, fix):
        for spec in specs_of(text, fix):
            self.wanted.setdefault(text, {})[spec] = None

    def run(self):
        for text, specs in self.wanted.items():
            with tempfile.NamedTemporaryFile("w", suffix=".md", encoding="utf-8") as file:
                file.write(f"### B\n```timeline\n{text}```\n")
                file.flush()
                done = subprocess.run([self.play, "whatif", file.name, "B", "-", *specs],
                                      capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"play whatif: status {done.returncode}: {done.stderr.strip()}")
            for line in done.stdout.splitlines():
                row = json.loads(line)
                self.said.setdefault((text, row["spec"]), []).append(row)

    def of(self, text, spec):
        return self.said[text, spec]


def job_time(times, speedups, own):
    """The time of the job from those of its ranks and how many times as fast each gets."""
    after = [t / s for t, s in zip(times, speedups)]
    return sum(after) / len(after) if own else max(after)


def specs_of(text, fix):
    """What is asked of each rank. How long a collective takes when nobody is late is what merging
    the ranks shows: the least over all of them."""
    ranks = max(1, len(re.findall(r"^rank ", text, re.M)))
    if ranks == 1:
        return [fix.spec]
    least = min(float(dev) for dev in re.findall(r"^\s*coll .*?dev=([\d.]+)", text, re.M))
    balanced = f"balanced-ranks:least={least:g}"
    with_fix = balanced if fix.spec == "balanced-ranks" else f"{fix.spec}+{balanced}"
    return [with_fix if not fix.ranks or fix.ranks[0] <= rank <= fix.ranks[1] else balanced
            for rank in range(ranks)]


def predicted(player, oracle_times, text, fix):
    """(speed-up, low, high, reason if withheld) of the job."""
    rows = [player.of(text, spec)[rank]["predicted"]
            for rank, spec in enumerate(specs_of(text, fix))]
    reasons = [row["withheld"] for row in rows if row.get("withheld")]
    if reasons:
        return None, None, None, reasons[0]
    before = max(oracle_times)
    return tuple(before / job_time(oracle_times, [row[k] for row in rows], fix.own)
                 for k in ("speedup", "low", "high")) + (None,)


def told(text):
    """The T of a table cell, ms."""
    return float(re.match(r"[\d.]+", text).group(0))


def check_told(problems, name, mine, table):
    if abs(mine / table - 1) > 0.001:
        problems.append(f"{name}: {mine:.1f} ms by the oracle, {table:.1f} ms in twins.md")


def times_of(oracle, text):
    return [length for _, length in oracle.play(text)]


def twin_rows(oracle, player, given, twins_text, wanted, problems):
    twins = blocks_of(twins_text)
    table = {row[0]: row for row in table_rows(twins_text, "Table")}
    listed = [f for f in fixes(os.path.join(HERE, "twins_detail.txt")) if f.id in table]
    problems += [f"{i}: not in twins_detail.txt" for i in table.keys() - {f.id for f in listed}]
    asked = [f for f in listed if not wanted or f.id in wanted]
    for fix in asked:
        player.want(bad_block(given, fix), fix)
    player.run()
    for fix in asked:
        text = bad_block(given, fix)
        times = times_of(oracle, text)
        after = max(times_of(oracle, next(t for (i, _), t in twins.items() if i == fix.id)))
        check_told(problems, fix.id + " bad", max(times) * fix.scale, told(table[fix.id][4]))
        check_told(problems, fix.id, after, told(table[fix.id][5]))
        yield Row(fix.id, table[fix.id][2], max(times) * fix.scale / after,
                  *predicted(player, times, text, fix), table[fix.id][7])


def gpu_rows(oracle, player, given, twins_text, wanted, problems):
    """Every case with every kernel in half the time."""
    asked = []
    for row in table_rows(twins_text, "A GPU twice as fast, for every case"):
        case, _, block = row[0].partition(" / ")
        if wanted and row[0] not in wanted and case not in wanted:
            continue
        # Kernels of unknown size gain from more SMs as from a faster clock; others are told the latter.
        spec = "gpu-2x:x=2" if "grid=" in given[case, block] else "gpu-2x"
        fix = Fix(row[0], case, block, spec, 1, None, None, False)
        asked.append((fix, row))
        player.want(bad_block(given, fix), fix)
    player.run()
    for fix, row in asked:
        text = bad_block(given, fix)
        times = times_of(oracle, text)
        after = max(times) if row[4] == "own clock" else max(times_of(oracle, halved(text)))
        check_told(problems, fix.id + " bad", max(times), told(row[1]))
        check_told(problems, fix.id, after, told(row[2]))
        yield Row(fix.id, "gpu-2x", max(times) / after, *predicted(player, times, text, fix), row[5])


# ---- judging and printing

def error(row):
    return None if row.withheld else 100 * (row.said / row.truth - 1)


def inside(row):
    return not row.withheld and row.low - SHOWN * max(1, row.low) <= row.truth <= \
        row.high + SHOWN * max(1, row.high)


def number(value):
    return f"{value:.3g}" if value >= 10 else f"{value:.2f}"


def cells(row):
    if row.withheld:
        said = ["-", f"withheld: {row.withheld}", "-", "no"]
    else:
        said = [number(row.said), f"{number(row.low)} to {number(row.high)}", f"{error(row):+.1f} %",
                "yes" if inside(row) else "no"]
    return [row.id, row.universe, number(row.truth)] + said + [row.reported]


def summary(rows, options):
    """[(sentence, whether it holds)]"""
    near = sum(not row.withheld and abs(error(row)) <= NEAR for row in rows)
    covered = sum(map(inside, rows))
    widths = [row.high / row.low for row in rows if not row.withheld]
    width = statistics.median(widths) if widths else float("inf")
    held = len(rows) - len(widths)
    return [(f"{near} of {len(rows)} predictions within {NEAR:.0f} % of the truth "
             f"({100 * near / len(rows):.0f} %, bar {options.least_near:.0f} %)",
             100 * near >= options.least_near * len(rows)),
            (f"{covered} of {len(rows)} truths inside the range "
             f"({100 * covered / len(rows):.0f} %, bar {options.least_inside:.0f} %)",
             100 * covered >= options.least_inside * len(rows)),
            (f"median high/low {width:.2f} (bar {options.most_width:.2f})",
             width <= options.most_width),
            (f"{held} withheld", True)]


def print_table(title, head, rows, options):
    body = [head] + [cells(row) for row in rows]
    widths = [max(len(line[i]) for line in body) for i in range(len(head))]
    print(f"{title}\n")
    for line in body:
        print("  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip())
    print()
    for sentence, holds in summary(rows, options):
        print(f"{'ok  ' if holds else 'FAIL'} {sentence}")
    print()


def markdown(title, head, rows, options):
    lines = [f"### {title}", "", "| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    lines += ["| " + " | ".join(cells(row)) + " |" for row in rows]
    return "\n".join(lines + [""] + [f"- {s}" for s, _ in summary(rows, options)]) + "\n"


def write_markdown(path, tables, options):
    with open(path, encoding="utf-8") as file:
        text = file.read().split(MARK)[0]
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + MARK + "\n" + "\n".join(markdown(*t, options) for t in tables))


def parse_arguments(argv):
    build = os.environ.get("WI_BUILD", "build")
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("ids", nargs="*", help="twins, or cases of the second table (default: all)")
    p.add_argument("--play", default=os.path.join(build, "tests", "scenarios", "play"))
    p.add_argument("--markdown", help="document whose tables are written anew")
    p.add_argument("--least-near", type=float, default=90.0, help="%%")
    p.add_argument("--least-inside", type=float, default=80.0, help="%%")
    p.add_argument("--most-width", type=float, default=1.5, help="median of high/low")
    return p.parse_args(argv)


def main(argv):
    options, cases = parse_arguments(argv), cases_folder()
    paths = [os.path.join(cases, name) for name in ("given.md", "twins.md")]
    if not all(map(os.path.exists, paths)):
        print("skipped: no given.md and twins.md; set WHYIDLE_CASES to the folder that has them")
        return 77
    given_text, twins_text = (open(path, encoding="utf-8").read() for path in paths)
    oracle, player, problems = load_oracle(cases), Player(options.play), []
    given = blocks_of(given_text)
    tables = []
    for title, last, rows_of in (
            ("Fixes, and wrong fixes (w)", "reported", twin_rows),
            ("A GPU twice as fast", "what holds it back", gpu_rows)):
        head = ["id", "universe", "true", "predicted", "range", "error", "in range", last]
        rows = list(rows_of(oracle, player, given, twins_text, set(options.ids), problems))
        if rows:
            tables.append((title, head, rows))
            print_table(*tables[-1], options)
    print("\n".join(problems), end="\n" if problems else "")
    if options.markdown and not options.ids:
        write_markdown(options.markdown, tables, options)
    holds = all(h for _, _, rows in tables for _, h in summary(rows, options))
    return 0 if tables and holds and not problems else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
