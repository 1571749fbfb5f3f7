"""Memory does not grow with the recording: 200 MB of JSON through a pipe, the events backwards, so
that every one of them has to be sorted through the temporary file. Also prints the speed.

usage: test_memory.py DUMP_EVENTS"""
import os
import subprocess
import sys
import threading
import time

from dumping import finish

EVENTS = 800_000
LIMIT_KIB = 48 * 1024  # 33 MiB for sorting, the name table, buffers, and room for the C library
HEAD = '{"schemaVersion": 1, "traceEvents": [\n'
EVENT = ('{"ph": "X", "cat": "kernel", "name": "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor'
         '_add<float>>(int)", "pid": 0, "tid": 7, "ts": %d.125, "dur": 4.5, "args": {"device": 0, "stream": 7, '
         '"correlation": %d, "grid": [64, 1, 1], "block": [128, 1, 1]}}')


def write(pipe, sizes):
    pipe.write(HEAD.encode())
    for start in range(EVENTS, 0, -5000):
        block = ',\n'.join([EVENT % (1000000 + 10 * i, i) for i in range(start, start - 5000, -1)])
        data = (block + (',\n' if start > 5000 else '\n]}')).encode()
        sizes.append(len(data))
        pipe.write(data)
    pipe.close()


def no_room():
    """Without a place for the temporary file a large recording is refused in one line."""
    block = ','.join('{"ph":"X","cat":"kernel","ts":%d,"dur":1,"pid":0}' % i for i in range(200_000))
    done = subprocess.run([sys.argv[1], '--count', '/dev/stdin'], input=('[' + block + ']').encode(),
                          capture_output=True, env={**os.environ, 'TMPDIR': '/nonexistent'})
    if done.returncode != 2 or b'temporary file' not in done.stderr:
        yield 'no temporary folder: status %d, %s' % (done.returncode, done.stderr)


def main():
    sizes, began = [], time.monotonic()
    process = subprocess.Popen([sys.argv[1], '--count', '/dev/stdin'], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE)
    writer = threading.Thread(target=write, args=(process.stdin, sizes))
    writer.start()
    output = process.stdout.read().decode().split()
    writer.join()
    status = process.wait()
    figures = dict(word.split('=') for word in output if '=' in word)
    print('%.0f MB in %.1f s with the writing, peak %s KiB' % (sum(sizes) / 1e6, time.monotonic() - began,
                                                              figures.get('peak_kib')))
    failures = []
    if status or int(figures.get('events', 0)) != EVENTS:
        failures.append('status %d, %s events' % (status, figures.get('events')))
    if int(figures.get('peak_kib', LIMIT_KIB + 1)) > LIMIT_KIB:
        failures.append('peak of %s KiB, limit %d' % (figures.get('peak_kib'), LIMIT_KIB))
    failures += no_room()
    finish(failures, 3)


main()
