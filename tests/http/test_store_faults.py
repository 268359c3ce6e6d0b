"""A service whose way to its object store does what networks do. Each fault has its sentence, ends within its time, is over
when it is over, and nothing wrong is shown or acknowledged."""
import threading
import time
import unittest

import support
from fault_proxy import FaultProxy
from support import eventually, id_of, trace
from test_store_bucket import BucketTest

HEAD = 20_000        # of a connection: small requests and answers pass, a file does not
AWAY = 'the object store does not answer'
ENDS_S = 60          # of a fault, where an attempt has failed after one second: a wide border, for busy machines


def content_of(number):
    return trace(records=20000, salt=number)


class Faults(BucketTest):
    def setUp(self):
        super().setUp()
        self.proxy = FaultProxy(self.bucket.http.server_port)
        self.addCleanup(self.proxy.end)
        self.near = self.service('near')
        self.far = self.service('far', s3_endpoints=self.proxy.url, s3_stalled_s=1)

    def timed(self, ask):
        began = time.monotonic()
        answer = ask()
        self.assertLess(time.monotonic() - began, ENDS_S * (10 if support.sanitized() else 1))
        return answer

    def is_told(self, answer, status, words):
        self.assertEqual(answer.status, status, answer)
        self.assertIn(words, answer.text)
        if status == 503:
            self.assertIsNotNone(answer['Retry-After'])

    def read_with(self, fault, after, status, words):
        """What another machine stored is fetched on a bad way, and then on a good one."""
        content = content_of(after)
        path = '/p/%s/raw' % id_of(self.stored(self.near, content))
        # The record and its like are small, and pass.
        self.assertEqual(self.far.get(path.replace('/raw', '/status.json')).status, 200)
        self.proxy.set(fault, after)
        self.is_told(self.timed(lambda: self.far.get(path)), status, words)
        self.proxy.set('pass')
        self.assertTrue(eventually(lambda: self.far.get(path).status == 200))
        self.assertEqual(self.far.get(path).body, content)

    def upload_with(self, fault, after, status, words):
        self.assertEqual(self.far.upload(trace()).status, 201)
        before = {key for key in self.bucket.objects if '/uploads/' in key}
        self.proxy.set(fault, after, upwards=True)
        self.is_told(self.timed(lambda: self.far.upload(content_of(after))), status, words)
        self.assertEqual({key for key in self.bucket.objects if '/uploads/' in key}, before)
        self.proxy.set('pass')
        self.assertTrue(eventually(lambda: self.far.upload(content_of(after)).status == 201))

    def test_read_slow(self):
        self.read_with('slow', HEAD, 503, AWAY)

    def test_read_hole(self):
        self.read_with('hole', HEAD, 503, AWAY)

    def test_read_reset(self):
        self.read_with('reset', HEAD, 503, AWAY)

    def test_read_cut(self):
        self.read_with('cut', HEAD, 503, AWAY)

    def test_read_refused(self):
        self.read_with('503', 0, 503, AWAY)

    def test_read_wrong(self):
        self.read_with('wrong', HEAD, 502, 'The stored bytes are not those that were uploaded.')

    def test_upload_slow(self):
        self.upload_with('slow', HEAD, 503, AWAY)

    def test_upload_hole(self):
        self.upload_with('hole', HEAD, 503, AWAY)

    def test_upload_reset(self):
        self.upload_with('reset', HEAD, 503, AWAY)

    def test_upload_cut(self):
        self.upload_with('cut', HEAD, 503, AWAY)

    def test_upload_refused(self):
        self.upload_with('503', 0, 503, AWAY)

    def test_upload_wrong(self):
        self.upload_with('wrong', HEAD, 503, "Other bytes arrived at the object store")


class Stop(BucketTest):
    def test_a_stop_waits_for_no_transfer(self):
        """Neither for a file on its way here nor for one on its way there."""
        proxy = FaultProxy(self.bucket.http.server_port)
        self.addCleanup(proxy.end)
        near = self.service('near')
        far = self.service('far', s3_endpoints=proxy.url, s3_stalled_s=3600)
        path = '/p/%s' % id_of(self.stored(near, content_of(1)))
        self.assertEqual(far.get(path + '/status.json').status, 200)
        proxy.set('hole', HEAD, upwards=None)
        said = []

        def ask(what):
            said.append(what())
        threads = [threading.Thread(target=ask, args=(what,))
                   for what in (lambda: far.get(path + '/raw'), lambda: far.upload(content_of(2)))]
        for thread in threads:
            thread.start()
        self.assertTrue(eventually(lambda: len(proxy.held) == 2))
        self.assertEqual(far.stop(), 0)
        for thread in threads:
            thread.join()
        self.assertEqual([answer.status for answer in said], [503, 503])
        self.assertNotIn('stopped-hard', far.log())
        self.assertNotIn('object-store-away', far.log())
        far.start()


if __name__ == '__main__':
    unittest.main()
