"""Hand-made recordings give exactly the events that were worked out by hand, plain and gzipped.

usage: test_hand_made.py DUMP_EVENTS"""
import gzip
import os
import sys
import tempfile

from dumping import dump, finish

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'data')


def differences(name, got, expected):
    """The lines that differ; control characters in names are compared as '?'."""
    got = [''.join(c if c >= ' ' else '?' for c in line) for line in got]
    for i in range(max(len(got), len(expected))):
        left = got[i] if i < len(got) else '(nothing)'
        right = expected[i] if i < len(expected) else '(nothing)'
        if left != right:
            yield '%s line %d\n   got      %s\n   expected %s' % (name, i + 1, left, right)


def main():
    failures, checked = [], 0
    for name in sorted(os.listdir(HERE)):
        if not name.endswith('.json'):
            continue
        plain = open(os.path.join(HERE, name), 'rb').read()
        expected = open(os.path.join(HERE, name[:-5] + '.expected'), encoding='utf-8').read().split('\n')[:-1]
        with tempfile.TemporaryDirectory() as folder:
            half = len(plain) // 2
            forms = {'plain': plain, 'gzip': gzip.compress(plain),
                     'two gzip members': gzip.compress(plain[:half]) + gzip.compress(plain[half:])}
            for form, data in forms.items():
                path = os.path.join(folder, 'trace')
                open(path, 'wb').write(data)
                status, lines, error = dump(sys.argv[1], path)
                checked += 1
                if status or error:
                    failures.append('%s (%s): status %d, %s' % (name, form, status, error))
                # A newline inside a name would break the line: it is the only one in the data.
                text = '\n'.join(lines).replace('(int)\n', '(int)?')
                failures += differences('%s (%s)' % (name, form), text.split('\n'), expected)
    finish(failures, checked)


main()
