"""Uploads that expire, what a sweep removes, and a disk that is full."""
import datetime
import json
import os
import re
import shutil
import subprocess
import time
import unittest

from support import (AFLAMED, Server, ServiceFailure, ServiceTest, eventually, folder_of, form, heavy_trace, id_of, in_parallel, large_trace,
                     salted, token_of, trace)

DAY_S = 86400
KIB, MIB = 1024, 1 << 20


def utc(seconds_from_now):
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds_from_now)
    return moment.strftime('%Y-%m-%dT%H:%M:%SZ')


def path_of(server, key):
    return os.path.join(server.store, key)


def set_age(server, key, seconds):
    os.utime(path_of(server, key), (time.time() - seconds,) * 2)


def put(server, key, content, age_s=0):
    path = path_of(server, key)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(content)
    set_age(server, key, age_s)


def record_key(answer):
    return 'uploads/%s.json' % id_of(answer)


def expire(server, answer, seconds_ago=1):
    """Rewrites the record as if the upload had been made earlier: the last revision, where it was changed."""
    changed = server.files('uploads/' + id_of(answer))
    path = path_of(server, changed[-1] if changed else record_key(answer))
    with open(path) as file:
        record = json.load(file)
    record['expires'] = utc(-seconds_ago)
    os.unlink(path)
    with open(path, 'w') as file:
        json.dump(record, file)


class Deleting(ServiceTest):
    """The store is looked through an hour later; what is deleted goes at once."""
    CONFIG = {'sweep_interval_s': 3600, 'delete_within_s': 3}

    def drawn(self, content):
        answer = self.stored(content)
        for coding in ('identity', 'gzip', 'zstd'):
            for target in ('/t/1.svg?width=700', '/t/all.folded.txt', '/methods.json', '/verdict.txt'):
                self.assertEqual(self.server.get('/p/' + id_of(answer) + target, Accept_Encoding=coding).status, 200)
        return answer

    def delete(self, answer):
        self.assertEqual(self.server.request('DELETE', '/p/' + id_of(answer),
                                             X_Delete_Token=token_of(answer)).status, 200)

    def left(self):
        return [name for folder in ('bytes', 'views', 'uploads') for name in self.server.files(folder)]

    def test_what_is_deleted_is_gone_with_its_views(self):
        first, second, same = [self.drawn(heavy_trace(salt=salt)) for salt in (301, 302, 301)]
        self.assertGreater(len(self.server.files('views')), 0)
        self.delete(first)
        self.delete(second)
        self.assertEqual(self.server.files('bytes'), ['bytes/' + id_of(same)])
        self.assertEqual(self.server.get('/p/%s/raw' % id_of(same)).status, 200)
        self.assertEqual(self.server.get('/p/%s/methods.json' % id_of(same)).status, 200)     # drawn again
        self.delete(same)
        self.assertEqual(self.left(), [])

    def test_what_a_crash_left_is_gone_after_the_start(self):
        server = Server(sweep_interval_s=3600, delete_within_s=3600)
        self.addCleanup(server.clean)
        answer = server.upload(heavy_trace(salt=303))
        self.assertEqual(server.get('/p/%s/t/1.svg?width=800' % id_of(answer)).status, 200)
        server.kill()
        self.assertGreater(len(server.files('views')), 0)
        os.unlink(path_of(server, record_key(answer)))
        for key in server.files('bytes') + server.files('views'):
            set_age(server, key, 60)
        server.start()
        self.assertTrue(eventually(lambda: server.files('bytes') + server.files('views') == []), server.log())


class StoredBytes(ServiceTest):
    """Room for about three uploads of a quarter of a megabyte."""
    CONFIG = {'sweep_interval_s': 3600, 'delete_within_s': 3600, 'store_bytes': '1M'}

    def test_no_upload_above_the_limit_but_in_place_of_a_deleted_one(self):
        content = large_trace(MIB // 4)
        kept = [self.server.upload(salted(content, i)) for i in range(6)]
        stored = [answer for answer in kept if answer.status == 201]
        self.assertEqual([answer.status for answer in kept], [201] * len(stored) + [507] * (6 - len(stored)))
        self.assertIn(len(stored), (3, 4))
        self.assertIn('store_bytes', kept[-1].text)
        deleted = stored[1]
        self.assertEqual(self.server.request('DELETE', '/p/' + id_of(deleted),
                                             X_Delete_Token=token_of(deleted)).status, 200)
        self.assertEqual(self.server.upload(salted(content, 7)).status, 201)
        self.assertEqual(self.server.upload(salted(content, 8)).status, 507)
        self.assertEqual(self.server.upload(large_trace(2 * MIB)).status, 507)
        for answer in (stored[0], stored[2]):
            self.assertEqual(self.server.get('/p/%s/raw' % id_of(answer)).status, 200)
        self.server.stop()
        self.server.start()                                 # what was stored before counts
        self.assertEqual(self.server.upload(salted(content, 9)).status, 507)


class SmallUploads(ServiceTest):
    """Of files that are smaller than a block, the block counts, and comes back."""
    CONFIG = {'sweep_interval_s': 3600, 'delete_within_s': 3600, 'store_bytes': '32K'}

    def test_room_comes_back(self):
        for turn in range(3):
            kept = [self.server.upload(b'main;a%d.b%d.c 1\n' % (turn, i)) for i in range(9)]
            self.assertEqual([answer.status for answer in kept], [201] * 8 + [507])
            for answer in kept[:8]:
                self.assertEqual(self.server.request('DELETE', '/p/' + id_of(answer), X_Delete_Token=token_of(answer)).status, 200)


class Expiry(ServiceTest):
    CONFIG = {'sweep_interval_s': 1, 'log_level': 'debug'}

    def test_an_expired_upload_is_gone_and_so_are_its_bytes(self):
        content = trace(salt=101)
        answer = self.stored(content)
        page, stored = '/p/' + id_of(answer), 'bytes/' + id_of(answer)
        self.assertIn(stored, self.server.files('bytes'))
        expire(self.server, answer)
        self.assertTrue(eventually(lambda: self.server.get(page).status == 410))
        self.assertEqual(self.server.get(page + '/raw').status, 410)
        self.assertTrue(eventually(lambda: record_key(answer) not in self.server.files('uploads')), self.server.log())
        self.assertNotIn(stored, self.server.files('bytes'))
        self.assertIn('gone/' + id_of(answer), self.server.files('gone'))
        self.assertEqual(self.server.get(page).status, 410)
        self.assertTrue(self.server.says(r'info swept expired=1 .*blobs=\d+ blob_bytes=\d+'), self.server.log())

    def test_an_upload_that_was_changed_expires(self):
        """The last change counts."""
        server = Server(sweep_interval_s=1, delete_within_s=3)
        self.addCleanup(server.clean)
        answer = server.upload(trace(salt=108))
        kind, body = form(('token', None, token_of(answer).encode()), ('mapping', 'mapping.txt', b'com.real.A -> com.example.Class0:\n'))
        self.assertEqual(server.request('POST', '/p/%s/mapping' % id_of(answer), body, Content_Type=kind).status, 200)
        self.assertEqual(len(server.files('uploads')), 2)
        expire(server, answer)
        self.assertTrue(eventually(lambda: server.files('uploads') + server.files('bytes') == []), server.log())

    def test_tombstones_are_forgotten(self):
        answer = self.stored(trace(salt=102))
        page = '/p/' + id_of(answer)
        self.assertEqual(self.server.request('DELETE', page, X_Delete_Token=token_of(answer)).status, 200)
        self.assertEqual(self.server.get(page).status, 410)
        with open(path_of(self.server, 'gone/' + id_of(answer)), 'w') as file:
            file.write(utc(-31 * DAY_S))
        self.assertTrue(eventually(lambda: self.server.get(page).status == 404))
        self.assertTrue(eventually(lambda: 'gone/' + id_of(answer) not in self.server.files('gone')))

    def test_bytes_without_an_upload_wait_for_a_day(self):
        young, old = ('bytes/' + letter * 26 for letter in 'ab')
        put(self.server, young, b'x', 3600)
        put(self.server, old, b'x', DAY_S + 400)
        self.assertTrue(eventually(lambda: old not in self.server.files('bytes')))
        self.assertIn(young, self.server.files('bytes'))
        os.unlink(path_of(self.server, young))

    def test_missing_bytes_are_logged(self):
        answer = self.stored(trace(salt=103))
        os.unlink(path_of(self.server, 'bytes/' + id_of(answer)))
        short = id_of(answer)[:6]
        self.assertTrue(self.server.says('error bytes-missing id=%s… key=bytes/%s…' % (short, short)))
        self.server.request('DELETE', '/p/' + id_of(answer), X_Delete_Token=token_of(answer))

    def test_killed_in_mid_sweep(self):
        """A store of its own: half of its uploads expire while it is killed again and again."""
        server = Server(sweep_interval_s=1)
        self.addCleanup(server.clean)
        kept, gone = [], []
        for i in range(12):
            answer = server.upload(trace(salt=300 + i))
            self.assertEqual(answer.status, 201)
            (gone if i % 2 else kept).append((answer, trace(salt=300 + i)))
        for answer, _ in gone:
            expire(server, answer)
        for i in range(6):
            server.kill()
            server.start()
            time.sleep(0.01 * i)
        self.assertTrue(eventually(lambda: len(server.files('uploads')) == len(kept)), server.log())
        self.assertEqual(len(server.files('bytes')), len(kept))
        self.assertEqual(len(server.files('gone')), len(gone))
        for answer, content in kept:
            self.assertEqual(server.get('/p/%s/raw' % id_of(answer)).body, content)
        for answer, _ in gone:
            self.assertEqual(server.get('/p/' + id_of(answer)).status, 410)
        self.assertEqual(server.stop(), 0)

    def test_expires_is_what_the_upload_asked_for(self):
        for asked, seconds in ((b'2', 2 * DAY_S), (b'3h', 3 * 3600), (b'', 30 * DAY_S)):
            with self.subTest(asked):
                answer = self.server.upload_form(('expires', None, asked), ('trace', 'a.trace', trace()))
                self.assertEqual(answer.status, 201)
                expires = datetime.datetime.strptime(answer['X-Expires'], '%Y-%m-%dT%H:%M:%SZ')
                left = expires - datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
                self.assertAlmostEqual(left.total_seconds(), seconds, delta=30)


class Views(ServiceTest):
    CONFIG = {'sweep_interval_s': 1, 'views_on_disk_bytes': '1M', 'log_level': 'debug'}

    def test_least_recently_used_views_go(self):
        answer = self.stored(heavy_trace())
        target = '/p/%s/t/1.svg' % id_of(answer)
        before = self.server.get(target).body
        mine = self.server.files('views')
        self.assertTrue(mine)
        for key in mine:
            set_age(self.server, key, 25 * DAY_S)
        self.assertEqual(self.server.get(target).body, before)
        used = [key for key in mine if time.time() - os.stat(path_of(self.server, key)).st_mtime < 3600]
        self.assertEqual(len(used), 1)     # this one, by the get
        for i in range(40):
            put(self.server, 'views/%02x/%064x' % (i, i), bytes(64 * KIB), 10 * DAY_S)
        self.assertTrue(eventually(lambda: len(self.server.files('views')) < 16), self.server.log())
        left = self.server.files('views')
        self.assertIn(used[0], left)
        self.assertFalse(set(mine) - set(used) & set(left))
        self.assertTrue(self.server.says(r'info swept .*views=\d+ view_bytes=\d+'))
        for key in left:
            os.unlink(path_of(self.server, key))
        self.assertEqual(self.server.get(target).body, before)     # made again

    def test_nothing_to_do_is_said_at_debug_only(self):
        self.assertTrue(self.server.says('debug swept expired=0'))
        self.assertNotRegex(self.server.log(), r'info swept expired=0 forgotten=0 refs=0 blobs=0 blob_bytes=0 '
                                               r'views=0 view_bytes=0 broken=0 failed=0')


class FullDisk(unittest.TestCase):
    """The store on a file system of 6 MiB."""
    failureException = ServiceFailure

    @classmethod
    def setUpClass(cls):
        if not AFLAMED:
            raise unittest.SkipTest('AFLAMED names no program')
        cls.disk = folder_of(cls, 'disk')
        try:
            mounted = subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', cls.disk],
                                     stdin=subprocess.DEVNULL, capture_output=True).returncode == 0
        except OSError:
            mounted = False
        if not mounted:
            raise unittest.SkipTest('no file system can be mounted here (not root)')
        cls.addClassCleanup(subprocess.run, ['umount', '-l', cls.disk], check=True)

    def setUp(self):
        self.server = ServiceFailure.server = Server(store=os.path.join(self.disk, 'store'), log_level='debug')
        self.addCleanup(self.end)
        self.wait_for_first_sweep()

    def wait_for_first_sweep(self, before=''):
        """It may remove and write what a test counts on."""
        self.assertTrue(self.server.says('(?:debug|info) swept', before), self.server.log())

    def end(self):
        ServiceFailure.server = None
        status, said = self.server.stop(), self.server.log()
        self.server.clean()
        shutil.rmtree(self.server.store)
        for name in os.listdir(self.disk):
            os.unlink(os.path.join(self.disk, name))
        self.assertEqual(status, 0, said)
        self.assertNotIn('Sanitizer', said)

    def free_bytes(self):
        disk = os.statvfs(self.disk)
        return disk.f_bavail * disk.f_bsize

    def settle(self):
        """Views are written after the answer, and one that does not fit leaves room behind. A stop ends what is under way."""
        self.server.stop()
        before = self.server.log()
        self.server.start()
        self.wait_for_first_sweep(before)

    def fill(self):
        for key in self.server.files('views'):     # nothing that a sweep could remove
            os.unlink(path_of(self.server, key))
        with open(os.path.join(self.disk, 'ballast'), 'wb', buffering=0) as file:
            for piece in (64 * KIB, 4 * KIB):
                try:
                    while file.write(bytes(piece)) == piece:
                        pass
                except OSError:
                    pass

    def test_an_upload_that_does_not_fit_leaves_nothing(self):
        first = self.server.upload(trace())
        page = '/p/' + id_of(first)
        svg = self.server.get(page + '/t/1.svg').body
        self.settle()
        files, free = self.server.files(''), self.free_bytes()
        for content in (large_trace(12 * MIB), large_trace(7 * MIB)):
            answer = self.server.upload(content)
            self.assertEqual(answer.status, 507, answer)
            self.assertIn('disk full', answer.text)
        self.assertEqual(os.listdir(os.path.join(self.server.store, 'tmp')), [])
        self.assertTrue(eventually(lambda: self.free_bytes() >= free - 16 * KIB))
        self.assertLessEqual(set(self.server.files('')), set(files))
        self.assertEqual(self.server.get(page + '/raw').body, trace())
        self.assertEqual(self.server.get(page + '/t/1.svg').body, svg)
        self.assertEqual(self.server.upload(trace(salt=1)).status, 201)

    def test_without_any_room_what_is_there_is_still_served(self):
        first = self.server.upload(trace(threads=3))
        page = '/p/' + id_of(first)
        self.settle()
        self.fill()
        self.assertEqual(self.free_bytes(), 0)
        for target in ('/raw', '.json', '.txt', '.html', '/t/1.svg', '/t/1.svg?view=icicle', '/t/2.folded.txt',
                       '/t/3.svg?width=777'):
            self.assertEqual(self.server.get(page + target).status, 200, target)
        for _ in range(3):
            self.assertEqual(self.server.upload(trace(salt=2)).status, 507)
        self.assertEqual(self.server.get(page + '/raw').body, trace(threads=3))
        self.assertEqual(self.server.files('uploads'), [record_key(first)])
        self.assertEqual(os.listdir(os.path.join(self.server.store, 'tmp')), [])
        os.unlink(os.path.join(self.disk, 'ballast'))
        self.assertEqual(self.server.upload(trace(salt=2)).status, 201)

    def test_an_upload_can_be_deleted_without_any_room(self):
        """That is when somebody wants to. It stays deleted, and is forgotten as any other."""
        kept, deleted = self.server.upload(trace()), self.server.upload(trace(salt=3))
        page = '/p/' + id_of(deleted)
        self.settle()
        self.fill()
        self.assertEqual(self.free_bytes(), 0)
        changed = self.server.request('POST', '/p/%s/rename' % id_of(kept), 'token=%s&name=x' % token_of(kept))
        self.assertEqual(changed.status, 507, changed)
        answer = self.server.request('DELETE', page, X_Delete_Token=token_of(deleted))
        self.assertEqual(answer.status, 200, answer)
        self.assertNotIn(record_key(deleted), self.server.files('uploads'))
        self.server.stop()
        self.server.start()
        self.assertEqual(self.server.get(page).status, 410)
        self.assertEqual(self.server.get('/p/%s/raw' % id_of(kept)).body, trace())
        # Without its text, for which there may have been room again: something that was just removed.
        put(self.server, 'gone/' + id_of(deleted), b'', 31 * DAY_S)
        self.assertEqual(self.server.get(page).status, 404)

    def test_views_make_room(self):
        """The next sweep in time would come in an hour."""
        first = self.server.upload(trace())
        for i in range(85):
            put(self.server, 'views/%02x/%064x' % (i, i), bytes(64 * KIB), 3600 * i)
        content = large_trace(2 * MIB)
        self.assertLess(self.free_bytes(), len(content))
        answer = self.server.upload(content)
        self.assertEqual(answer.status, 201, answer)
        self.assertEqual(self.server.get('/p/%s/raw' % id_of(answer)).body, content)
        self.assertEqual(self.server.get('/p/%s/raw' % id_of(first)).body, trace())
        left = self.server.files('views')
        self.assertLess(len(left), 60)
        self.assertIn('views/00/%064x' % 0, left)
        self.assertNotIn('views/54/%064x' % 84, left)
        self.assertTrue(self.server.says(r'info swept .*disk_full=1'), self.server.log())

    def test_expired_uploads_make_room(self):
        """Though there is no room for their tombstones."""
        content = large_trace(2 * MIB)
        first = self.server.upload(content)
        self.assertEqual(first.status, 201)
        self.settle()
        expire(self.server, first)
        self.fill()
        self.assertEqual(self.server.upload(trace()).status, 201)
        self.assertGreater(self.free_bytes(), MIB)
        self.assertEqual(self.server.get('/p/' + id_of(first)).status, 410)

    def test_uploads_at_once_share_the_room_that_is_made(self):
        for i in range(85):
            put(self.server, 'views/%02x/%064x' % (i, i), bytes(64 * KIB), 3600 * i)
        contents = [salted(large_trace(MIB // 2), i) for i in range(4)]
        answers = in_parallel(self.server.upload, contents)
        self.assertEqual([answer.status for answer in answers], [201] * 4)
        for answer, content in zip(answers, contents):
            self.assertEqual(self.server.get('/p/%s/raw' % id_of(answer)).body, content)


if __name__ == '__main__':
    unittest.main()
