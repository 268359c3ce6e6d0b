"""Traces that hold sections, CPU samples and dumps of heaps: one result. Each number is that of a slow count over what was written."""
import json
import random
import re
from collections import Counter

from support import ServiceTest, eventually, id_of
import mixed_trace
from mixed_trace import PID

NS_PER_US = 1000
TIMES = ['wall', 'cpu', 'runnable', 'sleeping', 'blocked', 'io', 'unknown']
HEAP = ['unreleased', 'unreleased-count', 'allocated', 'allocated-count']


def folded(text):
    """{stack: number} of folded stacks."""
    return {stack: int(number) for stack, number in (line.rsplit(' ', 1) for line in text.splitlines())}


class Mixed(ServiceTest):
    def of(self, seed, **what):
        """The trace, its sections, where it is, its summary, and when it begins."""
        m, sections = mixed_trace.start_of_an_app(random.Random(seed), **what)
        path = '/p/' + id_of(self.stored(m.bytes()))
        return m, sections, path, json.loads(self.server.get(path + '.json').text), 1_000_000_000

    def tracks(self, summary, kind):
        return [t for t in summary['tracks'] if t.get('kind', 'thread') == kind]

    def samples_of(self, path, track, query=''):
        return folded(self.server.get('%s/t/%d.folded.txt?%s' % (path, track['id'], query)).text)

    def test_tracks_of_each_kind_have_their_values(self):
        _, _, _, summary, _ = self.of(1)
        self.assertEqual([v['name'] for v in summary['values']], TIMES + ['calls'] + HEAP + ['samples'])
        self.assertEqual({t['number'] for t in self.tracks(summary, 'samples')}, {PID, PID + 1, PID + 2})
        for kind, values in (('thread', TIMES), ('samples', ['samples']), ('heap', HEAP)):
            found = self.tracks(summary, kind)
            self.assertEqual(len(found), 1 if kind == 'heap' else 3)
            for track in found:
                self.assertEqual(list(track['totals']), values)
                self.assertEqual(track['calls'] > 0, kind == 'thread')

    def test_samples_stand_behind_their_thread(self):
        _, _, path, summary, _ = self.of(2, dumps=False)
        tracks = summary['tracks']
        self.assertEqual([t.get('beside') for t in tracks[1::2]], [t['id'] for t in tracks[::2]])
        self.assertEqual([t['name'] for t in tracks[1::2]], [t['name'] + ', CPU samples' for t in tracks[::2]])
        lanes = json.loads(self.server.get(path + '/lanes.json').text)['lanes']
        self.assertEqual([lane['name'] for lane in lanes[:2]], ['main', 'main, CPU samples'])
        self.assertEqual({lane['track']: lane.get('beside') for lane in lanes}, {t['id']: t.get('beside') for t in tracks})
        self.assertEqual({lane['track']: lane.get('samples') for lane in lanes}, {t['id']: t['totals'].get('samples') for t in tracks})

    def test_samples_of_a_range(self):
        """Those whose time lies in it, of that thread."""
        for seed in range(3):
            m, sections, path, summary, begin = self.of(seed)
            r = random.Random(seed)
            ranges = [(0, None)] + [(b - begin, e - begin) for b, e, *_ in r.sample(sections, 3)]
            for from_ns, to_ns in ranges:
                from_ns, to_ns = from_ns // NS_PER_US * NS_PER_US, None if to_ns is None else to_ns // NS_PER_US * NS_PER_US + NS_PER_US
                query = '' if to_ns is None else 'from=%d&to=%d' % (from_ns // NS_PER_US, to_ns // NS_PER_US)
                for track in self.tracks(summary, 'samples'):
                    expected = Counter(';'.join(frames) for ns, tid, frames in m.samples if tid == track['number'] and
                                       (to_ns is None or from_ns <= ns - begin < to_ns))
                    self.assertEqual(self.samples_of(path, track, query), expected)

    def test_samples_of_a_section_are_under_its_function(self):
        """The trace writes what each sample was taken in: in the range of a section all of its thread's samples are of it."""
        m, sections, path, summary, begin = self.of(7, dumps=False)
        track = next(t for t in self.tracks(summary, 'samples') if t['number'] == PID)
        long = [s for s in sections if s[4] == PID and s[1] - s[0] > 10_000_000]
        self.assertGreater(len(long), 0)
        for b, e, name, *_ in long:
            from_us, to_us = (b - begin) // NS_PER_US + 1, (e - begin) // NS_PER_US
            stacks = self.samples_of(path, track, 'from=%d&to=%d' % (from_us, to_us))
            # what a sample is in is looked up at the beginning of its millisecond
            inside = sum(n for stack, n in stacks.items() if 'do_' + name in stack)
            self.assertGreaterEqual(inside, sum(stacks.values()) - 2)

    def test_heaps_of_a_range(self):
        """What the dumps in it tell; what shrank is 0, which is said."""
        for seed in range(3):
            m, _, path, summary, begin = self.of(seed, samples=False)
            track = self.tracks(summary, 'heap')[0]
            self.assertEqual(track['moments_ns'], [ns - begin for ns, _ in m.dumps])
            for from_ms, to_ms in ((0, 400), (0, 50), (50, 101), (120, 260), (1, 2)):
                made, held = Counter(), Counter()
                for ns, sizes in m.dumps:
                    if from_ms <= (ns - begin) / 1e6 < to_ms:
                        for frames, (size, freed) in sizes.items():
                            made[';'.join(frames)] += size
                            held[';'.join(frames)] += size - freed
                query = 'from=%d&to=%d&value=' % (from_ms * 1000, to_ms * 1000)
                self.assertEqual(self.samples_of(path, track, query + 'allocated'), +made)
                self.assertEqual(self.samples_of(path, track, query + 'unreleased'), +held)
                warned = [w['code'] for w in json.loads(self.server.get('%s/t/%d.json?%s' % (path, track['id'], query + 'allocated')).text)['warnings']]
                self.assertEqual('range-released' in warned, any(n < 0 for n in held.values()))

    def test_a_range_of_samples_and_heaps_alone(self):
        """Without sections, too, both count from the same moment: the first sample."""
        m, _ = mixed_trace.start_of_an_app(random.Random(12))
        path = '/p/' + id_of(self.stored(m.bytes(sections=False)))
        summary, begin = json.loads(self.server.get(path + '.json').text), min(ns for ns, *_ in m.samples)
        heap, thread = self.tracks(summary, 'heap')[0], self.tracks(summary, 'thread')[0]
        self.assertEqual(heap['moments_ns'], [ns - begin for ns, _ in m.dumps])
        made = sum(size for ns, sizes in m.dumps if 100_000_000 <= ns - begin < 250_000_000 for size, _ in sizes.values())
        self.assertEqual(sum(self.samples_of(path, heap, 'from=100000&to=250000&value=allocated').values()), made)
        self.assertEqual(sum(self.samples_of(path, thread, 'from=100000&to=250000&value=samples').values()),
                         sum(tid == thread['id'] and 100_000_000 <= ns - begin < 250_000_000 for ns, tid, _ in m.samples))

    def test_sections_are_those_of_the_trace_without_samples(self):
        """What stands beside them changes nothing of them, whole or in a range."""
        m, _, path, summary, _ = self.of(3)
        alone = '/p/' + id_of(self.stored(m.trace.bytes()))
        for track in self.tracks(summary, 'thread'):
            for query in ('value=wall', 'value=cpu', 'value=calls', 'value=waiting', 'value=io&from=20000&to=90000', 'value=waiting&hide=inflate'):
                target = '/t/%d.folded.txt?%s' % (track['id'], query)
                self.assertEqual(self.server.get(path + target).text, self.server.get(alone + target).text)
            calls = '/calls.json?track=%d&from=50000&to=300000' % track['id']
            self.assertEqual(self.server.get(path + calls).text, self.server.get(alone + calls).text)
        self.assertEqual(self.server.get(path + '/frames.txt').text, self.server.get(alone + '/frames.txt').text)

    def test_samples_are_those_of_the_trace_without_sections(self):
        m, _, path, summary, _ = self.of(4)
        own = mixed_trace.Mixed()
        own.samples, own.functions, own.stacks = m.samples, m.functions, m.stacks
        alone = '/p/' + id_of(self.stored(own.bytes(sections=False)))
        for track in self.tracks(summary, 'samples'):
            for query in ('', 'hide=run', 'focus=memcpy', 'view=inverted'):
                self.assertEqual(self.server.get('%s/t/%d.folded.txt?%s' % (path, track['id'], query)).text,
                                 self.server.get('%s/t/%d.folded.txt?%s' % (alone, track['number'], query)).text)
            table = '/methods.tsv?track=%d'
            self.assertEqual(self.server.get(path + table % track['id']).text, self.server.get(alone + table % track['number']).text)

    def test_a_value_of_another_kind_is_not_shown(self):
        """A track of samples has samples: by whichever value of sections it is asked for."""
        _, _, path, summary, _ = self.of(5)
        samples, heap, thread = (self.tracks(summary, kind)[0] for kind in ('samples', 'heap', 'thread'))
        self.assertEqual(self.samples_of(path, samples, 'value=cpu'), self.samples_of(path, samples))
        self.assertEqual(self.samples_of(path, heap, 'value=samples'), self.samples_of(path, heap))
        self.assertEqual(self.samples_of(path, thread, 'value=samples'), self.samples_of(path, thread))
        tree = json.loads(self.server.get('%s/t/%d.json' % (path, samples['id'])).text)
        self.assertEqual([v['name'] for v in tree['values']], ['samples'])
        tree = json.loads(self.server.get('%s/t/merged.json?value=samples' % path).text)
        self.assertEqual(tree['nodes']['total'][[v['name'] for v in tree['values']].index('samples')][0],
                         sum(t['totals']['samples'] for t in self.tracks(summary, 'samples')))

    def test_methods_over_all(self):
        """A table is of the tracks that have its value, with their values, and says so."""
        _, _, path, summary, _ = self.of(6)
        for value, kind, values in (('wall', 'thread', TIMES + ['waiting']), ('samples', 'samples', ['samples']), ('allocated', 'heap', HEAP)):
            table = json.loads(self.server.get('%s/methods.json?track=all&limit=10000&value=%s' % (path, value)).text)
            tracks = self.tracks(summary, kind)
            self.assertEqual(table['tracks'], sorted(t['id'] for t in tracks))
            self.assertEqual([v['name'] for v in table['values']], values)
            self.assertEqual(next(v['total'] for v in table['values'] if v['name'] == value), sum(t['totals'][value] for t in tracks))
            page = self.server.get('%s/methods?track=all&value=%s' % (path, value), Accept='text/html').text
            self.assertEqual(re.findall('data-kinds="of the ([0-9]+) of 7 tracks', page), [str(len(tracks))])
        page = self.server.get('%s/methods?track=%d' % (path, summary['tracks'][0]['id']), Accept='text/html').text
        self.assertEqual(page.count('data-kinds'), 0)

    def test_words(self):
        """They are those of the sections, and one about the samples of the main thread, also in a range."""
        m, _, path, _, begin = self.of(8)
        alone = '/p/' + id_of(self.stored(m.trace.bytes()))
        for query, of in (('', lambda ns: True), ('?from=100000&to=250000', lambda ns: 100_000_000 <= ns - begin < 250_000_000)):
            said = self.server.get(path + '/verdict.txt' + query).text.splitlines()
            sampled = [line for line in said if 'CPU samples' in line]
            self.assertEqual([line.replace('all tracks', 'all threads') for line in said if line not in sampled],
                             self.server.get(alone + '/verdict.txt' + query).text.splitlines())
            leaves = Counter(frames[-1] for ns, tid, frames in m.samples if tid == PID and of(ns))
            (name, n), *_ = leaves.most_common(1)
            self.assertEqual(len(sampled), 1)
            share = '%.3g' % (100 * n / leaves.total())
            self.assertTrue(sampled[0].startswith('Of %d CPU samples of main most are in %s (%s %%)' % (leaves.total(), name, share)), (sampled, name, share))

    def test_pages(self):
        """The page of a track offers its values only; links to tracks of another kind leave the value out."""
        _, _, path, summary, _ = self.of(9)
        samples, heap, thread = (self.tracks(summary, kind)[0]['id'] for kind in ('samples', 'heap', 'thread'))
        page = self.server.get('%s/t/%d' % (path, samples), Accept='text/html').text
        values = page.split('<select id="value"')[1].split('</select>')[0]
        self.assertEqual(values.count('<option'), 1)
        self.assertEqual(values.count('value="samples"'), 1)
        self.assertEqual(page.count('<select id="moment"'), 0)
        page = self.server.get('%s/t/%d?value=cpu' % (path, thread), Accept='text/html').text
        for track in (samples, heap):
            self.assertEqual(len(re.findall('data-track="%d" data-own-value href="[^"?]*/t/%d"' % (track, track), page)), 1)
        page = self.server.get('%s/t/%d' % (path, heap), Accept='text/html').text
        self.assertEqual(page.count('<select id="moment"'), 1)

    def test_charts(self):
        _, _, path, summary, _ = self.of(10)
        samples, heap = (self.tracks(summary, kind)[0]['id'] for kind in ('samples', 'heap'))
        self.assertEqual(self.server.get('%s/t/%d.svg?view=chart' % (path, samples)).status, 200)
        answer = self.server.get('%s/t/%d.svg?view=chart' % (path, heap))
        self.assertEqual(answer.status, 400)
        self.assertIn('dumps', answer.text)

    def calls(self, path, suffix):
        """A few lists are sent at a time: the last one may still be ending."""
        answers = []
        self.assertTrue(eventually(lambda: answers.append(self.server.get('%s/calls.%s' % (path, suffix))) or answers[-1].status != 503))
        return answers[-1].body

    def test_exports(self):
        """Those of calls have the sections, those of stacks what is asked for."""
        m, _, path, summary, _ = self.of(11)
        alone = '/p/' + id_of(self.stored(m.trace.bytes()))
        samples = self.tracks(summary, 'samples')[0]
        for suffix in ('tsv', 'speedscope', 'chrome', 'perfetto'):
            self.assertEqual(self.calls(path, suffix), self.calls(alone, suffix), suffix)
        for suffix in ('speedscope.json', 'pb.gz', 'firefox.json.gz', 'tree', 'json'):
            answer = self.server.get('%s/t/%d.%s' % (path, samples['id'], suffix))
            self.assertEqual(answer.status, 200, suffix)
