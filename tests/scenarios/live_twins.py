#!/usr/bin/env python3
"""Predictions from live runs: the bad case is played by a real process under the preload on the
modelled GPU, its event trace is given to `whyidle report --what-if`, and the answer is held against
what the fix really brought (twins.md), both blocks cut to as many loops and played by the oracle.

usage: live_twins.py [--loops N] [ID...]

Exit 0: every prediction is within --off % of the truth, but for runs that other programs held up each
time: they prove nothing, are printed as "skip" and counted. 77: nothing could be played, or all of it
was held up so."""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import check_play
import check_twins

# Fixes of each kind, of cases that a small machine can play: ID and loops of the outermost loop.
LIVE = {"G1t": 10, "G1w": 10, "G6t": 60, "G7t": 5, "G8t": 15, "G9t": 100, "G10t": 6, "G11t": 12,
        "G13w": 15}
OFF = 10.0  # %: as in virtual time
ATTEMPTS = 3  # a machine that does something else meanwhile proves nothing
PACE = 5.0  # %: a run further off its plan was held up...
# ...by others, if they used the cores meanwhile; else by us, and that is no excuse


def cut(text, loops):
    """The outermost loops, with as many rounds."""
    return re.sub(r"^loop \d+$", f"loop {loops}", text, flags=re.M)


def record(options, text, sms, folder):
    """Plays the block; (path of its event trace, % that it took longer than planned, % of the cores
    that other programs used meanwhile)"""
    path, trace = os.path.join(folder, "bad.md"), os.path.join(folder, "events.wit")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"### B\n```timeline\n{text}```\n")
    env = check_play.live_environment(options, folder, sms) | {"WHYIDLE_TRACE": trace}
    loops = re.search(r"^loop (\d+)$", text, re.M).group(1)
    with check_play.Others() as others:
        done = subprocess.run([options.play_live, path, "B", "-", loops], env=env,
                              capture_output=True, text=True, timeout=120, check=False)
    if done.returncode:
        raise check_play.Unplayable(done.stderr.strip()[-300:] or f"status {done.returncode}")
    traces = glob.glob(trace + "*")
    if not traces:
        raise check_play.Unplayable("the run wrote no event trace")
    late = re.search(r"\(([-+][\d.]+) %\)", done.stdout)
    return max(traces, key=os.path.getsize), float(late.group(1)) if late else 0.0, others.percent


def ask(options, trace, spec):
    done = subprocess.run([options.whyidle, "report", "--format", "json", "--what-if", spec, trace],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"whyidle report: status {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def word_of(holds, late, others):
    """"ok", "FAIL", or "skip" for a run that other programs held up: it proves nothing."""
    held_up = abs(late) >= PACE and others > check_play.MOST_OTHERS
    return "ok" if holds else "skip" if held_up else "FAIL"


def status_of(words):
    """Of the whole test: what proved nothing is no pass."""
    return 1 if "FAIL" in words else 0 if "ok" in words else 77


def judge(options, fix, bad, true):
    """(line to print, word_of the last attempt)"""
    sms = re.search(r"device sms=(\d+)", bad)
    for attempt in range(1, ATTEMPTS + 1):
        with tempfile.TemporaryDirectory(prefix="twins.") as folder:
            trace, late, others = record(options, bad, sms and sms.group(1), folder)
            said = ask(options, trace, fix.spec)
        p, replay = said["prediction"], said["replay"]
        if p["withheld"]:
            line, holds = f"withheld: {p['withheld']} (replay {replay})", False
        else:
            off = 100 * (p["speedup"] / true - 1)
            inside = p["low"] - check_twins.SHOWN <= true <= p["high"] + check_twins.SHOWN
            line = (f"predicted {p['speedup']:.2f} ({p['low']:.2f} to {p['high']:.2f}), {off:+.1f} %, "
                    f"{'in' if inside else 'outside'} the range; the replay is off by "
                    f"{100 * replay['error']:.1f} %, {100 * replay['unexplained']:.1f} % unexplained")
            holds = abs(off) <= options.off
        line = (f"{fix.id:6} true {true:.2f}  {line}; {late:+.1f} % late, other programs used "
                f"{others:.0f} % of the cores")
        word = word_of(holds, late, others)
        if word != "skip":
            break
    return line + (f", attempt {attempt}" if attempt > 1 else ""), word


def main(argv):
    build = os.environ.get("WI_BUILD", "build")
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("ids", nargs="*")
    p.add_argument("--off", type=float, default=OFF, help="%%")
    p.add_argument("--play-live", default=os.path.join(build, "tests", "scenarios", "play_live"))
    p.add_argument("--whyidle", default=os.path.join(build, "src", "cli", "whyidle"))
    p.add_argument("--preload", default=os.path.join(build, "src", "collect", "libwhyidle.so"))
    p.add_argument("--vgpu", default=f"{build}/vgpu/13:{build}/vgpu")
    options = p.parse_args(argv)
    options.level, options.real = "A", False
    cases = check_twins.cases_folder()
    paths = [os.path.join(cases, name) for name in ("given.md", "twins.md")]
    if not all(map(os.path.exists, paths)):
        print("skipped: no given.md and twins.md; set WHYIDLE_CASES to the folder that has them")
        return 77
    oracle = check_twins.load_oracle(cases)
    given, twins = (check_twins.blocks_of(open(path, encoding="utf-8").read()) for path in paths)
    words = []
    for fix in check_twins.fixes(os.path.join(check_twins.HERE, "twins_detail.txt")):
        if fix.id not in (options.ids or LIVE):
            continue
        loops = LIVE.get(fix.id, 5)
        bad = cut(check_twins.bad_block(given, fix), loops)
        twin = cut(next(text for (i, _), text in twins.items() if i == fix.id), loops)
        true = max(check_twins.times_of(oracle, bad)) / max(check_twins.times_of(oracle, twin))
        line, word = judge(options, fix, bad, true)
        print(f"{word:4} {line}", flush=True)
        words.append(word)
    print(f"{words.count('ok')} of {len(words)} within {options.off:.0f} %, {words.count('skip')} skipped: "
          "other programs held them up")
    return status_of(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
