"""durability=local: while the object store does not answer, an upload is durable on the machine that took it, and is shown there. When
the object store is back it has all of it, whatever was killed meanwhile."""
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
from support import eventually, id_of, token_of, trace
from test_store_bucket import BucketTest


class Local(BucketTest):
    def local(self, cache='a', **config):
        return self.service(cache, **{'durability': 'local', **config})

    def waiting(self, cache='a'):
        """The files that wait: <id>/bytes, .."""
        top = os.path.join(self.folder, cache, 'waiting')
        return sorted(os.path.relpath(os.path.join(folder, name), top) for folder, _, names in os.walk(top) for name in names)

    def taken(self, server, content=None, target='/', **headers):
        answer = server.upload(trace() if content is None else content, target, **headers)
        self.assertIn(answer.status, (201, 202), answer)
        return answer

    def is_sent(self, answer, other):
        path = '/p/' + id_of(answer)
        self.assertTrue(eventually(lambda: other.get(path).status == 200))
        self.assertTrue(eventually(lambda: not any(file.startswith(id_of(answer)) for file in self.waiting())))

    def listed(self, server):
        return json.loads(server.get('/s/team.json').body)['profiles']

    def restart(self, server):
        self.assertEqual(server.stop(), 0)
        server.start()


class Away(Local):
    def test_it_is_taken_shown_and_sent_later(self):
        server, other = self.local(), self.service('b')
        self.away()
        content = trace(salt=1)
        answer = self.taken(server, content, Accept='application/json')
        self.assertEqual((answer['X-Durability'], json.loads(answer.body)['durability']), ('local', 'local'))
        path = '/p/' + id_of(answer)
        page = server.get(path, Accept='text/html')
        self.assertTrue('on this machine only' in page.text)
        for target in ('/raw', '/verdict.txt', '/t/all.svg', '.json'):
            got = server.get(path + target)
            self.assertEqual((got.status, got['X-Stale']), (200, None), target)
        self.assertEqual(server.get(path + '/raw').body, content)
        self.restart(server)
        self.assertEqual(server.get(path + '/raw').body, content)
        self.back()
        self.is_sent(answer, other)
        self.assertEqual(other.get(path + '/raw').body, content)
        self.assertTrue(eventually(lambda: not self.waiting()))
        self.assertNotIn('durability', json.loads(server.get(path + '.json').body))
        self.assertFalse('on this machine only' in server.get(path, Accept='text/html').text)
        self.assertEqual(server.get(path + '/raw').body, content)
        changed = server.request('POST', path + '/rename', 'token=%s&name=renamed' % token_of(answer))
        self.assertEqual(changed.status, 200, changed)

    def test_what_waits_is_sent_whatever_the_key_says_now(self):
        server, other = self.local(), self.service('b')
        self.away()
        answer = self.taken(server)
        self.assertEqual(server.stop(), 0)
        server.config['durability'] = 'store'
        server.start()
        self.assertEqual(server.get('/p/' + id_of(answer)).status, 200)
        self.assertEqual(server.upload(trace(salt=2)).status, 503)
        self.back()
        self.is_sent(answer, other)

    def test_its_line_in_a_space_is_sent(self):
        server, other = self.local(), self.service('b')
        self.away()
        answer = self.taken(server, target='/?space=team')
        self.assertTrue(eventually(lambda: id_of(answer) + '/words' in self.waiting()))
        self.back()
        self.is_sent(answer, other)
        self.assertEqual([one['id'] for one in self.listed(other)], [id_of(answer)])
        self.assertEqual(sorted(key.endswith('-words') for key in self.bucket.objects if '/spaces/' in key), [False, True])

    def test_words_are_sent_though_the_answer_to_the_record_is_lost(self):
        server, other = self.local(), self.service('b')
        self.away()
        answer = self.taken(server, target='/?space=team')
        self.assertTrue(eventually(lambda: id_of(answer) + '/words' in self.waiting()))
        self.bucket.faults[:] = [('PUT', 'team/uploads/', 'lost', 1 << 30)]
        self.assertTrue(eventually(lambda: 'team/uploads/%s.json' % id_of(answer) in self.bucket.objects))
        self.back()
        self.is_sent(answer, other)
        self.assertTrue(any(key.endswith('-words') for key in self.bucket.objects))

    def test_one_that_is_refused_holds_up_no_others(self):
        server, other = self.local(), self.service('b')
        self.away()
        answers = [self.taken(server, trace(salt=i)) for i in range(3)]
        refused = 'team/bytes/' + id_of(answers[1])
        self.bucket.faults[:] = [('PUT', refused, '403 AccessDenied', 1 << 30)]
        for answer in (answers[0], answers[2]):
            self.is_sent(answer, other)
        self.assertTrue(eventually(lambda: 'not-sent' in server.log()))
        self.assertEqual(server.get('/p/%s/raw' % id_of(answers[1])).status, 200)

    def test_one_that_is_larger_than_a_part(self):
        """Its parts are sent while it arrives, and taken away if the object store is full."""
        server, content = self.local(), b'main;first;second 5\n' * 3_600_000
        self.bucket.faults.append(('PUT', 'team/bytes/', '403 QuotaExceeded', 1 << 30))
        self.assertEqual(server.upload(content).status, 507)
        self.assertTrue(eventually(lambda: not self.bucket.parts))     # The client need not wait for that.
        self.assertEqual((server.get('/healthz').status, self.waiting()), (200, []))

    def test_a_store_that_refuses_is_not_away(self):
        server = self.local()
        self.bucket.faults.append(('', '', '403 AccessDenied', 1 << 30))
        self.assertTrue(eventually(lambda: server.get('/readyz').status == 503))
        self.assertEqual((server.upload(trace()).status // 100, self.waiting()), (5, []))

    def test_one_with_a_mapping_is_refused(self):
        server = self.local()
        self.away()
        answer = server.upload_form(('trace', 'a.trace', trace()),
                                    ('mapping', 'mapping.txt', b'com.real.Name -> com.example.Class0:\n'))
        self.assertEqual(answer.status, 503, answer)
        self.assertTrue(eventually(lambda: not self.waiting()))

    def test_members_of_an_archive_wait_together(self):
        server, other = self.local(), self.service('b')
        self.away()
        archive = object_store.zip_of({'one.trace': trace(salt=1), 'two.trace': trace(salt=2)})
        answer = self.taken(server, archive, '/?member=all')
        ids = re.findall(r'/p/([a-z2-7]{26})', answer.text)
        self.assertEqual(len(set(ids)), 2)
        self.back()
        for one in ids:
            self.assertTrue(eventually(lambda: other.get('/p/%s/verdict.txt' % one).status == 200))
        self.assertTrue(eventually(lambda: not self.waiting()))

    def test_a_member_that_is_refused_is_withdrawn(self):
        server, other = self.local(), self.service('b')
        self.away()
        archive = object_store.zip_of({'good.trace': trace(salt=1), 'bad.trace': trace(methods=20_000, records=0)})
        answer = self.taken(server, archive, '/?member=all&space=team')
        good, = set(re.findall(r'/p/([a-z2-7]{26})', answer.text))
        self.assertTrue(eventually(lambda: {file.split('/')[0] for file in self.waiting()} == {good}))
        self.back()
        self.assertTrue(eventually(lambda: other.get('/p/%s' % good).status == 200 and not self.waiting()))
        self.assertEqual([one['id'] for one in self.listed(other)], [good])

    def test_many_are_taken_while_the_store_is_known_to_be_away(self):
        server, other = self.local(), self.service('b')
        self.away()
        answers = [self.taken(server, trace(salt=i)) for i in range(2)]
        answers += [self.taken(server, trace(salt=2 + i)) for i in range(10)]
        self.back()
        for answer in answers:
            self.is_sent(answer, other)

    def test_machines_say_what_waits(self):
        server = self.local(metrics_listen='127.0.0.1:0')
        port, = re.findall(r'also-listening key=metrics_listen address=127\.0\.0\.1:(\d+)', server.log())

        def figures():
            with urllib.request.urlopen('http://127.0.0.1:%s/metrics' % port, timeout=support.TIMEOUT_S) as answer:
                return answer.read().decode()
        self.assertTrue(eventually(lambda: server.get('/readyz').text == 'ready\n'))
        self.away()
        content = trace(salt=3)
        self.taken(server, content)
        ready = server.get('/readyz')
        self.assertEqual(ready.status, 200, ready)
        self.assertIn('\naflamed_waiting_uploads 1\n', figures())
        self.assertIn('\naflamed_waiting_bytes %d\n' % len(content), figures())
        self.back()
        self.assertTrue(eventually(lambda: '\naflamed_waiting_uploads 0\n' in figures() and '\naflamed_waiting_bytes 0\n' in figures()))
        self.assertIn(' sent ', server.log())


class Ends(Local):
    def test_it_is_changed_and_deleted_when_it_is_sent(self):
        server = self.local()
        self.away()
        answer = self.taken(server, target='/?space=team')
        path = '/p/' + id_of(answer)
        for refused in (server.request('POST', path + '/rename', 'token=%s&space=other' % token_of(answer)),
                        server.request('POST', path + '/rename', 'token=%s&name=renamed' % token_of(answer)),
                        server.request('DELETE', path, X_Delete_Token=token_of(answer))):
            self.assertEqual(refused.status, 503, refused)
            self.assertIsNotNone(refused['Retry-After'])
            self.assertIn('is on the machine that took it', refused.text)
        self.assertEqual(server.get(path).status, 200)
        self.back()
        self.is_sent(answer, server)
        self.assertEqual(server.request('DELETE', path, X_Delete_Token=token_of(answer)).status, 200)
        self.assertEqual(server.get(path).status, 410)
        self.assertFalse([key for key in self.bucket.objects if id_of(answer) in key and '/gone/' not in key])

    def test_one_that_was_sent_and_deleted_elsewhere_stays_deleted(self):
        """The machine dies when its record is there, and comes back when another one has deleted it."""
        server, other = self.local(), self.service('b')
        self.away()
        answer = self.taken(server)
        path = '/p/' + id_of(answer)
        server.kill()
        waiting = os.path.join(self.folder, 'a', 'waiting')
        os.rename(waiting, waiting + '-kept')
        shutil.copytree(waiting + '-kept', waiting)
        self.back()
        server.start()
        self.is_sent(answer, other)
        server.kill()
        shutil.rmtree(waiting)
        os.rename(waiting + '-kept', waiting)
        self.assertEqual(other.request('DELETE', path, X_Delete_Token=token_of(answer)).status, 200)
        server.start()
        self.assertTrue(eventually(lambda: not self.waiting()))
        self.assertEqual((server.get(path).status, other.get(path).status), (410, 410))
        self.assertFalse([key for key in self.bucket.objects if id_of(answer) in key and '/gone/' not in key])

    def test_of_what_is_refused_nothing_waits(self):
        server = self.local()
        self.away()
        self.assertEqual(server.upload(trace(methods=20_000, records=0)).status, 422)
        self.assertTrue(eventually(lambda: not self.waiting()))

    def test_too_much_is_refused(self):
        server = self.local(waiting_bytes='1M')
        self.away()
        content = trace(records=60_000)
        self.assertTrue(len(content) < 1 << 20 < 2 * len(content))
        self.taken(server, content)
        answer = server.upload(content)
        self.assertEqual(answer.status, 503, answer)
        self.assertIsNotNone(answer['Retry-After'])
        self.taken(server, trace(salt=2))
        self.back()
        self.assertTrue(eventually(lambda: server.upload(content).status == 201))

    def test_a_directory_has_nothing_to_send_to(self):
        done = subprocess.run([support.AFLAMED, 'serve', '--listen', '127.0.0.1:0', '--store', os.path.join(self.folder, 'd'),
                               '--durability', 'local'], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=support.TIMEOUT_S)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn('durability=local: the store is a directory', done.stderr)


class Killed(Local):
    def killed(self, prefix):
        """The machine dies while the object store takes this object, and comes back."""
        server, other = self.local(), self.service('b')
        self.away()
        content = trace(salt=7)
        answer = server.upload_form(('trace', 'a.trace', content), ('space', None, b'team'))
        self.assertIn(answer.status, (201, 202), answer)
        event = threading.Event()
        self.addCleanup(event.set)
        self.back()
        self.bucket.faults.append(('PUT', prefix, event, 1 << 30))
        self.assertTrue(eventually(lambda: any(method == 'PUT' and key.startswith(prefix)
                                               for method, key in self.bucket.requests)))
        server.kill()
        self.assertNotIn('team/uploads/%s.json' % id_of(answer), self.bucket.objects)
        self.assertTrue(eventually(lambda: other.get('/p/' + id_of(answer)).status == 404))
        event.set()
        server.start()
        self.assertEqual(server.get('/p/%s/raw' % id_of(answer)).body, content)
        self.is_sent(answer, other)
        self.assertEqual(other.get('/p/%s/raw' % id_of(answer)).body, content)
        self.assertTrue(eventually(lambda: not self.waiting()))

    def test_while_its_bytes_are_sent(self):
        self.killed('team/bytes/')

    def test_while_its_entry_is_sent(self):
        self.killed('team/spaces/')

    def test_while_its_record_is_sent(self):
        self.killed('team/uploads/')

    def test_what_was_never_acknowledged_is_removed(self):
        server = self.local()
        self.away()
        answer = self.taken(server)
        server.kill()
        top = os.path.join(self.folder, 'a', 'waiting')
        for path in (26 * 'a' + '/bytes', 26 * 'b' + '/words'):
            os.makedirs(os.path.dirname(os.path.join(top, path)), exist_ok=True)
            with open(os.path.join(top, path), 'w') as f:
                f.write('left')
        server.start()
        self.assertEqual(self.waiting(), [id_of(answer) + '/bytes', id_of(answer) + '/record'])
        self.back()
        self.assertTrue(eventually(lambda: not self.waiting()))


class Late(Local):
    def test_old_bytes_of_an_earlier_try_are_put_anew(self):
        """A sweep of another machine may be about to remove them."""
        server = self.local()
        self.away()
        answer = self.taken(server)
        key = 'team/bytes/' + id_of(answer)
        self.bucket.objects[key] = trace()
        self.bucket.put_at[key] = time.time() - 12 * 3600
        self.back()
        self.assertTrue(eventually(lambda: ('DELETE', key) in self.bucket.requests))
        time.sleep(1)
        self.assertNotIn('team/uploads/%s.json' % id_of(answer), self.bucket.objects)
        self.restart(server)        # which does not know for how long a sweep was at it: its own time begins then
        self.assertTrue(eventually(lambda: key in self.bucket.objects))


if __name__ == '__main__':
    unittest.main()
