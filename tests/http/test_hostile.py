"""Names as weapons: whatever methods, threads and uploads are called, every answer is well formed, shows no
control character and runs nothing."""
import collections
import html.parser
import json
import re
import unicodedata
import unittest
import urllib.parse
import xml.parsers.expat

from support import ServiceTest, amount, id_of, trace
import hostile_names

# Neither controls nor what turns the direction of text, nor separators of lines, nor noncharacters.
UNSEEMLY = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufdd0-\ufdef\ufffe\uffff]')
LOG_LINE = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (error|warn|info|debug) [a-z_-]+( [a-z_0-9]+=\S.*| [a-z_0-9]+=)*\Z')
VIEWS = ('flame', 'icicle', 'inverted', 'sandwich', 'chart')
SUFFIXES = ('svg', 'folded.txt', 'json', 'thumb.svg')
CONTROLS, CONTROLS_MAX = {'x': '10', 'height': '1'}, 4     # the parts of a picture that are HTML
DRAWING = {'width': '100%', 'height': '100%'}              # in which the page has the frames for who has no script


class Page(html.parser.HTMLParser):
    """Complains of what could run or reach elsewhere."""

    def __init__(self, origin):
        super().__init__()
        self.origin, self.complaints, self.inside_script, self.controls, self.has_drawing = origin, [], False, 0, False

    def handle_starttag(self, tag, attrs):
        self.inside_script = tag == 'script'
        for name, value in attrs:
            value = value or ''
            if name.startswith('on') or name in ('style', 'srcdoc', 'http-equiv') and 'refresh' not in value:
                if name != 'http-equiv':
                    self.complaints.append('<%s %s>' % (tag, name))
            if name in ('href', 'src', 'action', 'formaction', 'data', 'xlink:href'):
                target = urllib.parse.urljoin(self.origin + '/', value)
                if not target.startswith(self.origin + '/'):
                    self.complaints.append('<%s %s=%s>' % (tag, name, value[:80]))
        kinds = dict(attrs)
        if tag == 'foreignobject' and kinds == CONTROLS:
            self.controls += 1
        elif tag == 'foreignobject' and kinds == DRAWING and not self.has_drawing:
            self.has_drawing = True
        elif tag == 'use' and re.fullmatch('#i-[a-z]+', kinds.get('href', '')):     # an icon of the page itself
            pass
        elif tag in ('iframe', 'object', 'embed', 'base', 'foreignobject', 'animate', 'use') or self.controls > CONTROLS_MAX:
            self.complaints.append('<%s>' % tag)
        if tag == 'script' and 'src' not in kinds and kinds.get('type') != 'application/json':
            self.complaints.append('inline script')

    def handle_endtag(self, tag):
        self.inside_script = False


ACTIVE = ('script', 'foreignObject', 'image', 'use', 'animate', 'set', 'iframe', 'style', '!DOCTYPE')


def expat_check(text):
    """How often each element is there, and each attribute that does something, as `element name=value`."""
    parser = xml.parsers.expat.ParserCreate()
    found = collections.Counter()

    def start(name, attributes):
        found[name] += 1
        for key, value in attributes.items():
            if key.startswith('on') or 'href' in key:
                found['%s %s=%s' % (name, key, value)] += 1

    parser.StartElementHandler = start
    parser.StartDoctypeDeclHandler = lambda *_: found.update(['!DOCTYPE'])
    parser.Parse(text, True)
    return found


class Hostile(ServiceTest):
    CONFIG = {'log_level': 'debug'}

    def assert_seemly(self, body, where):
        text = body.decode('utf-8')     # strictly
        found = UNSEEMLY.search(text)
        if found:
            at = found.start()
            self.fail('%s: %r in %r' % (where, found.group(), text[max(0, at - 60):at + 60]))
        self.assertNotIn('Cn', {unicodedata.category(c) for c in set(text) if ord(c) & 0xfffe == 0xfffe}, where)
        return text

    def assert_svg(self, path):
        """Well formed; nothing but text depends on the names: its elements are those of a harmless profile."""
        answer = self.server.get(path)
        self.assertEqual(answer.status, 200, '%s %r' % (path, answer.body[:300]))
        self.assert_seemly(answer.body, path)
        usual = self.server.get(re.sub(r'/t/\d+', '/t/1', re.sub('/p/[a-z2-7]{26}', self.harmless, path)))
        self.assertEqual(usual.status, 200)
        allowed, found = expat_check(usual.body), expat_check(answer.body)
        for kind in ('script', 'foreignObject', 'div', 'select', 'input'):
            self.assertEqual(found[kind], allowed[kind], path)
        for kind in found:
            if kind in ACTIVE or ' ' in kind:
                self.assertIn(kind, allowed, path)

    def assert_page(self, path):
        answer = self.server.get(path, Accept='text/html')
        self.assertEqual(answer.status, 200, '%s %r' % (path, answer.body[:300]))
        self.assertIn("default-src 'none'", answer['Content-Security-Policy'])
        page = Page(self.server.url)
        page.feed(self.assert_seemly(answer.body, path))
        page.close()
        self.assertEqual(page.complaints, [], path)

    def assert_json(self, path, **headers):
        answer = self.server.get(path, **headers)
        self.assertEqual(answer.status, 200, path)
        value = json.loads(self.assert_seemly(answer.body, path))
        self.assert_no_surprises(value)
        return value

    def assert_no_surprises(self, value):
        """Strings hold nothing unseemly behind their escapes either."""
        if isinstance(value, dict):
            for key, member in value.items():
                self.assertIsNone(UNSEEMLY.search(key))
                self.assert_no_surprises(member)
        elif isinstance(value, list):
            for member in value:
                self.assert_no_surprises(member)
        elif isinstance(value, str):
            self.assertIsNone(UNSEEMLY.search(value), value[:200])

    def known_views(self, base):
        """Those that the service has."""
        return [v for v in VIEWS if self.server.get('%s/t/merged.svg?view=%s' % (base, v)).status == 200]

    def assert_all_answers(self, content):
        name = b'\x1b[31m<script>\xe2\x80\xae\r\nX: y'
        answer = self.server.upload_form(('name', None, name), ('trace', 'x', content))
        self.assertEqual(answer.status, 201, answer)
        base = '/p/' + id_of(answer)
        self.harmless = '/p/' + id_of(self.stored(trace(threads=3)))
        tracks = self.assert_json(base + '.json')['tracks']
        few = [str(t['id']) for t in tracks[::max(1, len(tracks) // amount(24, 3))]]
        for track in ['all', 'merged', *few]:
            self.assert_page('%s/t/%s' % (base, track))
            for suffix in SUFFIXES[:1] if track in few else SUFFIXES[:3]:
                path = '%s/t/%s.%s' % (base, track, suffix)
                if suffix.endswith('svg'):
                    self.assert_svg(path)
                elif suffix == 'json':
                    self.assert_json(path)
                else:
                    self.assert_seemly(self.server.get(path).body, path)
            self.assert_svg('%s/t/%s/thumb.svg' % (base, track))
        for view in self.known_views(base):
            for options in ('', '&order=weight', '&width=300', '&min=0'):
                self.assert_svg('%s/t/all.svg?view=%s%s' % (base, view, options))
                self.assert_svg('%s/t/%s.svg?view=%s%s' % (base, few[0], view, options))
        self.assert_page(base)
        self.assert_seemly(self.server.get(base + '.txt').body, base)
        for part in ('/status.json', '/status.json?wait=1'):
            self.assert_json(base + part)

    def test_regular_trace(self):
        self.assert_all_answers(hostile_names.regular())

    def test_streaming_trace(self):
        self.assert_all_answers(hostile_names.streaming())

    def test_folded_stacks(self):
        self.assert_all_answers(hostile_names.folded())

    def assert_upload(self, answer, name):
        self.assertEqual(answer.status, 201, '%r %r' % (name[:60], answer.body[:300]))
        base = '/p/' + id_of(answer)
        self.assert_page(base)
        self.assert_json(base + '.json')
        self.assert_json(base, Accept='application/json')
        raw = self.server.get(base + '/raw')
        self.assertEqual(raw.status, 200)
        for field, value in raw.headers.items():
            self.assertRegex(value, r'\A[\x20-\x7e]*\Z', field)
        self.assertNotIn('inline', raw['Content-Disposition'])
        return base

    def test_names_of_uploads(self):
        names = hostile_names.names()
        content = trace()
        for name in names[::amount(1, 7)]:
            name = name[:2000]
            with self.subTest(name[:60]):
                answer = self.server.upload(content, '/?name=' + urllib.parse.quote_from_bytes(name))
                if re.search(rb'[\x00-\x1f\x7f]', name):
                    self.assertEqual(answer.status, 400)
                    answer = self.server.upload_form(('name', None, name), ('trace', 'x', content))
                self.assert_page(self.assert_upload(answer, name) + '/t/1')
                usable = re.sub(rb'[\x00-\x1f\x7f"\\/]', b'', name)
                if usable:
                    self.assert_upload(self.server.upload_form(('trace', usable.decode('latin-1'), content)), name)
                quoted = urllib.parse.quote_from_bytes(usable, safe='')
                if usable.strip(b'.') and b'..' not in usable:
                    self.assert_upload(self.server.request('PUT', '/' + quoted, content), name)

    def test_names_where_they_are_changed(self):
        answer = self.stored()
        token = answer['X-Delete-URL'].rsplit('=', 1)[1]
        for text in hostile_names.upload_names()[::amount(3, 20)]:
            if '\0' in text:
                continue
            form = urllib.parse.urlencode({'token': token, 'name': text[:300]}).encode()
            said = self.server.request('POST', '/p/%s/rename' % id_of(answer), form,
                                       Content_Type='application/x-www-form-urlencoded')
            self.assertIn(said.status, (200, 303, 400), said)
            self.assert_page('/p/' + id_of(answer))

    def test_words_of_requests(self):
        """What is refused is named, and must not be a weapon either."""
        base = '/p/' + id_of(self.stored())
        for name in hostile_names.names()[::amount(2, 20)]:
            word = urllib.parse.quote_from_bytes(name[:500], safe='')
            for target in ('/%s' % word, base + '/t/' + word, base + '/t/1.svg?view=' + word, base + '/t/1.svg?' + word + '=1',
                           '/p/' + word, base + '/delete?token=' + word, '/?output=' + word):
                for accept in ('text/html', '*/*', 'application/json'):
                    answer = self.server.get(target, Accept=accept)
                    text = self.assert_seemly(answer.body, target[:100])
                    if 'json' in (answer['Content-Type'] or ''):
                        json.loads(text)
                    elif 'html' in (answer['Content-Type'] or ''):
                        page = Page(self.server.url)
                        page.feed(text)
                        self.assertEqual(page.complaints, [], target[:100])

    @classmethod
    def end(cls):
        """One line per event, whatever was uploaded before."""
        lines = cls.server.log().split('\n')
        super().end()
        odd = [line for line in lines[:-1] if not LOG_LINE.match(line) or UNSEEMLY.search(line)]
        if odd or len(lines) < 10:
            raise AssertionError('%d lines of the log are none of an event: %r' % (len(odd), odd[:3]))


if __name__ == '__main__':
    unittest.main()
