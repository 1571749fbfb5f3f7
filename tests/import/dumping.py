"""What the import tests share: running dump_events and finding the recordings made by others."""
import os
import subprocess
import sys

SKIP = 77


def dump(program, path, *options, stdin=None):
    """(exit status, lines of stdout, stderr) of dump_events."""
    done = subprocess.run([program, *options, path], stdin=stdin, capture_output=True)
    return (done.returncode, done.stdout.decode('utf-8', 'replace').splitlines(),
            done.stderr.decode('utf-8', 'replace').strip())


def recordings():
    """The Kineto recordings and the folder of their independent calculation, or skips the test."""
    source = os.environ.get('WI_SOURCE') or os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
    root = os.environ.get('WHYIDLE_TRACES') or os.path.join(source, '..', 'shared', 'traces')
    folder = os.path.join(root, 'kineto')
    tools = os.path.join(root, '..', 'tools')
    if not os.path.isdir(folder) or not os.path.exists(os.path.join(tools, 'trace_facts.py')):
        print('skipped: no recordings at WHYIDLE_TRACES')
        sys.exit(SKIP)
    return sorted(os.path.join(folder, name) for name in os.listdir(folder)), tools


def finish(failures, checked):
    for line in failures:
        print('FAILED', line)
    print('%d checks, %d failed' % (checked, len(failures)))
    sys.exit(1 if failures or not checked else 0)
