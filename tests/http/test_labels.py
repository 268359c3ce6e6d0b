"""Labels of samples in pprof profiles as tracks: the state key `split` everywhere, and --split."""
import json
import os
import re
import subprocess
import tempfile
import unittest

from support import AFLAMED, ServiceTest, id_of
from test_packed import zipped
from native import number, text


def labelled(samples, extra=''):
    """A profile of pprof. Samples are (folded stack, count, labels); a value of a label is a text, or a number and its unit."""
    strings, out = ['', 'samples', 'count'], text(1, number(1, 1) + number(2, 2))

    def place(s):
        if s not in strings:
            strings.append(s)
        return strings.index(s)
    functions = []
    for stack, count, labels in samples:
        body = b''
        for name in reversed(stack.split(';')):
            if name not in functions:
                functions.append(name)
                i = len(functions)
                out += text(4, number(1, i) + text(4, number(1, i))) + text(5, number(1, i) + number(2, place(name)))
            body += number(1, functions.index(name) + 1)
        body += number(2, count)
        for key, value in labels.items():
            said = number(2, place(value)) if isinstance(value, str) else number(3, value[0]) + number(4, place(value[1]))
            body += text(3, number(1, place(key)) + said)
        out += text(2, body)
    return out + b''.join(text(6, s) for s in strings + [extra])


SAMPLES = [('main;a', 3, {'endpoint': '/x', 'size': (512, 'bytes'), 'thread_name': 'ui'}),
           ('main;b', 2, {'endpoint': '/y', 'thread_name': 'ui'}),
           ('main;b', 4, {'endpoint': '/x', 'thread_name': 'io'}),
           ('main;c', 1, {})]
PROFILE = labelled(SAMPLES)
BY_ENDPOINT = ['[(no endpoint)];main;c 1', '[/x];main;a 3', '[/x];main;b 4', '[/y];main;b 2']
LABELS = [{'key': 'endpoint', 'values': 2}, {'key': 'size', 'values': 1}, {'key': 'thread_name', 'values': 2}]


class Labels(ServiceTest):
    CONFIG = {'max_threads': 100}

    def json(self, target, **headers):
        answer = self.server.get(target, Accept='application/json', **headers)
        return json.loads(answer.body)

    def test_tracks_of_every_answer(self):
        path = '/p/' + id_of(self.server.upload(PROFILE))
        whole, split = self.json(path), self.json(path + '?split=endpoint')
        self.assertEqual((whole['labels'], 'split' in whole, whole['whole']['tracks']), (LABELS, False, 3))
        self.assertEqual((split['labels'], split['split'], split['tracks_are']), (LABELS, 'endpoint', 'label'))
        self.assertEqual([(t['name'], t['totals']['samples']) for t in split['tracks']],
                         [('/x', 7), ('/y', 2), ('(no endpoint)', 1)])
        for track in split['tracks']:
            self.assertTrue(track['svg'].endswith('/t/%d.svg?split=endpoint' % track['id']))
            self.assertEqual(self.server.get(track['svg']).status, 200)
        folded = self.server.get(path + '/t/all.folded.txt?split=endpoint')
        self.assertEqual(folded.text.splitlines(), BY_ENDPOINT)
        self.assertNotEqual(folded['ETag'], self.server.get(path + '/t/all.folded.txt')['ETag'])
        self.assertEqual(self.server.get(path + '/t/all.folded.txt?split=size').text.splitlines()[-1], '[512 bytes];main;a 3')
        rows = self.server.get(path + '/methods.tsv?split=endpoint&track=1').text.splitlines()
        self.assertEqual(sorted(row.split('\t')[1] for row in rows), ['a', 'b', 'main', 'method'])
        self.assertEqual(self.server.get(path + '/verdict.json?split=endpoint').status, 200)

    def test_each_is_read_once(self):
        content = labelled(SAMPLES, 'once')
        path = '/p/' + id_of(self.server.upload(content))
        for target in ('.json?split=endpoint', '/t/all.folded.txt?split=endpoint', '/t/1.svg?split=endpoint', '/methods.tsv?split=endpoint',
                       '.json', '/t/all.folded.txt'):
            self.assertEqual(self.server.get(path + target).status, 200)
        source = json.loads(self.server.get(path + '.json').body)['sha256']
        self.assertEqual(len(re.findall('folded source=%s' % source, self.server.log())), 2)

    def test_refused(self):
        path = '/p/' + id_of(self.server.upload(PROFILE))
        for target in ('', '.json', '/t/1.svg', '/methods', '/methods.tsv', '/verdict.txt'):
            answer = self.server.get(path + target + '?split=nothing')
            self.assertEqual(answer.status, 400, target)
            self.assertIn('There are: endpoint, size, thread_name.', answer.text)
        self.assertEqual(self.server.get(path + '.json?split=' + 201 * 'x').status, 400)
        self.assertEqual(self.server.get(path + '?split=').status, 200)
        folded = '/p/' + id_of(self.server.upload(b'main;a 1\n'))
        answer = self.server.get(folded + '.json?split=endpoint')
        self.assertEqual(answer.status, 400)
        self.assertIn('no labels in this file', answer.text)
        self.assertNotIn('labels', self.json(folded))

    def test_keys_are_hostile(self):
        key = '<b>"&\u202e%'
        path = '/p/' + id_of(self.server.upload(labelled([('main', 1, {key: '<i>', 'k' * 300: 'v'})])))
        page = self.server.get(path, Accept='text/html').text
        self.assertNotIn('<b>', page)
        links = re.findall(r'href="([^"]*split=[^"]*)"', page)
        self.assertEqual(len(links), 1, 'one that is too long to be chosen is not offered')
        self.assertEqual(links[0].split('split=')[1], '%3Cb%3E%22%26%EF%BF%BD%25')
        for said in ('%3Cb%3E%22%26%EF%BF%BD%25', '%3Cb%3E%22%26%E2%80%AE%25'):     # as it is shown, and as it is
            split = self.json(path + '?split=' + said)
            self.assertEqual([t['name'] for t in split['tracks']], ['<i>'])

    def test_page_links_carry_it(self):
        path = '/p/' + id_of(self.server.upload(PROFILE))
        page = self.server.get(path + '?split=endpoint&value=samples', Accept='text/html').text
        self.assertIn('<input type="hidden" name="split" value="endpoint">', page)
        threads = re.findall(r'<a data-track="[^"]*" href="([^"]*)"', page)
        self.assertGreater(len(threads), 3)
        for link in threads:
            self.assertIn('split=endpoint', link)
        chosen = re.findall(r'<a class="follows" href="([^"]*)" aria-current="true">label endpoint', page)
        self.assertEqual(len(chosen), 1)
        self.assertIn('>thread</a>', page)
        self.assertRegex(page, r'<p id="verdict"><a class="place" href="[^"]*/verdict\?split=endpoint"')
        self.assertIn('label size <span class="quiet">1 value</span>', page)

    def test_more_values_than_tracks(self):
        path = '/p/' + id_of(self.server.upload(labelled([('main', 1, {'span': 's%d' % i}) for i in range(101)])))
        answer = self.server.get(path + '.json?split=span')
        self.assertEqual(answer.status, 413)
        self.assertIn('more values than the limit of 100 tracks', answer.text)
        self.assertIn('max_threads', answer.text)
        self.assertEqual(self.json(path)['labels'], [{'key': 'span', 'values': 101}])

    def test_comparison(self):
        """Values that differ in a number are not the same."""
        sides = [labelled([('main', 1, {'version': '1'}), ('main', 2, {'version': '2'})]),
                 labelled([('main', 10, {'version': '1'}), ('main', 20, {'version': '3'})])]
        pair = '..'.join(id_of(self.server.upload(side)) for side in sides)
        for track, sums in ((1, ('1', '10')), (2, ('2', '0'))):
            lines = self.server.get('/d/%s.tsv?split=version&track=%d' % (pair, track)).text.splitlines()
            columns = dict(zip(lines[0].split('\t'), lines[1].split('\t')))
            self.assertEqual((columns['samples_incl_a'], columns['samples_incl_b']), sums)
        answer = self.server.get('/d/%s.tsv?split=nothing' % pair)
        self.assertEqual(answer.status, 400)

    def test_of_a_member(self):
        path = '/p/' + id_of(self.server.upload(zipped(('a.pb', PROFILE), ('b.pb', b'no profile')), '/?member=a.pb'))
        self.assertEqual(self.server.get(path + '/t/all.folded.txt?split=endpoint').text.splitlines(), BY_ENDPOINT)

    def test_an_upload_is_answered_by_it(self):
        answer = self.server.upload(PROFILE, '/?output=folded&track=all&split=endpoint')
        self.assertEqual((answer.status, answer.text.splitlines()), (201, BY_ENDPOINT))


@unittest.skipUnless(AFLAMED, 'AFLAMED names no program')
class CommandLine(unittest.TestCase):
    def run_it(self, *arguments, content=PROFILE):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'x.pb')
            with open(path, 'wb') as file:
                file.write(content)
            return subprocess.run([AFLAMED, *arguments, path], capture_output=True, text=True, check=False)

    def test_commands(self):
        render = self.run_it('render', '--output', 'folded', '--track', 'all', '--split', 'endpoint')
        self.assertEqual(render.stdout.splitlines(), BY_ENDPOINT)
        info = json.loads(self.run_it('info', '--json', '--split', 'endpoint').stdout)
        self.assertEqual((info['labels'], info['split'], len(info['tracks'])), (LABELS, 'endpoint', 3))
        self.assertIn('endpoint (2 values), size (1 value), thread_name (2 values)', self.run_it('info').stdout)
        methods = self.run_it('methods', '--split', 'endpoint', '--track', '/y').stdout.splitlines()
        self.assertEqual([line.split('\t')[1] for line in methods], ['method', 'b', 'main'])
        self.assertEqual(self.run_it('verdict', '--split', 'endpoint').returncode, 0)
        self.assertEqual(self.run_it('export', 'speedscope', '--split', 'endpoint').returncode, 0)
        for command in ('info', 'methods', 'verdict', 'render'):
            run = self.run_it(command, '--split', 'nothing')
            self.assertEqual(run.returncode, 2, command)
            self.assertIn('There are: endpoint, size, thread_name.', run.stderr)
