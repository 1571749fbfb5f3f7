"""Seeds for the binary trace: files with every kind of record, from the documented layout; with
--report a byte in front chooses how the engine is fed, and some operations follow each other.

usage: seed_trace.py FOLDER [--report]"""
import os
import re
import struct
import sys

WIDTHS = {'I64': 'q', 'U64': 'Q', 'I32': 'i', 'U32': 'I', 'U8': 'B', 'NAME': 'I'}
KINDS = ['CALL', 'OP', 'DEVICE', 'SPAN', 'SAMPLE', 'LOSS', 'ADVANCE']


def record(kind, payload):
    return struct.pack('<HHI', kind, 0, len(payload)) + payload


def event(rows, number, values):
    """One record; values by member, 1 for the others."""
    payload = b''
    for of, width, member in rows:
        if of == KINDS[number - 1]:
            value = values.get(member.split('.')[-1], 1)
            payload += bytes(16) if width == 'UUID' else struct.pack('<' + WIDTHS[width], value)
    return record(number, payload)


def story(rows):
    """Launches and kernels with gaps, a copy and a sync, as a job would record them."""
    data = b''
    for i in range(12):
        at = 1_000_000 * i
        data += event(rows, 1, {'enter_ns': at, 'exit_ns': at + 5000, 'corr': i + 1, 'api_class': i % 5,
                                'flags': i % 2, 'run_ns': -2**63, 'device': -1})
        data += event(rows, 2, {'start_ns': at + 9000, 'end_ns': at + 500_000 * (1 + i % 2), 'corr': i + 1,
                                'kind': i % 4, 'device': i % 3, 'flags': 0})
        data += event(rows, 7, {'at_ns': at})
    return data


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    rows = re.findall(r'^(?:FIELD|LATER)\((\w+), (\w+), ([\w.\[\]]+)\)',
                      open(os.path.join(here, '../../src/model/trace_fields.def')).read(), re.M)
    head = b'WITRACE1' + record(0, struct.pack('<I', 1) + b'cudaLaunchKernel')
    every = head + b''.join(event(rows, number, {}) for number in range(1, len(KINDS) + 1))
    for name, data in (('every_kind', every), ('story', head + story(rows))):
        for mode in ((b'\0', b'\1', b'\3', b'\4') if '--report' in sys.argv else (b'',)):
            open(os.path.join(sys.argv[1], name + mode.hex()), 'wb').write(mode + data)


main()
