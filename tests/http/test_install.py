"""`make install` and `make uninstall`, and what is installed beside the program: manual pages and completion, which are
made from the program's tables."""
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import unittest

import support

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PREFIX = '/opt/flames'
TIMEOUT_S = 600     # what `make test` built is there; elsewhere it is built first


def make(target, destination, *options):
    return subprocess.run(['make', '--no-print-directory', target, 'DESTDIR=' + destination, 'PREFIX=' + PREFIX, *options],
                          cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=TIMEOUT_S)


class Distributed(unittest.TestCase):
    @unittest.skipUnless(os.path.exists(os.path.join(ROOT, '.git')) and shutil.which('git'), 'this is no checkout of git')
    def test_sources_are_those_of_the_last_commit(self):
        made = make('dist', '/nowhere')
        self.assertEqual(made.returncode, 0, made.stdout)
        version = subprocess.run([support.AFLAMED, '--version'], stdout=subprocess.PIPE, text=True, timeout=60).stdout.split()[1]
        name = 'aflamed-' + version
        tracked = subprocess.run(['git', 'ls-tree', '-r', '--name-only', 'HEAD'], cwd=ROOT, stdout=subprocess.PIPE, text=True,
                                 check=True).stdout.splitlines()
        with tarfile.open(os.path.join(ROOT, 'build', name + '.tar.gz')) as archive:
            held = [member.name for member in archive if member.isfile()]
        self.assertEqual(sorted(held), sorted(name + '/' + path for path in tracked))


def symbols(path, kinds, *options):
    listed = subprocess.run(['nm', *options, path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=60).stdout
    return {fields[-1].split('@')[0] for fields in map(str.split, listed.splitlines()) if len(fields) == 3 and fields[1] in kinds}


class Linked(unittest.TestCase):
    @unittest.skipIf(support.sanitized(), 'the sanitizers define functions of libraries')
    def test_no_function_is_called_as_one_of_a_library(self):
        """The program's own would be called in its place, also by the library."""
        ours = symbols(support.AFLAMED, 'T') - {'_init', '_fini', '_start', 'main'}
        self.assertIn('builder_new', ours)
        linked = subprocess.run(['ldd', support.AFLAMED], stdout=subprocess.PIPE, text=True, timeout=60).stdout
        for library in re.findall(r'=> (/\S+)', linked):
            shared = {name for name in ours & symbols(library, 'TW', '-D') if not name.startswith('__')}     # of the compiler
            self.assertEqual(shared, set(), library)

    @unittest.skipIf(support.sanitized(), 'the sanitizers link libraries')
    def test_what_few_commands_need_is_not_loaded_by_all(self):
        linked = subprocess.run(['ldd', support.AFLAMED], stdout=subprocess.PIPE, text=True, timeout=60).stdout
        self.assertEqual(set(re.findall(r'\b(lib[\w-]+?)(?:-8)?\.so\S* =>', linked)), {'libjansson', 'libpcre2', 'libzstd', 'libz', 'libc'})

    def test_without_libcrypto(self):
        """It is not linked, but what serves needs it."""
        folder = support.folder_of(self, 'no-libcrypto')
        with open(os.path.join(folder, 'libcrypto.so.3'), 'w') as file:
            file.write('no library')
        served = subprocess.run([support.AFLAMED, 'serve', '--listen', '127.0.0.1:0', '--store', os.path.join(folder, 'store')],
                                env={**os.environ, 'LD_LIBRARY_PATH': folder}, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(served.returncode, 1)
        self.assertIn('apt-get install libssl3', served.stderr)


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = support.folder_of(cls, 'install')
        cls.made = make('install', cls.folder)

    def setUp(self):
        self.assertEqual(self.made.returncode, 0, self.made.stdout)

    def path(self, *names):
        return os.path.join(self.folder + PREFIX, *names)

    def read(self, *names):
        with open(self.path(*names), encoding='utf-8') as file:
            return file.read()

    def test_everything_is_there(self):
        for name in ('bin/aflamed', 'share/aflamed/aflamed.json', 'share/man/man1/aflamed.1', 'share/man/man5/aflamed.json.5',
                     'share/bash-completion/completions/aflamed', 'share/doc/aflamed/README.md',
                     'share/doc/aflamed/docs/operations.md', 'lib/systemd/system/aflamed.socket'):
            self.assertGreater(os.stat(self.path(name)).st_size, 0, name)
        self.assertIn('ExecStart=%s/bin/aflamed serve' % PREFIX, self.read('lib/systemd/system/aflamed.service'))

    def test_links_of_the_readme_lead_somewhere(self):
        folder = 'share/doc/aflamed'
        for link in re.findall(r'\]\(([^):#]+)[^)]*\)', self.read(folder, 'README.md')):
            self.assertTrue(os.path.exists(self.path(folder, link)), link)

    @unittest.skipUnless(shutil.which('readelf'), 'readelf is not installed')
    def test_the_program_is_stripped(self):
        def sections(path):
            return subprocess.run(['readelf', '-SW', path], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertNotIn('.symtab', sections(self.path('bin/aflamed')))
        self.assertIn('.symtab', sections(support.AFLAMED))
        version = subprocess.run([self.path('bin/aflamed'), '--version'], stdout=subprocess.PIPE, text=True, timeout=60)
        self.assertRegex(version.stdout, r'^aflamed [0-9]')

    def help_options(self, command):
        text = subprocess.run([support.AFLAMED, command, '--help'], stdout=subprocess.PIPE, text=True, timeout=60).stdout
        return re.findall(r'^  (?:-\w, )?(--?[a-z-]+)', text, re.M)

    def test_manual_of_the_program(self):
        text = self.read('share/man/man1/aflamed.1').replace('\\-', '-')
        for command in ('serve', 'render', 'info', 'demo'):
            self.assertIn('.SS aflamed %s\n' % command, text)
        for option in self.help_options('render') + self.help_options('info') + self.help_options('demo'):
            self.assertIn(option + '\\fR', text)

    def test_manual_of_the_configuration(self):
        text = self.read('share/man/man5/aflamed.json.5')
        for key in json.loads(self.read('share/aflamed/aflamed.json')):
            self.assertIn('.TP\n.B %s\n' % key, text)

    @unittest.skipUnless(shutil.which('groff'), 'groff is not installed')
    def test_manuals_are_good_roff(self):
        for name in ('man1/aflamed.1', 'man5/aflamed.json.5'):
            done = subprocess.run(['groff', '-man', '-Tutf8', '-ww', '-z', '-k', self.path('share/man', name)],
                                  stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.stderr, '')

    def completed(self, *words):
        """What Tab offers behind these words, of which the last one is begun."""
        script = ('. "$1"; shift; COMP_WORDS=(aflamed "$@"); COMP_CWORD=$#; COMPREPLY=(); _aflamed; '
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(['bash', '-c', script, 'bash', self.path('share/bash-completion/completions/aflamed'), *words],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(done.stderr, '')
        return done.stdout.split()

    def test_completion(self):
        text = subprocess.run([support.AFLAMED, '--help'], stdout=subprocess.PIPE, text=True, timeout=60).stdout
        self.assertEqual(self.completed(''), re.findall(r'^  ([a-z]+) ', text, re.M))
        self.assertEqual(self.completed('re'), ['render', 'record'])
        self.assertEqual(self.completed('render', '--vi'), ['--view'])
        self.assertEqual(self.completed('render', '--view', 'i'), ['icicle', 'inverted'])
        self.assertIn('folded', self.completed('render', '--output', ''))
        self.assertEqual(self.completed('serve', '--max-up'), ['--max-upload-bytes'])
        self.assertEqual(self.completed('render', 'x'), [])      # names of files
        for option in self.help_options('render'):
            self.assertIn(option, self.completed('render', option))


class Uninstalled(unittest.TestCase):
    def test_nothing_is_left(self):
        with tempfile.TemporaryDirectory(prefix='aflamed-install-') as folder:
            for target in ('install', 'uninstall'):
                done = make(target, folder, 'STRIP=')
                self.assertEqual(done.returncode, 0, done.stdout)
                there = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]
                self.assertEqual(bool(there), target == 'install', there)


if __name__ == '__main__':
    unittest.main()
