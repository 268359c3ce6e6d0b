#!/usr/bin/env python3
"""Line coverage from gcov's counts. usage: coverage.py BUILD PERCENT FOLDER... [PERCENT FOLDER...]...
Fails if a folder is below the PERCENT before it."""
import gzip
import json
import os
import subprocess
import sys
import tempfile


def counts_of(build):
    """{source: {line: executions}}, summed over all programs that hold the source."""
    notes = [os.path.abspath(os.path.join(folder, name))
             for folder, _, names in os.walk(build)
             for name in names if name.endswith('.gcno')]
    lines = {}
    with tempfile.TemporaryDirectory(prefix='aflamed-coverage-') as scratch:
        for note in notes:
            subprocess.run(['gcov', '--json-format', note], cwd=scratch, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for name in os.listdir(scratch):
                path = os.path.join(scratch, name)
                with gzip.open(path) as file:
                    report = json.load(file)
                os.remove(path)
                for source in report['files']:
                    known = lines.setdefault(os.path.normpath(source['file']), {})
                    for line in source['lines']:
                        number = line['line_number']
                        known[number] = known.get(number, 0) + line['count']
    return lines


def row(name, lines):
    hit = sum(count > 0 for count in lines)
    return 100.0 * hit / len(lines) if lines else 100.0, '%-36s %5d of %5d lines' % (name, hit, len(lines))


def main(build, wanted):
    lines = counts_of(build)
    low, percent = [], 0.0
    for folder in wanted:
        if folder.isdigit():
            percent = float(folder)
            continue
        sources = {name: found for name, found in lines.items() if name.startswith(folder + '/')}
        for name, found in sorted(sources.items()):
            share, text = row(name, found.values())
            print('  %s %6.1f %%' % (text, share))
        share, text = row(folder, [count for found in sources.values() for count in found.values()])
        print('%s   %6.1f %%' % (text, share))
        if share < percent or not sources:
            low.append('%s under %g %%' % (folder, percent))
    if low:
        print('\n'.join(low))
    return 1 if low else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1], sys.argv[2:]))
