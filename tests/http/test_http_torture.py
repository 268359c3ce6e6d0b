"""Every raw request is answered as it says, by one answer and no other; and never more kindly than nginx does."""
import http.client
import os
import shutil
import socket
import subprocess
import tempfile
import unittest

import raw_requests
from support import STOP_TIMEOUT_S, TIMEOUT_S, Borrowed, ServiceTest, answers, eventually, in_parallel

NGINX = shutil.which('nginx', path=os.environ.get('PATH', '') + ':/usr/sbin')
SILENCE_S = 0.5     # for who waits for the rest of a request; then he is told that there is none

# Its own limits would refuse what is only large: ours are these.
NGINX_CONFIG = '''
    daemon off; worker_processes 1; pid {folder}/pid; error_log stderr crit; {user}
    events {{ }}
    http {{
        access_log off; large_client_header_buffers 4 32k; client_max_body_size 2g; {places}
        server {{ listen 127.0.0.1:{port}; root {folder}/files; dav_methods PUT DELETE; }}
    }}
    '''


def next_status(stream, method):
    """None: the connection has ended, or what came is no answer."""
    response = http.client.HTTPResponse(Borrowed(stream), method=method)
    try:
        response.begin()
        response.read()
    except (http.client.HTTPException, ConnectionError):
        return None
    return response.status


def end(connection):
    try:
        connection.shutdown(socket.SHUT_WR)
    except OSError:     # it has ended by itself
        pass


def statuses_of(port, sent, expected):
    """Of all answers. So many are waited for; then the service hears that nothing more will be sent."""
    method, found, silence_s = 'HEAD' if sent.startswith(b'HEAD ') else 'GET', [], TIMEOUT_S if expected else SILENCE_S
    with socket.create_connection(('127.0.0.1', port), silence_s) as connection:
        try:
            connection.sendall(sent)
        except ConnectionError:
            pass
        stream, ended = connection.makefile('rb'), False
        while True:
            if not ended and 0 < expected <= len(found):
                end(connection)
                ended = True
            try:
                status = next_status(stream, method)
            except TimeoutError:
                if ended:
                    raise
                end(connection)
                ended, stream = True, connection.makefile('rb')     # one that has timed out reads no more
                connection.settimeout(TIMEOUT_S)
                continue
            if status is None:
                return found
            found.append(status)
            method = 'GET'


def all_cases():
    return [(theme, case) for theme, cases in raw_requests.THEMES.items() for case in cases]


class Torture(ServiceTest):
    def test_each_is_answered_as_it_says(self):
        cases = all_cases()
        found = in_parallel(lambda c: statuses_of(self.server.port, c[1].sent, len(c[1].statuses)), cases, threads=8)
        for (theme, case), statuses in zip(cases, found):
            with self.subTest(theme=theme, case=case.name):
                self.assertEqual(statuses, case.statuses)
        self.assert_alive()
        self.assertEqual(self.server.files('tmp'), [])


@unittest.skipUnless(NGINX, 'nginx is not installed')
class NeverLaxer(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='aflamed-nginx-')
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        os.mkdir(os.path.join(self.folder, 'files'))
        for name in ('index.html', 'healthz', 'version'):
            with open(os.path.join(self.folder, 'files', name), 'w') as file:
                file.write('ok\n')
        with socket.create_server(('127.0.0.1', 0)) as free:
            self.port = free.getsockname()[1]
        places = ''.join('%s_temp_path %s/%s;' % (kind, self.folder, kind)
                         for kind in ('client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'))
        config = os.path.join(self.folder, 'nginx.conf')
        with open(config, 'w') as file:
            file.write(NGINX_CONFIG.format(folder=self.folder, port=self.port, places=places,
                                           user='user root;' if os.geteuid() == 0 else ''))
        self.nginx = subprocess.Popen([NGINX, '-e', 'stderr', '-p', self.folder, '-c', config],
                                      stdin=subprocess.DEVNULL)
        self.addCleanup(self.stop_nginx)
        self.assertTrue(eventually(lambda: answers(self.port) or self.nginx.poll() is not None))
        self.assertIsNone(self.nginx.poll(), 'nginx did not start')

    def stop_nginx(self):
        self.nginx.terminate()
        self.nginx.wait(STOP_TIMEOUT_S)

    def test_what_nginx_refuses_is_refused(self):
        """By a status of an error, or by the end of the connection; what is excepted has its reason."""
        cases = all_cases()
        laxer = set()
        for (theme, case), theirs in zip(cases, in_parallel(
                lambda c: statuses_of(self.port, c[1].sent, 0), cases, threads=8)):
            answered = [status < 400 for status in theirs] + [False] * len(case.statuses)
            if any(ours < 400 and not theirs for ours, theirs in zip(case.statuses, answered)):
                laxer.add((theme, case.name))
        self.assertEqual(laxer, set(raw_requests.LAXER))


if __name__ == '__main__':
    unittest.main()
