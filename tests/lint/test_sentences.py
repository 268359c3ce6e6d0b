#!/usr/bin/env python3
"""The list of all sentences (tools/sentences) has those of each kind, and one thing has one name in them."""
import importlib.machinery
import importlib.util
import os
import unittest

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'tools', 'sentences')
LOADER = importlib.machinery.SourceFileLoader('sentences', PATH)
LISTED = importlib.util.module_from_spec(importlib.util.spec_from_loader('sentences', LOADER))
LOADER.exec_module(LISTED)

# One of each place that people are spoken to from.
SAID = {
    'profile/warning.c': "The recorder's buffer was full: the trace ends before the recording did.",
    'render/verdict/rules.c': 'Native functions with the most self time on a CPU:',
    'render/table/diff_words.c': 'More time in your methods, with what they call:',
    'server/pages/page_plain.c': 'Only team members can open this profile.',
    'server/routes/admit.c': 'This upload was deleted or has expired.',
    'static/upload-rules.js': 'Record a shorter trace, or sample instead of tracing.',
    'static/lanes-legend.js': 'What the timeline shows, and its keys',
    'cli/cli_verdict.c': 'say in words where the time went',
}
# What was said once, and what is said now.
RETIRED = {
    'had a CPU for': 'used a CPU for, used .. of CPU time', 'in lock contention for': 'waited for locks for',
    'Durations, by': 'Call durations, by', 'How long its calls were': 'Call durations', 'Height of the lanes': 'Height of the timeline',
    'in what is seen': 'in view', 'Mind that': 'say it as it is', 'third part': 'library, libraries',
    'nobody knows why': 'for an unknown reason', 'Most in themselves': 'Largest self values', 'platform': 'Android',
}


class Sentences(unittest.TestCase):
    def test_each_kind_is_listed(self):
        said = list(LISTED.sentences())
        for place, words in SAID.items():
            self.assertTrue(any(path == place and words in text for path, text in said), (place, words))

    def test_one_thing_has_one_name(self):
        for path, text in LISTED.sentences():
            for words, better in RETIRED.items():
                self.assertNotIn(words, text, '%s: say %s' % (path, better))

    def test_what_is_a_sentence(self):
        source = '/* no "word of this one" */\n#include "a b c"\nsay("One <b>thing</b> is\\n "\n    "told here."); key("short one");'
        self.assertEqual([text for text in map(LISTED.words_of, LISTED.literals('x.c', source)) if text], ['One thing is told here.'])
        script = "a('It was told twice'); b(`${n} of them are here`); // 'not one of these'\n"
        self.assertEqual([text for text in map(LISTED.words_of, LISTED.literals('x.js', script)) if text],
                         ['It was told twice', '${n} of them are here'])


if __name__ == '__main__':
    unittest.main()
