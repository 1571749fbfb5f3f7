#!/usr/bin/env python3
"""What the watch reads of a machine that is another one: cores, quotas of either kind of cgroup,
files that are not there, cut or hostile. The test build of the preload reads a file below
WI_TEST_ROOT where there is one; a link that leads nowhere hides the real one."""
import os
import tempfile
import threading
import time

from watching import TEST_LIB, Checks, need_virtual_gpu, watch

TICKS = 100  # a second, as /proc counts


def write(root, path, text):
    """None hides the file. Written aside and renamed: a reader never sees a part."""
    full = root + path
    os.makedirs(os.path.dirname(full), exist_ok=True)
    if text is None:
        os.symlink("/nowhere", full)
        return
    with open(full + ".new", "w", encoding="latin-1") as out:
        out.write(text)
    os.rename(full + ".new", full)


class Machine:
    """A folder of files, some of which are functions of the time since the start."""

    def __init__(self, files):
        self.files = files
        self.root = tempfile.TemporaryDirectory()
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.move)

    def put(self, seconds, moving_only):
        for path, text in self.files.items():
            if callable(text) or not moving_only:
                write(self.root.name, path, text(seconds) if callable(text) else text)

    def move(self):
        begin = time.monotonic()
        while not self.over.wait(0.01):
            self.put(time.monotonic() - begin, True)

    def __enter__(self):
        self.put(0, False)
        self.thread.start()
        return self.root.name

    def __exit__(self, *unused):
        self.over.set()
        self.thread.join()
        self.root.cleanup()


def look(files, way=("sleep", "14")):
    """The samples of a short job on that machine."""
    with Machine(files) as root:
        seen = watch(list(way), lib=TEST_LIB, WI_TEST_ROOT=root)
    assert seen.status == 0, (seen.status, seen.stderr)
    assert seen.samples
    return seen


def stat_of(cores, idle):
    """The last `idle` of the cores do nothing, the others work."""
    def text(seconds):
        lines = [f"cpu  1 2 3 4 5\n"]
        for cpu in range(cores):
            ticks = int(seconds * TICKS)
            rests = cpu >= cores - idle
            lines.append(f"cpu{cpu} {0 if rests else ticks} 0 0 {1000 + ticks * rests} 0 0 0 0 0 0\n")
        return "".join(lines) + "intr 12\nprocs_running 3\n"
    return text


def allowed(cores):
    return f"Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t{cores}\nMems_allowed:\t1\n"


def only(samples, figure):
    values = {s[figure] for s in samples}
    return values.pop() if len(values) == 1 else values


def near(value, wanted, part):
    return value is not None and abs(value - wanted) <= part * wanted


need_virtual_gpu()
checks = Checks()

# ---- cores
seen = look({"/proc/stat": stat_of(16, 12), "/proc/self/status": allowed("0-15"),
             "/proc/loadavg": "0.5 0.4 0.3 8/345 678\n", "/proc/self/cgroup": "0::/\n",
             "/sys/fs/cgroup/cpu.stat": "usage_usec 5\n"})
checks.equal("machine of 16", only(seen.samples, "cores_machine"), 16)
checks.equal("all allowed", only(seen.samples, "cores_allowed"), 16)
checks.true("12 idle", near(seen.mean("cores_idle_permille"), 12000, 0.15),
            [s["cores_idle_permille"] for s in seen.samples])
checks.true("4 busy with what others do", near(seen.mean("others_permille"), 4000, 0.15),
            [s["others_permille"] for s in seen.samples])
checks.equal("run queue without ourselves", only(seen.samples, "runnable"), 7)
seen = look({"/proc/stat": stat_of(16, 12), "/proc/self/status": allowed("0,2-3,12-13")})
checks.equal("5 of 16 allowed", only(seen.samples, "cores_allowed"), 5)
checks.true("of those 2 idle", near(seen.mean("cores_idle_permille"), 2000, 0.2),
            [s["cores_idle_permille"] for s in seen.samples])

# ---- quotas: the tightest on the way to the root counts, and the time stopped there
GROUPS = {"/proc/self/status": allowed("0-15"), "/proc/stat": stat_of(16, 12)}


def stopped(word, unit):
    """For a quarter of the time."""
    return lambda seconds: f"nr_periods 9\nnr_throttled 5\n{word} {int(seconds * unit / 4)}\n"


seen = look({**GROUPS, "/proc/self/cgroup": "0::/pod/job\n",
             "/sys/fs/cgroup/cpu.stat": "throttled_usec 0\n",
             "/sys/fs/cgroup/pod/cpu.max": "450000 100000\n",
             "/sys/fs/cgroup/pod/cpu.stat": stopped("throttled_usec", 1e6),
             "/sys/fs/cgroup/pod/job/cpu.max": "max 100000\n",
             "/sys/fs/cgroup/pod/job/cpu.stat": "throttled_usec 0\n"})
checks.equal("v2: 4.5 cores of the parent", only(seen.samples, "cores_allowed"), 4)
share = seen.mean("throttled_ns") / seen.mean("interval_ns")
checks.true("v2: stopped a quarter", near(share, 0.25, 0.2), share)
seen = look({**GROUPS, "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.stat": "throttled_usec 0\n",
             "/sys/fs/cgroup/cpu.max": "30000 100000\n"})
checks.equal("v2: less than a core is one", only(seen.samples, "cores_allowed"), 1)
seen = look({**GROUPS, "/proc/self/cgroup": "0::/../../else\n",
             "/sys/fs/cgroup/cpu.stat": "throttled_usec 0\n",
             "/sys/fs/cgroup/cpu.max": "300000 100000\n"})
checks.equal("v2: a path outside is the root", only(seen.samples, "cores_allowed"), 3)
seen = look({**GROUPS, "/proc/self/cgroup": "0::/docker/abcdef\n",
             "/sys/fs/cgroup/cpu.stat": "throttled_usec 0\n",
             "/sys/fs/cgroup/cpu.max": "200000 100000\n"})
checks.equal("v2: a path that is not there, too", only(seen.samples, "cores_allowed"), 2)

V1 = "/sys/fs/cgroup/cpu,cpuacct"
HIDE_V1 = {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us": None}
seen = look({**GROUPS, **HIDE_V1, "/proc/self/cgroup": "7:cpuset:/a\n4:cpu,cpuacct:/job\n1:name=x:/\n",
             V1 + "/job/cpu.cfs_quota_us": "250000\n", V1 + "/job/cpu.cfs_period_us": "100000\n",
             V1 + "/job/cpu.stat": stopped("throttled_time", 1e9)})
checks.equal("v1: 2.5 cores", only(seen.samples, "cores_allowed"), 2)
share = seen.mean("throttled_ns") / seen.mean("interval_ns")
checks.true("v1: stopped a quarter", near(share, 0.25, 0.2), share)
seen = look({**GROUPS, **HIDE_V1, "/proc/self/cgroup": "4:cpu,cpuacct:/job\n",
             V1 + "/job/cpu.cfs_quota_us": "-1\n", V1 + "/job/cpu.cfs_period_us": "100000\n",
             V1 + "/job/cpu.stat": "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n"})
checks.equal("v1: no quota", only(seen.samples, "cores_allowed"), 16)
checks.equal("v1: never stopped is known", only(seen.samples, "throttled_ns"), 0)
seen = look({**GROUPS, "/proc/self/cgroup": "4:cpuacct,cpuset:/job\n"})
checks.equal("neither: the affinity", only(seen.samples, "cores_allowed"), 16)
checks.equal("neither: not known", only(seen.samples, "throttled_ns"), None)

# ---- what is not there is unknown, and takes nothing else with it
HIDDEN = {"/proc/stat": ("cores_machine", "cores_idle_permille", "others_permille"), "/proc/loadavg": ("runnable",),
          "/proc/self/cgroup": ("throttled_ns",), "/proc/self/stat": ("major_faults",),
          "/proc/self/io": ("read_bytes",), "/proc/thread-self/children":
          ("children", "child_cpu_permille", "child_starts", "child_exits"),
          "/proc/self/task": ("children", "threads_busy", "busiest_permille")}
ALL = [f for f in seen.samples[0] if f not in ("event", "busiest_name")]
base = look({})
always = {f for f in ALL if base.mean(f) is None}  # there are no children to be busy
print("unknown here:", sorted(always))
for path, figures in HIDDEN.items():
    seen = look({path: None}, ("sleep", "27"))  # the monitor, asked bit by bit, may be late
    for figure in figures:
        checks.equal(f"without {path}: {figure}", only(seen.samples, figure), None)
    lost = {f for f in ALL if seen.mean(f) is None} - always - set(figures)
    checks.true(f"without {path}: the rest", lost <= {"child_starts", "child_exits"}, lost)
nothing = look({path: None for path in HIDDEN}, ("sleep", "27"))
checks.true("without any of them: the device's figures", nothing.mean("gpu_util_permille") is not None)

# ---- cut, hostile and absurd
ABSURD = ["", "\n", "\0\0\0\n", "cpu", "cpu0", "cpu0 1 2 3", "::::\n", "0:", "0::" + "/x" * 3000,
          "9" * 60, "cpu" + "9" * 30 + " 1 2 3 4\n" * 3, "-5 -5 -5 -5/-5", "a b c d/e f",
          "Cpus_allowed_list:\t0-" + "9" * 30 + "\n", "\nCpus_allowed_list:\t5-2,,,\n",
          "812 (\xff\x1b[2J) ) R", "x" * 200000]
PATHS = ["/proc/stat", "/proc/loadavg", "/proc/self/cgroup", "/proc/self/status", "/proc/self/io",
         "/proc/self/stat", "/sys/fs/cgroup/cpu.max", "/sys/fs/cgroup/cpu.stat",
         "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.stat"]
for text in ABSURD:
    seen = look({path: text for path in PATHS}, ("sleep", "6"))
    bad = [(f, s[f]) for s in seen.samples for f in ALL if s[f] is not None and s[f] < 0]
    checks.true(f"absurd {text[:12]!r}: nothing below zero", not bad, bad)
    checks.true(f"absurd {text[:12]!r}: no absurd cores",
                all(1 <= s["cores_allowed"] <= 1024 for s in seen.samples),
                [s["cores_allowed"] for s in seen.samples])
checks.finish()
