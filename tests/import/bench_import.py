"""Speed of the Kineto import on a synthetic recording with the mix of a real one: of 10 events one
kernel with its call, operators, Python functions and flow arrows. Prints uncompressed MB/s.

usage: bench_import.py DUMP_EVENTS [MEGABYTES]"""
import gzip
import os
import subprocess
import sys
import tempfile
import time

GROUP = ',\n'.join([
    '{"ph": "X", "cat": "cpu_op", "name": "aten::convolution", "pid": 9, "tid": 9, "ts": %(t)d.125, "dur": 90.250, "args": '
    '{"External id": %(i)d, "Record function id": 0, "Sequence number": %(i)d, "Fwd thread id": 0, "Ev Idx": %(i)d}}',
    '{"ph": "X", "cat": "cpu_op", "name": "aten::_convolution", "pid": 9, "tid": 9, "ts": %(t)d.500, "dur": 80.0, "args": '
    '{"External id": %(i)d, "Input Dims": [[32, 64, 56, 56], [64, 64, 3, 3], [64], [], [], []], "Ev Idx": %(i)d}}',
    '{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": %(t)d.750, "dur": 6.5, "args": '
    '{"External id": %(i)d, "cbid": 211, "correlation": %(i)d}}',
    '{"ph": "s", "id": %(i)d, "pid": 9, "tid": 9, "ts": %(t)d.750, "cat": "ac2g", "name": "ac2g"}',
    '{"ph": "f", "id": %(i)d, "pid": 0, "tid": 7, "ts": %(t)d.875, "cat": "ac2g", "name": "ac2g", "bp": "e"}',
    '{"ph": "X", "cat": "kernel", "name": "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 512, true, 1, true>(cudnnTens'
    'orStruct, float const*, cudnnTensorStruct, float*, float const*, float const*, float, float, float*, float*, float*, float*, '
    'float, float)", "pid": 0, "tid": 7, "ts": %(t)d.875, "dur": 50.125, "args": {"External id": %(i)d, "queued": 0, "device": 0, '
    '"context": 1, "stream": 7, "correlation": %(i)d, "registers per thread": 32, "shared memory": 0, "blocks per SM": 4.272727, '
    '"warps per SM": 17.09091, "grid": [564, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %%": 27}}',
] + ['{"ph": "X", "cat": "python_function", "name": "torch/nn/modules/module.py(1501): _call_impl", "pid": 9, "tid": 9, "ts": '
     '%%(t)d.%d, "dur": 95.5, "args": {"Python parent id": 17, "Python id": %%(i)d, "Ev Idx": %%(i)d}}' % k for k in range(4)])


def write(path, megabytes):
    size = 0
    with open(path, 'w') as out:
        out.write('{"schemaVersion": 1, "traceEvents": [\n')
        i = 1
        while size < megabytes * 1_000_000:
            text = ',\n'.join([GROUP % {'t': 100 * k, 'i': k} for k in range(i, i + 100)]) + ',\n'
            size += len(text)
            out.write(text)
            i += 100
        out.write('{}]}\n')
    return size


def speed(program, path, size):
    best = None
    for _ in range(3):
        began = time.monotonic()
        subprocess.run([program, '--count', path], check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - began
        best = seconds if best is None or seconds < best else best
    return size / best / 1e6


def main():
    with tempfile.TemporaryDirectory() as folder:
        plain = os.path.join(folder, 'trace.json')
        size = write(plain, int(sys.argv[2]) if len(sys.argv) > 2 else 100)
        print('kineto import, plain: %.0f MB/s' % speed(sys.argv[1], plain, size))
        with open(plain, 'rb') as source, gzip.open(plain + '.gz', 'wb', compresslevel=6) as out:
            out.write(source.read())
        print('kineto import, gzip:  %.0f MB/s uncompressed' % speed(sys.argv[1], plain + '.gz', size))


main()
