"""What a verdict says of method traces whose every call is known: each sentence of random programs is read back, and its numbers
are compared with a slow count over the calls. Read, and not compared, are the shares behind the semicolon of the headline, a headline
of no single method, own methods by CPU time alone, the sentence about idle time, and the part of a wait in its largest method."""
import collections
import json
import os
import random
import re
import struct
import subprocess
import tempfile
import unittest

from support import TIMEOUT_S, binary_header, text_part

APP, LIBRARY, ANDROID, WAIT = 'com.example.', 'okhttp3.', 'android.', 'wait'
WAITS = {'java.lang.Object.wait': 'for a lock or another thread', 'android.os.MessageQueue.next': 'for messages',
         'java.lang.Thread.sleep': 'asleep', 'android.os.BinderProxy.transact': 'for another process (binder)',
         'java.net.SocketInputStream.socketRead0': 'for a socket or a pipe'}
OWN = ['com.example.%s.%s' % pair for pair in (('Shop', 'load'), ('Shop', 'bind'), ('Cart', 'add'), ('Cart', 'total'), ('Feed', 'show'))]
OTHERS = ['okhttp3.Call.execute', 'okhttp3.Cache.get', 'android.view.View.draw', 'android.view.View.measure', 'java.util.List.sort',
          'java.util.Map.get']
METHODS = OWN + OTHERS + list(WAITS)
UNITS = {'ns': 1e-3, '\u00b5s': 1, 'ms': 1e3, 's': 1e6, 'min': 6e7}
NUMBER = r'((?:\d[\d,.]* min(?: [\d.]+ s)?)|(?:\d[\d,.]* (?:ns|\u00b5s|ms|s)))'
PERCENT = r'(<?[\d.]+) %'
NAME = r'([A-Za-z][\w.$<>]*)'
UNKNOWN = 'for something that the trace does not name, or for a CPU'


class Call:
    def __init__(self, method, begin):
        self.method, self.begin, self.inner = method, begin, []
        self.end = None


class Program:
    """Random threads: `calls` by thread, and what each stack has of its own in wall and CPU time, in us."""
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.threads = ['main', 'worker', 'HeapTaskDaemon'][:self.random.randint(1, 3)]
        self.records, self.own, self.calls = [], collections.defaultdict(lambda: [0, 0, 0]), collections.defaultdict(list)
        for number, name in enumerate(self.threads):
            self.wall = self.cpu = 0
            self.call(number, name, (), self.random.choice(OWN + OTHERS), 0)

    def spend(self, thread, stack):
        method = stack[-1]
        wall = self.random.choice((0, 30, 800, 5000, 20000)) * self.random.randint(1, 9)
        cpu = 0 if method in WAITS else self.random.choice((wall, wall, wall * 2 // 3))
        self.wall += wall
        self.cpu += cpu
        self.own[thread, stack][0] += wall
        self.own[thread, stack][1] += cpu

    def call(self, number, thread, above, method, depth):
        stack, begin = above + (method,), self.wall
        self.own[thread, stack][2] += 1
        self.records.append((number + 1, METHODS.index(method) * 4, self.cpu, self.wall))
        self.spend(thread, stack)
        for _ in range(self.random.randint(0, 4) if depth < 6 and method not in WAITS else 0):
            self.call(number, thread, stack, self.random.choice(METHODS), depth + 1)
            self.spend(thread, stack)
        self.records.append((number + 1, METHODS.index(method) * 4 + 1, self.cpu, self.wall))
        self.calls[thread, method].append((len(stack), self.wall - begin, method in above))

    def bytes(self):
        threads = [(i + 1, name) for i, name in enumerate(self.threads)]
        methods = ['0x%x\t%s\t%s\t()V\tFile.java' % (i * 4, *name.rsplit('.', 1)) for i, name in enumerate(METHODS)]
        return b''.join([text_part(3, 'dual', threads, methods), binary_header(3, 14)] +
                        [struct.pack('<HIII', *record) for record in self.records])


def waiter_of(stack):
    """The innermost method that tells what is waited for."""
    return next((method for method in reversed(stack) if method in WAITS), None)


class Count:
    """The slow count."""
    def __init__(self, program):
        self.program = program
        self.nodes = [(thread, stack, wall, cpu, calls) for (thread, stack), (wall, cpu, calls) in program.own.items()]
        self.main = [node for node in self.nodes if node[0] == 'main']
        self.total = sum(wall for _, _, wall, _, _ in self.main)
        self.cpu_of = collections.Counter()
        self.self_cpu = collections.Counter()
        self.third = collections.Counter()
        for thread, stack, _, cpu, _ in self.nodes:
            self.cpu_of[thread] += cpu
            self.self_cpu[stack[-1]] += cpu
            caller = next((m for m in reversed(stack) if m.startswith((APP, LIBRARY))), '')
            self.third[caller.startswith(LIBRARY)] += cpu
        self.cpu = sum(self.cpu_of.values())
        self.waits = collections.Counter()
        for _, stack, wall, cpu, _ in self.main:
            self.waits[WAITS.get(waiter_of(stack), UNKNOWN)] += wall - cpu

    @staticmethod
    def took(node):
        _, stack, wall, cpu, _ = node
        return cpu if waiter_of(stack) == 'android.os.MessageQueue.next' else wall

    def inclusive(self, method, count):
        """Of main: each stack counts once."""
        return sum(count(node) for node in self.main if method in node[1])

    def calls_of(self, method):
        """The outermost ones of main."""
        return sum(calls for _, stack, _, _, calls in self.main if stack[-1] == method and method not in stack[:-1])

    def innermost_own(self, method):
        return sum(self.took(node) for node in self.main if next((m for m in reversed(node[1]) if m.startswith(APP)), '') == method)

    def outermost_own(self, method):
        return sum(self.took(node) for node in self.main if next((m for m in node[1] if m.startswith(APP)), '') == method)

    def self_on_main(self, method):
        return sum(self.took(node) for node in self.main if node[1][-1] == method)

    def share(self, kind):
        def kind_of(stack):
            return APP if any(m.startswith(APP) for m in stack) else LIBRARY if any(m.startswith(LIBRARY) for m in stack) else ANDROID
        return sum(cpu for _, stack, _, cpu, _ in self.main if kind_of(stack) == kind)

    def lengths(self, method):
        return sorted((length for _, length, _ in self.program.calls['main', method]), reverse=True)


class Words(unittest.TestCase):
    def number(self, said, exact):
        """Three digits, rounded."""
        parts = said.replace(',', '').split(' ')
        value = sum(float(number) * UNITS[unit] for number, unit in zip(parts[::2], parts[1::2]))
        number, unit = parts[-2], parts[-1]
        digits = len(number.partition('.')[2])
        step = UNITS[unit] / 10 ** digits if '.' in number or len(number) < 3 else UNITS[unit]
        self.assertLessEqual(abs(value - exact), step * 0.51, (said, exact))

    def percent(self, said, part, whole):
        exact = 100 * part / whole
        if said == '<0.01':
            return self.assertTrue(0 < exact < 0.01, (said, exact))
        if said == '99.9':     # nothing but the whole is 100 %
            return self.assertTrue(99.85 <= exact < 100, (said, exact))
        digits = len(said.partition('.')[2])
        step = 10 ** -digits if digits > 0 else 0.01 if exact < 10 else 0.1     # zeros at the end are left out
        return self.assertLessEqual(abs(float(said) - exact), step * 0.51, (said, exact))

    def matched(self, pattern, text):
        found = re.fullmatch(pattern, text)
        self.assertIsNotNone(found, '%r does not read as %r' % (text, pattern))
        return found.groups()

    def list_of(self, text, words, whole_words, count, whole):
        """'words A 1 ms (2 % of whole), B 3 ms (4 %).'"""
        first = self.matched(words + NAME + ' ' + NUMBER + r' \(' + PERCENT + whole_words + r'\)(.*)\.', text)
        rest = re.findall(', ' + NAME + ' ' + NUMBER + r' \(' + PERCENT + r'\)', first[-1])
        self.assertEqual(first[-1], ''.join(', %s %s (%s %%)' % each for each in rest))
        names = [first[0]] + [each[0] for each in rest]
        for name, number, percent in [(first[0], first[1], first[2])] + rest:
            self.number(number, count(name))
            self.percent(percent, count(name), whole)
        return names

    def of_main(self, c, text, words, count):
        names = self.list_of(text, words, " of main's " + NUMBER.replace('(', '(?:', 1), count, c.total)
        self.number(re.search("of main's " + NUMBER, text).group(1), c.total)
        return names

    def of_all(self, c, text, words, count):
        threads = ' of all threads' if len(c.program.threads) > 1 else ''
        names = self.list_of(text, words, ' of the ' + NUMBER.replace('(', '(?:', 1) + ' of CPU time' + threads, count, c.cpu)
        self.number(re.search('of the ' + NUMBER + ' of CPU', text).group(1), c.cpu)
        return names

    # One function for each rule; what has none here fails the test.

    def say_headline(self, c, text):
        if text.startswith('No single'):
            return self.matched('No single method stands out; ' + NAME + ' has the most self time, .*', text)
        name, took, percent, total, calls, rest = self.matched(
            NAME + ' took ' + NUMBER + r' \(' + PERCENT + " of main's " + NUMBER + r'\), in ([\d,]+) calls?(.*)\.', text)
        self.number(took, c.inclusive(name, c.took))
        self.percent(percent, c.inclusive(name, c.took), c.total)
        self.number(total, c.total)
        self.assertEqual(int(calls.replace(',', '')), c.calls_of(name))
        cpu = re.match(', ' + NUMBER + ' of it on a CPU', rest)
        if cpu:
            self.number(cpu.group(1), c.inclusive(name, lambda node: node[3]))
            rest = rest[cpu.end():]
        return self.matched(r'(?:; ' + PERCENT + ' of that in ' + NAME + '(?:, ' + PERCENT + ' in ' + NAME + ')?(?:, which it calls)?)?', rest)

    def say_busy(self, c, text):
        running, waiting = sum(cpu for _, _, _, cpu, _ in c.main), sum(c.waits.values())
        total, run, run_percent, wait, wait_percent, messages = self.matched(
            "Of main's " + NUMBER + '(?:: ' + NUMBER + r' on a CPU \(' + PERCENT + r'\))?(?:[,:] ' + NUMBER + r' waiting \(' + PERCENT +
            r'\)(?:, of which ' + NUMBER + ' for messages|, all of it for messages)?)?' + r'\.', text)
        self.number(total, c.total)
        self.assertEqual((run is not None, wait is not None), (running > 0, waiting > 0))
        for said, percent, exact in ((run, run_percent, running), (wait, wait_percent, waiting)):
            if said is not None:
                self.number(said, exact)
                self.percent(percent, exact, c.total)
        if messages is not None:
            self.number(messages, c.waits['for messages'])
        self.assertEqual('for messages' in text, c.waits['for messages'] > 0)

    def say_split(self, c, text):
        whole, *percents = self.matched("Of main's " + NUMBER + r' on a CPU, your code \(com\.example\) caused ' + PERCENT + ', libraries alone ' +
                                        PERCENT + ', (?:Android alone|all else) ' + PERCENT + r'\.', text)
        running = sum(cpu for _, _, _, cpu, _ in c.main)
        self.number(whole, running)
        for said, kind in zip(percents, (APP, LIBRARY, ANDROID)):
            self.percent(said, c.share(kind), running)

    def say_own_methods(self, c, text):
        if 'took the most time' in text:
            self.of_main(c, text, 'Your methods that took the most time, each with the other code it calls: ', c.innermost_own)
        else:
            self.assertTrue(text.startswith('Your methods that used the most CPU time, '))

    def say_own_entries(self, c, text):
        self.of_main(c, text, 'Entry points into your code that took the most time: ', c.outermost_own)

    def say_largest(self, c, text):
        waits = re.search(r', (?:' + NUMBER + r'|all) of it waiting(?=\.$)', text)
        plain = text.replace(waits.group(0), '') if waits else text
        name, = self.of_main(c, plain, 'Most self time on main: ', c.self_on_main)
        self.assertEqual(c.self_on_main(name), max(map(c.self_on_main, METHODS)))
        exact = sum(wall - cpu for _, stack, wall, cpu, _ in c.main if stack[-1] == name and waiter_of(stack) != 'android.os.MessageQueue.next')
        if waits and waits.group(1):
            self.number(waits.group(1), exact)
        elif waits:
            self.assertEqual(exact, c.self_on_main(name))

    def say_self(self, c, text):
        names = self.of_all(c, text, 'Most self time on a CPU: ', lambda name: c.self_cpu[name])
        self.assertEqual([c.self_cpu[name] for name in names], sorted(c.self_cpu.values(), reverse=True)[:len(names)])

    def say_library_packages(self, c, text):
        self.assertEqual(self.of_all(c, text, 'Libraries that used the most CPU time: ', lambda _: c.third[True]), ['okhttp3'])

    def say_threads(self, c, text):
        names = self.of_all(c, text, 'Most CPU time besides main: ', lambda name: c.cpu_of[name])
        self.assertNotIn('main', names)

    def say_gc(self, c, text):
        number, percent, whole = self.matched('Collecting garbage used ' + NUMBER + r' \(' + PERCENT + ' of the ' + NUMBER +
                                              r" of CPU time of all threads\), on the runtime's threads\.", text)
        self.number(number, c.cpu_of['HeapTaskDaemon'])
        self.percent(percent, c.cpu_of['HeapTaskDaemon'], c.cpu)
        self.number(whole, c.cpu)

    def say_outlier(self, c, text):
        name, longest, bound, next_one, calls = self.matched('One call of ' + NAME + ' took ' + NUMBER + '; none of the others on main took (more than|as much as) ' +
                                               NUMBER + r'\. It was called ([\d,]+) times in all\.', text)
        self.number(longest, c.lengths(name)[0])
        if bound == 'more than':
            self.number(next_one, c.lengths(name)[1])
        self.assertEqual(int(calls), sum(calls for _, stack, _, _, calls in c.nodes if stack[-1] == name))

    def say_wait(self, c, text):
        number, total, percent, cause, rest = self.matched('main waited ' + NUMBER + ' of its ' + NUMBER + r' \(' + PERCENT + r'\) (' +
                                                           '|'.join(map(re.escape, [*WAITS.values(), UNKNOWN])) + r')(.*)\.', text)
        self.number(number, c.waits[cause])
        self.number(total, c.total)
        self.percent(percent, c.waits[cause], c.total)
        calls = re.match(r', in ([\d,]+) calls?', rest)
        if calls:
            method = next(name for name, words in WAITS.items() if words == cause)
            self.assertEqual(int(calls.group(1)), c.calls_of(method))
        longest = re.search('the longest ' + NUMBER, rest)
        if longest:
            method = next(name for name, words in WAITS.items() if words == cause)
            self.number(longest.group(1), c.lengths(method)[0])

    def say_network_on_main(self, c, text):
        number, total, percent, method, _ = self.matched('main spent ' + NUMBER + ' of its ' + NUMBER + r' \(' + PERCENT + r'\) on the network, in ' +
                                                         NAME + '(, called by ' + NAME.replace('(', '(?:') + r')?\. Requests belong on another thread\.', text)
        self.number(number, c.inclusive(method, c.took))
        self.number(total, c.total)
        self.percent(percent, c.inclusive(method, c.took), c.total)

    RULES = {'waits-for-lock': say_wait, 'waits-asleep': say_wait, 'waits-for-socket': say_wait, 'waits-for-binder': say_wait,
             'waits-unknown': say_wait}

    def read_back(self, seed):
        program = Program(seed)
        with tempfile.NamedTemporaryFile(suffix='.trace') as file:
            file.write(program.bytes())
            file.flush()
            run = subprocess.run([os.environ['AFLAMED'], 'verdict', '-q', '--format', 'json', '--app', 'com.example', file.name],
                                 capture_output=True, timeout=TIMEOUT_S, check=True)
        count, said = Count(program), json.loads(run.stdout)['sentences']
        for sentence in said:
            rule, text = sentence['rule'], sentence['text']
            with self.subTest(seed=seed, text=text):
                if rule == 'idle':
                    self.assertLess(count.cpu, count.total)
                    continue
                read = self.RULES[rule] if rule in self.RULES else getattr(Words, 'say_' + rule.replace('-', '_'))
                read(self, count, text)
        return [sentence['rule'] for sentence in said]

    def said_of(self, content):
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            return subprocess.run([os.environ['AFLAMED'], 'verdict', '-q', file.name], capture_output=True, timeout=TIMEOUT_S, check=True).stdout.decode()

    def test_bottom_of_javascript_is_no_headline(self):
        """That all is above (root) says nothing; that most is above what it calls does."""
        said = self.said_of(b'(root);one 3\n(root);two 2\n(root);three 2\n')
        self.assertTrue(said.startswith('No single method stands out; one has the largest self value, 3 (42.9 % of the 7 samples).\n'), said)
        self.assertTrue(self.said_of(b'(root);one 9\n(root);two 2\n').startswith('one accounts for 9 (81.8 % of the 11 samples).\n'))

    def test_functions_of_scripts_have_no_packages(self):
        """V8 names a function by the object that it was assigned to, which is nobody's package."""
        nodes = [{'id': i + 1, 'callFrame': {'functionName': name, 'url': 'https://a.example/app.js', 'lineNumber': i}, 'children': [i + 2][:i < 2]}
                 for i, name in enumerate(('(root)', 'Object.create.setAttribute.value', 'module.exports.Component'))]
        said = self.said_of(json.dumps({'nodes': nodes, 'startTime': 0, 'endTime': 9000, 'samples': [2, 3], 'timeDeltas': [0, 4000]}).encode())
        self.assertTrue(said.startswith('module.exports.Component took 5 ms (100 % of the 5 ms).\n'), said)
        self.assertNotIn('your code', said)
        self.assertNotIn('Libraries', said)

    def test_shares_say_that_they_are_of_time_in_methods(self):
        """The thread used 20 ms, 5 of them in no method."""
        methods = ['0x%x\tandroid.view.View\t%s\t()V\tView.java' % (i * 4, name) for i, name in enumerate(('draw', 'measure'))]
        records = (0, 0), (1, 10000), (4, 15000), (5, 20000)
        said = self.said_of(b''.join([text_part(3, 'thread-cpu', [(1, 'worker')], methods), binary_header(3, 10)] +
                                     [struct.pack('<HII', 1, *record) for record in records]))
        self.assertIn('worker used 20 ms of CPU time; ', said)
        self.assertIn('Most self time on a CPU: android.view.View.draw 10 ms (66.7 % of the 15 ms of CPU time in methods), '
                      'android.view.View.measure 5 ms (33.3 %).', said)

    def test_nothing_to_say_is_said(self):
        trace = b''.join([text_part(3, 'dual', [(1, 'main')], []), binary_header(3, 14)])
        self.assertEqual(self.said_of(trace + struct.pack('<HIII', 1, 4, 0, 0) + struct.pack('<HIII', 1, 5, 0, 0)), 'Nothing stands out.\n')

    def said_of_main(self, outer, inner, calls):
        """Of a main thread in one method that calls another one: (time in outer, then in inner) by call, in us."""
        records, wall = [(0, 0)], 0
        for before, length in calls:
            records += [(4, wall + before), (5, wall + before + length)]
            wall += before + length
        records.append((1, wall + 5000))
        methods = ['0x%x\t%s\t%s\t()V\tFile.java' % (i * 4, *name.rsplit('.', 1)) for i, name in enumerate((outer, inner))]
        trace = [text_part(3, 'wall', [(1, 'main')], methods), binary_header(3, 10)]
        return self.said_of(b''.join(trace + [struct.pack('<HII', 1, method, at) for method, at in records]))

    def test_longest_of_short_waits(self):
        """A wait of 3 ms stands alone; the longest one, of 12 ms, stands between others."""
        said = self.said_of_main('com.example.Shop.load', 'java.lang.Object.wait', ((50000, 3000), (50000, 11000), (0, 12000), (0, 9000)))
        self.assertIn(' in 4 calls, the longest 12 ms', said)

    def test_most_of_a_short_message(self):
        """What took most of a message of 20 ms took less than a frame of the screen, and stands beside another call."""
        said = self.said_of_main('android.os.Handler.dispatchMessage', 'com.example.Shop.bind', ((0, 2000), (0, 13000)))
        self.assertIn('the longest took 20 ms and ran com.example.Shop.bind.', said)

    def test_sentences_of_random_programs(self):
        rules = collections.Counter(rule for seed in range(120) for rule in self.read_back(seed))
        for rule in 'headline', 'busy', 'split', 'own-methods', 'largest', 'self', 'threads', 'gc', 'waits-for-lock', 'waits-asleep', 'waits-for-binder':
            self.assertGreater(rules[rule], 3, rule)


if __name__ == '__main__':
    unittest.main()
