"""Seeds for the binary trace: one file with every kind of record, from the documented layout.

usage: seed_trace.py FOLDER"""
import os
import re
import struct
import sys

WIDTHS = {'I64': 'q', 'U64': 'Q', 'I32': 'i', 'U32': 'I', 'U8': 'B', 'NAME': 'I'}
KINDS = ['CALL', 'OP', 'DEVICE', 'SPAN', 'SAMPLE', 'LOSS', 'ADVANCE']


def record(kind, payload):
    return struct.pack('<HHI', kind, 0, len(payload)) + payload


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    rows = re.findall(r'^FIELD\((\w+), (\w+), ', open(os.path.join(here, '../../src/model/trace_fields.def')).read(), re.M)
    data = b'WITRACE1' + record(0, struct.pack('<I', 1) + b'cudaLaunchKernel')
    for number, kind in enumerate(KINDS, 1):
        payload = b''
        for of, width in rows:
            if of == kind:
                payload += bytes(16) if width == 'UUID' else struct.pack('<' + WIDTHS[width], 1)
        data += record(number, payload)
    open(os.path.join(sys.argv[1], 'every_kind'), 'wb').write(data)


main()
