#!/usr/bin/env python3
"""Plays variants of cases, or healthy jobs, in virtual time and says in how many the report holds.

  variants.py [--seeds N] [--first SEED] FILE [CASE...]   each case N times, every duration changed
                                                          by up to 15 %, every count by up to 30 %;
                                                          with odd seeds alike in all loops, with
                                                          even ones each time anew
  variants.py --healthy [--seeds N]                       N jobs in which nothing is wrong

A variant holds when every class is within the tolerance of its own truth, the sub-cause of its
largest stall is named and nothing is said that must not be. A healthy job holds when the verdict
is `compute`, no stall is found, and every prediction but that of a faster GPU is between 1.00x and
1.03x. Exit 0: at least --least % of each case hold."""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import types

import check_play
import healthy
import vary

MOST_GAIN = 0.03  # of a fix for a job in which nothing is wrong, as shown with two decimals
STALLS = ("data-loading", "transfer", "small-batch", "host", "communication")
JUDGE = types.SimpleNamespace(tolerance=5.0, strict=True)
TRIES = 200  # draws until a job is healthy


def play(options, blocks):
    """blocks: [(case, name, text)] -> {(case, name): [(truth, report)]}"""
    found = {}
    with tempfile.NamedTemporaryFile("w", suffix=".md", encoding="utf-8") as file:
        for case, name, text in blocks:
            file.write(f"### {case}\n```timeline {name}\n{text}```\n")
        file.flush()
        done = subprocess.run([options.play, "report", file.name], capture_output=True, text=True,
                              check=False)
    if done.returncode:
        sys.exit(f"play report: status {done.returncode}: {done.stderr.strip()[-500:]}")
    sys.stderr.write(done.stderr)
    for line in done.stdout.splitlines():
        row = json.loads(line)
        key = row["truth"]["case"], row["truth"]["block"]
        found.setdefault(key, []).append((row["truth"], row["report"]))
    return found


def keep(options, name, text):
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
        with open(os.path.join(options.keep, name + ".md"), "w", encoding="utf-8") as file:
            file.write(f"### {name}\n```timeline\n{text}```\n")


def summary(label, held, count, failed, options):
    print(f"{'ok  ' if 100 * held >= options.least * count else 'FAIL'} {label}: {held} of {count}"
          " hold", flush=True)
    for text in failed[:options.show]:
        print("       " + text, flush=True)
    return 100 * held >= options.least * count


# ---- variants of cases

def describe(seed, row):
    off = "".join(f" {c} {v:+.1f}" for c, v in row["off"].items())
    missed = "" if row["subcause_named"] else (f" · wanted {'|'.join(row['subcause_wanted'])}, "
                                               f"said {row['subcause_said']}")
    wrong = "".join(f" · must not say {w}" for w in row["must_not_say"])
    return (f"seed {seed} rank {row['rank']}: truth {check_play.shares_text(row['truth'])} · said "
            f"{check_play.shares_text(row['said'])} · verdict {row['verdict']}"
            + (" · off" + off if off else "") + missed + wrong)


def check_case(options, case, name, block, texts):
    label = case + (f"/{name}" if name else "")
    seeds = range(options.first, options.first + options.seeds)
    variants = {f"s{seed}": vary.vary(block, random.Random(f"{case}/{name}/{seed}"), seed % 2 == 0)
                for seed in seeds}
    played = play(options, [(case, key, text) for key, text in variants.items()])
    held, failed = 0, []
    for seed in seeds:
        rows = [check_play.judge(label, truth, report, texts, JUDGE)
                for truth, report in played.get((case, f"s{seed}"), [])]
        bad = [row for row in rows if not row["ok"]]
        held += bool(rows) and not bad
        failed += [describe(seed, row) for row in bad] or ([] if rows else [f"seed {seed}: not played"])
        if bad:
            keep(options, f"{case}-s{seed}", variants[f"s{seed}"])
    return summary(label, held, len(seeds), failed, options)


def check_cases(options):
    blocks = vary.blocks_of(options.file)
    missing = set(options.cases) - {case for case, _, _ in blocks}
    if missing:
        sys.stderr.write(f"{options.file}: no case {', '.join(sorted(missing))}\n")
        return 2
    texts, ok = check_play.case_texts(options.file), True
    for case, name, block in blocks:
        if not options.cases or case in options.cases:
            ok &= check_case(options, case, name, block, texts.get(case, ""))
    return 0 if ok else 1


# ---- healthy jobs

def is_healthy(truth):
    want, _ = check_play.truth_classes(truth)
    stalls = [v for c, v in want.items() if c != "compute"]
    return want.get("compute", 0) >= healthy.LEAST_COMPUTE and max(stalls, default=0) <= \
        healthy.MOST_STALL


def draw(options, seed):
    """The first healthy job of a seed: (shape, block, truth, report)"""
    for attempt in range(0, TRIES, 10):
        drawn = {f"t{n}": healthy.job(random.Random(f"healthy/{seed}/{n}"), seed)
                 for n in range(attempt, attempt + 10)}
        played = play(options, [("H", name, block) for name, (_, block) in drawn.items()])
        for name, (shape, block) in drawn.items():
            for truth, report in played["H", name]:
                if is_healthy(truth):
                    return shape, block, truth, report
    sys.exit(f"seed {seed}: no healthy job in {TRIES} draws")


def promises(report):
    """What is predicted for a job that needs no fix."""
    for p in report["predictions"] or [{"universe": "nothing", "withheld": "no prediction"}]:
        if p["withheld"]:
            yield f"{p['universe']} withheld: {p['withheld']}"
        elif p["universe"] != "gpu-2x" and not 1 <= round(p["speedup"], 2) <= 1 + MOST_GAIN:
            yield f"{p['universe']} promises {p['speedup']:.3f}x"


def check_healthy(options):
    held, failed = {}, []
    for seed in range(options.first, options.first + options.seeds):
        shape, block, truth, report = draw(options, seed)
        verdict = report["verdict"]["id"]
        found = [f"{f['id']} {100 * f['share']:.1f} %" for f in report["findings"]
                 if f["id"].split("/")[0] in STALLS] + list(promises(report))
        held.setdefault(shape, []).append(verdict == "compute" and not found)
        if found or verdict != "compute":
            want, _ = check_play.truth_classes(truth)
            failed.append(f"seed {seed}, {shape}: verdict {verdict} · found "
                          f"{', '.join(found) or 'nothing'} · truth "
                          + " ".join(f"{c} {v:.1f}" for c, v in want.items()))
            keep(options, f"healthy-s{seed}", block)
    ok = [all(v) for v in held.values()]
    for shape, results in held.items():
        print(f"{'ok  ' if all(results) else 'FAIL'} {shape}: nothing found in {sum(results)} of "
              f"{len(results)}")
    for text in failed[:options.show * len(held)]:
        print("       " + text)
    return 0 if all(ok) else 1


def main(argv):
    build = os.environ.get("WI_BUILD", "build")
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--healthy", action="store_true", help="jobs in which nothing is wrong")
    p.add_argument("--seeds", type=int, default=50)
    p.add_argument("--first", type=int, default=1, help="the first seed")
    p.add_argument("--least", type=float, default=98.0, help="%% of a case that must hold")
    p.add_argument("--show", type=int, default=2, help="failures told per case")
    p.add_argument("--keep", help="folder that gets the failing blocks")
    p.add_argument("--play", default=os.path.join(build, "tests", "scenarios", "play"))
    p.add_argument("file", nargs="?", help="a scenario file")
    p.add_argument("cases", nargs="*", help="case ids (default: all)")
    options = p.parse_intermixed_args(argv)
    if options.healthy:
        return check_healthy(options)
    if not options.file:
        p.error("a scenario file is needed")
    return check_cases(options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
