"""A service whose way to its object store does what networks do. Each fault has its sentence, ends within its time, is over
when it is over, and nothing wrong is shown or acknowledged."""
import json
import os
import threading
import time
import unittest

import object_store
import support
from fault_proxy import FaultProxy
from support import eventually, id_of, token_of, trace
from test_store_bucket import BucketTest

HEAD = 20_000        # of a connection: small requests and answers pass, a file does not
AWAY = 'the object store does not answer'
ENDS_S = 60          # of a fault, where an attempt has failed after three seconds: a wide border, for busy machines


def content_of(number):
    return trace(records=20000, salt=number)


class FaultTest(BucketTest):
    count = 0      # uploads so far, each of other bytes

    def setUp(self):
        super().setUp()
        self.proxy = FaultProxy(self.store_port())
        self.addCleanup(self.proxy.end)
        self.near = self.service('near')
        self.far = self.service('far', s3_endpoints=self.proxy.url, s3_stalled_s=3)

    def store_port(self):
        return self.bucket.http.server_port

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
        self.count += 1
        content = content_of(self.count)
        path = '/p/%s/raw' % id_of(self.stored(self.near, content))
        # The record and its like are small, and pass.
        self.assertEqual(self.far.get(path.replace('/raw', '/status.json')).status, 200)
        self.proxy.set(fault, after)
        self.is_told(self.timed(lambda: self.far.get(path)), status, words)
        self.proxy.set('pass')
        self.assertTrue(eventually(lambda: self.far.get(path).status == 200))
        self.assertEqual(self.far.get(path).body, content)

    def upload_with(self, fault, after, status, words):
        self.assertTrue(eventually(lambda: self.far.upload(trace()).status == 201))
        before = {key for key in self.bucket.objects if '/uploads/' in key}
        self.proxy.set(fault, after, upwards=True)
        self.is_told(self.timed(lambda: self.far.upload(content_of(after))), status, words)
        self.assertEqual({key for key in self.bucket.objects if '/uploads/' in key}, before)
        self.proxy.set('pass')
        self.assertTrue(eventually(lambda: self.far.upload(content_of(after)).status == 201))


READS = {'slow': (503, AWAY), 'hole': (503, AWAY), 'reset': (503, AWAY), 'cut': (503, AWAY), '503': (503, AWAY),
         'wrong': (502, 'The stored bytes are not those that were uploaded.')}
UPLOADS = {**READS, 'wrong': (503, 'Other bytes arrived at the object store')}


class Faults(FaultTest):
    def test_read_slow(self):
        self.read_with('slow', HEAD, *READS['slow'])

    def test_read_hole(self):
        self.read_with('hole', HEAD, *READS['hole'])

    def test_read_reset(self):
        self.read_with('reset', HEAD, *READS['reset'])

    def test_read_cut(self):
        self.read_with('cut', HEAD, *READS['cut'])

    def test_read_refused(self):
        self.read_with('503', 0, *READS['503'])

    def test_read_wrong(self):
        self.read_with('wrong', HEAD, *READS['wrong'])

    def test_upload_slow(self):
        self.upload_with('slow', HEAD, *UPLOADS['slow'])

    def test_upload_hole(self):
        self.upload_with('hole', HEAD, *UPLOADS['hole'])

    def test_upload_reset(self):
        self.upload_with('reset', HEAD, *UPLOADS['reset'])

    def test_upload_cut(self):
        self.upload_with('cut', HEAD, *UPLOADS['cut'])

    def test_upload_refused(self):
        self.upload_with('503', 0, *UPLOADS['503'])

    def test_upload_wrong(self):
        self.upload_with('wrong', HEAD, *UPLOADS['wrong'])


class OnCeph(FaultTest):
    """The same with a real store."""
    def setUp(self):
        self.told = object_store.ceph(self)
        super().setUp()

    def store_port(self):
        return int(self.told['S3_ENDPOINT'].rsplit(':', 1)[1])

    def service(self, cache='a', **config):
        keys = os.path.join(self.folder, 'ceph-keys')
        with open(keys, 'w') as f:
            f.write('%(AWS_ACCESS_KEY_ID)s\n%(AWS_SECRET_ACCESS_KEY)s\n' % self.told)
        return super().service(cache, **{'store': 's3://%s/team' % self.told['S3_BUCKET'], 's3_region': 'us-east-1',
                                         's3_endpoints': self.told['S3_ENDPOINT'], 's3_keys_file': keys, **config})

    def test_all(self):
        for fault in READS:
            # A new one: how often requests are tried again is bounded for all together.
            self.far = self.service('far-' + fault, s3_endpoints=self.proxy.url, s3_stalled_s=3)
            with self.subTest(fault):
                self.read_with(fault, 0 if fault == '503' else HEAD, *READS[fault])
                self.upload_with(fault, 0 if fault == '503' else HEAD, *UPLOADS[fault])


class Connections(BucketTest):
    """The threads of the connections wait for no object store: others are served meanwhile."""
    def setUp(self):
        super().setUp()
        self.proxy = FaultProxy(self.bucket.http.server_port)
        self.addCleanup(self.proxy.end)
        self.near = self.service('near')
        self.far = self.service('far', s3_endpoints=self.proxy.url, s3_stalled_s=3600)

    def ask_while_it_hangs(self, *asks):
        """The answers. More are asked for at a time than there are threads, and all wait."""
        said = []

        def ask(what, number):
            said.append(what(number))
        threads = [threading.Thread(target=ask, args=(what, number)) for what in asks for number in range(8)]
        self.proxy.set('hole', upwards=None)
        for thread in threads:
            thread.start()
        self.assertTrue(eventually(lambda: self.proxy.held))
        for _ in range(20):
            self.assertEqual(self.far.get('/healthz').status, 200)
        self.assertEqual(said, [])
        self.proxy.set('pass')
        for thread in threads:
            thread.join()
        return said

    def ids(self):
        return [id_of(self.stored(self.near, trace(salt=number))) for number in range(9)]

    def test_looks(self):
        ids = self.ids()
        said = self.ask_while_it_hangs(lambda n: self.far.get('/p/%s/verdict.txt' % ids[n]),
                                       lambda n: self.far.get('/d/%s..%s' % (ids[n], ids[n + 1])))
        self.assertEqual([answer.status for answer in said], [200] * 16)

    def test_looks_at_the_same_upload_ask_once(self):
        identity = self.ids()[0]
        before = len(self.bucket.requests)
        self.assertEqual([answer.status for answer in self.ask_while_it_hangs(lambda n: self.far.get('/p/%s/raw' % identity))],
                         [200] * 8)
        lists = [key for _, key in self.bucket.requests[before:] if key.startswith('?') and identity in key]
        self.assertLess(len(lists), 4)       # 1, but for those who came a second later

    def test_tools(self):
        ids = self.ids()

        def call(name, **arguments):
            message = {'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call', 'params': {'name': name, 'arguments': arguments}}
            return self.far.request('POST', '/mcp', json.dumps(message), Content_Type='application/json')
        said = self.ask_while_it_hangs(lambda n: call('verdict', profile=ids[n]),
                                       lambda n: call('diff', a=ids[n], b=ids[n + 1]))
        self.assertEqual([json.loads(answer.body)['result']['isError'] for answer in said], [False] * 16)

    def test_names(self):
        answers = [self.stored(self.near, trace(salt=number)) for number in range(9)]

        def send(n, *parts):
            kind, body = support.form(('token', None, token_of(answers[n]).encode()), *parts)
            return self.far.request('POST', '/p/%s/mapping' % id_of(answers[n]), body, Content_Type=kind)
        mapping = b'com.real.Name -> com.example.Class0:\n'
        said = self.ask_while_it_hangs(lambda n: send(n, ('mapping', 'mapping.txt', mapping)))
        self.assertEqual([answer.status for answer in said], [200] * 8)
        earlier = ('from', None, id_of(answers[0]).encode()), ('from_token', None, token_of(answers[0]).encode())
        said = self.ask_while_it_hangs(lambda n: send(n + 1, *earlier))
        self.assertEqual([answer.status for answer in said], [200] * 8)

    def test_names_for_an_upload_that_is_none(self):
        kind, body = support.form(('mapping', 'mapping.txt', b'com.real.Name -> com.example.Class0:\n' * 10000))
        answer = self.far.request('POST', '/p/%s/mapping' % ('a' * 26), body, Content_Type=kind)
        self.assertEqual(answer.status, 404, answer)


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
