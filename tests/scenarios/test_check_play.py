#!/usr/bin/env python3
"""The checker's own rules: tolerance, what a case accepts or forbids, the table of sub-causes."""
import os
import sys
import tempfile
import types
import unittest

import check_play
import live_twins
import play_map

SECOND = 1_000_000_000


def truth(shares):
    """Shares in % by tag, of ten seconds."""
    return {"rank": 0, "length_ns": 10 * SECOND,
            "shares": {tag: v * SECOND // 10 for tag, v in shares.items()}}


def report(classes, verdict="none", subcauses=None, findings=()):
    of = {c: v * SECOND // 10 for c, v in classes.items()}
    return {"level": "I", "verdict": {"id": verdict},
            "devices": [{"id": 0, "window": {"length_ns": 10 * SECOND}, "classes": of,
                         "subcauses": {k: v * SECOND // 10 for k, v in (subcauses or {}).items()}}],
            "findings": [dict(f, device=0) for f in findings]}


def judge(what, said, text="", strict=False):
    options = types.SimpleNamespace(tolerance=5.0, strict=strict)
    return check_play.judge("X1", what, said, text, options)


class Rules(unittest.TestCase):
    def test_tolerance_holds_per_class(self):
        what = truth({"compute": 30, "data-loading/too few workers": 70})
        self.assertTrue(judge(what, report({"compute": 34, "data-loading": 66}))["ok"])
        row = judge(what, report({"compute": 36, "data-loading": 64}))
        self.assertFalse(row["ok"])
        self.assertEqual(sorted(row["off"]), ["compute", "data-loading"])

    def test_thin_kernels_count_apart(self):
        what = truth({"compute": 40, "under-filled": 58, "small-batch/gap": 2})
        said = report({"compute": 40, "small-batch": 60}, "small-batch/under-filled",
                      {"small-batch/under-filled": 58})
        self.assertTrue(judge(what, said, strict=True)["ok"])
        self.assertFalse(judge(what, report({"compute": 40, "small-batch": 60}))["ok"])

    def test_accepts_another_class_only_as_the_text_says(self):
        what = truth({"compute": 70, "transfer/readback sync": 30})
        text = "- **Verdict:** x. *Accept also* host-other / sampling, if the read-back is named."
        said = {"compute": 70, "transfer": 4, "host": 26}
        finding = {"id": "host/cpu-compute", "ns": 26 * SECOND // 10}
        self.assertFalse(judge(what, report(said), "")["ok"])
        self.assertFalse(judge(what, report(said, findings=[finding]), text)["ok"])
        finding["exposed_by"] = {"id": "transfer/blocking-copy"}
        self.assertFalse(judge(what, report(said, findings=[finding]), text)["ok"])
        finding["exposed_by"] = {"id": "transfer/read-back-sync"}
        self.assertTrue(judge(what, report(said, findings=[finding]), text)["ok"])

    def test_accepts_no_more_points_than_the_text_says(self):
        what = truth({"compute": 70, "host-other/checkpoint": 30})
        said = report({"compute": 70, "transfer": 20, "host": 10})
        self.assertFalse(judge(what, said, "*Accept also* 2 points of it as transfer.")["ok"])
        self.assertTrue(judge(what, said, "*Accept also* 20 points of it as transfer.")["ok"])

    def test_what_must_not_be_said_fails(self):
        what = truth({"compute": 50, "data-loading/x": 50})
        said = {"compute": 50, "data-loading": 50}
        text = "*Must not say* small-batch."
        self.assertTrue(judge(what, report(said, "data-loading/slow-storage"), text)["ok"])
        self.assertFalse(judge(what, report(said, "small-batch/launch-bound"), text)["ok"])
        text = "*Must not say* too few workers."
        self.assertFalse(judge(what, report(said, "data-loading/too-few-workers"), text)["ok"])
        text = "*Must not say* compute-bound without qualification."
        self.assertFalse(judge(what, report(said, "compute"), text)["ok"])

    def test_strict_asks_for_the_subcause(self):
        what = truth({"compute": 50, "transfer/pageable copy": 50})
        said = {"compute": 50, "transfer": 50}
        right = [{"id": "transfer/pageable-copy", "ns": SECOND}]
        wrong = [{"id": "transfer/link-limited", "ns": SECOND}]
        self.assertTrue(judge(what, report(said, findings=right), strict=True)["ok"])
        self.assertFalse(judge(what, report(said, findings=wrong), strict=True)["ok"])
        self.assertTrue(judge(what, report(said, findings=wrong))["ok"])

    def test_a_lack_of_cores_may_be_said_to_be_anybodys(self):
        said = report({"compute": 50, "host": 30, "data-loading": 20})
        self.assertFalse(judge(truth({"compute": 50, "host-other/x": 50}), said)["ok"])
        self.assertTrue(judge(truth({"compute": 50, "host-other/x": 32,
                                     "host-other/disturbance": 18}), said)["ok"])
        self.assertFalse(judge(truth({"compute": 50, "host-other/x": 40,
                                      "host-other/disturbance": 10}), said)["ok"])

    def test_two_equal_stalls_may_both_be_named(self):
        what = truth({"compute": 40, "transfer/pageable copy": 30, "small-batch/launch gap": 30})
        for found in ("transfer/pageable-copy", "small-batch/launch-bound"):
            said = report({"compute": 40, "transfer": 30, "small-batch": 30}, found)
            self.assertTrue(judge(what, said, strict=True)["ok"])
        what = truth({"compute": 40, "transfer/pageable copy": 31, "small-batch/launch gap": 29})
        self.assertFalse(judge(what, said, strict=True)["ok"])

    def test_what_a_case_accepts_its_wrong_fixes_accept(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"given.md": "### G1 - x\n*Accept also* host-other.\n",
                               "twins.md": "### G1w2 - y\nWords.\n### G1t - z\n"}.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                    out.write(text)
            twins = os.path.join(folder, "twins.md")
            texts = check_play.with_cases_of_twins(check_play.case_texts(twins), twins)
        self.assertEqual(check_play.acceptances(texts["G1w2"]), [("host", None, None)])
        self.assertEqual(check_play.acceptances(texts["G1t"]), [])

    def test_a_cause_behind_thin_kernels_is_asked_for(self):
        what = truth({"under-filled": 80, "small-batch/unbatched serving": 20})
        said = report({"small-batch": 100}, "small-batch/under-filled",
                      {"small-batch/under-filled": 80},
                      [{"id": "small-batch/under-filled", "ns": 8 * SECOND}])
        self.assertTrue(judge(what, said, strict=True)["ok"])
        thin = what | {"thin_tag": "small-batch/unbatched serving"}
        self.assertFalse(judge(thin, said, strict=True)["ok"])
        said["findings"].append({"id": "small-batch/unbatched-serving", "ns": SECOND, "device": 0})
        self.assertTrue(judge(thin, said, strict=True)["ok"])

    def test_start_up_of_a_live_run_is_left_out_but_no_more(self):
        what = truth({"compute": 50, "transfer/x": 50})
        said = report({"compute": 40, "transfer": 40, "warm-up": 20})
        options = types.SimpleNamespace(tolerance=5.0, strict=False)
        self.assertFalse(judge(what, said)["ok"])
        self.assertTrue(check_play.judge("X1", what, said, "", options, 2 * SECOND)["ok"])
        self.assertFalse(check_play.judge("X1", what, said, "", options, SECOND // 2)["ok"])

    def test_a_live_prediction_is_excused_only_by_others(self):
        self.assertEqual(live_twins.word_of(True, 20.0, 90.0), "ok")
        self.assertEqual(live_twins.word_of(False, 20.0, 90.0), "skip")
        self.assertEqual(live_twins.word_of(False, -20.0, 90.0), "skip")
        self.assertEqual(live_twins.word_of(False, 20.0, 1.0), "FAIL")  # we held it up ourselves
        self.assertEqual(live_twins.word_of(False, 1.0, 90.0), "FAIL")
        self.assertEqual(live_twins.status_of(["ok", "skip"]), 0)
        self.assertEqual(live_twins.status_of(["ok", "FAIL"]), 1)
        self.assertEqual(live_twins.status_of(["skip", "FAIL"]), 1)
        self.assertEqual(live_twins.status_of(["skip", "skip"]), 77)
        self.assertEqual(live_twins.status_of([]), 77)

    def test_a_report_without_a_device_is_no_pass(self):
        with self.assertRaises(check_play.Unplayable):
            judge(truth({"compute": 100}), {"devices": []})

    def test_table_names_the_usual_tags(self):
        for tag, wanted in [("data-loading/too few workers", "data-loading/too-few-workers"),
                            ("transfer/blocking tiny copy", "transfer/blocking-copy"),
                            ("transfer/many tiny copies", "transfer/many-tiny-copies"),
                            ("transfer/readback sync", "transfer/read-back-sync"),
                            ("small-batch/launch gap", "small-batch/launch-bound"),
                            ("host-other/CPU-side optimizer", "host/cpu-optimizer"),
                            ("under-filled", "small-batch/under-filled")]:
            self.assertIn(wanted, play_map.subcauses_of(tag))
        self.assertEqual(play_map.subcauses_of("transfer/copy"), [])
        with self.assertRaises(ValueError):
            play_map.class_of("mystery/copy")


if __name__ == "__main__":
    sys.exit(not unittest.main(exit=False, argv=sys.argv[:1]).result.wasSuccessful())
