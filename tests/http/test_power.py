"""Power cuts: what was acknowledged is there, at some of the places that `make faults` walks whole."""
import os
import unittest

import support
from support import amount, eventually, large_trace, read_answers
from control import PROGRAM


class Power(unittest.TestCase):
    MOST = {'service': 60, 'service without nameless files': 30}     # states of the disk

    def setUp(self):
        if not PROGRAM:
            self.skipTest('AFLAMED_TEST_FAULTS names no program')

    def test_what_was_acknowledged_is_there(self):
        import power
        for name, scenario in power.SCENARIOS.items():
            with self.subTest(name):
                most = self.MOST.get(name, 20)
                points, findings = power.walk(scenario, amount(most, most // 4, None))
                self.assertGreater(points, 3)
                self.assertEqual(findings, [])

    def test_it_would_be_seen(self):
        """If files or folders were not synced."""
        import power
        for what, name in (('file', 'service'), ('folder', 'service'), ('file', 'token new'), ('folder', 'token new')):
            with self.subTest(name, unsynced=what):
                self.assertNotEqual(power.walk(power.SCENARIOS[name], 20, deaf=(what,))[1], [])

    def test_a_large_upload_is_synced_while_it_arrives(self):
        """So that its end waits for a part of it alone."""
        import disk
        import power
        folder = support.folder_of(self)
        journal, content = os.path.join(folder, 'journal'), large_trace(20 << 20)
        server = power.FaultsServer(os.path.join(folder, 'store'), {'FAULTS_JOURNAL': journal})
        self.addCleanup(server.clean)

        def is_synced():
            with open(journal, 'rb') as file:
                text = file.read()
            try:
                lines = list(disk.lines(text))
            except (ValueError, IndexError):
                return False        # its last line is being written
            files = {words for what, words, _ in lines if what == 'sync'}
            return any(what == 'write' and int(words.split()[1]) >= 8 << 20 and words.split()[0] in files for what, words, _ in lines)
        with server.connect() as connection:
            connection.sendall(support.head('POST', '/', 'Content-Length: %d' % len(content)) + content[:12 << 20])
            self.assertTrue(eventually(is_synced))
            connection.sendall(content[12 << 20:])
            self.assertEqual(read_answers(connection, ['POST'])[0].status, 201)


if __name__ == '__main__':
    unittest.main()
