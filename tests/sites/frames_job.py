"""Runs under the interpreter to be tested: holds what the stack readers see against what Python
itself says. Arguments: path of the probe library. Exit 1 with a line for each fault."""
import contextlib
import ctypes
import gc
import os
import sys
import threading
import time

LIB = sys.argv[1]
free = ctypes.CDLL(LIB)  # calls give the lock back
held = ctypes.PyDLL(LIB)  # calls keep it
for lib in (free, held):
    lib.probe_state.restype = ctypes.c_void_p
    lib.probe_thread.restype = ctypes.c_void_p
    lib.probe_cost_ns.restype = ctypes.c_int64
    for call in ("probe_look", "probe_look_outside"):
        getattr(lib, call).argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)
faults = []
QUALIFIED = sys.version_info >= (3, 11)


def check(what, got, wanted):
    if got != wanted:
        faults.append(what)
        if len(faults) < 20:
            print("FAIL %s: got %.1000r, wanted %.1000r" % (what, got, wanted))


def text_of(lib, site):
    buffer = ctypes.create_string_buffer(1000)
    lib.probe_text(site, buffer, len(buffer))
    return buffer.value.decode()


def stack_of(lib):
    buffer = ctypes.create_string_buffer(100000)
    count = lib.probe_stack(buffer, len(buffer)); line = sys._getframe().f_lineno
    frame = sys._getframe()
    wanted = []
    while frame and len(wanted) < 64:
        code = frame.f_code
        name = code.co_qualname if QUALIFIED else code.co_name
        wanted.append("%s|%d|%s" % (code.co_filename[-239:], line, name[-119:]))
        frame = frame.f_back
        line = frame.f_lineno if frame else 0
    return count, buffer.value.decode().splitlines(), wanted


def check_stack(what):
    for lib, lock in ((free, "lock free"), (held, "lock held")):
        count, got, wanted = stack_of(lib)
        check("%s, %s: frames" % (what, lock), count, len(wanted))
        check("%s, %s" % (what, lock), got, wanted)


free.probe_open()
site = free.probe_capture(); here = sys._getframe().f_lineno
check("python is understood", free.probe_python(), 1)
check("site of a module", text_of(free, site), "frames_job.py:%d" % here)


def in_function():
    lock_held = held.probe_capture()
    lock_free = \
        free.probe_capture()
    line = sys._getframe().f_lineno
    check("site, lock held", text_of(held, lock_held), "frames_job.py:%d in in_function" % (line - 3))
    # which line of a statement of two is the call's is a matter of the release
    check("site, lock free", text_of(free, lock_free) in
          ["frames_job.py:%d in in_function" % (line - n) for n in (1, 2)], True)


in_function()
same = {free.probe_capture() for _ in range(10)}
check("one line, one site", len(same), 1)
check_stack("function")


class Loader:
    def __iter__(self):
        for _ in range(2):
            check_stack("generator in a method")
            yield 1

    @staticmethod
    def inner():
        def closure():
            check_stack("closure")
        closure()


for _ in Loader():
    pass
Loader.inner()
[check_stack("comprehension") for _ in (1,)]
(lambda: check_stack("lambda"))()
check_stack_generator = (check_stack("generator expression") for _ in (1,))
list(check_stack_generator)


def delegating():
    yield from Loader()


list(delegating())


async def coroutine():
    check_stack("coroutine")


with contextlib.suppress(StopIteration):
    coroutine().send(None)


def called_back(a, b):
    check_stack("called from C")
    return 0


sorted([2, 1], key=lambda x: check_stack("key function") or x)
ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_int)(called_back)(1, 2)


def deep(n):
    return deep(n - 1) if n else check_stack("deep recursion")


deep(40)
deep(300)
sys.setrecursionlimit(20000)
deep(3000)


def raising():
    try:
        raise ValueError
    except ValueError:
        check_stack("in a handler")
    finally:
        check_stack("in a finally")


raising()


class Context:
    def __enter__(self):
        check_stack("enter")
        return self

    def __exit__(self, *_):
        check_stack("exit")


with Context(), \
        Context():
    check_stack("with")

# long functions: offsets beyond one byte, lines far apart and out of order
lines = ["def long_function(probe):", "    x = 0"]
for i in range(400):
    lines.append("    x += %d * x - (x // 3)" % i)
    if i % 50 == 0:
        lines.extend(["", "#"] * 200)
        lines.append("    for probe_now in (0, 1):")
        lines.append("        probe()")
    if i % 70 == 0:
        lines.append("    long_list = [x,\n        x,\n        probe(),\n        x]")
source = "\n".join(lines)
space = {}
exec(compile(source, "generated_long.py", "exec"), space)
space["long_function"](lambda: check_stack("long function"))

# file names beyond ASCII, of each width that Python stores
for name in ("h\u00e4hnchen.py", "\u30b9\u30bf\u30c3\u30af.py", "\U0001f40d_snake.py", "x" * 500 + ".py"):
    space = {"check_stack": check_stack}
    exec(compile("def f():\n\n    check_stack('name')\nf()", name, "exec"), space)

# a function is compiled anew, over and over: addresses are used again
for i in range(300):
    space = {"probe": free.probe_capture}
    exec(compile("\n" * (i % 7) + "site = probe()", "again%d.py" % (i % 3), "exec"), space)
    check("compiled again", text_of(free, space["site"]), "again%d.py:%d" % (i % 3, i % 7 + 1))
    del space
    gc.collect(0)

# a thread of the framework, which works for this one
free.probe_capture(); here = sys._getframe().f_lineno
check("a thread without frames", text_of(free, free.probe_frameless()),
      "frames_job.py:%d, by another thread" % here)

# what is passed over: the language's and the framework's own code
for path, wanted in (("/venv/lib/python3.9/site-packages/torch/nn/modules/module.py", 2),
                     ("/venv/lib/python3.9/site-packages/timm/models/vit.py", 1),
                     ("/usr/lib/python3/dist-packages/numpy/core/x.py", 2),
                     ("/usr/lib/python3.11/threading.py", 2), ("/home/me/train.py", 0),
                     ("<frozen importlib._bootstrap>", 2), ("<string>", 0)):
    check(path, free.probe_kind(path.encode()), wanted)
space = {"probe": free.probe_capture}
exec(compile("def call():\n    return probe()", "/x/lib/python3.9/site-packages/torch/f.py", "exec"),
     space)
own = space["call"](); here = sys._getframe().f_lineno
check("below the framework", text_of(free, own), "frames_job.py:%d" % here)

# a wrong table: the self-test finds it out, or it does not matter; and nothing crashes
OWNER = 7  # only says which frames are left out: not told from a right one
found = 0
for delta in (-24, -16, -8, -4, 4, 8, 16, 24, 4096, 1 << 20):
    field = 0
    while True:
        result = free.probe_wrong_offset(field, delta)
        if result < 0:
            break
        if result == 2 and field != OWNER:
            check("field %d off by %d" % (field, delta), result, 0)
        found += result == 0
        field += 1
check("wrong tables are found out", found > 80, True)

# threads: started and ended while they are looked at, while the collector runs
stop = threading.Event()
wrong = []


def churn():
    while not stop.is_set():
        def leaf():
            wrong.append(free.probe_stress(300))
        thread = threading.Thread(target=leaf)
        thread.start()
        thread.join()


def compiling():
    while not stop.is_set():
        exec(compile("x = [i for i in range(50)]", "c.py", "exec"), {})
        gc.collect()


threads = [threading.Thread(target=t) for t in (churn, churn, compiling)]
for thread in threads:
    thread.start()
time.sleep(0.5)
stop.set()
for thread in threads:
    thread.join()
check("walks that went wrong while threads came and went", sum(wrong), 0)
check("walks were made", len(wrong) > 5, True)

# another thread, from outside
states = {}


def waits(name, action):
    states[name] = (free.probe_state(), free.probe_thread())
    action()


def look(state, outside=False):
    buffer = ctypes.create_string_buffer(1000)
    (held.probe_look_outside if outside else free.probe_look)(*state, buffer, len(buffer))
    return buffer.value.decode()


def in_thread(name, action, until=0.1):
    thread = threading.Thread(target=waits, args=(name, action))
    thread.start()
    time.sleep(until)
    seen = look(states[name])
    seen_outside = look(states[name], outside=True)  # while this thread keeps the lock
    thread.join()
    return seen, seen_outside


asleep = in_thread("sleep", lambda: time.sleep(0.3))
wanted = "frame frames_job.py:" + ("<lambda>")
check("a thread in a system call", asleep, (wanted, wanted))


def fake(path, function, body="sleep(0.3)"):
    space = {"sleep": time.sleep}
    exec(compile("def %s():\n    %s" % (function, body), path, "exec"), space)
    return space[function]


packages = "/x/lib/python3.9/site-packages/"
for path, function, wanted in (
        ("torch/utils/data/dataloader.py", "_try_get_data",
         "input-wait torch/utils/data/dataloader.py:_try_get_data"),
        ("PIL/Image.py", "open", "input-inline PIL/Image.py:open"),
        ("torch/utils/data/_utils/fetch.py", "fetch",
         "input-inline torch/utils/data/_utils/fetch.py:fetch"),
        ("torch/serialization.py", "save", "frame torch/serialization.py:save"),
        ("timm/__init__.py", "make", "frame timm/__init__.py:make")):
    seen = in_thread(function, fake(packages + path, function))
    check(path, seen, (wanted, wanted))

# the collector: a finalizer that runs inside it keeps it running
collected = []


class Cycle:
    def __del__(self):
        collected.append(look(MAIN, outside=True))


check("a state under another thread's name", look((free.probe_state(), 12345)), "")
MAIN = (free.probe_state(), free.probe_thread())
check("not collecting", look(MAIN, outside=True).endswith("collecting"), False)
if sys.version_info >= (3, 9):
    gc.callbacks.append(lambda phase, info: phase == "stop" or None)
    cycle = Cycle()
    cycle.me = cycle
    del cycle
    gc.collect()
    check("collecting", [c.endswith(" collecting") for c in collected], [True])

# threads that end while they are looked at: nothing may crash, what is said must be true
for _ in range(100):
    thread = threading.Thread(target=waits, args=("short", lambda: None))
    thread.start()
    look(states.get("short", (None, None)))
    thread.join()
    gone = look(states["short"])
    check("an ended thread", gone in ("",) or gone.startswith("frame "), True)

# a look at one's own stack makes no system call
child = os.fork()
if child == 0:
    made = held.probe_system_calls(1000)
    os._exit(200 if made < 0 else min(made, 100))
check("system calls of 1000 looks (200: not counted)", os.waitpid(child, 0)[1] >> 8, 0)

# more functions and sites than there is room for: no site, and what is known stays right
line_site = free.probe_capture(); here = sys._getframe().f_lineno
given = set()
for i in range(9000):
    space = {"probe": free.probe_capture}
    exec(compile("def f%d():\n    return probe()\nsite = f%d()" % (i, i), "many%d.py" % i, "exec"), space)
    text = text_of(free, space["site"])
    if text not in ("", "many%d.py:2 in f%d" % (i, i)):
        check("with a full table", text, "many%d.py:2 in f%d" % (i, i))
    given.add(space["site"])
check("sites are bounded", 1000 < len(given) <= 4097, True)
words = ctypes.create_string_buffer(200)
free.probe_words(words, len(words))
check("looks without room are counted", b" sites without room" in words.value, True)
check("what was known", text_of(free, line_site), "frames_job.py:%d" % here)

words = ctypes.create_string_buffer(200)
free.probe_words(words, len(words))
check("in words", words.value.decode().split(",")[0].split(" ")[:2],
      ["Python", "%d.%d" % sys.version_info[:2]])
print("%s: capture %d ns" % (sys.version.split()[0], held.probe_cost_ns(2000)))
print("failed %d" % len(faults) if faults else "ok")
sys.exit(1 if faults else 0)
