"""The least of MQTT 3.1.1 that a device and a broker's double need: packets, over plain sockets."""
import socket, struct

CONNECT, CONNACK, PUBLISH, PUBACK, PINGREQ, DISCONNECT = 0x10, 0x20, 0x30, 0x40, 0xC0, 0xE0


def packet(first, body=b""):
    length, head = len(body), bytearray([first])
    while True:
        head.append(length & 0x7F | (0x80 if length > 0x7F else 0))
        length >>= 7
        if not length:
            return bytes(head) + body


def text(words):
    data = words.encode()
    return struct.pack(">H", len(data)) + data


def publish(topic, payload, number, is_again):
    return packet(PUBLISH | 2 | (8 if is_again else 0), text(topic) + struct.pack(">H", number) + payload)


def number_of(first, body):
    """The packet id of a PUBLISH with QoS 1; None with QoS 0."""
    if not first & 6:
        return None
    place = 2 + struct.unpack(">H", body[:2])[0]
    return struct.unpack(">H", body[place:place + 2])[0]


class Packets:
    """Whole packets out of bytes that come in pieces."""

    def __init__(self):
        self.bytes = b""

    def feed(self, more):
        self.bytes += more
        while len(self.bytes) >= 2:
            length, place = 0, 1
            while True:
                if place >= len(self.bytes):
                    return
                length |= (self.bytes[place] & 0x7F) << 7 * (place - 1)
                place += 1
                if self.bytes[place - 1] < 0x80:
                    break
            if len(self.bytes) < place + length:
                return
            first, body, whole = self.bytes[0], self.bytes[place:place + length], self.bytes[:place + length]
            self.bytes = self.bytes[place + length:]
            yield first, body, whole


class Connection:
    """Of a device that publishes."""

    def __init__(self, port, client):
        self.socket = socket.create_connection(("127.0.0.1", port), 5)
        self.packets = Packets()
        # Clean session, as the agent's.
        self.socket.sendall(packet(CONNECT, text("MQTT") + bytes([4, 2]) + struct.pack(">H", 60) + text(client)))
        answers = list(self.read(5))
        if not answers or answers[0][0] != CONNACK or answers[0][1][1]:
            raise ConnectionError(f"no CONNACK that lets {client} in")

    def read(self, timeout_s):
        """What comes within the time: packets, maybe none. Raises when the connection is gone."""
        self.socket.settimeout(timeout_s)
        try:
            data = self.socket.recv(65_536)
        except (TimeoutError, BlockingIOError):
            return []
        if not data:
            raise ConnectionError("the broker has hung up")
        return [(first, body) for first, body, _ in self.packets.feed(data)]

    def send(self, data):
        self.socket.settimeout(5)
        self.socket.sendall(data)

    def close(self):
        self.socket.close()
