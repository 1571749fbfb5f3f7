#!/usr/bin/env python3
"""Plays timeline cases and holds what whyidle says against the truth: one line a case and rank.

A live run is held against the timeline as it was really played: the player's own record of its
calls, with the device times of the timeline.
Exit 0: every class within the tolerance and nothing said that must not be said; 1: not so;
2: wrong usage; 77: nothing could be played. With --strict the sub-cause of the largest stall must
be named too (verdict or largest finding of that class)."""
import argparse
import glob
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

import play_map

ORDER = ["compute", "under-filled", "data-loading", "transfer", "small-batch", "host",
         "communication", "no-work", "warm-up", "unknown"]
MOST_LATE = 100.0  # %: a live run that took this much longer than written shows nothing
DISTURBED = "host-other/disturbance"
# Live runs of a case, as long as they fail and the machine disturbs them: one that had no core for
# the player is not of this timeline. Each lost its core for longer than the tolerance.
# % of the machine's cores that other programs may use during a live run: what the watch sees of
# workers, threads and the run queue is no longer the job's own beyond it.
MOST_OTHERS = 10.0
# What a condition of *Accept also* ("if the read-back is named") asks of exposed_by.
EXPOSERS = [("read-back", "transfer/read-back-sync"), ("blocking copy", "transfer/blocking-copy")]


class Unplayable(Exception):
    """The case cannot be played this way; the text says why."""


# ---- what the file says about a case

def case_texts(path):
    """{case: its text without the timelines}"""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    parts = re.findall(r"^### (\w+)[^\n]*\n(.*?)(?=^### |\Z)", text, re.S | re.M)
    return {case: re.sub(r"```.*?```", "", body, flags=re.S) for case, body in parts}


def with_cases_of_twins(texts, path):
    """A wrong fix leaves the job as it was: what is also accepted for its case is for it, too. The
    cases are in given.md beside the file of twins."""
    given = os.path.join(os.path.dirname(path), "given.md")
    cases = case_texts(given) if os.path.exists(given) else {}
    for twin in texts:
        case = cases.get(re.sub(r"w\d*$", "", twin), "") if twin not in cases else ""
        texts[twin] += "".join(f"\n*Accept also*{s}" for s in sentences_after(case, "Accept also"))
    return texts


def sentences_after(text, mark):
    """What follows "*mark*" up to the next mark or the end of the line."""
    return [m.strip(" :") for m in re.findall(rf"\*{mark}:?\*(.*?)(?=\*Must not|\*Accept|\n|\Z)",
                                              text)]


def acceptances(text):
    """[(class, largest number of points or None, id in exposed_by or None)]"""
    found = []
    for sentence in sentences_after(text, "Accept also"):
        points = re.search(r"(\d+(?:\.\d+)?) points", sentence)
        exposer = None
        if re.search(r"\bif\b.*\bnamed\b", sentence):
            exposer = next((i for words, i in EXPOSERS if words in sentence), "any")
        for cls in play_map.classes_in(sentence)[:1]:
            found.append((cls, float(points.group(1)) if points else None, exposer))
    return found


def forbidden(text):
    """Classes and ids that the verdict must not be."""
    out = []
    for sentence in sentences_after(text, "Must not say"):
        out += play_map.classes_in(sentence) or play_map.ids_in(sentence)
    return out


# ---- truth and report in the same words, % of wall

def truth_classes(truth):
    said, tags = {}, {}
    for tag, ns in truth["shares"].items():
        cls = play_map.class_of(tag)
        said[cls] = said.get(cls, 0) + 100 * ns / truth["length_ns"]
        tags.setdefault(cls, {})[tag] = ns
    return said, tags


def main_device(report):
    used = [d for d in report.get("devices", []) if (d.get("window") or {}).get("length_ns")]
    if not used:
        raise Unplayable("the report accounts for no device")
    return max(used, key=lambda d: d["window"]["length_ns"])


def report_classes(device, start_up_ns=0):
    """Shares of the window. A live run has a start-up that the timeline does not: as much warm-up
    as it can have taken is left out."""
    classes = dict(device["classes"])
    spared = min(start_up_ns, classes.get("warm-up", 0))
    classes["warm-up"] = classes.get("warm-up", 0) - spared
    length = device["window"]["length_ns"] - spared
    said = {"host": 0} | {cls: 100 * ns / length for cls, ns in classes.items()}
    thin = 100 * (device["subcauses"].get("small-batch/under-filled") or 0) / length
    said["under-filled"] = thin
    said["small-batch"] = said.get("small-batch", 0) - thin
    return said


def largest_stall(classes):
    stalls = {c: v for c, v in classes.items() if c != "compute"}
    return max(stalls, key=stalls.get) if stalls else None


def exposed_share(report, device, cls, exposer):
    """% of wall in findings of the class that name what exposes them."""
    ns = 0
    for finding in report.get("findings", []):
        named = (finding.get("exposed_by") or {}).get("id")
        if finding.get("device") == device["id"] and finding["id"].startswith(cls + "/") and named:
            if exposer == "any" or named == exposer:
                ns += finding["ns"]
    return 100 * ns / device["window"]["length_ns"]


def apply_acceptances(said, want, accepted, report, device):
    """Moves accepted time to the class where the truth has it; returns a note."""
    notes = []
    main = largest_stall(want)
    for cls, points, exposer in accepted:
        room = min(said.get(cls, 0) - want.get(cls, 0), want.get(main, 0) - said.get(main, 0))
        if cls == main or room <= 0:
            continue
        if points is not None:
            room = min(room, points)
        if exposer:
            room = min(room, exposed_share(report, device, cls, exposer))
        said[cls] -= room
        said[main] = said.get(main, 0) + room
        if room >= 0.5:
            notes.append(f"{room:.0f} points of {cls} accepted as {main}")
    return notes


def disturbance(truth):
    """% of wall for which the machine of a live run had no core for the launching thread."""
    return 100 * truth["shares"].get(DISTURBED, 0) / truth["length_ns"]


def apply_disturbance(said, want, truth):
    """Whose fault a lack of cores is, the timeline does not say: any class may have it. On a quiet
    machine there is nothing to move; a core that another program takes for some ms is no fault of
    what is tested."""
    left = disturbance(truth)
    for cls in ("data-loading", "unknown"):
        room = min(left, said.get(cls, 0) - want.get(cls, 0), want.get("host", 0) - said["host"])
        if room > 0:
            said[cls] -= room
            said["host"] += room
            left -= room


# ---- one rank of one case

def wanted_ids(want, tags, thin_tag=None):
    """The ids of the largest stall; of several that are as large, those of each. Thin kernels may
    have a cause of their own: one request at a time."""
    stalls = {c: v for c, v in want.items() if c != "compute" and v >= 1}
    ids = []
    for cls, share in stalls.items():
        if share < max(stalls.values()):
            continue
        if cls == "under-filled":
            ids += play_map.subcauses_of(thin_tag or "under-filled")
        else:
            ids += play_map.subcauses_of(max(tags[cls], key=tags[cls].get))
    return ids


def named_ids(report, device, ids):
    """The verdict and the largest finding of each class that an id is looked for in."""
    said = [f["id"] for f in report.get("findings", []) if f.get("device") == device["id"]]
    named = [report.get("verdict", {}).get("id", "-")]
    for cls in sorted({i.split("/")[0] for i in ids}):
        of_class = [i for i in said if i.startswith(cls + "/")]
        # That the grids are thin is what one sees of it; the cause may stand behind.
        named += of_class[:2 if of_class[:1] == ["small-batch/under-filled"] else 1]
    return named


def judge(case, truth, report, texts, options, start_up_ns=0):
    """(dictionary for --json, passed)"""
    want, tags = truth_classes(truth)
    device = main_device(report)
    said = report_classes(device, start_up_ns)
    raw = dict(said)
    apply_disturbance(said, want, truth)
    notes = apply_acceptances(said, want, acceptances(texts), report, device)
    off = {c: round(said.get(c, 0) - want.get(c, 0), 1) for c in ORDER
           if abs(said.get(c, 0) - want.get(c, 0)) > options.tolerance}
    verdict = report.get("verdict", {}).get("id", "-")
    wrong = [f for f in forbidden(texts) if verdict == f or verdict.startswith(f + "/")]
    ids = wanted_ids(want, tags, truth.get("thin_tag"))
    named = named_ids(report, device, ids)
    accepted_ids = [c for c, _, _ in acceptances(texts)]
    hit = (not ids or any(i in named for i in ids)
           or any(verdict.startswith(c + "/") for c in accepted_ids))
    row = {"case": case, "rank": truth["rank"], "level": report.get("level"),
           "truth": {c: round(want[c], 1) for c in ORDER if want.get(c, 0) >= 0.05},
           "said": {c: round(raw[c], 1) for c in ORDER if raw.get(c, 0) >= 0.05},
           "off": off, "subcause_wanted": ids, "subcause_said": named[-1], "subcause_named": hit,
           "verdict": verdict, "must_not_say": wrong, "notes": notes}
    row["ok"] = not off and not wrong and (hit or not options.strict)
    return row


def shares_text(shares):
    return " ".join(f"{c} {v:.0f}" for c, v in shares.items() if v >= 0.5) or "-"


def print_row(row, options):
    if options.json:
        print(json.dumps(row), flush=True)
        return
    if "skipped" in row:
        print(f"{'skip' if row['ok'] else 'FAIL'} {row['case']}: {row['skipped']}", flush=True)
        return
    wanted = "|".join(row["subcause_wanted"]) or "-"
    mark = "" if row["subcause_named"] else " MISSED"
    more = "".join(f" · OFF {c} {v:+.1f}" for c, v in row["off"].items())
    more += "".join(f" · MUST NOT SAY {w}" for w in row["must_not_say"])
    more += "".join(f" · {n}" for n in row["notes"])
    print(f"{'ok  ' if row['ok'] else 'FAIL'} {row['case']} rank {row['rank']}: truth "
          f"{shares_text(row['truth'])} · said {shares_text(row['said'])} · sub-cause {wanted}: "
          f"{row['subcause_said']}{mark} · verdict {row['verdict']}{more}", flush=True)


# ---- playing

def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def play_virtual_time(options, case, block, ranks, folder):
    """{rank: report}"""
    limit = ["--cut", str(options.max_loops)] if options.max_loops else []
    done = run([options.play, "trace", options.file, case, block, folder] + limit)
    if done.returncode:
        raise Unplayable("play trace: " + done.stderr.strip())
    reports = {}
    for path in sorted(glob.glob(os.path.join(folder, "rank*.wit"))):
        done = run([options.whyidle, "report", "--format", "json", path])
        if done.returncode:
            raise Unplayable(f"whyidle report: status {done.returncode}: {done.stderr.strip()}")
        rank = int(re.search(r"rank(\d+)\.wit$", path).group(1))
        reports[rank] = json.loads(done.stdout)
        os.unlink(path)
    if len(reports) != ranks:
        raise Unplayable(f"{len(reports)} reports of {ranks} ranks")
    return reports


def live_environment(options, folder, sms):
    env = dict(os.environ)
    for name in [n for n in env if n.startswith("WHYIDLE")]:
        del env[name]
    env.update(WHYIDLE_OUT=folder, WHYIDLE_PRINT="none", LD_PRELOAD=options.preload)
    if options.level == "C":
        env["WHYIDLE_CUPTI"] = "off"
    if not options.real:
        env["LD_LIBRARY_PATH"] = options.vgpu + ":" + env.get("LD_LIBRARY_PATH", "")
        if sms:
            env["VGPU_SMS"] = str(sms)
        env["VGPU_DATA"] = "0"  # durations are given; moving the bytes would cost host time
        env["VGPU_STAGING_BYTES"] = "0"  # `sync` copies wait for the device whatever their size
    return env


def busy_seconds():
    """(of all cores since boot, of the children of this process that have ended)"""
    with open("/proc/stat", encoding="ascii") as f:
        ticks = [int(word) for word in f.readline().split()[1:9]]
    own = resource.getrusage(resource.RUSAGE_CHILDREN)
    idle = ticks[3] + ticks[4]
    return (sum(ticks) - idle) / os.sysconf("SC_CLK_TCK"), own.ru_utime + own.ru_stime


class Others:
    """How much of the machine programs used that are not of the run in between."""

    def __enter__(self):
        self.began, self.before = time.monotonic(), busy_seconds()
        return self

    def __exit__(self, *unused):
        busy, own = (b - a for a, b in zip(self.before, busy_seconds()))
        seconds = (time.monotonic() - self.began) * (os.cpu_count() or 1)
        self.percent = max(0.0, 100 * (busy - own) / seconds)


def play_live(options, case, block, ranks, sms, folder):
    """(report, truth of the run as it was really played, cut, text about the pace, Others)"""
    if ranks != 1:
        raise Unplayable("several ranks are played in virtual time only")
    env = live_environment(options, folder, sms)
    plan = run([options.play_live, "--plan", options.file, case, block, str(options.max_loops)],
               env=env | {"LD_PRELOAD": ""})
    if plan.returncode:
        raise Unplayable(plan.stderr.strip() or f"play_live --plan: status {plan.returncode}")
    cut = plan.stdout.strip()
    log = os.path.join(folder, "played.log")
    with Others() as others:
        done = run([options.play_live, options.file, case, block, cut, log], env=env,
                   timeout=120)
    if done.returncode:
        raise Unplayable(f"play_live: status {done.returncode}: {done.stderr.strip()[-300:]}")
    paths = [p for p in glob.glob(os.path.join(folder, "**", "*.json"), recursive=True)
             if not os.path.islink(p)]
    if not paths:
        raise Unplayable("the live run wrote no report: " + done.stderr.strip()[-300:])
    played = run([options.play, "played", options.file, case, block, log, "--cut", cut])
    if played.returncode:
        raise Unplayable("play played: " + played.stderr.strip())
    with open(max(paths, key=os.path.getsize), encoding="utf-8") as f:
        return json.load(f), json.loads(played.stdout), cut, done.stdout.strip(), others


def truths(options, cut):
    limit = ["--cut", str(cut)] if cut else []
    done = run([options.play, "truth", options.file] + limit)
    if done.returncode:
        sys.exit(2)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {(r["case"], r["block"], r["rank"]): r for r in rows}


def level_c_row(label, report, played):
    """At level C there are no device times: the report must say so, claim no shares, and have seen
    every launch."""
    claims = [d for d in report.get("devices", [])
              if any(v for v in (d.get("classes") or {}).values())]
    launches = ((report.get("calls") or {}).get("launch") or {}).get("count")
    notes = [f"level {report.get('level')}, {launches} of {played['launches']} launches seen"]
    if claims:
        notes.append("shares claimed without device times")
    return {"case": label, "rank": 0, "level": report.get("level"), "truth": {}, "said": {},
            "off": {}, "subcause_wanted": [], "subcause_said": "-", "subcause_named": True,
            "verdict": report.get("verdict", {}).get("id", "-"), "must_not_say": [],
            "notes": notes, "ok": (report.get("level") == "C" and not claims
                                   and launches == played["launches"])}


def check_live_once(options, label, case, block, ranks, sms, texts):
    """(row, whether the machine disturbed the run)"""
    with tempfile.TemporaryDirectory(prefix="play.") as folder:
        report, played, cut, pace, others = play_live(options, case, block, ranks, sms, folder)
    if options.level == "C":
        return level_c_row(label, report, played), False
    start_up, late = (float(re.search(pattern, pace).group(1)) for pattern in
                      (r"start-up (\d+) ms", r"\(([-+][\d.]+) %\)"))
    row = judge(label, played, report, texts, options, int(start_up * 1e6))
    row["notes"].append(pace)
    planned, _ = truth_classes(truths(options, cut)[case, block, 0])
    row["planned"] = {c: round(planned[c], 1) for c in ORDER if planned.get(c, 0) >= 0.05}
    disturbed = disturbance(played) > options.tolerance or any(
        abs(row["truth"].get(c, 0) - planned.get(c, 0)) > options.tolerance for c in ORDER)
    if disturbed:
        row["notes"].append(f"planned {shares_text(row['planned'])}, {disturbance(played):.0f} "
                            "points lost to a busy machine")
    if others.percent > MOST_OTHERS:
        row["notes"].append(f"other programs used {others.percent:.0f} % of the cores")
        disturbed = True
    if abs(late) > MOST_LATE:
        row["notes"].append("not played as written")
        row["ok"], disturbed = False, True
    if report.get("level") != options.level:
        row["notes"].append(f"level {report.get('level')}: {report.get('level_reason')}")
        row["ok"] = False
    return row, disturbed


def check_live(options, label, *case):
    """A run that fails on a busy machine proves nothing and is played again."""
    for attempt in range(1, options.attempts + 1):
        row, disturbed = check_live_once(options, label, *case)
        if row["ok"] or not disturbed:
            break
    else:
        print_row(row, options)
        raise Unplayable(f"{options.attempts} runs were disturbed by a busy machine")
    if attempt > 1:
        row["notes"].append(f"attempt {attempt}")
    return row


def check_block(options, case, block, ranks, sms, texts):
    label = case if block in ("-", case) else f"{case}/{block}"
    if not ranks:
        raise Unplayable("the timeline cannot be read")
    if options.live:
        yield check_live(options, label, case, block, ranks, sms, texts)
        return
    with tempfile.TemporaryDirectory(prefix="play.") as folder:
        reports = play_virtual_time(options, case, block, ranks, folder)
    want = truths(options, options.max_loops)
    for rank, report in reports.items():
        yield judge(label, want[case, block, rank], report, texts, options)


def parse_arguments(argv):
    build = os.environ.get("WI_BUILD", "build")
    scenarios = os.path.join(build, "tests", "scenarios")
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("file")
    p.add_argument("cases", nargs="*", help="case ids (default: all)")
    p.add_argument("--live", action="store_true", help="a real process under the preload")
    p.add_argument("--real", action="store_true", help="live: on the real GPU")
    p.add_argument("--level", choices="AC", default="A", help="live: A (default) or C")
    p.add_argument("--json", action="store_true", help="one JSON object a line")
    p.add_argument("--strict", action="store_true", help="the sub-cause must be named too")
    p.add_argument("--max-loops", type=int, default=0, help="cut outermost loops")
    p.add_argument("--attempts", type=int, default=2, help="live: runs at most, on a busy machine")
    p.add_argument("--tolerance", type=float, default=5.0, help="points of wall time")
    p.add_argument("--play", default=os.path.join(scenarios, "play"))
    p.add_argument("--play-live", default=os.path.join(scenarios, "play_live"))
    p.add_argument("--whyidle", default=os.path.join(build, "src", "cli", "whyidle"))
    p.add_argument("--preload", default=os.path.join(build, "src", "collect", "libwhyidle.so"))
    p.add_argument("--vgpu", default=f"{build}/vgpu/13:{build}/vgpu")
    return p.parse_intermixed_args(argv)


def main(argv):
    options = parse_arguments(argv)
    listed = run([options.play, "list", options.file])
    if listed.returncode:
        sys.stderr.write(listed.stderr)
        return 2
    sys.stderr.write(listed.stderr)
    blocks = [line.split() for line in listed.stdout.splitlines()]
    missing = set(options.cases) - {b[0] for b in blocks}
    if missing:
        sys.stderr.write(f"{options.file}: no case {', '.join(sorted(missing))}\n")
        return 2
    texts, rows = with_cases_of_twins(case_texts(options.file), options.file), []
    for case, block, ranks, sms in blocks:
        if options.cases and case not in options.cases:
            continue
        try:
            for row in check_block(options, case, block, int(ranks), int(sms),
                                   texts.get(case, "")):
                print_row(row, options)
                rows.append(row)
        except Unplayable as problem:
            text = str(problem)
            failed = "virtual time only" not in text and "busy machine" not in text
            print_row({"case": case, "skipped": text, "ok": not failed}, options)
            if failed:
                rows.append({"ok": False})
    if not rows:
        return 77
    bad = sum(not r["ok"] for r in rows)
    if not options.json:
        print(f"{len(rows)} played, {bad} not as expected")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
