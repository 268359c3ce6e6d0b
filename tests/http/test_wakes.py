"""The longest wait of a main thread in words: who ended it, and what that thread had done before."""
import json

from support import ServiceTest, id_of
import system_trace
from native import number, text
from system_trace import BLOCKS, PREEMPTED, SLEEPS

MS = 1_000_000
APP, POOL, DISK, LAST = 42, 50, 60, 70


def people(t):
    t.process(APP, 'com.example.app', 10001)
    t.process(DISK, 'storage', 1000)
    for pid, tid, name in ((APP, APP, 'com.example.app'), (APP, POOL, 'Pool'), (DISK, DISK, 'storage'), (DISK, LAST, 'flusher')):
        t.thread(pid, tid, name)


def chained(last=lambda t: t.wake(8 * MS, 3, LAST, DISK)):
    """main waits 40 ms for Pool, which waits for the disk, which waits for who is woken by `last`."""
    t = system_trace.Trace()
    people(t)
    t.run(0, 0, APP)
    t.begin(MS, APP, APP, 'load')
    t.stop(2 * MS, 0, APP, SLEEPS)
    t.run(0, 1, POOL)
    t.begin(MS, APP, POOL, 'fetch', 1)
    t.stop(4 * MS, 1, POOL, BLOCKS)
    t.run(0, 2, DISK)
    t.stop(MS, 2, DISK, SLEEPS)
    t.run(0, 3, LAST)
    last(t)
    t.run(10 * MS, 2, DISK)
    t.wake(25 * MS, 2, DISK, POOL)
    t.waited_for_io(25 * MS, 2, DISK, POOL)
    t.run(27 * MS, 1, POOL)
    t.stop(30 * MS, 1, POOL, PREEMPTED)
    t.run(31 * MS, 1, POOL)
    t.begin(40 * MS, APP, POOL, 'notify', 1)
    t.wake(42 * MS, 1, POOL, APP)
    t.run(43 * MS, 0, APP)
    t.end(44 * MS, APP, APP)
    t.stop(45 * MS, 0, APP, SLEEPS)
    t.wake(90 * MS, 1, POOL, APP)
    t.run(95 * MS, 0, APP)
    return t


class Wakes(ServiceTest):
    def said(self, content, query=''):
        verdict = json.loads(self.server.get('/p/%s/verdict.json%s' % (id_of(self.stored(content)), query)).text)
        return next((s['text'] for s in verdict['sentences'] if s['rule'] == 'longest-wait'), None)

    def test_the_chain_is_three_steps_deep(self):
        begin = ('The longest wait of main in a section: it was asleep for 40 ms, in load. Pool ended it, in notify, having run for 14 ms and waited for a CPU '
                 'for 3 ms; before that it was waiting for input or output for 21 ms, in fetch, until storage woke it, having run for 15 ms and waited for a CPU '
                 'for 2 ms; before that it was asleep for 6 ms, until ')
        self.assertEqual(self.said(chained().bytes()), begin + 'flusher of storage woke it, having run for 6 ms.')

        # an interrupt on an idle processor, and one that interrupts a thread
        self.assertEqual(self.said(chained(lambda t: t.wake(8 * MS, 3, 0, DISK)).bytes()), begin + 'an interrupt woke it.')

        def interrupted(t):
            t.events.append((8 * MS, 3, text(2, number(1, 8 * MS) + number(2, LAST) + number(5, 0x10) + text(20, number(2, DISK)))))
        self.assertEqual(self.said(chained(interrupted).bytes()), begin + 'an interrupt woke it.')

    def test_nothing_is_said_of_who_is_not_known(self):
        t = chained(lambda t: t.wake(8 * MS, 3, 99, DISK))     # a thread without a record
        self.assertTrue(self.said(t.bytes()).endswith('before that it was asleep for 6 ms.'))

    def test_a_wait_of_another_range_does_not_count(self):
        content = chained().bytes()
        self.assertIn('for 40 ms', self.said(content, '?from=1000&to=50000'))
        self.assertIsNone(self.said(content, '?from=3000&to=50000'))

    def test_a_wait_in_no_section_is_none(self):
        t = system_trace.Trace()
        people(t)
        t.run(0, 0, APP)
        t.begin(0, APP, APP, 'load')
        t.end(MS, APP, APP)
        t.stop(2 * MS, 0, APP, SLEEPS)
        t.wake(90 * MS, 1, POOL, APP)
        t.run(91 * MS, 0, APP)
        t.stop(92 * MS, 0, APP, SLEEPS)
        self.assertIsNone(self.said(t.bytes()))
