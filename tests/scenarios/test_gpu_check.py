#!/usr/bin/env python3
"""The rules of the check on a GPU: what is missed makes it fail, what other programs disturbed gets
a second try after everything had its first, what the time does not allow is told as left out."""
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

ROOT = os.environ["WI_SOURCE"]
os.environ.update(WI_ROOT=ROOT, WI_GPU="virtual", WI_SUFFIX="", WI_LIBRARY_PATH="", WI_LIB="",
                  WI_CMD="", WI_PRELOAD="")
import gpu_check  # noqa: E402
import gpu_rows  # noqa: E402
import gpu_torch  # noqa: E402


class Programs:
    """Others that use so many percent of the cores, one figure for each try."""

    def __init__(self, *percents):
        self.percents = list(percents)

    def __call__(self):
        return self

    def __enter__(self):
        self.percent = self.percents.pop(0)
        return self

    def __exit__(self, *unused):
        pass


class Rows(unittest.TestCase):
    def setUp(self):
        gpu_rows.rows.clear()
        gpu_rows.again.clear()
        for patch in (mock.patch.object(gpu_rows, "START", time.time()),
                      contextlib.redirect_stdout(io.StringIO())):
            patch.__enter__()
            self.addCleanup(patch.__exit__, None, None, None)

    def told(self):
        return [(r["what"], r["kind"], r["ok"]) for r in gpu_rows.rows]

    def time_is_over_in(self, seconds):
        gpu_rows.START = time.time() - gpu_rows.BUDGET_S + seconds

    def run_main(self, **parts):
        with tempfile.TemporaryDirectory() as out, mock.patch.dict(os.environ, OUT=out), \
                mock.patch.object(gpu_check, "PARTS", parts), \
                mock.patch.object(sys, "argv", ["gpu_check.py"]):
            status = gpu_check.main()
            self.assertEqual(sorted(os.listdir(out)), ["gpu_check.json", "gpu_check.md"])
            return status

    def test_a_row_that_fails_fails_the_script(self):
        self.assertEqual(self.run_main(a=lambda: gpu_rows.add("good", "", "", True)), 0)
        self.assertEqual(self.run_main(b=lambda: gpu_rows.add("bad", "", "", False)), 1)

    def test_a_part_that_breaks_fails_the_script_and_hides_no_other(self):
        self.assertEqual(self.run_main(a=lambda: 1 / 0,
                                       b=lambda: gpu_rows.add("good", "", "", True)), 1)
        self.assertEqual(self.told(), [("a", "check", False), ("good", "check", True)])

    def test_nothing_checked_is_no_success(self):
        self.assertEqual(self.run_main(a=lambda: gpu_rows.skip("all", "not here")), 1)

    def test_second_tries_come_last(self):
        results = iter([("first", False), ("second", True)])
        with mock.patch.object(gpu_rows, "Others", Programs(90, 90)):
            gpu_rows.add_when_quiet("disturbed", "", lambda: next(results))
            gpu_rows.add("another", "", "", True)
            gpu_rows.second_tries()
        self.assertEqual(self.told(), [("another", "check", True), ("disturbed", "check", True)])

    def test_disturbed_twice_is_skipped(self):
        with mock.patch.object(gpu_rows, "Others", Programs(90, 80)):
            gpu_rows.add_when_quiet("disturbed", "", lambda: ("bad", False))
            gpu_rows.second_tries()
        self.assertEqual(self.told(), [("disturbed", "skipped", None)])
        self.assertIn("80 %", gpu_rows.rows[0]["found"])

    def test_no_time_for_a_second_try(self):
        with mock.patch.object(gpu_rows, "Others", Programs(90)):
            gpu_rows.add_when_quiet("disturbed", "", lambda: ("bad", False))
            self.time_is_over_in(gpu_rows.LONGEST_S - 1)
            gpu_rows.second_tries()
        self.assertEqual(self.told(), [("disturbed", "skipped", None)])

    def test_what_fails_on_a_quiet_machine_fails(self):
        for percents in ((5,), (90, 5)):
            gpu_rows.rows.clear()
            with mock.patch.object(gpu_rows, "Others", Programs(*percents)):
                gpu_rows.add_when_quiet("bad", "", lambda: ("bad", False))
                gpu_rows.second_tries()
            self.assertEqual(self.told(), [("bad", "check", False)])

    def test_nothing_is_begun_without_time(self):
        self.time_is_over_in(gpu_rows.LONGEST_S - 1)
        gpu_rows.begin("late", lambda: self.fail("begun"))
        self.assertEqual(self.told(), [("late", "left-out", None)])

    def test_what_runs_when_the_time_is_over_is_ended_and_left_out(self):
        self.time_is_over_in(gpu_rows.LONGEST_S + 0.5)
        with mock.patch.object(gpu_rows, "GRACE_S", -gpu_rows.LONGEST_S):
            status = gpu_rows.bounded(["sleep", "60"], os.environ)[0]
        self.assertEqual(status, 124)  # there is time left: its own fault
        self.time_is_over_in(0.2)
        with mock.patch.object(gpu_rows, "GRACE_S", 0.2), \
                mock.patch.object(gpu_rows, "LONGEST_S", 0):
            gpu_rows.begin("hangs", lambda: gpu_rows.bounded(["sleep", "60"], os.environ))
        self.assertEqual(self.told(), [("hangs", "left-out", None)])

    def test_a_disturbed_case_is_told_by_its_second_try(self):
        good = {"case": "X", "ok": True, "said": {}, "truth": {}, "notes": [], "subcause_said": "-",
                "subcause_wanted": [], "verdict": "-"}
        busy = {"case": "X", "ok": True, "skipped": "1 runs were disturbed by a busy machine"}
        with mock.patch.object(gpu_check, "play", side_effect=[[good, busy], [good, good]]):
            gpu_check.check_case("file", "X", "A")
            self.assertEqual(self.told(), [])
            gpu_rows.second_tries()
        self.assertEqual([r["kind"] for r in gpu_rows.rows], ["check", "check"])

    def test_a_case_that_does_not_play_fails(self):
        with mock.patch.object(gpu_check, "bounded", return_value=(2, "", "broken")):
            gpu_check.check_case("file", "X", "A")
        self.assertEqual(self.told(), [("live case X, level A", "check", False)])

    def test_cases_that_are_not_here_are_told(self):
        with tempfile.TemporaryDirectory() as empty, \
                mock.patch.dict(os.environ, WHYIDLE_CASES=empty):
            names = [os.path.basename(file) for file in gpu_check.case_files()]
        self.assertEqual(names, ["own_cases.md"])
        self.assertEqual(self.told(), [("live cases of given.md", "skipped", None)])

    def test_a_sample_that_hangs_or_breaks(self):
        for problem, found in ((subprocess.TimeoutExpired("x", 5), "took more than 5 s"),
                               (RuntimeError("ended with 3"), "RuntimeError: ended with 3")):
            gpu_rows.rows.clear()
            with mock.patch.object(gpu_check.samples_table, "run", side_effect=problem), \
                    mock.patch.object(gpu_rows, "Others", Programs(0)):
                gpu_check.check_sample("sample", gpu_check.samples_table.rows()[0])
            self.assertEqual([(r["ok"], r["found"]) for r in gpu_rows.rows], [(False, found)])

    def test_every_part_of_pytorch_is_told_where_there_is_none(self):
        with mock.patch.object(gpu_torch, "find_torch", return_value=None):
            gpu_torch.check_torch()
        self.assertEqual({r["kind"] for r in gpu_rows.rows}, {"skipped"})
        self.assertEqual(len(gpu_rows.rows), 1 + len(gpu_torch.ON_GPU))


if __name__ == "__main__":
    unittest.main()
