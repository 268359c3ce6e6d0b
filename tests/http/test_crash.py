"""What was acknowledged survives the sudden end of the process: clients upload, change, delete and read until it is killed,
and then all that they know is looked at, byte by byte.

AFLAMED_TEST_ROUNDS says how often; `make crash ROUNDS=1000` sets it, and prints what was done."""
import functools
import hashlib
import http.client
import json
import os
import random
import re
import threading
import time
import unittest

from support import AFLAMED, Server, amount, form, id_of, in_parallel, token_of, trace

CLIENTS = 4
SIZES = (20, 200, 3000, 20000)     # records
ROUNDS = int(os.environ.get('AFLAMED_TEST_ROUNDS') or 0)
SEED = int(os.environ.get('AFLAMED_TEST_SEED') or 1)
GONE = None


@functools.lru_cache(maxsize=64)
def content_of(number):
    return trace(records=SIZES[number % len(SIZES)]).replace(b'pid=0', b'pid=%d' % number, 1)


class Upload:
    """One that was acknowledged. `names`: what it may be called now, or GONE; more than one only while a change is under way."""

    def __init__(self, identity, token, number):
        self.path, self.token, self.number, self.names = '/p/' + identity, token, number, {'x'}


class Client:
    """Does one thing after another until the service is gone. Nobody else changes its uploads."""

    def __init__(self, crash, n):
        self.server, self.n, self.random, self.uploads, self.sent = crash.server, n, random.Random(SEED * CLIENTS + n), [], 0
        self.done = dict.fromkeys(('upload', 'rename', 'delete', 'read'), 0)

    def run(self, gone):
        """`gone` is set before the process is killed."""
        try:
            for _ in range(10_000):
                self.act()
        except (OSError, http.client.HTTPException):
            if not gone.is_set():
                raise

    def act(self):
        there = [upload for upload in self.uploads[-20:] if GONE not in upload.names]
        what = self.random.choice(('upload', 'upload', 'upload', 'rename', 'delete', 'read')) if there else 'upload'
        answer = getattr(self, what)(self.random.choice(there) if there else None)
        if answer.status not in (200, 201):
            raise AssertionError('%s: %r' % (what, answer))
        self.done[what] += 1

    def upload(self, _):
        self.sent += 1
        number = self.sent * CLIENTS + self.n
        content, headers = content_of(number), {}
        body = self.random.choice((content, [content[:1000], content[1000:]], form(('trace', 'x', content))))
        if isinstance(body, tuple):
            headers['Content_Type'], body = body
        answer = self.server.request('POST', '/' if headers else '/?name=x', body, **headers)
        if answer.status == 201:
            self.uploads.append(Upload(id_of(answer), token_of(answer), number))
        return answer

    def change(self, upload, name, method, path, body=None, **headers):
        upload.names.add(name)
        answer = self.server.request(method, path, body, **headers)
        upload.names = {name} if answer.status == 200 else upload.names
        return answer

    def rename(self, upload):
        name = 'x%d' % self.random.randrange(10 ** 9)
        return self.change(upload, name, 'POST', upload.path + '/rename', 'token=%s&name=%s' % (upload.token, name),
                           Content_Type='application/x-www-form-urlencoded')

    def delete(self, upload):
        return self.change(upload, GONE, 'DELETE', upload.path, X_Delete_Token=upload.token)

    def read(self, upload):
        return self.server.get(upload.path + '/t/1.svg')


class Crash(unittest.TestCase):
    def setUp(self):
        if not AFLAMED:
            self.skipTest('AFLAMED names no program')
        self.random = random.Random(SEED)
        self.server = Server(profile_cache_bytes='1M')
        self.addCleanup(self.server.clean)
        self.clients = [Client(self, n) for n in range(CLIENTS)]
        self.bytes = 0

    def upload_s(self):
        """How long the machine takes for the largest one, on a disk that may be slow."""
        start = time.monotonic()
        self.server.upload(trace(records=SIZES[-1], salt=7))
        return time.monotonic() - start

    def crash(self):
        gone = threading.Event()

        def kill(_):
            time.sleep(self.random.uniform(0.001, self.longest_s))
            gone.set()
            self.server.kill()

        work = [lambda client=client: client.run(gone) for client in self.clients]
        in_parallel(lambda run: run(), [*work, lambda: kill(None)], threads=CLIENTS + 1)

    def check(self, uploads):
        """From now on the uploads are what they are found to be."""
        self.assertEqual(self.server.files('tmp'), [])

        def one(upload):
            facts, raw = self.server.get(upload.path + '.json'), self.server.get(upload.path + '/raw')
            name = GONE if (facts.status, raw.status) == (410, 410) else json.loads(facts.body)['name']
            self.assertIn(name, upload.names, (facts, raw))
            upload.names = {name}
            if name != GONE:
                content = content_of(upload.number)
                self.assertEqual((raw.status, raw.body == content), (200, True), upload.path)
                self.assertEqual(self.server.get(upload.path + '/t/1.svg').status, 200)
                self.bytes += len(content)

        in_parallel(one, uploads, threads=2)

    def check_others(self):
        """What came in without an answer is whole."""
        known = {upload.path[3:] for client in self.clients for upload in client.uploads}
        others = {re.split('[/.]', name)[1] for name in self.server.files('uploads')}
        others = [identity for identity in others if identity not in known]
        for identity in others:
            facts, raw = self.server.get('/p/%s.json' % identity), self.server.get('/p/%s/raw' % identity)
            self.assertEqual((facts.status, raw.status), (200, 200), identity)
            self.assertEqual(json.loads(facts.body)['sha256'], hashlib.sha256(raw.body).hexdigest())
        return len(others)

    def done(self):
        """How many requests of each kind were acknowledged."""
        return {what: sum(client.done[what] for client in self.clients) for what in self.clients[0].done}

    def is_enough(self):
        done = self.done()
        return done['upload'] > 10 and done['delete'] + done['rename'] > 0

    def test_killed_at_random_moments(self):
        self.longest_s = max(amount(0.12, 0.5), 3 * self.upload_s())
        rounds, n = ROUNDS or amount(20, 5, 1000), 0
        while n < rounds or (n < 20 * rounds and not self.is_enough()):     # on a slow machine little ends before the service does
            n += 1
            before = [len(client.uploads) for client in self.clients]
            self.crash()
            self.server.start()
            for client, first in zip(self.clients, before):     # changes are of the last ones, too
                self.check(client.uploads[max(0, first - 20):])
        self.check([upload for client in self.clients for upload in client.uploads])
        others = self.check_others()
        self.assertTrue(self.is_enough(), self.done())
        self.assertEqual(self.server.stop(), 0)
        if ROUNDS:
            print('%d rounds, seed %d: acknowledged were %s; %d uploads had no answer and are whole; %d bytes were compared' %
                  (n, SEED, ', '.join('%d of %s' % (count, what) for what, count in self.done().items()), others, self.bytes))


if __name__ == '__main__':
    unittest.main()
