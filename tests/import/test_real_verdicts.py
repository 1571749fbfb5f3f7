"""What the reports say about recordings made by others: the loader without workers waits for input
and its cured twin hardly does; allocations of the start are none of the loop; time before nodes of
graphs that were launched long before is not called idle.

usage: test_real_verdicts.py DUMP_EVENTS WHYIDLE"""
import json
import os
import subprocess
import sys

from dumping import dump, finish, recordings

GRAPH_GAP_NS = 50_000  # longer waits for a node of a launched graph are work that was not recorded


def report(program, path):
    done = subprocess.run([program, 'report', '--format', 'json', path], capture_output=True, check=True)
    return json.loads(done.stdout)


def share(device, name):
    part = device['subcauses'].get(name, 0) if '/' in name else device['classes'][name]
    return part / device['window']['length_ns']


def events(program, path):
    """Imported operations (start, end, correlation), spans (start, end, kind), exits of calls by
    correlation, and the correlations of graph launches."""
    ops, spans, exits, graphs = [], [], {}, set()
    for line in dump(program, path)[1]:
        word = line.split(' ')
        if word[0] == 'op':
            ops.append((int(word[1]), int(word[2]), int(word[6].split('=')[1])))
        elif word[0] == 'span':
            spans.append((int(word[1]), int(word[2]), word[4]))
        elif word[0] == 'call':
            exits[int(word[6].split('=')[1])] = int(word[2])
            if word[4] == 'class=graph-launch':
                graphs.add(int(word[6].split('=')[1]))
    return sorted(op for op in ops if op[1] > op[0]), spans, exits, graphs


def gaps(ops):
    """(start, end, correlation of the operation that ends it)."""
    reached = ops[0][0]
    for start, end, corr in ops:
        if start > reached:
            yield reached, start, corr
        reached = max(reached, end)


def untraced_ns(program, path):
    """Gaps that end with a node of a graph whose launch had returned before the gap, and those that
    end with an operation whose call is not in the file."""
    ops, _, exits, graphs = events(program, path)
    nodes = sum(end - start for start, end, corr in gaps(ops)
                if end - start > GRAPH_GAP_NS and corr in graphs and exits[corr] <= start)
    orphans = sum(end - start for start, end, corr in gaps(ops) if corr not in exits)
    return nodes, orphans


def input_ns(program, path):
    """Idle time in which a loader annotation is open."""
    ops, spans, _, _ = events(program, path)
    loader = [(a, b) for a, b, kind in spans if kind.startswith('input-')]
    return sum(max(0, min(b, end) - max(a, start)) for start, end, _ in gaps(ops) for a, b in loader)


def check_loader(dumper, program, path, low, high, is_verdict):
    said = report(program, path)
    device = said['devices'][0]
    name = os.path.basename(path)
    expected = input_ns(dumper, path) / device['window']['length_ns']
    got = share(device, 'data-loading')
    if not low < expected < high or abs(got - expected) > 0.01:
        yield '%s: data-loading is %.3f, expected %.3f' % (name, got, expected)
    if said['verdict']['id'].startswith('data-loading/') != is_verdict:
        yield '%s: the verdict is %s' % (name, said['verdict']['id'])


def check_graphs(dumper, program, path):
    said = report(program, path)
    device = said['devices'][0]
    nodes, orphans = untraced_ns(dumper, path)
    expected = (nodes + orphans) / device['window']['length_ns']
    got = share(device, 'unknown/untraced')
    if not 0.4 < nodes / device['window']['length_ns'] < 0.6 or abs(got - expected) > 0.01:
        yield 'graphs: unknown/untraced is %.3f, expected %.3f' % (got, expected)
    if said['verdict']['id'].startswith('data-loading/'):
        yield 'graphs: the verdict is %s' % said['verdict']['id']


def check_once(program, path):
    """Two cudaFree of 6.0 and 0.5 s and five cudaMalloc of 0.3 to 0.8 s, all while cuDNN and the first
    kernels are loaded; the other 25 allocations of the file take 0.1 s together."""
    said = report(program, path)
    device = said['devices'][0]
    if share(device, 'host/allocator') > 0.01 or share(device, 'warm-up/first-touch') < 0.6:
        yield 'once: host/allocator is %.3f, warm-up/first-touch %.3f' % (
            share(device, 'host/allocator'), share(device, 'warm-up/first-touch'))
    if said['verdict']['id'] == 'host/allocator' or 'host/allocator' in [f['id'] for f in said['findings']]:
        yield 'once: the verdict is %s' % said['verdict']['id']


def main():
    files, _ = recordings()
    paths = {os.path.basename(path): path for path in files}
    dumper, program = sys.argv[1:3]
    resnet = 'resnet50_v100_numworkers%d.pt.trace.json.gz'
    failures = list(check_loader(dumper, program, paths[resnet % 0], 0.27, 0.30, True))
    failures += check_loader(dumper, program, paths[resnet % 4], 0, 0.01, False)
    failures += check_graphs(dumper, program, paths['torchrec_graphs_a100_rank0of16.json.gz'])
    failures += check_once(program, paths['alexnet_a100_small.json.gz'])
    finish(failures, 8)


main()
