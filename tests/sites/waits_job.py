"""A training loop that waits in code of known packages. Arguments: library, steps, what to do."""
import ctypes
import gc
import sys
import time

gpu = ctypes.CDLL(sys.argv[1])
gpu.gpu_kernel.argtypes = (ctypes.c_int64,)
PACKAGES = "/venv/lib/python3.9/site-packages/"
WAIT_S = 0.040


def function_of(path, name, body):
    """A function that says that it comes from this file of a package."""
    space = {"time": time, "WAIT_S": WAIT_S}
    exec(compile("def %s():\n    %s" % (name, body), PACKAGES + path, "exec"), space)
    return space[name]


def burn():
    end = time.perf_counter() + WAIT_S
    while time.perf_counter() < end:
        sum(range(300))


class Slow:
    def __del__(self):
        time.sleep(WAIT_S)


def collect():
    slow = Slow()
    slow.me = slow
    del slow
    gc.collect()


ACTIONS = {
    "wait": function_of("torch/utils/data/dataloader.py", "_try_get_data", "time.sleep(WAIT_S)"),
    "inline": function_of("PIL/Image.py", "open", "end = time.perf_counter() + WAIT_S\n"
                          "    while time.perf_counter() < end: sum(range(300))"),
    "own": burn,
    "collect": collect,
}
action = ACTIONS[sys.argv[3]]
gc.disable()
gpu.gpu_open()
for _ in range(int(sys.argv[2])):
    action()
    gpu.gpu_copy_in()
    gpu.gpu_kernel(500000)
    gpu.gpu_read_back()
