"""Ranges of time on the command line: the parts of a recording add up to the whole."""
import collections
import glob
import json
import os
import subprocess
import tempfile
import unittest

from support import AFLAMED


def run(*arguments, status=0, **more):
    done = subprocess.run([AFLAMED, *arguments], capture_output=True, **more, check=False, timeout=120)
    assert done.returncode == status, (arguments, done.returncode, done.stderr[:500])
    return done


def folded(file, value, *arguments):
    done = run('render', file, '--output', 'folded', '--track', 'all', '--value', value, *arguments)
    lines = (line.rsplit(' ', 1) for line in done.stdout.decode().splitlines())
    return collections.Counter({stack: int(count) for stack, count in lines})


def between(begin, end):
    return (['--from', str(begin)] if begin is not None else []) + (['--to', str(end)] if end is not None else [])


class RangeParts(unittest.TestCase):
    def parts_add_up(self, file, values, cuts, rounded=0):
        """`rounded`: how much less a stack may have in all parts, where times are no whole microseconds."""
        for value in values:
            whole, parts = folded(file, value), collections.Counter()
            for begin, end in zip([None] + cuts, cuts + [None]):
                parts += folded(file, value, *between(begin, end))
            for stack in whole | parts:
                less = whole[stack] - parts[stack]
                self.assertTrue(0 <= less <= (rounded if value != 'calls' else 0), (file, value, stack, less))

    def test_parts_add_up(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, 'demo.trace')
            run('demo', '-o', file)
            self.parts_add_up(file, ('wall', 'cpu', 'calls'), [1, 5000, 77777, 300000])

    @unittest.skipUnless(os.environ.get('AFLAMED_SAMPLES'), 'needs AFLAMED_SAMPLES')
    def test_parts_of_samples_add_up(self):
        files = sorted(glob.glob(os.path.join(os.environ['AFLAMED_SAMPLES'], 'samples', 'art*', '*.trace')))
        self.assertGreater(len(files), 0)
        for file in files:
            info = subprocess.run([AFLAMED, 'info', '--json', file], capture_output=True, check=False, timeout=60)
            if info.returncode == 0:
                values = [value['name'] for value in json.loads(info.stdout)['values']]
                self.parts_add_up(file, values, [3, 240, 100000, 2000000], 5 if 'art-variants' in file else 0)
