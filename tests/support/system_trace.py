"""Small system traces, by the producers' rules (protos/perfetto/trace): what the scheduler did, sections, frames that an app showed.

    t = Trace()
    t.process(42, 'com.example.app', uid=10001)
    t.thread(42, 42, 'com.example.app')
    t.run(1000, 0, 42)             from 1,000 ns on thread 42 has CPU 0
    t.stop(5000, 0, 42, SLEEPS)    and leaves it to none
    t.wake(7000, 1, 43, 42)        thread 43 on CPU 1 wakes it
    t.begin(1000, 42, 42, 'inflate'); t.end(4000, 42, 42)
    t.bytes()
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from native import number, text  # noqa: E402

SLEEPS, BLOCKS, PREEMPTED = 1, 2, 0x100


class Trace:
    def __init__(self):
        self.people, self.events, self.packets = b'', [], b''

    def process(self, pid, name, uid):
        self.people += text(1, number(1, pid) + text(3, name) + number(5, uid))

    def thread(self, pid, tid, name):
        self.people += text(2, number(1, tid) + text(2, name) + number(3, pid))

    def event(self, ns, cpu, tid, field, body):
        self.events.append((ns, cpu, text(2, number(1, ns) + number(2, tid) + text(field, body))))

    def run(self, ns, cpu, tid, stops=0, why=0):
        self.event(ns, cpu, stops, 4, number(2, stops) + number(4, why) + number(6, tid))

    def stop(self, ns, cpu, tid, why):
        self.run(ns, cpu, 0, tid, why)

    def wake(self, ns, cpu, waker, tid):
        self.event(ns, cpu, waker, 20, number(2, tid))

    def waited_for_io(self, ns, cpu, waker, tid):
        self.event(ns, cpu, waker, 18, number(1, tid) + number(3, 1))

    def atrace(self, ns, tid, words, cpu=0):
        self.event(ns, cpu, tid, 3, text(2, words))

    def begin(self, ns, pid, tid, name, cpu=0):
        self.atrace(ns, tid, 'B|%d|%s' % (pid, name), cpu)

    def end(self, ns, pid, tid, cpu=0):
        self.atrace(ns, tid, 'E|%d' % pid, cpu)

    def packet(self, ns, field, body):
        self.packets += text(1, number(8, ns) + text(field, body))

    def frame(self, token, pid, begin, end, due, jank):
        """As the system tells of a frame: when it should be shown, and when it was."""
        self.packet(begin, 76, text(3, number(1, 2 * token) + number(2, token) + number(4, pid)))
        self.packet(due, 76, text(5, number(1, 2 * token)))
        self.packet(begin, 76, text(4, number(1, 2 * token + 1) + number(2, token) + number(4, pid) + number(9, jank)))
        self.packet(end, 76, text(5, number(1, 2 * token + 1)))

    def bytes(self):
        kernel = text(1, text(45, text(1, text(3, '5.10.107'))))
        bundles = b''
        for cpu in sorted({cpu for _, cpu, _ in self.events}):
            mine = sorted((e for e in self.events if e[1] == cpu), key=lambda e: e[0])
            bundles += text(1, text(1, number(1, cpu) + b''.join(body for _, _, body in mine)))
        return kernel + text(1, text(2, self.people)) + bundles + self.packets


def live(t, r, cpu, tid, begin, end, waker=0, waker_cpu=None):
    """A thread on a CPU of its own, from `begin` to `end`: in states by chance, the generator r. Returns [(begin, end, state)]."""
    states, at = [], begin

    def until(state):
        nonlocal at
        to = min(end, at + r.randrange(1, (end - begin) // 20 + 2))
        states.append((at, to, state))
        at = to
    while at < end:
        t.run(at, cpu, tid)
        until('running')
        if at == end:
            break
        state = r.choice(['waiting', 'waiting', 'io', 'blocked', 'runnable'])
        t.stop(at, cpu, tid, {'waiting': SLEEPS, 'runnable': PREEMPTED}.get(state, BLOCKS))
        until('waiting' if state == 'blocked' else state)
        if at < end and state != 'runnable':
            where = cpu if waker_cpu is None else waker_cpu
            t.wake(at, where, waker, tid)
            if state == 'io':
                t.waited_for_io(at, where, waker, tid)
            until('runnable')
    t.stop(end, cpu, tid, SLEEPS)
    return states


def nest(t, r, pid, tid, begin, end, cpu=0, depth=0, names=('inflate', 'measure#', 'onBind', 'load')):
    """Sections within each other by chance. Returns [(begin, end, name, depth)]."""
    found, at = [], begin
    while depth < 5:
        at += r.randrange(1, max(2, (end - begin) // 4))
        to = at + r.randrange(1, max(2, (end - begin) // 2))
        if to >= end:
            break
        name = r.choice(names)
        t.begin(at, pid, tid, name, cpu)
        found.append((at, to, name, depth))
        found += nest(t, r, pid, tid, at, to, cpu, depth + 1, names)
        t.end(to, pid, tid, cpu)
        at = to
    return found
