"""Work that many need is done once: an upload is folded once for all who need its profile at a time, a view is drawn once,
and an upload has drawn what its page shows first. The log tells of each fold and, for debugging, of each drawing."""
import hashlib
import json
import re
import unittest

from support import SALT, ServiceTest, eventually, id_of, in_parallel, salted, trace

THREADS = 64
CONTENT = trace(threads=THREADS, methods=400, records=12 * 40 * THREADS, salt=SALT)     # a profile of several hundred kB


class Work(ServiceTest):
    CONFIG = {'log_level': 'debug', 'workers': 2}

    def folds(self, content, before=''):
        source = hashlib.sha256(content).hexdigest()
        return len(re.findall(r' folded .*source=%s' % source, self.server.log()[len(before):]))

    def drawn(self, before=''):
        """Keys of what was drawn."""
        return re.findall(r' drawn key=(\S+)', self.server.log()[len(before):])

    def assert_drawn(self, before, n):
        """So many and no more; the log is written behind what it tells."""
        eventually(lambda: len(self.drawn(before)) >= n)
        self.assertEqual(len(self.drawn(before)), n)

    def stored_and_forgotten(self, content):
        """The path of an upload of which nothing is in memory, and the log until then."""
        path = '/p/' + id_of(self.stored(content))
        self.assertEqual(self.server.stop(), 0)
        self.server.start()
        return path, self.server.log()

    def thumbs(self, path):
        tracks = json.loads(self.server.get(path + '.json').text)['tracks']
        return ['%s/t/%d/thumb.svg' % (path, track['id']) for track in tracks]


class Large(Work):
    """Profiles are larger than all that may be kept of them, and nothing is drawn ahead."""
    CONFIG = {**Work.CONFIG, 'profile_cache_bytes': '64K', 'render_tracks': 0}

    def test_all_previews(self):
        content = salted(CONTENT, 1)
        path, before = self.stored_and_forgotten(content)
        thumbs = self.thumbs(path)
        self.assertEqual(len(thumbs), THREADS)
        answers = in_parallel(self.server.get, thumbs, threads=8)
        self.assertEqual({answer.status for answer in answers}, {200})
        self.assert_drawn(before, THREADS)
        self.assertEqual(self.folds(content, before), 1)

    def test_upload_and_its_previews(self):
        content = salted(CONTENT, 2)
        path = '/p/' + id_of(self.stored(content))
        for target in self.thumbs(path):
            self.assertEqual(self.server.get(target).status, 200)
        self.assertEqual(self.folds(content), 1)

    def test_one_makes_way_for_another(self):
        contents = [salted(CONTENT, 10 + i) for i in range(4)]
        paths = ['/p/' + id_of(self.stored(content)) for content in contents]
        before = self.server.log()
        targets = [path + '/t/all.svg?width=%d' % width for width in range(500, 504) for path in paths]
        answers = in_parallel(self.server.get, targets, threads=16)
        self.assertEqual({answer.status for answer in answers}, {200})
        folds = [self.folds(content, before) for content in contents]
        self.assertLess(sum(folds), len(targets), folds)


class Small(Work):
    """With the memory for profiles that is there by default."""
    CONFIG = {**Work.CONFIG, 'render_tracks': 5}

    def test_who_needs_the_calls_of_a_profile_that_is_not_folded(self):
        """The reading writes their log, too; that for a picture does not, which would take a third longer for nothing."""
        for i, (asked, reads) in enumerate((('/lanes.json?width=400', 0), ('/verdict.txt', 0), ('/calls.tsv', 0), ('/t/all.svg?width=411', 1))):
            with self.subTest(asked):
                content = trace(salt=7000 + i)
                path, before = self.stored_and_forgotten(content)
                for one in (asked, '/lanes.json?width=500'):
                    self.assertEqual(self.server.get(path + one).status, 200)
                self.assertEqual((self.folds(content, before), self.server.log()[len(before):].count(' calls-read ')), (1, reads))

    def test_a_page_has_the_log_of_calls_made(self):
        """Of what a program has sent, before anybody asks for words or a timeline."""
        path, before = '/p/' + id_of(self.stored(salted(CONTENT, 7))), self.server.log()
        self.assertEqual(self.server.get(path, Accept='text/html').status, 200)
        self.assertTrue(eventually(lambda: ' calls-read ' in self.server.log()[len(before):]))
        self.assertEqual(self.server.get(path + '/lanes.json?width=400').status, 200)
        self.assertEqual(self.server.log()[len(before):].count(' calls-read '), 1)

    def test_different_views_of_a_profile_that_is_not_folded(self):
        content = salted(CONTENT, 3)
        path, before = self.stored_and_forgotten(content)
        views = ['/t/all.svg?width=%d' % (400 + i) for i in range(8)] + ['/t/all.json', '/t/1.folded.txt', '/t/2/tree',
                                                                         '/t/merged.svg?view=inverted']
        answers = in_parallel(lambda view: self.server.get(path + view), views, threads=len(views))
        self.assertEqual({answer.status for answer in answers}, {200})
        self.assertEqual(len({answer.body for answer in answers}), len(views))
        self.assertEqual(self.folds(content, before), 1)

    def test_equal_views(self):
        content = salted(CONTENT, 4)
        path, before = self.stored_and_forgotten(content)
        answers = in_parallel(lambda _: self.server.get(path + '/t/all.svg?width=777'), range(32), threads=32)
        self.assertEqual({answer.status for answer in answers}, {200})
        self.assertEqual(len({answer.body for answer in answers}), 1)
        self.assert_drawn(before, 1)
        self.assertEqual(self.folds(content, before), 1)

    def test_equal_uploads_at_once(self):
        """More than may fold while they arrive: the others are read when they are there, or find what was folded."""
        content = salted(CONTENT, 5)
        answers = in_parallel(lambda _: self.server.upload(content), range(16), threads=16)
        self.assertEqual({answer.status for answer in answers}, {201})
        self.assertEqual(len({id_of(answer) for answer in answers}), 16)
        self.assertLess(self.folds(content), 16)
        self.assertEqual(len(self.drawn()), len(set(self.drawn())))

    def test_what_is_drawn_ahead(self):
        """The summary, the picture of the heaviest thread, and as many previews as are configured; none of them again."""
        before = self.server.log()
        files = set(self.server.files('views'))
        path = '/p/' + id_of(self.stored(salted(CONTENT, 6)))
        self.assert_drawn(before, 1 + 1 + 5)
        self.assertEqual(len(set(self.server.files('views')) - files), 1 + 1 + 5)
        thumbs = self.thumbs(path)
        heaviest = thumbs[0].replace('/thumb.svg', '.svg')
        for target in thumbs[:5] + [heaviest]:
            self.assertEqual(self.server.get(target).status, 200)
        self.assert_drawn(before, 1 + 1 + 5)
        for target in [thumbs[5], thumbs[1].replace('/thumb.svg', '.svg')]:
            self.assertEqual(self.server.get(target).status, 200)
        self.assert_drawn(before, 1 + 1 + 5 + 2)


del Work      # it has no tests of its own


if __name__ == '__main__':
    unittest.main()
