"""What the operator needs: the log has the reason that a client is not told, and not what only the uploader may know;
the service makes do with what the process may have, and says so if it is too little."""
import contextlib
import os
import re
import resource
import unittest

from support import AFLAMED, Server, ServiceTest, eventually, head, heavy_trace, id_of, read_answers, token_of, trace

FORM = {'Content_Type': 'application/x-www-form-urlencoded'}


class Log(ServiceTest):
    def path_of(self, *parts):
        return os.path.join(self.server.store, *parts)

    def assert_said_since(self, before, line):
        self.assertTrue(self.server.says(line, before), '%s is not in %s' % (line, self.server.log()[len(before):]))

    def assert_the_log_has_it(self, before, answer, line):
        self.assertEqual(answer.status, 500, answer)
        self.assertIn("the service's log", answer.text)
        self.assert_said_since(before, line)

    @contextlib.contextmanager
    def without_tmp(self):
        """A file in its place: a folder that is missing would be made."""
        os.rename(self.path_of('tmp'), self.path_of('away'))
        with open(self.path_of('tmp'), 'wb'):
            pass
        try:
            yield
        finally:
            os.unlink(self.path_of('tmp'))
            os.rename(self.path_of('away'), self.path_of('tmp'))

    def test_why_an_upload_is_not_stored(self):
        before = self.server.log()
        with self.without_tmp():
            answer = self.server.upload_form(('trace', 'x', trace()))
        self.assert_the_log_has_it(before, answer, r'error store-failed what=stored why=Not\\ a\\ directory\n')

    def test_why_an_upload_is_not_changed_or_deleted(self):
        answer = self.stored(trace(salt=1))
        path, token = '/p/' + id_of(answer), token_of(answer)
        before = self.server.log()
        with self.without_tmp():
            changed = self.server.request('POST', path + '/rename', 'token=%s&name=x' % token, **FORM)
            deleted = self.server.request('DELETE', path, X_Delete_Token=token)
        self.assert_the_log_has_it(before, changed, r'error store-failed what=changed why=Not\\ a')
        self.assert_the_log_has_it(before, deleted, r'error store-failed what=deleted why=Not\\ a')
        self.assertEqual(self.server.request('DELETE', path, X_Delete_Token=token).status, 200)

    def test_why_an_upload_cannot_be_read(self):
        answer = self.stored(trace(salt=2))
        path = '/p/' + id_of(answer)
        os.unlink(self.path_of('bytes', id_of(answer)))
        for target in ('/raw', '/t/1.svg?view=chart'):
            before = self.server.log()
            self.assert_the_log_has_it(before, self.server.get(path + target),
                                       r'error bytes-not-opened key=bytes/%s… why=it\\ is\\ not\\ there' % id_of(answer)[:6])

    def test_nothing_that_could_delete_an_upload(self):
        """The form asks for the token in the address, since it works without scripts."""
        answer = self.stored(trace(salt=4))
        path, token = '/p/' + id_of(answer), token_of(answer)
        for target in (path + '/delete?token=' + token, path + '/delete?a=b&token=%s&c=d' % token,
                       'http://x%s/delete?token=%s' % (path, token), '/nothing?token=' + token,
                       path + '/delete&token=' + token, path + '/delete?a=b&%74oken=' + token,
                       path + '/delete?TOKEN=' + token, path + '/delete?%00&T%6fken=' + token):
            before = self.server.log()
            self.server.get(target)
            self.assert_said_since(before, r'info request .* target=(/p/\w+…/delete|/nothing|http://)\S* status=')
        changes = 'token=%s&name=x' % token
        self.assertEqual(self.server.request('POST', path + '/rename', changes, **FORM).status, 200)
        self.assertEqual(self.server.request('DELETE', path, X_Delete_Token=token).status, 200)
        self.assert_said_since('', r'info request .* method=DELETE .* status=200')
        self.assertNotIn(token, self.server.log())

    def test_no_link_that_opens_an_upload(self):
        answer = self.stored(trace(salt=6))
        upload = id_of(answer)
        for target in ('/p/%s', '/p/%s.json', '/p/%s/t/1.svg', '/p/%s/nothing', 'http://x/p/%s', '/p/%s/raw?a=b'):
            before = self.server.log()
            self.server.get(target % upload)
            self.assert_said_since(before, r'info request .* target=(http://x)?/p/%s…\S* status=' % upload[:6])
        coded = '%%%02x' % ord(upload[0]) + upload[1:]
        self.assertEqual(self.server.get('/p/' + coded).status, 200)
        token = token_of(answer)
        self.assertEqual(self.server.request('POST', '/p/%s/rename' % upload, 'name=y&token=' + token, **FORM).status, 200)
        self.assertEqual(self.server.request('DELETE', '/p/' + upload, X_Delete_Token=token).status, 200)
        self.assert_said_since('', r'info request .* method=DELETE target=/p/%s… status=200' % upload[:6])
        for event in ('uploaded', 'changed', 'deleted'):
            self.assertRegex(self.server.log(), r'info %s id=%s…' % (event, upload[:6]))
        self.assertNotIn(upload[1:], self.server.log())

    def test_what_was_uploaded(self):
        before, content = self.server.log(), trace(salt=7)
        answer = self.stored(content)
        self.assert_said_since(before, r'info uploaded id=%s… format=android-trace bytes=%d ms=\d+ sha256=[0-9a-f]{64} '
                               r'request=%s client=127\.0\.0\.1\n'
                               % (id_of(answer)[:6], len(content), answer['X-Request-Id']))

    def test_why_a_request_was_refused(self):
        for target, status, why in (('/p/' + 'a' * 26, 404, r'not\ found:\ There\ is\ no\ upload\ with\ this\ id.'),
                                    ('/p/x?view=x', 404, r'not\ found:\S+'), ('/uploads/x', 404, r'not\ found:\S+')):
            before = self.server.log()
            answer = self.server.get(target)
            self.assertEqual(answer.status, status)
            self.assert_said_since(before, r'request id=%s .* status=%d bytes=\d+ us=\d+ why=%s'
                                   % (answer['X-Request-Id'], status, why.replace('\\ ', r'\\ ')))
        before = self.server.log()
        self.assertEqual(self.server.upload(b'no trace\n').status, 415)
        self.assert_said_since(before, r'status=415 .* why=unknown\\ file\\ format:')
        self.assertNotIn('uploaded', self.server.log()[len(before):])

    def test_who_left_before_the_answer(self):
        """A body that is never completed."""
        before = self.server.log()
        with self.server.connect() as connection:
            connection.sendall(head('POST', '/', 'Content-Length: 1000') + b'abc')
        self.assert_said_since(before, r'request .* method=POST target=/ status=0 .* why=no\\ answer')

    def test_request_ids_are_those_of_this_start(self):
        first = self.server.get('/healthz')['X-Request-Id']
        other = Server()
        self.addCleanup(other.clean)
        second = other.get('/healthz')['X-Request-Id']
        self.assertNotEqual(first.split('-')[0], second.split('-')[0])

    def test_why_a_view_is_not_kept(self):
        answer = self.stored(heavy_trace(salt=3))
        before = self.server.log()
        with self.without_tmp():
            self.assertEqual(self.server.get('/p/%s/t/1.svg?width=333' % id_of(answer)).status, 200)
        self.assert_said_since(before, r'warn view-not-kept key=views/\S+ why=Not\\ a')


class StalledServer(Server):
    """Its log goes into a pipe that nobody reads until somebody calls take()."""

    def start(self):
        os.mkfifo(self.log_path)
        self.reader = os.open(self.log_path, os.O_RDONLY | os.O_NONBLOCK)
        super().start()

    def take(self):
        try:
            return os.read(self.reader, 1 << 20).decode()
        except BlockingIOError:
            return ''

    def log(self):
        return ''


class StalledReader(unittest.TestCase):
    def test_stops_nobody(self):
        """A few kilobytes of log for each request; the pipe and what is kept hold 320 KiB."""
        if not AFLAMED:
            self.skipTest('AFLAMED names no program')
        server = StalledServer()
        self.addCleanup(os.close, server.reader)
        self.addCleanup(server.clean)
        sent = 600
        for i in range(sent):
            self.assertEqual(server.get('/version?n=%d&%s' % (i, 'X' * 1000)).status, 200)
        self.assertEqual(server.upload(trace()).status, 201)
        text = []
        self.assertTrue(eventually(lambda: text.append(server.take()) or 'log-lines-lost' in ''.join(text)))
        server.get('/version?last')
        self.assertTrue(eventually(lambda: text.append(server.take()) or '?last' in ''.join(text)))
        lines = ''.join(text).splitlines()
        there = sum('target=/version?n' in line for line in lines)
        others = sum(' info folded ' in line or ' info uploaded ' in line or 'method=POST' in line for line in lines)
        lost = sum(int(n) for n in re.findall(r'warn log-lines-lost n=(\d+)', ''.join(text)))
        self.assertEqual(there + others + lost, sent + 3)
        self.assertGreater(there, 200)


class Means(unittest.TestCase):
    def setUp(self):
        if not AFLAMED:
            self.skipTest('AFLAMED names no program')

    def server_with(self, descriptors, hard, **config):
        """The service inherits what the test has for a moment."""
        before = resource.prlimit(0, resource.RLIMIT_NOFILE)
        resource.prlimit(0, resource.RLIMIT_NOFILE, (descriptors, before[1]))
        try:
            server = LimitedServer(hard, **config)
        finally:
            resource.prlimit(0, resource.RLIMIT_NOFILE, before)
        self.addCleanup(server.clean)
        return server

    def test_descriptors_are_enough_for_the_connections_that_are_allowed(self):
        server = self.server_with(64, 4096, max_connections=100)
        content = trace(records=20000)
        slow = [server.connect() for _ in range(50)]
        for connection in slow:
            self.addCleanup(connection.close)
            connection.sendall(head('POST', '/', 'Content-Length: %d' % len(content)) + content[:5000])
        for connection in slow:
            connection.sendall(content[5000:])
        self.assertEqual([read_answers(c, ('POST',))[0].status for c in slow], [201] * len(slow))
        self.assertNotIn('few-descriptors', server.log())

    def test_too_few_descriptors_are_logged(self):
        server = self.server_with(64, 128, max_connections=100)
        self.assertRegex(server.log(), r'warn few-descriptors wanted=\d+ limit=128 max_connections=100\n')

    def test_what_nobody_has_chosen_is_lowered_to_what_there_is(self):
        """So that who is one too many is told, and whether the service is well."""
        server = self.server_with(64, 700)
        most = int(re.search(r'few-descriptors wanted=\d+ limit=700 max_connections=(\d+)\n', server.log())[1])
        self.assertLess(most, 100)
        for _ in range(most):
            connection = server.connect()
            self.addCleanup(connection.close)
            connection.sendall(head('GET', '/healthz'))
            self.assertEqual(read_answers(connection)[0].status, 200)
        self.assertEqual(server.raw(head('GET', '/'))[0].status, 503)
        self.assertEqual(server.raw(head('GET', '/healthz'))[0].status, 200)

    def test_a_worker_for_each_core_that_may_be_used(self):
        cores = os.sched_getaffinity(0)
        if len(cores) < 2:
            self.skipTest('there is one core only')
        os.sched_setaffinity(0, {min(cores)})
        try:
            server = Server()
        finally:
            os.sched_setaffinity(0, cores)
        self.addCleanup(server.clean)
        self.assertRegex(server.log(), r'info listening .* workers=1\n')


class LimitedServer(Server):
    """The limit that can be raised no further comes from a shell: the test could not take it back."""

    def __init__(self, hard, **config):
        self.hard = hard
        super().__init__(**config)

    @property
    def PROGRAM(self):
        path = os.path.join(self.folder, 'limited')
        with open(path, 'w') as file:
            file.write('#!/bin/sh\nulimit -H -n %d && exec %s "$@"\n' % (self.hard, AFLAMED))
        os.chmod(path, 0o755)
        return path


if __name__ == '__main__':
    unittest.main()
