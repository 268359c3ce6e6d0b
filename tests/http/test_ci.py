"""The recipes of docs/ci.md: each is run word for word against a service, in a repository whose Gradle leaves what a benchmark does."""
import json
import os
import random
import re
import shutil
import subprocess
import textwrap
import unittest

import team
from support import ServiceTest, TIMEOUT_S, folder_of

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RECIPE = os.path.join(ROOT, 'deploy', 'recipes', 'aflamed-check')
OUTPUTS = 'build/outputs/connected_android_test_additional_output'
GRADLE = """#!/bin/sh
test "$1" = :benchmark:connectedBenchmarkAndroidTest && mkdir -p benchmark/build/outputs && cp -r "$RECORDED" benchmark/%s
""" % OUTPUTS
GH = """#!/bin/sh
test "$1 $2 $3 $4" = "pr comment 7 --body-file" && cp "$5" comment.md
"""


def section(title):
    with open(os.path.join(ROOT, 'docs', 'ci.md'), encoding='utf-8') as file:
        return re.search('^## %s\n(.*?)(?=^## |\\Z)' % title, file.read(), re.M | re.S).group(1)


@unittest.skipUnless(shutil.which('curl') and shutil.which('jq'), 'curl or jq is not installed')
class Recipes(ServiceTest):
    def setUp(self):
        super().setUp()
        self.folder = folder_of(self, 'ci')
        self.space = 'shop-%s' % self._testMethodName[5:].replace('_', '-')
        os.makedirs(self.path('ci'))
        os.makedirs(self.path('bin'))
        shutil.copy(RECIPE, self.path('ci', 'aflamed-check'))
        self.script('gradlew', GRADLE)
        self.script('bin/gh', GH)

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def script(self, name, text):
        with open(self.path(name), 'w', encoding='utf-8') as file:
            file.write(text)
        os.chmod(self.path(name), 0o755)

    def recorded(self, name, *benchmarks):
        """A folder as Macrobenchmark leaves it: of (name, work) of each, six recordings, below a folder of the device."""
        chance, said = random.Random(name), []
        os.makedirs(self.path(name, 'Pixel 8 - 14'))
        for benchmark, work in benchmarks:
            outputs = [{'type': 'MethodTrace', 'label': 'Trace Iteration %d' % i, 'filename': '%s %s; iter%03d,.trace' % (name, benchmark, i)}
                       for i in range(6)]
            for i, output in enumerate(outputs):
                with open(self.path(name, 'Pixel 8 - 14', output['filename']), 'wb') as file:
                    file.write(team.run_trace(work, 0.01, chance, len(said) * 100 + i))
            outputs.append({'type': 'PerfettoTrace', 'label': 'Other', 'filename': 'of-another-kind.perfetto-trace'})
            said.append({'name': benchmark, 'className': 'com.shop.Benchmarks', 'metrics': {}, 'profilerOutputs': outputs})
        said.append({'name': 'withoutTraces', 'className': 'com.shop.Benchmarks', 'metrics': {}})
        with open(self.path(name, 'Pixel 8 - 14', 'com.shop-benchmarkData.json'), 'w', encoding='utf-8') as file:
            json.dump({'context': {}, 'benchmarks': said}, file)
        return self.path(name)

    def run_it(self, command, recorded, branch, commit, **more):
        shutil.rmtree(self.path('benchmark'), ignore_errors=True)
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False, env={
            'PATH': self.path('bin') + ':' + os.environ['PATH'], 'AFLAMED_URL': self.server.url, 'AFLAMED_SPACE': self.space,
            'BRANCH': branch, 'COMMIT': commit, 'RECORDED': recorded, **more})

    def runs(self):
        return json.loads(self.server.get('/s/%s.json' % self.space).body)['profiles']

    def check_recipe(self, command, said_in=None):
        """Main twice, then a change that is not slower, then one that is."""
        same = self.recorded('same', ('startup[mode=COLD]', team.STARTUP), ('scroll', team.STARTUP))
        slower = self.recorded('slower', ('startup[mode=COLD]', team.STARTUP), ('scroll', team.changed(team.STARTUP, 'Net.await', waits=1.5)))
        outcomes = []
        for recorded, branch, commit in ((same, 'main', 'c1'), (same, 'main', 'c2'), (same, 'mine', 'c3'), (slower, 'mine', 'c4')):
            done = self.run_it(command, recorded, branch, commit, PR='7', GITHUB_STEP_SUMMARY=self.path('summary.md'))
            text = done.stdout
            if said_in is not None:
                with open(self.path(said_in), encoding='utf-8') as file:
                    text = file.read()
            self.assertEqual(re.findall('(?m)^# (.*)$', text), ['Benchmarks.startup[mode=COLD]', 'Benchmarks.scroll'], text + done.stderr)
            outcomes.append((done.returncode, [re.search('PASS|FAIL|INCONCLUSIVE', part).group(0) for part in re.split('(?m)^# ', text)[1:]]))
        self.assertEqual(outcomes, [(0, ['INCONCLUSIVE'] * 2), (0, ['PASS'] * 2), (0, ['PASS'] * 2), (22, ['PASS', 'FAIL'])])
        self.assertIn('Net.await', text)
        profiles = self.runs()
        self.assertEqual(len(profiles), 4 * 2 * 6)

    def test_github(self):
        text = section('GitHub')
        command = textwrap.dedent(re.search(r'^ +run: \|\n((?: {10}.*\n)+)', text, re.M).group(1))
        self.check_recipe(['bash', '-e', '-c', command], 'comment.md')
        with open(self.path('summary.md'), encoding='utf-8') as file:
            self.assertEqual(len(re.findall('(?m)^# Benchmarks.scroll$', file.read())), 4)

    def test_gitlab(self):
        steps = re.search(r'^  script:\n((?: {4}.*\n)+)', section('GitLab'), re.M).group(1)
        lines = [re.sub('^    (- (\\|$)?|  )', '', line) for line in steps.splitlines()]
        self.check_recipe(['bash', '-e', '-c', '\n'.join(lines)], 'check.md')

    def test_gradle(self):
        words = re.search(r'commandLine\((.*)\)', section('Gradle')).group(1)
        command = [word.strip().strip('"') for word in words.split(',')]
        os.makedirs(self.path('benchmark'))
        self.check_recipe(['sh', '-c', './gradlew :benchmark:connectedBenchmarkAndroidTest && cd benchmark && exec "$@"', 'gradle', *command])

    def test_any_folder(self):
        """All files are runs; what does not decide fails on demand; a service that says no is told."""
        os.makedirs(self.path('runs'))
        for i in range(3):
            with open(self.path('runs', '%d.trace' % i), 'wb') as file:
                file.write(team.run_trace(team.STARTUP, 0.03, random.Random(i), i))
        command = ['ci/aflamed-check', 'runs', 'branch:main', 'total>5%', 'thread:main>1ms']
        done = self.run_it(command, '', 'main', 'c1', SCENARIO='start up & go')
        self.assertEqual((done.returncode, 'INCONCLUSIVE' in done.stdout), (0, True), done.stdout + done.stderr)
        self.assertEqual(self.run_it(command, '', 'main', 'c2', STRICT='1', SCENARIO='start up & go').returncode, 22)
        self.assertEqual(len([p for p in self.runs() if 'start up & go' in json.dumps(p)]), 6)
        wrong = self.run_it([*command[:3], 'total'], '', 'main', 'c3')
        self.assertEqual((wrong.returncode, 'it has no >' in wrong.stdout), (22, True), wrong.stdout)


if __name__ == '__main__':
    unittest.main()
