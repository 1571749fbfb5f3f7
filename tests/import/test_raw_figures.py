"""Recordings made by others: per device the raw figures equal an independent calculation to 1 us,
and the classes sum to the window to the ns.

usage: test_raw_figures.py DUMP_EVENTS [WHYIDLE]"""
import json
import os
import subprocess
import sys

from dumping import dump, finish, recordings

LIMIT_NS = 1000
FIGURES = (('span_ns', 'span_ns'), ('kernel_ns', 'kernel_union_ns'), ('copy_ns', 'memcpy_union_ns'),
           ('memset_ns', 'memset_union_ns'), ('exposed_ns', 'exposed_transfer_ns'), ('idle_ns', 'idle_ns'),
           ('longest_gap_ns', 'longest_gap_ns'))


def union(intervals):
    total, end = 0, None
    for a, b in sorted(i for i in intervals if i[1] > i[0]):
        if end is None or a > end:
            total, end = total + b - a, b
        elif b > end:
            total, end = total + b - end, b
    return total


def figures(ops):
    """The raw figures of imported operations: (start, end, kind) of one device."""
    of = {kind: [(a, b) for a, b, k in ops if k == kind] for kind in ('kernel', 'copy', 'memset')}
    everything = [(a, b) for a, b, _ in ops]
    start, end = min(a for a, _ in everything), max(b for _, b in everything)
    gaps, reached = [], start
    for a, b in sorted(i for i in everything if i[1] > i[0]):
        if a > reached:
            gaps.append(a - reached)
        reached = max(reached, b)
    if end > reached:
        gaps.append(end - reached)
    kernel = union(of['kernel'])
    return {'span_ns': end - start, 'kernel_ns': kernel, 'copy_ns': union(of['copy']),
            'memset_ns': union(of['memset']), 'exposed_ns': union(everything) - kernel,
            'idle_ns': sum(gaps), 'gaps': len(gaps), 'longest_gap_ns': max(gaps, default=0),
            'ops': len(ops)}


def imported(program, path):
    """Raw figures by device from the events of an import, and what was lost."""
    status, lines, error = dump(program, path)
    if status:
        return None, 0, error
    by_device, lost = {}, 0
    for line in lines:
        word = line.split(' ')
        if word[0] == 'op':
            by_device.setdefault(word[4].split('=')[1], []).append((int(word[1]), int(word[2]), word[3]))
        if word[0] == 'loss' and 'device operations' in line:
            lost += int(word[2].split('=')[1])
    return {device: figures(ops) for device, ops in by_device.items()}, lost, ''


def compare(name, got, facts):
    for mine, theirs in FIGURES:
        if abs(got[mine] - facts[theirs]) > LIMIT_NS:
            yield '%s: %s is %d, expected %d' % (name, mine, got[mine], facts[theirs])
    if got['gaps'] != facts['idle_gaps']:
        yield '%s: %d gaps, expected %d' % (name, got['gaps'], facts['idle_gaps'])


def check_import(program, path, facts):
    name = os.path.basename(path)
    got, lost, error = imported(program, path)
    if got is None:
        return ['%s: refused: %s' % (name, error)]
    failures = []
    if sorted(got) != sorted(facts['devices']):
        failures.append('%s: devices %s, expected %s' % (name, sorted(got), sorted(facts['devices'])))
    for device in set(got) & set(facts['devices']):
        failures += compare('%s import, device %s' % (name, device), got[device], facts['devices'][device])
        if got[device]['ops'] != facts['devices'][device]['ops']:
            failures.append('%s: %d operations, expected %d' % (name, got[device]['ops'],
                                                               facts['devices'][device]['ops']))
    if lost != sum(facts['dropped_ops'].values()):
        failures.append('%s: %d operations lost, expected %s' % (name, lost, facts['dropped_ops']))
    return failures


def check_report(program, path, facts):
    name = os.path.basename(path)
    done = subprocess.run([program, 'report', '--format', 'json', path], capture_output=True)
    if done.returncode:
        return ['%s: report ended with status %d: %s' % (name, done.returncode, done.stderr.decode()[:200])]
    report = json.loads(done.stdout)
    used = {str(d['id']): d for d in report['devices'] if d.get('window')}
    failures = []
    if sorted(used) != sorted(facts['devices']):
        failures.append('%s: reported devices %s, expected %s' % (name, sorted(used), sorted(facts['devices'])))
    for key in set(used) & set(facts['devices']):
        device = used[key]
        failures += compare('%s report, device %s' % (name, key), device['timeline'], facts['devices'][key])
        length = device['window']['length_ns']
        total = sum(device['classes'].values())
        if total != length or length != device['window']['end_ns'] - device['window']['start_ns']:
            failures.append('%s: classes sum to %d, the window is %d' % (name, total, length))
    return failures


def main():
    paths, tools = recordings()
    sys.path.insert(0, tools)
    import trace_facts
    failures = []
    for path in paths:
        facts = trace_facts.facts(path)
        failures += check_import(sys.argv[1], path, facts)
        if len(sys.argv) > 2:
            failures += check_report(sys.argv[2], path, facts)
    finish(failures, len(paths))


main()
