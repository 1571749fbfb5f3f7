#!/usr/bin/env python3
"""The generators of variants and healthy jobs, and that their checks can fail."""
import io
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout

import healthy
import vary
import variants

PLAY = os.path.join(os.environ.get("WI_BUILD", "build"), "tests", "scenarios", "play")
WHYIDLE = os.path.join(os.environ.get("WI_BUILD", "build"), "src", "cli", "whyidle")
OWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "own_cases.md")

BLOCK = """side workers n=2 cpu=98 state=R
loop 10
  wait 200 poll :: data-loading/too few workers
  h2d 4M pinned async n=20 host=0.1 dev=4 stream=1
  kern 100 host=0.01 dev=1 grid=7
  malloc 10 2.5 :: host-other/allocator
end
sync
"""
RANKS = "".join(f"rank {r}\nloop 10\n  loop 5\n    kern 100 dev=1\n    coll dev=3\n  end\nend\n"
                for r in range(3))


class Generator(unittest.TestCase):
    def test_every_figure_stays_within_its_bound_and_moves(self):
        seen = {}
        for seed in range(200):
            text = vary.vary(BLOCK, random.Random(seed))
            self.assertEqual(text, vary.vary(BLOCK, random.Random(seed)))
            for key, pattern, base, bound in [
                    ("loop", r"loop (\S+)", 10, 0.3), ("wait", r"wait (\S+) poll :: data", 200, 0.15),
                    ("n", r" n=(\S+) host", 20, 0.3), ("host", r"n=\S+ host=(\S+)", 0.1, 0.15),
                    ("dev", r"dev=(\S+) stream=1", 4, 0.15), ("kern", r"kern (\S+)", 100, 0.3),
                    ("malloc", r"malloc (\S+)", 10, 0.3), ("ms", r"malloc \S+ (\S+)", 2.5, 0.15)]:
                value = float(re.search(pattern, text).group(1))
                self.assertLessEqual(abs(value / base - 1), bound + 1e-9, key)
                seen.setdefault(key, set()).add(value)
            for kept in ("side workers n=2 cpu=98 state=R", "h2d 4M pinned async", "grid=7",
                         ":: host-other/allocator", "\nsync\n"):
                self.assertIn(kept, text)
        for key, values in seen.items():
            self.assertGreater(len(values), 4, key)

    def test_durations_can_vary_from_time_to_time(self):
        text = vary.vary(BLOCK, random.Random(3), each_time=True)
        self.assertRegex(text, r"^jitter 15 \d+\n")
        self.assertIn("wait 200 poll", text)
        block = "jitter 15 7\nloop 400\n  wait 10 poll\n  kern 1 host=0 dev=10\nend\n"
        with tempfile.NamedTemporaryFile("w", suffix=".md") as file:
            file.write(f"### X1\n```timeline\n{block}```\n")
            file.flush()
            dump = subprocess.run([PLAY, "dump", file.name, "X1", "-"], capture_output=True,
                                  text=True, check=True).stdout
        for pattern in (r" span wait-poll (\d+)", r" op step_kernel_\d+ (\d+)"):
            lengths = [int(ns) for ns in re.findall(pattern, dump)]
            self.assertEqual(len(lengths), 400)
            self.assertGreaterEqual(min(lengths), 8_500_000)
            self.assertLessEqual(max(lengths), 11_500_000)
            self.assertLess(min(lengths), 8_700_000)
            self.assertGreater(max(lengths), 11_300_000)
            self.assertLess(abs(sum(lengths) / 400 - 10_000_000), 200_000)

    def test_ranks_still_meet(self):
        for seed in range(20):
            text = vary.vary(RANKS, random.Random(seed))
            outer = re.findall(r"rank \d+\nloop (\d+)", text)
            self.assertEqual(len(set(outer)), 1)
            self.assertEqual(re.findall(r"\nloop (\d+)\n(?=kern)", text), ["5"] * 3)
            self.assertEqual(len(set(re.findall(r"coll dev=(\S+)", text))), 1)
            self.assertGreater(len(set(re.findall(r"kern (\d+)", text))), 1)

    def test_small_counts_stay(self):
        self.assertEqual({vary.count_near(random.Random(s), 2) for s in range(50)}, {2})
        self.assertEqual({vary.count_near(random.Random(s), 4) for s in range(50)}, {3, 4, 5})

    def test_every_shape_is_drawn(self):
        self.assertEqual({healthy.job(random.Random(0), seed)[0] for seed in range(100)},
                         {shape.__name__ for shape in healthy.SHAPES})


def run(arguments, text):
    """(status, output) of variants.py on a file with one case X1."""
    with tempfile.NamedTemporaryFile("w", suffix=".md") as file:
        file.write("### X1 — case\n\n```timeline\n" + text + "```\n")
        file.flush()
        out = io.StringIO()
        with redirect_stdout(out):
            status = variants.main(["--play", PLAY, *arguments, file.name])
        return status, out.getvalue()


class Checks(unittest.TestCase):
    def test_a_right_case_holds(self):
        status, out = run(["--seeds", "4"], BLOCK)
        self.assertEqual((status, out), (0, "ok   X1: 4 of 4 hold\n"))

    def test_a_wrong_class_fails(self):
        status, out = run(["--seeds", "4"], BLOCK.replace("data-loading/too few workers",
                                                          "no-work/no requests"))
        self.assertEqual(status, 1)
        self.assertIn("0 of 4 hold", out)
        self.assertIn("off data-loading", out)

    def test_a_wrong_subcause_fails(self):
        status, out = run(["--seeds", "4"], BLOCK.replace("too few workers", "slow storage"))
        self.assertEqual(status, 1)
        self.assertIn("wanted data-loading/slow-storage", out)

    def test_a_sick_job_is_not_taken_for_healthy(self):
        shapes = healthy.SHAPES
        healthy.SHAPES = [lambda rng: BLOCK]
        try:
            with self.assertRaises(SystemExit):
                variants.main(["--play", PLAY, "--healthy", "--seeds", "1"])
        finally:
            healthy.SHAPES = shapes

    def test_something_found_in_a_healthy_job_fails(self):
        shapes, most = healthy.SHAPES, healthy.MOST_STALL
        healthy.SHAPES, healthy.MOST_STALL = [
            lambda rng: "loop 50\n  kern 10 host=0.01 dev=10\n  sync\n  cpu 4 x\nend\n"], 4.9
        try:
            out = io.StringIO()
            with redirect_stdout(out):
                status = variants.main(["--play", PLAY, "--healthy", "--seeds", "1"])
            self.assertEqual(status, 1)
            self.assertIn("found host/", out.getvalue())
        finally:
            healthy.SHAPES, healthy.MOST_STALL = shapes, most


class InProcess(unittest.TestCase):
    def test_the_report_equals_that_of_the_command(self):
        lines = subprocess.run([PLAY, "report", OWN], capture_output=True, text=True,
                               check=True).stdout.splitlines()
        rows = {r["truth"]["case"]: r["report"] for r in map(json.loads, lines)
                if not r["truth"]["rank"]}
        for case in ("S1", "S5", "S6", "S11"):
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([PLAY, "trace", OWN, case, "-", folder], check=True)
                told = subprocess.run([WHYIDLE, "report", "--format", "json", folder +
                                       "/rank0.wit"], capture_output=True, text=True, check=True)
            report = json.loads(told.stdout)
            for key in ("devices", "findings", "verdict", "coverage"):
                self.assertEqual(rows[case][key], report[key], f"{case} {key}")


if __name__ == "__main__":
    sys.exit(not unittest.main(exit=False, argv=sys.argv[:1]).result.wasSuccessful())
