#!/usr/bin/env python3
"""Jobs that really wait: the watch says in what, and the report says why. Where the machine is
too busy with others for a job to wait rather than to queue for a core, that case is left out."""
import os
import subprocess
import sys

from watching import Checks, need_virtual_gpu, watch

need_virtual_gpu()
checks = Checks()
left_out = []
ran = 0
FIFO_WRITER = """
import sys, time
out = open(sys.argv[1], "wb", buffering=0)
try:
    while True:
        out.write(b"x")
        time.sleep(0.03)
except BrokenPipeError:
    pass
"""
CLIENT = """
import socket, sys, time
while True:
    try:
        port = int(open(sys.argv[1]).read())
        break
    except (OSError, ValueError):
        time.sleep(0.01)
server = socket.create_connection(("127.0.0.1", port))
try:
    while True:
        server.sendall(b"infer")
        time.sleep(float(sys.argv[2]))
except OSError:
    pass
"""


def python(text, *words):
    return subprocess.Popen([sys.executable, "-c", text, *words])


class Group:
    """A cgroup of version 1 with some settings, for the time of one job; None if not allowed."""

    def __init__(self, kind, settings):
        self.path = f"/sys/fs/cgroup/{kind}/wi_watch_{os.getpid()}"
        self.settings = settings

    def __enter__(self):
        try:
            os.mkdir(self.path)
            for name, value in self.settings.items():
                with open(f"{self.path}/{name}", "w") as file:
                    file.write(value)
            return ["sh", "-c", f'echo $$ > {self.path}/cgroup.procs && exec "$@"', "in-group"]
        except OSError as error:
            print("no cgroup:", error)
            return None

    def figure(self, file, word):
        with open(f"{self.path}/{file}") as lines:
            return int(dict(line.split() for line in lines)[word])

    def __exit__(self, *unused):
        try:
            os.rmdir(self.path)
        except OSError:
            pass


def queued(seen):
    """Share of the time in which the launching thread was ready and had no core."""
    return (seen.mean("issuer_runnable_permille") or 0) / 1000


def case(name, words, kind, cause, share=0.75, quiet=0.25, forced=False, **more):
    """kind: spans of it cover `share` of the waits, if the job queued for less than `quiet` of the
    time. cause: the largest finding, if it queued for less than a quarter, or queues on purpose."""
    global ran
    seen = watch(words, **more)
    checks.equal(f"{name}: status", (seen.status, seen.stderr if seen.status else ""), (0, ""))
    if queued(seen) > quiet and not forced:
        left_out.append(f"{name} (queued for a core {queued(seen):.0%} of the time)")
        return seen
    ran += 1
    spans = seen.span_ns()
    if kind:
        unknown_ns = 250e6 if kind == "wait-child" else 0  # until a sample has found the child
        checks.true(f"{name}: {kind} spans", spans[kind] >= share * seen.waited_ns - unknown_ns,
                    (dict(spans), seen.waited_ns))
        checks.true(f"{name}: no longer than the waits", spans[kind] <= 1.15 * seen.waited_ns,
                    (dict(spans), seen.waited_ns))
        others = {k: v for k, v in spans.items() if k not in (kind, "frame", "wait-sleep")}
        checks.true(f"{name}: nothing else",
                    sum(others.values()) <= 0.2 * seen.waited_ns + unknown_ns, others)
    causes = seen.causes()
    if cause and (forced or queued(seen) <= 0.25):
        checks.equal(f"{name}: cause", causes[0][0] if causes else None, cause)
    return seen


# ---- somebody else has what is waited for
STEPS = 29
seen = case("paced", ["sleep", str(STEPS)], "wait-sleep", None)
if seen.waited_ns <= 1.005 * STEPS * 90e6:  # woken up late, its beat is none that a clock keeps
    checks.equal("paced: cause", seen.causes()[0][0], "no-work/paced")
else:
    left_out.append("paced: cause (woken up late)")
checks.equal("paced: no child", seen.mean("children"), 0)
# what comes after the last sample is not seen: a young job's are an eighth of its age apart
sampled = sum(s["interval_ns"] for s in seen.samples)
length = seen.report["devices"][0]["window"]["length_ns"]
checks.true("paced: sampled nearly to its end", sampled >= 0.8 * length, (sampled, length))
seen = case("busy child", ["busy-child", "50"], "wait-child", "data-loading/too-few-workers")
checks.true("busy child: it works", seen.mean("child_cpu_permille") >= 800,
            seen.mean("child_cpu_permille"))
seen = case("idle child", ["idle-child", "50"], "wait-child", "data-loading/undetermined")
checks.true("idle child: it rests", seen.mean("child_cpu_permille") <= 200,
            seen.mean("child_cpu_permille"))


def fifo(out):
    os.mkfifo(out + "/fifo")
    return python(FIFO_WRITER, out + "/fifo")


case("another process", ["fifo", "50", "OUT/fifo"], "wait-poll", "data-loading/undetermined",
     beside=fifo)
seen = case("server", ["server", "30", "OUT/port"], "wait-request", "no-work/no-requests",
            beside=lambda out: python(CLIENT, out + "/port", "0.05"))
checks.true("server: sleeps for requests", seen.mean("serving_permille") <= 500,
            seen.mean("serving_permille"))
seen = case("server that never waits", ["busy-server", "150", "OUT/port"], None,
            "small-batch/unbatched-serving",
            beside=lambda out: python(CLIENT, out + "/port", "0.001"))
if queued(seen) <= 0.25:  # the client wants a core, too: without one the server waits for it
    checks.true("server that never waits: requests are taken", seen.mean("serving_permille") >= 950,
                seen.mean("serving_permille"))
seen = case("server beside", ["server-beside", "150", "OUT/port"], None, "host/cpu-compute",
            beside=lambda out: python(CLIENT, out + "/port", "0.02"))
checks.true("server beside: a thread of its own sleeps for requests",
            seen.mean("serving_permille") <= 500, seen.mean("serving_permille"))

# ---- workers that end and begin
seen = case("rebuilt", ["rebuild", "8"], "wait-sleep", "data-loading/loader-recreation")
starts = sum(s["child_starts"] or 0 for s in seen.samples)
exits = sum(s["child_exits"] or 0 for s in seen.samples)
# two a step, fewer where a sample missed some
checks.true("rebuilt: starts and exits", 8 <= starts <= 16 and 8 <= exits <= 16, (starts, exits))

# ---- inside the process
seen = case("lock", ["lock", "40"], "wait-lock", "data-loading/gil-contention")
checks.true("lock: its holder is seen", seen.mean("busiest_permille") >= 300,
            seen.mean("busiest_permille"))
# waits of the length of Python's: also where the helper has to look at fewer of them
case("turns", ["turns", "300"], "wait-lock", "data-loading/gil-contention", share=0.15)
seen = case("spinning", ["yield", "80"], "busy-poll", "unknown/undetermined", 0.5, quiet=0.5)
if queued(seen) <= 0.5:
    work_ns = sum(ns for cause, ns in seen.causes() if cause == "host/cpu-compute")
    checks.true("spinning: no work of the host", work_ns <= 0.25 * seen.waited_ns, seen.causes())
seen = case("computing", ["compute", "100"], None, "host/cpu-compute")
checks.true("computing: not taken for spinning", seen.span_ns()["busy-poll"] == 0,
            dict(seen.span_ns()))


def may_sample():
    """Whether the kernel lets a process sample its own threads."""
    try:
        with open("/proc/sys/kernel/perf_event_paranoid") as file:
            allowed = int(file.read()) <= 2
        with open("/proc/self/status") as file:
            return allowed and "\nSeccomp:\t0" in file.read()
    except (OSError, ValueError):
        return False


if may_sample():
    seen = case("a function that says what it does", ["collect", "60"], None,
                "host/garbage-collection")
    checks.true("computing: its function is seen",
                seen.span_ns()["frame"] >= 0.1 * seen.waited_ns, dict(seen.span_ns()))
else:
    left_out.append("functions of computing threads (the kernel allows no sampling)")

# ---- the disk
device = os.stat(os.environ["WI_BUILD"]).st_dev
device = f"{os.major(device)}:{os.minor(device)}"
big = os.path.join(os.environ["WI_BUILD"], "tests", "watch", "slow_input")
with open(big, "wb") as file:
    file.write(os.urandom(1 << 20) * 12)
    file.flush()
    os.fsync(file.fileno())
with Group("blkio", {"blkio.throttle.read_bps_device": f"{device} 8388608"}) as before:
    if before:
        seen = case("slow file", ["file", "40", big], "wait-file", "data-loading/slow-storage",
                    before=before)
        total = sum(s["read_bytes"] or 0 for s in seen.samples)
        # 40 reads of 256 KiB, the first ones before the first sample
        checks.true("slow file: bytes from storage", 5 << 20 <= total <= 11 << 20, total)
with Group("blkio", {"blkio.throttle.read_bps_device": f"{device} 8388608"}) as before:
    if before:
        seen = case("reading child", ["reading-child", "40", big], "wait-child",
                    "data-loading/slow-storage", before=before)
        checks.true("reading child: waits for the disk", seen.mean("child_disk_permille") >= 600,
                    seen.mean("child_disk_permille"))
        total = sum(s["read_bytes"] or 0 for s in seen.samples)
        checks.true("reading child: its bytes count", 5 << 20 <= total <= 12 << 20, total)
with Group("blkio", {"blkio.throttle.read_iops_device": f"{device} 100"}) as before:
    if before:
        seen = case("mapped file", ["mapped", "40", big], "wait-file", "data-loading/slow-storage",
                    before=before)
        faults = sum(s["major_faults"] or 0 for s in seen.samples)
        # three pages a step, the first ones before the first sample
        checks.true("mapped file: major faults", 60 <= faults <= 240, faults)
os.unlink(big)
with Group("blkio", {"blkio.throttle.write_bps_device": f"{device} 2097152"}) as before:
    if before:
        case("slow writes", ["fsync", "30", os.path.join(os.environ["WI_BUILD"], "slow_output")],
             "wait-fsync", "host/logging", before=before)

# ---- cores
group = Group("cpu", {"cpu.cfs_quota_us": "20000"})
with group as before:
    if before:
        seen = case("quota", ["compute", "60"], None, None, forced=True, before=before)
        stopped_ns = group.figure("cpu.stat", "throttled_time")
        told_ns = sum(s["throttled_ns"] or 0 for s in seen.samples)
        checks.true("quota: told as the kernel says", 0.7 * stopped_ns <= told_ns <= stopped_ns,
                    (told_ns, stopped_ns))
        # others may leave the job less than its quota
        if told_ns >= 0.3 * sum(s["interval_ns"] for s in seen.samples):
            checks.equal("quota: cause", seen.causes()[0][0], "data-loading/cpu-quota")
        else:
            left_out.append("quota: cause (stopped for less than a third of the time)")
        checks.equal("quota: less than a core is one", seen.mean("cores_allowed"), 1)
cores = len(os.sched_getaffinity(0))
if cores <= 4:  # the crowd is made of four processes a core
    seen = case("crowd", ["crowd", "60"], None, None, forced=True)
    if (seen.mean("others_permille") or 0) <= 200:
        checks.equal("crowd: cause", seen.causes()[0][0], "data-loading/cpu-oversubscription")
    else:
        left_out.append("crowd: cause (other programs take the cores, too)")
    checks.true("crowd: the thread that works is busy, however little it is let",
                seen.mean("busiest_permille") >= 800, seen.mean("busiest_permille"))
    checks.true("crowd: ready without a core", queued(seen) >= 0.5, queued(seen))
    checks.true("crowd: the run queue", (seen.mean("runnable") or 0) >= 3 * cores, seen.mean("runnable"))

for name in left_out:
    print("left out:", name)
if not ran:
    print("skipped: the machine is too busy")
    sys.exit(77)
checks.finish()
