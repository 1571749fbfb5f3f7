#!/usr/bin/env python3
"""whyidle merge over documents made by hand, with figures that can be checked in the head.

usage: test_merge.py WHYIDLE REPORT_PRINT
"""
import json
import os
import subprocess
import sys
import tempfile

MS = 1000000
EXCHANGE = "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"
REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


class Rank:
    """A document of one rank: a window of 100 ms, of which `causes` say all."""

    def __init__(self, number, causes, collectives=(), kernels=(), world=None, stream_base=7):
        self.number, self.causes, self.world = number, causes, world
        self.collectives, self.kernels, self.stream_base = collectives, kernels, stream_base

    def document(self, template):
        doc = json.loads(json.dumps(template))
        device = doc["devices"][0]
        device["window"] = {"start_ns": 0, "end_ns": 100 * MS, "length_ns": 100 * MS}
        causes = dict(self.causes)
        causes["compute/kernels"] = 100 - sum(causes.values())
        device["subcauses"] = {cause: int(ms * MS) for cause, ms in causes.items()}
        device["classes"] = {word: 0 for word in device["classes"]}
        for cause, ns in device["subcauses"].items():
            device["classes"][cause.split("/")[0]] += ns
        doc["devices"] = [device]
        doc["job"].update(rank=self.number, world=self.world, pid=1000 + (self.number or 0))
        doc.update(findings=[], gaps=[], copies=[], kernels=[self.kernel(*k) for k in self.kernels])
        doc["verdict"].update(id="inconclusive", finding=None)
        doc["collectives"] = [self.collective(i, *c) for i, c in enumerate(self.collectives)]
        return doc

    def collective(self, index, name, durations, count=None, total=None, step=1, ends=None):
        row = {"end_ns": None if ends is None else [int(ms * MS) for ms in ends]}
        return row | {"name": name, "device": 0, "stream": str(self.stream_base + index),
                "count": len(durations) if count is None else count, "step": step,
                "total_ns": (sum(durations) if total is None else total) * MS,
                "duration_ns": [ms * MS for ms in durations]}

    @staticmethod
    def kernel(name, count, ms):
        return {"name": name, "device": 0, "count": count, "total_ns": int(ms * MS),
                "underfilled_ns": 0, "grid": [64, 1, 1], "block": [256, 1, 1]}


class Checker:
    def __init__(self, whyidle, report_print):
        self.whyidle = whyidle
        done = subprocess.run([report_print, "healthy", "json"], check=True, capture_output=True)
        self.template = json.loads(done.stdout)
        self.failures, self.checks = [], 0

    def equal(self, got, want, what):
        self.checks += 1
        if got != want:
            self.failures.append(f"{what}: {got!r}, expected {want!r}")

    def run(self, ranks, *extra, extra_files=()):
        with tempfile.TemporaryDirectory() as folder:
            for i, rank in enumerate(ranks):
                with open(os.path.join(folder, f"node.{i}.json"), "w") as out:
                    json.dump(rank.document(self.template), out)
            for name, text in extra_files:
                with open(os.path.join(folder, name), "w") as out:
                    out.write(text)
            return subprocess.run([self.whyidle, "merge", *extra, folder], text=True,
                                  capture_output=True)

    def merge(self, ranks, **more):
        done = self.run(ranks, "--format", "json", **more)
        if done.returncode:
            self.failures.append(f"status {done.returncode}: {done.stderr}")
        merged = json.loads(done.stdout)
        for row in merged["ranks"]:
            sums = dict.fromkeys(row["classes"], 0)
            for cause, ns in row["subcauses"].items():
                sums[cause.split("/")[0]] += ns
            self.equal(sums, row["classes"], "sub-causes of a rank sum to its classes")
            self.equal(sum(sums.values()), row["window_ns"], "classes of a rank sum to its window")
        return merged


def waits(merged):
    return [None if row["comm_wait_ns"] is None else row["comm_wait_ns"] / MS
            for row in merged["ranks"]]


def stragglers(merged):
    return [row["rank"] for row in merged["ranks"] if row["straggler"]]


def two_ranks(check):
    # Rank 0 takes 10 ms four times, rank 1 takes 2: rank 0 waits 4 x 8 and moves data for 4 x 2.
    merged = check.merge([
        Rank(0, {"communication/exposed-collective": 40}, [(REDUCE, [10] * 4)]),
        Rank(1, {"communication/exposed-collective": 8}, [(REDUCE, [2] * 4)], stream_base=90)])
    check.equal(waits(merged), [32, 0], "two ranks")
    check.equal(merged["ranks"][0]["subcauses"]["communication/exposed-collective"], 8 * MS,
                "what is left is the collective itself")
    check.equal([r["caused_ns"] / MS for r in merged["ranks"]], [0, 32], "who caused it")
    check.equal(stragglers(merged), [1], "two ranks: straggler")
    # Compute is 60 and 92 ms: the 32 ms of waiting are explained.
    check.equal(merged["late"]["reason"], "device-work", "two ranks: reason")
    check.equal((merged["late"]["own_ns"], merged["late"]["others_ns"]), (92 * MS, 60 * MS),
                "two ranks: what the reason rests on")
    check.equal(merged["comm_wait_share"], 0.16, "mean of 32 % and 0 %")
    check.equal(merged["verdict"]["id"], "communication/comm-wait", "two ranks: verdict")


def hidden_collectives(check):
    # Half of rank 0's collectives run beside kernels: half of its waiting is no stall.
    merged = check.merge([
        Rank(0, {"communication/exposed-collective": 20}, [(REDUCE, [10] * 4)]),
        Rank(1, {"communication/exposed-collective": 8}, [(REDUCE, [2] * 4)])])
    check.equal(waits(merged), [16, 0], "half of it is hidden")
    check.equal(merged["ranks"][0]["waited_ns"], 32 * MS, "the whole waiting is told as well")


def decimated(check):
    # Every second of 8 was kept: of 60 ms kept on rank 0 it waited 5 + 15 + 5 + 15 = 40, so 2/3 of
    # all its 120 ms.
    merged = check.merge([
        Rank(0, {"communication/exposed-collective": 90},
             [(REDUCE, [10, 20, 10, 20], 8, 120, 2)]),
        Rank(1, {"communication/exposed-collective": 10}, [(REDUCE, [5] * 4, 8, 40, 2)])])
    check.equal(waits(merged), [60, 0], "2/3 of 90 exposed ms")
    check.equal(merged["coverage"]["compared"], 4, "kept ordinals are compared")
    # The same where one rank kept all eight, as an older document may.
    merged = check.merge([
        Rank(0, {"communication/exposed-collective": 90},
             [(REDUCE, [10, 20, 10, 20], 8, 120, 2)]),
        Rank(1, {"communication/exposed-collective": 10},
             [(REDUCE, [5, 99, 5, 99, 5, 99, 5, 99], 8, 416, 1)])])
    check.equal(waits(merged)[0], 60, "ordinals are matched, not places")


def unequal_counts(check):
    merged = check.merge([
        Rank(0, {"communication/exposed-collective": 40}, [(REDUCE, [10] * 4)]),
        Rank(1, {"communication/exposed-collective": 6}, [(REDUCE, [2] * 3)])])
    check.equal(waits(merged), [None, None], "unequal counts say nothing")
    check.equal((merged["collectives"][0]["count"], merged["collectives"][0]["least"]), (4, 3),
                "unequal counts are told")
    check.equal(stragglers(merged), [], "nobody is named")
    check.equal(merged["comm_wait_share"], None, "not known is not 0")
    check.equal(merged["ranks"][0]["subcauses"]["communication/exposed-collective"], 40 * MS,
                "nothing is moved")
    text = check.run([
        Rank(0, {"communication/exposed-collective": 40}, [(REDUCE, [10] * 4)]),
        Rank(1, {"communication/exposed-collective": 6}, [(REDUCE, [2] * 3)])]).stdout
    check.equal("inconclusive" in text and "unequal numbers" in text, True, "and the text says so")


def streams_in_order(check):
    # The same collective on two streams, whose handles differ: the first with the first.
    merged = check.merge([
        Rank(0, {"communication/exposed-collective": 30}, [(REDUCE, [9] * 2), (REDUCE, [6] * 2)]),
        Rank(1, {"communication/exposed-collective": 10}, [(REDUCE, [3] * 2), (REDUCE, [2] * 2)],
             stream_base=400)])
    check.equal(waits(merged), [20, 0], "2 x 6 on the first stream, 2 x 4 on the second")
    check.equal([m["order"] for m in merged["collectives"]], [0, 1], "two matches")


def pause(check):
    # Rank 2 writes a checkpoint for 30 ms while the others wait for it.
    merged = check.merge([
        Rank(0, {"communication/exposed-collective": 32}, [(REDUCE, [31, 1])], world=3),
        Rank(1, {"communication/exposed-collective": 32}, [(REDUCE, [31, 1])], world=3),
        Rank(2, {"communication/exposed-collective": 2, "host/checkpoint": 30},
             [(REDUCE, [1, 1])], world=3)])
    check.equal(waits(merged), [30, 30, 0], "two wait for the third")
    check.equal(stragglers(merged), [2], "pause: straggler")
    check.equal((merged["late"]["reason"], merged["late"]["pause"]), ("pause", "host/checkpoint"),
                "pause: reason")
    check.equal(merged["coverage"]["missing_ranks"], 0, "nobody is missing")


def slower_clock(check):
    # Three kernels, each 1.2 times as long on rank 1 (0.96 ms for 0.8, and so on).
    fast = [("gemm", 10, 40), ("norm", 10, 20), ("softmax", 10, 10)]
    ranks = [
        Rank(0, {"communication/exposed-collective": 30}, [(REDUCE, [15] * 2)],
             fast + [(REDUCE, 2, 30)]),
        Rank(1, {"communication/exposed-collective": 16}, [(REDUCE, [8] * 2)],
             [(name, count, ms * 1.2) for name, count, ms in fast] + [(REDUCE, 2, 16)])]
    merged = check.merge(ranks)
    check.equal(waits(merged), [14, 0], "slower clock: waiting")
    check.equal((merged["late"]["reason"], merged["late"]["factor"]), ("slower-clock", 1.2),
                "slower clock: reason")
    check.equal((merged["late"]["own_mhz"], merged["late"]["others_mhz"]), (None, None), "no clocks")
    # Kernels that cannot be compared, but clocks of 1000 and 1250 MHz: 70 ms x 0.25 explain the 14.
    clocks = [rank.document(check.template) for rank in ranks]
    for doc, mhz in zip(clocks, (1250, 1000)):
        doc["kernels"] = []
        doc["evidence"] = {"at_ns": 0, "gpu_clock_mhz": mhz}
    told = check.merge([], extra_files=[(f"{i}.json", json.dumps(c)) for i, c in enumerate(clocks)])
    check.equal((told["late"]["reason"], told["late"]["factor"], told["late"]["own_mhz"]),
                ("slower-clock", 1.25, 1000), "clocks as NVML tells them")
    clocks[1]["evidence"]["gpu_clock_mhz"] = 1190  # 70 x 0.0504 = 3.5 ms are less than half of 14
    told = check.merge([], extra_files=[(f"{i}.json", json.dumps(c)) for i, c in enumerate(clocks)])
    check.equal(told["late"]["reason"], "device-work", "a clock that explains too little")
    # One kernel alone is longer: that is more work.
    ranks[1].kernels = [("gemm", 10, 54), ("norm", 10, 20), ("softmax", 10, 10)]
    check.equal(check.merge(ranks)["late"]["reason"], "device-work", "one kernel is longer")
    # All are, but one runs more often: that is more work as well.
    ranks[1].kernels = [("gemm", 20, 48), ("norm", 10, 24), ("softmax", 10, 12)]
    check.equal(check.merge(ranks)["late"]["reason"], "device-work", "one runs more often")


def in_turn(check):
    # Each of three ranks collects garbage for 5 ms before one of three collectives.
    ranks = [Rank(i, {"communication/exposed-collective": 13, "host/garbage-collection": 5},
                  [(REDUCE, [1 if i == k else 6 for k in range(3)])]) for i in range(3)]
    merged = check.merge(ranks)
    check.equal(waits(merged), [10, 10, 10], "in turn: waiting")
    check.equal((stragglers(merged), merged["late"]["in_turn"]), ([], True), "no straggler")
    check.equal(merged["late"]["pause"], "host/garbage-collection", "in turn: what delays them")


def several_stragglers(check):
    # Two of four are late, by turns: together they cause all of it.
    late = [[2, 9], [9, 2], [9, 9], [9, 9]]
    merged = check.merge([
        Rank(i, {"communication/exposed-collective": sum(late[i])}, [(REDUCE, late[i])])
        for i in range(4)])
    check.equal(stragglers(merged), [0, 1], "two stragglers")
    check.equal([r["last"] for r in merged["ranks"]], [1, 1, 0, 0], "who came last how often")
    check.equal("rank 0 and rank 1" in merged["late"]["text"], True, "both are named")


def two_devices(check):
    # One process with two GPUs: each is a row of its own, and waits for the other.
    doc = Rank(0, {"communication/exposed-collective": 40}, [(REDUCE, [10] * 4)]
               ).document(check.template)
    late = Rank(0, {"communication/exposed-collective": 8}, [(REDUCE, [2] * 4)]
                ).document(check.template)
    for part in (late["devices"][0], late["collectives"][0]):
        part["id" if "id" in part else "device"] = 1
    doc["devices"] += late["devices"]
    doc["collectives"] += late["collectives"]
    merged = check.merge([], extra_files=[("node.0.json", json.dumps(doc))])
    check.equal(waits(merged), [32, 0], "two devices of one process")
    check.equal("rank 0 GPU 1" in merged["late"]["text"], True, "the device is named")
    check.equal(merged["coverage"]["doubled_ranks"], 0, "one process is one rank")


def keeping_pace(check):
    merged = check.merge([Rank(i, {"communication/exposed-collective": 5}, [(REDUCE, [1] * 5)])
                          for i in range(2)])
    check.equal((waits(merged), stragglers(merged)), ([0, 0], []), "nobody waits")
    check.equal(merged["verdict"]["id"], "communication/exposed-collective", "5 % of collectives")
    check.equal(merged["late"]["reason"], None, "no reason is needed")


def coverage(check):
    ranks = [Rank(0, {"communication/exposed-collective": 10}, [(REDUCE, [5] * 2)], world=4),
             Rank(0, {"communication/exposed-collective": 10}, [(REDUCE, [5] * 2)], world=4)]
    merged = check.merge(ranks, extra_files=[("broken.json", '{"schema":"whyidle-report/1"')])
    check.equal([merged["coverage"][k] for k in
                 ("reports", "damaged", "missing_ranks", "doubled_ranks")], [2, 1, 3, 1],
                "what it rests on")
    alone = check.merge([Rank(None, {"communication/exposed-collective": 10}, [(REDUCE, [10])])])
    check.equal((waits(alone), alone["coverage"]["missing_ranks"]), ([None], None), "one process")
    silent = check.merge([Rank(i, {"host/cpu-compute": 20}) for i in range(2)])
    check.equal((waits(silent), silent["verdict"]["id"]), ([None, None], "host/cpu-compute"),
                "no collectives: the mean of the ranks")


def hostile(check):
    # Figures and names that no run gives.
    most = 4611686018427387903
    odd = Rank(0, {"communication/exposed-collective": 40}, [("nccl\x1b[31m\n", [1, 2])])
    doc = odd.document(check.template)
    doc["collectives"][0].update(total_ns=most, duration_ns=[most, most])
    with_zero = odd.document(check.template)
    with_zero["job"]["rank"] = 1
    with_zero["collectives"][0].update(step=0)
    for other in (with_zero, odd.document(check.template)):
        done = check.run([], extra_files=[("a.json", json.dumps(doc)),
                                          ("b.json", json.dumps(other))])
        check.equal(done.returncode, 0, "large figures")
        check.equal("\x1b" in done.stdout, False, "no control bytes")
    empty = check.run([])
    check.equal((empty.returncode, "no report" in empty.stderr), (2, True), "an empty folder")
    for path, words in (("/no/such/folder", "No such file"), (__file__, "not a folder")):
        done = subprocess.run([check.whyidle, "merge", path], capture_output=True, text=True)
        check.equal((done.returncode, words in done.stderr, done.stderr.count("\n")), (2, True, 1),
                    f"merge {path}")


def text(check):
    ranks = [Rank(0, {"communication/exposed-collective": 40}, [(REDUCE, [10] * 4)]),
             Rank(1, {"communication/exposed-collective": 8}, [(REDUCE, [2] * 4)])]
    lines = check.run(ranks).stdout.splitlines()
    check.equal(lines[0], "VERDICT communication/comm-wait straggler=1 comm-wait=16.0",
                "the line for scripts")
    check.equal([line.split() for line in lines if line.startswith("  rank")],
                ["rank 0 60.0 % 0.0 % 0.0 % 0.0 % 0.0 % 32.0 % 8.0 % 0.0 % 0.0 %".split(),
                 "rank 1 92.0 % 0.0 % 0.0 % 0.0 % 0.0 % 0.0 % 8.0 % 0.0 % 100.0 %".split()],
                "ranks are rows")
    alone = check.run(ranks[:1]).stdout
    check.equal([line.split()[-8:] for line in alone.splitlines() if line.startswith("  rank")],
                ["0.0 % - 40.0 % 0.0 % -".split()[-8:]], "what is not known is no figure")
    for width in ("40", "60", "80", "100"):
        wide = max(map(len, check.run(ranks, "--width", width).stdout.splitlines()[1:]))
        check.equal(wide <= max(int(width), 44), True, f"{wide} columns of {width}")


def groups(merged):
    return [(m["members"], m["compared"], m["problem"]) for m in merged["collectives"]]


def grid_rank(rank, shift=0, timed=True, second=3):
    """One of 2 x 2 ranks, five turns of 20 ms: a reduction along the row, then one along the column,
    both of one name. Each moves data for 2 ms, that of the second column for `second`. Rank 3 comes
    8 ms late to its row's."""
    turns = [20 * k for k in range(5)]
    row_end, row = (2, 2) if rank < 2 else (10, 10 if rank == 2 else 2)
    move = second if rank % 2 else 2
    column_end, column = 10 + move, move + (8 if rank < 2 else 0)
    ends = [[t + at + shift for t in turns] if timed else None for at in (row_end, column_end)]
    return Rank(rank, {"communication/exposed-collective": 5 * (row + column)},
                [(REDUCE, [row] * 5, None, None, 1, ends[0]),
                 (REDUCE, [column] * 5, None, None, 1, ends[1])], world=4, stream_base=rank * 50)


def grid(check):
    ranks = [grid_rank(rank, shift=0.1 * rank) for rank in range(4)]
    merged = check.merge(ranks)
    check.equal(groups(merged), [([0, 1], 5, None), ([0, 2], 5, None), ([1, 3], 5, None),
                                 ([2, 3], 5, None)], "rows and columns of the grid")
    # Columns that end at the same times count as one group, whose two late ranks share it.
    tied = check.merge([grid_rank(rank, second=2) for rank in range(4)])
    for what, got in (("grid", merged), ("tied grid", tied)):
        # 8 ms a turn: ranks 0 and 1 in their columns, rank 2 in its row.
        check.equal(waits(got), [40, 40, 40, 0], what + ": who waits")
        # Rank 2 is late to its column only because it waited in its row.
        check.equal([r["caused_ns"] / MS for r in got["ranks"]], [0, 0, 40, 80], what + ": cause")
        check.equal(stragglers(got), [3], what + ": straggler")
    # Compute is 40, 35, 40 and 75 ms.
    check.equal(merged["late"]["reason"], "device-work", "grid: reason")
    untimed = check.merge([grid_rank(rank, timed=False) for rank in range(4)])
    check.equal(waits(untimed), [None] * 4, "without times the groups are not guessed")
    check.equal(["several groups" in m["problem"] for m in untimed["collectives"]], [True, True],
                "and it is said why")
    check.equal(stragglers(untimed), [], "nobody is named")
    apart = check.merge([grid_rank(rank, shift=5 * rank) for rank in range(4)])
    check.equal(["same times" in m["problem"] for m in apart["collectives"]], [True] * 8,
                "what does not end together is not of one group")
    text = check.run([grid_rank(rank, timed=False) for rank in range(4)]).stdout
    check.equal("inconclusive" in text, True, "the text says so too")


def pipeline_rank(rank, streams):
    """Neighbours exchange 2 ms of data; of rank 1 and 2 everybody else waits 3 ms."""
    lines = [(EXCHANGE, [5 if slow else 2] * count, None, None, 1,
              [10 * k + at for k in range(count)]) for at, count, slow in streams]
    total = sum(sum(line[1]) for line in lines)
    return Rank(rank, {"communication/exposed-collective": total}, lines, world=4)


def pipeline(check):
    # A stream for each pair: 0-1 six times, 1-2 five times, 2-3 four times; rank 0 waits for rank 1,
    # rank 3 for rank 2.
    merged = check.merge([pipeline_rank(0, [(2, 6, True)]),
                          pipeline_rank(1, [(2, 6, False), (5, 5, False)]),
                          pipeline_rank(2, [(5, 5, False), (8, 4, False)]),
                          pipeline_rank(3, [(8, 4, True)])])
    check.equal(groups(merged), [([0, 1], 6, None), ([1, 2], 5, None), ([2, 3], 4, None)],
                "pairs of a pipeline")
    check.equal(waits(merged), [18, 0, 0, 12], "6 x 3 and 4 x 3 ms")
    # One stream for all neighbours: the ordinals of the ranks have nothing to do with each other.
    merged = check.merge([pipeline_rank(rank, [(2, count, True)])
                          for rank, count in enumerate((6, 9, 9, 6))])
    check.equal((waits(merged), stragglers(merged)), ([None] * 4, []), "unequal numbers")
    # Equal numbers that end at one time still say nothing of who exchanges with whom.
    merged = check.merge([pipeline_rank(rank, [(2, 6, rank != 2)]) for rank in range(4)])
    check.equal(waits(merged), [None] * 4, "four ranks are no pair")
    check.equal("sends and receives" in merged["collectives"][0]["problem"], True, "it is said")


def bad_times(check):
    doc = grid_rank(0).document(check.template)
    doc["collectives"][0]["end_ns"].pop()
    done = check.run([], extra_files=[("a.json", json.dumps(doc))])
    check.equal((done.returncode, "one time for each" in done.stderr), (2, True), "a time is missing")


def main():
    check = Checker(*sys.argv[1:3])
    for part in (two_ranks, hidden_collectives, decimated, unequal_counts, streams_in_order, pause,
                 slower_clock, in_turn, several_stragglers, two_devices, keeping_pace, coverage,
                 hostile, text, grid, pipeline, bad_times):
        part(check)
    print("\n".join(check.failures) or f"{check.checks} checks")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
