"""A system trace whose records have no room in the memory of one profile: they are sorted in a file."""
import json
import os
import sys
import unittest

from support import Server, ServiceTest, id_of

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'support'))
import system_trace  # noqa: E402

US, APP, TURNS, CPUS = 1000, 42, 16_000, 4
SMALL = {'job_memory_bytes': '5M'}


def switches():
    """Two threads of each CPU take turns, with a section of main in each: about 176,000 records of 24 bytes."""
    t = system_trace.Trace()
    t.process(APP, 'com.example.app', 10001)
    t.thread(APP, APP, 'com.example.app')
    for i in range(TURNS):
        for cpu in range(CPUS):
            ns, mine, other = i * 100 * US + cpu, APP + 2 * cpu, APP + 2 * cpu + 1
            t.run(ns, cpu, mine, other, system_trace.SLEEPS)
            t.run(ns + 60 * US + (i + cpu) % 7 * US, cpu, other, mine, system_trace.SLEEPS)
        t.wake(i * 100 * US + 80 * US, 0, APP + 1, APP)
        t.begin(i * 100 * US + 10 * US, APP, APP, 'turn')
        t.end(i * 100 * US + 50 * US, APP, APP)
    return t.bytes()


class RecordsInAFile(ServiceTest):
    CONFIG = SMALL

    def test_the_result_is_the_same(self):
        content, other = switches(), Server(job_memory_bytes='512M')
        self.addCleanup(other.clean)
        told = []
        for server in (self.server, other):
            upload = server.upload(content)
            self.assertEqual(upload.status, 201, upload)
            answers = [server.get('/p/%s/%s.json' % (id_of(upload), view)) for view in ('t/%d' % APP, 'methods', 'verdict')]
            self.assertEqual([answer.status for answer in answers], [200] * 3)
            told.append([answers[0].text, answers[1].text, json.loads(answers[2].text)['sentences']])
        self.assertEqual(*told)


class NoFile(ServiceTest):
    CONFIG = {**SMALL, 'job_file_bytes': 0}

    def test_it_is_refused(self):
        answer = self.server.upload(switches(), Accept='application/json')
        self.assertEqual(answer.status, 413, answer)
        self.assertIn('job_memory_bytes', answer.text)


if __name__ == '__main__':
    unittest.main()
