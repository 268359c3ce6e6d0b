"""What track events say beside their names (debug annotations): in the lists of calls."""
import json
import struct

from support import ServiceTest, id_of
from native import number, text, varint

MS = 1_000_000
BEGIN, END, INSTANT = 1, 2, 3


def double(field, value):
    return varint(field << 3 | 1) + struct.pack('<d', value)


def note(name, value):
    return text(4, named(name, value))


def named(name, value):
    """A DebugAnnotation, `value` of which is its fields; a number of a name that was interned, or the name."""
    return (number(1, name) if isinstance(name, int) else text(10, name)) + value


def packet(ms, event, interned=b'', flags=2):
    return text(1, number(8, round(ms * MS)) + number(10, 1) + number(13, flags) + interned + (text(11, event) if event else b''))


def event(kind, name=None, notes=b'', track=7):
    return number(9, kind) + number(11, track) + (text(23, name) if name else b'') + notes


def trace(*packets):
    thread = text(60, number(1, 7) + text(4, number(1, 42) + number(2, 42) + text(5, 'main')))
    names = text(12, text(3, number(1, 5) + text(2, 'interned')) + text(29, number(1, 6) + text(2, 'a long text')))
    return packet(0, None, thread + names, 1) + b''.join(packets)


class Annotations(ServiceTest):
    def calls(self, content, query='', **headers):
        self.path = '/p/' + id_of(self.stored(content, **headers))
        answer = self.server.get('%s/calls.json%s' % (self.path, query))
        self.assertEqual(answer.status, 200, answer.text)
        return {(row['start'], row['method']): row.get('annotations') for row in json.loads(answer.text)['calls']}

    def warned(self):
        profile = json.loads(self.server.get(self.path, Accept='application/json').text)
        return {w['code']: w['count'] for w in profile['warnings']}.get('annotations-many')

    def test_each_kind_is_a_name_and_a_text(self):
        minus = (1 << 64) - 3
        notes = b''.join((note('bool', number(2, 1)), note('uint', number(3, 1 << 63)), note('int', number(4, minus)), note('double', double(5, 1.5)),
                          note('text', text(6, 'a "b"\n\x00')), note('pointer', number(7, 0xbeef)), note('json', text(9, '{"x":1}')),
                          note(5, number(17, 6)), note('bool', number(2, 0))))
        calls = self.calls(trace(packet(1, event(BEGIN, 'outer', notes)), packet(2, event(BEGIN, 'inner')), packet(3, event(END)),
                                 packet(4, event(END, notes=note('result', number(4, 7)))), packet(5, event(INSTANT, 'ping', note('n', number(3, 2))))))
        self.assertEqual(calls, {(0, 'outer'): {'bool': 'true', 'uint': str(1 << 63), 'int': '-3', 'double': '1.5', 'text': 'a "b"\u240a\u2400', 'pointer': '0xbeef',
                                                'json': '{"x":1}', 'interned': 'a long text', 'result': '7'},
                                 (1000, 'inner'): None, (4000, 'ping'): {'n': '2'}})
        lines = self.server.get(self.path + '/calls.txt').text.splitlines()
        self.assertRegex(lines[-1], r'  ping  \{n: 2\}$')
        self.assertRegex(lines[1], r'  inner$')
        self.assertEqual(self.server.get(self.path + '/calls.tsv').text.splitlines()[0].split('\t')[-1], 'signature')
        self.assertIn('data-annotated', self.server.get(self.path, Accept='text/html').text)
        self.assertEqual(json.loads(self.server.get(self.path, Accept='application/json').text)['annotations'], 11)
        self.assertIsNone(self.warned())

    def test_those_within_others_have_their_names_too(self):
        entries = text(11, named('b', number(3, 1))) + text(11, named('c', text(11, named('d', text(6, 'deep')))))
        array = text(12, number(3, 4)) + text(12, text(11, named('e', number(3, 5))))
        chrome = text(8, text(2, 'k') + text(2, 'l') + text(3, number(5, 9)) + text(3, text(4, text(8, 'x')) + text(4, double(6, 0.25))))
        calls = self.calls(trace(packet(1, event(BEGIN, 'one', note('a', entries) + note('list', array) + note('old', chrome))), packet(2, event(END))))
        self.assertEqual(calls, {(0, 'one'): {'a.b': '1', 'a.c.d': 'deep', 'list[0]': '4', 'list[1].e': '5', 'old.k': '9', 'old.l[0]': 'x', 'old.l[1]': '0.25'}})

    def test_each_call_has_its_own_also_under_filters_and_in_a_range(self):
        packets = []
        for i in range(40):
            packets += [packet(i + 1, event(BEGIN, 'again', note('i', number(3, i)))), packet(i + 1, event(BEGIN, 'within', note('j', number(3, i)))),
                        packet(i + 1.5, event(END)), packet(i + 1.9, event(END))]
        content = trace(*packets)
        every = {(1000 * i, name): {key: str(i)} for i in range(40) for name, key in (('again', 'i'), ('within', 'j'))}
        self.assertEqual(self.calls(content), every)
        self.assertEqual(self.calls(content, '?hide=again'), {key: value for key, value in every.items() if key[1] == 'within'})
        self.assertEqual(self.calls(content, '?from=5000&to=5000.001'), {key: value for key, value in every.items() if key[0] == 5000})

    def test_names_of_a_mapping_keep_them(self):
        content = trace(packet(1, event(BEGIN, 'a.b.c', note('n', number(3, 8)))), packet(2, event(END)))
        mapping = b'com.example.Foo -> a.b:\n    1:1:void run():5:5 -> c\n'
        answer = self.server.upload_form(('trace', 'x.pb', content), ('mapping', 'mapping.txt', mapping))
        self.assertIn(answer.status, (201, 303), answer.text)
        row, = json.loads(self.server.get('/p/%s/calls.json' % id_of(answer)).text)['calls']
        self.assertEqual((row['class'], row['method'], row['annotations']), ('com.example.Foo', 'run', {'n': '8'}))

    def test_what_is_hostile_is_bounded_and_counted(self):
        deep = named('x', number(3, 1))
        for _ in range(3000):
            deep = named('x', text(11, deep))
        old = text(8, 'x')
        for _ in range(3000):
            old = text(4, old)
        calls = self.calls(trace(packet(1, event(BEGIN, 'deep', text(4, deep) + note('z', text(8, old)) + note('y', number(3, 2)))), packet(2, event(END))))
        self.assertEqual(calls, {(0, 'deep'): {'y': '2'}})
        self.assertEqual(self.warned(), 2)
        calls = self.calls(trace(packet(1, event(BEGIN, 'many', b''.join(note('n%d' % i, text(6, 'v' * 1000)) for i in range(100)))), packet(2, event(END))))
        kept, = calls.values()
        self.assertEqual((len(kept), {len(v) for v in kept.values()}), (32, {256}))
        self.assertEqual(self.warned(), 68)
        at_once = [packet(1, event(INSTANT, 'same', note('n', number(3, i)))) for i in range(100)]
        self.calls(trace(*at_once))
        self.assertEqual(self.warned(), 36)
        thousands = b''.join(packet(i, event(INSTANT, 'one', note('n', number(3, i)) * 32)) for i in range(8300))
        self.calls(trace(thousands))
        self.assertEqual(self.warned(), 8300 * 32 - (1 << 18))
