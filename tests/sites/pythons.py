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
    """(path, version) of every different python3.<minor> with ctypes."""
    name = f"python3.{minor}"
    places = [shutil.which(name), f"/usr/bin/{name}", f"/usr/local/bin/{name}"]
    places += glob.glob(os.path.expanduser(f"~/.pyenv/versions/3.{minor}.*/bin/{name}"))
    places += glob.glob(f"/opt/python/3.{minor}*/bin/{name}")
    found = {}
    for place in places:
        if place and "/shims/" not in place and os.path.exists(place):
            version = version_of(place)
            if version and version.startswith(f"3.{minor}."):
                found.setdefault(os.path.realpath(place), version)
    return sorted(found.items())
