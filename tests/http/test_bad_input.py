"""What cannot be used, what is damaged, and what is too large: the answers, and that the service lives on."""
import json
import os
import resource
import struct
import time
import unittest

from support import (SOON_S, ServiceTest, amount, binary_header, form, head, id_of, in_parallel, large_trace, method_lines,
                     read_answers, text_part, token_of, trace)

PNG = bytes.fromhex('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489')
MIB = 1 << 20


def one_thread_text(**changes):
    parts = {'version': 3, 'clock': 'dual', 'threads': [(1, 'main')], 'methods': method_lines(4)}
    return text_part(**{**parts, **changes})


class BadInput(ServiceTest):
    def tearDown(self):
        self.assert_alive()

    def assert_nothing_stored(self):
        self.assertTrue(self.server.gets_rid_of('bytes', 'names', 'uploads', 'tmp'))

    def assert_problem(self, upload, status, words):
        """All three forms of the problem; upload(Accept=..) sends the request."""
        text = upload(Accept='*/*')
        self.assertEqual(text.status, status, text)
        self.assertEqual(text['Content-Type'], 'text/plain; charset=utf-8')
        self.assertRegex(text.text, r'\Aerror: [^:\n]+: [^\n]+\nhint: [^\n]+\n\Z')
        structured = upload(Accept='application/json')
        self.assertEqual(structured.status, status)
        self.assertEqual(structured['Content-Type'], 'application/problem+json')
        problem = json.loads(structured.body)
        self.assertEqual(problem['status'], status)
        for member in ('title', 'detail', 'hint', 'request_id'):
            self.assertTrue(problem[member], member)
        self.assertEqual(problem['request_id'], structured['X-Request-Id'])
        page = upload(Accept='text/html')
        self.assertEqual((page.status, page['Content-Type']), (status, 'text/html; charset=utf-8'))
        for word in words:
            for said in (text.text, problem['title'] + problem['detail'], page.text):
                self.assertIn(word.lower(), said.lower())
        for said in (text.text, structured.text, page.text):
            self.assertNotIn(self.server.folder, said)
        return problem


class Files(BadInput):
    """Bytes that are no profile, or none that can be used."""

    def refuse(self, content, status, *words):
        problem = self.assert_problem(lambda **h: self.server.upload(content, **h), status, words)
        self.assert_problem(lambda **h: self.server.upload_form(('trace', 'x', content), **h), status, words)
        self.assert_nothing_stored()
        return problem

    def test_empty(self):
        self.refuse(b'', 400, 'empty file')

    def test_other_kinds_of_files(self):
        for content, looks_like in ((b'A letter.\n\nDear reader,\n', 'ASCII text'),
                                    (os.urandom(5000), 'none of the formats'), (b'\x00', 'none of the formats')):
            with self.subTest(looks_like):
                self.refuse(content, 415, 'unknown file format', looks_like)

    def test_a_large_wrong_file_is_told_why(self):
        """Its rest is taken and dropped: a client that is still sending would not see an answer."""
        wrong = os.urandom(1 << 16) * 20 * 16
        for send in (self.server.upload, lambda content: self.server.upload_form(('trace', 'app.apk', content)),
                     lambda content: self.server.request('PUT', '/app.apk', [content[:MIB]] * 20)):
            answer = send(wrong)
            self.assertEqual(answer.status, 415, answer)
        self.assert_nothing_stored()

    def test_large_file_of_another_kind(self):
        self.refuse(PNG + bytes(3 * MIB), 415, 'PNG image')

    def test_key_section_that_never_ends(self):
        self.refuse(one_thread_text().replace(b'*end\n', b''), 422)
        self.refuse(b'*version\n3\nclock=dual\n' + b'key=value\n' * 200_000, 422)

    def test_record_size(self):
        for size in (0, 1, 7):
            problem = self.refuse(one_thread_text() + binary_header(3, size) + bytes(200), 422)
            self.assertIn('offset', problem)

    def test_data_offset_outside(self):
        content = one_thread_text() + binary_header(3, 14, offset=60000) + bytes(140)
        self.refuse(content, 422, 'should begin at byte')

    def test_no_records(self):
        self.refuse(trace(records=0), 422)
        self.refuse(one_thread_text(), 422)
        self.refuse(one_thread_text()[:-1], 422)

    def test_binary_part_went_through_a_text_conversion(self):
        self.refuse(trace(records=6000).decode('utf-8', 'replace').encode(), 422)


class Damaged(BadInput):
    """Damaged, but something is left of it: a result with warnings."""

    def salvage(self, content, *codes):
        answer = self.server.upload(content, Accept='application/json')
        self.assertEqual(answer.status, 201, answer)
        result = json.loads(answer.body)
        self.assertEqual(set(codes) - {w['code'] for w in result['warnings']}, set(), result['warnings'])
        for warning in result['warnings']:
            self.assertGreater(warning['count'], 0)
            self.assertTrue(warning['text'])
        self.assertEqual(self.server.get('/p/%s/t/all.svg' % result['id']).status, 200)
        return result

    def test_ends_in_the_middle_of_a_record(self):
        for cut in (1, 7, 13):
            self.salvage(trace()[:-cut], 'cut-record')

    def test_time_goes_back(self):
        pack = struct.Struct('<HIII').pack
        content = one_thread_text() + binary_header(3, 14)
        content += b''.join(pack(1, 4 | (i & 1), 1000 - i, 1000 - i) for i in range(100))
        self.salvage(content, 'time-back')

    def test_many_threads(self):
        n = 65535
        pack = struct.Struct('<HIII').pack
        content = text_part(3, 'dual', [(t, 'Thread-%d' % t) for t in range(1, n + 1)], method_lines(4))
        content += binary_header(3, 14)
        content += b''.join(pack(t, 4, 0, 0) + pack(t, 5, t, t) for t in range(1, n + 1))
        answer = self.server.upload(content, Accept='application/json')
        self.assertEqual(answer.status, 201, answer.body[:500])
        self.assertEqual(len(json.loads(answer.body)['tracks']), n)
        identity = json.loads(answer.body)['id']
        for suffix in ('.html', '.txt', '/t/%d.svg' % n, '/t/merged.svg'):
            self.assertEqual(self.server.get('/p/' + identity + suffix).status, 200, suffix)

    def test_a_million_methods(self):
        n = amount(1_000_000, 100_000)
        content = one_thread_text(methods=method_lines(n)) + binary_header(3, 14)
        content += struct.pack('<HIII', 1, 4 * n - 4, 0, 0) + struct.pack('<HIII', 1, 4 * n - 3, 9, 9)
        answer = self.server.upload(content)
        self.assertEqual(answer.status, 201, answer)
        graph = self.server.get(answer['Location'][len(self.server.url):] + '/t/1.svg')
        self.assertEqual(graph.status, 200)
        self.assertIn('method%d' % (n - 1), graph.text)

    def test_method_name_of_a_megabyte(self):
        line = '0x4\tcom.example.A\t%s\t()V\tA.java' % ('m' * MIB)
        content = one_thread_text(methods=[line, *method_lines(1)]) + trace()[trace().index(b'SLOW'):]
        answer = self.server.upload(content, Accept='application/json')
        self.assertIn(answer.status, (201, 422), answer)
        if answer.status == 201:
            self.assertTrue(json.loads(answer.body)['warnings'])

    def test_deep_stack(self):
        n = amount(300_000, 30_000)
        pack = struct.Struct('<HIII').pack
        content = one_thread_text() + binary_header(3, 14)
        content += b''.join(pack(1, i % 4 * 4, i, i) for i in range(n))
        self.salvage(content, 'open-frames')


class Forms(BadInput):
    def refuse(self, kind, body, status, *words):
        self.assert_problem(lambda **h: self.server.upload(body, Content_Type=kind, **h), status, words)
        self.assert_nothing_stored()

    def test_boundary(self):
        _, body = form(('trace', 'x', trace()))
        for parameters in ('', '; boundary=', '; boundary=""', '; boundary=a; boundary=b', '; boundary',
                           '; boundary=' + 'a' * 71):
            with self.subTest(parameters):
                self.refuse('multipart/form-data' + parameters, body, 400, 'Content-Type')
        self.refuse('multipart/mixed; boundary=a', body, 400, 'multipart/form-data')

    def test_without_a_file(self):
        self.refuse(*form(), 400)
        self.refuse(*form(('name', None, b'x')), 400, 'no file')
        self.refuse(*form(('trace', '', b'')), 400, 'no file')

    def test_file_of_no_bytes(self):
        self.refuse(*form(('trace', 'x.trace', b'')), 400, 'empty file')

    def test_unknown_field(self):
        self.refuse(*form(('trac', None, b'@x.trace')), 400, 'unknown form field')
        self.assertIn('label.branch=main', self.server.upload_form(('branch', None, b'main')).text)

    def test_field_that_is_too_long(self):
        self.refuse(*form(('name', None, b'n' * 100_000), ('trace', 'x', trace())), 400, 'too long')

    def test_too_many_parts(self):
        self.refuse(*form(*[('name', None, b'n')] * 1000, ('trace', 'x', trace())), 400)

    def test_no_last_boundary(self):
        kind, body = form(('trace', 'x', trace()))
        for cut in (3, 4, 20, 40, 200):     # the line end behind the last boundary may be missing
            self.refuse(kind, body[:-cut], 400)

    def test_no_boundary_in_the_body(self):
        self.refuse(form()[0], b'x' * 100_000, 400)
        self.refuse(form()[0], b'', 400)

    def test_part_headers(self):
        for headers in (b'Content-Disposition: form-data', b'Content-Disposition: attachment; name="x"',
                        b'no colon',
                        b'', b'X: ' + b'a' * 100_000, b'Content-Disposition: form-data; name="a'):
            with self.subTest(headers[:40]):
                body = b'--b\r\n' + headers + b'\r\n\r\n' + trace() + b'\r\n--b--\r\n'
                self.refuse('multipart/form-data; boundary=b', body, 400)

    def test_boundary_like_bytes_in_the_file_are_the_files(self):
        content = trace() + b'\r\n--b\r\r\n--bb\r\n-- b--\r\n\r\n-'
        body = b'--bc\r\nContent-Disposition: form-data; name="t"; filename="x"\r\n\r\n'
        body += content + b'\r\n--bc--\r\n'
        answer = self.server.upload(body, Content_Type='multipart/form-data; boundary=bc')
        self.assertEqual(answer.status, 201, answer)
        path = answer['Location'][len(self.server.url):]
        self.assertEqual(self.server.get(path + '/raw').body, content)
        self.server.request('DELETE', path, X_Delete_Token=answer['X-Delete-URL'].rsplit('=', 1)[1])

    def assert_nothing_stored(self):
        self.assertEqual(self.server.files('uploads'), [])
        self.assertTrue(self.server.gets_rid_of('tmp'))


class Others(BadInput):
    def test_bad_parameters_of_a_status(self):
        path = '/p/%s/status.json?' % id_of(self.stored())
        for query in ('wait=x', 'wait=-1', 'made=x', 'wait=1&made='):
            self.assert_problem(lambda query=query, **h: self.server.get(path + query, **h), 400, ['seconds'])

    def test_a_form_that_is_too_large(self):
        path = '/p/%s/rename' % id_of(self.stored())
        self.assert_problem(lambda **h: self.server.request('POST', path, 'name=' + 'n' * 70000, **h), 413, ['65536'])

    def test_what_nobody_knows_is_named(self):
        answer = self.stored()
        path = '/p/' + id_of(answer)
        token = 'token=' + token_of(answer)
        urlencoded = 'application/x-www-form-urlencoded'
        for method, target, known in (('GET', path, 'palette'), ('GET', path + '/raw', 'none'), ('GET', path + '/events', 'none'),
                                      ('DELETE', path, 'none'), ('GET', path + '/delete', 'none'),
                                      ('GET', path + '/status.json', 'wait, made'), ('POST', path + '/rename', 'name, expires, app')):
            self.assert_problem(lambda **h: self.server.request(method, target + '?nmae=x', '' if method == 'POST' else None, **h),
                                400, ['nmae', known])
        for target, known in (('/rename', 'token, name, expires, app'), ('/delete', 'token')):
            kind, body = form(('token', None, token_of(answer).encode()), ('nmae', None, b'x'))
            self.assert_problem(lambda **h: self.server.request('POST', path + target, token + '&nmae=x',
                                                                Content_Type=urlencoded, **h), 400, ['nmae', known])
            self.assert_problem(lambda **h: self.server.request('POST', path + target, body, Content_Type=kind, **h),
                                400, ['nmae', known])
        kind, body = form(('nmae', None, b'x'), ('trace', 'a.trace', trace()))
        self.assert_problem(lambda **h: self.server.request('POST', '/', body, Content_Type=kind, **h), 400, ['nmae'])
        self.assertEqual(self.server.get(path + '?&&').status, 200)


class Limits(BadInput):
    """The deadline is 2 seconds, the largest upload has a megabyte."""
    CONFIG = {'max_upload_bytes': '1M', 'request_timeout_s': 2, 'header_timeout_s': 2}

    def assert_closed_by_deadline(self, send, sent_again=b''):
        with self.server.connect() as connection:
            start = time.monotonic()
            connection.sendall(send)
            connection.settimeout(0.2)
            try:
                while time.monotonic() < start + SOON_S:
                    try:
                        if connection.recv(4096) == b'':
                            break
                    except TimeoutError:
                        connection.sendall(sent_again)
            except (BrokenPipeError, ConnectionResetError):
                pass
            took = time.monotonic() - start
        self.assertGreaterEqual(took, 1, send)
        self.assertLess(took, SOON_S, send)     # without a deadline it would be a minute at least

    def test_length_is_refused_before_the_body(self):
        for accept in ('*/*', 'application/json', 'text/html'):
            for length in (MIB + 1, 10 ** 12, 2 ** 63 - 1):
                sent = head('POST', '/', 'Content-Length: %d' % length, 'Accept: ' + accept)
                answer = self.server.raw(sent)[0]
                self.assertEqual(answer.status, 413)
                self.assertIn('max_upload_bytes', answer.text)

    def test_expect_is_answered_with_the_refusal(self):
        sent = head('POST', '/', 'Content-Length: %d' % (MIB + 1), 'Expect: 100-continue')
        with self.server.connect() as connection:
            connection.sendall(sent)
            self.assertTrue(connection.recv(100).startswith(b'HTTP/1.1 413 '))

    def test_largest_upload(self):
        content = large_trace(MIB - 20_000)
        content += bytes(MIB - len(content))
        self.assertEqual(self.server.upload(content).status, 201)
        self.assertEqual(self.server.upload([content[:1000], content[1000:]]).status, 201)
        self.assertEqual(self.server.upload_form(('trace', 'x', content)).status, 201)
        for answer in (self.server.upload(content + b'x'), self.server.upload([content, b'x']),
                       self.server.upload_form(('trace', 'x', content + b'x'))):
            self.assertEqual(answer.status, 413)
            self.assertIn('max_upload_bytes', answer.text)

    def test_chunked_body_that_grows_over_the_limit(self):
        for size in (3 * MIB, 7 * MIB):
            pieces = [large_trace(MIB // 2)] + [bytes(65536)] * (size // 65536)
            self.assertEqual(self.server.upload(pieces).status, 413)
        self.assertTrue(self.server.gets_rid_of('tmp'))

    def assert_cut_off(self, *headers, begin=b''):
        with self.server.connect() as connection:
            connection.sendall(head('POST', '/', 'Transfer-Encoding: chunked', *headers))
            if begin:
                connection.sendall(b'%x\r\n%s\r\n' % (len(begin), begin))
            piece = b'10000\r\n' + bytes(65536) + b'\r\n'
            sent = 0
            try:
                while sent < 64 * MIB:
                    connection.sendall(piece)
                    sent += len(piece)
            except (BrokenPipeError, ConnectionResetError):
                pass
        self.assertLess(sent, 32 * MIB)

    def test_chunked_body_without_end_is_cut_off(self):
        self.assert_cut_off()

    def test_form_that_goes_on_behind_its_end_is_cut_off(self):
        kind, body = form(('trace', 'x', trace()))
        self.assertEqual(self.server.upload(body + bytes(8190), Content_Type=kind).status, 201)
        self.assertEqual(self.server.upload(body + bytes(8191), Content_Type=kind).status, 400)
        self.assert_cut_off('Content-Type: ' + kind, begin=body)

    def test_client_that_stops_sending(self):
        in_parallel(self.assert_closed_by_deadline,
                    (b'', b'POST / HT', head('POST', '/', 'Content-Length: 5000'),
                     head('POST', '/', 'Content-Length: 5000') + trace()[:1000],
                     head('POST', '/', 'Transfer-Encoding: chunked') + b'5\r\nabc'))

    def test_byte_by_byte(self):
        in_parallel(lambda pieces: self.assert_closed_by_deadline(*pieces),
                    ((b'GET / HTTP/1.1\r\nHost: x\r\nX: ', b'a'), (head('POST', '/', 'Content-Length: 100000'), b'*'),
                     (head('GET', '/', 'Content-Length: 100000'), b'*')))     # which nobody wants

    def test_a_connection_in_use_is_not_closed(self):
        """The time is that of one request, not of the connection."""
        with self.server.connect() as connection:
            for _ in range(8):
                connection.sendall(head('GET', '/healthz'))
                self.assertEqual(read_answers(connection)[0].status, 200)
                time.sleep(0.5)


class SmallLimits(BadInput):
    CONFIG = {'max_methods': 1000, 'max_threads': 100, 'job_memory_bytes': '2M', 'view_memory_bytes': '64K'}

    def refuse(self, content, *words):
        self.assert_problem(lambda **h: self.server.upload(content, **h), 413, words)
        self.assert_nothing_stored()

    def test_methods(self):
        content = one_thread_text(methods=method_lines(1001)) + trace()[trace().index(b'SLOW'):]
        self.refuse(content, 'limit of 1000')

    def test_threads(self):
        self.refuse(trace(threads=101, records=101 * 12), 'limit of 100')

    def test_memory_of_a_profile(self):
        pack = struct.Struct('<HIII').pack
        content = one_thread_text() + binary_header(3, 14)
        content += b''.join(pack(1, i % 4 * 4, i, i) for i in range(300_000))
        self.refuse(content, 'job_memory_bytes')

    def test_memory_of_a_view(self):
        pack = struct.Struct('<HIII').pack
        content = one_thread_text() + binary_header(3, 14)
        content += b''.join(pack(1, i % 4 * 4, i, i) for i in range(4000))
        answer = self.server.upload(content)
        self.assertEqual(answer.status, 201, answer)
        path = answer['Location'][len(self.server.url):]
        view = self.server.get(path + '/t/1.json')
        self.assertEqual(view.status, 413, view)
        self.assertIn('too large', view.text)
        self.assertEqual(self.server.get(path).status, 200)
        self.server.request('DELETE', path, X_Delete_Token=answer['X-Delete-URL'].rsplit('=', 1)[1])

    def assert_nothing_stored(self):
        self.assertEqual(self.server.files('uploads'), [])


class Disk(BadInput):
    """No file may become larger than this, as on a disk that is full."""

    def limited(self, size_bytes):
        _, hard = resource.prlimit(self.server.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.server.pid, resource.RLIMIT_FSIZE, (size_bytes, hard))
        self.addCleanup(resource.prlimit, self.server.pid, resource.RLIMIT_FSIZE, (hard, hard))

    def test_no_room_for_the_file(self):
        self.limited(300_000)
        content = large_trace(MIB)
        self.assert_problem(lambda **h: self.server.upload(content, **h), 507, ['disk full'])
        self.assert_problem(lambda **h: self.server.upload_form(('t', 'x', content), **h), 507, ['disk full'])
        self.assert_nothing_stored()

    def test_no_room_for_the_record(self):
        content = b'main;a 3\n'
        self.limited(100)
        self.assert_problem(lambda **h: self.server.upload(content, **h), 507, ['disk full'])
        self.assert_nothing_stored()

    def test_no_room_for_views(self):
        """They are made all the same, each time anew."""
        self.limited(2000)
        upload = self.stored(trace(records=96))
        path = upload['Location'][len(self.server.url):]
        for _ in range(2):
            self.assertEqual(self.server.get(path + '/t/1.svg').status, 200)
            self.assertEqual(self.server.get(path + '.json').status, 200)
        self.server.request('DELETE', path, X_Delete_Token=upload['X-Delete-URL'].rsplit('=', 1)[1])


if __name__ == '__main__':
    unittest.main()
