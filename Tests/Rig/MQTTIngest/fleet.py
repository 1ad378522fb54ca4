"""Vans that publish in both formats, each message until a broker has confirmed it, and what they know of it."""
import gzip, json, random, threading, time, uuid
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

from . import mqtt
from .machine import PATIENCE_S, repo

# So many messages may be unconfirmed at a time.
WINDOW = 20


def benchmark():
    """The compact body is written once, in the benchmark of the collector."""
    loader = SourceFileLoader("collector_benchmark", repo + "/Benchmarks/collector")
    module = module_from_spec(spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def identity(queue, sequence):
    """docs/queue.md: the uuid that carries both."""
    return str(uuid.UUID(int=(queue >> 12) << 80 | 0x8 << 76 | (queue & 0xFFF) << 64 | 0b10 << 62 | sequence))


class Van:
    def __init__(self, number, chance, device):
        self.number, self.chance, self.device = number, chance, device
        self.name, self.topic = device.name, f"fleet/{device.name}/records"

    def message(self):
        """A body, and the records in it as (device, queue, sequence)."""
        count, first = self.chance.randrange(1, 8), self.device.sequence
        records = [(self.name, self.device.queue, first + place) for place in range(count)]
        if self.number % 2:
            body = self.device.body(count)
            return (gzip.compress(body, 1) if self.chance.random() < 0.5 else body), records
        self.device.sequence += count
        return json.dumps({"location": [self.location(one) for one in records], "status": {"version": "rig"}}).encode(), records

    def location(self, record):
        _, queue, sequence = record
        return {
            "uuid": identity(queue, sequence), "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(1_772_434_800 + 3 * sequence)),
            "latitude": 47 + self.chance.random(), "longitude": 8 + self.chance.random(), "speed": 12.5, "accuracy": 5.0,
            "altitude": 0.0, "heading": -1.0, "is_moving": True, "event": "", "extras": ""}


class Fleet(threading.Thread):
    """Publishes at a pace, over one connection that is made anew at any broker that takes it."""

    def __init__(self, seed, vans, ports, a_second):
        super().__init__(daemon=True)
        self.chance, self.ports, self.a_second = random.Random(seed), ports, a_second
        module = benchmark()
        self.vans = [Van(number, self.chance, module.Device(number, self.chance)) for number in range(vans)]
        # What the brokers have confirmed, and messages that went more than once.
        self.confirmed, self.again, self.connections = set(), 0, 0
        self.unconfirmed, self.number, self.ended = {}, 0, threading.Event()
        self.failure = None

    def run(self):
        try:
            self.publish()
        except Exception as error:  # noqa: BLE001 - told by whoever waits for us
            self.failure = error

    def publish(self):
        connection, next_s = None, time.monotonic()
        while not self.ended.is_set() or self.unconfirmed:
            try:
                connection = connection or self.connect()
                if connection is None:
                    time.sleep(0.05)
                    continue
                if not self.ended.is_set() and len(self.unconfirmed) < WINDOW and time.monotonic() >= next_s:
                    next_s = max(next_s + 1 / self.a_second, time.monotonic() - 1)
                    self.send_new(connection)
                for first, body in connection.read(0.002):
                    if first == mqtt.PUBACK:
                        self.confirmed |= set(self.unconfirmed.pop(int.from_bytes(body, "big"), ((), "", ()))[2])
            except OSError:
                connection.close()
                connection = None
        if connection:
            connection.close()

    def finish(self):
        """All of it is confirmed."""
        self.ended.set()
        self.join(PATIENCE_S)
        if self.is_alive() or self.failure:
            raise SystemExit(f"the vans could not publish: {self.failure or len(self.unconfirmed)}")

    def connect(self):
        try:
            connection = mqtt.Connection(self.chance.choice(self.ports), f"vans{self.connections}")
        except OSError:
            return None
        self.connections += 1
        for number, (topic, body, _) in list(self.unconfirmed.items()):
            self.again += 1
            connection.send(mqtt.publish(topic, body, number, True))
        return connection

    def send_new(self, connection):
        van = self.chance.choice(self.vans)
        body, records = van.message()
        self.number = self.number % 65_535 + 1
        self.unconfirmed[self.number] = (van.topic, body, records)
        connection.send(mqtt.publish(van.topic, body, self.number, False))
