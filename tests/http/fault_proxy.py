"""A proxy of TCP between a service and its object store that does what networks do: it is slow, cuts and breaks connections,
takes them and answers nothing, changes bytes. Each fault begins behind so many bytes of a connection."""
import socket
import struct
import threading

PIECE = 4096      # so little lies in buffers that a sender sees how slow it goes
TICK_S = 0.05
REFUSAL = (b'HTTP/1.1 503 Slow Down\r\nContent-Type: application/xml\r\nContent-Length: 57\r\nConnection: close\r\n\r\n'
           b'<Error><Code>SlowDown</Code><Message>..</Message></Error>')


class FaultProxy:
    """`set(fault, after)`: "pass"; "slow": 2 KB a second; "hole": nothing goes on until another fault is set; "reset" and "cut":
    the connection breaks, or is closed; "wrong": each byte is changed; "503": whoever asks is refused. `upwards`: what the
    service sends, else what it gets; None: both. What was connected before is closed when it is used again."""
    def __init__(self, port):
        self.port_behind, self.ended, self.faults = port, threading.Event(), 0
        self.set('pass')
        self.listening = socket.create_server(('127.0.0.1', 0))
        self.listening.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * PIECE)
        self.url = 'http://127.0.0.1:%d' % self.listening.getsockname()[1]
        self.threads, self.held = [], set()     # those that hold something in a hole
        self.start(self.accept)

    def set(self, fault, after=0, upwards=False):
        self.faults += fault != 'pass'
        self.fault = fault, after, upwards

    def start(self, work, *arguments):
        thread = threading.Thread(target=work, args=arguments)
        self.threads.append(thread)
        thread.start()

    def accept(self):
        self.listening.settimeout(TICK_S)
        while not self.ended.is_set():
            try:
                client = self.listening.accept()[0]
            except TimeoutError:
                continue
            if self.fault[0] == '503':
                self.start(self.refuse, client)
                continue
            behind = socket.create_connection(('127.0.0.1', self.port_behind))
            self.start(self.pump, client, behind, True, self.faults)
            self.start(self.pump, behind, client, False, self.faults)

    def refuse(self, client):
        client.settimeout(TICK_S)
        head = b''
        while b'\r\n\r\n' not in head and not self.ended.is_set():
            head += self.receive(client) or b''
        client.sendall(REFUSAL)
        client.close()

    def receive(self, connection):
        """None: nothing came yet."""
        try:
            return connection.recv(PIECE)
        except TimeoutError:
            return None

    def pump(self, one, other, upwards, faults):
        one.settimeout(TICK_S)
        passed = 0
        try:
            while not self.ended.is_set():
                piece = self.receive(one)
                if piece == b'' or (piece and faults < self.faults and self.fault[0] != 'pass'):
                    break
                if piece is not None and not self.pass_on(piece, other, passed, upwards):
                    self.reset(one), self.reset(other)
                    return
                passed += len(piece or b'')
        except OSError:
            pass
        for connection in (one, other):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        one.close()

    def pass_on(self, piece, other, passed, upwards):
        """False: the connection is to break."""
        while True:
            fault, after, direction = self.fault
            if direction not in (None, upwards) or passed + len(piece) <= after:
                fault = 'pass'
            if fault != 'hole':
                break
            self.held.add(threading.get_ident())
            if self.ended.wait(TICK_S):
                break
        if fault == 'reset':
            return False
        if fault == 'cut':
            other.sendall(piece[:max(0, after - passed)])
            raise OSError
        if fault == 'slow':
            self.ended.wait(len(piece) / 2048)
        if fault == 'wrong':
            kept = max(0, after - passed)
            piece = piece[:kept] + bytes(byte ^ 1 for byte in piece[kept:])
        other.sendall(piece)
        return True

    @staticmethod
    def reset(connection):
        try:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        except OSError:
            pass
        connection.close()

    def end(self):
        self.ended.set()
        for thread in list(self.threads):
            thread.join()
        self.listening.close()
