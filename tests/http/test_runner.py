"""The runner itself: what fails outside a test is told, whichever tests were asked for."""
import contextlib
import io
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import run     # noqa: E402


def results_of(case):
    """As a process of the runner tells them."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(case)).run(run.Printer('http/'))
    return [run.Result.from_line(line) for line in said.getvalue().splitlines()]


class NoStart(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise OSError('it does not start')

    def runTest(self):
        pass


class BadEnd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(cls.fail)

    @classmethod
    def fail(cls):
        raise OSError('the service ended with 1')

    def test_this(self):
        pass


class OutsideATest(unittest.TestCase):
    def test_a_class_that_does_not_start(self):
        told = results_of(NoStart)
        self.assertEqual([(r.state, r.name) for r in told], [(run.FAILED, 'http/test_runner.NoStart.setUpClass/(end)')])
        self.assertIn('it does not start', told[0].detail)

    def test_a_class_that_does_not_end(self):
        passed, failed = results_of(BadEnd)
        self.assertEqual((passed.state, failed.state), (run.PASSED, run.FAILED))
        self.assertEqual(run.file_of(failed.name), run.file_of(passed.name))

    def test_it_is_told_whatever_was_asked_for(self):
        for case in (NoStart, BadEnd):
            failed = results_of(case)[-1]
            self.assertTrue(run.is_wanted(failed, 'http/test_runner.%s.test_this' % case.__name__))


    def test_a_module_that_cannot_be_loaded(self):
        command = [sys.executable, '-B', run.__file__, '--module', 'no_such_module', 'http/no_such_module.Class.test_this']
        self.assertNotEqual(run.bounded(command, run.HTTP_TIMEOUT_S)[2], 0)


def load_tests(loader, tests, pattern):
    """Not the classes that are made to fail."""
    return loader.loadTestsFromTestCase(OutsideATest)


if __name__ == '__main__':
    unittest.main()
