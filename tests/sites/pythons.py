"""Finds the interpreters of this machine."""
import glob
import os
import shutil
import subprocess


def version_of(path):
    try:
        done = subprocess.run([path, "-c", "import sys, ctypes; print('%d.%d.%d' % sys.version_info[:3])"],
                              capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def find(minor):
    """(path, version) of every different Python 3.<minor> with ctypes, free-threaded builds too.
    WHYIDLE_PYTHONS: folders with further interpreters, separated by colons."""
    home = os.path.expanduser("~")
    folders = os.environ.get("WHYIDLE_PYTHONS", "").split(":")
    folders += ["/usr/bin", "/usr/local/bin", os.path.join(os.environ.get("CONDA_PREFIX", ""), "bin")]
    for pattern in (f"{home}/.pyenv/versions/3.{minor}*/bin", f"/opt/python/*3*{minor}*/bin",
                    f"{home}/.local/share/uv/python/cpython-3.{minor}*/bin",
                    f"{home}/*conda*/envs/*/bin", f"{home}/*conda*/bin"):
        folders += glob.glob(pattern)
    names = (f"python3.{minor}", f"python3.{minor}t")
    places = [shutil.which(name) for name in names]
    places += [os.path.join(folder, name) for folder in folders for name in names if folder]
    found = {}
    for place in places:
        if place and "/shims/" not in place and os.path.exists(place):
            version = version_of(place)
            if version and version.startswith(f"3.{minor}."):
                found.setdefault(os.path.realpath(place), version)
    return sorted(found.items())
