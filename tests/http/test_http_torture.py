"""Every raw request is answered as it says, by one answer and no other; never more kindly than nginx does; and with nginx in
front of the service both see the same requests."""
import collections
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import unittest

import raw_requests
from support import STOP_TIMEOUT_S, TIMEOUT_S, Borrowed, ServiceTest, answers, eventually, in_parallel

NGINX = shutil.which('nginx', path=os.environ.get('PATH', '') + ':/usr/sbin')
SHOWN = 500         # bytes of a request in the logs, which cut what is long
SILENCE_S = 0.5     # for who waits for the rest of a request; then he is told that there is none

# Its own limits would refuse what is only large: ours are these.
NGINX_CONFIG = '''
    daemon off; worker_processes 1; pid {folder}/pid; error_log stderr crit; {user}
    events {{ worker_connections 1000; }}
    http {{
        access_log off; large_client_header_buffers 4 32k; client_max_body_size 2g; {places}
        {servers}
    }}
    '''
FILES = 'server {{ listen 127.0.0.1:{port}; root {folder}/files; dav_methods PUT DELETE; }}'
# Connections to the service are kept, so that what is left on one would come before the next request.
FRONT = '''
    upstream service {{ server 127.0.0.1:{service}; keepalive 8; }}
    log_format passed escape=none "$status $upstream_http_x_request_id|$request_method $request_uri";
    server {{
        listen 127.0.0.1:{port}; access_log {folder}/passed passed;
        location / {{
            proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_next_upstream off;
            proxy_request_buffering {buffering};
        }}
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
        self.assertTrue(self.server.gets_rid_of('tmp'))


class Nginx:
    """A process of it, with servers of this configuration."""

    def __init__(self, test, servers, **words):
        self.folder = tempfile.mkdtemp(prefix='aflamed-nginx-')
        test.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
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
            file.write(NGINX_CONFIG.format(folder=self.folder, places=places, user='user root;' if os.geteuid() == 0 else '',
                                           servers=servers.format(folder=self.folder, port=self.port, **words)))
        self.process = subprocess.Popen([NGINX, '-e', 'stderr', '-p', self.folder, '-c', config], stdin=subprocess.DEVNULL)
        test.addCleanup(self.stop)
        test.assertTrue(eventually(lambda: answers(self.port) or self.process.poll() is not None))
        test.assertIsNone(self.process.poll(), 'nginx did not start')

    def stop(self):
        """When it has answered everybody, and logged it."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(STOP_TIMEOUT_S)

    def passed(self):
        """(status, id of the service's answer or '', method and target) of each request that it has seen."""
        with open(os.path.join(self.folder, 'passed'), errors='replace', newline='\n') as file:
            return re.findall(r'^(\d+) ([\w-]*)\|(.{,%d})' % SHOWN, file.read(), re.M)


@unittest.skipUnless(NGINX, 'nginx is not installed')
class NeverLaxer(unittest.TestCase):
    def test_what_nginx_refuses_is_refused(self):
        """By a status of an error, or by the end of the connection; what is excepted has its reason."""
        cases, nginx = all_cases(), Nginx(self, FILES)
        laxer = set()
        for (theme, case), theirs in zip(cases, in_parallel(
                lambda c: statuses_of(nginx.port, c[1].sent, 0), cases, threads=16)):
            answered = [status < 400 for status in theirs] + [False] * len(case.statuses)
            if any(ours < 400 and not theirs for ours, theirs in zip(case.statuses, answered)):
                laxer.add((theme, case.name))
        self.assertEqual(laxer, set(raw_requests.LAXER))


@unittest.skipUnless(NGINX, 'nginx is not installed')
class Pair(ServiceTest):
    def seen(self):
        """id -> method and target, of each request that the service has seen."""
        found = {}
        for line in self.server.log().splitlines():
            words = re.match(r'\S+ info request id=(\S+) client=\S+ method=((?:\\.|\S)*) target=((?:\\.|\S)*)', line)
            if words:
                found[words.group(1)] = re.sub(r'\\(.)', r'\1', '%s %s' % words.groups()[1:])[:SHOWN]
        return found

    def test_the_service_sees_the_requests_that_nginx_sees(self):
        """Each with its own answer. Of those whose client has left nginx does not know the answer."""
        for buffering in ('on', 'off'):
            with self.subTest(buffering=buffering):
                before = set(self.seen())
                nginx = Nginx(self, FRONT, service=self.server.port, buffering=buffering)
                in_parallel(lambda c: statuses_of(nginx.port, c[1].sent, 0), all_cases(), threads=32)
                nginx.stop()
                passed = nginx.passed()
                self.assertGreater(len(passed), 100)
                seen = {identity: what for identity, what in self.seen().items() if identity not in before}
                answered = [identity for _, identity, _ in passed if identity]
                self.assertEqual(len(answered), len(set(answered)))
                mixed = [(seen.pop(identity), what) for _, identity, what in passed if identity]
                self.assertEqual([pair for pair in mixed if pair[0] != pair[1]], [])
                unanswered = collections.Counter(what for _, identity, what in passed if not identity)
                self.assertEqual(collections.Counter(seen.values()) - unanswered, collections.Counter())


if __name__ == '__main__':
    unittest.main()
