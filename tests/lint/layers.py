#!/usr/bin/env python3
"""The rules of the house that a compiler does not know: which room may include which, by the table rooms.txt; that no
files include each other in a circle; that a header is read once.

usage: layers.py [FOLDER]     checks the tree in FOLDER (the current one) and prints what is wrong, one problem a line

A header and the source of the same name are one in the graph of files, and so is a header NAME_impl.h with NAME: it
is the inside of NAME, for the files that NAME is made of."""
import os
import re
import sys

TABLE = 'tests/lint/rooms.txt'


# ---- the table ----
class Table:
    """The sections of rooms.txt: {name: list of (names on the left, names on the right)}."""

    def __init__(self, text):
        self.sections, rows = {}, None
        lines = [line for line in text.splitlines() if line.strip() and not line.startswith('#')]
        for line in re.sub(r'\n[ \t]+', ' ', '\n'.join(lines)).splitlines():
            if line.startswith('['):
                rows = self.sections.setdefault(line.strip('[]'), [])
            else:
                left, right = line.split(':')
                rows.append((left.split(), right.split()))
        self.rooms = {name: row for row in self.sections['rooms'] for name in row[0]}

    def room_of(self, path):
        """The name in the table that the file belongs to, or None."""
        stem = os.path.splitext(path)[0]
        while stem and stem not in self.rooms:
            stem = os.path.dirname(stem)
        return stem or None

    def problems(self):
        """Rows that speak of a room without a row before theirs."""
        before = set()
        for left, right in self.sections['rooms']:
            for name in right:
                room = self.room_of(name) if name.endswith('.h') else name
                known = any(b.startswith(name[:-1]) for b in before) if name.endswith('/*') else room in before
                if not known and name != os.path.dirname(left[0]) + '/*':
                    yield '%s: %s: %s has no row before this one' % (TABLE, left[0], name)
            before.update(left)

    def sees(self, path, target):
        """Whether the file may include our header `target`."""
        room, other = self.room_of(path), self.room_of(target)
        left, right = self.rooms[room]
        if other in left or target in right or other in right:
            return True
        before = self.sections['rooms'][:self.sections['rooms'].index(self.rooms[room])]
        return any(name.endswith('/*') and other.startswith(name[:-1]) and any(other in row[0] for row in before)
                   for name in right)

    def allowed(self, section, word):
        """Who may have the header or the word, by the first row that names it; None: everybody."""
        for left, right in self.sections.get(section, []):
            if word in left or '*' in left:
                return None if right == ['everybody'] else right
        return None


def stands_in(path, place):
    stem = os.path.splitext(path)[0]
    return stem == place or stem.startswith(place + '/')


# ---- files ----
def code_of(text):
    """The text without comments and what stands in quotes, line by line as it was."""
    def blank(match):
        return re.sub(r'[^\n]', ' ', match.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', blank, text, flags=re.S)


class Source:
    def __init__(self, root, path):
        with open(os.path.join(root, path), encoding='utf-8') as file:
            self.text = file.read()
        self.path = path
        self.includes = [(number, match.group(1) == '"', match.group(2))
                         for number, line in enumerate(self.text.splitlines(), 1)
                         for match in [re.match(r'\s*#\s*include\s*(["<])([^">]+)', line)] if match]


def sources(root, table):
    for folder in sorted({name.split('/')[0] for name in table.rooms}):
        for at, below, names in os.walk(os.path.join(root, folder)):
            below.sort()
            for name in sorted(names):
                if name.endswith(('.c', '.h')):
                    yield Source(root, os.path.relpath(os.path.join(at, name), root))


# ---- rooms ----
def wrong_include(table, path, ours, target):
    """Why the file may not include the target, or None."""
    if not ours:
        places = table.allowed('headers', target)
        if places is None or any(stands_in(path, place) for place in places):
            return None
        return '<%s> is only for %s' % (target, ', '.join(places))
    if '/' not in target:
        return '"%s": includes name the file from the root' % target
    if table.room_of(target) is None:
        return '"%s" stands in no room' % target
    if not table.sees(path, target):
        return '%s may not include "%s"' % (table.room_of(path), target)
    return None


def wrong_words(table, source):
    words = [word for left, _ in table.sections.get('words', []) for word in left]
    if not words:
        return
    # Names of fields and of our own functions may be such words, too: only bare ones count, and functions when called.
    pattern = re.compile(r'(?<![\w.>])(%s)\b(?=(\s*\()?)' % '|'.join(words))
    for number, line in enumerate(code_of(source.text).splitlines(), 1):
        for match in pattern.finditer(line):
            word = match.group(1)
            places = table.allowed('words', word)
            called = match.group(2) or word in ('FILE', 'stdin', 'stdout', 'stderr')
            if called and places is not None and not any(stands_in(source.path, place) for place in places):
                yield '%s:%d: %s is only for %s' % (source.path, number, word, ', '.join(places))


# ---- circles ----
def node_of(path):
    return re.sub(r'_impl$', '', os.path.splitext(path)[0])


def graph_of(files):
    """node -> {node that it includes: where}"""
    graph = {}
    for source in files:
        edges = graph.setdefault(node_of(source.path), {})
        for number, ours, target in source.includes:
            if ours and node_of(target) != node_of(source.path):
                edges.setdefault(node_of(target), '%s:%d' % (source.path, number))
    return graph


def way(graph, start, end):
    """The shortest way from start to end over at least one arrow, as a list of nodes; None: there is none."""
    came_from, queue = {}, [start]
    for node in queue:
        for after in sorted(graph.get(node, ())):
            if after not in came_from:
                came_from[after] = node
                queue.append(after)
    if end not in came_from:
        return None
    steps = [end]
    while len(steps) == 1 or steps[-1] != start:
        steps.append(came_from[steps[-1]])
    return steps[::-1]


def circles(graph):
    """Of each group of files that all lead to each other, one shortest circle through each of them, without those that
    repeat another."""
    seen = set()
    for node in sorted(graph):
        circle = way(graph, node, node)
        if circle and frozenset(circle) not in seen:
            seen.add(frozenset(circle))
            places = ', '.join(graph[a][b] for a, b in zip(circle, circle[1:]))
            yield 'circle of files: %s (%s)' % (' -> '.join(circle), places)


# ---- names and headers ----
def same_names(files):
    """Debuggers, reports and diffs name a file by its last name: it stands once, but for a header beside its source."""
    places = {}
    for source in files:
        stem = os.path.splitext(source.path)[0]
        places.setdefault(os.path.basename(stem), set()).add(stem)
    for name, stems in sorted(places.items()):
        if len(stems) > 1:
            yield 'one name for several files: %s' % ' '.join(sorted(stems))


def read_twice(source):
    if source.path.endswith('.h') and '\n#pragma once\n' not in '\n' + source.text:
        yield '%s: a header begins with #pragma once, behind what it is for' % source.path


def problems(root):
    with open(os.path.join(root, TABLE), encoding='utf-8') as file:
        table = Table(file.read())
    yield from table.problems()
    files = list(sources(root, table))
    for source in files:
        yield from read_twice(source)
        if table.room_of(source.path) is None:
            yield '%s: stands in no room of %s' % (source.path, TABLE)
            continue
        yield from wrong_words(table, source)
        for number, ours, target in source.includes:
            why = wrong_include(table, source.path, ours, target)
            if why:
                yield '%s:%d: %s' % (source.path, number, why)
    yield from same_names(files)
    yield from circles(graph_of(files))


if __name__ == '__main__':
    found = list(problems(sys.argv[1] if len(sys.argv) > 1 else '.'))
    print('\n'.join(found), end='\n' if found else '')
    sys.exit(1 if found else 0)
