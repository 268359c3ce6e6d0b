"""What the words of a comparison say of programs whose every call is known: each sentence of random pairs is read back, and its
methods and numbers are those of a slow count over the stacks."""
import collections
import json
import os
import re
import struct
import subprocess
import tempfile
import unittest

from support import TIMEOUT_S, binary_header, text_part
from test_diff import pprof
from test_words import METHODS, NUMBER, OWN, UNITS, WAITS, Program

NAMED, MOST = 3, 0.75
CHANGE = r'([+-](?:' + NUMBER[1:-1] + '))'


class Side:
    """One side of a pair, of the threads `matched`: in us what rows did and how long they waited, and calls."""
    def __init__(self, program, with_cpu):
        self.program, self.with_cpu = program, with_cpu
        self.nodes = [(thread, stack, wall, cpu, calls) for (thread, stack), (wall, cpu, calls) in program.own.items()]

    def did(self, node):
        _, stack, wall, cpu, _ = node
        return cpu if self.with_cpu else 0 if stack[-1] in WAITS else wall

    def waited(self, node):
        return node[2] - self.did(node)

    def sum(self, threads, of, which):
        return sum(of(node) for node in self.nodes if node[0] in threads and which(node[1]))

    def bytes(self):
        if self.with_cpu:
            return self.program.bytes()
        threads = [(i + 1, name) for i, name in enumerate(self.program.threads)]
        methods = ['0x%x\t%s\t%s\t()V\tFile.java' % (i * 4, *name.rsplit('.', 1)) for i, name in enumerate(METHODS)]
        return b''.join([text_part(3, 'wall', threads, methods), binary_header(3, 10)] +
                        [struct.pack('<HII', thread, word, wall) for thread, word, _, wall in self.program.records])


class Pair:
    def __init__(self, a, b):
        self.sides = a, b
        self.matched = set(a.program.threads) & set(b.program.threads)

    def both(self, of_side):
        return of_side(self.sides[0]), of_side(self.sides[1])

    def inclusive(self, method):
        return self.both(lambda s: s.sum(self.matched, s.did, lambda stack: method in stack))

    def exclusive(self, method):
        return self.both(lambda s: s.sum(self.matched, s.did, lambda stack: stack[-1] == method))

    def within(self, outer, inner):
        """What `inner` did below the outermost `outer`."""
        return self.both(lambda s: s.sum(self.matched, s.did, lambda stack: outer in stack and inner in stack[stack.index(outer):]))

    def waits(self, method):
        return self.both(lambda s: s.sum(self.matched, s.waited, lambda stack: stack[-1] == method))

    def calls(self, method):
        return self.both(lambda s: s.sum(self.matched, lambda node: node[4], lambda stack: stack[-1] == method))

    def whole(self, side):
        return sum(node[2] for node in self.sides[side].nodes)

    def is_noise(self, method):
        change = self.inclusive(method) if method in OWN else self.exclusive(method)
        return max(self.calls(method)) < 3 and abs(change[1] - change[0]) * 1000 < max(self.whole(0), self.whole(1))

    def has_most(self, outer, inner):
        a, b = self.within(outer, inner)
        whole_a, whole_b = self.inclusive(outer)
        return a != b and (b > a) == (whole_b > whole_a) and abs(b - a) >= MOST * abs(whole_b - whole_a)

    def own(self, which):
        """The methods that a sentence about own ones names, each with the innermost that has most of its change."""
        size = lambda method: abs(self.inclusive(method)[1] - self.inclusive(method)[0])
        changed = [m for m in OWN if size(m) > 0 and not self.is_noise(m) and which(m)]
        told, named = set(), []
        for method in sorted(changed, key=lambda m: (-size(m), m)):
            most = [m for m in OWN if m != method and self.has_most(method, m)]
            if len(named) == NAMED or method in told or told & set(most):
                continue
            named.append((method, most))
            told |= {method, *most}
        return named

    def grew(self, method):
        a, b = self.inclusive(method)
        return b > a

    def is_called_more(self, method):
        (a, b), (calls_a, calls_b) = self.inclusive(method), self.calls(method)
        return self.grew(method) and 0 < calls_a < calls_b and (calls_b - calls_a) * a * 2 >= (b - a) * calls_a

    def is_longer(self, method):
        (a, b), (calls_a, calls_b) = self.inclusive(method), self.calls(method)
        return self.grew(method) and min(calls_a, calls_b) > 0 and max(calls_a, calls_b) > 1 and not self.is_called_more(method) and b * calls_a > a * calls_b


class Words(unittest.TestCase):
    def same(self, said, exact):
        """Four digits."""
        parts = said.lstrip('+-').replace(',', '').split(' ')
        value = sum(float(number) * UNITS[unit] for number, unit in zip(parts[::2], parts[1::2]))
        self.assertLessEqual(abs(value - abs(exact)), 0.0006 * abs(exact), (said, exact))
        if said[0] in '+-':
            self.assertEqual(said[0] == '-', exact < 0, (said, exact))

    def read_list(self, text):
        """NAME REST; NAME REST."""
        return [part.partition(' ')[::2] for part in text.split('; ')]

    def read_reason(self, pair, method, rest, pair_of):
        """'+1 ms (+40 %, 8 calls instead of 2)'"""
        a, b = pair_of(method)
        calls_a, calls_b = pair.calls(method)
        found = re.fullmatch(CHANGE + r' \(((?:[+-][\d.,]+ %|new|gone)?)(?:, )?([\d,]+) calls?( as before| instead of ([\d,]+))?\)', rest)
        self.assertIsNotNone(found, rest)
        self.same(found.group(1), b - a)
        percent, calls, before = found.group(2), int(found.group(3).replace(',', '')), found.group(5)
        self.assertEqual(calls, calls_b or calls_a)
        self.assertEqual(found.group(4) is not None, calls_a > 0 and calls_b > 0)
        if before is not None:
            self.assertEqual(int(before.replace(',', '')), calls_a)
        if percent in ('new', 'gone'):
            self.assertEqual((calls_b if percent == 'gone' else calls_a), 0)
        elif percent:
            exact = 100 * (b - a) / a
            self.assertLessEqual(abs(float(percent[:-2].replace(',', '')) - exact), max(0.006 * abs(exact), 0.006), (percent, exact))

    def read_own(self, pair, text, named, read):
        said = self.read_list(text)
        self.assertEqual([name for name, _ in said], [name for name, _ in named])
        for (name, rest), (_, most) in zip(said, named):
            rest, _, inner = rest.partition(', of which ')
            read(name, rest)
            self.assertEqual(inner != '', most != [])
            if inner:
                number, _, method = inner.partition(' in ')
                sizes = {m: abs(pair.within(name, m)[1] - pair.within(name, m)[0]) for m in most}
                self.assertIn(method, [m for m in most if sizes[m] == min(sizes.values())])
                self.same(number, pair.within(name, method)[1] - pair.within(name, method)[0])

    def read_more_calls(self, pair, name, rest):
        now, before, change = re.fullmatch(r'([\d,]+) times? instead of ([\d,]+) \(' + CHANGE + r'\)', rest).groups()
        self.assertEqual((int(before.replace(',', '')), int(now.replace(',', ''))), pair.calls(name))
        self.same(change, pair.inclusive(name)[1] - pair.inclusive(name)[0])

    def read_longer(self, pair, name, rest):
        now, before, change = re.fullmatch(NUMBER + ' instead of ' + NUMBER + r' \(' + CHANGE + r'\)', rest).groups()
        for said, value, calls in zip((before, now), pair.inclusive(name), pair.calls(name)):
            self.same(said, value / calls)
        self.same(change, pair.inclusive(name)[1] - pair.inclusive(name)[0])

    def read_others(self, pair, text, sign):
        change = lambda m: pair.exclusive(m)[1] - pair.exclusive(m)[0]
        changed = [m for m in METHODS if m not in OWN and m not in WAITS and change(m) * sign > 0 and not pair.is_noise(m)]
        text, _, more = text.partition('; and ')
        self.assertEqual(int(more.partition(' ')[0]) if more else 0, max(0, len(changed) - NAMED))
        said = self.read_list(text)
        sizes = sorted((change(m) * sign for m in changed), reverse=True)[:NAMED]
        self.assertEqual([change(name) * sign for name, _ in said], sizes)
        for name, rest in said:
            self.read_reason(pair, name, rest, pair.exclusive)

    def read_waits(self, pair, text):
        change = lambda m: pair.waits(m)[1] - pair.waits(m)[0]
        head, _, rest = text.partition(': ')
        a, b = (s.sum(pair.matched, s.waited, lambda _: True) for s in pair.sides)
        if 'as long as A' in head:
            self.assertEqual(a, b)
        else:
            now, by, more, before = re.match('B waited ' + NUMBER + ', ' + NUMBER + " (more|less) than A's " + NUMBER, head).groups()
            self.assertEqual(more == 'more', b > a)
            for said, exact in ((now, b), (by, b - a), (before, a)):
                self.same(said, exact)
        rest, _, others = rest.partition('; and ')
        changed = sorted((abs(change(m)) for m in METHODS if change(m) != 0), reverse=True)
        self.assertEqual(int(others.partition(' ')[0]) if others else 0, max(0, len(changed) - NAMED))
        said = self.read_list(rest)
        self.assertEqual([abs(change(name)) for name, _ in said], changed[:NAMED])
        for name, number in said:
            self.same(number, change(name))

    def read_total(self, pair, text):
        a, b = (s.sum(pair.matched, s.did, lambda _: True) for s in pair.sides)
        if text.startswith('B has'):
            self.assertEqual([s.sum(pair.matched, s.waited, lambda _: True) for s in pair.sides], [0, 0])
            a, b = pair.whole(0), pair.whole(1)
        numbers = re.findall(NUMBER, text.partition(' (')[0])
        self.same(numbers[0], b)
        if len(numbers) == 3:
            self.assertEqual('more' in text, b > a)
            self.same(numbers[1], b - a)
            self.same(numbers[2], a)
        else:
            self.assertEqual(a, b)

    def read_alone(self, pair, text):
        alone = {}
        for side, of in zip('AB', pair.sides):
            for thread in set(of.program.threads) - pair.matched:
                alone[thread] = side, sum(node[2] for node in of.nodes if node[0] == thread)
        said = re.findall(r'(\w+) \(([AB]), ' + NUMBER + r'\)', text.partition(': the thread')[2])
        self.assertEqual({name: side for name, side, _ in said}, {name: side for name, (side, us) in alone.items() if us > 0})
        for name, _, number in said:
            self.same(number, alone[name][1])

    def read_noise(self, pair, text):
        count, number = re.fullmatch(r'Left out as noise: (\d+) methods? called fewer than 3 times, ' + NUMBER + ' together', text).groups()
        changed = lambda m, pair_of: pair_of(m)[1] - pair_of(m)[0]
        left = [m for m in METHODS if m not in WAITS and pair.is_noise(m) and
                changed(m, pair.inclusive if m in OWN else pair.exclusive) != 0]
        self.assertEqual(int(count), len(left))
        self.same(number, sum(abs(changed(m, pair.exclusive)) for m in left))

    def read(self, pair, text):
        head, _, rest = text.partition(': ')
        if 'your methods' in head:
            which, read = {
                'More': (pair.grew, lambda m, rest: self.read_reason(pair, m, rest, pair.inclusive)),
                'Less': (lambda m: not pair.grew(m), lambda m, rest: self.read_reason(pair, m, rest, pair.inclusive)),
                'Called': (pair.is_called_more, lambda m, rest: self.read_more_calls(pair, m, rest)),
                'Longer': (pair.is_longer, lambda m, rest: self.read_longer(pair, m, rest))}[head.split(' ')[0]]
            self.read_own(pair, rest, pair.own(which), read)
            return head.split(' ')[0] + ' own'
        if 'self time in other methods' in head:
            self.read_others(pair, rest, 1 if head.startswith('More') else -1)
            return 'others'
        for start, read in (('B waited', self.read_waits), ('B has', self.read_total), ('Without waiting', self.read_total),
                            ('Left out of', self.read_alone), ('Left out as', self.read_noise)):
            if text.startswith(start):
                read(pair, text)
                return start
        return self.fail('nobody reads %r' % text)

    def said(self, pair, folder):
        paths = [os.path.join(folder, name) for name in 'ab']
        for path, side in zip(paths, pair.sides):
            with open(path, 'wb') as file:
                file.write(side.bytes())
        run = subprocess.run([os.environ['AFLAMED'], 'diff', '-q', '--format', 'json', '--app', 'com.example', *paths],
                             capture_output=True, timeout=TIMEOUT_S, check=True)
        return [sentence['text'] for sentence in json.loads(run.stdout)['verdict']]

    def read_back(self, seed, folder):
        with_cpu = seed % 3 > 0
        pair = Pair(Side(Program(seed), with_cpu), Side(Program(seed + 10000), with_cpu))
        kinds = []
        for text in self.said(pair, folder):
            with self.subTest(seed=seed, text=text):
                self.assertTrue(text.endswith('.'))
                kinds.append(self.read(pair, text[:-1]))
        with self.subTest(seed=seed, kinds=kinds):     # nothing is passed over
            for kind, which in (('More', pair.grew), ('Less', lambda m: not pair.grew(m)), ('Called', pair.is_called_more),
                                ('Longer', pair.is_longer)):
                self.assertEqual(kind + ' own' in kinds, pair.own(which) != [], kind)
        return kinds

    def test_sentences_of_random_pairs(self):
        with tempfile.TemporaryDirectory() as folder:
            kinds = collections.Counter(kind for seed in range(120) for kind in self.read_back(seed, folder))
        for kind in ('More own', 'Less own', 'Called own', 'Longer own', 'others', 'B waited', 'Without waiting', 'Left out of'):
            self.assertGreater(kinds[kind], 10, kinds)

    def test_what_was_allocated_counts_for_who_asked(self):
        stacks = [('main;load;malloc', 1000), ('main;load;operator new;malloc', 500), ('main;keep', 100), ('malloc', 50)]
        with tempfile.TemporaryDirectory() as folder:
            for name, by in (('a', 1), ('b', 3)):
                with open(os.path.join(folder, name), 'wb') as file:
                    file.write(pprof([(stack, bytes * by * 1024) for stack, bytes in stacks]))
            run = subprocess.run([os.environ['AFLAMED'], 'diff', '-q', '--format', 'json', *(os.path.join(folder, name) for name in 'ab')],
                                 capture_output=True, text=True, timeout=TIMEOUT_S, check=True)
        said = ' '.join(one['text'] for one in json.loads(run.stdout)['verdict'])
        self.assertIn('More in other methods themselves: load +2.93 MiB (+200 %); keep +200 KiB (+200 %); malloc +100 KiB (+200 %).', said)


if __name__ == '__main__':
    unittest.main()
