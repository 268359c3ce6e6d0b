"""`aflamed store`: what a store keeps goes to an object store and back, and an object store in trouble is told from one that
has not the object."""
import glob
import os
import subprocess
import unittest

import object_store
import support
from object_store import ACCESS, BUCKET, SECRET
from support import Server, trace

KEYS = {'AWS_ACCESS_KEY_ID': ACCESS, 'AWS_SECRET_ACCESS_KEY': SECRET, 'no_proxy': '127.0.0.1'}


def store_command(*arguments, status=0, **environment):
    done = subprocess.run([support.AFLAMED, 'store', *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=support.TIMEOUT_S, env={**os.environ, **KEYS, **environment})
    if done.returncode != status:
        raise AssertionError('store %r: %d %s%s' % (arguments, done.returncode, done.stdout, done.stderr))
    return done.stdout + done.stderr


def files(folder):
    """What counts of a store: path -> content."""
    paths = [path for kind in ('uploads', 'bytes', 'names', 'gone')
             for path in glob.glob(os.path.join(folder, kind, '**'), recursive=True) if os.path.isfile(path)]
    return {os.path.relpath(path, folder): open(path, 'rb').read() for path in paths}


class StoreTest(unittest.TestCase):
    def setUp(self):
        self.bucket = object_store.ObjectStore()
        self.addCleanup(self.bucket.end)
        self.folder = support.folder_of(self)
        self.store, self.back = os.path.join(self.folder, 'store'), os.path.join(self.folder, 'back')

    def filled(self, uploads=3):
        """A store with uploads, one of which was deleted."""
        with_service = Server(store=self.store)
        self.addCleanup(with_service.clean)
        self.ids = [support.id_of(with_service.upload(trace(salt=i))) for i in range(uploads)]
        with_service.stop()
        return self.store

    def run_store(self, *arguments, status=0, endpoints=None, **environment):
        return store_command(*arguments, '--s3-region', object_store.REGION, '--s3-endpoints', endpoints or self.bucket.url,
                             status=status, **environment)

    def copy(self, source, target, **more):
        return self.run_store('copy', source, target, **more)

    def upload_all(self, **more):
        return self.copy(self.filled(), 's3://' + BUCKET + '/team/a', **more)


class Copy(StoreTest):
    def test_there_and_back(self):
        said = self.upload_all()
        self.assertIn('6 objects copied', said)
        self.assertEqual({'team/a/' + path: content for path, content in files(self.store).items()}, self.bucket.objects)
        self.copy('s3://' + BUCKET + '/team/a', self.back)
        self.assertEqual(files(self.back), files(self.store))
        server = Server(store=self.back)
        self.addCleanup(server.clean)
        for one in self.ids:
            self.assertEqual(server.get('/p/' + one).status, 200)

    def test_again_copies_only_what_is_new(self):
        self.upload_all()
        self.bucket.requests.clear()
        self.assertIn('0 objects copied (0 B), 6 there already', self.copy(self.store, 's3://' + BUCKET + '/team/a'))
        self.assertEqual({method for method, _ in self.bucket.requests}, {'GET'})
        server = Server(store=self.store)
        self.addCleanup(server.clean)
        answer = server.upload(trace(salt=9))
        self.assertEqual(server.request('POST', '/p/%s/rename?name=new' % support.id_of(answer), '',
                                        X_Delete_Token=support.token_of(answer)).status, 200)
        self.assertIn('3 objects copied', self.copy(self.store, 's3://' + BUCKET + '/team/a'))

    def test_of_a_service_that_runs(self):
        server = Server(store=self.store)
        self.addCleanup(server.clean)
        one = support.id_of(server.upload(trace()))
        self.assertIn('2 objects copied', self.copy(self.store, 's3://' + BUCKET))
        self.assertIn('the store is in use', self.copy('s3://' + BUCKET, self.store, status=1))
        self.assertIn('uploads/%s.json' % one, self.bucket.objects)

    def test_what_makes_way_while_it_is_copied(self):
        """The next revision of a record takes the place of one that was listed."""
        self.upload_all()
        record = 'team/a/uploads/%s/2' % self.ids[0]
        self.bucket.objects[record] = self.bucket.objects['team/a/uploads/%s.json' % self.ids[0]]
        self.bucket.faults = [('GET', record, 'moved', 1)]
        self.copy('s3://' + BUCKET + '/team/a', self.back)
        self.assertIn('uploads/%s/21' % self.ids[0], files(self.back))

    def test_damage_of_a_later_round_is_told_once(self):
        """Something goes while it is copied, so that all is looked at again; meanwhile something damaged has come."""
        self.upload_all()
        record = 'team/a/uploads/%s/2' % self.ids[0]
        self.bucket.objects[record] = self.bucket.objects['team/a/uploads/%s.json' % self.ids[0]]
        late, early = ['team/a/names/1/' + digit * 64 for digit in 'ab']
        self.bucket.objects[early] = b'damaged from the beginning'

        def change():
            self.bucket.objects['team/a/uploads/%s/3' % self.ids[0]] = self.bucket.objects.pop(record)
            self.bucket.objects[late] = b'damaged, and come while it was copied'
        self.bucket.faults = [('GET', record, change, 1)]
        said = self.copy('s3://' + BUCKET + '/team/a', self.back, status=1)
        self.assertIn(', 2 damaged', said)
        for key in (late, early):
            self.assertEqual(said.count('not copied: ' + key[len('team/a/'):]), 1, said)
        self.assertIn('uploads/%s/3' % self.ids[0], files(self.back))

    def test_what_is_no_object_store(self):
        """It answers 404 to everything, as a web server may."""
        self.upload_all()
        self.bucket.faults = [('GET', 'team/a/bytes/', '404 Nothing', 1000)]
        self.copy('s3://' + BUCKET + '/team/a', self.back, status=1)

    def test_reading_is_no_use(self):
        self.filled()
        one = sorted(glob.glob(os.path.join(self.store, 'bytes', '*')))[0]
        os.utime(one, (10 ** 9, 10 ** 9))
        self.copy(self.store, self.back)
        self.assertEqual(os.stat(one).st_mtime, 10 ** 9)

    def test_lists_of_many_pages(self):
        self.bucket.page = 2
        self.upload_all()
        self.copy('s3://' + BUCKET + '/team/a/', self.back)
        self.assertEqual(files(self.back), files(self.store))

    def test_directories(self):
        self.copy(self.filled(), self.back)
        self.assertEqual(files(self.back), files(self.store))

    def test_keys_of_others_are_passed_over(self):
        self.upload_all()
        self.bucket.objects.update({'team/a/bytes/UPPER & lower': b'x', 'team/a/bytes/': b'', 'team/ab/bytes/x': b'x'})
        self.copy('s3://' + BUCKET + '/team/a', self.back)
        self.assertEqual(files(self.back), files(self.store))


    def test_keys_that_were_not_asked_for_are_passed_over(self):
        """Else an object store could give a service its key of sessions, or views that say anything."""
        self.upload_all()
        self.bucket.strangers = ['team/a/' + key for key in ('keys/session', 'views/ab/x', 'uploads/../keys/session', 'uploads/.x',
                                                             'uploads/a/b/c/d/e/f', 'uploads//x')] + ['uploads/x']
        self.bucket.objects.update({key: b'x' for key in self.bucket.strangers})
        self.copy('s3://' + BUCKET + '/team/a', self.back)
        self.assertEqual(files(self.back), files(self.store))
        self.assertEqual(os.listdir(os.path.join(self.back, 'keys')) if os.path.isdir(os.path.join(self.back, 'keys')) else [], [])


class Damage(StoreTest):
    def test_a_damaged_file_is_named_and_not_copied(self):
        self.filled()
        blob = sorted(glob.glob(os.path.join(self.store, 'bytes', '*')))[0]
        os.chmod(blob, 0o600)
        with open(blob, 'r+b') as f:
            f.write(b'X')
        key = os.path.relpath(blob, self.store)
        said = self.copy(self.store, 's3://' + BUCKET, status=1)
        self.assertIn('damaged, and not copied: ' + key, said)
        self.assertNotIn(key, self.bucket.objects)
        self.assertIn('5 objects copied', said)

    def test_wrong_bytes_of_the_object_store(self):
        self.upload_all()
        self.bucket.faults = [('GET', 'team/a/bytes/', 'wrong', 1)]
        self.assertIn('1 damaged', self.copy('s3://' + BUCKET + '/team/a', self.back, status=1))
        self.copy('s3://' + BUCKET + '/team/a', self.back)      # the next one brings it
        self.assertEqual(files(self.back), files(self.store))


class Trouble(StoreTest):
    def test_what_passes_is_tried_again(self):
        self.filled()
        for fault in ('503 SlowDown', '500 InternalError', '429 TooManyRequests', '409 ConditionalRequestConflict', 'drop', 'lost'):
            with self.subTest(fault=fault):
                self.bucket.objects.clear()
                self.bucket.faults = [('PUT', 'bytes/', fault, 1), ('PUT', 'uploads/', fault, 1)]
                self.assertIn('0 damaged', self.copy(self.store, 's3://' + BUCKET))
                self.assertEqual(self.bucket.objects, files(self.store))

    def test_a_cut_object_goes_on_where_it_was_cut(self):
        self.upload_all()
        self.bucket.faults = [('GET', 'team/a/bytes/', 'cut', 2)]
        self.copy('s3://' + BUCKET + '/team/a', self.back)
        self.assertEqual(files(self.back), files(self.store))

    def test_one_that_does_not_go_on_is_not_taken_for_the_rest(self):
        self.upload_all()
        self.bucket.faults = [('GET', 'team/a/bytes/', 'no ranges', 1000)]
        self.assertIn(', 0 damaged', self.copy('s3://' + BUCKET + '/team/a', self.back, status=1))
        self.assertEqual(files(self.back), {})

    def test_nor_is_one_that_has_no_tag(self):
        self.upload_all()
        self.bucket.etags, self.bucket.faults = False, [('GET', 'team/a/bytes/', 'cut', 1)]
        self.assertIn(', 0 damaged', self.copy('s3://' + BUCKET + '/team/a', self.back, status=1))
        self.copy('s3://' + BUCKET + '/team/a', self.back)
        self.assertEqual(files(self.back), files(self.store))

    def test_what_is_no_whole_list_is_not_taken_for_one(self):
        self.upload_all()
        for fault in ('page', 'endless', 'no token'):
            with self.subTest(fault=fault):
                self.bucket.faults = [('GET', '', fault, 100)]
                self.assertIn('no whole list', self.copy('s3://' + BUCKET + '/team/a', self.back, status=1))
                self.assertEqual(files(self.back), {})

    def test_what_lasts_ends_with_a_sentence_and_not_many_requests(self):
        self.filled()
        self.bucket.faults = [('PUT', '', '503 SlowDown', 1000)]
        said = self.copy(self.store, 's3://' + BUCKET, status=1)
        self.assertRegex(said, r'PUT of bytes/\S* at http://127\.0\.0\.1:\d+/profiles was answered 503 \(SlowDown\)')
        self.assertLess(len(self.bucket.requests), 30)
        self.bucket.faults = []
        self.copy(self.store, 's3://' + BUCKET)                   # goes on
        self.assertEqual(self.bucket.objects, files(self.store))

    def test_trouble_is_not_an_empty_store(self):
        self.upload_all()
        for fault in ('503 SlowDown', 'drop', '403 AccessDenied'):
            with self.subTest(fault=fault):
                self.bucket.faults = [('GET', '', fault, 1000)]
                self.copy('s3://' + BUCKET + '/team/a', self.back, status=1)
                self.assertEqual(files(self.back), {})

    def test_the_next_endpoint(self):
        self.filled()
        self.copy(self.store, 's3://' + BUCKET, endpoints='http://127.0.0.1:1, ' + self.bucket.url)
        self.assertEqual(self.bucket.objects, files(self.store))

    def test_what_does_not_pass_is_said_at_once(self):
        self.filled()
        for fault, words in (('403 AccessDenied', 'Look at the keys'), ('403 QuotaExceeded', 'raise the quota'),
                             ('403 RequestTimeTooSkewed', 'Set the clock'), ('301 PermanentRedirect', 'another region')):
            with self.subTest(fault=fault):
                self.bucket.requests.clear()
                self.bucket.faults = [('PUT', '', fault, 1000)]
                self.assertIn(words, self.copy(self.store, 's3://' + BUCKET, status=1))
                self.assertLessEqual(len([1 for method, _ in self.bucket.requests if method == 'PUT']), 8)


class Settings(StoreTest):
    def check(self, *more, status=0, place='s3://' + BUCKET, **environment):
        return self.run_store('check', place, *more, status=status, **environment)

    def test_a_store_that_is_fit(self):
        said = self.check()
        self.assertRegex(said, r'it is not made twice +[\d.]+ ms\n')
        self.assertEqual(self.bucket.objects, {})

    def test_a_store_that_replaces_what_it_should_keep(self):
        self.bucket.creates = False
        self.assertIn('If-None-Match', self.check(status=1))
        self.assertEqual(self.bucket.objects, {})

    def test_keys(self):
        path = os.path.join(self.folder, 'keys')
        with open(path, 'w') as f:
            f.write(ACCESS + '\n' + SECRET + '\n')
        nobody = {'AWS_ACCESS_KEY_ID': '', 'AWS_SECRET_ACCESS_KEY': ''}
        self.check('--s3-keys-file', path, **nobody)
        self.assertIn('SignatureDoesNotMatch', self.check(status=1, AWS_SECRET_ACCESS_KEY='wrong'))
        self.assertIn('no keys for the object store', self.check(status=2, **nobody))
        self.assertIn('no keys for the object store', self.check('--s3-keys-file', path + '.none', status=2))

    def test_without_the_library(self):
        with open(os.path.join(self.folder, 'libcurl.so.4'), 'w') as f:
            f.write('no library')
        self.assertIn('apt-get install libcurl4', self.check(status=1, LD_LIBRARY_PATH=self.folder))

    def test_places(self):
        self.assertIn('NoSuchBucket', self.check(status=1, place='s3://another'))
        for place in ('s3://', 's3://No_Bucket', 's3://' + BUCKET + '/../x', 's3://' + BUCKET + '/a//b'):
            with self.subTest(place=place):
                self.check(status=2, place=place)
        for endpoints in ('127.0.0.1', 'ftp://127.0.0.1', 'http://', 'http://127.0.0.1/path', 'http://u@127.0.0.1'):
            with self.subTest(endpoints=endpoints):
                self.assertIn('no address of an object store', self.check(status=2, endpoints=endpoints))
        self.assertIn('No endpoint is named', store_command('check', 's3://' + BUCKET, status=2))
        self.assertIn('Behind copy stand two places', store_command('copy', self.store, status=2))


class Ceph(StoreTest):
    """The same with a real object store, where its packages and the script that starts it are."""
    def test_there_and_back(self):
        told = object_store.ceph(self)
        known = {name: told[name] for name in ('AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY')}

        def run(*arguments):
            return store_command(*arguments, '--s3-endpoints', told['S3_ENDPOINT'], **known)
        self.assertIn('it is not made twice', run('check', 's3://%s/a' % told['S3_BUCKET']))
        run('copy', self.filled(), 's3://%s/a' % told['S3_BUCKET'])
        run('copy', 's3://%s/a' % told['S3_BUCKET'], self.back)
        self.assertEqual(files(self.back), files(self.store))


if __name__ == '__main__':
    unittest.main()
