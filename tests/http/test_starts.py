"""Starts of the service: on a store that another one has, and with a clock that was wrong before, or is now."""
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import unittest

from support import AFLAMED, TIMEOUT_S, Server, heavy_trace, id_of, in_parallel, trace
from control import PROGRAM

HOUR_S, DAY_S = 3600, 86400


def content_of(folder):
    """path -> (digest, time of change), of all that is in it."""
    found = {}
    for place, _, names in os.walk(folder):
        for path in [place, *(os.path.join(place, name) for name in names)]:
            digest = ''
            if os.path.isfile(path):
                with open(path, 'rb') as file:
                    digest = hashlib.sha256(file.read()).hexdigest()
            found[path] = digest, os.stat(path).st_mtime_ns
    return found


class StoreOfAnother(unittest.TestCase):
    def setUp(self):
        if not AFLAMED:
            self.skipTest('AFLAMED names no program')
        self.server = Server(sweep_interval_s=DAY_S, log_level='debug')
        self.addCleanup(self.server.clean)
        self.assertTrue(self.server.says(' swept '))
        self.identity = id_of(self.server.upload(trace()))
        self.server.settled_descriptors()

    def second(self, store, folder):
        return subprocess.run([AFLAMED, 'serve', '--listen', '127.0.0.1:0', '--store', store], cwd=folder, capture_output=True,
                              stdin=subprocess.DEVNULL, text=True, timeout=TIMEOUT_S, check=False)

    def ways(self):
        """To the store: as it was named, by other paths, by links."""
        folder, name = os.path.split(self.server.store)
        link, above = os.path.join(folder, 'link'), os.path.join(folder, 'above')
        os.symlink(self.server.store, link)
        os.symlink(folder, above)
        return [self.server.store, self.server.store + '/', folder + '/./' + name, folder + '/nothing/../' + name, name, './' + name,
                link, link + '/', above + '/' + name]

    def test_a_second_one_is_refused_and_changes_nothing(self):
        folder = os.path.dirname(self.server.store)
        os.mkdir(os.path.join(folder, 'nothing'))
        ways = self.ways()
        before = content_of(self.server.store)
        for way in ways:
            with self.subTest(way):
                done = self.second(way, folder)
                self.assertEqual((done.returncode, done.stdout), (1, ''))
                self.assertIn('the store is in use', done.stderr)
                self.assertIn('Another aflamed uses the directory %s.' % way, done.stderr)
                self.assertIn('--store DIR', done.stderr)
        self.assertEqual(content_of(self.server.store), before)
        self.assertEqual(self.server.get('/p/%s/raw' % self.identity).body, trace())

    def test_of_two_that_start_at_once_one_serves(self):
        self.server.stop()

        def start(_):
            try:
                return Server(store=self.server.store)
            except AssertionError as error:
                return str(error)

        found = in_parallel(start, range(4), threads=4)
        serving = [server for server in found if isinstance(server, Server)]
        for server in serving:
            self.addCleanup(server.clean)
        self.assertEqual(len(serving), 1, found)
        for said in found:
            self.assertTrue(isinstance(said, Server) or 'the store is in use' in said, said)
        self.assertEqual(serving[0].get('/p/%s/raw' % self.identity).body, trace())

    def test_a_store_that_is_none(self):
        folder = os.path.dirname(self.server.store)
        path = os.path.join(folder, 'file')
        with open(path, 'w') as file:
            file.write('of somebody')
        for store in (path, path + '/store'):
            done = self.second(store, folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn('the store cannot be opened', done.stderr)
            self.assertIn('--store DIR', done.stderr)
        with open(path) as file:
            self.assertEqual(file.read(), 'of somebody')

    def test_one_that_was_killed_has_nothing_any_more(self):
        link = os.path.join(os.path.dirname(self.server.store), 'link')
        os.symlink(self.server.store, link)
        self.server.kill()
        other = Server(store=link)
        self.addCleanup(other.clean)
        self.assertEqual(other.get('/p/%s/raw' % self.identity).body, trace())


class ClockServer(Server):
    """Its clock is wrong by some seconds, which change between its starts."""
    PROGRAM = PROGRAM

    def at(self, wrong_s):
        """Starts again then, and sweeps."""
        if self.stop() != 0:
            raise AssertionError('the service did not end well:\n' + self.log_tail())
        self.ENVIRONMENT = {'FAULTS_CLOCK_S': str(wrong_s)}
        before = self.log()
        self.start()
        if not self.says(' swept ', before):
            raise AssertionError('it does not sweep')


class Clock(unittest.TestCase):
    JUMPS = (5 * HOUR_S, -5 * HOUR_S, 0, 30 * HOUR_S, -30 * HOUR_S, 90 * DAY_S, -90 * DAY_S, 0)

    def setUp(self):
        if not PROGRAM:
            self.skipTest('AFLAMED_TEST_FAULTS names no program')
        folder = tempfile.TemporaryDirectory(prefix='aflamed-http-')
        self.addCleanup(folder.cleanup)
        tokens = os.path.join(folder.name, 'tokens')
        self.token = subprocess.run([PROGRAM, 'token', 'new', 'ann', '--scope', 'upload,read,delete', '--tokens-file', tokens],
                                    capture_output=True, text=True, check=True, timeout=TIMEOUT_S).stdout.split()[-1]
        self.server = ClockServer(log_level='debug', tokens_file=tokens, uploads_per_minute=3)
        self.addCleanup(self.server.clean)

    def upload(self, n, days, wanted=201):
        answer = self.server.upload(trace(salt=n), '/?expires=%d' % days, Authorization='Bearer ' + self.token)
        self.assertEqual(answer.status, wanted, answer)
        return id_of(answer) if wanted == 201 else None

    def session(self):
        answer = self.server.request('POST', '/login', 'token=' + self.token, Content_Type='application/x-www-form-urlencoded')
        return answer['Set-Cookie'].split(';')[0]

    def knows(self, session):
        return self.server.get('/login?prompt=1', Cookie=session).status == 303

    def test_what_is_needed_stays(self):
        """An upload of a day is not to be had while the clock is ahead of its end, and comes back with the right time. What was
        made by a wrong clock is there by the right one."""
        uploads = {self.upload(0, 1): trace(salt=0)}
        sessions = [self.session()]
        for n, wrong_s in enumerate(self.JUMPS, 1):
            with self.subTest(wrong_s=wrong_s):
                self.server.at(wrong_s)
                uploads[self.upload(n, 1)] = trace(salt=n)
                sessions.append(self.session())
                self.assertTrue(self.knows(sessions[-1]))
                for identity in uploads:
                    self.assertIn(self.server.get('/p/%s/raw' % identity).status, (200, 410))
        self.server.at(0)
        self.assertEqual(self.server.files('gone'), [])
        self.assertTrue(self.knows(sessions[0]))
        for (identity, content), made_s in zip(uploads.items(), (0, *self.JUMPS)):
            raw = self.server.get('/p/%s/raw' % identity)
            self.assertIn((raw.status, raw.body == content), [(200, True)] if made_s > -DAY_S else [(410, False)], made_s)

    def test_a_clock_that_is_not_believed_is_told(self):
        self.server.at(HOUR_S)
        self.assertNotIn('clock-doubted', self.server.log())
        self.server.at(4 * HOUR_S)
        self.assertEqual(self.server.log().count(' warn clock-doubted '), 1)

    def test_what_was_deleted_stays_so(self):
        uploads = []
        for n, wrong_s in enumerate((0, *self.JUMPS)):
            self.server.at(wrong_s)
            uploads.append(self.upload(n, 7))
            answer = self.server.request('DELETE', '/p/' + uploads[-1], Authorization='Bearer ' + self.token)
            self.assertEqual(answer.status, 200)
            for identity in uploads:
                self.assertIn(self.server.get('/p/' + identity).status, (404, 410))

    def test_shares_shut_nobody_out(self):
        """Used up, they are so behind a start in the past, and come back from then on; one in the future gives them back."""
        for n in range(3):
            self.upload(n, 1)
        self.upload(3, 1, 429)
        self.server.at(-5 * HOUR_S)
        answer = self.server.upload(trace(salt=4), Authorization='Bearer ' + self.token)
        self.assertEqual(answer.status, 429)
        self.assertLessEqual(int(answer['Retry-After']), 60)
        self.server.at(0)
        self.upload(5, 1)


def make_old(store):
    """The store as versions before this one would have it, which kept equal bytes once."""
    def move(path, *to):
        path, to = os.path.join(store, path), os.path.join(store, *to)
        os.makedirs(os.path.dirname(to), exist_ok=True)
        os.replace(path, to)

    for name in os.listdir(os.path.join(store, 'uploads')):
        identity, path = name.split('.')[0], os.path.join(store, 'uploads', name)
        with open(path) as file:
            record = json.load(file)
        period = record.pop('mapping_period', None)
        with open(path, 'w') as file:
            json.dump(record, file)
        kept = record['sha256']
        move('bytes/' + identity, 'blobs', kept[:2], kept)
        needs = [kept]
        if period is not None:
            mapping = record['mapping']
            if os.path.exists(os.path.join(store, 'names/%d' % period, mapping)):
                move('names/%d/%s' % (period, mapping), 'blobs', mapping[:2], mapping)
            needs.append(mapping)
        for digest in needs:
            os.makedirs(os.path.join(store, 'refs', digest), exist_ok=True)
            with open(os.path.join(store, 'refs', digest, identity), 'w'):
                pass
    for folder in ('bytes', 'names'):
        shutil.rmtree(os.path.join(store, folder))


class StoreOfEarlierVersion(unittest.TestCase):
    def test_all_of_it_is_there(self):
        server = Server()
        self.addCleanup(server.clean)
        mapping = b'com.real.Shop -> com.example.Class0:\n'
        uploads = [server.upload(heavy_trace()), server.upload(heavy_trace()), server.upload(trace(salt=1)),
                   server.upload_form(('trace', 'x', trace(salt=2)), ('mapping', 'm', mapping)),
                   server.upload_form(('trace', 'x', trace(salt=3)), ('mapping', 'm', mapping))]
        targets = ['/p/%s/%s' % (id_of(upload), name) for upload in uploads for name in ('raw', 't/1.folded.txt', 't/1.svg')]
        before = [server.get(target).body for target in targets]
        server.stop()
        make_old(server.store)
        shutil.rmtree(os.path.join(server.store, 'views'))
        server.start()
        self.assertEqual([server.get(target).body for target in targets], before)
        self.assertIn(b'com.real.Shop', server.get(targets[-2]).body)
        self.assertEqual(server.files('blobs') + server.files('refs'), [])
        self.assertTrue(server.says('info store-migrated uploads=5 unread=0 blobs=5'), server.log())
        self.assertEqual(server.stop(), 0)
        server.start()
        self.assertEqual([server.get(target).status for target in targets], [200] * len(targets))


if __name__ == '__main__':
    unittest.main()
