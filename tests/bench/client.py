"""The client of all HTTP measurements: as little work as possible, the same for aflamed and for nginx. Bodies go
from the page cache to the socket without passing through this program, and threads wait side by side."""
import os
import re
import socket
import ssl
import threading
import time

TIMEOUT_S = 900
SALT_MAX = 4096     # the salted line stands within so many bytes


class Failed(Exception):
    """Somebody did not do what was asked; the text says who and what."""


def free_port():
    with socket.create_server(('127.0.0.1', 0)) as listening:
        return listening.getsockname()[1]


def exchange(port, head, body=(), opened=None):
    """(status, headers as text, body) of one request on a connection of its own; `body` is bytes, then what
    sendfile takes: a file and where to begin in it."""
    with opened or socket.create_connection(('127.0.0.1', port), TIMEOUT_S) as connection:
        connection.sendall(head.encode() + b'Host: 127.0.0.1\r\nConnection: close\r\n\r\n' + b''.join(body[:1]))
        if body:
            connection.sendfile(*body[1:])
        answer = bytearray()
        while piece := connection.recv(1 << 18):
            answer += piece
    top, _, rest = bytes(answer).partition(b'\r\n\r\n')
    if not top.startswith(b'HTTP/1.1 '):
        raise Failed('no answer from port %d' % port)
    return int(top.split(b' ', 2)[1]), top.decode('latin-1'), rest


def get(port, path, headers=''):
    """(headers as text, body); all but 200 has failed."""
    status, top, body = exchange(port, 'GET %s HTTP/1.1\r\n%s' % (path, headers))
    if status != 200:
        raise Failed('GET %s: %d' % (path, status))
    return top, body


def salted(trace, number):
    """What `exchange` sends: the trace with other bytes and the same meaning, so that no content comes twice."""
    file = open(trace, 'rb')
    beginning = file.read(SALT_MAX)
    changed = re.sub(rb'\npid=\d+\n', b'\npid=%d\n' % (20000 + number), beginning, count=1)
    return changed, file, len(beginning)


def put(port, trace, number=0, headers=''):
    """The answer's body, of an upload that was stored."""
    body = salted(trace, number)
    with body[1]:
        length = len(body[0]) + os.path.getsize(trace) - body[2]
        head = 'PUT /%d.trace HTTP/1.1\r\nContent-Length: %d\r\n%s' % (number, length, headers)
        status, _, answer = exchange(port, head, body)
    if status not in (201, 204):
        raise Failed('upload: %d %s' % (status, answer[:200].decode(errors='replace')))
    return answer


def put_at_once(port, trace, count):
    """Seconds until the last of so many uploads, each of other bytes, is answered."""
    complaints, start = [], threading.Barrier(count + 1)

    def one(number):
        start.wait()
        try:
            put(port, trace, number)
        except (OSError, Failed) as error:
            complaints.append(error)
    threads = [threading.Thread(target=one, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    start.wait()
    began = time.perf_counter()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - began
    if complaints:
        raise Failed('%d of %d uploads: %s' % (len(complaints), count, complaints[0]))
    return took


def first_answer(port, path, since, process, tls=False):
    """Seconds from `since` to the end of the first answer of a server that is just being started."""
    while True:
        if process.poll() is not None:
            raise Failed('the server ended with %d' % process.returncode)
        try:
            opened = socket.create_connection(('127.0.0.1', port), TIMEOUT_S)
            break
        except ConnectionRefusedError:
            if time.perf_counter() - since > 30:
                raise Failed('nobody answers on port %d' % port) from None
            time.sleep(0.0002)
    if tls:
        opened = ssl._create_unverified_context().wrap_socket(opened)     # pylint: disable=protected-access
    status, _, _ = exchange(port, 'GET %s HTTP/1.1\r\n' % path, opened=opened)
    if status != 200:
        raise Failed('GET %s: %d' % (path, status))
    return time.perf_counter() - since
