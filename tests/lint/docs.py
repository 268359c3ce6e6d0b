#!/usr/bin/env python3
"""What the documentation names must be there: files of this tree and make targets, in *.md and in the comments of C
sources; links between the documents, with their headings. What is there the documents must name: every source in the
code map of CONTRIBUTING.md, every document in README.md, every package with its reason. Tables made from the program's are as the program says, and
README.md stays short."""
import os
import re
import subprocess
import sys

FOLDERS = 'core|profile|parser|render|server|cli|static|config|deploy|docs|tests|tools'
PATH = re.compile(r'(?<![\w/.-])((?:%s)/[\w./-]*\w/?)' % FOLDERS)
TARGET = re.compile(r'(?:`|^\s*|\$ |&& )make ((?:[A-Z]+=\S* )*)([a-z][a-z-]*)', re.M)
PROSE = ('.c', '.h', '.md')
README_BYTES_MAX = 12000

MAPPED = ('core', 'profile', 'parser', 'render', 'server', 'cli', 'static', 'tools')
MAP = re.compile(r'<!-- code map -->(.*)<!-- end of code map -->', re.S)
ROOM = re.compile(r'^### (\S+)$(.*?)(?=^### |\Z)', re.M | re.S)
ROW = re.compile(r'^(\w+\.[ch])  +\S', re.M)

LINK = re.compile(r'\]\(([^)\s]+)\)')
HEADING = re.compile(r'^#+ (.*)$', re.M)
REFERENCE = 'build/tools/reference/reference'


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


def files():
    for folder, below, names in os.walk('.'):
        below[:] = sorted(d for d in below if d not in ('.git', 'build', 'data', 'node_modules', '__pycache__'))
        for name in sorted(names):
            if name.endswith(PROSE):
                yield os.path.normpath(os.path.join(folder, name))


def documents():
    return [path for path in files() if path.endswith('.md')]


# ---- names ----
def targets():
    return set(re.findall(r'^([a-z-]+):', read('Makefile'), re.M))


def comments(path, text):
    """The prose of a file: all of a document, the comments of a C source."""
    return text if path.endswith('.md') else '\n'.join(re.findall(r'/\*.*?\*/', text, re.S))


def exists(path):
    """A source may be named without its suffix."""
    return os.path.exists(path) or os.path.exists(path + '.c')


def name_problems():
    known = targets()
    for path in files():
        text = comments(path, read(path))
        for named in sorted(set(PATH.findall(text))):
            if not exists(named):
                yield '%s: names %s, which is not there' % (path, named)
        for _, target in TARGET.findall(text) if path.endswith('.md') else ():
            if target not in known:
                yield '%s: names `make %s`, which is no target' % (path, target)


# ---- links ----
def anchors(text):
    """Of each heading, as the usual renderers of Markdown make them."""
    prose = re.sub(r'^```.*?^```', '', text, flags=re.M | re.S)
    return {re.sub(r'[^\w -]', '', heading.lower()).replace(' ', '-') for heading in HEADING.findall(prose)}


def link_problems():
    for path in documents():
        for link in LINK.findall(read(path)):
            if '://' in link:
                continue
            target, _, anchor = link.partition('#')
            target = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            if not os.path.exists(target):
                yield '%s: links to %s, which is not there' % (path, link)
            elif anchor and anchor not in anchors(read(target)):
                yield '%s: links to %s, which has no such heading' % (path, link)
    linked = LINK.findall(read('README.md'))
    for path in documents():
        if (path.startswith('docs/') or '/' not in path) and path not in ('README.md', *linked):
            yield 'README.md: has no link to %s' % path


# ---- the code map ----
def modules():
    """Each source; of a header with a source beside it, the source."""
    for top in MAPPED:
        for folder, _, names in os.walk(top):
            for name in sorted(names):
                if name.endswith('.c') or name.endswith('.h') and name[:-2] + '.c' not in names:
                    yield '%s/%s' % (folder, name)


def map_problems():
    rooms = ROOM.findall(MAP.search(read('CONTRIBUTING.md'))[1])
    listed = ['%s/%s' % (room, name) for room, text in rooms for name in ROW.findall(text)]
    there = list(modules())
    for path in sorted(set(there) | set(listed)):
        if path not in there:
            yield 'CONTRIBUTING.md: the code map names %s, which is not there' % path
        elif listed.count(path) != 1:
            yield 'CONTRIBUTING.md: the code map names %s %d times' % (path, listed.count(path))


# ---- packages ----
def package_problems():
    """Each package has its reason in a table."""
    for name in sorted(os.listdir('deploy/packages')):
        document = {'build.txt': 'README.md', 'run.txt': None}.get(name, 'CONTRIBUTING.md')
        reasons = re.findall(r'^\| ([a-z0-9+., -]+) \|', read(document), re.M) if document else []
        known = {package.strip() for cell in reasons for package in cell.split(',')}
        for line in read('deploy/packages/' + name).splitlines() if document else ():
            package = line.split('#')[0].split('|')[0].strip()
            if package and package not in known:
                yield '%s: has no reason for the package %s of deploy/packages/%s' % (document, package, name)


# ---- tables and size ----
def table_problems():
    built = subprocess.run(['make', '--no-print-directory', 'reference'], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, env={**os.environ, 'MAKEFLAGS': ''})
    if built.returncode != 0:
        yield '%s cannot be built:\n%s' % (REFERENCE, built.stdout)
        return
    checked = subprocess.run(['tools/doc_tables', REFERENCE, '--check', *documents()], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
    yield from (checked.stdout.splitlines() or ['the tables cannot be checked'] if checked.returncode else [])


def size_problems():
    size = os.path.getsize('README.md')
    if size > README_BYTES_MAX:
        yield 'README.md: %d bytes, more than %d: a newcomer reads it; the rest belongs into docs/' % (size, README_BYTES_MAX)


if __name__ == '__main__':
    found = [*name_problems(), *link_problems(), *map_problems(), *package_problems(), *table_problems(), *size_problems()]
    print('\n'.join(found), end='\n' if found else '')
    sys.exit(1 if found else 0)
