"""Threads that come, call the device from ever new code, sleep, and go, while others compile and
collect: what is read of them must never hurt. Arguments: library, seconds."""
import ctypes
import gc
import random
import sys
import threading
import time

gpu = ctypes.CDLL(sys.argv[1])
gpu.gpu_kernel.argtypes = (ctypes.c_int64,)
end = time.time() + float(sys.argv[2])
calls = [0]


def generated(i):
    space = {"gpu": gpu, "time": time, "random": random}
    exec(compile("def f%d(n):\n    if n: return f%d(n - 1)\n    time.sleep(random.random() * 0.012)\n"
                 "    return gpu.gpu_copy_in()" % (i, i), "made%d.py" % (i % 50), "exec"), space)
    return space["f%d" % i]


def items(count):
    for i in range(count):
        try:
            if i % 3 == 0:
                raise ValueError(i)
        except ValueError:
            pass
        yield generated(random.randrange(10 ** 6))(random.randrange(60))


def work():
    for failed in items(5):
        calls[0] += 1
        if failed:
            sys.exit("a copy failed")


def compile_and_collect():
    while time.time() < end:
        for i in range(20):
            exec(compile("x = [i * %d for i in range(30)]" % i, "c%d.py" % i, "exec"), {})
        gc.collect()
        time.sleep(0.002)


gpu.gpu_open()
others = [threading.Thread(target=compile_and_collect) for _ in range(2)]
for thread in others:
    thread.start()
while time.time() < end:
    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
for thread in others:
    thread.join()
# one that is still in a call when the interpreter is shut down
threading.Thread(target=lambda: [(gpu.gpu_copy_in(), time.sleep(0.003)) for _ in range(10 ** 6)],
                 daemon=True).start()
time.sleep(0.05)
print("done" if calls[0] > 20 else "too few calls")
