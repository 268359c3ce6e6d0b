"""aflamed check: runs judged against a baseline, from files, folders, archives and traces in two files."""
import json
import os
import random
import re
import unittest

import test_cli
import test_diff
from test_lanes import system_trace
from test_packed import zipped


def run(seed, slow=100, noise=1):
    """A trace of ten milliseconds, of which com.app.Feed.bind takes two, in percent of that."""
    r = random.Random(seed)

    def cost(us, percent=100):
        return round(us * percent / 100 * r.gauss(1, noise / 100))

    recording = test_diff.Recording(threads=((1, 'main'), (2, 'worker')))
    recording.call(1, 'com.app.Main.run', cost(5000), [('com.app.Feed.bind(I)V', cost(2000, slow)), ('com.app.Feed.draw', cost(1000))])
    return recording.call(2, 'com.app.Work.run', cost(2000)).bytes()


class Check(test_cli.Command):
    def runs(self, name, n, **how):
        return [self.file('%s/%02d.trace' % (name, i), run('%s %d' % (name, i), **how)) for i in range(n)]

    def check(self, *arguments, **more):
        done = self.command('check', *arguments, **more)
        return done.stdout.decode()

    def answer(self, *arguments, **more):
        return json.loads(self.check('--format', 'json', *arguments, **more))

    def two_folders(self, slow=120, n=6):
        self.runs('a', n)
        self.runs('b', n, slow=slow)
        return '--baseline', self.path('a'), self.path('b')

    def test_a_slower_method_fails(self):
        sides = self.two_folders()
        text = self.check('--fail-if', 'com.app.Feed.bind>5%', '--fail-if', 'thread:worker>10%', *sides, status=3)
        self.assertTrue(text.startswith('FAIL: 6 runs against 6 of the baseline\n'), text)
        self.assertRegex(text, r'(?m)^FAIL          com\.app\.Feed\.bind>5%: com\.app\.Feed\.bind\(I\)V \+(19|2\d)')
        self.assertRegex(text, r'(?m)^PASS          thread:worker>10%: worker ')
        self.assertIn('slower:\n', text)
        self.check('--fail-if', 'com.app.Feed.bind>50%', *sides)
        self.check('--fail-if', 'com.app.Feed.bind>100us', *sides, status=3)
        self.check('--fail-if', 'com.app.Feed.bind>10ms', *sides)
        self.check('--fail-if', 'total>1%', '--baseline', self.path('b'), self.path('a'))

    def test_a_start_that_takes_longer_fails(self):
        def start(ms):
            return system_trace([(10, 'B|42|bindApplication'), (20, 'E|42'), (30, 'B|42|Choreographer#doFrame 7'), (ms, 'E|42')])
        for name, last in (('a', 40), ('b', 60)):
            for i in range(6):
                self.file('%s/%d.pb' % (name, i), start(last + i * 0.1))
        rule = ('--fail-if', 'step:start>5%', '--baseline', self.path('a'))
        self.assertRegex(self.check(*rule, self.path('b'), status=3), r'(?m)^FAIL +step:start>5%: start \+6\d')
        packed = self.file('b.zip', zipped(*(('%d.pb' % i, start(60 + i * 0.1)) for i in range(6))))
        self.assertRegex(self.check(*rule, packed, status=3), r'(?m)^FAIL +step:start>5%: start \+6\d')

    def test_json_and_markdown(self):
        sides = self.two_folders()
        rule = 'com.app.Feed.*>5%'
        answer = self.answer('--fail-if', rule, *sides, status=3)
        self.assertEqual((answer['state'], answer['runs']), ('FAIL', {'baseline': 6, 'now': 6}))
        found = answer['rules'][0]
        self.assertEqual((found['rule'], found['state'], found['fitting'], found['failing'], found['subject']),
                         (rule, 'FAIL', 2, 1, 'com.app.Feed.bind(I)V'))
        self.assertAlmostEqual(found['change'], 0.2, delta=0.03)
        self.assertLess(found['interval'][0], found['change'])
        self.assertIn('com.app.Feed.bind(I)V', [m['method'] for m in answer['changed'] if m['sure']])
        markdown = self.check('--format', 'md', '--fail-if', rule, *sides, status=3)
        self.assertTrue(markdown.startswith('### FAIL: `com.app.Feed.*>5%`, +'), markdown)
        for line in re.findall(r'(?m)^\|.*$', markdown):
            self.assertIn(line.count('|'), (8, 7))
        self.assertEqual(markdown, self.check('--format', 'md', '--fail-if', rule, *sides, status=3))

    def test_few_runs_decide_nothing(self):
        a, b = self.file('a', run(1)), self.file('b', run(2, slow=200))
        sides = '--baseline', a, b
        answer = self.answer(*sides)
        self.assertEqual((answer['state'], answer['rules'][0]['rule']), ('INCONCLUSIVE', 'total>5%'))
        self.assertEqual(answer['rules'][0]['more'], {'runs': 3, 'of': 'each'})
        self.assertIn('run 3 more of each side', self.check(*sides))
        self.check('--strict', *sides, status=4)
        self.check('--strict', '--baseline', a, a)
        self.check('--strict', '--fail-if', 'com.app.Nothing.x>5%', '--baseline', a, a, status=4)

    def test_equal_runs_pass(self):
        a = self.file('a', run(1))
        for n in (1, 5):
            self.assertTrue(self.check('--fail-if', '*>0%', *['--baseline', a] * n, *[a] * n).startswith('PASS'))

    def test_filters_and_ranges(self):
        self.two_folders()
        sides = '--baseline', self.path('a'), self.path('b')
        self.assertEqual(self.answer('--fail-if', 'total>5%', '--ignore', 'Feed', *sides)['state'], 'PASS')
        self.assertEqual(self.answer('--fail-if', 'total>5%', '--focus', 'Feed.bind', *sides, status=3)['state'], 'FAIL')
        whole, begin = self.answer(*sides), self.answer('--to', '100', *sides)
        self.assertGreater(whole['rules'][0]['baseline'], begin['rules'][0]['baseline'])

    # ---- where runs come from ----

    def test_folders_and_archives(self):
        files = self.runs('a', 4)
        os.mkdir(self.path('a', 'more'))
        for name, content in (('notes.txt', b'Hello.\n'), ('empty', b''), ('.hidden', b'x'), ('benchmarkData.json', b'{"context": {}, "benchmarks": []}')):
            self.file('a/' + name, content)
        archive = self.file('all.zip', zipped(*[(os.path.basename(path), self.read(path)) for path in files]))
        self.assertEqual(self.answer('--baseline', self.path('a'), archive)['runs'], {'baseline': 4, 'now': 4})
        both = self.answer('--baseline', files[0], '--baseline', archive, self.path('a'), *files)
        self.assertEqual(both['runs'], {'baseline': 5, 'now': 8})
        key, _, rest = run(1).partition(b'*end\n')
        self.file('two/x.key', key + b'*end\n')
        self.file('two/x.data', rest)
        for two in ([self.path('two')], [self.path('two', 'x.key'), self.path('two', 'x.data')]):
            self.assertEqual(self.answer('--baseline', self.path('a'), *two)['runs']['now'], 1)
        self.assertEqual(self.answer('--baseline', '-', self.path('a'), stdin=run(1))['runs'], {'baseline': 1, 'now': 4})

    def test_what_cannot_be_read(self):
        a = self.file('a', run(1))
        text = self.file('notes.txt', b'Hello.\n')
        os.mkdir(self.path('none'))
        self.refused('check', '--baseline', a, text, status=1, said='notes.txt')
        self.refused('check', '--baseline', a, self.path('none'), status=1, said=['none', 'no profile in the folder'])
        self.refused('check', '--baseline', a, self.path('missing'), status=1, said='missing')
        self.file('cut/x.trace', run(1)[:100])
        self.refused('check', '--baseline', a, self.path('cut'), status=1, said='x.trace')
        for i in range(101):
            os.makedirs(self.path('many'), exist_ok=True)
            os.symlink(a, self.path('many', '%d' % i))
        self.refused('check', '--baseline', a, self.path('many'), status=2, said='There is room for 100 runs')

    def test_usage(self):
        a = self.file('a', run(1))
        folded = self.file('x.folded', b'a;b 1\n')
        for said, arguments in (('Name the runs to compare with', [a]), ('Name the runs to judge', ['--baseline', a]),
                                ('it has no >', ['--fail-if', 'total', '--baseline', a, a]),
                                ('a run does not measure this value; it has wall, cpu', ['--fail-if', 'heap_incl:total>5%', '--baseline', a, a]),
                                ('is not measured in this unit', ['--fail-if', 'total>5MiB', '--baseline', a, a]),
                                ('a run does not measure this value; it has samples', ['--baseline', a, folded]),
                                ('Only one file can be -', ['--baseline', '-', '-']),
                                ('there are txt, md, json', ['--format', 'csv', '--baseline', a, a]),
                                ('There is no option --basline', ['--basline', a, a])):
            self.refused('check', *arguments, status=2, said=said)
        before = self.read('a')
        self.refused('check', '-o', a, '--baseline', a, a, status=2, said='a')
        self.assertEqual(self.read('a'), before)
        self.check('-o', self.path('out.md'), '--format', 'md', '--baseline', a, a)
        self.assertTrue(self.read('out.md').startswith(b'### PASS: '))

    def test_hostile_names(self):
        """Names from files leave no cell, and no terminal is written to."""
        recording = test_diff.Recording().call(1, 'a.\x1b[31m|B`](x)\u202e.run', 1000).bytes()
        paths = [self.file('h%d' % i, recording) for i in range(2)]
        rule = '*>0%'
        for how in ('txt', 'md', 'json'):
            text = self.check('--format', how, '--fail-if', rule, '--baseline', *paths)
            self.assertNotRegex(text, '[\x1b\u202e]')
        self.assertEqual(self.answer('--fail-if', rule, '--baseline', *paths)['rules'][0]['fitting'], 1)


if __name__ == '__main__':
    unittest.main()
