"""Power cuts: what was acknowledged is there, at some of the places that `make faults` walks whole."""
import unittest

from support import amount
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


if __name__ == '__main__':
    unittest.main()
