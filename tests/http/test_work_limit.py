"""Uploads that are more work than they may be, and uploads of who has had more work than others."""
import gzip
import json
import unittest

import support
from support import ServiceTest, trace

JSON = 'application/json'

# Ten megabytes of text in a few kilobytes.
MEMBER = gzip.compress(b'main;work;wait 1\n' * 600_000)
BOMBS = {'max_unpacked_bytes': '1000G', 'max_unpacked_ratio': 1_000_000}


class TooMuchWork(ServiceTest):
    CONFIG = dict(BOMBS, work_seconds=1, work_seconds_per_mb=0)

    def check(self, answer):
        said = json.loads(answer.body)
        self.assertEqual((answer.status, said['title']), (413, 'too much work for its size'))
        self.assertIn('work_seconds_per_mb', said['hint'])
        self.assertTrue(self.server.gets_rid_of('bytes'))

    def test_it_is_refused_while_it_arrives(self):
        connection = self.connection()
        connection.sendall(support.head('PUT', '/x.txt.gz', 'Transfer-Encoding: chunked', 'Accept: application/json'))
        for _ in range(100):
            connection.sendall(b'%x\r\n%s\r\n' % (10 * len(MEMBER), 10 * MEMBER))
        connection.sendall(b'0\r\n\r\n')
        self.check(support.read_answers(connection, ('PUT',))[0])

    def test_it_is_refused_when_it_was_there_at_once(self):
        self.check(self.server.upload(1000 * MEMBER, Accept=JSON))


if __name__ == '__main__':
    unittest.main()
