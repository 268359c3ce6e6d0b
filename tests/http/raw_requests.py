"""Requests as no good client sends them, and some that look strange and are fine: bytes, and what they are answered.

Written out, so that each says what it sends; nothing here depends on a library's idea of HTTP. `/healthz` can be got,
and any name be put. Sources: RFC 9112 (messages), RFC 9110 (semantics), RFC 3986 (targets)."""
import collections

from support import trace

CONTENT = trace(records=12)
CLOSED = 0       # without an answer
LENGTH = 'Content-Length: %d' % len(CONTENT)
CHUNKED = 'Transfer-Encoding: chunked'
SMUGGLED = b'GET /version HTTP/1.1\r\nHost: x\r\n\r\n'     # must not be answered

# name, bytes, statuses of all answers in order; CLOSED: none
Case = collections.namedtuple('Case', 'name sent statuses')


def case(name, sent, *statuses):
    return Case(name, sent, [status for status in statuses if status != CLOSED])


def request(line, *fields, body=b''):
    """Bytes of a request with these header fields and no others."""
    return b''.join(part.encode('latin-1') + b'\r\n' for part in (line, *fields, '')) + body


def get(target='/healthz', *fields, method='GET', version='HTTP/1.1'):
    return request('%s %s %s' % (method, target, version), 'Host: x', *fields)


def put(*fields, body=CONTENT, version='HTTP/1.1'):
    return request('PUT /x.trace ' + version, 'Host: x', *fields, body=body)


def chunks(body):
    return put(CHUNKED, body=body)


def chunked(content=CONTENT, extension=b'', trailer=b''):
    return b'%x%s\r\n%s\r\n0\r\n%s\r\n' % (len(content), extension, content, trailer)


GOOD = request('GET /healthz HTTP/1.1', 'Host: x')

REQUEST_LINES = [
    case('plain', GOOD, 200),
    case('HTTP/1.0 without a host', request('GET /healthz HTTP/1.0'), 200),
    case('HTTP/1.0 with a host', request('GET /healthz HTTP/1.0', 'Host: x'), 200),
    case('HTTP/1.0 that stays', get('/healthz', 'Connection: keep-alive', version='HTTP/1.0'), 200),
    case('HTTP/0.9', b'GET /healthz\r\n', 400),
    case('HTTP/0.9 with headers', b'GET /healthz\r\nHost: x\r\n\r\n', 400),
    case('HTTP/1.2', get(version='HTTP/1.2'), 200),
    case('HTTP/1.10', get(version='HTTP/1.10'), 400),
    case('HTTP/01.1', get(version='HTTP/01.1'), 400),
    case('HTTP/2.0', get(version='HTTP/2.0'), 505),
    case('HTTP/3.7', get(version='HTTP/3.7'), 505),
    case('HTTP/9', get(version='HTTP/9'), 400),
    case('HTTP/1.', get(version='HTTP/1.'), 400),
    case('HTTP 1.1', get(version='HTTP 1.1'), 400),
    case('http/1.1', get(version='http/1.1'), 400),
    case('another protocol', get(version='ICAP/1.0'), 400),
    case('preface of HTTP/2', b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + bytes(9), 505),
    case('TLS', b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + bytes(200) + b'\r\n\r\n', CLOSED),
    case('SSH', b'SSH-2.0-OpenSSH_9.2\r\n', CLOSED),
    case('zero bytes', bytes(1000), CLOSED),
    case('line ends and nothing else', b'\r\n' * 100, CLOSED),
    case('one empty line before', b'\r\n' + GOOD, 200),
    case('a blank before the method', b' ' + GOOD, CLOSED),
    case('two blanks behind the method', b'GET  /healthz HTTP/1.1\r\nHost: x\r\n\r\n', 200),
    case('two blanks before the version', b'GET /healthz  HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    case('a blank behind the version', b'GET /healthz HTTP/1.1 \r\nHost: x\r\n\r\n', 400),
    case('tab for blank', b'GET\t/healthz\tHTTP/1.1\r\nHost: x\r\n\r\n', CLOSED),
    case('bare line end of the request line', b'GET /healthz HTTP/1.1\nHost: x\r\n\r\n', 200),
    case('carriage return within', b'GET /healthz\r HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    case('no target', b'GET HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    case('blanks for a target', b'GET   HTTP/1.1\r\nHost: x\r\n\r\n', 400),
    case('no method', b'/healthz HTTP/1.1\r\nHost: x\r\n\r\n', 400),
]

METHODS = [
    case('HEAD', get(method='HEAD'), 200),
    case('OPTIONS', get(method='OPTIONS'), 405),
    case('OPTIONS of all', get('*', method='OPTIONS'), 400),
    case('TRACE', get(method='TRACE'), 405),
    case('CONNECT', get('x:80', method='CONNECT'), 400),
    case('CONNECT to a path', get(method='CONNECT'), 405),
    case('PATCH', request('PATCH /healthz HTTP/1.1', 'Host: x', 'Content-Length: 2', body=b'{}'), 405),
    case('a method of nobody', get(method='BREW'), 405),
    case('a method in small letters', get(method='get'), 405),
    case('a method with a digit', get(method='GET2'), 405),
    case('a method with a quote', get(method='GE"T'), 405),
    case('a method with a zero byte', get(method='GE\0T'), 405),
    case('a method with a letter of Latin-1', get(method='G\xcbT'), 405),
    case('a method of a kilobyte', get(method='G' * 1000), 405),
    case('GET with a body', request('GET /healthz HTTP/1.1', 'Host: x', 'Content-Length: 5', body=b'hello'), 200),
    case('GET with chunks',
         request('GET /healthz HTTP/1.1', 'Host: x', CHUNKED, body=b'5\r\nhello\r\n0\r\n\r\n'), 200),
    case('HEAD with a body',
         request('HEAD /healthz HTTP/1.1', 'Host: x', 'Content-Length: 5', body=b'hello'), 200),
]

TARGETS = [
    case('absolute', get('http://x/healthz'), 200),
    case('absolute with another host', get('http://y/healthz'), 200),
    case('absolute with a port', get('http://x:8192/healthz'), 200),
    case('absolute without a path', get('http://x'), 200),
    case('absolute in capitals', get('HTTP://X/healthz'), 200),
    case('absolute with a user', get('http://a:b@x/healthz'), 400),
    case('absolute without a host', get('http:///healthz'), 400),
    case('absolute of another scheme', get('ftp://x/healthz'), 400),
    case('absolute of a file', get('file:///healthz'), 400),
    case('scheme without slashes', get('http:healthz'), 400),
    case('authority for GET', get('x:80'), 400),
    case('star for GET', get('*'), 400),
    case('relative', get('healthz'), 400),
    case('query alone', get('?a=b'), 400),
    case('backslash', get('\\healthz'), 400),
    case('backslash for a segment of two dots', get('/..\\healthz'), 404),
    case('two slashes', get('//healthz'), 404),
    case('slash at the end', get('/healthz/'), 404),
    case('fragment', get('/healthz#x'), 404),
    case('blank', get('/health z'), 400),
    case('blank, encoded', get('/health%20z'), 404),
    case('raw control character', get('/healthz\x01'), 400),
    case('raw tab', get('/healthz\t'), 400),
    case('raw DEL', get('/healthz\x7f'), 400),
    case('raw zero byte', get('/healthz\0'), 200),
    case('raw bytes of UTF-8', get('/\xc3\xbc'), 404),
    case('raw bytes that are not UTF-8', get('/\xff'), 404),
    case('zero byte', get('/%00'), 400),
    case('zero byte at the end', get('/healthz%00'), 400),
    case('zero byte in the query', get('/healthz?a=%00'), 400),
    case('line end', get('/%0d%0aX:y'), 400),
    case('line end in the query', get('/healthz?a=%0d%0aSet-Cookie:x'), 400),
    case('DEL, encoded', get('/%7f'), 400),
    case('overlong slash', get('/%c0%af'), 404),
    case('escape of Windows', get('/%u002e'), 400),
    case('escape that is none', get('/%zz'), 400),
    case('escape that is cut', get('/%2'), 400),
    case('escape that is cut in the query', get('/healthz?%'), 400),
    case('escape of an escape', get('/%252e%252e/'), 404),
    case('escaped letters', get('/%68ealthz'), 200),
    case('escaped slash', get('/%2fhealthz'), 404),
    case('escaped question mark', get('/healthz%3f'), 404),
    case('dot segments', get('/../etc/passwd'), 400),
    case('dot segments that stay inside', get('/a/../healthz'), 400),
    case('dot segment', get('/p/./x'), 400),
    case('dot segments, encoded', get('/%2e%2E/etc/passwd'), 400),
    case('dot segments, half encoded', get('/.%2e/etc/passwd'), 400),
    case('dot segments behind an encoded slash', get('/p/..%2fx'), 400),
    case('dot segment at the end', get('/p/..'), 400),
    case('dot segments of an absolute target', get('http://x/../healthz'), 400),
    case('dots with a parameter', get('/..;/healthz'), 404),
    case('three dots', get('/...'), 404),
    case('two dots in a word', get('/a..b'), 404),
    case('dots in the query', get('/healthz?/../x'), 200),
    case('any query', get('/healthz?%3f&&=&x=%C3%BC'), 200),
    case('two question marks', get('/healthz??'), 200),
    case('target of 4,000 bytes', get('/' + 'a' * 4000), 404),
    case('target of 300,000 bytes', get('/' + 'a' * 300_000), 414),
    case('query of 300,000 bytes', get('/healthz?' + 'a' * 300_000), 414),
    case('ten thousand parameters', get('/healthz?' + 'a=b&' * 10_000), 414),
]

HOSTS = [
    case('none', request('GET /healthz HTTP/1.1'), 400),
    case('none, with an absolute target', request('GET http://x/healthz HTTP/1.1'), 400),
    case('empty', request('GET /healthz HTTP/1.1', 'Host:'), 400),
    case('of blanks', request('GET /healthz HTTP/1.1', 'Host:   '), 400),
    case('twice', get('/healthz', 'Host: y'), 400),
    case('twice the same', get('/healthz', 'Host: x'), 400),
    case('twice, once in small letters', get('/healthz', 'host: y'), 400),
    case('two in one', request('GET /healthz HTTP/1.1', 'Host: x, y'), 400),
    case('with a path', request('GET /healthz HTTP/1.1', 'Host: x/y'), 400),
    case('with a user', request('GET /healthz HTTP/1.1', 'Host: a@x'), 400),
    case('with a blank', request('GET /healthz HTTP/1.1', 'Host: x y'), 400),
    case('with a quote', request('GET /healthz HTTP/1.1', 'Host: x"><script>'), 400),
    case('with a backslash', request('GET /healthz HTTP/1.1', 'Host: x\\y'), 400),
    case('with a zero byte', request('GET /healthz HTTP/1.1', 'Host: x\0y'), 200),
    case('of Latin-1', request('GET /healthz HTTP/1.1', 'Host: \xfc'), 400),
    case('of two dots', request('GET /healthz HTTP/1.1', 'Host: ..'), 400),
    case('with two dots within', request('GET /healthz HTTP/1.1', 'Host: a..b'), 400),
    case('with a port of letters', request('GET /healthz HTTP/1.1', 'Host: x:port'), 400),
    case('with two ports', request('GET /healthz HTTP/1.1', 'Host: x:1:2'), 400),
    case('with a port and no name', request('GET /healthz HTTP/1.1', 'Host: :80'), 400),
    case('with an open bracket', request('GET /healthz HTTP/1.1', 'Host: [::1'), 400),
    case('with a port', request('GET /healthz HTTP/1.1', 'Host: x:8192'), 200),
    case('with an empty port', request('GET /healthz HTTP/1.1', 'Host: x:'), 200),
    case('of IPv6 with a port', request('GET /healthz HTTP/1.1', 'Host: [::1]:8192'), 200),
    case('of 300 letters', request('GET /healthz HTTP/1.1', 'Host: ' + 'a' * 300), 400),
]

FIELDS = [
    case('in another case', request('GET /healthz HTTP/1.1', 'hOST: x'), 200),
    case('no blank behind the colon', request('GET /healthz HTTP/1.1', 'Host:x'), 200),
    case('blanks around a value', request('GET /healthz HTTP/1.1', 'Host: \t x \t '), 400),
    case('blank before the colon', request('GET /healthz HTTP/1.1', 'Host : x'), 400),
    case('tab before the colon', request('GET /healthz HTTP/1.1', 'Host\t: x'), 400),
    case('blank before the colon of another', get('/healthz', 'X : y'), 400),
    case('blank within a name', get('/healthz', 'X Y: z'), 400),
    case('no colon', get('/healthz', 'X'), 400),
    case('no name', get('/healthz', ': x'), 200),
    case('name with a quote', get('/healthz', 'X"Y: z'), 400),
    case('name with a slash', get('/healthz', 'X/Y: z'), 400),
    case('name with a zero byte', get('/healthz', 'X\0Y: z'), 400),
    case('name of Latin-1', get('/healthz', 'X\xfc: z'), 400),
    case('zero byte in a value', get('/healthz', 'X: a\0b'), 200),
    case('control character in a value', get('/healthz', 'X: a\x01b'), 400),
    case('DEL in a value', get('/healthz', 'X: a\x7fb'), 400),
    case('carriage return in a value', get('/healthz', 'X: a\rb'), 400),
    case('carriage return before a field', get('/healthz', '\rX: y'), 400),
    case('Latin-1 in a value', get('/healthz', 'X: \xfc'), 200),
    case('UTF-8 in a value', get('/healthz', 'X: \xc3\xbc'), 200),
    case('folded value', get('/healthz', 'X: a', ' b'), 200),
    case('folded value with a tab', get('/healthz', 'X: a', '\tb'), 200),
    case('folded first field', request('GET /healthz HTTP/1.1', ' Host: x'), 400),
    case('folded host', request('GET /healthz HTTP/1.1', 'Host:', ' x'), 400),
    case('folded coding', put('Transfer-Encoding:', ' chunked', body=chunked()), 400),
    case('bare line ends', b'GET /healthz HTTP/1.1\nHost: x\n\n', 200),
    case('one bare line end', b'GET /healthz HTTP/1.1\r\nHost: x\nX: y\r\n\r\n', 200),
    case('a field behind a bare carriage return', b'GET /healthz HTTP/1.1\r\nHost: x\rX: y\r\n\r\n', 400),
    case('a value of 8,000 bytes', get('/healthz', 'X: ' + 'a' * 8000), 200),
    case('a value of 300,000 bytes', get('/healthz', 'X: ' + 'a' * 300_000), 431),
    case('a name of 300,000 bytes', get('/healthz', 'X' * 300_000 + ': a'), 431),
    case('100 fields', get('/healthz', *['X: %d' % i for i in range(100)]), 200),
    case('20,000 fields', get('/healthz', *['X: abcdefgh'] * 20_000), 431),
    *[case('two of ' + field.split(':')[0], get('/healthz', field, field), 400)
      for field in ('Authorization: Basic YTpi', 'Content-Range: bytes 0-1/2', 'Content-Type: text/plain',
                    'If-Match: "a"', 'If-None-Match: "a"', 'If-Range: "a"', 'If-Modified-Since: x', 'If-Unmodified-Since: x',
                    'Range: bytes=0-1', 'X-Delete-Token: a')],
    case('the same field twice', get('/healthz', 'Accept: */*', 'Accept: text/html'), 200),
    case('a range of many parts', get('/healthz', 'Range: bytes=' + '0-0,' * 1000 + '0-0'), 200),
    case('a condition without end', get('/healthz', 'If-None-Match: ' + '"a", ' * 1000), 200),
    case('an encoding of nobody', get('/healthz', 'Accept-Encoding: ;;;,,,=q;q=q;q=9'), 200),
    case('an upgrade',
         get('/healthz', 'Connection: Upgrade', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'), 200),
    case('an upgrade to a socket', get('/healthz', 'Connection: Upgrade', 'Upgrade: websocket'), 200),
    case('a connection that names another field', get('/healthz', 'Connection: Host'), 200),
    case('a connection that is to end', get('/healthz', 'Connection: close') + GOOD, 200),
]

LENGTHS = [
    case('right', put(LENGTH), 201),
    case('with zeros before', put('Content-Length: 000%d' % len(CONTENT)), 201),
    case('with blanks around', put('Content-Length:  %d \t' % len(CONTENT)), 400),
    case('none', put(body=b''), 411),
    case('none, with HTTP/1.0', put(body=b'', version='HTTP/1.0'), 411),
    case('of HTTP/1.0', put(LENGTH, version='HTTP/1.0'), 201),
    case('twice the same', put(LENGTH, LENGTH), 400),
    case('twice, different', put(LENGTH, 'Content-Length: 5'), 400),
    case('twice, one of them 0', put('Content-Length: 0', LENGTH), 400),
    case('a list', put('Content-Length: %d, %d' % (len(CONTENT), len(CONTENT))), 400),
    case('empty', put('Content-Length:'), 400),
    case('no number', put('Content-Length: abc'), 400),
    case('letters behind the number', put('Content-Length: 5x'), 400),
    case('a fraction', put('Content-Length: 5.0'), 400),
    case('signed', put('Content-Length: +5'), 400),
    case('negative', put('Content-Length: -5'), 400),
    case('hexadecimal', put('Content-Length: 0x10'), 400),
    case('grouped', put('Content-Length: 1_000'), 400),
    case('in quotes', put('Content-Length: "5"'), 400),
    case('with a blank within', put('Content-Length: 1 0'), 400),
    case('with a zero byte', put('Content-Length: %d\0' % len(CONTENT)), 201),
    case('2^63', put('Content-Length: 9223372036854775808'), 413),
    case('2^64', put('Content-Length: 18446744073709551616'), 413),
    case('a hundred digits', put('Content-Length: ' + '9' * 100), 413),
    case('blank before the colon', put('Content-Length : %d' % len(CONTENT)), 400),
    case('underscore for hyphen', put('Content_Length: %d' % len(CONTENT), body=b''), 411),
]

CODINGS = [
    case('chunked', put(CHUNKED, body=chunked()), 201),
    case('in capitals', put('TRANSFER-ENCODING: CHUNKED', body=chunked()), 201),
    case('length, then chunked', put(LENGTH, CHUNKED), 400),
    case('chunked, then length', put(CHUNKED, LENGTH), 400),
    case('length 0, then chunked', put('Content-Length: 0', CHUNKED, body=chunked()), 400),
    case('chunked twice', put(CHUNKED, CHUNKED, body=chunked()), 400),
    case('chunked twice in one', put('Transfer-Encoding: chunked, chunked', body=chunked()), 501),
    case('gzip', put('Transfer-Encoding: gzip'), 501),
    case('gzip before chunked', put('Transfer-Encoding: gzip, chunked', body=chunked()), 501),
    case('chunked before gzip', put('Transfer-Encoding: chunked, gzip', body=chunked()), 501),
    case('identity', put('Transfer-Encoding: identity'), 501),
    case('identity, then chunked', put('Transfer-Encoding: identity', CHUNKED, body=chunked()), 501),
    case('identity, with a length', put('Transfer-Encoding: identity', LENGTH), 501),
    case('empty', put('Transfer-Encoding:', LENGTH), 501),
    case('a letter before', put('Transfer-Encoding: xchunked', LENGTH), 501),
    case('a letter behind', put('Transfer-Encoding: chunkedx', LENGTH), 501),
    case('a semicolon behind', put('Transfer-Encoding: chunked;', LENGTH), 501),
    case('a comma behind', put('Transfer-Encoding: chunked,', LENGTH), 501),
    case('in quotes', put('Transfer-Encoding: "chunked"', LENGTH), 501),
    case('a vertical tab before', put('Transfer-Encoding: \x0bchunked', LENGTH), 400),
    case('a zero byte behind', put('Transfer-Encoding: chunked\0', LENGTH), 400),
    case('a blank before the colon', put('Transfer-Encoding : chunked', LENGTH), 400),
    case('a blank before the name', put(' Transfer-Encoding: chunked', LENGTH), 400),
    case('underscore for hyphen', put('Transfer_Encoding: chunked', LENGTH), 201),
    case('a field of almost that name', put('X-Transfer-Encoding: chunked', LENGTH), 201),
    case('a field behind a bare carriage return', put('X: y\rTransfer-Encoding: chunked', LENGTH), 400),
    case('a field behind a bare line end', put('X: y\nTransfer-Encoding: chunked', LENGTH), 400),
    case('with HTTP/1.0', put(CHUNKED, body=chunked(), version='HTTP/1.0'), 400),
    case('TE', put('TE: chunked', LENGTH), 201),
]

CHUNKS = [
    case('many of a byte', chunks(b''.join(b'1\r\n%c\r\n' % c for c in CONTENT) + b'0\r\n\r\n'), 201),
    case('an extension', chunks(chunked(extension=b';x')), 201),
    case('an extension with a value', chunks(chunked(extension=b';x="a;b"')), 201),
    case('an extension of 20,000 bytes', chunks(chunked(extension=b';x=' + b'a' * 20_000)), 201),
    case('an extension with a line end in quotes', chunks(chunked(extension=b';x="\r\n"')), 400),
    case('an extension with a bare line end', chunks(chunked(extension=b';x\ny')), 400),
    case('a blank behind the size', chunks(chunked(extension=b' ')), 400),
    case('a trailer', chunks(chunked(trailer=b'X: y\r\n')), 201),
    case('a trailer that is a length', chunks(chunked(trailer=b'Content-Length: 5\r\n')), 201),
    case('a trailer without a colon', chunks(chunked(trailer=b'X\r\n')), 400),
    case('a trailer of 300,000 bytes', chunks(chunked(trailer=b'X: ' + b'a' * 300_000 + b'\r\n')), 431),
    case('zeros before the size', chunks(b'000' + chunked()), 201),
    case('size in capitals', chunks(b'%X\r\n%s\r\n0\r\n\r\n' % (len(CONTENT), CONTENT)), 201),
    case('no size', chunks(b'\r\nhello\r\n0\r\n\r\n'), 400),
    case('size that is no number', chunks(b'zz\r\nhello\r\n0\r\n\r\n'), 400),
    case('size with letters behind', chunks(b'5g\r\nhello\r\n0\r\n\r\n'), 400),
    case('size with 0x', chunks(b'0x5\r\nhello\r\n0\r\n\r\n'), 400),
    case('size with a blank before', chunks(b' 5\r\nhello\r\n0\r\n\r\n'), 400),
    case('signed size', chunks(b'+5\r\nhello\r\n0\r\n\r\n'), 400),
    case('negative size', chunks(b'-5\r\nhello\r\n0\r\n\r\n'), 400),
    case('size of 2^64', chunks(b'10000000000000000\r\nhello\r\n0\r\n\r\n'), 413),
    case('size of 2^64 and the right one', chunks(b'1000000000000%04x\r\n%s\r\n0\r\n\r\n' % (len(CONTENT), CONTENT)),
         413),
    case('size of 40 digits', chunks(b'f' * 40 + b'\r\nhello\r\n0\r\n\r\n'), 413),
    case('size of 300,000 zeros', chunks(b'0' * 300_000 + b'\r\n\r\n'), 500),
    case('longer than its size', chunks(b'2\r\nhello\r\n0\r\n\r\n'), 400),
    case('shorter than its size', chunks(b'9\r\nhello\r\n0\r\n\r\n'), 400),
    case('no line end behind', chunks(b'5\r\nhello0\r\n\r\n'), 400),
    case('bare line end behind the size', chunks(b'%x\n%s\r\n0\r\n\r\n' % (len(CONTENT), CONTENT)), 201),
    case('bare line end behind the bytes', chunks(b'%x\r\n%s\n0\r\n\r\n' % (len(CONTENT), CONTENT)), 201),
    case('bare carriage return behind the size', chunks(b'%x\r%s\r\n0\r\n\r\n' % (len(CONTENT), CONTENT)), 400),
    case('no last one', chunks(b'%x\r\n%s\r\n' % (len(CONTENT), CONTENT)), CLOSED),
    case('no empty line at the end', chunks(b'%x\r\n%s\r\n0\r\n' % (len(CONTENT), CONTENT)), CLOSED),
    case('a zero byte behind the size', chunks(b'5\0\r\nhello\r\n0\r\n\r\n'), 400),
]

# What a careless server takes for a second request.
SMUGGLING = [
    case('two lengths', put('Content-Length: 0', 'Content-Length: %d' % len(SMUGGLED), body=SMUGGLED), 400),
    case('two lengths, the second 0',
         put('Content-Length: %d' % len(SMUGGLED), 'Content-Length: 0', body=SMUGGLED), 400),
    case('length and chunked', put('Content-Length: 4', CHUNKED, body=b'0\r\n\r\n' + SMUGGLED), 400),
    case('chunked and length', put(CHUNKED, 'Content-Length: 4', body=b'0\r\n\r\n' + SMUGGLED), 400),
    case('disguised coding',
         put('Transfer-Encoding: xchunked', 'Content-Length: 5', body=b'0\r\n\r\n' + SMUGGLED), 501),
    case('disguised name', put('Transfer-Encoding : chunked', 'Content-Length: 5', body=b'0\r\n\r\n' + SMUGGLED), 400),
    case('coding on a folded line',
         put('Transfer-Encoding:', ' chunked', 'Content-Length: 5', body=b'0\r\n\r\n' + SMUGGLED), 400),
    case('coding that goes on on a folded line',
         put('Transfer-Encoding: gzip', ' chunked', 'Content-Length: 5', body=b'0\r\n\r\n' + SMUGGLED), 400),
    case('length on a folded line',
         put('Content-Length:', ' %d' % len(SMUGGLED), 'Content-Length: 0', body=SMUGGLED), 400),
    case('length that goes on on a folded line', put('Content-Length: 1', ' 0', body=SMUGGLED), 400),
    case('fields behind a folded line', put('X: a', ' Transfer-Encoding: chunked', LENGTH), 400),
    case('huge length', put('Content-Length: 99999999999', body=SMUGGLED), 413),
    case('overflowing chunk', chunks(b'ffffffffffffffff\r\n' + SMUGGLED), CLOSED),
    case('body of a GET', get('/healthz', 'Content-Length: %d' % len(SMUGGLED)) + SMUGGLED, 200),
    case('chunks of a GET', get('/healthz', CHUNKED) + b'%x\r\n%s\r\n0\r\n\r\n' % (len(SMUGGLED), SMUGGLED), 200),
    case('body of a 404', get('/nothing', 'Content-Length: %d' % len(SMUGGLED)) + SMUGGLED, 404),
    case('body of a 405', get('/healthz', 'Content-Length: %d' % len(SMUGGLED), method='POST') + SMUGGLED, 405),
    case('body of a HEAD', get('/healthz', 'Content-Length: %d' % len(SMUGGLED), method='HEAD') + SMUGGLED, 200),
    case('behind a bad request', get('/%zz') + SMUGGLED, 400),
    case('behind a request without a host', request('GET /healthz HTTP/1.1') + SMUGGLED, 400),
    case('behind a CONNECT', get('x:80', method='CONNECT') + SMUGGLED, 400),
]

EXPECTATIONS = [
    case('100-continue', put('Expect: 100-continue', LENGTH), 201),
    case('in capitals', put('Expect: 100-CONTINUE', LENGTH), 201),
    case('with chunks', put('Expect: 100-continue', CHUNKED, body=chunked()), 201),
    case('with HTTP/1.0', put('Expect: 100-continue', LENGTH, version='HTTP/1.0'), 201),
    case('of a GET', get('/healthz', 'Expect: 100-continue'), 200),
    case('of too much', put('Expect: 100-continue', 'Content-Length: 99999999999', body=b''), 413),
    case('of something else', put('Expect: 200-ok', LENGTH), 201),
    case('twice', put('Expect: 100-continue', 'Expect: 100-continue', LENGTH), 400),
    case('empty', put('Expect:', LENGTH), 201),
]

PIPELINED = [
    case('three', GOOD * 3, 200, 200, 200),
    case('three with a body between', GOOD + put(LENGTH) + GOOD, 200, 201, 200),
    case('three with chunks between', GOOD + put(CHUNKED, body=chunked()) + GOOD, 200, 201, 200),
    case('empty lines between', GOOD + b'\r\n' + GOOD, 200, 200),
    case('a bad one at the end', GOOD * 2 + get('/%zz'), 200, 200, 400),
    case('garbage at the end', GOOD + b'\x00\x01\x02\r\n\r\n', 200),
    case('a HEAD between', get(method='HEAD') + GOOD, 200, 200),
    case('close between', GOOD + get('/healthz', 'Connection: close') + GOOD, 200, 200),
    case('HTTP/1.0 between', GOOD + get(version='HTTP/1.0') + GOOD, 200, 200),
    case('two hundred', GOOD * 200, *[200] * 200),
]

THEMES = {
    'request lines': REQUEST_LINES, 'methods': METHODS, 'targets': TARGETS, 'hosts': HOSTS, 'header fields': FIELDS,
    'lengths': LENGTHS, 'transfer codings': CODINGS, 'chunks': CHUNKS, 'smuggling': SMUGGLING,
    'expectations': EXPECTATIONS, 'pipelined': PIPELINED,
}

# What is answered though nginx refuses it: the library hides it from who could refuse it. (theme, name) -> why that
# does no harm.
LAXER = {
    ('targets', 'raw zero byte'): 'the target ends there for all that read it, and no proxy sends such a line',
    ('hosts', 'with a zero byte'): 'the value ends there; what is before is vetted as a host',
    ('header fields', 'zero byte in a value'): 'the value ends there, and the field with its line',
    ('lengths', 'with a zero byte'): 'the number ends there, and no proxy sends such a line',
    ('header fields', 'no name'): 'the line is dropped: nobody can ask for a field without a name',
    ('header fields', 'folded value'): 'the line becomes a part of the name of a field that nobody asks for; '
                                       'vet.c knows the names that matter',
    ('header fields', 'folded value with a tab'): 'the same',
}
