"""Runs test jobs with and without the preload, on the virtual GPU unless told otherwise."""
import glob
import json
import os
import subprocess
import sys
import tempfile

BUILD = os.environ["WI_BUILD"]
LIB = os.path.join(BUILD, "src", "collect", "libwhyidle.so")
SKIP = 77


def skip(why):
    print("skipped:", why)
    sys.exit(SKIP)


def not_tried(what, why):
    """A part of a test that cannot run here; scripts count these lines."""
    print(f"not tried: {what}: {why}")


def need_virtual_gpu(major="13", cupti=True):
    """Skips the test where the virtual GPU has not been built."""
    names = [f"vgpu/{major}/libcudart.so.{major}", "vgpu/libcuda.so.1"]
    if cupti:
        names.append(f"vgpu/{major}/libcupti.so.{major}")
    for name in names:
        if not os.path.exists(os.path.join(BUILD, name)):
            skip(f"{name} is not built")


def job(major="13"):
    return os.path.join(BUILD, "tests", "preload", f"job{major}")


def sanitizer_runtime():
    """The runtime of the sanitizer that everything was built with has to come first."""
    kind = os.environ.get("WI_SANITIZE", "")
    names = {"thread": "libtsan.so", "address,undefined": "libasan.so"}
    if kind not in names:
        return []
    found = subprocess.run(["cc", "-print-file-name=" + names[kind]], capture_output=True,
                           text=True, check=True)
    return [os.path.realpath(found.stdout.strip())]


def preloads(*libraries):
    """LD_PRELOAD with these libraries."""
    return " ".join(sanitizer_runtime() + list(libraries))


def environment(out=None, major="13", preload=True, **more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("WHYIDLE", "VGPU_", "CUDA_"))}
    env["LD_LIBRARY_PATH"] = f"{BUILD}/vgpu/{major}:{BUILD}/vgpu"
    if preload or sanitizer_runtime():
        env["LD_PRELOAD"] = preloads(*[LIB] * preload)
    if out:
        env["WHYIDLE_OUT"] = out
    env.update({k: str(v) for k, v in more.items()})
    return env


class Run:
    """One finished run: status, stdout, stderr, and the reports it left."""

    def __init__(self, words, env, out, **options):
        options.setdefault("timeout", 60)
        done = subprocess.run(words, env=env, capture_output=True, text=True, **options)
        self.status, self.stdout, self.stderr = done.returncode, done.stdout, done.stderr
        self.files = sorted(f for f in glob.glob(out + "/**/*.json", recursive=True)
                            if "/latest/" not in f) if out else []
        self.reports = [json.load(open(f)) for f in self.files]

    @property
    def report(self):
        assert len(self.reports) == 1, (self.files, self.stderr)
        return self.reports[0]


def run(words, major="13", **more):
    """Runs under the preload in a fresh folder."""
    with tempfile.TemporaryDirectory() as out:
        return Run(words, environment(out, major, **more), out)


def run_plain(words, major="13", **more):
    return Run(words, environment(None, major, preload=False, **more), None)


class Checks:
    """Collects failures so that one run shows all of them."""

    def __init__(self):
        self.failed = 0

    def equal(self, what, got, wanted):
        if got != wanted:
            self.failed += 1
            print(f"FAIL {what}: got {got!r}, wanted {wanted!r}")

    def true(self, what, value, detail=""):
        if not value:
            self.failed += 1
            print(f"FAIL {what} {detail}")

    def finish(self):
        print("ok" if not self.failed else f"{self.failed} failed")
        sys.exit(1 if self.failed else 0)
