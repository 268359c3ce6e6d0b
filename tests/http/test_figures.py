"""What machines read of the service: the log as JSON."""
import json
import re

from support import ServiceTest, id_of, token_of, trace


class LogAsJson(ServiceTest):
    CONFIG = {'log_format': 'json', 'log_level': 'debug'}

    def test_each_line_is_an_object_with_the_same_events(self):
        answer = self.stored(trace(salt=1))
        path, token = '/p/' + id_of(answer), token_of(answer)
        self.server.get(path + '/t/1.svg?"<&=%22%3c%0a')
        self.server.request('DELETE', path, X_Delete_Token=token)
        self.assertTrue(self.server.says('"method":"DELETE"'))
        lines = [json.loads(line) for line in self.server.log().splitlines()]
        for line in lines:
            self.assertRegex(line['ts'], r'^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$')
            self.assertIn(line['level'], ('error', 'warn', 'info', 'debug'))
        events = {line['event'] for line in lines}
        self.assertLessEqual({'listening', 'memory', 'request', 'uploaded', 'folded', 'deleted'}, events)
        requests = [line for line in lines if line['event'] == 'request']
        self.assertEqual([line['status'] for line in requests if line['method'] == 'DELETE'], [200])
        self.assertIn('/p/%s…' % id_of(answer)[:6], requests[0]['target'] + requests[1]['target'])

    def test_nothing_in_it_opens_an_upload(self):
        answer = self.stored(trace(salt=2))
        self.assertEqual(self.server.get('/p/%s.json' % id_of(answer)).status, 200)
        self.assertTrue(self.server.says('"target":"/p/'))
        self.assertIsNone(re.search(id_of(answer), self.server.log()))
