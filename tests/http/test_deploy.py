"""What deploy/ promises: a socket handed over by the service manager, a proxy with a path before the service, and a
package list for the container that names what the program really links."""
import base64
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import unittest
import unittest.mock
import urllib.parse

import support

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NGINX = shutil.which('nginx', path='/usr/sbin:/usr/bin:/sbin')


def deployed(*parts):
    with open(os.path.join(ROOT, 'deploy', *parts)) as file:
        return file.read()


class SocketActivation(unittest.TestCase):
    def start(self, listening, *flags, sockets=1):
        """The program with the socket as descriptor 3, under a process id that the variables name."""
        folder = support.folder_of(self)
        script = 'LISTEN_PID=$$ LISTEN_FDS=%d exec "$0" serve --listen 127.0.0.1:0 "$@" 3<&%d' % (sockets, listening.fileno())
        environment = {k: v for k, v in os.environ.items() if not k.startswith('AFLAMED')}
        process = subprocess.Popen(['bash', '-c', script, support.AFLAMED, '--store', folder + '/store', *flags],
                                   pass_fds=[listening.fileno()], stdin=subprocess.DEVNULL, env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def end():
            process.kill()
            process.communicate(timeout=support.STOP_TIMEOUT_S)
        self.addCleanup(end)
        return process

    def listening(self, address='127.0.0.1'):
        listening = socket.create_server((address, 0))
        self.addCleanup(listening.close)
        return listening

    def test_serves_on_the_socket_it_was_given(self):
        listening = self.listening()
        port = listening.getsockname()[1]
        process = self.start(listening)
        self.assertEqual(process.stdout.readline(), 'aflamed listens on http://127.0.0.1:%d/\n' % port)
        with socket.create_connection(('127.0.0.1', port), support.TIMEOUT_S) as connection:
            connection.sendall(support.head('GET', '/healthz'))
            self.assertEqual(support.read_answers(connection)[0].text, 'ok\n')
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(support.STOP_TIMEOUT_S), 0)

    def test_one_that_others_can_reach_needs_open(self):
        process = self.start(self.listening('0.0.0.0'))
        said = process.communicate(timeout=support.START_TIMEOUT_S)[1]
        self.assertEqual(process.returncode, 1, said)
        self.assertIn('--open', said)

    def test_of_several_none_is_left_without_an_answer(self):
        process = self.start(self.listening(), sockets=2)
        said = process.communicate(timeout=support.START_TIMEOUT_S)[1]
        self.assertEqual(process.returncode, 1, said)
        self.assertIn('ListenStream=', said)

    def test_who_comes_during_a_stop_is_answered_by_the_next_start(self):
        listening = self.listening()
        first = self.start(listening)
        first.stdout.readline()

        def connect():
            connection = socket.create_connection(listening.getsockname(), support.TIMEOUT_S)
            self.addCleanup(connection.close)
            return connection
        upload, before = connect(), [connect() for _ in range(20)]
        upload.sendall(support.head('PUT', '/x', 'Content-Length: 1000') + b'x')
        for connection in before:
            connection.sendall(support.head('GET', '/healthz'))
            self.assertEqual(support.read_answers(connection)[0].status, 200)
        first.send_signal(signal.SIGTERM)

        def is_stopping():
            connection = before.pop()
            connection.sendall(support.head('GET', '/healthz'))
            return support.read_answers(connection)[0].status == 503
        self.assertTrue(support.eventually(is_stopping))
        late = connect()
        late.sendall(support.head('GET', '/healthz'))
        upload.close()
        self.assertEqual(first.wait(support.STOP_TIMEOUT_S), 0)
        self.start(listening)
        self.assertEqual(support.read_answers(late)[0].text, 'ok\n')

    def test_variables_of_another_process_are_none_of_ours(self):
        server = support.Server()
        self.addCleanup(server.clean)
        environment = {'LISTEN_PID': '1', 'LISTEN_FDS': '1'}
        with unittest.mock.patch.dict(os.environ, environment):
            server.stop()
            server.start()
        self.assertEqual(server.get('/healthz').status, 200)


@unittest.skipUnless(shutil.which('systemd-analyze') and shutil.which('systemd-socket-activate'),
                     'systemd is not installed')
class Systemd(unittest.TestCase):
    def setUp(self):
        self.folder = support.folder_of(self, 'systemd')
        for name in ('aflamed.service', 'aflamed.socket'):
            with open(os.path.join(self.folder, name), 'w') as file:
                file.write(deployed('systemd', name).replace('/usr/local/bin/aflamed', support.AFLAMED))
        self.units = [os.path.join(self.folder, name) for name in ('aflamed.service', 'aflamed.socket')]

    def analyze(self, *command):
        done = subprocess.run(['systemd-analyze', '--no-pager', *command], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=support.TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_units_make_sense(self):
        said = self.analyze('verify', '--man=no', *self.units)
        self.assertNotIn('aflamed', said)

    def test_the_store_is_where_the_configuration_says(self):
        with open(self.units[0]) as file:
            unit = file.read()
        self.assertIn('\nExecStart=%s serve\n' % support.AFLAMED, unit)
        environment = dict(pair.split('=', 1) for pair in re.findall(r'^Environment=(.*)', unit, re.M))

        def store(**more):
            done = subprocess.run([support.AFLAMED, '--print-config'], env=dict(environment, HOME='/', **more), timeout=60,
                                  capture_output=True, text=True, check=True)
            return json.loads(done.stdout)['store']
        self.assertEqual(store(), '/var/lib/aflamed')
        path = os.path.join(self.folder, 'a.json')
        with open(path, 'w') as file:
            file.write('{"store": "s3://profiles/team"}')
        self.assertEqual(store(AFLAMED_CONFIG=path), 's3://profiles/team')

    def test_little_is_allowed(self):
        """Of 10 points of exposure; what is left is the network, threads and the file system itself."""
        said = self.analyze('security', '--offline=yes', self.units[0])
        self.assertLessEqual(float(re.search(r'exposure level for aflamed.service: ([0-9.]+)', said)[1]), 1.1, said)

    def test_serves_on_the_socket_of_the_manager(self):
        with socket.create_server(('127.0.0.1', 0)) as free:
            port = free.getsockname()[1]
        process = subprocess.Popen(['systemd-socket-activate', '--listen=127.0.0.1:%d' % port, support.AFLAMED, 'serve',
                                    '--store', os.path.join(self.folder, 'store')],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        def end():
            process.kill()
            process.communicate(timeout=support.STOP_TIMEOUT_S)
        self.addCleanup(end)
        self.assertIn('Listening on', process.stderr.readline())
        with socket.create_connection(('127.0.0.1', port), support.TIMEOUT_S) as connection:
            connection.sendall(support.head('GET', '/healthz'))     # the first one starts it, and waits
            self.assertEqual(support.read_answers(connection)[0].text, 'ok\n')
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(support.STOP_TIMEOUT_S), 0)


@unittest.skipUnless(NGINX, 'nginx is not installed')
class BehindNginx(unittest.TestCase):
    """deploy/nginx/aflamed.conf as it is, but for the places of its password file and of the service."""

    def setUp(self):
        self.folder = support.folder_of(self, 'nginx')
        with socket.create_server(('127.0.0.1', 0)) as free:
            self.port = free.getsockname()[1]
        self.base = 'http://127.0.0.1:%d/aflamed' % self.port
        self.server = support.Server(external_url=self.base, trusted_proxies='127.0.0.1')
        self.addCleanup(self.server.clean)
        self.start_nginx()

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, 'w') as file:
            file.write(text)
        return path

    def start_nginx(self):
        location = deployed('nginx', 'aflamed.conf')
        location = location.replace('/etc/nginx/aflamed.htpasswd', self.write('users', 'ann:{PLAIN}secret\n'))
        location = location.replace('127.0.0.1:8192', '127.0.0.1:%d' % self.server.port)
        places = ''.join('%s_temp_path %s/%s;' % (kind, self.folder, kind)
                         for kind in ('client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'))
        # Started as root it would become another user, who may not be let into the folder.
        own_user = 'user root;' if os.getuid() == 0 else ''
        config = self.write('nginx.conf', '''
            daemon off; worker_processes 1; pid %s/pid; error_log stderr; %s
            events {}
            http { access_log off; %s server { listen 127.0.0.1:%d; %s } }
            ''' % (self.folder, own_user, places, self.port, location))
        self.said = open(os.path.join(self.folder, 'stderr'), 'w+')
        self.addCleanup(self.said.close)
        self.nginx = subprocess.Popen([NGINX, '-e', 'stderr', '-p', self.folder, '-c', config],
                                      stderr=self.said, stdin=subprocess.DEVNULL)

        def end():
            self.nginx.terminate()
            self.nginx.wait(support.STOP_TIMEOUT_S)
        self.addCleanup(end)
        self.assertTrue(support.eventually(lambda: support.answers(self.port) or self.nginx.poll() is not None))
        self.assertIsNone(self.nginx.poll(), 'nginx did not start')

    def ask(self, method, target, body=None, authorized=True, **headers):
        if authorized:
            headers['Authorization'] = 'Basic ' + base64.b64encode(b'ann:secret').decode()
        port, self.server.port = self.server.port, self.port
        try:
            answer = self.server.request(method, target, body, **headers)
        finally:
            self.server.port = port
        if answer.status >= 500:
            self.said.seek(0)
            self.fail('%s\nnginx wrote:\n%s\nthe service wrote:\n%s' % (answer, self.said.read(), self.server.log()))
        return answer

    def test_the_log_says_who_asks(self):
        before = self.server.log()
        self.ask('GET', '/aflamed/healthz', X_Forwarded_For='203.0.113.5')
        self.assertTrue(self.server.says(r'client=127\.0\.0\.1 .*target=/healthz ', before))

    def test_needs_the_password(self):
        self.assertEqual(self.ask('GET', '/aflamed/', authorized=False).status, 401)

    def test_every_link_leads_back_through_the_proxy(self):
        answer = self.ask('POST', '/aflamed/', support.trace())
        self.assertEqual(answer.status, 201, answer)
        url = answer.text.strip()
        self.assertTrue(url.startswith(self.base + '/p/'), url)
        self.assertTrue(answer['X-Delete-URL'].startswith(url))
        path = url[url.index('/aflamed'):]
        for page in (path, '/aflamed/'):
            html = self.ask('GET', page, Accept='text/html').text
            links = set(re.findall(r'(?:href|src|action)="([^"#]+)', html))
            self.assertTrue(links, page)
            for link in links:
                target = urllib.parse.urljoin('http://x' + page, link)
                if not target.startswith('http://x/'):
                    continue
                target = target.replace('&amp;', '&')[len('http://x'):]
                self.assertTrue(target.startswith('/aflamed'), (page, link))
                self.assertNotEqual(self.ask('GET', target).status, 404, (page, link))

    def test_a_picture_fetches_without_the_password(self):
        """With the pass that its link has on the profile's page; only what belongs to that profile, and only with it."""
        answers = [self.ask('POST', '/aflamed/', support.trace(salt=i)) for i in (3, 4)]
        path, other = (a.text.strip()[len('http://127.0.0.1:%d' % self.port):] for a in answers)
        page = self.ask('GET', path, Accept='text/html').text
        passes = re.findall(r'/t/1\.svg\?[^"#]*#pass=([a-z2-7]{26})"', page)
        self.assertEqual(len(set(passes)), 1, page)
        tree = '/t/1/tree?node=0&skip=0'
        expected = self.ask('GET', path + tree)
        self.assertEqual(expected.status, 200)
        given = self.ask('GET', '%s/k/%s%s' % (path, passes[0], tree), authorized=False, Origin='null')
        self.assertEqual((given.status, given.body), (200, expected.body))
        self.assertEqual(given['Access-Control-Allow-Origin'], '*')
        for target, status in ((path + tree, 401), ('%s/k/%s/t/1.svg' % (path, passes[0]), 401), (path, 401),
                               ('%s/k/%s/../../raw' % (path, passes[0]), 401),
                               ('%s/k/%s%s' % (other, passes[0], tree), 403), ('%s/k/%s%s' % (path, 'a' * 26, tree), 403)):
            self.assertEqual(self.ask('GET', target, authorized=False).status, status, target)
        self.assertEqual(self.ask('GET', '%s/k/%s/t/9/tree?node=0&skip=0' % (path, passes[0]), authorized=False).status, 404)

    def test_a_picture_of_a_comparison_fetches_without_the_password(self):
        ids = [self.ask('POST', '/aflamed/', support.trace(salt=i)).text.strip()[-26:] for i in (5, 6)]
        path, other = ('/aflamed/d/' + '..'.join(pair) for pair in (ids, ids[::-1]))
        page = self.ask('GET', path, Accept='text/html').text
        passes = re.findall(r'/methods\.svg\?[^"]*#pass=([a-z2-7]{26})"', page)
        self.assertEqual(len(passes), 1, page)
        tree = '/tree?node=0&skip=0'
        expected = self.ask('GET', path + tree)
        self.assertEqual(expected.status, 200)
        given = self.ask('GET', '%s/k/%s%s' % (path, passes[0], tree), authorized=False, Origin='null')
        self.assertEqual((given.status, given.body), (200, expected.body))
        self.assertEqual(given['Access-Control-Allow-Origin'], '*')
        for target, status in ((path + tree, 401), ('%s/k/%s.svg' % (path, passes[0]), 401), (path, 401),
                               ('%s/k/%s%s' % (other, passes[0], tree), 403), ('%s/k/%s%s' % (path, 'a' * 26, tree), 403)):
            answer = self.ask('GET', target, authorized=False)
            self.assertEqual(answer.status, status, target)
            if status == 403:
                self.assertEqual(answer['Access-Control-Allow-Origin'], '*')

    def test_events_are_not_held_back(self):
        answer = self.ask('POST', '/aflamed/', support.trace(salt=2))
        path = answer.text.strip()[len('http://127.0.0.1:%d' % self.port):]
        self.assertIn('event: done', self.ask('GET', path + '/events').text)


class Memory(unittest.TestCase):
    """What a container may have is enough for what docs/configuration.md says that the service takes at most."""
    UNITS = {'k': 1 << 10, 'm': 1 << 20, 'g': 1 << 30}

    def bytes_of(self, text):
        number, unit = re.match(r'(\d+)([kmg]?)\Z', str(text).lower()).groups()
        return int(number) * self.UNITS.get(unit, 1)

    def test_limit_of_the_container(self):
        compose = deployed('compose.yaml')
        settings = dict(re.findall(r'^ +(AFLAMED_\w+): "?([^"\n]+)"?$', compose, re.M))
        printed = subprocess.run([support.AFLAMED, '--print-config'], env=settings, timeout=60,
                                 capture_output=True, text=True, check=True).stdout
        config = {key: self.bytes_of(value) for key, value in json.loads(printed).items()
                  if key in ('workers', 'open_jobs', 'max_connections') or key.endswith('_bytes')}
        workers, open_jobs = config['workers'], config['open_jobs'] or 2 * config['workers']
        self.assertGreater(workers, 0, 'as many as the machine has cores')
        most = (open_jobs * (config['job_memory_bytes'] + config['profile_cache_bytes'] // 2)
                + workers * 2 * (config['job_memory_bytes'] + config['view_memory_bytes'])
                + config['profile_cache_bytes'] + config['views_in_memory_bytes'] + config['answer_memory_bytes']
                + config['max_connections'] * (32 + 768 << 10))
        limit = self.bytes_of(re.search(r'mem_limit: (\w+)', compose)[1])
        self.assertLess(most + 64 * self.UNITS['m'], limit)


class ComposedCluster(unittest.TestCase):
    """It is not started here: its parts fit the service, the balancer's example and each other."""
    def setUp(self):
        self.compose = deployed('compose-cluster.yaml')

    def value(self, name):
        return re.search(r'^ +%s: "?([^"\n]+)"?$' % name, self.compose, re.M)[1]

    def test_the_service_knows_its_keys(self):
        settings = dict(re.findall(r'^ +((?:AFLAMED|AWS)_\w+): "?([^"\n]+)"?$', self.compose, re.M))
        printed = subprocess.run([support.AFLAMED, '--print-config'], env=settings, timeout=60, capture_output=True, text=True,
                                 check=True).stdout
        config = json.loads(printed)
        for name, value in settings.items():
            if name.startswith('AFLAMED_'):
                self.assertEqual(str(config[name[len('AFLAMED_'):].lower()]), value)

    def test_they_meet(self):
        bucket = self.value('AFLAMED_STORE').split('/')[2]
        self.assertEqual(self.value('CEPH_DEMO_BUCKET'), bucket)
        self.assertEqual(self.value('AFLAMED_S3_ENDPOINTS'), 'http://%s:8080' % self.value('hostname'))
        for ours, theirs in (('AWS_ACCESS_KEY_ID', 'CEPH_DEMO_ACCESS_KEY'), ('AWS_SECRET_ACCESS_KEY', 'CEPH_DEMO_SECRET_KEY')):
            self.assertEqual(self.value(ours), self.value(theirs))
        services = re.findall(r'^  (\w+):$', self.compose.split('\nservices:\n')[1].split('\nvolumes:\n')[0], re.M)
        self.assertEqual(services, ['one', 'two', 'balancer', 'ceph'])

    def test_the_balancer_asks_both(self):
        text = deployed('nginx', 'cluster.conf')
        for before, after in re.findall(r"-e 's/([^/]*)/([^/]*)/'", self.compose):
            self.assertIn(before, text)
            text = text.replace(before, after)
        self.assertEqual(re.findall(r'^ +(?:server|listen) +([\w.:]+)', text, re.M), ['one:8192', 'two:8192', '8190'])
        self.assertNotIn('127.0.0.1', text)


class Packages(unittest.TestCase):
    def test_the_container_has_what_the_program_opens(self):
        """Shared libraries that are opened when they are needed (core/system/library.h)."""
        wanted = set(re.findall(r'^[a-z0-9.+-]+$', deployed('packages', 'run.txt'), re.M))
        sources = [path for room in ('core/system', 'server/http', 'server/s3')
                   for path in glob.glob(os.path.join(ROOT, room, '*_librar*.c'))]
        opened = {name for path in sources for name in re.findall(r'LIBRARY_INIT\("([^"]+)"', open(path, encoding='utf-8').read())}
        self.assertGreaterEqual(opened, {'libcrypto.so.3', 'libdw.so.1', 'libmicrohttpd.so.12', 'libcurl.so.4'})
        cache = subprocess.run(['/sbin/ldconfig', '-p'], capture_output=True, text=True, timeout=60).stdout
        for name in sorted(opened):
            path = re.search(r'^\t%s .* => (\S+)$' % re.escape(name), cache, re.M)[1]
            owner = subprocess.run(['dpkg-query', '-S', os.path.realpath(path)], capture_output=True, text=True, timeout=60).stdout
            self.assertIn(owner.split(':')[0], wanted, name)

    def test_the_container_has_what_the_program_links(self):
        wanted = set(re.findall(r'^[a-z0-9.+-]+$', deployed('packages', 'run.txt'), re.M))
        linked = subprocess.run(['ldd', support.AFLAMED], capture_output=True, text=True, timeout=60).stdout
        found = set()
        for path in re.findall(r'=> (/\S+)', linked):
            owner = subprocess.run(['dpkg-query', '-S', os.path.realpath(path)], capture_output=True, text=True,
                                   timeout=60).stdout
            found.add(owner.split(':')[0])
        direct = {p for p in found if re.match(r'lib(microhttpd|magic|jansson|png|ssl|zstd)', p) or p == 'zlib1g'}
        self.assertEqual(direct - wanted, set())


if __name__ == '__main__':
    unittest.main()
