"""Cases of a service that keeps its uploads in an object store, beside what the store itself takes: a real one, of one machine
with three copies of everything."""
import hashlib
import os
import re
import subprocess
import sys
import time
import unittest

import client
import programs
from programs import Aflamed, Sample

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'http'))
import object_store  # noqa: E402  pylint: disable=wrong-import-position
import support  # noqa: E402  pylint: disable=wrong-import-position

CONNECTIONS, SMALL_PUTS, WRK_SECONDS = 32, 1000, 2


class Store:
    """A context: the object store, and services on it."""

    def __enter__(self):
        self.test, self.count = unittest.TestCase(), 0
        self.told = object_store.ceph(self.test, MONS='1', OSDS='3', STORE='bluestore')
        os.environ.update({name: self.told[name] for name in ('AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY')})
        return self

    def __exit__(self, *_):
        self.test.doCleanups()

    def fresh(self):
        """A name for objects that nobody has used."""
        self.count += 1
        return '%s/run%d' % (self.told['S3_BUCKET'], self.count)

    def service(self, place, *flags):
        return Aflamed('s3://' + self.fresh(), '--cache', place.fresh(), '--s3-endpoints', self.told['S3_ENDPOINT'], *flags)

    def curl(self, file, name, *flags):
        """Puts the file, signed, to each of the names: seconds, with those of the digest that the signature is of."""
        began = time.perf_counter()
        with open(file, 'rb') as body:
            digest = hashlib.file_digest(body, 'sha256').hexdigest()
        said = subprocess.run(
            [programs.find('curl'), '-sS', '--fail', *flags, '--aws-sigv4', 'aws:amz:us-east-1:s3', '--user',
             '%(AWS_ACCESS_KEY_ID)s:%(AWS_SECRET_ACCESS_KEY)s' % self.told, '-H', 'x-amz-content-sha256: ' + digest, '-T', file,
             '%s/%s' % (self.told['S3_ENDPOINT'], name)], capture_output=True, text=True, timeout=client.TIMEOUT_S)
        took = time.perf_counter() - began
        if said.returncode != 0:
            raise client.Failed('curl: ' + said.stderr[-300:])
        return took


def uploads(store, place):
    def ours():
        with store.service(place) as service:
            os.sync()
            return Sample(client.put_at_once(service.port, place.trace, 1), service.peak_bytes())

    def raw():
        os.sync()
        return Sample(store.curl(place.trace, store.fresh()))
    return ours, {'curl, a signed PUT': raw}


def looks(store, place, per_request, *flags):
    """Of a picture that is there."""
    def path_of(service):
        answer = client.put(service.port, place.trace, headers='Accept: application/json\r\n').decode()
        return re.search(r'"svg":\s*"(?:https?://[^/"]*)?(/p/[^"]*)"', answer)[1]
    bucket, plain = store.service(place, *flags), Aflamed(place.fresh(), *flags)
    with bucket, plain:
        paths = path_of(bucket), path_of(plain)
        for service, path in zip((bucket, plain), paths):
            client.get(service.port, path)
        yield (lambda: Sample(per_request(bucket.port, paths[0], ()), bucket.peak_bytes()),
               {'directory': lambda: Sample(per_request(plain.port, paths[1], ()))})


def small(store, place):
    """Time for each of many small uploads, and of small objects."""
    trace, script = os.path.join(place.folder, 'small.trace'), os.path.join(place.folder, 'post.lua')
    with open(trace, 'wb') as file:
        file.write(support.trace())
    with open(script, 'w') as file:
        file.write('wrk.method = "POST"\nlocal f = io.open("%s", "rb")\nwrk.body = f:read("*a")\n' % trace)
    with store.service(place, '--max-waiting-per-address', '10000', '--open-jobs', str(CONNECTIONS)) as service:
        def ours():
            rate = programs.requests_per_second(service.port, '/', (), CONNECTIONS, WRK_SECONDS, script=script)
            return Sample(1 / rate, service.peak_bytes())

        def raw():
            flags = '-Z', '--parallel-immediate', '--parallel-max', str(CONNECTIONS), '-o', os.devnull
            return Sample(store.curl(trace, '%s/[1-%d]' % (store.fresh(), SMALL_PUTS), *flags) / SMALL_PUTS)
        yield ours, {'curl, signed PUTs': raw}


def bucket(place, row, per_request):
    """Rows, made by row(title, ours, yardsticks, note)."""
    with Store() as store:
        yield row('upload to a bucket', *uploads(store, place), 'Ceph on this machine with three copies; until it is durable and drawn')
        for title, flags in (('cached SVG of a bucket', ()), ('SVG on the disk, of a bucket', ('--views-in-memory-bytes', '0'))):
            for work in looks(store, place, per_request, *flags):
                yield row(title, *work, 'a request of %d connections that ask at once, by throughput (wrk)' % CONNECTIONS)
        for work in small(store, place):
            yield row('small uploads to a bucket', *work, 'of %d connections at once, time for each; each is two objects' % CONNECTIONS)
