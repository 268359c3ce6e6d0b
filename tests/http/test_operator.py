"""What the operator needs: the log has the reason that a client is not told."""
import os
import re
import unittest

from support import ServiceTest, id_of, token_of, trace

FORM = {'Content_Type': 'application/x-www-form-urlencoded'}


class Log(ServiceTest):
    def path_of(self, *parts):
        return os.path.join(self.server.store, *parts)

    def said_since(self, before):
        return self.server.log()[len(before):]

    def assert_the_log_has_it(self, before, answer, line):
        self.assertEqual(answer.status, 500, answer)
        self.assertIn("the service's log", answer.text)
        self.assertRegex(self.said_since(before), line)

    def test_why_an_upload_is_not_stored(self):
        os.rename(self.path_of('tmp'), self.path_of('away'))
        self.addCleanup(os.rename, self.path_of('away'), self.path_of('tmp'))
        for target, fields in (('/', [('trace', 'x', trace())]), ('/', [('key', 'x', trace()), ('data', 'x', trace())])):
            before = self.server.log()
            self.assert_the_log_has_it(before, self.server.upload_form(*fields, target=target),
                                       r'error store-failed what=stored why=No\\ such\\ file\\ or\\ directory\n')

    def test_why_an_upload_is_not_changed_or_deleted(self):
        answer = self.stored(trace(salt=1))
        path, token = '/p/' + id_of(answer), token_of(answer)
        os.rename(self.path_of('tmp'), self.path_of('away'))
        before = self.server.log()
        changed = self.server.request('POST', path + '/rename', 'token=%s&name=x' % token, **FORM)
        self.assert_the_log_has_it(before, changed, r'error store-failed what=changed why=No\\ such')
        before = self.server.log()
        deleted = self.server.request('DELETE', path, X_Delete_Token=token)
        self.assert_the_log_has_it(before, deleted, r'error store-failed what=deleted why=No\\ such')
        os.rename(self.path_of('away'), self.path_of('tmp'))
        self.assertEqual(self.server.request('DELETE', path, X_Delete_Token=token).status, 200)

    def test_why_an_upload_cannot_be_read(self):
        answer = self.stored(trace(salt=2))
        path = '/p/' + id_of(answer)
        sha256 = re.search('"sha256":"([0-9a-f]+)', self.server.get(path + '.json').text)[1]
        os.unlink(self.path_of('blobs', sha256[:2], sha256))
        for target in ('/raw', '/t/1.svg?view=chart'):
            before = self.server.log()
            self.assert_the_log_has_it(before, self.server.get(path + target),
                                       r'error blob-not-opened sha256=%s why=No\\ such' % sha256)

    def test_why_a_view_is_not_kept(self):
        answer = self.stored(trace(salt=3))
        os.rename(self.path_of('tmp'), self.path_of('away'))
        self.addCleanup(os.rename, self.path_of('away'), self.path_of('tmp'))
        before = self.server.log()
        self.assertEqual(self.server.get('/p/%s/t/1.svg?width=333' % id_of(answer)).status, 200)
        self.assertRegex(self.said_since(before), r'warn view-not-kept key=views/\S+ why=No\\ such')


if __name__ == '__main__':
    unittest.main()
