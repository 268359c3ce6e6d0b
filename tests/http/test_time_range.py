"""A range of time: it cuts all that is shown, and calls are listed one by one."""
import collections
import json
import os
import re
import socket
import struct
import urllib.parse

from support import DemoTest, METHOD_ID_STEP, ServiceTest, binary_header, eventually, id_of, method_lines, text_part, trace
from test_range_parts import between, folded, run

FOLDED = b'main;a;b 5\nmain;c 3\n'


def rows_of(tsv):
    """Rows of calls as dictionaries; numbers as such."""
    lines = [line.split('\t') for line in tsv.splitlines()]
    return [{key: int(cell) if cell.isdigit() else cell for key, cell in zip(lines[0], line)} for line in lines[1:]]


def read_calls(records):
    """Brute force: calls of well-nested records (thread, method, is_exit, cpu, wall), in the order of their ends."""
    stacks, calls = collections.defaultdict(list), []
    for thread, method, is_exit, cpu, wall in records:
        stack = stacks[thread]
        if not is_exit:
            stack.append([method, cpu, wall, 0])
            continue
        name, cpu_begin, begin, callees = stack.pop()
        calls.append((thread, begin, wall, cpu - cpu_begin, wall - begin - callees, len(stack) + 1, 'method%d' % name))
        if stack:
            stack[-1][3] += wall - begin
    return calls


def nested_records(n):
    """Two threads that take turns, with calls of different lengths."""
    records, open_calls, wall = [], {1: [], 2: []}, 100
    for i in range(n):
        thread, wall = 1 + i * i % 3 % 2, wall + i * 7 % 11
        stack = open_calls[thread]
        if stack and (i * 5 % 7 < 3 or len(stack) > 9):
            records.append((thread, stack.pop(), True, wall // 2, wall))
        else:
            stack.append(i * 3 % 8)
            records.append((thread, stack[-1], False, wall // 2, wall))
    for thread, stack in open_calls.items():
        while stack:
            wall += 1
            records.append((thread, stack.pop(), True, wall // 2, wall))
    return records


def written(records):
    text = text_part(3, 'dual', [(1, 'main'), (2, 'other')], method_lines(8))
    body = b''.join(struct.pack('<HIII', thread, method * METHOD_ID_STEP | is_exit, cpu, wall)
                    for thread, method, is_exit, cpu, wall in records)
    return text + binary_header(3, 14) + body


class TimeRange(DemoTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.plain = os.path.join(cls.server.folder, 'plain.folded')
        with open(cls.plain, 'wb') as f:
            f.write(FOLDED)

    def get(self, rest, status=200):
        answer = self.server.get(self.path + rest, Accept='text/html')
        self.assertEqual(answer.status, status, answer.text[:500])
        return answer

    def test_everything_is_cut(self):
        query = '?from=100000&to=150000'
        whole, part = (json.loads(self.get('.json' + q).text) for q in ('', query))
        for track in part['tracks']:
            self.assertLessEqual(track['totals']['wall'], 50000)
        self.assertLess(part['whole']['calls'], whole['whole']['calls'])
        self.assertIn('range-cut', [w['code'] for w in part['warnings']])
        methods = json.loads(self.get('/methods.json' + query).text)
        calls = sum(row[methods['columns'].index('calls')] for row in methods['rows'])
        self.assertEqual(calls, part['whole']['calls'])
        self.assertEqual(calls, len(self.get('/calls.tsv' + query).text.splitlines()) - 1)
        self.assertIn('100 ms to 150 ms', self.get('/t/merged.svg' + query).text)
        self.assertNotEqual(self.get('/verdict.txt' + query).text, self.get('/verdict.txt').text)
        stacks = self.get('/t/all.folded.txt' + query).text.splitlines()
        self.assertEqual(collections.Counter({line.rsplit(' ', 1)[0]: int(line.rsplit(' ', 1)[1]) for line in stacks}),
                         folded(self.file, 'wall', *between(100000, 150000)))

    def test_distribution_counts_where_a_call_was_entered(self):
        rows = json.loads(self.get('/methods.json?limit=1&sort=calls').text)
        method = '.'.join(rows['rows'][0][rows['columns'].index(column)] for column in ('class', 'method'))
        counts = []
        for query in ('', '&to=123456', '&from=123456'):
            answer = self.server.get('%s/m/%s.json?longest=1%s' % (self.path, urllib.parse.quote(method), query))
            self.assertEqual(answer.status, 200, answer.text)
            counts.append(json.loads(answer.text)['durations']['calls'])
        self.assertGreater(counts[0], 10)
        self.assertEqual(counts[0], counts[1] + counts[2])

    def test_nothing_in_it(self):
        """A window outside is valid, says that it is empty, and what to do."""
        query, said = '?from=99999999000&to=99999999999', 'There is nothing in the chosen range'
        for path in ('/methods.txt', '/verdict.txt', '/verdict.json'):
            self.assertIn(said, self.get(path + query).text, path)
        self.assertEqual(json.loads(self.get('/methods.json' + query).text)['rows'], [])
        self.assertEqual(self.get('/t/all.folded.txt' + query).text, '')
        for path in ('/t/merged', '/methods', '/verdict', '/m/android.os.Looper.loop'):
            page = self.get(path + query).text
            (link,) = re.findall('<p id="empty-range".*href="([^"]*)">Show the whole recording</a>', page)
            self.assertIn(said, page)
            self.assertNotIn('from=', link)
        self.assertNotIn('empty-range', self.get('/t/merged').text)
        chart = self.get('/t/%d.svg%s&view=chart' % (json.loads(self.get('.json').text)['tracks'][0]['id'], query)).text
        self.assertIn('0 calls; the thread ends before it', chart)

    def test_a_method_that_did_not_run_in_it(self):
        for path in ('/m/android.os.Looper.loop.json?', '/m/android.os.Looper.loop.json?longest=1&'):
            method = json.loads(self.get(path + 'from=99999999000').text)
            self.assertIn('did not run in the chosen range', method['note'])
            self.assertEqual((method['calls'], method['parents'], method['threads']), (0, [], []))
            self.assertEqual(method['id'], json.loads(self.get(path).text)['id'])
        self.assertNotIn('note', json.loads(self.get('/m/android.os.Looper.loop.json').text))
        self.assertIn('did not run in the chosen range', self.get('/m/android.os.Looper.loop.txt?from=99999999000').text)
        self.get('/m/%s.txt?from=99999999000' % method['id'])
        for query in ('', '?from=99999999000'):
            self.get('/m/no.such.method' + query, 404)

    def test_page_says_it_and_takes_it_away(self):
        page = self.get('?from=100000&to=150000').text
        self.assertIn('id="range"', page)
        self.assertIn('100 ms to 150 ms', page)
        self.assertIn('from=100000&amp;to=150000', page)
        self.assertNotIn('id="range"', self.get('').text)

    def test_windows_from_the_log(self):
        """The first window has the log of calls made, the others read a part of it: the same as on the command line."""
        file = os.path.join(self.server.folder, 'long.trace')
        with open(file, 'wb') as f:
            f.write(written(nested_records(60000)))
        with open(file, 'rb') as f:
            path = '/p/' + id_of(self.server.upload(f.read()))
        for begin, end in ((0, 10), (150000, 152000), (100, 290000), (200000, None), (1, 2), (299000, 10 ** 7)):
            query = '&'.join(['from=%d' % begin] + (['to=%d' % end] if end is not None else []))
            answer = self.server.get('%s/t/all.folded.txt?%s' % (path, query))
            done = run('render', file, '--output', 'folded', '--track', 'all', *between(begin, end))
            self.assertEqual(answer.body, done.stdout)
            cut = [w['text'] for w in json.loads(self.server.get('%s.json?%s' % (path, query)).text)['warnings']]
            self.assertEqual(cut, [line[len('warning: '):] for line in done.stderr.decode().splitlines()])

    def test_refused(self):
        for query in ('from=5&to=5', 'from=6&to=5', 'from=x', 'to=-1', 'to=0'):
            for rest in ('', '.json', '/t/merged.svg', '/methods.tsv', '/calls.tsv', '/verdict.txt'):
                self.get('%s?%s' % (rest, query), 400)
        for arguments in (('--from', '5', '--to', '5'), ('--from', 'x')):
            for command in ('info', 'methods', 'calls', 'verdict'):
                run(command, self.file, *arguments, status=2)

    def test_what_can_be_read_only_once(self):
        with open(self.file, 'rb') as f:
            content = f.read()
        for command in (['calls'], ['methods', '--from', '5', '--to', '900'], ['export', 'chrome', '-o', '-'],
                        ['export', 'speedscope', '-o', '-', '--from', '5']):
            of_file, of_pipe = run(*command, self.file).stdout, run(*command, '-', input=content).stdout
            self.assertTrue(of_file, command)
            self.assertEqual(of_pipe.replace(b'standard input', os.path.basename(self.file).encode()), of_file, command)

    def test_outside_is_empty(self):
        self.assertIn('There is nothing in the chosen range', self.get('?from=900000000000').text)
        done = run('methods', self.file, '--from', '900000000000')
        self.assertEqual(len(done.stdout.splitlines()), 1)
        self.assertIn(b'There is nothing in the chosen range', done.stderr)
        self.assertEqual(run('render', self.file, '--output', 'folded', '--from', '900000000000').stdout, b'')

    def test_without_times(self):
        self.assertIn(b'no times', run('methods', self.plain, '--from', '1', status=2).stderr)
        self.assertIn(b'no calls', run('calls', self.plain, status=2).stderr)
        path = '/p/' + id_of(self.server.upload(FOLDED))
        self.assertEqual(self.server.get(path + '/methods.tsv?from=1').status, 400)
        self.assertEqual(self.server.get(path + '/calls').status, 400)


class Calls(ServiceTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.records = nested_records(3000)
        cls.file = os.path.join(cls.server.folder, 'calls.trace')
        with open(cls.file, 'wb') as f:
            f.write(written(cls.records))
        with open(cls.file, 'rb') as f:
            cls.path = '/p/' + id_of(cls.server.upload(f.read()))

    def test_all_calls(self):
        rows = rows_of(run('calls', self.file).stdout.decode())
        self.assertEqual([tuple(row[key] for key in ('thread', 'start', 'end', 'cpu', 'self', 'depth', 'method'))
                          for row in rows], read_calls(self.records))

    def test_the_service_sends_the_same(self):
        for suffix in ('tsv', 'csv', 'json', 'txt'):
            answer = self.server.get('%s/calls.%s' % (self.path, suffix))
            self.assertEqual(answer.body, run('calls', self.file, '--format', suffix).stdout)
        self.assertEqual(self.server.get(self.path + '/calls').body, run('calls', self.file).stdout)
        rows = json.loads(self.server.get(self.path + '/calls', Accept='application/json').text)
        self.assertEqual(len(rows['calls']), len(read_calls(self.records)))
        self.assertEqual(self.server.get(self.path + '/calls.svg').status, 404)

    def test_range_tracks_and_filters(self):
        rows = rows_of(run('calls', self.file, '--from', '3000', '--to', '9000', '--track', 'other').stdout.decode())
        expected = [call for call in read_calls(self.records) if call[0] == 2 and 3000 <= call[1] < 9000]
        self.assertEqual([(row['start'], row['end']) for row in rows], [call[1:3] for call in expected])
        hidden = rows_of(self.server.get(self.path + '/calls.tsv?hide=/method3$/').text)
        self.assertNotIn('method3', [row['method'] for row in hidden])
        everything = rows_of(run('calls', self.file).stdout.decode())
        top = sum(row['self'] for row in everything if row['method'] == 'method3' and row['depth'] == 1)
        self.assertEqual(sum(row['self'] for row in hidden) + top, sum(row['self'] for row in everything))

    def test_a_result_appears_whole(self):
        target = os.path.join(self.server.folder, 'calls.tsv')
        run('calls', self.file, '-o', target)
        with open(target, 'rb') as f:
            self.assertEqual(f.read(), run('calls', self.file).stdout)
        run('calls', self.file, '-o', self.file, status=2)

    def test_many_calls(self):
        """The reading ends when the client leaves, and its place is free again."""
        path = '/p/' + id_of(self.server.upload(trace(records=400000)))
        for _ in range(8):
            with self.server.connect() as connection:
                connection.sendall(b'GET %s/calls HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n' % path.encode())
                connection.recv(1000)
        eventually(lambda: self.server.get(path + '/calls').status == 200)


class SlowReader(ServiceTest):
    CONFIG = {'workers': 1, 'profile_cache_bytes': 0, 'idle_timeout_s': 600}

    def test_a_list_that_is_not_read_stops_nobody(self):
        many, other = ('/p/' + id_of(self.server.upload(trace(records=n))) for n in (400000, 20))
        self.server.stop()
        self.server.start()
        with self.server.connect() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(b'GET %s/calls HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n' % many.encode())
            self.assertIn(b' 200 ', connection.recv(1000))
            self.assertEqual(self.server.get(other + '/methods.tsv').status, 200)
