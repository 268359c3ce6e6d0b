"""Answers that come before all views are made, and how far an upload is."""
import itertools
import json
import re
import unittest

from support import ServiceTest, amount, eventually, head, id_of, in_parallel, large_trace, read_answers, salted, trace

MIB = 1 << 20
SALTS = itertools.count(300)


def behind_others(test, upload):
    """(answer, connections): what `upload`, a function of a salt, gives while what the same client asked for before still takes all
    threads. An upload may wait longer for a slow disk than that takes: then twice as much is asked for."""
    server, asked = test.server, 20
    path = '/p/%s' % id_of(server.upload(trace(threads=8, methods=4000, records=amount(2 * MIB, MIB // 2), salt=next(SALTS))))
    server.get(path + '/status.json?wait=60')
    while True:
        connections = [server.connect() for _ in range(asked)]
        for connection in connections:
            test.addCleanup(connection.close)
            connection.sendall(head('GET', path + '/t/all.svg?view=inverted&width=%d' % next(SALTS)))
        answer = upload(next(SALTS))
        if answer.status == 202 or asked > 100:
            return answer, connections
        for connection in connections:
            connection.close()
        asked *= 2


class Progress(ServiceTest):
    """One worker, so that there is something to wait for."""
    CONFIG = {'workers': 1}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.content = large_trace(amount(8 * MIB, 2 * MIB))

    def wait(self, path):
        """Until all is done."""
        answer = self.server.get(path + '/status.json?wait=60')
        self.assertEqual((answer.status, answer['Content-Type']), (200, 'application/json'))
        self.assertEqual(json.loads(answer.body), {'state': 'done'})

    def test_client_that_prefers_not_to_wait(self):
        answer = self.server.upload(self.content, Prefer='respond-async')
        self.assertIn(answer.status, (201, 202))
        self.assertEqual(answer.text, answer['Location'] + '\n')
        self.assertTrue(answer['X-Delete-URL'].startswith(answer['Location']))
        path = '/p/' + id_of(answer)
        self.assertEqual(self.server.get(path + '/raw').body, self.content)
        self.assertEqual(self.server.get(path + '/t/1.svg').status, 200)
        self.wait(path)
        self.assertEqual(len(json.loads(self.server.get(path + '.json').body)['tracks']), 8)

    def test_async_answer_to_a_browser_and_as_json(self):
        page = self.server.upload(salted(self.content, 1), Prefer='respond-async', Accept='text/html')
        self.assertEqual(page.status, 303)
        self.assertEqual(self.server.get('/p/' + id_of(page), Accept='text/html').status, 200)
        answer = self.server.upload(salted(self.content, 2), Prefer='respond-async',
                                    Accept='application/json')
        self.assertIn(answer.status, (201, 202))
        self.assertEqual(json.loads(answer.body)['id'], id_of(answer))

    def test_refused_upload_is_refused_at_once(self):
        self.assertEqual(self.server.upload(b'no trace', Prefer='respond-async').status, 415)

    def test_status(self):
        path = '/p/' + id_of(self.stored())
        self.wait(path)
        self.assertEqual(json.loads(self.server.get(path + '/status.json').body), {'state': 'done'})
        for query in ('wait=x', 'wait=-1', 'made=x', 'wait='):
            self.assertEqual(self.server.get(path + '/status.json?' + query).status, 400)
        self.assertEqual(self.server.get('/p/' + 'a' * 26 + '/status.json').status, 404)

    def test_events_of_a_finished_upload_end(self):
        answer = self.server.get('/p/%s/events' % id_of(self.stored()))
        self.assertEqual(answer.status, 200)
        self.assertTrue(answer['Content-Type'].startswith('text/event-stream'))
        self.assertIn('done', answer.text)
        self.assertTrue(answer.text.endswith('\n\n'))

    def test_events_while_views_are_made(self):
        answer = self.server.upload(salted(self.content, 3), Prefer='respond-async')
        path = '/p/' + id_of(answer)
        streams = in_parallel(lambda _: self.server.get(path + '/events').text, range(8), threads=8)
        for stream in streams:
            for event in stream.split('\n\n')[:-1]:
                for line in event.split('\n'):
                    self.assertRegex(line, r'\A(event|data|id|retry)?:')
            self.assertEqual(len(re.findall(r'(?m)^event: done$', stream)), 1, stream)

    def test_watchers_that_leave(self):
        before = self.server.settled_descriptors()
        path = '/p/' + id_of(self.server.upload(salted(self.content, 4), Prefer='respond-async'))
        for suffix in ('/events', '/status.json?wait=60', '/status.json?wait=60&made=0') * 10:
            connection = self.server.connect()
            connection.sendall(head('GET', path + suffix))
            connection.close()
        self.wait(path)
        self.assertEqual(self.server.settled_descriptors(before), before)


class Patience(ServiceTest):
    CONFIG = {'workers': 1, 'answer_within_ms': 0}

    def test_durable_uploads_are_answered_at_once(self):
        content = large_trace(MIB)
        for i in range(10):
            answer = self.server.upload(salted(content, i), Prefer='', Accept=('text/plain', 'application/json')[i % 2])
            self.assertIn(answer.status, (201, 202))
            self.assertEqual(self.server.get('/p/%s/raw' % id_of(answer)).body, salted(content, i))

    def test_only_a_preference_is_said_to_be_applied(self):
        """The summary is made behind what the same client has asked for before."""
        content = large_trace(MIB)
        for preference, applied in (('', None), ('respond-async', 'respond-async')):
            answer, connections = behind_others(self, lambda salt: self.server.upload(salted(content, salt), Prefer=preference,
                                                                                      Accept='application/json'))
            self.assertEqual((answer.status, answer['Preference-Applied']), (202, applied), answer)
            link = self.server.upload(salted(content, next(SALTS)), Prefer=preference)
            self.assertEqual((link.status, link['Preference-Applied']), (201, None), 'a link needs no views')
            for connection in connections:
                connection.close()

    def test_deleted_while_its_views_are_made(self):
        for i in range(10):
            answer = self.server.upload(salted(large_trace(MIB), 100 + i), Prefer='')
            token = answer['X-Delete-URL'].rsplit('=', 1)[1]
            path = '/p/' + id_of(answer)
            self.assertEqual(self.server.request('DELETE', path, X_Delete_Token=token).status, 200)
            self.assertEqual(self.server.get(path + '/status.json').status, 410)

    def test_stop_while_views_are_made(self):
        answers = [self.server.upload(salted(large_trace(MIB), 200 + i), Prefer='') for i in range(4)]
        self.assertEqual(self.server.stop(), 0)
        self.server.start()
        for answer in answers:
            self.assertEqual(self.server.get('/p/%s/t/1.svg' % id_of(answer)).status, 200)
        self.assertEqual(self.server.upload(trace()).status // 100, 2)


class Link(ServiceTest):
    """An answer that is no more than a link does not wait for views; who says how long it would wait, does."""
    CONFIG = {'workers': 1}

    def test_a_link_comes_before_the_views(self):
        content = large_trace(MIB)
        for preference, accept, status in (('', '*/*', 201), ('respond-async', '*/*', 201), ('', 'text/html', 303), ('wait=x', '*/*', 201),
                                           ('', 'application/json', 201)):
            with self.subTest(preference, accept=accept):
                answer = self.server.upload(salted(content, next(SALTS)), Prefer=preference, Accept=accept)
                self.assertEqual((answer.status, answer['Preference-Applied']), (status, None))
                if accept == 'application/json':
                    self.assertEqual(len(json.loads(answer.body)['tracks']), 8)
                path = '/p/' + id_of(answer)
                self.assertEqual(self.server.get(path, Accept='text/html').status, 200)
                self.assertEqual(self.server.get(path + '/t/1.svg').status, 200)

    def test_who_waits_no_longer_than_it_said(self):
        content = large_trace(MIB)
        for preference in ('return=minimal;x, Wait = 0; y, wait=600', 'respond-async, wait=0'):
            answer, connections = behind_others(self, lambda salt: self.server.upload(salted(content, salt), Prefer=preference))
            self.assertEqual(answer.status, 202, answer)
            for connection in connections:
                connection.close()


class Timer(ServiceTest):
    CONFIG = {'workers': 1, 'answer_within_ms': 10}

    def test_the_time_of_an_answer_is_its_own(self):
        """What the upload shows first is made behind what the same client has asked for before, on all threads."""
        before = self.server.log()
        answer, connections = behind_others(self, lambda salt: self.server.upload(trace(salt=salt), Prefer='',
                                                                                  Accept='application/json'))
        self.assertEqual(answer.status, 202, answer)
        for connection in connections:
            self.assertEqual(read_answers(connection)[0].status, 200)

        def order():
            return re.findall(r'method=(POST|GET) target=(?:/|/p/\S+/t/all.svg\S+) status=20', self.server.log()[len(before):])
        self.assertTrue(eventually(lambda: order()[-1] == 'GET'), order())


if __name__ == '__main__':
    unittest.main()
