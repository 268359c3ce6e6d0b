"""A system trace whose records have no room in the memory of one profile: they are sorted in a file."""
import unittest

from support import Server, ServiceTest, id_of
import system_trace

US, APP, PARTS, TURNS, CPUS = 1000, 42, 16, 1000, 4
SMALL = {'job_memory_bytes': '2M'}


def part_of(cpu, turns):
    """Two threads take turns; one of each CPU has sections, of which one is asynchronous."""
    t, mine, other = system_trace.Trace(), APP + 2 * cpu, APP + 2 * cpu + 1
    t.process(APP, 'com.example.app', 10001)
    t.thread(APP, APP, 'com.example.app')
    for i in turns:
        ns = i * 100 * US + cpu
        t.run(ns, cpu, mine, other, system_trace.SLEEPS)
        t.atrace(ns + 5 * US, mine, 'S|%d|load|%d' % (APP, cpu), cpu)
        t.begin(ns + 10 * US, APP, mine, 'turn', cpu)
        t.atrace(ns + 45 * US, mine, 'F|%d|load|%d' % (APP, cpu), cpu)
        t.end(ns + 50 * US, APP, mine, cpu)
        t.run(ns + 60 * US + (i + cpu) % 7 * US, cpu, other, mine, system_trace.SLEEPS)
    return t.bytes()


def switches():
    """384,000 records of 24 bytes, CPU by CPU, so that a half of them is copied when they are merged; a third of them has
    a record of its own for what is rare. None of these tables has room in the memory of SMALL."""
    return b''.join(part_of(cpu, range(part * TURNS, (part + 1) * TURNS)) for cpu in range(CPUS) for part in range(PARTS))


class RecordsInAFile(ServiceTest):
    CONFIG = SMALL

    def test_the_result_is_the_same(self):
        content, other = switches(), Server(job_memory_bytes='512M')
        self.addCleanup(other.clean)
        told = []
        for server in (self.server, other):
            upload = server.upload(content)
            self.assertEqual(upload.status, 201, upload)
            answers = [server.get('/p/%s/%s.json' % (id_of(upload), view)) for view in ('t/%d' % APP, 't/all', 'methods')]
            self.assertEqual([answer.status for answer in answers], [200] * 3)
            self.assertIn('"turn"', answers[0].text)
            told.append([answer.text for answer in answers])
        self.assertEqual(*told)


class NoFile(ServiceTest):
    CONFIG = {**SMALL, 'job_file_bytes': 0}

    def test_it_is_refused(self):
        answer = self.server.upload(switches(), Accept='application/json')
        self.assertEqual(answer.status, 413, answer)
        self.assertIn('job_memory_bytes', answer.text)


if __name__ == '__main__':
    unittest.main()
