"""The stand-in runtimes and CUPTIs export what the real ones do, under the same symbol versions.

Usage: test_vgpu_names.py BUILD_DIR SOURCE_DIR REAL_LIBRARY_DIR...
The runtimes are always held against the table of names. The real libraries are looked for in the
folders given and in the usual places of a toolkit; what is not found is not compared.
"""
import os
import re
import subprocess
import sys

STAND_INS = ["11/libcudart.so.11.0", "12/libcudart.so.12", "13/libcudart.so.13",
             "11/libcupti.so.11.8", "12/libcupti.so.12", "13/libcupti.so.13"]
TOOLKITS = ["/usr/local/cuda/lib64", "/usr/local/cuda/extras/CUPTI/lib64"]


def exported(path):
    """{name: version node} of the functions a library defines."""
    text = subprocess.run(["objdump", "-T", path], check=True, capture_output=True,
                          text=True).stdout
    symbols = {}
    for line in text.splitlines():
        match = re.match(r"[0-9a-f]+ g +DF \.text\s+[0-9a-f]+\s+\(?([\w.]+)\)?\s+(\w+)$", line)
        if match:
            symbols[match.group(2)] = match.group(1)
    return symbols


def table(source, column):
    """The names the table gives a major; column: 1 for CUDA 11, 2 for 12, 3 for 13."""
    names = set()
    with open(os.path.join(source, "src/vgpu/vgpu_runtime_names.def"), encoding="utf-8") as file:
        for line in file:
            match = re.match(r"NAME\((\w+), (\w), (\w), (\w)\)", line)
            if match and match.group(column + 1) != "0":
                names.add(match.group(1))
    return names


def soname(path):
    text = subprocess.run(["objdump", "-p", path], check=True, capture_output=True,
                          text=True).stdout
    return re.search(r"SONAME\s+(\S+)", text).group(1)


def compare(own_path, real_path):
    own, real = exported(own_path), exported(real_path)
    faults = []
    if soname(own_path) != soname(real_path):
        faults.append("soname %s, real %s" % (soname(own_path), soname(real_path)))
    extra = sorted(set(own) - set(real))
    missing = sorted(set(real) - set(own)) if "cudart" in own_path else []
    if len(own) < 25:
        faults.append("exports only %d functions" % len(own))
    if extra:
        faults.append("exports what the real one does not: " + " ".join(extra))
    if missing:
        faults.append("lacks " + " ".join(missing))
    wrong = [name for name in own if name in real and own[name] != real[name]]
    if wrong:
        faults.append("other symbol version: " + " ".join(wrong))
    return faults


def main():
    build, source, folders = sys.argv[1], sys.argv[2], sys.argv[3:] + TOOLKITS
    compared, failed = 0, 0
    for column, stand_in in enumerate(STAND_INS[:3], 1):
        own = set(exported(os.path.join(build, "vgpu", stand_in)))
        if own != table(source, column):
            print("%s: differs from the table: %s" % (stand_in, own ^ table(source, column)))
            failed += 1
    for stand_in in STAND_INS:
        own = os.path.join(build, "vgpu", stand_in)
        name = os.path.basename(stand_in)
        real = next((os.path.join(folder, name) for folder in folders
                     if os.path.exists(os.path.join(folder, name))), None)
        if real is None:
            print("no real %s here" % name)
            continue
        compared += 1
        for fault in compare(own, real):
            print("%s: %s" % (stand_in, fault))
            failed += 1
    print("%d real libraries compared, %d faults" % (compared, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
