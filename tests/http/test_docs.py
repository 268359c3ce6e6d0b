"""The examples of README.md and docs/ do what they say. Every block that is marked `sh` is run, those of one document one
after the other in one shell, with files that are made here and a service of its own. Blocks that are marked `console` need
what a test does not have, and are listed here with the reason."""
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import unittest
import zipfile

import support
import team
from test_two_files import STREAM, SUMMARY
import native

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OPENSSL = shutil.which('openssl')
GAME = native.Library('/data/app/com.example-1/libgame.so', 'ab' * 20)
BLOCK = re.compile(r'^```(\w*)\n(.*?)^```$', re.M | re.S)
ADDRESS = 'http://127.0.0.1:8192'
# Nothing to run here: test_ci.py runs what stands in yaml and kotlin, test_webhook.py the lines in python.
DATA = ('text', 'json', 'ini', 'yaml', 'kotlin', 'python')

# The first line of each block that is not run, and why.
NOT_RUN = {
    'README.md': {'make run': 'installs packages and goes on serving'},
    'CONTRIBUTING.md': {'make test': 'runs this test'},
    'docs/formats.md': {
        'simpleperf record': 'needs a device and the NDK',
        'java -agentlib:hprof': 'needs a JDK before 9',
        'aflamed render --symbols app/build': 'needs libraries of an Android build; test_symbols.py makes some',
    },
    'docs/http-api.md': {'curl -F token=$TOKEN -F known=by-names': 'needs a mappings_dir; test_mapping.py has one'},
    'docs/operations.md': {
        'TOKEN=$(aflamed token new': 'test_an_instance_of_a_team runs it',
        'aflamed serve --config team.json': 'test_an_instance_of_a_team runs it',
        'LINK=$(curl -u ann:$TOKEN': 'test_an_instance_of_a_team runs it',
        'cp deploy/nginx/aflamed.conf': 'needs root; test_deploy.py runs the example with nginx',
        'curl -u ann:secret': 'needs a host with TLS; test_deploy.py asks with a password',
        'make && sudo make install': 'needs root and systemd',
        'docker compose': 'needs docker',
        'aflamed serve --metrics-listen': 'needs an address of the machine; test_figures.py has a listener of its own',
        'git pull && make': 'needs root and the network',
    },
}


def read(path):
    with open(os.path.join(ROOT, path), encoding='utf-8') as file:
        return file.read()


def documents():
    folder = [os.path.join('docs', name) for name in sorted(os.listdir(os.path.join(ROOT, 'docs')))]
    return ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', *folder]


def blocks(path, *languages):
    return [text for language, text in BLOCK.findall(read(path)) if language in languages]


class Blocks(unittest.TestCase):
    def test_each_says_what_it_is(self):
        for path in documents():
            text = read(path)
            self.assertEqual(text.count('```'), 2 * len(BLOCK.findall(text)), path)
            for language, block in BLOCK.findall(text):
                self.assertIn(language, ('sh', 'console', *DATA), '%s: %s' % (path, block))
                if language == 'json':
                    json.loads(block)

    def test_what_is_not_run_is_known(self):
        for path in documents():
            unknown = blocks(path, 'console')
            for line in NOT_RUN.get(path, {}):
                self.assertEqual(sum(b.startswith(line) for b in unknown), 1, '%s: %s' % (path, line))
                unknown = [b for b in unknown if not b.startswith(line)]
            self.assertEqual(unknown, [], path)


@unittest.skipUnless(shutil.which('curl') and shutil.which('jq'), 'curl or jq is not installed')
class Examples(unittest.TestCase):
    def setUp(self):
        self.folder = support.folder_of(self, 'docs')
        os.mkdir(self.path('bin'))
        self.program('aflamed', 'exec %s "$@"' % support.AFLAMED)
        # What the service refuses fails the example.
        self.program('curl', 'exec %s --fail-with-body -sS "$@"' % shutil.which('curl'))
        # A device that records what the demo shows.
        self.program('adb', 'case "$*" in "exec-out cat "*) exec {0} demo -o - ;; "shell stat "*) {0} demo -o - | wc -c ;; "shell am "*) ;; '
                     '"shell rm "*) ;; "shell cmd "*) echo com.example.app/.Main ;; *) exit 2 ;; esac'.format(support.AFLAMED))
        os.mkdir(self.path('work'))
        self.make_files()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def program(self, name, line):
        with open(self.path('bin', name), 'w') as file:
            file.write('#!/bin/sh\n%s\n' % line)
        os.chmod(self.path('bin', name), 0o755)

    def write(self, name, content):
        with open(self.path('work', name), 'wb') as file:
            file.write(content)

    def make_files(self):
        demo = subprocess.run([support.AFLAMED, 'demo'], stdout=subprocess.PIPE, check=True).stdout
        key_bytes = demo.index(b'*end\n') + len(b'*end\n')
        for name, content in (('app.trace', demo), ('other.trace', support.trace()), ('app.trace.gz', gzip.compress(demo)),
                              ('app.key', demo[:key_bytes]), ('app.data', demo[key_bytes:]),
                              ('stream.trace', STREAM), ('stream.trace.sec', SUMMARY), ('release.trace', demo),
                              ('mapping.txt', b'com.example.Shop -> a.b:\n'),
                              ('heap.pftrace', native.perfetto_heap([([(GAME, 16)], 64)])),
                              ('libgame.so', b'MODULE Linux arm64 0 libgame.so\nINFO CODE_ID ' + b'ab' * 20 + b'\nPUBLIC 10 0 run\n')):
            self.write(name, content)
        chance = random.Random(1)
        for i in range(1, 6):
            self.write('run%d.trace' % i, team.run_trace(team.STARTUP, 0.03, chance, i))
        with zipfile.ZipFile(self.path('work', 'report.zip'), 'w') as archive:
            archive.writestr('logs/app.trace', demo)
            archive.writestr('logs/other.trace', support.trace())

    def run_script(self, path, script):
        """The names of the files that it has made."""
        before = set(os.listdir(self.path('work')))
        environment = {k: v for k, v in os.environ.items() if not k.startswith('AFLAMED')}
        environment['PATH'] = self.path('bin') + ':' + environment['PATH']
        trap = "trap 'echo \"in this command: $BASH_COMMAND\" >&2' ERR\n"
        done = subprocess.run(['bash', '-euE', '-o', 'pipefail', '-c', trap + script], cwd=self.path('work'), env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=5 * support.TIMEOUT_S)
        self.assertEqual(done.returncode, 0, '%s\n%s\n%s' % (path, done.stdout[-2000:], done.stderr))
        return set(os.listdir(self.path('work'))) - before

    def test_blocks(self):
        found = 0
        for path in documents():
            script = ''.join(blocks(path, 'sh'))
            if not script:
                continue
            with self.subTest(path):
                server = support.Server()
                try:
                    made = self.run_script(path, script.replace(ADDRESS, server.url))
                finally:
                    server.clean()
                for name in made:
                    self.assertNotEqual(os.stat(self.path('work', name)).st_size, 0, '%s: %s is empty' % (path, name))
            found += 1
        self.assertGreaterEqual(found, 5)

    def test_backup_and_restore(self):
        """With the command of docs/operations.md, while the service runs."""
        command = re.search(r'^cd /var/lib/aflamed && tar .*$', read('docs/operations.md'), re.M)[0]
        server, restored = support.Server(), self.path('restored')
        self.addCleanup(server.clean)
        id = support.id_of(server.request('PUT', '/x.trace?space=checkout', support.trace()))
        self.run_script('docs/operations.md', command.replace('/var/lib/aflamed', server.store).replace('/backup', self.folder))
        os.mkdir(restored, 0o700)
        self.run_script('docs/operations.md', 'tar -xzf %s -C %s' % (self.path('aflamed.tar.gz'), restored))
        other = support.Server(store=restored)
        self.addCleanup(other.clean)
        self.assertEqual(other.get('/p/%s/raw' % id).body, support.trace())
        self.assertEqual(other.get('/p/%s/t/1.folded.txt' % id).status, 200)
        self.assertIn(id, other.get('/s/checkout').text)

    @unittest.skipUnless(OPENSSL, 'openssl is not installed')
    def test_an_instance_of_a_team(self):
        """The first page of docs/operations.md, word for word, but for the address and the port."""
        page = read('docs/operations.md').split('\n## ')[1]
        (_, make), (_, config), (_, serve), (_, use) = BLOCK.findall(page)[:4]
        host = json.loads(config)['external_url'].split('//')[1]
        subprocess.run([OPENSSL, 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-out', self.path('work', 'profiles.pem'),
                        '-keyout', self.path('work', 'profiles-key.pem'), '-subj', '/CN=x', '-days', '2',
                        '-addext', 'subjectAltName=DNS:' + host.split(':')[0]], stdin=subprocess.DEVNULL, capture_output=True,
                       check=True, timeout=support.TIMEOUT_S)
        self.write('team.json', config.replace('0.0.0.0:8443', '127.0.0.1:0').encode())
        self.run_script('docs/operations.md', make + 'echo "$TOKEN" >token\necho "$CI_TOKEN" >ci-token\n')
        process = subprocess.Popen([support.AFLAMED, *serve.split()[1:], '--store', self.path('store')],
                                   cwd=self.path('work'), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(lambda: (process.kill(), process.communicate(timeout=support.STOP_TIMEOUT_S)))
        port = process.stdout.readline().strip().strip('/').rsplit(':', 1)[1]
        self.program('curl', 'exec %s --fail-with-body -sS --cacert profiles.pem --connect-to %s:127.0.0.1:%s "$@"'
                     % (shutil.which('curl'), host, port))
        self.run_script('docs/operations.md', 'TOKEN=$(cat token) CI_TOKEN=$(cat ci-token)\n' + use)


if __name__ == '__main__':
    unittest.main()
