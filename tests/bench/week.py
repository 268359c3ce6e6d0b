"""A week of a made-up team: three scenarios on two devices, 200 commits with five runs each, noise of 3 %. One method becomes 5 % slower at a
commit of one scenario, and one waits 5 % longer at a commit of another. The series have to find both where they are, and
nothing else; and so do checks of each commit against those before it. Prints what was found, and how long it took.

The check of a commit fails if that of one device does: of five runs not each can tell 5 % from noise of 3 %.

usage: week.py [COMMITS]"""
import json
import os
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'http'))
import support  # pylint: disable=wrong-import-position
from team import STARTUP, Team, changed  # pylint: disable=wrong-import-position

SCENARIOS, DEVICES, RUNS = ('startup', 'scroll', 'search'), ('Pixel 8', 'Pixel 4a'), 5
SLOWER, WAITS = 'com.example.feed.ImageLoader.decode', 'com.example.feed.Net.await'


class Week:
    def __init__(self, server, commits):
        self.server, self.commits = server, commits
        self.at = {'startup': (commits * 3 // 5, lambda w: changed(w, 'ImageLoader.decode', runs=1.05)),
                   'scroll': (commits * 2 // 5, lambda w: changed(w, 'Net.await', waits=1.05))}
        self.wrong = 0

    def upload(self):
        """As a team does: commit by commit, all scenarios on all devices."""
        team, begun, works = Team(self.server, 'week', seed=2026, noise=0.03), time.monotonic(), dict.fromkeys(SCENARIOS, STARTUP)
        for commit in range(self.commits):
            for scenario in SCENARIOS:
                if self.at.get(scenario, (None,))[0] == commit:
                    works[scenario] = self.at[scenario][1](works[scenario])
                for device in DEVICES:
                    for run in range(RUNS):
                        team.upload(works[scenario], branch='main', commit='c%03d' % commit, scenario=scenario, device=device,
                                    run=str(run))
        uploads = self.commits * len(SCENARIOS) * len(DEVICES) * RUNS
        print('%d uploads in %.1f s' % (uploads, time.monotonic() - begun))

    def get(self, path, **query):
        begun = time.monotonic()
        answer = self.server.get('/s/week%s.json?%s' % ('/' + path if path else '', urllib.parse.urlencode(query)))
        return json.loads(answer.body), time.monotonic() - begun, answer.status

    def expect(self, what, found, wanted, exact=True):
        good = found == wanted if exact else found is not None and abs(found - wanted) <= 1
        self.wrong += not good
        print('%s %s: %s%s' % ('ok   ' if good else 'WRONG', what, found, '' if good else ', not %s' % wanted))

    def series(self):
        for method, _, _ in STARTUP:
            for scenario in SCENARIOS:
                for device in DEVICES:
                    said, _, _ = self.get('series', q='scenario:%s device:"%s"' % (scenario, device), of=method)
                    one, = said['series']
                    changes = [int(change['at'][1:]) for change in one['changes']]
                    is_there = (scenario, method) in (('startup', SLOWER), ('scroll', WAITS))
                    what = '%s, %s: %s' % (scenario, device, method)
                    if is_there:
                        self.expect(what, changes[0] if len(changes) == 1 else None, self.at[scenario][0], exact=False)
                    elif changes:
                        self.expect(what, changes, [])
        print('      everywhere else: nothing is found, unless a line above says so')

    def checks(self):
        """Each commit against the 30 runs before it: by the method that changed, and by the others."""
        for scenario, (at, _) in self.at.items():
            method = SLOWER if scenario == 'startup' else WAITS
            for rule, wanted in ((method + '>2%', 'FAIL'), ('*Json.parse>5%', 'PASS')):
                said, _, _ = self.get('check', q='commit:c%03d scenario:%s' % (at, scenario),
                                      baseline='before:%s' % self.created(at, scenario), **{'fail-if': rule})
                self.expect('check of c%03d, %s, %s' % (at, scenario, rule), said['state'], wanted)
        false = 0
        commits = range(10, self.commits, 5)
        for commit in commits:
            said, _, _ = self.get('check', q='commit:c%03d scenario:search' % commit,
                                  baseline='before:%s' % self.created(commit, 'search'), **{'fail-if': 'total>5%'})
            false += said['state'] == 'FAIL'
        self.expect('false alarms in %d checks where nothing changed' % len(commits), false, 0)

    def created(self, commit, scenario):
        said, _, _ = self.get('series', q='commit:c%03d scenario:%s' % (commit, scenario))
        return min(point['created'] for series in said['series'] for point in series['points'])

    def times(self):
        for what, path, query in (('list', '', {'q': 'branch:main scenario:scroll'}),
                                  ('series of a total, %d uploads' % (self.commits * RUNS), 'series', {'q': 'scenario:scroll device:"Pixel 8"'}),
                                  ('series of a method, %d uploads' % (self.commits * RUNS), 'series',
                                   {'q': 'scenario:scroll device:"Pixel 8"', 'of': WAITS}),
                                  ('check of 10 uploads', 'check', {'q': 'commit:c%03d scenario:scroll' % (self.commits - 1),
                                                                    'baseline': 'branch:main'})):
            took = sorted(self.get(path, **query)[1] for _ in range(5))[2]
            print('%7.1f ms %s' % (took * 1000, what))

    def labels(self):
        """What a space and labels cost an upload: one with and one without in turn."""
        team, times = Team(self.server, 'labels', seed=1), ([], [])
        for i in range(101):
            for with_labels in (0, 1):
                begun = time.monotonic()
                team.space = 'labels' if with_labels else ''
                team.upload(STARTUP, **({'branch': 'main', 'commit': 'c%d' % i, 'device': 'Pixel 8'} if with_labels else {}))
                times[with_labels].append(time.monotonic() - begun)
        without, with_labels = (sorted(t)[50] * 1000 for t in times)
        print('%7.1f ms an upload; %.1f ms with a space and labels' % (without, with_labels))


def main(commits=200):
    server = support.Server()
    try:
        week = Week(server, int(commits))
        week.upload()
        week.series()
        week.checks()
        week.times()
        week.labels()
        server.stop()
        server.start()
        print('      after a new start:')
        week.times()
        return 1 if week.wrong else 0
    finally:
        server.clean()


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
