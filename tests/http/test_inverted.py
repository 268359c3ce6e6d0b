"""Inverted trees and sandwiches: their numbers, over HTTP, are those that the plain tree gives; and their options."""
import collections
import json
import random
import struct
import unittest

from support import METHOD_ID_STEP, ServiceTest, binary_header, id_of, text_part, trace

METHODS = ['a.B\tf\t(I)V', 'a.B\tf\t(J)V', 'a.C\tg\t()V', 'java.lang.Object\twait\t()V', 'x.y.Z\t<init>\t()V']


def random_trace(seed):
    """Threads that call a few methods in all ways, with recursion, and time in no method."""
    rng = random.Random(seed)
    now, records, stacks = 0, [], {1: [], 2: [], 3: []}
    for _ in range(400):
        thread = rng.choice(list(stacks))
        stack = stacks[thread]
        now += rng.randrange(4)
        if stack and rng.random() < .45:
            records.append((thread, stack.pop() | 1, now // 2, now))
        else:
            stack.append(rng.randrange(len(METHODS)) * METHOD_ID_STEP)
            records.append((thread, stack[-1], now // 2, now))
    lines = ['0x%x\t%s\tX.java' % (i * METHOD_ID_STEP, m) for i, m in enumerate(METHODS)]
    text = text_part(3, 'dual', [(1, 'main'), (2, 'two'), (3, 'three')], lines, ['pid=%d' % seed])
    return text + binary_header(3, 14) + b''.join(struct.pack('<HIII', *r) for r in records)


class Tree:
    """One tree of the JSON output, with texts for frames."""

    def __init__(self, document, nodes):
        self.nodes = nodes
        self.n = len(nodes['parent'])
        self.values = len(nodes['self'])
        self.calls = nodes['calls']
        self.parent = nodes['parent']
        strings, frames = document['strings'], document['frames']
        names = ['.'.join(strings[frames[part][i]] for part in ('scope', 'name')) + strings[frames['signature'][i]]
                 for i in range(len(frames['name']))]
        tracks = nodes.get('track', [-1] * self.n)
        self.is_track = [track >= 0 for track in tracks]
        self.text = [names[frame] if frame >= 0 else '[%d]' % document['tracks'][tracks[i]]['id']
                     if tracks[i] >= 0 else '' for i, frame in enumerate(nodes['frame'])]

    def numbers(self, i):
        """What a node weighs by itself and with all below it, and its calls."""
        return ([self.nodes['self'][v][i] for v in range(self.values)],
                [self.nodes['total'][v][i] for v in range(self.values)], self.calls[i])

    def paths(self):
        """{path from the root, without it: numbers}"""
        path, made = {}, {}
        for i in range(self.n):
            path[i] = path[self.parent[i]] + (self.text[i],) if i > 0 else ()
            assert path[i] not in made
            made[path[i]] = self.numbers(i)
        return made


def add(a, b):
    return [x + y for x, y in zip(a, b)]


class Model:
    def __init__(self, values):
        self.zero = [0] * values
        self.nodes = collections.defaultdict(lambda: [self.zero, self.zero, 0])

    def add(self, path, self_values, total_values, calls):
        node = self.nodes[path]
        node[0], node[1], node[2] = add(node[0], self_values), add(node[1], total_values), node[2] + calls

    def climb(self, base, place, path, weight, calls):
        """The way up from a node: all that it passes have the weight, the last one as its self."""
        while True:
            up = base.parent[place]
            self.add(path, weight if up == 0 else self.zero, weight, calls)
            if up == 0:
                return
            place, path = up, path + (base.text[up],)


def inverted(base):
    model = Model(base.values)
    for i in range(1, base.n):
        own, _, calls = base.numbers(i)
        if any(own) or (calls > 0 and not base.is_track[i]):
            model.climb(base, i, (base.text[i],), own, calls)
    own, total, _ = base.numbers(0)
    model.add((), own, total, sum(calls for path, (_, _, calls) in model.nodes.items() if len(path) == 1))
    return model.nodes


def sandwich(base, method):
    callers, callees, within = Model(base.values), Model(base.values), {}
    for i in range(1, base.n):
        own, total, calls = base.numbers(i)
        if base.parent[i] in within:
            within[i] = within[base.parent[i]] + (base.text[i],)
        elif base.text[i] == method:
            within[i] = ()
            callers.climb(base, i, (), total, calls)
        if i in within:
            callees.add(within[i], own, total, calls)
    return callers.nodes, callees.nodes


def plain(nodes):
    return {path: list(numbers) for path, numbers in nodes.items()}


class Inverted(ServiceTest):
    def document(self, path, **options):
        query = '&'.join('%s=%s' % option for option in options.items())
        answer = self.server.get(path + '.json?' + query)
        self.assertEqual(answer.status, 200, answer.text)
        return json.loads(answer.body)

    def test_numbers(self):
        for seed in range(4):
            page = '/p/' + id_of(self.stored(random_trace(seed)))
            for track in ('1', 'all', 'merged'):
                path = page + '/t/' + track
                document = self.document(path)
                base = Tree(document, document['nodes'])
                for options in ({}, {'order': 'weight', 'value': 'cpu'}, {'order': 'weight', 'value': 'calls'}):
                    document = self.document(path, view='inverted', **options)
                    self.assertEqual(plain(Tree(document, document['nodes']).paths()), plain(inverted(base)))
                    document = self.document(path, view='sandwich', method='a.B.f(J)V', **options)
                    callers, callees = sandwich(base, 'a.B.f(J)V')
                    self.assertEqual(plain(Tree(document, document['callers']).paths()), plain(callers))
                    self.assertEqual(plain(Tree(document, document['callees']).paths()), plain(callees))

    def test_order_by_weight(self):
        path = '/p/' + id_of(self.stored(random_trace(1))) + '/t/merged'
        document = self.document(path, view='inverted', order='weight', value='cpu')
        nodes = document['nodes']
        weight = nodes['total'][[value['name'] for value in document['values']].index('cpu')]
        children = collections.defaultdict(list)
        for i, parent in enumerate(nodes['parent']):
            children[parent].append(weight[i])
        for weights in children.values():
            self.assertEqual(weights, sorted(weights, reverse=True))

    def test_pictures_say_the_same(self):
        """In the tooltips of the static frames."""
        path = '/p/' + id_of(self.stored(random_trace(2))) + '/t/1'
        for suffix, query, word in (('folded.txt', 'view=inverted', 'cannot show the view inverted'),
                                    ('folded.txt', 'view=sandwich', 'cannot show the view sandwich')):
            answer = self.server.get('%s.%s?%s' % (path, suffix, query))
            self.assertEqual(answer.status, 400)
            self.assertIn(word, answer.text)
        document = self.document(path, view='inverted')
        tree = Tree(document, document['nodes'])
        picture = self.server.get(path + '.svg?view=inverted&min=0').text
        for i in range(1, tree.n):
            if tree.parent[i] == 0:
                name = tree.text[i].replace('<', '&lt;').replace('>', '&gt;')
                total, calls = tree.nodes['total'][0][i] / 1000, tree.calls[i]
                self.assertRegex(picture, r'<title>%s\ntotal %g µs[^<]*\ncalls %d\b' %
                                 (name.replace('(', r'\(').replace(')', r'\)').replace('.', r'\.'), total, calls))

    def test_options_are_checked(self):
        path = '/p/' + id_of(self.stored(trace())) + '/t/1'
        for query, status, word in (('view=sandwich&method=no.such.method', 404, 'no such method'),
                                    ('method=' + 'm' * 501, 400, '500 bytes'),
                                    ('palette=rainbow', 400, 'classic'), ('names=long', 400, 'short'),
                                    ('view=sideways', 400, 'sandwich'), ('embed-nodes=5', 400, 'embed-nodes')):
            answer = self.server.get(path + '.svg?' + query)
            self.assertEqual((answer.status, word in answer.text), (status, True), answer.text)
        tags = [self.server.get(path + '.svg?' + query)['ETag'] for query in
                ('', 'palette=self', 'names=full', 'view=inverted', 'view=sandwich',
                 'view=sandwich&method=com.example.Class1.method1')]
        self.assertEqual(len(set(tags)), len(tags))

    def test_choices_on_the_page(self):
        path = '/p/' + id_of(self.stored(trace())) + '/t/1'
        page = self.server.get(path + '?view=sandwich&palette=self&names=full&method=com.example.Class1.method1',
                               Accept='text/html').text
        for word in ('sandwich', 'self', 'full'):
            self.assertIn('<option value="%s" selected>' % word, page)
        self.assertIn('com.example.Class1.method1', page)
        self.assertRegex(page, r'href="[./]*p/[a-z2-7]+/t/1\.svg\?[^"]*method=com\.example\.Class1\.method1')


if __name__ == '__main__':
    unittest.main()
