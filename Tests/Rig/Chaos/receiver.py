"""The vehicle's drive, and a gpsd of our own that tells of it and lies when told to."""
import datetime, json, math, select, socket, threading, time

# Nowhere else in any text: what looks like it in a journal is a coordinate.
LATITUDE, LONGITUDE = -33.86152, 151.21037
COORDINATE = r"33\.8\d{3}|151\.[12]\d{3}"
METRES_PER_DEGREE = 111_195.0
SPEED_MPS = 15.0
LEG_S = 8.0


def place(driven_s):
    """Stairs to north-east, so that no straight line replaces them: (latitude, longitude, course)."""
    legs, rest = divmod(driven_s, LEG_S)
    is_north = legs % 2 == 1
    east_s = (legs + 1) // 2 * LEG_S + (0 if is_north else rest)
    north_s = legs // 2 * LEG_S + (rest if is_north else 0)
    return moved(LATITUDE, LONGITUDE, SPEED_MPS * north_s, SPEED_MPS * east_s) + (0.0 if is_north else 90.0,)


def moved(latitude, longitude, north_m, east_m):
    return (
        latitude + north_m / METRES_PER_DEGREE,
        longitude + east_m / (METRES_PER_DEGREE * math.cos(math.radians(LATITUDE))))


def utc(seconds):
    when = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return when.strftime("%Y-%m-%dT%H:%M:%S.") + f"{when.microsecond // 1000:03d}Z"


class Receiver:
    """What every receiver has: a drive, a power line, and the fixes that it told somebody who listens.

    `spoil` is None or takes a good report and gives what is told instead: a report, bytes, or None for nothing.
    """

    def __init__(self, hz, power):
        self.hz, self.power = hz, power
        self.spoil = None
        self.port = None
        # (seconds on the monotonic clock, time stamp as in a record); good ones alone.
        self.sent = []
        self.begun = time.monotonic()
        self.ends = False

    def is_powered(self):
        try:
            with open(self.power) as file:
                return file.read(1) == "1"
        except OSError:
            return False

    def report(self):
        latitude, longitude, course = place(time.monotonic() - self.begun)
        return {
            "class": "TPV", "device": "/dev/chaos", "mode": 3, "time": utc(time.time()), "lat": round(latitude, 8),
            "lon": round(longitude, 8), "altMSL": 43.0, "eph": 6.0, "epv": 8.0, "speed": SPEED_MPS, "track": course}


class JSONReceiver(Receiver):
    """Speaks gpsd's protocol itself."""

    def __init__(self, hz, power, folder):
        super().__init__(hz, power)
        self.clients = []
        self.is_mute = False
        self.start()

    def start(self):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port or 0))
        listener.listen(8)
        self.port, self.listener = listener.getsockname()[1], listener
        threading.Thread(target=self.accept, args=(listener,), daemon=True).start()

    def kill(self):
        # Wakes accept(2), which a close alone does not.
        for one in [self.listener, *self.clients]:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()
        self.clients = []

    def close(self):
        self.ends = True
        self.kill()

    def pause(self):
        self.is_mute = True

    def resume(self):
        self.is_mute = False

    def accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            self.clients.append(client)
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            client.sendall(b'{"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}\r\n')
            received = b""
            while b"WATCH" not in received:
                chunk = client.recv(4096)
                if not chunk:
                    return
                received += chunk
            client.sendall(b'{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/chaos"}]}\r\n')
            self.tell(client)
        except (OSError, ValueError):
            pass
        finally:
            client.close()

    def tell(self, client):
        due = time.monotonic()
        while not self.ends:
            if select.select([client], [], [], 0)[0] and not client.recv(4096):
                return
            if self.is_powered() and not self.is_mute:
                self.tell_once(client)
            due += 1 / self.hz
            pause = due - time.monotonic()
            time.sleep(max(0, pause))
            if pause < -1:
                due = time.monotonic()

    def tell_once(self, client):
        good = self.report()
        told = self.spoil(dict(good)) if self.spoil else good
        if told is None:
            return
        if not isinstance(told, bytes):
            told = (json.dumps(told, separators=(",", ":")) + "\r\n").encode()
        client.sendall(told)
        if self.spoil is None:
            self.sent.append((time.monotonic(), good["time"]))
