"""Runs watch_job under the preload and gathers what the watch and the report said."""
import collections
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "preload"))
from jobs import BUILD, Checks, Run, environment, need_virtual_gpu, preloads, skip  # noqa: E402,F401

JOB = os.path.join(BUILD, "tests", "watch", "watch_job")
DUMP = os.path.join(BUILD, "tests", "watch", "event_dump")
TEST_LIB = os.path.join(BUILD, "tests", "watch", "libwhyidle_test.so")


class Watched(Run):
    """A finished run with its spans, its samples and the idle time per sub-cause."""

    def __init__(self, words, env, out, **options):
        self.trace = os.path.join(out, "events.trace")
        super().__init__(words, dict(env, WHYIDLE_TRACE=self.trace), out, **options)
        self.events = []
        if os.path.exists(self.trace):
            text = subprocess.run([DUMP, self.trace], capture_output=True, text=True, check=True).stdout
            self.events = [json.loads(line) for line in text.splitlines()]
        self.samples = [e for e in self.events if e["event"] == "sample"]
        self.waited_ns = int(self.stdout.split("waited_ns ")[1].split()[0]) if self.stdout else 0

    def span_ns(self):
        sums = collections.Counter()
        for event in self.events:
            if event["event"] == "span":
                sums[event["kind"]] += event["end_ns"] - event["start_ns"]
        return sums

    def causes(self):
        """Time per class/sub-cause of the findings, largest first."""
        sums = collections.Counter()
        for finding in self.report["findings"]:
            sums[finding["id"]] += finding["ns"]
        return sums.most_common()

    def mean(self, figure):
        known = [s[figure] for s in self.samples if s[figure] is not None]
        return sum(known) / len(known) if known else None


def watch(words, lib=None, before=(), beside=None, job=JOB, then=None, **more):
    """beside(out): called once the job runs, with the folder it may use; then(run): before that is gone."""
    with tempfile.TemporaryDirectory() as out:
        env = environment(out, **more)
        if lib:
            env["LD_PRELOAD"] = preloads(lib)
        words = [word.replace("OUT/", out + "/") for word in words]
        helper = beside(out) if beside else None
        try:
            run = Watched(list(before) + [job] + words, env, out)
            if then:
                then(run)
            return run
        finally:
            if helper:
                helper.kill()
                helper.wait()
