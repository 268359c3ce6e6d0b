"""A service that keeps its uploads in an object store, beside a second one that does the same: what one does the other knows,
an object store that is away or damaged is told truthfully, and every backend keeps the promises of the store."""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import threading
import time
import unittest
import urllib.request

import object_store
import support
from object_store import ACCESS, BUCKET, SECRET
from support import Server, eventually, heavy_trace, id_of, token_of, trace
from team import STARTUP, Team

NAME = 's3://' + BUCKET + '/team'
LONG_LINE = b'main;first;' + b'second' * 660 + b' 5\n'      # folded stacks of 4,000 bytes: much to send, little to read


def run_backends(test, bucket, endpoints, region, access, secret):
    """The unit test of the backends, on a bucket: without copies on this machine, and with them."""
    program = os.path.join(os.environ.get('AFLAMED_TEST_UNIT', ''), 'test_store_backends')
    if not os.path.exists(program):
        test.skipTest('AFLAMED_TEST_UNIT has no test_store_backends')
    for copies in ({}, {'AFLAMED_TEST_BUCKET_COPIES': '1'}):
        environment = {**os.environ, 'AFLAMED_TEST_BUCKET': bucket, 'AFLAMED_TEST_BUCKET_ENDPOINTS': endpoints,
                       'AFLAMED_TEST_BUCKET_REGION': region, 'AWS_ACCESS_KEY_ID': access, 'AWS_SECRET_ACCESS_KEY': secret,
                       'no_proxy': '127.0.0.1', **copies}
        done = subprocess.run([program], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=support.TIMEOUT_S)
        test.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])


class Backends(unittest.TestCase):
    def test_bucket(self):
        bucket = object_store.ObjectStore()
        self.addCleanup(bucket.end)
        run_backends(self, 's3://' + BUCKET + '/t', bucket.url, object_store.REGION, ACCESS, SECRET)

    def test_ceph(self):
        told = object_store.ceph(self)
        run_backends(self, 's3://%s/t' % told['S3_BUCKET'], told['S3_ENDPOINT'], 'us-east-1', told['AWS_ACCESS_KEY_ID'],
                     told['AWS_SECRET_ACCESS_KEY'])


class BucketTest(unittest.TestCase):
    def setUp(self):
        self.bucket = object_store.ObjectStore()
        self.addCleanup(self.bucket.end)
        self.folder = support.folder_of(self)
        self.keys = os.path.join(self.folder, 'keys')
        with open(self.keys, 'w') as f:
            f.write('%s\n%s\n' % (ACCESS, SECRET))

    def service(self, cache='a', **config):
        server = Server(store=config.pop('store', NAME), cache=os.path.join(self.folder, cache), **{
            's3_endpoints': self.bucket.url, 's3_region': object_store.REGION, 's3_keys_file': self.keys, **config})

        def end():
            status, said = server.stop(), server.log()
            server.clean()
            self.assertEqual(status, 0, said[-3000:])
            self.assertNotIn('Sanitizer', said)
        self.addCleanup(end)
        return server

    def stored(self, server, content=None):
        answer = server.upload(trace() if content is None else content)
        self.assertEqual(answer.status, 201, answer)
        return answer

    def away(self):
        """The object store answers no request any more."""
        self.bucket.faults.append(('', '', 'drop', 1 << 30))

    def back(self):
        self.bucket.faults.clear()


class Two(BucketTest):
    def setUp(self):
        super().setUp()
        self.a, self.b = self.service('a'), self.service('b')

    def test_what_one_stores_the_other_shows(self):
        content = trace(salt=1)
        path = '/p/' + id_of(self.stored(self.a, content))
        self.assertEqual(self.b.get(path + '/raw').body, content)
        for output in ('.json', '/verdict.txt', '/t/all.svg', '/t/all.folded.txt'):
            one, other = self.a.get(path + output), self.b.get(path + output)
            self.assertEqual((one.status, other.status), (200, 200), output)
            self.assertEqual(re.sub(rb':%d/' % self.a.port, b':%d/' % self.b.port, one.body), other.body, output)

    def test_a_change_is_seen_within_two_seconds(self):
        answer = self.stored(self.a)
        path = '/p/' + id_of(answer)

        def name():
            return json.loads(self.a.get(path + '.json').body).get('name')
        self.assertNotEqual(name(), 'renamed')
        changed = self.b.request('POST', path + '/rename', 'token=%s&name=renamed' % token_of(answer))
        self.assertEqual(changed.status, 200, changed)
        self.assertTrue(eventually(lambda: name() == 'renamed', 2 if not support.sanitized() else 20))

    def test_a_deleted_one_is_gone_everywhere(self):
        answer = self.stored(self.a)
        path = '/p/' + id_of(answer)
        self.assertEqual(self.b.get(path + '/t/all.svg').status, 200)
        self.assertEqual(self.b.request('DELETE', path, X_Delete_Token=token_of(answer)).status, 200)
        self.assertEqual(self.b.get(path).status, 410)
        self.assertTrue(eventually(lambda: self.a.get(path).status == 410, 2 if not support.sanitized() else 20))
        self.assertEqual([key for key in self.bucket.objects if not key.startswith('team/keys/')],
                         ['team/gone/' + id_of(answer)])

    def test_a_space_is_listed_by_both(self):
        answer = self.a.upload(trace(salt=2), '/?space=both&label.run=1&name=one')

        def listed(server, query=''):
            return [row['name'] for row in json.loads(server.get('/s/both.json' + query).body)['profiles']]
        self.assertEqual((listed(self.a), listed(self.b)), (['one'], ['one']))
        self.assertEqual(self.b.upload(trace(salt=3), '/?space=both&name=two').status, 201)
        self.assertTrue(eventually(lambda: sorted(listed(self.a)) == ['one', 'two']))
        changed = self.b.request('POST', '/p/%s/rename' % id_of(answer), 'token=%s&label.run=2' % token_of(answer))
        self.assertEqual(changed.status, 200, changed)
        self.assertTrue(eventually(lambda: (listed(self.a, '?q=run:1'), listed(self.a, '?q=run:2')) == ([], ['one'])))
        self.assertEqual(self.b.request('DELETE', '/p/' + id_of(answer), X_Delete_Token=token_of(answer)).status, 200)
        self.assertEqual(listed(self.b), ['two'])
        self.assertTrue(eventually(lambda: listed(self.a) == ['two']))
        self.assertTrue(eventually(lambda: not any('/spaces/' in key and id_of(answer) in key for key in self.bucket.objects)))
        self.away()
        self.assertEqual(listed(self.a), ['two'])
        self.assertEqual(self.b.get('/s/unread').status, 503)
        self.back()

    def test_a_series_needs_no_upload_of_the_other(self):
        team = Team(self.a, 'series', seed=4)
        answers = [team.upload(STARTUP, commit='c%d' % i, branch='main') for i in range(4)]

        def digests():
            return [key for key in self.bucket.objects if key.endswith('-digest')]
        self.assertTrue(eventually(lambda: len(digests()) == 4))
        at = len(self.bucket.requests)
        for query in ('series.json?of=com.example.feed.Json.parse', 'check.json?q=commit:c3&baseline=branch:main'):
            texts = [server.get('/s/series/' + query).text.replace(':%d/' % server.port, '/') for server in (self.a, self.b)]
            self.assertEqual(*texts)
        self.assertEqual([key for method, key in self.bucket.requests[at:] if method == 'GET' and '/bytes/' in key], [])
        at = len(self.bucket.requests)
        self.assertEqual(self.b.get('/s/series/series.json?of=com.example.feed.Db.query').status, 200)
        self.assertEqual([key for method, key in self.bucket.requests[at:] if method == 'GET' and ('uploads/' in key or 'digest' in key)
                          and not key.startswith('?')], [])
        # They are of the upload in its space: they go with either.
        for server, do in ((self.b, lambda path, token: self.b.request('POST', path + '/rename', 'space=&token=' + token)),
                           (self.a, lambda path, token: self.a.request('DELETE', path, X_Delete_Token=token))):
            answer = answers.pop()
            self.assertEqual(do('/p/' + id_of(answer), token_of(answer)).status, 200)
            self.assertFalse(any(id_of(answer) in key for key in digests()), server)
        changed = self.b.request('POST', '/p/%s/rename' % id_of(answers[0]), 'label.run=2&token=' + token_of(answers[0]))
        self.assertEqual(changed.status, 200, changed)
        self.assertEqual(sum(id_of(answers[0]) in key for key in digests()), 1)
        self.assertEqual(len(digests()), 2)
        # Names that come later make another digest, which is put once.
        before, at = digests(), len(self.bucket.requests)
        kind, body = support.form(('token', None, token_of(answers[0]).encode()),
                                  ('mapping', 'mapping.txt', b'com.real.Name -> com.example.feed.Json:\n'))
        self.assertEqual(self.a.request('POST', '/p/%s/mapping' % id_of(answers[0]), body, Content_Type=kind).status, 200)
        put = [key for method, key in self.bucket.requests[at:] if method == 'PUT' and key.endswith('-digest')]
        self.assertEqual((len(put), len(digests()), set(put) & set(before)), (1, 2, set()))
        self.assertIn(b'com.real.Name.parse', self.bucket.objects[put[0]])
        for server in (self.a, self.b):     # no digest is taken for an entry of the list
            self.assertNotIn('entry-not-read', server.log())

    def test_a_mapping_of_one_names_the_methods_of_the_other(self):
        answer = self.stored(self.a)
        path = '/p/' + id_of(answer)
        kind, body = support.form(('token', None, token_of(answer).encode()),
                                  ('mapping', 'mapping.txt', b'com.real.Name -> com.example.Class0:\n'))
        self.assertEqual(self.a.request('POST', path + '/mapping', body, Content_Type=kind).status, 200)
        self.assertTrue(eventually(lambda: b'com.real.Name' in self.b.get(path + '/t/all.folded.txt').body))

    def test_members_of_an_archive_are_copied_by_the_object_store(self):
        archive = object_store.zip_of({'one.trace': trace(salt=1), 'two.trace': trace(salt=2)})
        answer = self.a.upload(archive, target='/?member=all')
        self.assertEqual(answer.status, 201, answer)
        puts = [request for request in self.bucket.requests if request[0] == 'PUT' and '/bytes/' in request[1]]
        self.assertEqual(len(puts), 2)
        ids = sorted(key.rsplit('/', 1)[1] for key in self.bucket.objects if '/bytes/' in key)
        for one in ids:
            self.assertEqual(self.b.get('/p/%s/verdict.txt' % one).status, 200)


class Copies(BucketTest):
    def test_a_machine_that_lost_its_cache_has_all(self):
        server = self.service()
        content = trace(salt=3)
        path = '/p/' + id_of(self.stored(server, content))
        self.assertEqual(server.stop(), 0)
        shutil.rmtree(os.path.join(self.folder, 'a'))
        server.start()
        self.assertEqual(server.get(path + '/raw').body, content)

    def test_bytes_are_fetched_once(self):
        server, other = self.service('a'), self.service('b')
        path = '/p/' + id_of(self.stored(server, trace(records=200_000)))     # in more than one piece
        for width in range(600, 605):
            self.assertEqual(server.get(path + '/t/all.svg?width=%d' % width).status, 200)
        self.assertFalse([r for r in self.bucket.requests if r[0] == 'GET' and '/bytes/' in r[1]])
        for width in range(600, 605):
            self.assertEqual(other.get(path + '/t/all.svg?width=%d' % width).status, 200)
            self.assertEqual(other.get(path + '/raw').status, 200)
        self.assertEqual(len([r for r in self.bucket.requests if r[0] == 'GET' and '/bytes/' in r[1]]), 1)

    def test_copies_keep_within_their_limit(self):
        server = self.service(views_on_disk_bytes='64K')
        for i in range(6):
            self.stored(server, trace(records=4000, salt=i))
        sizes = [os.path.getsize(os.path.join(folder, name))
                 for folder, _, names in os.walk(os.path.join(self.folder, 'a', 'views')) for name in names]
        self.assertLessEqual(sum(sizes), 64 << 10)

    def test_bytes_that_were_damaged_on_their_way_are_fetched_again(self):
        server, other = self.service('a'), self.service('b')
        path = '/p/' + id_of(self.stored(server))
        self.bucket.faults.append(('GET', 'team/bytes/', 'wrong', 1))
        self.assertEqual(other.get(path + '/verdict.txt').status, 200)
        self.assertIn('bytes-damaged', other.log())

    def test_damaged_bytes_are_never_shown(self):
        server, other = self.service('a'), self.service('b')
        path = '/p/' + id_of(self.stored(server))
        key = next(key for key in self.bucket.objects if '/bytes/' in key)
        self.bucket.objects[key] = b'\0' + self.bucket.objects[key][1:]
        for target in ('/raw', '/verdict.txt', '/t/all.svg'):
            answer = other.get(path + target)
            self.assertEqual(answer.status, 502, answer)
            self.assertIn('The stored bytes are not those that were uploaded.', answer.text)
        self.assertEqual(server.get(path + '/verdict.txt').status, 200)     # it has a copy of the right ones


class Parts(BucketTest):
    """A large file is sent in parts."""
    CONTENT = LONG_LINE * 18_000      # more than 64 MiB

    def setUp(self):
        super().setUp()
        self.server = self.service()

    def sent(self):
        return [method for method, key in self.bucket.requests if method in ('PUT', 'POST', 'DELETE') and '/bytes/' in key]

    def test_a_part_is_tried_again_for_itself(self):
        self.bucket.faults.append(('PUT', 'team/bytes/', '503 SlowDown', 1))
        path = '/p/' + id_of(self.stored(self.server, self.CONTENT))
        self.assertEqual(self.sent(), ['POST'] + 6 * ['PUT'] + ['POST'])
        self.assertEqual(self.service('b').get(path + '/raw').body, self.CONTENT)

    def test_parts_that_are_not_put_together_are_taken_away(self):
        self.bucket.faults.append(('PUT', 'team/bytes/', '503 SlowDown', 1 << 30))
        self.assertEqual(self.server.upload(self.CONTENT).status, 503)
        self.assertTrue(eventually(lambda: (self.sent()[0], self.sent()[-1], self.bucket.parts) == ('POST', 'DELETE', {})), self.sent())
        self.assertFalse([key for key in self.bucket.objects if '/bytes/' in key])

    def test_an_answer_that_was_lost_is_looked_for(self):
        self.bucket.faults.append(('POST', 'team/bytes/', 'lost', 2))     # it means nothing for the first one
        path = '/p/' + id_of(self.stored(self.server, self.CONTENT))
        self.assertEqual(self.server.get(path).status, 200)
        self.assertEqual(self.bucket.parts, {})


class Ahead(BucketTest):
    """The parts of a large upload that comes slowly are sent while it arrives."""
    PART = 16 << 20
    BEGINNING = PART + (128 << 10)      # less than this is gathered before it is written
    CONTENT = LONG_LINE * 10_000      # two parts and a rest

    def setUp(self):
        super().setUp()
        self.server = self.service()

    def begin(self, content=CONTENT, *lines):
        """A connection on which the beginning of the upload was sent, slowly, until a part of it is in the object store."""
        connection = self.server.connect()
        self.addCleanup(connection.close)
        connection.sendall(support.head('POST', '/', 'Content-Length: %d' % len(content), *lines))
        time.sleep(0.6)      # no network of today is so slow
        connection.sendall(content[:self.BEGINNING])
        return connection

    def answer(self, connection):
        answer, = support.read_answers(connection, ('POST',))
        return answer

    def parts(self):
        """Bytes of parts that the object store has and has not put together."""
        return sum(len(body) for parts in list(self.bucket.parts.values()) for _, body in list(parts.values()))

    def kept(self):
        return [key for key in self.bucket.objects if '/bytes/' in key or '/uploads/' in key]

    def is_ahead(self):
        self.assertTrue(eventually(lambda: self.parts() == self.PART))

    def test_a_part_is_there_before_the_rest(self):
        connection = self.begin()
        self.is_ahead()
        self.assertEqual(self.kept(), [])
        connection.sendall(self.CONTENT[self.BEGINNING:])
        answer = self.answer(connection)
        self.assertEqual(answer.status, 201, answer)
        self.assertEqual(self.bucket.parts, {})
        self.assertEqual(self.service('b').get('/p/%s/raw' % id_of(answer)).body, self.CONTENT)
        asked = [method for method, key in self.bucket.requests if '/bytes/' in key and method != 'GET']
        self.assertEqual(asked, ['POST', 'PUT', 'PUT', 'PUT', 'POST'])

    def test_a_part_that_failed_is_sent_again(self):
        self.bucket.faults.append(('PUT', 'team/bytes/', '503 SlowDown', 7))      # an attempt has five
        connection = self.begin()
        self.assertTrue(eventually(lambda: self.bucket.faults[0][3] == 0 or 'object-store-away' in self.server.log()))
        self.bucket.faults.clear()
        connection.sendall(self.CONTENT[self.BEGINNING:])
        answers = [self.answer(connection)]

        def is_stored():     # it may have been away until now, and is asked again only after a while
            if answers[-1].status == 503:
                answers.append(self.server.upload(self.CONTENT))
            return answers[-1].status == 201
        self.assertTrue(eventually(is_stored), answers)
        answer = answers[-1]
        self.assertEqual(self.service('b').get('/p/%s/raw' % id_of(answer)).body, self.CONTENT)

    def test_of_who_leaves_no_part_stays(self):
        connection = self.begin()
        self.is_ahead()
        connection.close()
        self.assertTrue(eventually(lambda: self.bucket.parts == {}))
        self.assertEqual(self.kept(), [])

    def test_of_what_is_refused_no_part_stays(self):
        self.server = self.service('small', max_upload_bytes='20M')
        connection = self.server.connect()
        self.addCleanup(connection.close)
        connection.sendall(support.head('POST', '/', 'Transfer-Encoding: chunked'))
        time.sleep(0.6)
        piece = b'%x\r\n' % (self.BEGINNING) + self.CONTENT[:self.BEGINNING] + b'\r\n'
        connection.sendall(piece)
        self.is_ahead()
        connection.sendall(piece + b'0\r\n\r\n')
        self.assertEqual(self.answer(connection).status, 413)
        self.assertTrue(eventually(lambda: self.bucket.parts == {}))
        self.assertEqual(self.kept(), [])

    def test_a_stop_leaves_no_part(self):
        self.begin()
        self.is_ahead()
        self.assertEqual(self.server.stop(), 0)
        self.assertEqual(self.bucket.parts, {})
        self.server.start()

    def test_members_get_ids_of_their_own(self):
        """That each member is meant is said behind the archive, of which a part was sent by then."""
        files = {name + '.txt': self.CONTENT + name.encode() + b';third 1\n' for name in ('one', 'two')}
        kind, body = support.form(('trace', 'a.tar', object_store.tar_of(files)), ('member', None, b'all'))
        connection = self.begin(body, 'Content-Type: ' + kind)
        self.is_ahead()
        connection.sendall(body[self.BEGINNING:])
        answer = self.answer(connection)
        self.assertEqual(answer.status, 201, answer)
        self.assertTrue(eventually(lambda: self.bucket.parts == {}))
        ids = re.findall(r'/p/(\w+)', answer.text)
        self.assertEqual(sorted(key for key in self.bucket.objects if '/bytes/' in key),
                         sorted('team/bytes/' + one for one in ids))
        other = self.service('b')
        texts = [other.get('/p/%s/t/all.folded.txt' % one).text for one in ids]
        self.assertEqual(['one;third' in texts[0], 'two;third' in texts[1]], [True, True])

    def test_that_each_member_is_meant_may_be_said_behind(self):
        kind, body = support.form(('trace', 'a.txt', self.CONTENT), ('member', None, b'all'))
        connection = self.begin(body, 'Content-Type: ' + kind)
        self.is_ahead()
        connection.sendall(body[self.BEGINNING:])
        answer = self.answer(connection)
        self.assertEqual(answer.status, 201, answer)
        self.assertEqual(self.bucket.parts, {})
        self.assertEqual(self.service('b').get('/p/%s/raw' % id_of(answer)).body, self.CONTENT)

    def test_a_kill_leaves_no_object(self):
        self.begin()
        self.is_ahead()
        self.server.kill()
        self.server.start()
        self.assertEqual(self.kept(), [])
        self.assertEqual(self.parts(), self.PART)      # a rule of the bucket ends them

    def test_a_slow_upload_holds_no_thread_between_its_parts(self):
        self.server = server = self.service('few', metrics_listen='127.0.0.1:0')
        port, = re.findall(r'also-listening key=metrics_listen address=127\.0\.0\.1:(\d+)', server.log())

        def keepers():
            with urllib.request.urlopen('http://127.0.0.1:%s/metrics' % port) as answer:
                return re.search(r'aflamed_jobs_running{kind="keepers"} (\d+)', answer.read().decode())[1]
        self.begin()
        self.is_ahead()
        self.assertTrue(eventually(lambda: keepers() == '0'))


class AheadOnCeph(BucketTest):
    def test_it_has_the_same_bytes(self):
        told = object_store.ceph(self)
        with open(self.keys, 'w') as f:
            f.write('%(AWS_ACCESS_KEY_ID)s\n%(AWS_SECRET_ACCESS_KEY)s\n' % told)
        a, b = [self.service(name, store='s3://%s/team' % told['S3_BUCKET'], s3_region='us-east-1', s3_endpoints=told['S3_ENDPOINT'])
                for name in 'ab']
        content = Ahead.CONTENT
        with a.connect() as connection:
            connection.sendall(support.head('POST', '/', 'Content-Length: %d' % len(content)))
            for at in range(0, len(content), 4 << 20):
                time.sleep(0.2)
                connection.sendall(content[at:at + (4 << 20)])
            answer, = support.read_answers(connection, ('POST',))
        self.assertEqual(answer.status, 201, answer)
        self.assertEqual(b.get('/p/%s/raw' % id_of(answer)).body, content)


class Beside(BucketTest):
    """The bytes of a large upload are put when they have arrived, beside the end of their reading: if that has begun by then, which
    takes a thread. So it is tried more than once."""
    REFUSED = trace(methods=20_000, records=0)      # as its end tells

    def put(self):
        return [key for method, key in self.bucket.requests if method == 'PUT' and '/bytes/' in key]

    def kept(self):
        return [key for key in self.bucket.objects if '/bytes/' in key or '/uploads/' in key]

    def held(self, prefix):
        event = threading.Event()
        self.addCleanup(event.set)
        self.bucket.faults.append(('PUT', prefix, event, 1 << 30))
        return event

    def is_put_beside(self, server, salt):
        self.bucket.faults.clear()
        self.assertTrue(eventually(lambda: server.upload(trace()).status == 201))
        before, said = len(self.put()), []
        event = self.held('team/names/')        # a mapping is kept when all was read
        parts = (('trace', 'a.trace', trace(records=100_000, salt=salt)),
                 ('mapping', 'mapping.txt', b'com.real.Name%d -> com.example.Class0:\n' % salt))
        thread = threading.Thread(target=lambda: said.append(server.upload_form(*parts)))
        thread.start()
        put = eventually(lambda: len(self.put()) > before or said) and len(self.put()) > before
        event.set()
        thread.join()
        if put:
            self.assertEqual(said[0].status, 201, said)
            self.assertEqual(server.get('/p/%s/raw' % id_of(said[0])).body, parts[0][2])
        return put

    def test_bytes_are_put_before_the_reading_has_ended(self):
        server = self.service()
        self.assertTrue(any(self.is_put_beside(server, salt) for salt in (1, 2, 3)))

    def refuse(self, server):
        """Until the bytes of one were put."""
        def is_put():
            self.assertEqual(server.upload(self.REFUSED).status, 422)
            return self.put()
        self.assertTrue(eventually(is_put))

    def test_what_is_refused_at_its_end_leaves_nothing(self):
        server = self.service()
        self.refuse(server)
        self.assertTrue(eventually(lambda: not self.kept()))
        self.assertEqual(os.listdir(os.path.join(self.folder, 'a', 'tmp')), [])

    def test_a_sweep_finds_what_was_refused(self):
        server = self.service(sweep_interval_s=1)
        self.bucket.faults.append(('DELETE', 'team/bytes/', '403 AccessDenied', 1 << 30))
        self.refuse(server)
        self.assertTrue(eventually(lambda: sum(method == 'DELETE' and '/bytes/' in key for method, key in self.bucket.requests)
                                   == len(self.put()) == len(self.kept())))
        self.bucket.faults.clear()
        for key in self.kept():
            self.bucket.put_at[key] -= 2 * 86400
        self.assertTrue(eventually(lambda: not self.kept()))

    def test_what_is_no_trace_is_never_put(self):
        server = self.service()
        self.assertEqual(server.upload(b'\0no trace' * 100_000).status, 415)
        self.assertEqual(self.put(), [])

    def test_small_ones_wait_side_by_side(self):
        server = self.service(open_jobs=2)
        event = self.held('team/bytes/')
        with concurrent.futures.ThreadPoolExecutor(8) as clients:
            answers = [clients.submit(server.upload, trace(salt=i)) for i in range(8)]
            self.assertTrue(eventually(lambda: len(self.put()) == 8), self.put())
            event.set()
            self.assertEqual([answer.result().status for answer in answers], [201] * 8)

    def test_of_who_leaves_meanwhile_nothing_stays(self):
        server, content = self.service(), trace(records=100_000)
        event = self.held('team/bytes/')
        with server.connect() as connection:
            connection.sendall(support.head('POST', '/', 'Content-Length: %d' % len(content)) + content)
            self.assertTrue(eventually(self.put))
        event.set()
        self.assertTrue(eventually(lambda: not self.kept()))


class Shared(BucketTest):
    """What the page of an upload shows first is in the object store, too."""
    def setUp(self):
        super().setUp()
        self.a, self.b = [self.service(name, share_views='true') for name in 'ab']

    def shown(self):
        return sorted(key for key in self.bucket.objects if '/shown/' in key)

    def fetched(self):
        return [key for method, key in self.bucket.requests if method == 'GET' and '/bytes/' in key]

    def upload(self, salt=0):
        """Its answer, and the paths that its page begins with, with the bytes that the first machine sends for them."""
        answer = self.a.upload(heavy_trace(salt=salt), Accept='application/json')
        path = '/p/' + id_of(answer)
        paths = path + '.json', path + '/verdict.json', re.search(r'/p/[^"]*\.svg', answer.text)[0], path
        first = [self.text(self.a, one) for one in paths]
        # Those of an upload before it may come again late, by who made them anew.
        self.assertTrue(eventually(lambda: sum(id_of(answer) in key for key in self.shown()) == 3), self.shown())
        return answer, paths, first

    def text(self, server, path):
        answer = server.get(path, Accept='text/html' if path.count('/') == 2 and '.' not in path else '*/*')
        self.assertEqual(answer.status, 200, answer)
        return re.sub(r'pass="?[=a-z2-7]*', '', answer.text.replace(':%d/' % server.port, '/'))

    def test_another_machine_needs_no_upload(self):
        answer, paths, first = self.upload()
        self.assertEqual([self.text(self.b, path) for path in paths], first)
        self.assertEqual(self.fetched(), [])
        self.assertEqual(self.b.get(paths[3] + '/methods.tsv').status, 200)
        self.assertEqual(len(self.fetched()), 1)
        # Who has the bytes asks for no views of others.
        before = len(self.bucket.requests)
        self.assertEqual(self.b.get(paths[2] + '?width=700').status, 200)
        self.assertEqual([key for _, key in self.bucket.requests[before:] if '/shown/' in key], [])
        self.assertEqual(self.b.request('DELETE', paths[3], X_Delete_Token=token_of(answer)).status, 200)
        self.assertEqual(self.shown(), [])

    def test_a_small_one_is_made_by_each(self):
        path = '/p/' + id_of(self.a.upload(trace(), Accept='application/json'))
        self.assertEqual(self.text(self.a, path + '/t/1.svg'), self.text(self.b, path + '/t/1.svg'))
        self.assertEqual(self.shown(), [])
        self.assertEqual([key for _, key in self.bucket.requests if '/shown/' in key], [])

    def test_what_is_of_another_version_or_damaged_is_made_anew(self):
        for salt, place in enumerate((0, 64, -1, None)):       # its name, what is behind that, its bytes; or it is cut
            _, paths, first = self.upload(salt)
            for key in self.shown():
                content = bytearray(self.bucket.objects[key])
                if place is not None:
                    content[place] ^= 1
                self.bucket.objects[key] = bytes(content if place is not None else content[:100])
            self.assertEqual([self.text(self.b, path) for path in paths], first, place)
            self.assertTrue(any(paths[3].rsplit('/', 1)[1] in key for key in self.fetched()))
            self.bucket.objects = {key: what for key, what in self.bucket.objects.items() if '/shown/' not in key}

    def test_words_that_are_asked_for_in_part_are_not_shared(self):
        path = '/p/' + id_of(self.stored(self.a, heavy_trace()))
        self.assertEqual(self.a.get(path + '/verdict.json?from=1&to=3').status, 200)
        self.assertEqual(self.a.get(path + '/verdict.json').status, 200)
        self.assertTrue(eventually(lambda: len(self.shown()) == 3))
        whole = self.text(self.a, path + '/verdict.json')
        self.assertTrue(self.bucket.objects[self.shown()[2]].endswith(whole.encode()))

    def test_names_that_come_later_are_seen(self):
        answer, paths, _ = self.upload()
        kind, body = support.form(('token', None, token_of(answer).encode()),
                                  ('mapping', 'mapping.txt', b'com.real.Name -> com.example.Class0:\n'))
        self.assertEqual(self.a.request('POST', paths[3] + '/mapping', body, Content_Type=kind).status, 200)
        self.assertTrue(eventually(lambda: 'com.real.Name' in self.text(self.b, paths[2])))

    def test_a_view_that_comes_behind_the_end_goes_again(self):
        event = threading.Event()
        self.addCleanup(event.set)
        self.bucket.faults.append(('PUT', 'team/shown/', event, 2))
        answer = self.a.upload(heavy_trace())
        self.assertEqual(self.a.request('DELETE', '/p/' + id_of(answer), X_Delete_Token=token_of(answer)).status, 200)
        event.set()

        def removed():
            """A sweep is far."""
            told = [method for method, key in self.bucket.requests if '/shown/' in key]
            return told.count('DELETE') >= 3 + 1 and not self.shown()
        self.assertTrue(eventually(removed))

    def test_what_a_crash_left_goes_with_the_tombstone(self):
        gone = 26 * 'c'
        self.bucket.put_at['team/gone/' + gone] = time.time() - 31 * 86400
        old = time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime(self.bucket.put_at['team/gone/' + gone]))
        self.bucket.objects.update({'team/shown/%s/page' % gone: b'left', 'team/gone/' + gone: old.encode()})
        self.service('c', share_views='true', sweep_interval_s=1)
        self.assertTrue(eventually(lambda: 'team/gone/' + gone not in self.bucket.objects))
        self.assertEqual(self.shown(), [])


class Sweep(BucketTest):
    def test_what_has_not_changed_is_not_read_again(self):
        server = self.service(sweep_interval_s=1, log_level='debug')
        answers = [self.stored(server, trace(salt=i)) for i in range(3)]
        swept = server.log().count('swept')
        self.assertTrue(eventually(lambda: server.log().count('swept') >= swept + 2))
        before = len(self.bucket.requests)
        swept = server.log().count('swept')
        self.assertTrue(eventually(lambda: server.log().count('swept') >= swept + 2))
        kinds = {(method, key.startswith('?')) for method, key in self.bucket.requests[before:]}
        self.assertEqual(kinds, {('GET', True)})     # lists alone
        changed = server.request('POST', '/p/%s/rename' % id_of(answers[0]), 'token=%s&name=other' % token_of(answers[0]))
        self.assertEqual(changed.status, 200)
        before = len(self.bucket.requests)
        key = 'team/uploads/%s/2' % id_of(answers[0])
        self.assertTrue(eventually(lambda: ('GET', key) in self.bucket.requests[before:]))


    def test_what_another_machine_is_storing_stays(self):
        """Its bytes are there before its record, also when this machine starts meanwhile."""
        for age_s, name in ((60, 'a'), (2 * 86400, 'b')):
            self.bucket.objects['team/bytes/' + 26 * name] = b'without a record'
            self.bucket.put_at['team/bytes/' + 26 * name] = time.time() - age_s
        self.service(sweep_interval_s=1)
        self.assertTrue(eventually(lambda: 'team/bytes/' + 26 * 'b' not in self.bucket.objects))
        self.assertIn('team/bytes/' + 26 * 'a', self.bucket.objects)


class Away(BucketTest):
    def test_who_looks_again_and_again_does_not_wait_for_the_store(self):
        server = self.service()
        path, answered, was_ahead = '/p/' + id_of(self.stored(server)), [0], threading.Event()
        self.assertEqual(server.get(path + '/t/all.svg').status, 200)

        def wait_for_an_answer():
            before = answered[0]
            if eventually(lambda: answered[0] > before, 2):
                was_ahead.set()
        self.bucket.faults.append(('GET', 'team/uploads/' + path[3:], wait_for_an_answer, 1 << 30))

        def look():
            self.assertEqual(server.get(path + '/t/all.svg').status, 200)
            answered[0] += 1
            return was_ahead.is_set()
        self.assertTrue(eventually(look, 60))
        self.bucket.faults.clear()

    def test_what_is_here_is_shown_and_marked(self):
        server = self.service()
        path = '/p/' + id_of(self.stored(server))
        fresh = server.get(path + '/t/all.svg')
        self.assertIsNone(fresh['X-Stale'])
        self.away()
        for target in ('/t/all.svg', '/t/all.svg?width=700', '/verdict.txt', '/raw'):
            answer = server.get(path + target)
            # A record that was read within this second is fresh.
            self.assertTrue(answer['X-Stale'] is None or 'does not answer' in answer['X-Stale'])
            self.assertEqual(answer.status, 200, (target, answer))
        self.assertTrue(eventually(lambda: server.get(path + '/t/all.svg')['X-Stale'] is not None))
        self.assertEqual(server.get(path + '/t/all.svg').body, fresh.body)
        self.back()
        self.assertTrue(eventually(lambda: server.get(path + '/t/all.svg')['X-Stale'] is None))

    def test_what_is_not_known_is_said_to_be_unknown(self):
        server, other = self.service('a'), self.service('b')
        path = '/p/' + id_of(self.stored(server))
        self.away()
        answer = other.get(path)
        self.assertEqual(answer.status, 503, answer)
        self.assertIsNotNone(answer['Retry-After'])
        self.assertIn('does not answer', answer.text)
        self.back()
        self.assertTrue(eventually(lambda: other.get(path).status == 200))

    def figures(self, server):
        port = re.findall(r'also-listening key=metrics_listen address=127\.0\.0\.1:(\d+)', server.log())[-1]
        with urllib.request.urlopen('http://127.0.0.1:%s/metrics' % port, timeout=support.TIMEOUT_S) as answer:
            return answer.read().decode()

    def test_an_upload_is_refused_and_nothing_is_left(self):
        server = self.service(metrics_listen='127.0.0.1:0')
        self.away()
        for _ in range(3):
            answer = server.upload(trace())
            self.assertEqual(answer.status, 503, answer)
            self.assertIsNotNone(answer['Retry-After'])
        self.assertEqual(server.get('/readyz').status, 503)
        self.assertIn('The object store does not answer.', server.get('/readyz').text)
        self.assertIn('\naflamed_store_away 1\n', self.figures(server))
        self.back()
        self.assertTrue(eventually(lambda: server.upload(trace()).status == 201))
        self.assertTrue(eventually(lambda: server.get('/readyz').status == 200))
        self.assertIn('\naflamed_store_away 0\n', self.figures(server))
        self.assertEqual(os.listdir(os.path.join(self.folder, 'a', 'tmp')), [])

    def test_nobody_waits_for_it_again_and_again(self):
        server = self.service()
        self.away()
        self.assertEqual(server.upload(trace()).status, 503)
        before = len(self.bucket.requests)
        for i in range(50):
            self.assertIn(server.get('/p/%026d' % 2).status, (404, 503))
            self.assertIn(server.get('/p/' + 'abcdefghijklmnopqrstuvwxy%s' % 'abcdefgh'[i % 8]).status, (503,))
        self.assertLess(len(self.bucket.requests) - before, 50)

    def test_it_starts_while_the_store_is_away(self):
        self.away()
        server = self.service()
        self.assertEqual(server.get('/').status, 200)
        self.assertEqual(server.get('/readyz').status, 503)
        self.back()
        self.assertTrue(eventually(lambda: server.upload(trace()).status == 201))

    def test_an_answer_that_was_lost_is_no_second_upload(self):
        server = self.service()
        for key in ('team/bytes/', 'team/uploads/'):
            self.bucket.faults.append(('PUT', key, 'lost', 1))
        path = '/p/' + id_of(self.stored(server))
        self.assertEqual(server.get(path + '/verdict.txt').status, 200)
        self.assertEqual(len([key for key in self.bucket.objects if '/uploads/' in key]), 1)

    def listed(self, server):
        return [one['id'] for one in json.loads(server.get('/s/team.json').body)['profiles']]

    def test_answers_that_were_lost_leave_an_upload_in_its_list(self):
        server, other = self.service('a'), self.service('b')
        self.bucket.faults.append(('PUT', 'team/spaces/', 'lost', 2))
        answer = server.upload(trace(), target='/?space=team')
        self.assertEqual(answer.status, 201, answer)
        one = id_of(answer)
        self.assertEqual(self.listed(server), [one])
        self.bucket.faults.append(('PUT', 'team/uploads/%s/2' % one, 'lost', 1))
        body = 'token=%s&label.branch=main' % token_of(answer)
        changed = server.request('POST', '/p/%s/rename' % one, body, Content_Type='application/x-www-form-urlencoded')
        self.assertEqual(changed.status, 200, changed)
        self.assertEqual(self.listed(server), [one])
        self.assertTrue(eventually(lambda: self.listed(other) == [one]))

    def test_a_deleted_one_is_not_shown_while_the_store_is_away(self):
        server = self.service()
        answer = self.stored(server)
        path = '/p/' + id_of(answer)
        self.assertEqual(server.get(path + '/t/all.svg').status, 200)
        self.assertEqual(server.request('DELETE', path, X_Delete_Token=token_of(answer)).status, 200)
        self.away()
        self.assertIn(server.get(path + '/t/all.svg').status, (410, 503))

    def test_a_store_that_hangs_is_given_up_soon(self):
        server = self.service()
        self.bucket.faults.append(('', '', 'hang', 1 << 30))
        began = time.monotonic()
        self.assertEqual(server.upload(trace()).status, 503)
        self.assertLess(time.monotonic() - began, 60)
        self.back()
        self.assertTrue(eventually(lambda: server.upload(trace()).status == 201))

    def test_a_full_store_is_said_to_be_full(self):
        server = self.service()
        for full in ('403 QuotaExceeded', '507 XMinioStorageFull'):
            with self.subTest(full=full):
                self.bucket.requests.clear()
                self.bucket.faults = [('PUT', 'team/bytes/', full, 1 << 30)]
                answer = server.upload(trace(salt=len(full)))
                self.assertEqual(answer.status, 507, answer)
                self.assertEqual(len([1 for method, _ in self.bucket.requests if method == 'PUT']), 1)


class Start(BucketTest):
    def refused(self, **config):
        flags = {'store': NAME, 'cache': os.path.join(self.folder, 'a'), 's3_endpoints': self.bucket.url,
                 's3_region': object_store.REGION, 's3_keys_file': self.keys, **config}
        done = subprocess.run([support.AFLAMED, 'serve', '--listen', '127.0.0.1:0'] +
                              [part for key, value in flags.items() for part in ('--' + key.replace('_', '-'), value)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=support.TIMEOUT_S)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_wrong_settings_are_refused(self):
        wrong = os.path.join(self.folder, 'wrong')
        with open(wrong, 'w') as f:
            f.write('%s\nwrong\n' % ACCESS)
        self.assertIn('the object store refuses this service', self.refused(s3_keys_file=wrong))
        self.assertIn('the object store refuses this service', self.refused(store='s3://no-such-bucket'))
        self.bucket.creates = False
        self.assertIn('the object store is not fit', self.refused())
        self.bucket.creates = True
        self.assertIn('no name of a bucket', self.refused(store='s3://'))
        self.assertIn('No endpoint is named', self.refused(s3_endpoints=''))
        self.assertIn('the store is a directory of this machine', self.refused(store=os.path.join(self.folder, 'd'), share_views='true'))
        self.assertIn('cannot be read', self.refused(s3_keys_file=os.path.join(self.folder, 'none')))

    def test_it_knows_its_sessions_while_the_store_is_away(self):
        tokens = os.path.join(self.folder, 'tokens')
        subprocess.run([support.AFLAMED, 'token', 'new', 'ann', '--scope', 'upload,read', '--tokens-file', tokens],
                       capture_output=True, timeout=support.TIMEOUT_S, check=True)
        server = self.service('a', tokens_file=tokens)
        self.assertEqual(server.stop(), 0)
        self.away()
        server.start()
        self.assertEqual(server.get('/healthz').status, 200)
        self.assertIn('can neither be read nor made', self.refused(tokens_file=tokens, cache=os.path.join(self.folder, 'new')))

    def test_two_services_have_not_one_cache(self):
        self.service('a')
        self.assertIn('the store is in use', self.refused())

    def test_doors_have_one_key_for_all_machines(self):
        tokens = os.path.join(self.folder, 'tokens')
        made = subprocess.run([support.AFLAMED, 'token', 'new', 'ann', '--scope', 'upload,read', '--tokens-file', tokens],
                              capture_output=True, text=True, timeout=support.TIMEOUT_S, check=True)
        token = made.stdout.strip().splitlines()[-1]
        a = self.service('a', tokens_file=tokens, readers='team')
        b = self.service('b', tokens_file=tokens, readers='team')
        path = '/p/' + id_of(a.upload(trace(), Authorization='Bearer ' + token))
        kind = 'application/x-www-form-urlencoded'
        login = a.request('POST', '/login', 'token=' + token, Content_Type=kind, Origin='http://127.0.0.1:%d' % a.port)
        cookie = login['Set-Cookie'].split(';')[0]
        self.assertEqual(b.get(path + '/verdict.txt').status, 401)
        self.assertEqual(b.get(path + '/verdict.txt', Cookie=cookie).status, 200)


if __name__ == '__main__':
    unittest.main()
