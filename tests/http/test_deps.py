"""tools/deps: what somebody without root rights is told. The system's programs are stand-ins."""
import os
import re
import shutil
import subprocess
import unittest

from support import folder_of

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LISTS = os.path.join('deploy', 'packages')
TOOLS = ('sh', 'cat', 'sed', 'dirname', 'ls')


def packages(*names):
    found = []
    for name in names:
        with open(os.path.join(ROOT, LISTS, name + '.txt')) as file:
            found += [line.split('|')[0].strip() for line in file if line.strip() and not line.startswith('#')]
    return set(found)


class Deps(unittest.TestCase):
    def setUp(self):
        self.folder = folder_of(self, 'deps')
        for tool in TOOLS:
            os.symlink(shutil.which(tool), os.path.join(self.folder, tool))
        self.program('id', 'echo 1000')
        self.installed([])

    def program(self, name, line):
        path = os.path.join(self.folder, name)
        with open(path, 'w') as file:
            file.write('#!/bin/sh\n%s\n' % line)
        os.chmod(path, 0o755)

    def installed(self, names):
        self.program('dpkg-query', ''.join("echo 'installed %s'\n" % name for name in sorted(names)))

    def run_deps(self, *names):
        return subprocess.run(['tools/deps', *(os.path.join(LISTS, name + '.txt') for name in names)], cwd=ROOT,
                              env={'PATH': self.folder}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60)

    def commands(self, done):
        return [set(words.split()) for words in re.findall(r'--no-install-recommends (.*)', done.stderr)]

    def test_all_is_there(self):
        self.installed(packages('build', 'test'))
        done = self.run_deps('build', 'test')
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, '', ''))

    def test_everything_at_once(self):
        done = self.run_deps('build')
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.commands(done), [packages('build'), packages('build', 'test', 'lint')])
        done = self.run_deps('build', 'test')
        self.assertEqual(self.commands(done)[0], packages('build', 'test'))

    def test_only_what_is_missing_and_each_once(self):
        self.installed(packages('build', 'test', 'lint') - {'python3', 'gcc'})
        done = self.run_deps('build')
        self.assertEqual(self.commands(done), [{'gcc'}, {'gcc', 'python3'}])
        self.assertEqual(done.stderr.count('python3'), 1)

    def test_a_command_that_is_there_needs_no_package(self):
        self.installed(packages('build', 'test', 'lint') - {'npm'})
        self.program('npm', 'exit 0')
        self.assertEqual(self.run_deps('test').returncode, 0)

    def test_make_asks_for_both_lists_at_once(self):
        with open(os.path.join(ROOT, 'Makefile')) as file:
            rules = file.read()
        for target, names in (('deps', 'build'), ('deps-test', 'build test'), ('deps-lint', 'build lint')):
            lists = ' '.join('deploy/packages/%s.txt' % name for name in names.split())
            self.assertRegex(rules, r'(?m)^%s: ##.*\n\t@tools/deps %s$' % (target, re.escape(lists)))


if __name__ == '__main__':
    unittest.main()
