"""Many at once: memory stays bounded, nobody is held up by slow clients, equal work is done once."""
import gzip
import json
import os
import re
import select
import shlex
import shutil
import socket
import tempfile
import threading
import time
import unittest

from support import (AFLAMED, GRACE_S, SOON_S, STOP_TIMEOUT_S, Server, ServiceTest, amount, eventually, head, id_of, in_parallel,
                     large_trace, read_answers, salted, sanitized, trace)

MIB = 1 << 20
IDLE_S = 60     # connections that do nothing are closed then: who is held up by them waits so long


class LittleMemory(unittest.TestCase):
    """As in a container: nobody has configured anything, and all addresses together are 256 MiB."""
    def setUp(self):
        if not AFLAMED:
            self.skipTest('AFLAMED names no program')
        if sanitized():
            self.skipTest('a sanitizer needs terabytes of addresses')
        self.folder = tempfile.mkdtemp(prefix='aflamed-memory-')
        self.addCleanup(shutil.rmtree, self.folder)

    def limited_server(self):
        script = os.path.join(self.folder, 'limited')
        with open(script, 'w') as file:
            file.write('#!/bin/sh\nulimit -v 262144\nexec %s "$@"\n' % shlex.quote(AFLAMED))
        os.chmod(script, 0o700)
        kind = type('Limited', (Server,), {'PROGRAM': script})
        server = kind(answer_memory_bytes='8M')
        self.addCleanup(server.clean)
        return server

    def test_each_request_is_answered(self):
        server = self.limited_server()
        contents = [large_trace(14 * MIB), large_trace(MIB), trace(records=3000)]
        targets = ('', '.json', '/t/all.svg', '/t/1.svg?view=chart', '/t/1.svg?view=sandwich', '/methods.json',
                   '/verdict.txt', '/raw')

        def client(i):
            answers = [server.upload(salted(contents[i % len(contents)], i))]
            if answers[0].status == 201:
                path = '/p/' + id_of(answers[0])
                answers += [server.get(path + target, Accept_Encoding='zstd' if i % 2 else 'identity')
                            for target in targets]
            return [answer.status for answer in answers]

        statuses = sum(in_parallel(client, range(48), threads=24), [])
        self.assertLessEqual(set(statuses), {200, 201, 413, 503}, server.log_tail())
        self.assertGreater(statuses.count(201), 10)
        self.assertGreater(statuses.count(200), 50)
        self.assertRegex(server.log(), r'info memory by=ulimit\\ -v limit=268435456 ')
        self.assertEqual(server.get('/healthz').status, 200)


class Uploads(ServiceTest):
    CONFIG = {'workers': 2, 'open_jobs': 4, 'job_memory_bytes': '16M', 'view_memory_bytes': '8M', 'profile_cache_bytes': '16M'}
    AT_ONCE = 64
    # Jobs that are open, views being drawn (working memory and bytes), the cache, the program itself, connections.
    CEILING_BYTES = (4 * 16 + 2 * 2 * 8 + 16 + 32) * MIB + AT_ONCE * 128 * 1024

    def test_64_at_once_within_the_memory_that_is_configured(self):
        base = large_trace(amount(5 * MIB, MIB))

        def one(i):
            answer = self.server.upload(salted(base, i))
            self.assertEqual(answer.status, 201, answer)
            return id_of(answer)

        identities = in_parallel(one, range(self.AT_ONCE), threads=self.AT_ONCE)
        self.assertEqual(len(set(identities)), self.AT_ONCE)
        if not sanitized():
            self.assertLess(self.server.peak_bytes(), self.CEILING_BYTES)
        for i in (0, self.AT_ONCE - 1):
            self.assertEqual(self.server.get('/p/%s/raw' % identities[i]).body, salted(base, i))

    def test_slow_uploads_do_not_hold_up_a_fast_one(self):
        """More slow ones than may be read at a time."""
        content = trace(records=3000)
        slow = [self.connection() for _ in range(20)]
        for connection in slow:
            connection.sendall(head('POST', '/', 'Content-Length: %d' % len(content)) + content[:1000])
        self.assertTrue(self.server.settled_connections(len(slow)))
        start = time.monotonic()
        for _ in range(5):
            self.stored(large_trace(MIB // 4))
        self.assertLess(time.monotonic() - start, IDLE_S / 2)
        for connection in slow:
            connection.sendall(content[1000:])
        for connection in slow:
            self.assertEqual(read_answers(connection, ('POST',))[0].status, 201)

    def test_client_that_does_not_read_its_answers(self):
        path = '/p/' + id_of(self.stored(large_trace(MIB)))
        silent = [self.connection() for _ in range(20)]
        for connection in silent:
            connection.sendall(head('GET', path + '/raw') * 20)
        start = time.monotonic()
        self.assertEqual(self.server.get(path + '/t/1.svg?width=1003').status, 200)
        self.assertLess(time.monotonic() - start, IDLE_S / 2)


class Answers(ServiceTest):
    """Clients that ask for much and take nothing of it: what they leave in memory has a limit."""
    MEMORY_BYTES = amount(16, 8) * MIB
    CONFIG = {'answer_memory_bytes': MEMORY_BYTES, 'views_in_memory_bytes': 0, 'profile_cache_bytes': 0, 'render_tracks': 0}
    THREADS = 40000     # some 5 MB of JSON, which no socket takes at once
    CLIENTS = amount(12, 6)

    def ask_and_not_read(self, target):
        connection = socket.socket()
        self.addCleanup(connection.close)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", self.server.port))
        connection.sendall(head('GET', target))
        return connection

    def refuse_and_recover(self, path, targets):
        silent = [self.ask_and_not_read(target) for target in targets]
        self.assertTrue(eventually(lambda: self.server.get(path + '.json').status == 503))
        refused = self.server.get(path + '.json', Accept='application/json')
        self.assertEqual((refused.status, refused['Retry-After']), (503, '10'))
        self.assertIn('too many answers under way', refused.text)
        self.assertEqual(self.server.get(path + '.txt').status, 200)
        upload = self.server.upload(trace(threads=1000, records=12000), Accept='application/json')
        self.assertEqual(upload.status, 201, upload)    # nobody could ask for its token again
        self.assertIn('delete_token', json.loads(upload.body))
        for connection in silent:
            connection.close()
        self.assertTrue(eventually(lambda: self.server.get(path + '.json').status == 200))

    def test_pages_and_views(self):
        path = '/p/' + id_of(self.stored(trace(threads=self.THREADS, records=12 * self.THREADS)))
        size = len(self.server.get(path + '.json').body)
        before = self.server.peak_bytes()
        self.refuse_and_recover(path, [path + '.json'] * self.CLIENTS)
        if not sanitized():     # what two threads are just making, and the upload, are beside what is held
            self.assertLess(self.server.peak_bytes() - before, self.MEMORY_BYTES + 6 * size)
        views = [path + '/t/all.json?width=%d' % (500 + i) for i in range(self.CLIENTS)]
        self.refuse_and_recover(path, views)
        sent = re.findall(r'target=\S+/t/all\.json\S* status=200', self.server.log())
        self.assertLess(len(sent), self.CLIENTS / 2)


class Views(ServiceTest):
    """No profile is kept in memory: each view that is made reads the upload again."""
    CONFIG = {'profile_cache_bytes': 0}
    REQUESTS = 200

    def test_equal_misses_share_one_job(self):
        path = '/p/' + id_of(self.stored(large_trace(4 * MIB)))
        before = self.server.cpu_s()
        for width in range(301, 311):
            self.assertEqual(self.server.get(path + '/t/all.svg?width=%d' % width).status, 200)
        one_s = (self.server.cpu_s() - before) / 10
        files, before = len(self.server.files('views')), self.server.cpu_s()
        answers = in_parallel(lambda _: self.server.get(path + '/t/all.svg?value=cpu&width=999'),
                              range(self.REQUESTS), threads=self.REQUESTS)
        used_s = self.server.cpu_s() - before
        self.assertEqual({a.status for a in answers}, {200})
        self.assertEqual(len({a.body for a in answers}), 1)
        self.assertEqual(len({a['ETag'] for a in answers}), 1)
        self.assertEqual(len(self.server.files('views')), files + 1)
        self.assertLess(used_s, one_s * self.REQUESTS / 2)

    def test_different_misses_at_once(self):
        path = '/p/' + id_of(self.stored(large_trace(MIB // 4)))
        widths = list(range(400, 400 + amount(100, 20)))
        answers = in_parallel(lambda w: self.server.get(path + '/t/all.svg?width=%d' % w), widths, threads=32)
        self.assertEqual({a.status for a in answers}, {200})
        for width, answer in zip(widths, answers):
            self.assertEqual(answer.body, self.server.get(path + '/t/all.svg?width=%d' % width).body)

    def test_failing_views_at_once(self):
        path = '/p/' + id_of(self.stored(trace()))
        answers = in_parallel(lambda _: self.server.get(path + '/t/99.svg'), range(64), threads=32)
        self.assertEqual({a.status for a in answers}, {404})

    def test_clients_that_leave_while_a_view_is_made(self):
        path = '/p/' + id_of(self.stored(large_trace(4 * MIB)))
        before = self.server.settled_descriptors()
        for width in range(500, 500 + amount(40, 10)):
            for _ in range(4):
                connection = self.server.connect()
                connection.sendall(head('GET', path + '/t/all.svg?width=%d' % width))
                connection.close()
        self.assertEqual(self.server.get(path + '/t/1.svg?width=499').status, 200)
        self.assertEqual(self.server.settled_descriptors(before), before)

    def test_deletion_while_views_are_made(self):
        for _ in range(amount(10, 3)):
            upload = self.stored(large_trace(MIB))
            path, token = '/p/' + id_of(upload), upload['X-Delete-URL'].rsplit('=', 1)[1]

            def one(i):
                if i == 4:
                    return self.server.request('DELETE', path, X_Delete_Token=token).status
                return self.server.get(path + '/t/all.svg?width=%d' % (600 + i)).status

            statuses = in_parallel(one, range(12), threads=12)
            self.assertEqual(statuses[4], 200)
            self.assertLessEqual(set(statuses), {200, 410})


class Fairness(ServiceTest):
    """Whoever waits takes nothing from those who could go on."""
    CONFIG = {'workers': 1, 'open_jobs': 4, 'profile_cache_bytes': 0, 'render_tracks': 0}

    ask_and_not_read = Answers.ask_and_not_read

    def test_a_small_upload_beside_charts_and_large_uploads(self):
        path = '/p/' + id_of(self.stored(large_trace(amount(4 * MIB, MIB))))
        large, answered, small = large_trace(amount(57 * MIB, 4 * MIB)), [], trace(records=300)
        charts = [self.connection() for _ in range(amount(100, 20))]
        for i, connection in enumerate(charts):
            connection.sendall(head('GET', path + '/t/1.svg?view=chart&width=%d' % (400 + i)))
        threads = [threading.Thread(target=lambda i=i: answered.append(self.server.upload(salted(large, i)).status))
                   for i in range(3)]
        for thread in threads:
            thread.start()
        for i in range(3):
            self.assertEqual(self.server.upload(salted(small, i)).status, 201)
        self.assertEqual(self.server.get(path + '/t/1.svg?width=399').status, 200)
        self.assertLess(len(answered), len(threads))      # it did not wait for all of them
        for connection in charts:
            self.assertEqual(read_answers(connection)[0].status, 200)
        for thread in threads:
            thread.join()
        self.assertEqual(answered, [201] * 3)

    def test_slow_readers_of_calls_hold_nothing(self):
        """One profile may be read at a time, and one turn is there to compute in."""
        for format_name in ('tsv', 'perfetto'):
            path = '/p/' + id_of(self.stored(salted(large_trace(8 * MIB), len(format_name))))
            slow = self.ask_and_not_read(path + '/calls.' + format_name)
            self.assertTrue(select.select([slow], [], [], SOON_S)[0])     # it has begun
            for width in range(3):
                begun = time.monotonic()
                self.assertEqual(self.server.get(path + '/t/1.svg?width=%d' % (500 + width)).status, 200)
                self.assertLess(time.monotonic() - begun, IDLE_S / 2)
            self.assertEqual(self.server.get(path + '/calls.tsv').status, 503)     # of these there is one at a time
            slow.close()
            self.assertTrue(eventually(lambda: self.server.get(path + '/calls.tsv').status == 200))

    def test_uploads_that_trickle_hold_no_thread_of_others(self):
        content = large_trace(MIB)
        slow = [self.connection() for _ in range(amount(300, 50, 1000))]
        for connection in slow:
            connection.sendall(head('POST', '/', 'Content-Length: %d' % len(content)) + content[:300 << 10])
        self.assertTrue(self.server.settled_connections(len(slow)))
        begun = time.monotonic()
        for i in range(5):
            self.stored(salted(content, i))
        self.assertLess(time.monotonic() - begun, IDLE_S / 2)
        for connection in slow[:20]:
            connection.sendall(content[300 << 10:])
        for connection in slow[:20]:
            self.assertEqual(read_answers(connection, ('POST',))[0].status, 201)


def long_work():
    """Small to send and long to read: 6 GB of folded stacks in very many members of gzip."""
    lines = b''.join(b'main;step%d;run %d\n' % (i * 7919 % 997, i * 31 % 1009) for i in range(600))
    return gzip.compress(lines + b'main;loop;again 1\n' * 40000, 9) * 8500


class Stop(unittest.TestCase):
    """SIGTERM: what is under way is finished or closed, and the process ends with 0."""

    def setUp(self):
        if not AFLAMED:
            self.skipTest('AFLAMED names no program')
        self.server = Server()
        self.addCleanup(self.server.clean)

    def assert_ends(self, status):
        self.assertEqual(status, 0, self.server.log_tail())     # None: it had to be killed
        self.assertNotIn('Sanitizer', self.server.log())

    def stop_in_background(self):
        result = []
        thread = threading.Thread(target=lambda: result.append(self.server.stop()))
        thread.start()
        return thread, result

    def test_idle(self):
        idle = self.server.connect()
        self.assertTrue(self.server.settled_connections(1))
        start = time.monotonic()
        self.assert_ends(self.server.stop())
        self.assertLess(time.monotonic() - start, GRACE_S)     # it does not wait for that one
        idle.close()

    def test_with_an_upload_that_goes_on(self):
        content = large_trace(MIB)
        with self.server.connect() as connection:
            connection.sendall(head('POST', '/', 'Content-Length: %d' % len(content), 'Expect: 100-continue'))
            self.assertEqual(connection.recv(100), b'HTTP/1.1 100 Continue\r\n\r\n')     # it is under way
            connection.sendall(content[:5000])
            thread, result = self.stop_in_background()
            self.assertTrue(self.server.says(' stopping '))
            connection.sendall(content[5000:])
            answer = read_answers(connection, ('POST',))[0]
            self.assertEqual(answer.status, 201)
        thread.join(STOP_TIMEOUT_S)
        self.assert_ends(result[0])
        self.server.start()
        self.assertEqual(self.server.get('/p/%s/raw' % id_of(answer)).body, content)

    def test_with_clients_that_do_nothing(self):
        """All of them at once: the grace is 10 seconds."""
        stored = '/p/' + id_of(self.server.upload(large_trace(MIB)))
        connections = []
        for sent in (head('POST', '/', 'Content-Length: 5000') + trace()[:100], b'GET / HTTP/1.1\r\nHos',
                     head('POST', '/', 'Transfer-Encoding: chunked') + b'10\r\n',
                     head('GET', stored + '/raw') * 50):
            connections.append(self.server.connect())
            connections[-1].sendall(sent)
        self.assertTrue(self.server.settled_connections(len(connections)))
        self.assert_ends(self.server.stop())
        for connection in connections:
            connection.close()

    def test_with_work_that_takes_longer(self):
        """One upload is read while it arrives, the other has arrived and is read from the disk."""
        self.server.clean()
        self.server = Server(workers=2, open_jobs=2)
        self.addCleanup(self.server.clean)
        content, answers = long_work(), []

        def upload():
            answers.append(self.server.upload(content))

        threads = [threading.Thread(target=upload) for _ in range(2)]
        for i, thread in enumerate(threads, 1):
            thread.start()
            self.assertTrue(eventually(lambda i=i: self.server.uploads_under_way() == i))
        self.assertEqual(self.server.get('/healthz').status, 200)
        start = time.monotonic()
        self.assert_ends(self.server.stop())
        self.assertGreater(time.monotonic() - start, GRACE_S / 2)     # else nothing was under way
        for thread in threads:
            thread.join(STOP_TIMEOUT_S)
        for answer in answers:
            self.assertEqual(answer.status, 503, answer)
            self.assertIn('the service is stopping', answer.text)
        # Nobody can be answered in the middle of his body: who still sends when the time is over is dropped.
        if not sanitized():
            self.assertGreaterEqual(len(answers), 1)
        self.assertEqual(self.server.files('uploads') + self.server.files('bytes'), [])

    def test_in_the_middle_of_everything(self):
        content, acknowledged, ended = large_trace(MIB // 2), {}, threading.Event()

        def upload(i):
            for j in range(1000):
                try:
                    answer = self.server.upload(salted(content, i * 1000 + j))
                    if answer.status == 503 and ended.is_set():
                        return
                    acknowledged[id_of(answer)] = salted(content, i * 1000 + j)
                    self.server.get('/p/%s/t/all.svg?width=%d' % (id_of(answer), 300 + j))
                except OSError:
                    if ended.is_set():
                        return
                    raise

        threads = [threading.Thread(target=upload, args=(i,), daemon=True) for i in range(8)]
        for thread in threads:
            thread.start()
        self.assertTrue(eventually(lambda: acknowledged))
        ended.set()
        self.assert_ends(self.server.stop())
        for thread in threads:
            thread.join(STOP_TIMEOUT_S)
        self.server.start()
        for identity, sent in acknowledged.items():
            self.assertEqual(self.server.get('/p/%s/raw' % identity).body, sent)


class Connections(ServiceTest):
    CONFIG = {'max_connections': 20, 'idle_timeout_s': 2}

    def test_more_than_allowed_wait_their_turn(self):
        """None is refused for good: idle ones make room."""
        for _ in range(40):
            self.connection()

        def alive():
            try:
                return self.server.get('/healthz').status == 200
            except OSError:
                return False
        self.assertTrue(eventually(alive))

    def test_many_requests_on_one_connection(self):
        with self.server.connect() as connection:
            for _ in range(200):
                connection.sendall(head('GET', '/version', 'Accept: application/json'))
                self.assertEqual(json.loads(read_answers(connection)[0].body)['name'], 'aflamed')


if __name__ == '__main__':
    unittest.main()
