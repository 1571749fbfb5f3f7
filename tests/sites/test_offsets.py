#!/usr/bin/env python3
"""The offsets in force under each interpreter are those of its own headers, where it has them."""
import glob
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "preload"))
from jobs import preloads  # noqa: E402
from pythons import find  # noqa: E402

SOURCE = r"""
#define Py_BUILD_CORE
#include <Python.h>
#include <frameobject.h>
#include <stddef.h>
#include <stdio.h>
#if PY_VERSION_HEX >= 0x030B0000
#include <internal/pycore_frame.h>
#endif
#include <internal/pycore_pystate.h>
#if PY_VERSION_HEX >= 0x03090000
#include <internal/pycore_runtime.h>
#include <internal/pycore_interp.h>
#endif
#define O(name, type, field) printf("%s %d\n", #name, (int)offsetof(type, field));
#define V(name, value) printf("%s %d\n", #name, (int)(value));
int main(void)
{
#if PY_VERSION_HEX < 0x030B0000
    O(tstate_frame, PyThreadState, frame)
    O(frame_prev, PyFrameObject, f_back)
    O(frame_code, PyFrameObject, f_code)
    O(frame_instr, PyFrameObject, f_lasti)
#else
    O(frame_prev, _PyInterpreterFrame, previous)
    O(frame_owner, _PyInterpreterFrame, owner)
    O(code_qualname, PyCodeObject, co_qualname)
    O(code_bytecode, PyCodeObject, co_code_adaptive)
#if PY_VERSION_HEX < 0x030D0000
    O(tstate_frame, PyThreadState, cframe)
    O(cframe_frame, _PyCFrame, current_frame)
    O(frame_code, _PyInterpreterFrame, f_code)
    O(frame_instr, _PyInterpreterFrame, prev_instr)
#else
    O(tstate_frame, PyThreadState, current_frame)
    O(frame_code, _PyInterpreterFrame, f_executable)
    O(frame_instr, _PyInterpreterFrame, instr_ptr)
#endif
#endif
#if PY_VERSION_HEX < 0x030A0000
    O(code_table, PyCodeObject, co_lnotab)
#else
    O(code_table, PyCodeObject, co_linetable)
#endif
    O(tstate_interp, PyThreadState, interp)
    O(tstate_thread, PyThreadState, thread_id)
    O(code_file, PyCodeObject, co_filename)
    O(code_function, PyCodeObject, co_name)
    O(code_first, PyCodeObject, co_firstlineno)
    O(object_type, PyObject, ob_type)
    O(var_size, PyVarObject, ob_size)
    O(bytes_size, PyVarObject, ob_size)
    O(bytes_data, PyBytesObject, ob_sval)
    O(text_length, PyASCIIObject, length)
    O(text_state, PyASCIIObject, state)
    V(text_ascii, sizeof(PyASCIIObject))
    V(text_wide, sizeof(PyCompactUnicodeObject))
#if PY_VERSION_HEX >= 0x03090000
    O(finalizing, _PyRuntimeState, _finalizing)
    V(gc_collecting, offsetof(PyInterpreterState, gc) +
                         offsetof(struct _gc_runtime_state, collecting))
#else
    O(finalizing, _PyRuntimeState, finalizing)
#endif
    return 0;
}
"""

library = os.path.join(os.environ["WI_BUILD"], "tests", "sites", "libwhyidle_sites_probe.so")
ASK = f"""
import ctypes
text = ctypes.create_string_buffer(4000)
assert ctypes.CDLL({library!r}).probe_layout(text, len(text)) == 0
print(text.value.decode())
"""


def pairs(words):
    done = subprocess.run(words, capture_output=True, text=True, timeout=60,
                          env=dict(os.environ, LD_PRELOAD=preloads()))
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}")
    return dict(line.split() for line in done.stdout.splitlines() if line.strip())


failed = compared = 0
with tempfile.TemporaryDirectory() as folder:
    for minor in range(8, 15):
        for interpreter, version in find(minor):
            prefix = os.path.dirname(os.path.dirname(interpreter))
            headers = glob.glob(f"{prefix}/include/python3.{minor}/internal/pycore_pystate.h")
            if not headers:
                continue
            include = os.path.dirname(os.path.dirname(headers[0]))
            source = SOURCE
            if not os.path.exists(f"{include}/internal/pycore_interp.h"):
                source = source.replace("#include <internal/pycore_interp.h>", "")
            open(f"{folder}/now.c", "w").write(source)
            built = subprocess.run(["cc", "-w", f"-I{include}", f"{folder}/now.c", "-o",
                                    f"{folder}/now"], capture_output=True, text=True)
            if built.returncode:
                sys.exit(f"{version}: {built.stderr[:2000]}")
            wanted, got = pairs([f"{folder}/now"]), pairs([interpreter, "-c", ASK])
            wrong = {k: (got[k], v) for k, v in wanted.items() if got[k] != v}
            print(version, "wrong (ours, theirs):" if wrong else "ok", wrong or len(wanted))
            failed += bool(wrong)
            compared += 1
if not compared:
    print("skipped: no interpreter with its internal headers here")
    sys.exit(77)
sys.exit(1 if failed else 0)
