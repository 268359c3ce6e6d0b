"""HTTPS by the service itself: versions, a renewed certificate, clients that leave, and a plain socket that leads on."""
import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import unittest

import support
from support import Server, ServiceTest, id_of, trace
from test_doors import Tokens

OPENSSL = shutil.which('openssl')


EC_KEY = 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'


def certificate(folder, name, *options, key=EC_KEY):
    """(certificate, key): files of a certificate for this machine that signs itself."""
    paths = os.path.join(folder, name + '.pem'), os.path.join(folder, name + '-key.pem')
    subprocess.run([OPENSSL, 'req', '-x509', '-newkey', *key, '-nodes',
                    '-keyout', paths[1], '-out', paths[0], '-days', '2', '-subj', '/CN=' + name,
                    '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', *options],
                   stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=support.TIMEOUT_S)
    return paths


class TlsServer(Server):
    SCHEME = 'https'

    def context(self):
        context = ssl.create_default_context(cafile=self.config['tls_certificate'])
        context.check_hostname = False
        return context

    def secure(self, context=None, timeout=support.TIMEOUT_S):
        return (context or self.context()).wrap_socket(self.connect(timeout))

    def request(self, method, target, body=None, **headers):
        connection = http.client.HTTPSConnection('127.0.0.1', self.port, timeout=support.TIMEOUT_S, context=self.context())
        try:
            connection.request(method, target, body, {name.replace('_', '-'): value for name, value in headers.items()})
            answer = connection.getresponse()
            return support.Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def raw(self, sent, methods=('GET',), half_close=False):
        with self.secure() as connection:
            connection.sendall(sent)
            return support.read_answers(connection, methods)


@unittest.skipUnless(OPENSSL, 'openssl is not installed')
class TlsTest(ServiceTest):
    CONFIG = {}

    @classmethod
    def setUpClass(cls):
        cls.folder = support.folder_of(cls)
        cls.paths = certificate(cls.folder, 'first')
        cls.server = support.ServiceFailure.server = TlsServer(tls_certificate=cls.paths[0], tls_key=cls.paths[1],
                                                               **cls.CONFIG)
        cls.addClassCleanup(cls.end)


class Requests(TlsTest):
    def test_an_upload_and_what_it_becomes(self):
        answer = self.server.upload(trace())
        self.assertEqual((answer.status, answer['Location'].split('/')[0]), (201, 'https:'))
        path = '/p/' + id_of(answer)
        self.assertIn(b'<svg', self.server.get(path + '/t/all.svg').body)
        self.assertEqual(self.server.get(path + '/raw').body, trace())
        self.assertIn(b'event: done', self.server.get(path + '/events').body)
        rows = json.loads(self.server.get(path + '/calls.json').body)
        self.assertTrue(rows)

    def test_a_large_one(self):
        content = support.large_trace(support.amount(20 << 20, 4 << 20))
        answer = self.server.upload(content)
        self.assertEqual(answer.status, 201)
        self.assertEqual(self.server.get('/p/%s/raw' % id_of(answer)).body, content)

    def test_several_on_one_connection(self):
        sent = support.head('GET', '/healthz') + support.head('GET', '/version') + support.head('GET', '/healthz', 'Connection: close')
        self.assertEqual([a.status for a in self.server.raw(sent, ('GET',) * 3)], [200] * 3)

    def test_only_what_is_not_broken(self):
        for version, good in ((ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_3, True)):
            context = self.server.context()
            context.minimum_version = context.maximum_version = version
            with self.server.secure(context) as connection:
                self.assertEqual(connection.version(), version.name.replace('_', '.'))
        done = subprocess.run([OPENSSL, 's_client', '-connect', '127.0.0.1:%d' % self.server.port, '-tls1_1',
                               '-cipher', 'ALL:@SECLEVEL=0'], stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=support.TIMEOUT_S)
        self.assertIn(b'Cipher is (NONE)', done.stdout)

    def test_each_connection_has_keys_of_its_own(self):
        """What was recorded is not read by who gets the key of the certificate later."""
        paths = certificate(self.folder, 'rsa', key=('rsa:2048',))
        server = TlsServer(tls_certificate=paths[0], tls_key=paths[1])
        self.addCleanup(server.clean)
        for cipher, good in (('AES128-SHA', False), ('ECDHE-RSA-AES128-GCM-SHA256', True)):
            context = server.context()
            context.maximum_version = ssl.TLSVersion.TLSv1_2
            context.set_ciphers(cipher + ':@SECLEVEL=0')
            try:
                with server.secure(context) as connection:
                    self.assertEqual((good, connection.cipher()[0]), (True, cipher))
            except ssl.SSLError as error:
                self.assertFalse(good, error)

    def test_plain_text_and_noise_get_nothing(self):
        for sent in (support.head('GET', '/healthz'), b'\x16\x03\x01' + b'\xff' * 200, b''):
            with self.server.connect() as connection:
                try:
                    connection.sendall(sent)
                    connection.shutdown(socket.SHUT_WR)
                    received = connection.recv(4096)
                except OSError:     # it was ended at once
                    received = b''
                self.assertNotIn(b'HTTP/', received)
        self.assert_alive()

    def test_clients_that_leave_take_nothing_along(self):
        before = self.server.settled_descriptors()
        for _ in range(support.amount(40, 10)):
            connection = self.server.secure()
            connection.sendall(support.head('PUT', '/x.trace', 'Content-Length: 100000') + b'x' * 5000)
            connection.close()
            self.server.connect().close()
        self.assertLessEqual(self.server.settled_descriptors(before)['socket'], before['socket'])
        self.assert_alive()


class Stopping(TlsTest):
    def test_ends_with_connections_that_are_open(self):
        server = TlsServer(tls_certificate=self.paths[0], tls_key=self.paths[1])
        self.addCleanup(server.clean)
        idle, unfinished = server.secure(), server.connect()
        self.addCleanup(idle.close)
        self.addCleanup(unfinished.close)
        self.assertEqual(server.stop(), 0)


class Renewal(TlsTest):
    def shown(self):
        with self.server.secure(ssl._create_unverified_context()) as connection:
            return ssl.DER_cert_to_PEM_cert(connection.getpeercert(True))

    def test_a_new_certificate_is_shown_and_a_broken_one_is_not(self):
        with open(self.paths[0]) as file:
            first = file.read()
        kept_open = self.server.secure()
        self.addCleanup(kept_open.close)
        self.assertEqual(self.shown(), first)
        second, second_key = certificate(self.folder, 'second')
        before = self.server.log()
        shutil.copy(second, self.paths[0])
        self.server.process.send_signal(signal.SIGHUP)
        self.assertTrue(self.server.says('error certificate-kept why=', before))
        self.assertEqual(self.shown(), first)
        shutil.copy(second_key, self.paths[1])
        self.server.process.send_signal(signal.SIGHUP)
        self.assertTrue(self.server.says('info certificate-read', before))
        with open(second) as file:
            self.assertEqual(self.shown(), file.read())
        kept_open.sendall(support.head('GET', '/healthz', 'Connection: close'))
        self.assertEqual(support.read_answers(kept_open)[0].text, 'ok\n')
        before = self.server.log()
        self.server.process.send_signal(signal.SIGHUP)
        self.assertTrue(self.server.says('info certificate-read', before))
        with open(second) as file:
            self.assertEqual(self.shown(), file.read())


class Login(TlsTest):
    @classmethod
    def setUpClass(cls):
        tokens = Tokens(cls)
        cls.ann = tokens.new('ann')
        cls.CONFIG = {'tokens_file': tokens.path}
        super().setUpClass()

    def test_the_cookie_is_for_https_only(self):
        answer = self.server.request('POST', '/login', 'token=' + self.ann, Content_Type='application/x-www-form-urlencoded')
        self.assertEqual(answer.status, 303)
        self.assertRegex(answer['Set-Cookie'], 'SameSite=Lax; Secure$')


class Chains(TlsTest):
    def test_who_vouches_is_shown_too(self):
        """A certificate that another one has signed, and that one behind it."""
        root, root_key = certificate(self.folder, 'root', '-addext', 'basicConstraints=critical,CA:TRUE')
        own, own_key = certificate(self.folder, 'own', '-CA', root, '-CAkey', root_key) if self.signs() else (None, None)
        if own is None:
            self.skipTest('this openssl does not sign requests of its own')
        chain = os.path.join(self.folder, 'chain.pem')
        with open(chain, 'w') as out:
            for path in (own, root):
                with open(path) as file:
                    out.write(file.read())
        server = TlsServer(tls_certificate=chain, tls_key=own_key)
        self.addCleanup(server.clean)
        server.config['tls_certificate'] = root     # whom the client trusts
        self.assertEqual(server.get('/healthz').status, 200)
        done = subprocess.run([OPENSSL, 's_client', '-showcerts', '-connect', '127.0.0.1:%d' % server.port],
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=support.TIMEOUT_S)
        self.assertEqual(done.stdout.count(b'-----BEGIN CERTIFICATE-----'), 2)

    @staticmethod
    def signs():
        said = subprocess.run([OPENSSL, 'req', '-help'], capture_output=True, timeout=support.TIMEOUT_S).stderr
        return b'-CAkey' in said


@unittest.skipUnless(OPENSSL, 'openssl is not installed')
class Configuration(unittest.TestCase):
    def setUp(self):
        self.folder = support.folder_of(self)

    def started(self, *flags):
        done = subprocess.run([support.AFLAMED, 'serve', '--listen', '127.0.0.1:0', '--store', self.folder + '/store', *flags],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=support.START_TIMEOUT_S)
        return done.returncode, done.stderr

    def test_files_that_are_no_pair(self):
        good, key = certificate(self.folder, 'good')
        _, other = certificate(self.folder, 'other')
        for flags, words in ((('--tls-certificate', good), 'no tls_key'), (('--tls-key', key), 'no tls_certificate'),
                             (('--tls-certificate', good, '--tls-key', key + '-2'), 'cannot be read: No such file'),
                             (('--tls-certificate', good, '--tls-key', other), 'do not match'),
                             (('--tls-certificate', key, '--tls-key', good), 'the certificate cannot be used'),
                             (('--tls-certificate', good, '--tls-key', '/dev/null'), 'the certificate cannot be used')):
            status, said = self.started(*flags)
            self.assertEqual(status, 1, flags)
            self.assertIn(words, said)
            self.assertNotIn('PRIVATE', said)

    def test_a_chain_that_is_too_long(self):
        path, key = certificate(self.folder, 'good')
        with open(path) as file:
            one = file.read()
        with open(path, 'w') as file:
            file.write(one * 17)
        status, said = self.started('--tls-certificate', path, '--tls-key', key)
        self.assertEqual(status, 1)
        self.assertIn('A chain has at most 16 certificates.', said)

    def test_a_plain_socket_leads_on(self):
        good, key = certificate(self.folder, 'good')
        server = TlsServer(tls_certificate=good, tls_key=key, external_url='https://localhost:1/team',
                           redirect_listen='127.0.0.1:0')
        self.addCleanup(server.clean)
        port = int(re.search(r'also-listening key=redirect_listen address=127\.0\.0\.1:(\d+)', server.log()).group(1))
        for target, to in (('/p/x?y=1&z=%20', '/p/x?y=1&z=%20'), ('/', '/'), ('http://evil.example/x', '/x'),
                           ('/p/x?y=' + 'z' * 3000, '/')):
            with socket.create_connection(('127.0.0.1', port), support.TIMEOUT_S) as connection:
                connection.sendall(support.head('POST', target, 'Content-Length: 3', host='evil.example') + b'abc')
                answer = support.read_answers(connection, ('POST',))[0]
            self.assertEqual((answer.status, answer['Location']), (308, 'https://localhost:1/team' + to))
        self.assertEqual(server.stop(), 0)

    def test_it_leads_to_https_only(self):
        status, said = self.started('--redirect-listen', '127.0.0.1:0', '--external-url', 'http://localhost')
        self.assertEqual((status, 'nowhere to lead to' in said), (1, True))


if __name__ == '__main__':
    unittest.main()
