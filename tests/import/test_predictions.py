"""What the replay says about recordings made by others. The run itself must come out right, the
trainings' answers must be what their recordings show in other ways, and the loader without workers
is held against the recording of the same job that has four.

usage: test_predictions.py DUMP_EVENTS WHYIDLE"""
import json
import os
import statistics
import subprocess
import sys

from dumping import dump, finish, recordings

MOST_ERROR, MOST_UNEXPLAINED = 0.01, 0.05
FEW_OPS = 16  # a recording of fewer is no run to replay
GRAPHS = 'torchrec_graphs_a100_rank0of16.json.gz'  # graphs whose kernels were not all recorded
RESNET = 'resnet50_v100_numworkers%d.pt.trace.json.gz'
DDP = 'ddp_ns_resolution_v100.pt.trace.json.gz'


def report(program, path, *options):
    done = subprocess.run([program, 'report', '--format', 'json', *options, path], capture_output=True,
                          text=True, check=True)
    return json.loads(done.stdout)


def used(said):
    return [device for device in said['devices'] if device['used']]


def what_if(program, path, spec):
    return report(program, path, '--what-if', spec)['prediction']


def text_of(prediction):
    if prediction['withheld']:
        return 'withheld: ' + prediction['withheld']
    return '%.2fx (%.2fx to %.2fx)' % (prediction['speedup'], prediction['low'], prediction['high'])


def check_fidelity(name, said):
    replay = said['replay']
    if said['coverage']['ops'] < FEW_OPS or name == GRAPHS:
        if not replay['withheld']:
            yield '%s: off by %s, and nobody is told' % (name, replay['error'])
    elif replay['withheld']:
        yield '%s: withheld: %s' % (name, replay['withheld'])
    elif replay['error'] > MOST_ERROR or replay['unexplained'] > MOST_UNEXPLAINED:
        yield '%s: off by %.4f, unexplained %.4f' % (name, replay['error'], replay['unexplained'])


def check_between(name, what, prediction, low, high):
    print('%s, %s: %s' % (name, what, text_of(prediction)))
    if prediction['withheld'] or not low <= prediction['speedup'] <= high:
        yield '%s: %s is %s, expected %.2f to %.2f' % (name, what, text_of(prediction), low, high)


def steps_of(dumper, path):
    """Lengths of the profiler's steps."""
    rows = [line.split(' ') for line in dump(dumper, path)[1]]
    return [int(row[2]) - int(row[1]) for row in rows if row[0] == 'span' and row[4] == 'step']


def check_real_twin(dumper, program, without, with_four):
    """Four workers, predicted and real. What the two recordings differ in beside the waiting is shown:
    the launching thread got slower beside the workers, and two of the six steps with workers hold a
    start and a hiccup. A prediction is of the steady step, so the median steps are compared."""
    before, after = (report(program, path) for path in (without, with_four))
    spans = [used(said)[0]['timeline']['span_ns'] for said in (before, after)]
    steps = [statistics.median(steps_of(dumper, path)) for path in (without, with_four)]
    true = steps[0] / steps[1]
    prediction = what_if(program, without, 'producer-rate:x=4,by=workers')
    print('four workers: predicted %s; real: median step %.0f -> %.0f ms, %.2fx; all six steps %.0f -> '
          '%.0f ms, %.2fx' % (text_of(prediction), steps[0] / 1e6, steps[1] / 1e6, true, spans[0] / 1e6,
                              spans[1] / 1e6, spans[0] / spans[1]))
    print('  steps with four workers, ms: ' +
          ' '.join('%.0f' % (ns / 1e6) for ns in steps_of(dumper, with_four)))
    for word in ('classes', 'subcauses'):
        both = [used(said)[0][word] for said in (before, after)]
        for key in sorted(set(both[0]) | set(both[1])):
            ms = [part.get(key, 0) / 1e6 for part in both]
            if abs(ms[0] - ms[1]) >= 5:
                print('  %-40s %6.0f -> %6.0f ms' % (key, ms[0], ms[1]))
    if prediction['withheld'] or not prediction['low'] <= true <= prediction['high']:
        yield 'four workers: %.2fx lies outside %s' % (true, text_of(prediction))


def main():
    files, _ = recordings()
    paths = {os.path.basename(path): path for path in files}
    program = sys.argv[2]
    failures, checked = [], 0
    for name, path in paths.items():
        said = report(program, path)
        replay = said['replay'] or {}
        print('%-45s %s' % (name, replay.get('withheld') or 'off by %s, unexplained %s, %s calls' % (
            replay.get('error'), replay.get('unexplained'), replay.get('calls'))))
        failures += check_fidelity(name, said)
        checked += 1
    # Its host waits for the device once, for 16 ms at the end of 996: nothing to gain.
    without = paths[RESNET % 0]
    failures += check_between(RESNET % 0, 'gpu-2x', what_if(program, without, 'gpu-2x:x=2'), 0.98, 1.05)
    # 98 % busy with kernels, 1 % with copies that stay: 480 / (468 / 2 + 12) = 1.95 at most.
    failures += check_between(DDP, 'gpu-2x', what_if(program, paths[DDP], 'gpu-2x:x=2'), 1.85, 2)
    failures += check_real_twin(sys.argv[1], program, without, paths[RESNET % 4])
    finish(failures, checked + 3)


main()
