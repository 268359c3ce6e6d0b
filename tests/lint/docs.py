#!/usr/bin/env python3
"""What the documentation names must be there: files of this tree and make targets, in *.md and in the comments of C
sources; links between the documents, with their headings. What is there the documents must name: every document in
README.md, every package with its reason; and every room has its page. Tables made from the program's are as the program
says, and README.md and CONTRIBUTING.md stay short."""
import os
import re
import subprocess
import sys

FOLDERS = 'core|profile|parser|render|server|cli|static|config|deploy|docs|tests|tools'
PATH = re.compile(r'(?<![\w/.-])((?:%s)/[\w./-]*\w/?)' % FOLDERS)
TARGET = re.compile(r'(?:`|^\s*|\$ |&& )make ((?:[A-Z]+=\S* )*)([a-z][a-z-]*)', re.M)
PROSE = ('.c', '.h', '.md')
README_BYTES_MAX = 12000

ROOMS = ('core', 'profile', 'parser', 'runs', 'render', 'server', 'cli', 'static', 'tools')
ROOM_LINES_MIN, ROOM_LINES_MAX = 10, 20
SOURCE = re.compile(r'`(\w+\.[ch])`')
CONTRIBUTING_BYTES_MAX = 12000

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


# ---- rooms ----
def rooms():
    """Each folder with sources."""
    for top in ROOMS:
        for folder, _, names in os.walk(top):
            if any(name.endswith(('.c', '.h')) for name in names):
                yield folder


def room_problems():
    """Each room has a short page, and the sources that it names by their bare names are there."""
    for room in sorted(rooms()):
        path = room + '/README.md'
        if not os.path.exists(path):
            yield '%s is not there: what enters the room, what leaves it, who may look inside, where to begin reading' % path
            continue
        text = read(path)
        lines = text.count('\n')
        if not ROOM_LINES_MIN <= lines <= ROOM_LINES_MAX:
            yield '%s: %d lines, not %d to %d' % (path, lines, ROOM_LINES_MIN, ROOM_LINES_MAX)
        below = {name for _, _, names in os.walk(room) for name in names}
        for named in sorted(set(SOURCE.findall(text)) - below):
            yield '%s: names %s, which is not in the room' % (path, named)


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
    for path, most, rest in (('README.md', README_BYTES_MAX, 'docs/'), ('CONTRIBUTING.md', CONTRIBUTING_BYTES_MAX, 'rooms')):
        size = os.path.getsize(path)
        if size > most:
            yield '%s: %d bytes, more than %d: a newcomer reads it; the rest belongs into %s' % (path, size, most, rest)


if __name__ == '__main__':
    found = [*name_problems(), *link_problems(), *room_problems(), *package_problems(), *table_problems(), *size_problems()]
    print('\n'.join(found), end='\n' if found else '')
    sys.exit(1 if found else 0)
