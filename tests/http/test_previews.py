"""What chat programs show below a link: the tags of the pages, and the card, a picture."""
import collections
import html
import json
import re
import struct
import unittest
import xml.etree.ElementTree
import zlib

from support import ServiceTest, Server, id_of, trace
from test_doors import DoorsTest, bearer

HTML = 'text/html'
AGENTS = ('Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', 'Mozilla/5.0 (compatible; Discordbot/2.0)',
          'facebookexternalhit/1.1', 'WhatsApp/2.23', 'Mattermost-Bot/1.1', 'TelegramBot (like TwitterBot)')
ORIGINS = ('f2b84b', 'e3a5c8', '5fcbaa', '8fb6e3', 'bfe3f6', '9b8fe8', 'e9e6df', 'd3c7b4', 'ee8a93')
SIDE_BYTES = 3


def shown(page):
    """The tags of a page, by name."""
    return {name: html.unescape(value) for name, value in re.findall(r'<meta property="og:([a-z:_]+)" content="([^"]*)">', page.text)}


def unfiltered(kind, line, above):
    """A line of a PNG as its filter was undone."""
    out = bytearray(line)
    for i, byte in enumerate(line):
        left, up, corner = (out[i - SIDE_BYTES], above[i], above[i - SIDE_BYTES]) if i >= SIDE_BYTES else (0, above[i], 0)
        nearest = min((abs(up - corner), 0, left), (abs(left - corner), 1, up), (abs(left + up - 2 * corner), 2, corner))[2]
        out[i] = (byte + (0, left, up, (left + up) // 2, nearest)[kind]) & 255
    return out


def read_png(data):
    """Width, height, and the lines of a PNG of 8 bits for each of three colours."""
    assert data[:8] == b'\x89PNG\r\n\x1a\n', data[:8]
    at, packed, size = 8, b'', None
    while at < len(data):
        length, kind = struct.unpack('>I4s', data[at:at + 8])
        chunk = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + chunk) == struct.unpack('>I', data[at + 8 + length:at + 12 + length])[0], kind
        if kind == b'IHDR':
            size = struct.unpack('>IIBBBBB', chunk)
            assert size[2:] == (8, 2, 0, 0, 0), size
        packed += chunk if kind == b'IDAT' else b''
        at += 12 + length
    raw, lines = zlib.decompress(packed), []
    step = 1 + SIDE_BYTES * size[0]
    for y in range(size[1]):
        lines.append(unfiltered(raw[y * step], raw[y * step + 1:(y + 1) * step], lines[-1] if lines else bytes(step - 1)))
    return size[0], size[1], lines


def colours(lines):
    """How many pixels each colour has, as hexadecimal text."""
    found = collections.Counter()
    for line in lines:
        found.update(bytes(line[i:i + SIDE_BYTES]).hex() for i in range(0, len(line), SIDE_BYTES))
    return found


class Previews(ServiceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.upload = cls.server.upload_form(('trace', 'a b"\u00fc.trace', trace(threads=3, records=900)))
        cls.path = '/p/' + id_of(cls.upload)

    def get(self, suffix, **headers):
        return self.server.get(self.path + suffix, **headers)

    def test_chat_programs_see_what_a_link_leads_to(self):
        words = json.loads(self.get('/verdict.json').body)['sentences'][0]['text']
        for agent in AGENTS:
            for suffix, card in ('', ''), ('/t/1', '?track=1'), ('/t/2,3?value=cpu', '?track=2,3&value=cpu'), ('/methods?track=all', ''):
                page = self.get(suffix, Accept='*/*', **{'User-Agent': agent})
                self.assertEqual((page.status, page['Content-Type']), (200, 'text/html; charset=utf-8'), agent)
                self.assertIn('User-Agent', page['Vary'])
                tags = shown(page)
                self.assertEqual(tags['title'], 'a b"\u00fc.trace')
                self.assertEqual(tags['description'], words)
                self.assertEqual(tags['image'], self.server.url + self.path + '/card.png' + card)
                self.assertEqual((tags['image:width'], tags['image:height']), ('1200', '630'))

    def test_others_get_what_they_got(self):
        self.assertEqual(self.get('', Accept='application/json', **{'User-Agent': AGENTS[0]})['Content-Type'], 'application/json')
        for agent in 'curl/8.0', 'Wget/1.21':
            self.assertEqual(self.get('', Accept='*/*', **{'User-Agent': agent})['Content-Type'], 'text/plain; charset=utf-8')
        self.assertEqual(shown(self.get('', Accept=HTML))['title'], 'a b"\u00fc.trace')

    def test_the_card_is_a_picture_with_the_colours_of_its_frames(self):
        answer = self.get('/card.png', Accept_Encoding='gzip')
        self.assertEqual((answer.status, answer['Content-Type'], answer['Content-Encoding']), (200, 'image/png', None))
        self.assertLess(len(answer.body), 300000)
        width, height, lines = read_png(answer.body)
        self.assertEqual((width, height), (1200, 630))
        found = colours(lines)
        self.assertGreater(sum(found[each] for each in ORIGINS), 25000)
        self.assertGreater(found['ffffff'], 100000)
        self.assertGreater(found['1a1a1a'], 2000, 'text')
        self.assertEqual(colours([line[:60] for line in lines[10:]]), {'ffffff': 20 * 620}, 'its edge')

    def test_the_same_again(self):
        first = self.get('/card.png')
        self.assertEqual(self.get('/card.png').body, first.body)
        self.assertEqual(self.get('/card.png', If_None_Match=first['ETag']).status, 304)
        head = self.server.request('HEAD', self.path + '/card.png')
        self.assertEqual((head.status, head['Content-Length'], head.body), (200, str(len(first.body)), b''))
        other = Server()
        self.addCleanup(other.stop)
        again = '/p/' + id_of(other.upload_form(('trace', 'a b"\u00fc.trace', trace(threads=3, records=900))))
        self.assertEqual(other.get(again + '/card.png').body, first.body)

    def test_the_thread_and_the_value_that_were_asked_for(self):
        cards = {query: self.get('/card.png' + query).body
                 for query in ('', '?track=2', '?track=all', '?value=cpu', '?view=icicle', '?palette=self')}
        self.assertEqual(len(set(cards.values())), len(cards))
        self.assertEqual(self.get('/card.png?track=77').status, 404)
        self.assertEqual(self.get('/card.png?colour=red').status, 400)

    def test_it_is_of_the_thread_that_the_page_shows_first(self):
        content = trace(threads=3, records=900, salt=7).replace(b'1\tmain', b'1\tfirst').replace(b'2\tThread-1', b'2\tmain')
        path = '/p/' + id_of(self.server.upload_form(('trace', 'x.trace', content)))
        cards = [self.server.get(path + '/card.png' + query).body for query in ('', '?track=2', '?track=1')]
        self.assertEqual(cards[0], cards[1])
        self.assertNotEqual(cards[0], cards[2])

    def test_a_new_name_is_on_the_card(self):
        content, uploads = trace(salt=5), []
        for name in ('one.trace', 'another.trace'):
            uploads.append('/p/' + id_of(self.server.upload_form(('trace', name, content))))
        cards = [self.server.get(path + '/card.png').body for path in uploads]
        self.assertNotEqual(cards[0], cards[1])

    def test_hostile_names(self):
        content = trace(salt=6)
        names = ('<script>alert(1)</script>', '"><b>', '\u202eecart.\u202c', '\u65e5\u672c\u8a9e' * 80, 'e\u0301' * 100, '\U0001f600', 'x' * 255,
                 'a ' * 120, '%s%n%d')
        for name in names:
            path = '/p/' + id_of(self.server.upload_form(('trace', name, content)))
            card = self.server.get(path + '/card.png').body
            self.assertEqual(struct.unpack('>II', card[16:24]), (1200, 630), name)
            if len(name) > 250:     # it ends before the edge
                self.assertEqual(colours([line[-90:] for line in read_png(card)[2][10:]]), {'ffffff': 30 * 620}, name)
            page = self.server.get(path, Accept='*/*', **{'User-Agent': AGENTS[0]})
            self.assertNotIn('<script>alert', page.text)
            self.assertIn('image', shown(page))

    def test_of_two_that_are_compared(self):
        other = id_of(self.server.upload_form(('trace', 'b.trace', trace(threads=3, records=1200))))
        path = '/d/%s..%s' % (self.path[3:], other)
        tags = shown(self.server.get(path, Accept='*/*', **{'User-Agent': AGENTS[0]}))
        self.assertEqual(tags['title'], 'What changed: a b"\u00fc.trace and b.trace')
        words = [sentence['text'] for sentence in json.loads(self.server.get(path + '/methods.json').body)['verdict']]
        self.assertEqual(tags['description'], ' '.join(words[:2]), 'by how much, and what')
        self.assertGreater(len(words), 1)
        self.assertEqual(tags['image'], self.server.url + path + '/card.png?track=all')
        tags = shown(self.server.get(path + '?value=cpu&track=2&only=new', Accept=HTML))
        self.assertTrue(tags['image'].startswith(self.server.url + path + '/card.png?track=2&'), tags)
        self.assertEqual(self.server.get(tags['image'][len(self.server.url):])['Content-Type'], 'image/png')
        card = self.server.get(path + '/card.png')
        self.assertEqual((card.status, card['Content-Type'], read_png(card.body)[:2]), (200, 'image/png', (1200, 630)))

    def test_frames_are_called_as_a_person_calls_them(self):
        """In a narrow box the path of a package is left out: so two functions look the same."""
        def graph(path):
            stacks = 'main;serve 95\nmain;%s.(*Server).Work 5\n' % path
            card = self.server.get('/p/%s/card.png' % id_of(self.server.upload_form(('trace', 'x.txt', stacks.encode()))))
            return read_png(card.body)[2][-120:]
        first = graph('github.com/acme/shop/server')
        self.assertEqual(first, graph('example.org/another/path/of/server'))
        self.assertNotEqual(first, graph('words and spaces'))

    def test_what_is_not_there_has_no_card(self):
        self.assertEqual(self.server.get('/p/' + 'a' * 26 + '/card.png').status, 404)
        self.assertEqual(self.server.get('/d/nonsense/card.png').status, 404)


class Alone(ServiceTest):
    """A picture that is passed on as a file says of what it is, where that is asked for."""
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.path = '/p/' + id_of(cls.server.upload_form(('trace', 'a <b>&"\u00fc.trace', trace(threads=3, records=900))))

    def test_name_date_and_headline(self):
        words = json.loads(self.server.get(self.path + '/verdict.json').body)['sentences'][0]['text']
        created = json.loads(self.server.get(self.path + '.json').body)['created'][:10]
        for about in 'upload', 'link':
            answer = self.server.get(self.path + '/t/1.svg?value=cpu&about=' + about)
            self.assertEqual((answer.status, answer['Content-Type']), (200, 'image/svg+xml'))
            texts = [''.join(one.itertext()) for one in xml.etree.ElementTree.fromstring(answer.body).iter() if one.get('class') in ('letter', 's')]
            self.assertTrue(any(one.startswith('a <b>&"\u00fc.trace \u00b7 uploaded ' + created) for one in texts), texts[:5])
            self.assertIn(words, texts)
            links = set(re.findall('<a href="([^"]*)"', answer.text))
            self.assertEqual(links, {self.server.url + self.path + '/t/1?value=cpu'} if about == 'link' else set())
            self.assertEqual(self.path[3:] in answer.text, about == 'link')
            self.assertEqual(self.server.get(self.path + '/t/1.svg?value=cpu&about=' + about, If_None_Match=answer['ETag']).status, 304)

    def test_the_page_offers_it(self):
        page = self.server.get(self.path + '/t/1', Accept=HTML).text
        self.assertIn('t/1.svg?about=link', page)
        self.assertNotIn('.json?about', page)
        self.assertNotIn('about=link', self.server.get(self.path + '/t/1?view=chart', Accept=HTML).text)

    def test_else_a_picture_says_nothing_of_its_upload(self):
        answer = self.server.get(self.path + '/t/1.svg')
        self.assertNotIn('uploaded ', answer.text)
        self.assertNotIn(self.path[3:], answer.text)

    def test_where_it_is_not_for(self):
        for target in ('/t/1.svg?about=x', '/t/1.json?about=link', '/t/1.svg?view=chart&about=link', '/t/1/thumb.svg?about=link'):
            self.assertEqual(self.server.get(self.path + target).status, 400, target)


class ExternalUrl(ServiceTest):
    CONFIG = {'external_url': 'https://flames.example/team'}

    def test_the_picture_has_the_address_that_clients_see(self):
        path = '/p/' + id_of(self.stored())
        tags = shown(self.server.get(path, Accept='*/*', Host='flames.example', **{'User-Agent': AGENTS[1]}))
        self.assertEqual(tags['image'], 'https://flames.example/team%s/card.png' % path)


class TurnedOff(ServiceTest):
    CONFIG = {'link_previews': 'false'}

    def test_nothing_is_told(self):
        path = '/p/' + id_of(self.stored())
        self.assertEqual(shown(self.server.get(path, Accept=HTML)), {})
        self.assertEqual(self.server.get(path, Accept='*/*', **{'User-Agent': AGENTS[0]})['Content-Type'], 'text/plain; charset=utf-8')
        answer = self.server.get(path + '/card.png')
        self.assertEqual((answer.status, answer['Content-Type']), (404, 'text/plain; charset=utf-8'))
        self.assertIn('link_previews', answer.text)


class ForTheTeam(DoorsTest):
    def test_who_may_not_read_is_told_nothing(self):
        answer = self.server.request('POST', '/?readers=team&name=secret.trace', trace(threads=2), Accept='application/json', **bearer(self.ann))
        path = '/p/' + json.loads(answer.body)['id']
        for agent in AGENTS:
            answer = self.server.get(path, Accept='*/*', **{'User-Agent': agent})
            self.assertEqual(answer.status, 303)
            page = self.server.get('/' + answer['Location'].rsplit('/', 1)[1], Accept='*/*', **{'User-Agent': agent})
            self.assertEqual((page.status, shown(page)), (200, {}))
            self.assertNotIn('secret', answer.text + page.text)
        self.assertEqual(self.server.get(path + '/card.png').status, 401)
        self.assertEqual(self.server.get(path + '/card.png', **bearer(self.bob)).status, 200)

    def link(self, path, token):
        """The owner's link with a preview, as the page has it."""
        found = re.search(r'id="preview-link" href="([^"]*)"', self.server.get(path, Accept=HTML, **bearer(token)).text)
        return found and found.group(1)[len(self.server.url):]

    def test_the_owners_link_shows_the_card_and_nothing_else(self):
        path = self.uploaded(self.ann, readers='team')
        self.assertIsNone(self.link(path, self.bob), 'who may only read')
        link = self.link(path, self.ann)
        self.assertRegex(link, '^' + path + '/k/[a-z2-7]{30}$')
        page = self.server.get(link, Accept='*/*', **{'User-Agent': AGENTS[0]})
        tags = shown(page)
        self.assertEqual((page.status, tags['title'], tags['image']), (200, 'x.trace', self.server.url + link + '/card.png'))
        self.assertIn('url=../../' + path[3:], page.text, 'people are led on')
        card = self.server.get(link + '/card.png')
        self.assertEqual(card.body, self.server.get(path + '/card.png', **bearer(self.ann)).body)
        for target in (path, path + '/card.png', link + '/t/1/tree?node=0&skip=0', path + '/t/1.svg'):
            self.assertIn(self.server.get(target).status, (401, 403), target)

    def test_no_other_pass(self):
        path, other = self.uploaded(self.ann, readers='team'), self.uploaded(self.ann, readers='team')
        link = self.link(path, self.ann)
        for wrong in (link.replace(path, other), link[:-1], link + 'a', path + '/k/' + 'a' * 30, path + '/k/' + 'a' * 26):
            for target in (wrong, wrong + '/card.png'):
                self.assertEqual(self.server.get(target).status, 403, target)
        self.assertEqual(self.server.request('DELETE', path, **bearer(self.ann)).status, 200)
        self.assertEqual(self.server.get(link).status, 410)

    def test_what_anybody_may_read_needs_none(self):
        self.assertIsNone(self.link(self.uploaded(self.ann), self.ann))


if __name__ == '__main__':
    unittest.main()
