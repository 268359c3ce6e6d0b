"""Part of the oracle suite: the words about a start. The headline names what it took most, of starts that are generated with a
known cause; and each number in the words is what a slow count over the states and sections of the reference reader gives."""
import json
import os
import random
import re
import tempfile
import types
from collections import defaultdict

import cases
from result import FAILED, PASSED, Result

MS = 1_000_000
SEEDS = 8
UNITS = {'ns': 1, 'µs': 1_000, 'ms': MS, 's': 1000 * MS, 'min': 60_000 * MS}
NUMBER = r'([\d.,]+) (ns|µs|ms|s|min)'
WORDS = {'running': 'running', 'runnable': 'waiting for a CPU', 'io': 'waiting for input or output', 'lock': 'waiting for a lock',
         'binder': 'waiting for other processes to answer', 'gc': 'waiting for the garbage collector', 'sleeping': 'asleep',
         'blocked': 'blocked in the kernel', 'unknown': 'in an unknown state'}
LOCK = re.compile(r'monitor contention with |Lock contention on |Contending for pthread mutex')
GC = re.compile(r'GC: Wait For|Waiting for GC|WaitForGcToComplete|.* GC$')
LATE_NS = 16_700_000

# What the headline begins with, and what it names.
EXPECTED = {'cpu': ('runnable', ''), 'io': ('io', 'LoadApkAssets'),
            'lock': ('lock', 'that Holder held in com.example.shop.FeatureFlags.load, within FeatureFlags.get'),
            'binder': ('binder', 'binder transaction to system_server, within Settings.read'),
            'gc': ('gc', 'GC: Wait For Completion Alloc'), 'own': ('running', 'Analytics.init'), 'inflate': ('running', 'inflate')}


def module(folder, name):
    """A script of the reference, without its last line, which runs it."""
    path = os.path.join(folder, 'oracle', name)
    with open(path, encoding='utf-8') as f:
        text = f.read().rstrip()
    made = types.ModuleType(name[:-3])
    made.__dict__['__name__'] = name[:-3]
    exec(compile(text.removesuffix('\nmain()'), path, 'exec'), made.__dict__)
    return made


# ---- starts with a known cause ----

def program(g, s, most, r):
    """The app's main thread: all that may take time takes some, and one of them most."""
    def ns(cause):
        return int((r.uniform(60, 130) if cause == most else r.uniform(1, 6)) * MS)

    def nothing(duration):
        yield ('sleep', duration)

    def hold():
        yield ('rename', 'Holder')
        yield ('lock', 'flags')
        yield ('sleep', ns('lock') + MS)
        yield ('unlock', 'flags')

    def hog():
        for _ in range(30 if most == 'cpu' else 1):
            yield ('run', 5 * MS)

    def view(left):
        yield ('B', r.choice(['TextView', 'ImageView', 'LinearLayout']))
        yield ('run', left // 3)
        yield ('E',)

    def frame(number, duration):
        yield from g.sl('Choreographer#doFrame %d' % number, g.sl('traversal', g.run(duration)))

    def main():
        yield ('rename', 'com.example.shop')
        yield from g.sl('ActivityThreadMain', g.run(MS))
        yield ('spawn', g.Thread(9201, g.APP, 'Holder', hold()))
        for k in range(8):
            yield ('spawn', g.Thread(9210 + k, g.APP, 'Worker-%d' % k, hog()))
        yield ('B', 'bindApplication')
        yield from g.sl('LoadApkAssets(/data/app/base.apk)', g.both(g.run(MS), iter([('io', ns('io'), 4)])))
        yield ('B', 'App.onCreate')
        yield from g.sl('Analytics.init', g.run(ns('own') + 2 * MS))
        yield from g.sl('FeatureFlags.get', g.contended(s, None, 'flags', 'FeatureFlags', g.run(MS // 4)))
        yield from g.sl('Settings.read', g.call(g.SS, lambda: nothing(ns('binder'))))
        yield from g.sl('GC: Wait For Completion Alloc', nothing(ns('gc')))
        yield ('E',)
        yield ('E',)
        yield ('B', 'activityStart')
        left = ns('inflate')
        yield from g.sl('inflate', g.both(*(view(left) for _ in range(3))))
        yield ('E',)
        yield from frame(7, 2 * MS)
        for k in range(9):
            yield ('sleep', 3 * MS)
            yield from frame(8 + k, int(r.uniform(1, 30) * MS))
    return main()


def generate(g, cause, seed, path):
    o = dict(seed=seed, events=20000, cpus=2, kernel='5.10.107-android13', ring=0, repeat=1)
    s = g.Sim(o, set())
    for thread in (g.Thread(1210, g.SS, 'Binder:1200_1', g.server(s, g.SS)),
                   g.Thread(g.APP, g.APP, 'com.example.shop'[-15:], program(g, s, cause, random.Random(seed)))):
        s.add(thread)
        thread.state, thread.block = 'blocked', 'S'
        s.at(g.START + 100_000 * (1 + thread.tid % 7), 'timer', thread.tid)
    s.run(o['events'])
    with open(path, 'wb') as f:
        f.write(g.write(s, o, set()))


# ---- the slow count ----

def part_of(kind, stack):
    if kind in ('running', 'runnable', 'io'):
        return kind
    for name in reversed(stack if kind in ('sleeping', 'blocked') else []):
        if LOCK.match(name):
            return 'lock'
        if name == 'binder transaction':
            return 'binder'
        if GC.match(name):
            return 'gc'
    return kind if kind in WORDS else 'unknown'


def main_of(reading):
    """The app's main thread: its sections, its states, and the states of the others."""
    u = next(u for u, t in enumerate(reading.p.threads) if t['tid'] == 9001)
    states = reading.intervals()
    return [x for x in reading.sl.all if x.track == ('thread', u)], states.pop(u), states.values()


def rivals(states, others):
    """How long the others ran while the main thread waited for a CPU, the longest first."""
    waited = [(a, b) for a, b, kind in states if kind == 'runnable']
    ran = [sum(max(0, min(b, y) - max(a, x)) for a, b, kind in other if kind == 'running' for x, y in waited) for other in others]
    return sorted(filter(None, ran), reverse=True)


def sums(sections, states, begin, end):
    edges = sorted({e for x in sections for e in (x.ts, x.ts + x.dur) if begin < e < end} | {begin, end})
    by_part = defaultdict(int)
    for a, b, kind in states:
        a, b = max(a, begin), min(b, end)
        cuts = [a, *(e for e in edges if a < e < b), b] if a < b else []
        for x, y in zip(cuts, cuts[1:]):
            stack = [q.name for q in sections if q.ts <= x and (q.dur < 0 or q.ts + q.dur >= y) and q.dur != 0]
            by_part[part_of(kind, stack)] += y - x
    return by_part


# ---- the words ----

def ns_of(number, unit):
    return float(number.replace(',', '')) * UNITS[unit]


def same(said, exact):
    """Three digits are said."""
    digits = len(str(int(exact / UNITS['ns']))) - 3 if exact >= 1000 else 0
    return abs(said - exact) <= 0.501 * 10 ** max(digits, 0)


def check_number(text, pattern, exact):
    match = re.search(pattern, text)
    if match is None:
        raise cases.Wrong('%r is not said, %d ns: %s' % (pattern, exact, text))
    if not same(ns_of(match.group(1), match.group(2)), exact):
        raise cases.Wrong('%r is %s %s, expected %d ns: %s' % (pattern, match.group(1), match.group(2), exact, text))


def check_parts(text, by_part, whole):
    rest = 0
    largest = max(by_part.values())
    for part, exact in by_part.items():
        if exact >= whole // 100 or exact == largest:
            check_number(text, NUMBER + ' ' + re.escape(WORDS[part]) + r' \(', exact)
        else:
            rest += exact
            if WORDS[part] + ' (' in text:
                raise cases.Wrong('%r is %d ns, too little to be said: %s' % (part, exact, text))
    if rest > 0:
        check_number(text, NUMBER + ' in other states', rest)


# ---- who ended the longest wait ----

WAITS = ('sleeping', 'blocked', 'io')


def waits_of(intervals):
    """Times of waiting without a gap, each with its first state."""
    found = []
    for a, b, kind in intervals:
        if kind in WAITS and found and found[-1][1] == a:
            found[-1] = (found[-1][0], b, found[-1][2])
        elif kind in WAITS:
            found.append((a, b, kind))
    return found


def section_at(reference, reading, u, time):
    """The innermost section of the thread just behind that time, or None."""
    open_ones = [x for x in reading.sl.all if x.track == ('thread', u) and x.ts <= time and (x.dur < 0 or x.ts + x.dur > time)]
    return reference.norm_name(max(open_ones, key=lambda x: x.depth).name) if open_ones else None


def waker_of(reading, u, time):
    return next((x.waker for x in reading.states if x.u == u and x.ts == time and x.state == 'R' and x.waker is not None), None)


def chain(reference, reading, u):
    """The longest wait of the thread in a section, its section, and up to three steps: (waker, section, ran, runnable, wait, its section)."""
    states = reading.intervals()
    waits = [w for w in waits_of(states[u]) if section_at(reference, reading, u, w[0]) is not None]
    if not waits:
        return None
    longest = max(waits, key=lambda w: w[1] - w[0])
    woken, time, steps = u, longest[1], []
    while len(steps) < 3:
        waker = waker_of(reading, woken, time)
        if waker is None or reading.p.threads[waker]['tid'] == 0:
            steps.append((waker,))
            break
        clipped = [(max(a, longest[0]), min(b, time), kind) for a, b, kind in states[waker] if a < time and b > longest[0]]
        waited = waits_of(clipped)
        since = waited[-1][1] if waited else longest[0]
        ran, runnable = (sum(b - a for a, b, kind in clipped if kind == one and a >= since) for one in ('running', 'runnable'))
        steps.append((waker, section_at(reference, reading, waker, time - 1), ran, runnable, waited[-1] if waited else None,
                      section_at(reference, reading, waker, waited[-1][0]) if waited else None))
        if not waited:
            break
        woken, time = waker, waited[-1][1]
    return longest, section_at(reference, reading, u, longest[0]), steps


def name_words(section):
    """A pattern of how a section is called: a transaction says whom it asks."""
    return re.escape(section) + ('(?: to .+?)?' if section == 'binder transaction' else '')


def chain_words(found):
    """The sentence as a pattern, and the numbers in it."""
    (begin, end, kind), section, steps = found
    words, numbers = r'^The longest wait of main in a section: it was %s for %s, in %s' % (WORDS[kind], NUMBER, name_words(section)), [end - begin]
    for i, (waker, *step) in enumerate(steps):
        if waker is None:
            break
        words += r'\. ' if i == 0 else ', until '
        words += '%s %s' % ('.+?' if step else 'An interrupt' if i == 0 else 'an interrupt', 'ended it' if i == 0 else 'woke it')
        if not step:
            break
        at, ran, runnable, wait, within = step
        words += ', in ' + name_words(at) if at is not None else ''
        words += ', having ' if ran or runnable else ''
        words += 'run for ' + NUMBER if ran else ''
        words += (' and ' if ran else '') + 'waited for a CPU for ' + NUMBER if runnable else ''
        numbers += [n for n in (ran, runnable) if n]
        if wait is not None:
            words += '; before that it was %s for %s' % (WORDS[wait[2]], NUMBER) + (', in ' + name_words(within) if within is not None else '')
            numbers.append(wait[1] - wait[0])
    return words + r'\.$', numbers


def check_chain(reference, reading, said, cause):
    u = next(u for u, t in enumerate(reading.p.threads) if t['tid'] == 9001)
    found = chain(reference, reading, u)
    text = said.get('longest-wait')
    if text is None:
        if cause in ('io', 'lock', 'binder', 'gc') and len(said) < 7:
            raise cases.Wrong('nothing is said of the longest wait')
        return
    words, numbers = chain_words(found)
    match = re.search(words, text)
    if match is None:
        raise cases.Wrong('expected %r: %s' % (words, text))
    told = match.groups()
    for value, unit, exact in zip(told[::2], told[1::2], numbers, strict=True):
        if not same(ns_of(value, unit), exact):
            raise cases.Wrong('%s %s, expected %d ns: %s' % (value, unit, exact, text))


def outermost(sections, fits):
    whole = [x for x in sections if x.dur >= 0 and fits(x.name)]
    return [x for x in whole if not any(y is not x and y.depth < x.depth and y.ts <= x.ts and y.ts + y.dur >= x.ts + x.dur
                                        for y in whole)]


def check(reference, path, cause):
    verdict = json.loads(cases.succeeded(cases.aflamed('verdict', '--quiet', '--format', 'json', path)))
    said = {s['rule']: s['text'] for s in verdict['sentences']}
    reading = reference.Reading(reference.load(path))
    sections, states, others = main_of(reading)
    check_chain(reference, reading, said, cause)
    begin = next(x.ts for x in sections if x.name == 'bindApplication')
    frames = outermost(sections, lambda name: name.startswith('Choreographer#doFrame'))
    end = next(x.ts + x.dur for x in sorted(frames, key=lambda x: x.ts) if x.ts >= begin)
    text = said['start']
    if verdict['sentences'][0]['rule'] != 'start':
        raise cases.Wrong('the start is no headline: %s' % verdict['sentences'][0]['text'])
    check_number(text, '^The start took ' + NUMBER + ', from bindApplication', end - begin)
    check_parts(text, sums(sections, states, begin, end), end - begin)
    check_parts(said['states'], sums(sections, states, states[0][0], states[-1][1]), states[-1][1] - states[0][0])
    late = [x.dur for x in frames if x.dur > LATE_NS]
    if late and '%d of %d frames' % (len(late), len(frames)) not in said['late-frames']:
        raise cases.Wrong('%d of %d frames were late: %s' % (len(late), len(frames), said['late-frames']))
    if late:
        longest = max(frames, key=lambda x: x.dur)
        check_number(said['late-frames'], 'the longest took ' + NUMBER, longest.dur)
        check_parts(said['late-frames'], sums(sections, states, longest.ts, longest.ts + longest.dur), longest.dur)
    if 'waited-for-cpu' in said:
        meanwhile = re.findall(' for ' + NUMBER, said['waited-for-cpu'].split(' Meanwhile ')[1])
        for match, exact in zip(meanwhile, rivals(states, others)[:3], strict=True):
            if not same(ns_of(*match), exact):
                raise cases.Wrong('%s %s, expected %d ns: %s' % (*match, exact, said['waited-for-cpu']))
    elif cause == 'cpu':
        raise cases.Wrong('nothing is said of who had the CPUs')
    locks = [x.dur for x in outermost(sections, LOCK.match)]
    if sum(locks) >= 5 * MS and 'lock-contention' in said:
        check_number(said['lock-contention'], 'main waited for locks for ' + NUMBER, sum(locks))
    if cause is not None:
        part, name = EXPECTED[cause]
        if not re.search('; main spent ' + NUMBER + ' ' + WORDS[part], text) or name not in text.split(' spent ')[1].split(';')[0]:
            raise cases.Wrong('the headline does not begin with %s, %s: %s' % (WORDS[part], name, text))


def suite(wanted, folder):
    jobs = [('cause/%s-%d' % (cause, seed), cause, seed) for cause in EXPECTED for seed in range(1, SEEDS + 1)]
    jobs += [('usual-%d' % seed, None, seed) for seed in range(1, 4)]
    generator, reference = module(folder, 'mk_systrace.py'), module(folder, 'systrace.py')
    with tempfile.TemporaryDirectory(prefix='aflamed-starts-') as scratch:
        for name, cause, seed in jobs:
            name = 'oracle/systrace/start/' + name
            if wanted not in name:
                continue
            path = os.path.join(scratch, 'start.pb')
            try:
                if cause is None:
                    s = generator.Sim(dict(seed=seed, events=8000, cpus=3, kernel='5.10', ring=0, repeat=1), set())
                    generator.make(s)
                    s.run(8000)
                    with open(path, 'wb') as f:
                        f.write(generator.write(s, s.o, set()))
                else:
                    generate(generator, cause, seed, path)
                check(reference, path, cause)
                yield Result(name, PASSED)
            except cases.Wrong as wrong:
                yield Result(name, FAILED, str(wrong))
