#!/usr/bin/env python3
"""How many requests each thing costs that a service asks of its object store, and what a day of them costs: counted by a
stand-in for the store, of real services. Prints the table of docs/operations.md.

Environment: AFLAMED (the program)."""
import collections
import os
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'http'))
import object_store  # noqa: E402
import support  # noqa: E402
from support import Server, eventually, heavy_trace, id_of, token_of, trace  # noqa: E402

# List prices of Amazon S3 Standard, us-east-1, in dollars for each request and for each GB and month.
PUT_PRICE, GET_PRICE, GB_PRICE = 0.005 / 1000, 0.0004 / 1000, 0.023
MACHINES, KEPT, MB = 50, 1_000_000, 100        # of the day that is computed, and the size of an upload
SWEPT, PAGE, OTHER_LISTS = 40, 10, 4           # uploads and bytes are listed in pages; tombstones, names (twice), spaces
LINE = b'main;first;second 5\n'    # of what an upload of that size is made of
UPLOADS, LOOKS, CHANGES = KEPT // 30, 10, 0.2  # a day; of each upload: looks that find no fresh record, and changes


class Counter:
    """Requests of each kind since the last look: lists and the ends of uploads in parts cost as much as puts, deletes nothing."""
    def __init__(self, bucket):
        self.bucket, self.seen = bucket, 0

    def since(self):
        time.sleep(0.3)
        new, self.seen = self.bucket.requests[self.seen:], len(self.bucket.requests)
        kinds = collections.Counter('LIST' if key.startswith('?') else method for method, key in new)
        return kinds['PUT'] + kinds['POST'], kinds['LIST'], kinds['GET'] + kinds['HEAD'], kinds['DELETE']


def upload_slowly(server, content):
    """As a network does, which a service may be ahead of."""
    with server.connect() as connection:
        connection.sendall(support.head('PUT', '/large.txt', 'Content-Length: %d' % len(content)))
        time.sleep(3)
        connection.sendall(content)
        return support.read_answers(connection, ('PUT',))[0]


def measure():
    folder, bucket = tempfile.mkdtemp(prefix='aflamed-requests-'), object_store.ObjectStore()
    keys = os.path.join(folder, 'keys')
    with open(keys, 'w') as f:
        f.write('%s\n%s\n' % (object_store.ACCESS, object_store.SECRET))
    config = {'s3_endpoints': bucket.url, 's3_region': object_store.REGION, 's3_keys_file': keys, 'log_level': 'debug'}
    a, b = [Server(store='s3://%s/team' % object_store.BUCKET, cache=os.path.join(folder, name), **config) for name in 'ab']
    rows, count = [], Counter(bucket)

    def row(what, times_a_day):
        rows.append((what, times_a_day, count.since()))
    eventually(lambda: 'swept' in a.log() and 'swept' in b.log())
    count.since()
    large = upload_slowly(a, LINE * (MB * 1_000_000 // len(LINE)))
    row('an upload of %d MB' % MB, UPLOADS)
    a.request('DELETE', '/p/' + id_of(large), X_Delete_Token=token_of(large))
    count.since()
    answer = a.upload(trace())
    path = '/p/' + id_of(answer)
    small = 'an upload of less than 16 MiB', UPLOADS, count.since()
    time.sleep(1.1)
    count.since()
    a.get(path + '/t/all.svg')
    row('a look, on the machine that has it', UPLOADS * LOOKS * 0.9)
    b.get(path + '/t/all.svg')
    row('the first look on another machine', UPLOADS * LOOKS * 0.1)
    a.request('POST', path + '/rename', 'token=%s&name=other' % token_of(answer))
    row('a change', UPLOADS * CHANGES)
    for i in range(1, SWEPT):
        a.upload(trace(salt=i))
    a.stop()
    count.since()
    bucket.page = PAGE
    a.config['sweep_interval_s'] = 2
    a.start()
    eventually(lambda: a.log().count('swept') >= 3)
    count.since()
    swept = a.log().count('swept')
    eventually(lambda: a.log().count('swept') > swept)
    swept = count.since()
    revisions = SWEPT + 1    # one of them was changed
    if swept != (0, -(-revisions // PAGE) + SWEPT // PAGE + OTHER_LISTS, 0, 0):
        sys.exit('a sweep of %d uploads, with pages of %d, took %r requests' % (SWEPT, PAGE, swept))
    a.stop()
    bucket.page = 1000
    a.config['sweep_interval_s'] = 3600
    a.start()
    eventually(lambda: a.log().count('swept') > 3)
    count.since()
    a.request('DELETE', path, X_Delete_Token=token_of(answer))
    row('a deletion, or an expiry', UPLOADS)
    plain = len(rows)
    for server in (a, b):
        server.stop()
        server.config['share_views'] = 'true'
        server.start()
    eventually(lambda: all('swept' in server.log().rsplit('listening', 1)[1] for server in (a, b)))
    count.since()
    path = '/p/' + id_of(a.upload(heavy_trace(salt=SWEPT)))
    a.get(path + '/verdict.json')
    row('an upload and its sentences, with `share_views`', UPLOADS)
    for page in path, path + '/verdict.json':
        b.get(page, Accept='text/html')
    row('the first look at both on another machine', UPLOADS * LOOKS * 0.1)
    for server in (a, b):
        server.stop()
        server.clean()
    bucket.end()
    shutil.rmtree(folder, ignore_errors=True)
    return rows[:plain], [small, *rows[plain:]]


def main():
    rows, shared = measure()
    print('| what | puts | lists | gets | deletes | times a day | dollars a day |')
    print('|---|---|---|---|---|---|---|')

    def told(rows):
        """What they cost in a day."""
        costs = [times * ((puts + listed) * PUT_PRICE + gets * GET_PRICE) for _, times, (puts, listed, gets, _) in rows]
        for (what, times, counts), cost in zip(rows, costs):
            print('| %s | %d | %d | %d | %d | %s | %s |' % (what, *counts, '{:,.0f}'.format(times), '%.2f' % cost))
        return sum(costs)
    day = told(rows)
    sweeps = MACHINES * 24
    lists = 2 * KEPT // 1000 + OTHER_LISTS
    cost = sweeps * lists * PUT_PRICE
    day += cost
    print('| a sweep, of each machine in each hour | 0 | %d | 0 | 0 | %s | %.2f |' % (lists, '{:,}'.format(sweeps), cost))
    told(shared)     # in place of others
    print()
    print('%s uploads of %d MB (%.0f TB), %s a day, %d machines: %.2f dollars a day for requests, %s for what is kept.'
          % ('{:,}'.format(KEPT), MB, KEPT * MB / 1e6, '{:,}'.format(UPLOADS), MACHINES, day,
             '{:,.0f}'.format(KEPT * MB / 1e3 * GB_PRICE / 30)))


if __name__ == '__main__':
    main()
