"""A receiving server on bare sockets: honest, unless told how to answer instead."""
import json, socket, threading

from .orders import Orders

TOKEN = "chaos-token-never-to-be-logged"
# Of a uuid: RFC 9562 version 8, as Sources/TrackerWire/UUIDv8.swift lays it out.
SEQUENCE = (1 << 62) - 1


def identity(uuid):
    """(queue id, sequence)"""
    number = int(uuid.replace("-", ""), 16)
    high = number >> 64
    return (high >> 16) << 12 | high & 0xFFF, number & SEQUENCE


def answer(status, body=b"", kind="application/json", headers=()):
    if isinstance(body, str):
        body = body.encode()
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    if kind:
        lines.append(f"Content-Type: {kind}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


class Request:
    def __init__(self, client, head, rest):
        self.client, self.rest = client, rest
        lines = head.decode("latin1").split("\r\n")
        pairs = (line.split(":", 1) for line in lines[1:])
        self.headers = {name.strip().lower(): value.strip() for name, value in pairs}
        self.length = int(self.headers.get("content-length", 0))
        self.batch = self.headers.get("godwit-batch", "")
        self.device = self.headers.get("godwit-device", "")
        self.body = None

    def read(self):
        if self.body is None:
            while len(self.rest) < self.length:
                chunk = self.client.recv(65_536)
                if not chunk:
                    raise OSError("the body ends early")
                self.rest += chunk
            self.body, self.rest = self.rest[:self.length], self.rest[self.length:]
        return self.body

    def document(self):
        return json.loads(self.read())

    def records(self):
        document = self.document()
        return document.get("location", []) + document.get("geofence", [])

    def uuids(self):
        return [record["uuid"] for record in self.records()]


class Server:
    """Stores by (device, queue id, sequence). `behave` is None, or takes (request, server) and returns what is sent, or
    None to hang up."""

    def __init__(self):
        self.behave = None
        self.is_honest_by_range = False
        self.stored, self.conflicts, self.statuses, self.misbehaved = {}, [], [], 0
        # A control: acknowledges these without storing them.
        self.forgets = lambda sequence: False
        self.orders = Orders()
        # Whether another box has sent something else under this identity.
        self.of_twin = lambda uuid: False
        self.lock = threading.Lock()
        self.port, self.clients = None, []
        self.start()

    def start(self):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port or 0))
        listener.listen(32)
        self.port, self.listener = listener.getsockname()[1], listener
        threading.Thread(target=self.accept, args=(listener,), daemon=True).start()

    def close(self):
        for one in [self.listener, *self.clients]:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()
        self.clients = []

    def accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            self.clients.append(client)
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        client.settimeout(120)
        rest = b""
        try:
            while True:
                while b"\r\n\r\n" not in rest:
                    chunk = client.recv(65_536)
                    if not chunk:
                        return
                    rest += chunk
                head, rest = rest.split(b"\r\n\r\n", 1)
                request = Request(client, head, rest)
                reply = self.reply(request)
                if reply is None:
                    return
                client.sendall(reply)
                # Whoever was answered before the body: the rest of it is no request.
                if request.body is None:
                    request.read()
                rest = request.rest
        except (OSError, ValueError):
            pass
        finally:
            client.close()

    def reply(self, request):
        behave = self.behave
        if behave:
            self.misbehaved += 1
            return behave(request, self)
        return self.honest(request)

    def honest(self, request):
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            request.read()
            return answer("401 Unauthorized", '{"error":"token"}')
        uuids = self.store(request)
        # Over plain HTTP only a reply that names records counts.
        members = self.orders.members() if uuids else {}
        refused = [uuid for uuid in request.uuids() if uuid not in set(uuids)]
        if refused:
            members["refused"] = [{"uuid": uuid, "code": "identity_conflict", "reason": "taken"} for uuid in refused]
        if self.is_honest_by_range and uuids and not refused:
            return answer("200 OK", json.dumps({"ack": request.batch, **members}))
        return answer("200 OK", json.dumps({"ack": uuids, **members}))

    def store(self, request):
        document = request.document()
        with self.lock:
            if "status" in document:
                self.statuses.append(document["status"])
                self.orders.told(document["status"])
            for record in request.records():
                if not self.is_taken(request.device, record["uuid"]):
                    self.keep(request.device, record)
        return [uuid for uuid in request.uuids() if not self.is_taken(request.device, uuid)]

    def is_taken(self, device, uuid):
        """By another box; what this one had sent before stays its own."""
        return self.of_twin(uuid) and (device, *identity(uuid)) not in self.stored

    def keep(self, device, record):
        queue, sequence = identity(record["uuid"])
        if self.forgets(sequence):
            return
        before = self.stored.setdefault((device, queue, sequence), record)
        if before != record:
            self.conflicts.append((queue, sequence))
