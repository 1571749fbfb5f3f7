"""Broken recordings: one line that says what is wrong and where, exit 2; a damaged end is accepted
and marked if asked for. The binary trace is written here by its documentation.

usage: test_broken.py DUMP_EVENTS"""
import gzip
import os
import struct
import sys
import tempfile

from dumping import dump, finish

EVENT = '{"ph": "X", "cat": "kernel", "name": "k%d", "pid": 0, "tid": 7, "ts": %d, "dur": 1, "args": {"device": 0}}'
TRACE = '{"traceEvents": [\n' + ',\n'.join(EVENT % (i, 10 * i) for i in range(2000)) + '\n]}'


def broken_time(text):
    return TRACE.replace('"ts": 100,', '"ts": %s,' % text)


def record(kind, payload):
    return struct.pack('<HHI', kind, 0, len(payload)) + payload


def span(start, end, name_id, kind=2):
    return record(4, struct.pack('<qqIIB', start, end, 77, name_id, kind))


NAME = record(0, struct.pack('<I', 1) + b'load')
SPANS = b'WITRACE1' + NAME + span(30, 40, 1) + record(7, struct.pack('<q', 30)) + span(10, 20, 1) + span(35, 36, 9)

# name, bytes, words of the message, lowest and highest offset (None: no offset), events with --partial or None
CASES = [
    ('empty file', b'', 'empty', 0, 0, None),
    ('text', b'hello there', 'not a recording', 0, 0, None),
    ('binary', bytes(range(256)), 'not a recording', 0, 0, None),
    ('SQLite', b'SQLite format 3\0' + bytes(100), 'not a recording', 0, 0, None),
    ('number', b'[17]', 'no trace event', None, None, None),
    ('empty array', b'[]', 'no trace event', None, None, None),
    ('no events', b'{"a": 1}', 'no "traceEvents"', None, None, None),
    ('events are no array', b'{"traceEvents": {"ph": "X"}}', 'not an array', 1, 20, None),
    ('events are null', b'{"traceEvents": null}', 'not an array', 1, 21, None),
    ('cut JSON', TRACE[:100000].encode(), 'too early', 100000, 100000,
     TRACE[:100000].count('}}')),
    ('cut after a value', TRACE[:-1].encode(), 'too early', len(TRACE) - 1, len(TRACE) - 1, 2000),
    ('NaN', broken_time('NaN').encode(), 'lexical error', 1, 2000, 10),
    ('Infinity', broken_time('-Infinity').encode(), 'malformed number', 1, 2000, 10),
    ('number with two points', broken_time('1.2.3').encode(), 'error', 1, 2000, 10),
    ('huge number', broken_time('1e400').encode(), 'out of range', 1, 2000, 10),
    ('times years apart', broken_time('9' * 15).encode(), 'years apart', None, None, None),
    ('long number', broken_time('9' * 5000).encode(), 'out of range', 1, 9000, 10),
    ('trailing bytes', (TRACE + '}').encode(), 'trailing garbage', len(TRACE), len(TRACE) + 2, 2000),
    ('deep nesting', ('[' * 100000).encode(), 'too deeply', 500, 600, None),
    ('deep nesting of objects', ('{"a":' * 100000).encode(), 'too deeply', 2500, 2600, None),
    ('control byte', TRACE.replace('k100"', 'k\x01"').encode(), 'invalid', 1, 20000, 100),
    ('cut gzip', gzip.compress(TRACE.encode())[:3000], 'gzip data ends too early', 1000, len(TRACE), 'some'),
    ('gzip head only', gzip.compress(b'')[:10], 'gzip data ends too early', 0, 0, None),
    ('wrong checksum', gzip.compress(TRACE.encode())[:-8] + bytes(8), 'gzip data is damaged', len(TRACE), len(TRACE), 2000),
    ('damaged gzip', gzip.compress(TRACE.encode())[:2000] + b'\xff' * 3000, '', 1000, len(TRACE), 'some'),
    ('cut trace', SPANS[:-1], 'cut off', len(SPANS) - 33, len(SPANS) - 33, 2),
    ('trace with a short payload', SPANS + record(7, b'1234'), 'format', len(SPANS), len(SPANS), 3),
    ('trace with a huge record', SPANS + struct.pack('<HHI', 4, 0, 1 << 31), 'range', len(SPANS), len(SPANS), 3),
]


def check(program, folder, case):
    name, data, words, low, high, events = case
    path = os.path.join(folder, 'trace')
    open(path, 'wb').write(data)
    status, lines, error = dump(program, path)
    if status != 2 or lines or words not in error or '\n' in error:
        yield '%s: status %d, "%s", expected "%s"' % (name, status, error, words)
        return
    offset = int(error.split(' at ')[1].split(':')[0])
    if not (low if low is not None else -1) <= offset <= (high if high is not None else -1):
        yield '%s: offset %d is not in %s..%s' % (name, offset, low, high)
    if events is None:
        return
    status, lines, error = dump(program, path, '--partial')
    got = sum(line.startswith(('op ', 'span ')) for line in lines)
    marked = bool(lines) and 'partial=1' in lines[-1] and any(line.startswith('loss ') for line in lines)
    if status or not marked or (got != events if events != 'some' else not 0 < got < 2000):
        yield '%s partial: status %d, %d events, marked %s, %s' % (name, status, got, marked, error)


def check_good(program, folder):
    """The binary trace as documented: sorted, names resolved, ADVANCE recomputed."""
    path = os.path.join(folder, 'trace')
    for data in (SPANS, gzip.compress(SPANS)):
        open(path, 'wb').write(data)
        status, lines, error = dump(program, path)
        expected = ['span 10 20 thread=77 cpu-op load', 'span 30 40 thread=77 cpu-op load',
                    'span 35 36 thread=77 cpu-op ']
        if status or lines[:-1] != expected or 'format=whyidle-trace' not in lines[-1]:
            yield 'binary trace: status %d, %s %s' % (status, lines, error)
    unknown = -2**63
    job = record(8, struct.pack('<13q', 4242, 3, 16, 100, 900, 1, 0, ord('A'), 0, *[unknown] * 3, 0) +
                 struct.pack('<H', 2) + b'a.' + bytes(6) + struct.pack('<H', 12) + b'runtime 13.0' + bytes(2))
    open(path, 'wb').write(SPANS + job)
    status, lines, error = dump(program, path)
    expected = 'pid=4242 rank=3 world=16 start=100 end=900 cuda=runtime 13.0'
    if status or not lines[-1].endswith(expected):
        yield 'binary trace with a job: status %d, %s %s' % (status, lines[-1:], error)
    for missing in (os.path.join(folder, 'no such file'), folder):
        status, lines, error = dump(program, missing)
        if status != 2 or ('No such file' not in error and 'directory' not in error):
            yield '%s: status %d, %s' % (missing, status, error)


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for case in CASES:
            failures += check(sys.argv[1], folder, case)
        failures += check_good(sys.argv[1], folder)
    finish(failures, len(CASES) + 5)


main()
