"""What was acknowledged survives the sudden end of the process."""
import http.client
import random
import threading
import time
import unittest

from support import AFLAMED, Server, amount, in_parallel, trace

CLIENTS = 4
SIZES = (20, 200, 3000, 20000)     # records


class Crash(unittest.TestCase):
    ROUNDS = 100

    def setUp(self):
        if not AFLAMED:
            self.skipTest('AFLAMED names no program')
        self.random = random.Random(1)
        self.server = Server(profile_cache_bytes='1M')
        self.addCleanup(self.server.clean)
        self.acknowledged = {}     # id -> what was sent

    def upload_until_it_is_gone(self, salt, gone):
        """Uploads on one connection at a time; `gone` is set before the process is killed."""
        for i in range(10_000):
            records = SIZES[(salt + i) % len(SIZES)]
            content = trace(records=records, salt=0).replace(b'pid=0', b'pid=%d' % (salt * 100_000 + i), 1)
            try:
                answer = self.server.upload(content)
            except (OSError, http.client.HTTPException):
                if gone.is_set():
                    return
                raise
            if answer.status != 201:
                raise AssertionError(answer)
            self.acknowledged[answer['Location'].rsplit('/', 1)[1]] = content

    def upload_s(self):
        """How long the machine takes for the largest one, on a disk that may be slow."""
        start = time.monotonic()
        self.server.upload(trace(records=SIZES[-1]))
        return time.monotonic() - start

    def crash(self, number):
        gone = threading.Event()

        def kill(_):
            time.sleep(self.random.uniform(0.001, self.longest_s))
            gone.set()
            self.server.kill()

        work = [lambda i=i: self.upload_until_it_is_gone(number * CLIENTS + i, gone) for i in range(CLIENTS)]
        in_parallel(lambda run: run(), [*work, lambda: kill(None)], threads=CLIENTS + 1)

    def check(self, identities):
        self.assertEqual(self.server.files('tmp'), [])

        def one(identity):
            raw = self.server.get('/p/%s/raw' % identity)
            self.assertEqual((raw.status, raw.body), (200, self.acknowledged[identity]))
            for suffix in ('.json', '/t/1.svg'):
                self.assertEqual(self.server.get('/p/' + identity + suffix).status, 200)

        in_parallel(one, identities, threads=2)

    def test_killed_at_random_moments_during_uploads(self):
        self.longest_s = max(amount(0.12, 0.5), 3 * self.upload_s())
        for number in range(amount(self.ROUNDS, 10, 1000)):
            before = set(self.acknowledged)
            self.crash(number)
            self.server.start()
            self.check(set(self.acknowledged) - before)
        self.check(self.acknowledged)
        self.assertGreater(len(self.acknowledged), 10)
        self.assertEqual(self.server.stop(), 0)


if __name__ == '__main__':
    unittest.main()
