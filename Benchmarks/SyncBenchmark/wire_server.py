"""A server on loopback that takes every body and counts the bytes of each request as they cross its socket:
headers, bodies and TLS, both ways, without IP and TCP headers."""

import re
import socket
import ssl
import threading


class WireServer:
    """Answers 200 with the short acknowledgement of docs/sync.md. With `refuses_status` the first request of all
    gets 400: it carries the status, which the agent then leaves out.

    exchanges: for each request (records, bytes up, bytes down, whether it opened its connection).
    """

    def __init__(self, context=None, keeps=True, gzip=False, refuses_status=False):
        self.exchanges = []
        self.resumed = 0
        self._must_refuse = refuses_status
        self._context, self._keeps, self._gzip = context, keeps, gzip
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                self._serve(Counted(connection, self._context))
            except (OSError, EOFError):
                pass
            finally:
                connection.close()

    def _serve(self, stream):
        self.resumed += stream.is_resumed
        opens, up, down = True, 0, 0
        while True:
            head = stream.read_until(b"\r\n\r\n").decode("latin-1")
            fields = dict(re.findall(r"(?m)^([^:\r\n]+): *(.*?)\r?$", head.lower()))
            stream.read(int(fields.get("content-length", 0)))
            batch = fields["godwit-batch"]
            refuses, self._must_refuse = self._must_refuse, False
            ends = refuses or not self._keeps
            stream.write(self._reply(batch, refuses, ends))
            if not refuses:
                first, _, last = batch.partition("-")
                records = int(last) - int(first) + 1 if last else 0
                self.exchanges.append((records, stream.up - up, stream.down - down, opens))
            opens, up, down = False, stream.up, stream.down
            if ends:
                return

    def _reply(self, batch, refuses, ends):
        body = b"{}" if refuses else b'{"ack":"%s"}' % batch.encode()
        lines = ["HTTP/1.1 " + ("400 Bad Request" if refuses else "200 OK"), "Content-Type: application/json",
                 f"Content-Length: {len(body)}"]
        if self._gzip:
            lines.append("Accept-Encoding: gzip")
        if ends:
            lines.append("Connection: close")
        return "\r\n".join(lines + ["", ""]).encode() + body


class WireBroker(WireServer):
    """The same for a broker of MQTT 5 with a subscriber. The message that carries the status is too large."""

    def _serve(self, stream):
        self.resumed += stream.is_resumed
        opens, up, down = True, 0, 0
        while True:
            kind, length, shift = stream.read(1)[0], 0, 0
            while True:
                byte = stream.read(1)[0]
                length |= (byte & 0x7F) << shift
                shift += 7
                if byte < 0x80:
                    break
            body = stream.read(length)
            if kind == 0x10:
                stream.write(bytes([0x20, 3, 0, 0, 0]))
            if kind != 0x32:
                continue
            topic = int.from_bytes(body[:2], "big")
            identifier = body[2 + topic:4 + topic]
            refuses, self._must_refuse = self._must_refuse, False
            stream.write(bytes([0x40, 3]) + identifier + b"\x95" if refuses else bytes([0x40, 2]) + identifier)
            if not refuses:
                first, last = re.search(rb"Godwit-Batch..(\d+)-(\d+)", body, re.DOTALL).groups()
                self.exchanges.append((int(last) - int(first) + 1, stream.up - up, stream.down - down, opens))
            opens, up, down = False, stream.up, stream.down


class Counted:
    """A connection, with TLS if there is a context, whose raw bytes are counted."""

    def __init__(self, connection, context):
        self.up = self.down = 0
        self._connection, self._plain, self._tls = connection, b"", None
        self.is_resumed = False
        if context is not None:
            self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
            self._tls = context.wrap_bio(self._in, self._out, server_side=True)
            self._retry(self._tls.do_handshake)
            self.is_resumed = self._tls.session_reused

    def read_until(self, mark):
        while mark not in self._plain:
            self._more()
        head, self._plain = self._plain.split(mark, 1)
        return head + mark

    def read(self, count):
        while len(self._plain) < count:
            self._more()
        body, self._plain = self._plain[:count], self._plain[count:]
        return body

    def write(self, data):
        if self._tls is None:
            self._send(data)
        else:
            self._tls.write(data)
            self._send(self._out.read())

    def _more(self):
        data = self._receive() if self._tls is None else self._retry(lambda: self._tls.read(1 << 16))
        if not data:
            raise EOFError
        self._plain += data

    def _retry(self, work):
        while True:
            try:
                result = work()
                self._send(self._out.read())
                return result
            except ssl.SSLWantReadError:
                self._send(self._out.read())
                self._in.write(self._receive())

    def _receive(self):
        data = self._connection.recv(1 << 16)
        if not data:
            raise EOFError
        self.up += len(data)
        return data

    def _send(self, data):
        self._connection.sendall(data)
        self.down += len(data)
