#!/usr/bin/env python3
"""layers.py finds what it is there for: each rule in a small tree that breaks it, and nothing in one that does not."""
import os
import tempfile
import unittest

import layers

TABLE = '''# A house of three floors.
[rooms]
core         :
parser/kinds : core
parser       : core parser/*
render       : core
server       : core parser/*
               render/view.h
[headers]
stdlib.h: everybody
zlib.h  : parser/kinds
*       : server
[words]
fopen FILE exit: server
'''


def header(body=''):
    return '#pragma once\n%s\n' % body


SOUND = {
    'core/a.h': header(),
    'core/a.c': '#include "core/a.h"\n#include <stdlib.h>\n/* exit() is not for us */\nstatic const char A[] = "exit(1)";\n',
    'core/a_impl.h': header('#include "core/a.h"'),
    'core/b.c': '#include "core/a_impl.h"\n',
    'parser/kinds/k.h': header('#include "core/a.h"\n#include <zlib.h>'),
    'parser/p.c': '#include "parser/kinds/k.h"\nint f(struct s *s)\n{\n    return s->exit(s);\n}\n',
    'render/view.h': header(),
    'render/inside.h': header(),
    'server/s.c': '#include "render/view.h"\n#include "parser/kinds/k.h"\n#include <stdio.h>\nFILE *f;\n',
}


def problems(changes, table=TABLE):
    """Of the sound tree with these files changed or added."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**SOUND, **changes, layers.TABLE: table}.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), 'w', encoding='utf-8') as file:
                file.write(text)
        return list(layers.problems(root))


class Layers(unittest.TestCase):
    def only(self, expected, changes, **table):
        self.assertEqual(problems(changes, **table), expected)

    def test_sound_tree(self):
        self.only([], {})

    def test_wrong_arrow(self):
        self.only(['core/b.c:1: core may not include "parser/kinds/k.h"'],
                  {'core/b.c': '#include "parser/kinds/k.h"\n'})
        self.only(['render/r.c:2: render may not include "parser/kinds/k.h"'],
                  {'render/r.c': '\n#include "parser/kinds/k.h"\n'})

    def test_one_header_of_a_room(self):
        self.only(['server/s.c:1: server may not include "render/inside.h"'],
                  {'server/s.c': '#include "render/inside.h"\n'})

    def test_lower_room_of_the_same_folder(self):
        self.only(['parser/kinds/j.c:1: parser/kinds may not include "parser/p.h"'],
                  {'parser/kinds/j.c': '#include "parser/p.h"\n', 'parser/p.h': header()})

    def test_file_without_room(self):
        table = TABLE.replace('parser       : core parser/*\n', '')
        found = problems({}, table)
        self.assertIn('parser/p.c: stands in no room of ' + layers.TABLE, found)

    def test_table_that_points_upwards(self):
        found = problems({}, TABLE.replace('render       : core', 'render       : core server'))
        self.assertEqual(found, ['%s: render: server has no row before this one' % layers.TABLE])

    def test_circle(self):
        found = problems({'core/c.h': header('#include "core/d.h"'),
                          'core/d.c': '#include "core/e.h"\n', 'core/d.h': header(),
                          'core/e.h': header(), 'core/e.c': '#include "core/c.h"\n'})
        self.assertEqual(found, ['circle of files: core/c -> core/d -> core/e -> core/c '
                                 '(core/c.h:2, core/d.c:1, core/e.c:1)'])

    def test_two_circles_of_one_group(self):
        found = problems({'core/c.c': '#include "core/d.h"\n#include "core/e.h"\n', 'core/c.h': header(),
                          'core/d.h': header('#include "core/c.h"'),
                          'core/e.h': header('#include "core/c.h"')})
        self.assertEqual([line.split(' (')[0] for line in found],
                         ['circle of files: core/c -> core/d -> core/c', 'circle of files: core/e -> core/c -> core/e'])

    def test_headers_of_libraries(self):
        self.only(['parser/q.c:1: <zlib.h> is only for parser/kinds', 'parser/q.c:2: <time.h> is only for server'],
                  {'parser/q.c': '#include <zlib.h>\n#include <time.h>\n'})

    def test_words(self):
        self.only(['core/b.c:3: exit is only for server', 'core/b.c:4: FILE is only for server'],
                  {'core/b.c': 'void f(void)\n{\n    exit(1);\n    FILE *f;\n}\n'})

    def test_include_from_the_root(self):
        self.only(['core/b.c:1: "a.h": includes name the file from the root'], {'core/b.c': '#include "a.h"\n'})

    def test_names(self):
        twice = {'core/p.c': '', 'parser/p.h': header()}
        self.only(['one name for several files: core/p parser/p'], twice)

    def test_read_once(self):
        self.only(['core/a.h: a header begins with #pragma once, behind what it is for'], {'core/a.h': 'int a;\n'})


if __name__ == '__main__':
    unittest.main()
