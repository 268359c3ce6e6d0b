"""A stand-in for an S3-compatible object store: one bucket in memory. It checks each signature by its own reading of AWS
signature version 4, and can be told to fail."""
import email.utils
import hashlib
import hmac
import http.server
import io
import os
import re
import shutil
import socket
import subprocess
import tarfile
import tempfile
import threading
import time
import urllib.parse
import zipfile
from xml.sax.saxutils import escape

ACCESS, SECRET, BUCKET, REGION = 'access-key', 'secret/key+with=signs', 'profiles', 'test-1'


def sign(secret, method, path, query, headers, signed, scope, moment, digest):
    canonical = '\n'.join([method, path, query, ''.join('%s:%s\n' % (name, ' '.join(headers[name].split())) for name in signed),
                           ';'.join(signed), digest])
    text = '\n'.join(['AWS4-HMAC-SHA256', moment, scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = ('AWS4' + secret).encode()
    for part in scope.split('/'):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *_):
        pass

    def answer(self, status, body=b'', cut=False, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace('_', '-'), value)
        self.send_header('Content-Length', headers.pop('length', len(body)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body[:len(body) // 2] if cut else body)
        if cut:
            self.close_connection = True

    def refuse(self, status, code):
        self.answer(status, ('<?xml version="1.0"?><Error><Code>%s</Code></Error>' % code).encode())

    def is_signed(self, path, query, body):
        headers = {name.lower(): value for name, value in self.headers.items()}
        match = re.fullmatch(r'AWS4-HMAC-SHA256 Credential=([^/]*)/(\S*), ?SignedHeaders=(\S*), ?Signature=(\w*)',
                             headers.get('authorization', ''))
        if match is None or match[1] != ACCESS:
            return False
        signed, digest = match[3].split(';'), headers.get('x-amz-content-sha256', '')
        if 'host' not in signed or 'x-amz-content-sha256' not in signed:
            return False
        return match[2].split('/')[1:] == [REGION, 's3', 'aws4_request'] and match[4] == sign(
            SECRET, self.command, path, query, headers, signed, match[2], headers['x-amz-date'], digest)

    def serve(self):
        store = self.server.store
        path, _, query = self.path.partition('?')
        body = self.rfile.read(int(self.headers.get('Content-Length', 0)))
        bucket, _, key = path.lstrip('/').partition('/')
        with store.lock:
            store.requests.append((self.command, key or '?' + query))
            fault = store.fault(self.command, key)
        if fault == 'hang':
            time.sleep(8)     # longer than a short request waits
            self.close_connection = True
            return
        if fault == 'drop':
            self.close_connection = True
            return
        if isinstance(fault, threading.Event):
            fault.wait(60)
        if isinstance(fault, str) and fault[0].isdigit():
            self.refuse(int(fault.split()[0]), fault.split()[1])
        elif not self.is_signed(path, query, body):
            self.refuse(403, 'SignatureDoesNotMatch')
        elif self.headers['x-amz-content-sha256'] != hashlib.sha256(body).hexdigest():
            self.refuse(400, 'XAmzContentSHA256Mismatch')
        elif bucket != BUCKET:
            self.refuse(404, 'NoSuchBucket')
        elif key == '':
            self.list(dict(urllib.parse.parse_qsl(query)), fault)
        elif query:
            with store.lock:
                self.part(store, key, body, dict(urllib.parse.parse_qsl(query, keep_blank_values=True)), fault)
        else:
            with store.lock:
                self.object(store, key, body, fault)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = serve

    def part(self, store, key, body, asked, fault):
        """Of an upload in parts: its beginning, a part, its end, or that there will be none."""
        if 'uploads' in asked:
            identity = '2~%d' % len(store.requests)
            store.parts[identity] = {}
            self.answer(200, b'<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>' % identity.encode())
            return
        parts = store.parts.get(asked['uploadId'])
        if parts is None:
            self.refuse(404, 'NoSuchUpload')
        elif self.command == 'PUT':
            etag = '"%s"' % hashlib.md5(body).hexdigest()
            parts[int(asked['partNumber'])] = etag, body
            self.answer(200, ETag=etag)
        elif self.command == 'DELETE':
            del store.parts[asked['uploadId']]
            self.answer(204)
        elif key in store.objects and self.headers.get('If-None-Match') == '*':
            self.refuse(412, 'PreconditionFailed')
        else:
            told = re.findall(r'<PartNumber>(\d+)</PartNumber><ETag>([^<]*)</ETag>', body.decode())
            if [(int(number), etag) for number, etag in told] != [(number, parts[number][0]) for number in sorted(parts)]:
                self.refuse(400, 'InvalidPart')
                return
            store.objects[key] = b''.join(parts[number][1] for number in sorted(parts))
            store.put_at[key] = time.time()
            del store.parts[asked['uploadId']]
            if fault == 'lost':
                self.close_connection = True
            else:
                self.answer(200, b'<CompleteMultipartUploadResult></CompleteMultipartUploadResult>')

    def object(self, store, key, body, fault):
        if fault == 'moved':
            store.objects[key + '1'] = store.objects.pop(key)
        elif callable(fault):
            fault()
        there = store.objects.get(key)
        if self.command == 'PUT':
            if there is not None and self.headers.get('If-None-Match') == '*' and store.creates:
                self.refuse(412, 'PreconditionFailed')
                return
            source = urllib.parse.unquote(self.headers.get('x-amz-copy-source', ''))
            if source:
                copied = store.objects.get(source.removeprefix('/%s/' % BUCKET))
                if copied is None:
                    self.refuse(404, 'NoSuchKey')
                    return
                store.objects[key] = copied
                trouble = b'<Error><Code>InternalError</Code></Error>'
                self.answer(200, trouble if fault == 'half' else b'<CopyObjectResult></CopyObjectResult>')
                return
            store.objects[key] = body
            store.put_at[key] = time.time()
            self.answer(200) if fault != 'lost' else setattr(self, 'close_connection', True)
        elif self.command == 'DELETE':
            store.objects.pop(key, None)
            self.answer(204)
        elif there is None:
            self.refuse(404, 'NoSuchKey')
        else:
            self.send_object(key, there, fault)

    def send_object(self, key, content, fault):
        etag = '"%s"' % hashlib.md5(content).hexdigest()
        ranged = re.fullmatch(r'bytes=(\d+)-', self.headers.get('Range', ''))
        first = None if fault == 'no ranges' else ranged
        is_cut = fault == 'cut' or (fault == 'no ranges' and not ranged)
        if fault == 'wrong':
            content = bytes([content[0] ^ 1]) + content[1:]
        if first:
            content = content[int(first[1]):]
        self.answer(206 if first else 200, content, is_cut,
                    Last_Modified=email.utils.formatdate(self.server.store.put_at.get(key, time.time()), usegmt=True),
                    **({'ETag': etag} if self.server.store.etags else {}))

    def list(self, asked, fault):
        store = self.server.store
        if fault == 'page':
            self.answer(200, b'<html>Welcome</html>')
            return
        prefix, token = asked.get('prefix', ''), asked.get('continuation-token', '')
        keys = sorted(key for key in store.objects if key.startswith(prefix) and 'from &' + key > token)
        page = keys[:store.page]
        def when(key):
            return time.strftime('%Y-%m-%dT%H:%M:%S.000Z', time.gmtime(store.put_at.get(key, time.time())))
        told = page + (store.strangers if prefix.endswith('uploads/') else [])
        rows = ''.join('<Contents><Key>%s</Key><LastModified>%s</LastModified><Size>%d</Size></Contents>'
                       % (escape(key), when(key), len(store.objects.get(key, b''))) for key in told)
        more = '<NextContinuationToken>%s</NextContinuationToken>' % escape('from &' + page[-1]) if len(keys) > len(page) else ''
        if fault == 'endless':
            more = '<NextContinuationToken>same</NextContinuationToken>'
        elif fault == 'no token':
            more = '<IsTruncated>true</IsTruncated>'
        self.answer(200, ('<?xml version="1.0"?><ListBucketResult>%s%s</ListBucketResult>' % (rows, more)).encode())


class ObjectStore:
    """`faults`: (method or "", beginning of the key, what happens, how often): "503 SlowDown" and the like, call a function,
    wait for an event, "drop" the connection, "hang" for
    eight seconds,
    "cut" an answer in its middle, have it "moved" to another key just then, send the "whole" object though a part was asked for, send "wrong" bytes, take an object but let the answer be
    "lost", say "half" way through a copy that it failed, answer a list with a web "page", with the same token each time, which makes it "endless", or with "no token" though
    more follows. `strangers`: keys that the list of uploads has although nobody asked for them."""
    def __init__(self):
        self.objects, self.requests, self.faults, self.put_at, self.parts = {}, [], [], {}, {}
        self.page, self.creates, self.etags, self.strangers = 1000, True, True, []
        self.lock = threading.Lock()
        self.http = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.http.daemon_threads = True
        self.http.store = self
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.05,))
        self.thread.start()

    @property
    def url(self):
        return 'http://127.0.0.1:%d' % self.http.server_port

    def fault(self, method, key):
        for i, (of, begins, what, times) in enumerate(self.faults):
            if of in ('', method) and key.startswith(begins) and times > 0:
                self.faults[i] = (of, begins, what, times - 1)
                return what
        return None

    def end(self):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()


def zip_of(files):
    """A zip archive of these: name -> content."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, 'w', zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def tar_of(files):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode='w') as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def free_ports():
    """The first of a hundred that are probably free, for daemons that want numbers."""
    with socket.create_server(('127.0.0.1', 0)) as probe:
        return min(probe.getsockname()[1], 65000)


def ceph(test, **larger):
    """Starts a real object store until the test ends, where its packages and the script that starts it are: what it tells of
    itself, S3_ENDPOINT, S3_BUCKET and the keys, with all `endpoints`, and `run` for the script's other commands. Else skips
    the test. `larger`: other variables of the script."""
    script = os.path.join(os.environ.get('AFLAMED_SAMPLES', ''), 'engines', 'ceph-ci.sh')
    if not os.path.exists(script) or shutil.which('radosgw') is None:
        test.skipTest('needs radosgw, ceph-mon, ceph-osd, and AFLAMED_SAMPLES/engines')
    folder = tempfile.mkdtemp(prefix='aflamed-ceph-')
    test.addCleanup(shutil.rmtree, folder, ignore_errors=True)
    place = os.path.join(folder, 'ceph')
    environment = {**os.environ, 'D': place, 'MONS': '1', 'OSDS': '1', 'RGWS': '1', 'MGR': '0', 'STORE': 'memstore',
                   'PORT': str(free_ports()), **larger}

    def run(*what):
        return subprocess.run(['bash', script, *what], env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=300)
    test.addCleanup(run, 'stop')
    done = run('start')
    test.assertEqual(done.returncode, 0, done.stdout + done.stderr)
    with open(os.path.join(place, 'env')) as f:
        told = dict(line.rstrip('\n').split('=', 1) for line in f if '=' in line)
    first = int(told['S3_ENDPOINT'].rsplit(':', 1)[1])
    told['endpoints'] = ['http://127.0.0.1:%d' % (first + i) for i in range(int(environment['RGWS']))]
    told['run'] = run
    return told
