"""Pictures that carry a part of their tree, and the pieces that their script fetches."""
import json
import random
import re
import unittest

from support import ServiceTest, id_of
import flame_data

PIECE_BYTES = 64_000


def stacks(count, seed=1):
    """Folded stacks: wide below some nodes, deep below others, some with names that hurt."""
    pick = random.Random(seed)
    names = ['com.example.shop.Cart.add%d' % i for i in range(40)] + ['<b>&"\'', ']]>', 'é.è.Ê.run', '\u202egpj.exe']
    lines = []
    for i in range(count):
        depth = pick.randint(1, 30 if i % 7 == 0 else 6)
        frames = [pick.choice(names) for _ in range(depth)]
        if i % 3 == 0:
            frames = ['wide', 'leaf-%s-%d' % ('x' * 80, i)]
        lines.append('%s %d' % (';'.join(frames), pick.randint(1, 50)))
    return '\n'.join(lines).encode() + b'\n'


class Budget(ServiceTest):
    CONFIG = {'svg_embed_nodes': 150}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.upload = cls.server.upload(stacks(6000))
        cls.track = '/p/%s/t/merged' % id_of(cls.upload)

    def picture(self, query=''):
        answer = self.server.get(self.track + '.svg' + query)
        self.assertEqual(answer.status, 200)
        return answer.text

    def test_as_many_nodes_as_configured(self):
        svg = self.picture()
        data = flame_data.Data(flame_data.of_picture(svg))
        self.assertEqual(data.count, 151)
        self.assertEqual(data.header['embedded'], 150)
        self.assertIn(' data-nodes="%d" data-embedded="150">' % data.header['nodes'], svg)
        hidden = sum(node.hidden['nodes'] for node in data.stubs())
        self.assertEqual(hidden + 150, data.header['nodes'])

    def fetched(self, data):
        """How many pieces were fetched until nothing was missing."""
        pieces = 0
        while missing := next(data.stubs(), None):
            target = '%s/tree?node=%d&skip=%d&%s' % (self.track, missing.hidden['place'], missing.hidden['shown'],
                                                     data.header['query'])
            answer = self.server.get(target)
            self.assertEqual((answer.status, answer['Content-Type']), (200, 'text/plain; charset=utf-8'))
            self.assertLessEqual(len(answer.body), PIECE_BYTES)
            piece = flame_data.Data(answer.text)
            self.assertEqual(piece.root.text, missing.text)
            self.assertEqual(piece.root.own, missing.own)
            brought = piece.count - 1 + sum(node.hidden['nodes'] for node in piece.stubs())
            self.assertEqual(brought, missing.hidden['nodes'])
            flame_data.graft(missing, piece)
            pieces += 1
        return pieces

    def test_pieces_make_the_whole(self):
        tree = json.loads(self.server.get(self.track + '.json').body)
        self.assertEqual(tree['values'][0]['name'], 'samples')
        expected = sorted(tree['nodes']['self'][0])
        data = flame_data.Data(flame_data.of_picture(self.picture()))
        self.assertGreater(self.fetched(data), 20)
        found = data.stacks()
        self.assertEqual(len(found), data.header['nodes'] + 1)
        self.assertEqual(sorted(own['samples'] for own in found.values()), expected)
        names = set(re.sub('\t', '', text) for stack in found for text in stack)
        self.assertIn(']]>', names)
        self.assertIn('<b>&"\'', names)

    def test_pieces_of_a_filtered_tree(self):
        """They are of the tree that the picture shows, and what was there before is said."""
        filters = '?hide=add1&focus=%2FCart%7Cleaf%2F'
        tree = json.loads(self.server.get(self.track + '.json' + filters).body)
        whole = json.loads(self.server.get(self.track + '.json').body)
        svg = self.picture(filters)
        data = flame_data.Data(flame_data.of_picture(svg))
        self.assertEqual(data.header['options']['filters'], filters[1:])
        self.assertIn('hide-idle', data.header['presets'])
        self.assertEqual(data.header['before'], [sum(whole['nodes']['self'][0])])
        self.assertLess(sum(tree['nodes']['self'][0]), data.header['before'][0])
        self.assertIn('>filters: hide=add1, focus=/Cart|leaf/; ', svg)
        self.assertGreater(self.fetched(data), 5)
        self.assertEqual(sorted(own['samples'] for own in data.stacks().values()), sorted(tree['nodes']['self'][0]))

    def test_headers(self):
        target = self.track + '/tree?node=0&skip=3&value=samples'
        answer = self.server.get(target)
        self.assertEqual(answer.status, 200)
        for name, value in (('Access-Control-Allow-Origin', '*'), ('X-Content-Type-Options', 'nosniff'),
                            ('Cache-Control', 'private, no-cache'), ('Referrer-Policy', 'no-referrer'),
                            ('Content-Security-Policy', "default-src 'none'; sandbox")):
            self.assertEqual(answer[name], value)
        again = self.server.get(target, If_None_Match=answer['ETag'])
        self.assertEqual((again.status, again.body, again['Access-Control-Allow-Origin']), (304, b'', '*'))
        seen = self.server.request('HEAD', target)
        self.assertEqual((seen.status, seen.body, seen['ETag']), (200, b'', answer['ETag']))
        other = self.server.get(self.track + '/tree?node=0&skip=4&value=samples')
        self.assertNotEqual(other['ETag'], answer['ETag'])
        self.assertEqual(self.server.get(self.track + '/tree').status, 200)

    def test_errors(self):
        for query, status in (('node=x', 400), ('node=', 400), ('node=-1', 400), ('node=4294967296', 400),
                              ('node=4294967295', 404), ('skip=1.5', 400), ('value=heap', 400), ('view=round', 400),
                              ('node=0&skip=4294967295', 200)):
            self.assertEqual(self.server.get('%s/tree?%s' % (self.track, query)).status, status, query)
        self.assertEqual(self.server.get(self.track.replace('merged', '99') + '/tree').status, 404)
        self.assertEqual(self.server.get('/p/%s/t/merged/tree' % ('a' * 26)).status, 404)
        for suffix in ('.svg?node=3', '.json?skip=1', '?node=1', '/thumb.svg?node=1'):
            self.assertEqual(self.server.get(self.track + suffix).status, 400, suffix)
        self.assertEqual(self.server.request('POST', self.track + '/tree').status, 405)


class Bytes(ServiceTest):
    CONFIG = {'svg_embed_bytes': '20K'}

    def test_as_many_bytes_as_configured(self):
        upload = self.stored(stacks(3000))
        svg = self.server.get('/p/%s/t/merged.svg' % id_of(upload)).text
        text = re.search(r'<metadata class="d">(.*?)</metadata>', svg, re.S).group(1)
        self.assertLessEqual(len(text.encode()), 20 * 1024)
        self.assertGreater(len(text.encode()), 10 * 1024)
        data = flame_data.Data(flame_data.of_picture(svg))
        self.assertEqual(data.count, 1 + data.header['embedded'])


if __name__ == '__main__':
    unittest.main()
