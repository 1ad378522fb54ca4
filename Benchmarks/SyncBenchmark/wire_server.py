"""A server on loopback that takes every body and counts the bytes of each request as they cross its socket:
headers, bodies and TLS, both ways, without IP and TCP headers."""

import gzip
import json
import re
import socket
import ssl
import threading


def records(body):
    """How many records a body of any format carries."""
    if body[:2] == b"\x1f\x8b":
        body = gzip.decompress(body)
    if body[:1] == b"{":
        parts = json.loads(body)
        if "_type" in parts or "device_id" in parts:
            return 1
        return len(parts.get("location", [])) + len(parts.get("geofence", []))
    # compact ends with their number, field 36.
    rest = iter(body[body.rindex(b"\xa0\x02") + 2:])
    return varint(lambda: next(rest))


def varint(read):
    value = shift = 0
    while True:
        byte = read()
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value


class WireServer:
    """Answers 200 with the short acknowledgement of docs/sync.md.

    exchanges: for each request (records, bytes up, bytes down).
    openings: for each connection (bytes up, bytes down) before its first request.
    """

    def __init__(self, context=None, keeps=True, gzip=False):
        self.exchanges = []
        self.openings = []
        self.resumed = 0
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
        up, down = stream.up, stream.down
        self.openings.append((up, down))
        while True:
            head = stream.read_until(b"\r\n\r\n").decode("latin-1")
            fields = dict(re.findall(r"(?m)^([^:\r\n]+): *(.*?)\r?$", head.lower()))
            body = stream.read(int(fields.get("content-length", 0)))
            batch = fields["godwit-batch"]
            stream.write(self._reply(batch))
            self.exchanges.append((records(body), stream.up - up, stream.down - down))
            up, down = stream.up, stream.down
            if not self._keeps:
                return

    def _reply(self, batch):
        body = b'{"ack":"%s"}' % batch.encode()
        lines = ["HTTP/1.1 200 OK", "Content-Type: application/json", f"Content-Length: {len(body)}"]
        if self._gzip:
            lines.append("Accept-Encoding: gzip")
        if not self._keeps:
            lines.append("Connection: close")
        return "\r\n".join(lines + ["", ""]).encode() + body


class WireBroker(WireServer):
    """The same for a broker of MQTT 5 with a subscriber."""

    def _serve(self, stream):
        self.resumed += stream.is_resumed
        up = down = 0
        while True:
            kind = stream.read(1)[0]
            packet = stream.read(varint(lambda: stream.read(1)[0]))
            if kind == 0x10:
                stream.write(bytes([0x20, 3, 0, 0, 0]))
                up, down = stream.up, stream.down
                self.openings.append((up, down))
            if kind != 0x32:
                continue
            topic = int.from_bytes(packet[:2], "big")
            identifier, rest = packet[2 + topic:4 + topic], iter(packet[4 + topic:])
            properties = varint(lambda: next(rest))
            stream.write(bytes([0x40, 2]) + identifier)
            self.exchanges.append((records(bytes(rest)[properties:]), stream.up - up, stream.down - down))
            up, down = stream.up, stream.down


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
