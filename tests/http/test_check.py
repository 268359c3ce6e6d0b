"""Checks: uploads of a space against a baseline of it, by an upload that asks for one, and later."""
import json
import random
import re
import select
import unittest
import urllib.parse

import support
from support import ServiceTest, fields_of
from team import STARTUP, Team, changed, run_trace

HTML, JSON = 'text/html', 'application/json'


class CheckTest(ServiceTest):
    def upload(self, team, work, query, runs=5, **labels):
        files = [('trace', 'r%d.trace' % i, run_trace(work, team.noise, team.chance, 10_000 * (team.salt + 1) + i))
                 for i in range(runs)]
        team.salt += 1
        return self.server.upload_form(*fields_of(space=team.space, **{'label.' + k: v for k, v in labels.items()}), *files,
                                       target='/?' + urllib.parse.urlencode(query, doseq=True))

    def check(self, space, suffix='.json', **query):
        answer = self.server.get('/s/%s/check%s?%s' % (space, suffix, urllib.parse.urlencode(query, doseq=True)))
        return answer if suffix != '.json' else (answer.status, json.loads(answer.body))


class OfAnUpload(CheckTest):
    def test_fails_where_it_became_slower(self):
        team = Team(self.server, 'slower', seed=5)
        team.commits(range(8), 5, branch='main', scenario='start')
        for work, rules, status, state in ((STARTUP, ['total>5%'], 200, 'PASS'),
                                           (changed(STARTUP, 'Json.parse', 1.3), ['com.example.feed.*>10%'], 422, 'FAIL'),
                                           (changed(STARTUP, 'Net.await', waits=1.2), ['thread:main>5%', 'cpu_incl:total>5%'], 422, 'FAIL'),
                                           (changed(STARTUP, 'Net.await', waits=1.2), ['cpu_incl:total>5%'], 200, 'PASS')):
            answer = self.upload(team, work, {'check': 'branch:main', 'fail-if': rules},
                                 branch='mine', commit='m%d' % team.salt, scenario='start')
            self.assertEqual((answer.status, answer['X-Check']), (status, state), answer.text)
            self.assertTrue(answer['Content-Type'].startswith('text/markdown'))
            self.assertIn(state, answer.text.split('\n')[0])
            self.assertIn('5 runs against 30 of the baseline', answer.text)
            self.assertEqual(len(re.findall(r'/p/[a-z2-7]{26}', answer.text.split('Uploaded: ')[1])), 5)

    def test_says_what_became_slower_with_links_that_lead_there(self):
        team = Team(self.server, 'links', seed=6)
        team.commits(range(8), 5, branch='main')
        text = self.upload(team, changed(STARTUP, 'Json.parse', 1.5), {'check': 'branch:main'}, branch='mine', commit='m').text
        self.assertIn('com.example.feed.Json.parse', text)
        links = re.findall(r'\]\((http[^)]*(?:\([^)]*\)[^)]*)*)\)', text)
        self.assertGreaterEqual(len(links), 3)
        for link in links:
            answer = self.server.get(link[len(self.server.url):], Accept='*/*' if link.endswith('.png') else HTML)
            self.assertEqual(answer.status, 200, link)

    def test_counts_all_runs_of_the_commit(self):
        team = Team(self.server, 'commit', seed=7)
        team.commits(range(8), 5, branch='main')
        for n in range(1, 5):
            answer = self.upload(team, STARTUP, {'check': 'branch:main'}, runs=2, branch='mine', commit='m')
            self.assertIn('%d runs against' % (2 * n), answer.text)
        answer = self.upload(team, STARTUP, {'check': 'branch:main'}, runs=2, branch='mine')
        self.assertIn('2 runs against', answer.text)        # without a commit, those that were sent

    def test_is_inconclusive_with_few_runs(self):
        team = Team(self.server, 'few', seed=8)
        team.commits(range(1), 2, branch='main')
        for strict, status in (({}, 200), ({'strict': '1'}, 422)):
            answer = self.upload(team, changed(STARTUP, 'Net.await', waits=1.3), {'check': 'branch:main', **strict}, runs=1, branch='mine')
            self.assertEqual((answer.status, answer['X-Check']), (status, 'INCONCLUSIVE'), answer.text)
            self.assertIn('more', answer.text)

    def test_without_a_baseline_is_inconclusive_and_kept(self):
        team = Team(self.server, 'first', seed=9)
        answer = self.upload(team, STARTUP, {'check': 'branch:main'}, branch='mine')
        self.assertEqual((answer.status, answer['X-Check']), (200, 'INCONCLUSIVE'), answer.text)
        self.assertIn('the baseline has no run', answer.text)
        said = json.loads(self.server.get('/s/first.json').body)
        self.assertEqual(len(said['profiles']), 5)

    def test_that_is_not_asked_rightly_keeps_nothing(self):
        team = Team(self.server, 'wrong')
        for query in ({'check': 'after:never'}, {'check': 'branch:main', 'fail-if': 'total'}, {'check': 'a:b', 'strict': 'x'},
                      {'check': 'a:b', 'fail-if': ['total>5%'] * 21}):
            answer = self.upload(team, STARTUP, query)
            self.assertEqual(answer.status, 400, answer.text)
        team.space = ''
        answer = self.upload(team, STARTUP, {'check': 'branch:main'})
        self.assertEqual((answer.status, 'names none' in answer.text), (400, True), answer.text)
        self.assertEqual(json.loads(self.server.get('/s/wrong.json').body)['profiles'], [])


class Fairness(CheckTest):
    RULES = ['*>%d%%' % (i + 1) for i in range(20)]

    @staticmethod
    def folded(chance):
        return b''.join(b';'.join(b'com.example.C%d.m%d' % (c, i) for i in range(500)) + b' %d\n' % chance.randrange(1000, 1100)
                        for c in range(10))

    def heavy(self, space):
        """A check that takes many seconds of a processor: 60 runs of 5,000 methods by 20 rules. Its target."""
        chance = random.Random(1)
        for commit in ('a', 'b'):
            answer = self.server.upload_form(*fields_of(space=space, **{'label.commit': commit}),
                                             *[('trace', 'x.folded', self.folded(chance)) for _ in range(30)])
            self.assertEqual(answer.status, 201, answer.text)
        return '/s/%s/check?%s' % (space, urllib.parse.urlencode({'q': 'commit:b', 'baseline': 'commit:a', 'fail-if': self.RULES}, doseq=True))

    def test_checks_that_take_long_stand_in_nobodys_way_and_end_when_nobody_waits(self):
        target = self.heavy('heavy')
        connections = [self.server.connect() for _ in range(12)]
        for connection in connections:
            connection.sendall(support.head('GET', target, 'Connection: close'))
        answer = self.server.upload(support.trace())
        self.assertEqual(answer.status, 201, answer.text)
        self.assertEqual(self.server.get('/p/%s/methods.json' % support.id_of(answer)).status, 200)
        self.assertEqual(self.server.get('/p/%s' % support.id_of(answer), Accept=HTML).status, 200)
        answered, _, _ = select.select(connections, [], [], 0)
        self.assertEqual(answered, [])      # all are still under way
        for connection in connections:
            connection.close()
        self.assertTrue(support.eventually(lambda: self.server.log().count(' target=/s/heavy/check') == len(connections)))


class Bounded(Fairness):
    CONFIG = {'work_seconds': 1, 'work_seconds_per_mb': 0}
    test_checks_that_take_long_stand_in_nobodys_way_and_end_when_nobody_waits = None

    def test_a_check_takes_no_more_of_a_processor_than_an_upload_may(self):
        answer = self.server.get(self.heavy('bounded'))
        self.assertEqual((answer.status, 'work_seconds' in answer.text), (413, True), answer.text)


class Later(CheckTest):
    def test_compares_scenario_by_scenario(self):
        team = Team(self.server, 'scenarios', seed=10)
        for scenario, slower in (('start', 1), ('scroll', 1.5)):
            team.commits(range(6), 5, branch='main', scenario=scenario)
            for run in range(5):
                team.upload(changed(STARTUP, 'Json.parse', slower), branch='mine', commit='m', scenario=scenario, run=str(run))
        status, said = self.check('scenarios', q='commit:m', baseline='branch:main', **{'fail-if': '*Json.parse>10%'})
        self.assertEqual((status, said['state']), (422, 'FAIL'))
        self.assertEqual({g['labels']['scenario']: g['check']['state'] for g in said['groups']}, {'start': 'PASS', 'scroll': 'FAIL'})
        self.assertTrue(all(g['check']['runs'] == {'baseline': 30, 'now': 5} for g in said['groups']), said)
        text = self.check('scenarios', '.txt', q='commit:m', baseline='branch:main').text
        self.assertEqual(text.count('5 runs against 30'), 2)
        page = self.server.get('/s/scenarios/check?q=commit:m&baseline=branch:main', Accept=HTML)
        self.assertEqual((page.status, page.text.count('<section class="check">')), (200, 2))
        self.assertIn('<h1>scenarios: ', page.text)
        self.assertNotIn('\u240a', page.text)
        link = re.search(r'href="\.\./\.\.(/d/[^"]*/m/[^"]*)"', page.text)
        self.assertEqual(self.server.get(link.group(1), Accept=HTML).status, 200)
        hostile = team.upload(STARTUP, branch='<script>', commit='h', scenario='"><script>')
        self.assertTrue(hostile)
        page = self.server.get('/s/scenarios/check?q=commit:h&baseline=branch:main', Accept=HTML).text
        self.assertNotIn('<script>', page.replace('<script type="module" src=', ''))

    def test_a_commit_is_no_baseline_of_itself(self):
        team = Team(self.server, 'itself', seed=12)
        team.commits(range(3), 4, branch='main')
        _, said = self.check('itself', q='commit:c002', baseline='branch:main')
        self.assertEqual(said['groups'][0]['check']['runs'], {'baseline': 8, 'now': 4})

    def test_a_baseline_can_be_pinned(self):
        team = Team(self.server, 'pinned', seed=13, noise=0.01)
        team.commits([1], 6, release='1.0')
        team.commits([2], 6, {2: lambda w: changed(w, 'Db.query', waits=2)}, branch='main')
        _, said = self.check('pinned', q='commit:c002', baseline='release:1.0')
        self.assertEqual([g['labels'] for g in said['groups']], [{'branch': 'main'}])
        self.assertIn('baseline has no run', said['groups'][0]['why_not'])
        status, said = self.check('pinned', q='commit:c002 branch:main', baseline='release:1.0')
        self.assertEqual((status, said['groups'][0]['check']['runs']), (422, {'baseline': 6, 'now': 6}))

    def test_of_nothing(self):
        self.assertEqual(self.server.get('/s/nothing/check?q=a:b&baseline=c:d').status, 404)
        self.assertEqual(self.server.get('/s/No/check').status, 404)
        self.assertEqual(self.server.get('/s/nothing/check.pdf').status, 404)

    def test_what_measures_something_else_is_left_out(self):
        team = Team(self.server, 'kinds', seed=15)
        team.commits(range(3), 4, branch='main')
        for commit, content in (('c001', b'a;b 5\n'), ('c002', b'a;b 7\n')):
            answer = self.server.upload_form(*fields_of(space='kinds', **{'label.branch': 'main', 'label.commit': commit}),
                                             ('trace', 'x.folded', content))
            self.assertEqual(answer.status, 201, answer.text)
        answer = self.upload(team, STARTUP, {'check': 'branch:main'}, branch='mine', commit='m')
        self.assertEqual((answer.status, answer['X-Check']), (200, 'PASS'), answer.text)
        self.assertIn('5 runs against 12 of the baseline', answer.text)
        self.assertIn('More with these labels measure something else, and were left out: 2.', answer.text)
        page = self.server.get('/s/kinds/check?q=commit:m&baseline=branch:main', Accept=HTML).text
        self.assertIn('measure something else, and were left out: 2.', page)
        _, said = self.check('kinds', q='commit:m', baseline='branch:main')
        self.assertEqual(said['groups'][0]['other'], 2)

    def test_rule_that_does_not_fit(self):
        team = Team(self.server, 'unfit', seed=14)
        team.commits(range(3), 4, branch='main')
        for rule in ('bytes_incl:total>5%', 'total>5KiB'):
            answer = self.check('unfit', '.md', q='commit:c002', baseline='branch:main', **{'fail-if': rule})
            self.assertEqual(answer.status, 400, answer.text)


if __name__ == '__main__':
    unittest.main()
