"""The control: between collector and broker, confirms each message to the broker before the collector has stored it."""
import selectors, socket, threading

from . import mqtt


class EarlyBird(threading.Thread):
    """A port that passes everything on, but PUBACK: what the collector says comes to nothing, and its own comes at once."""

    def __init__(self, broker):
        super().__init__(daemon=True)
        self.broker = broker
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def run(self):
        while True:
            try:
                collector, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.pass_on, args=(collector,), daemon=True).start()

    def pass_on(self, collector):
        try:
            broker = socket.create_connection(("127.0.0.1", self.broker), 5)
        except OSError:
            collector.close()
            return
        with collector, broker, selectors.DefaultSelector() as selector:
            selector.register(collector, selectors.EVENT_READ, (mqtt.Packets(), broker, self.from_collector))
            selector.register(broker, selectors.EVENT_READ, (mqtt.Packets(), collector, self.from_broker))
            while True:
                for key, _ in selector.select():
                    packets, other, translate = key.data
                    try:
                        data = key.fileobj.recv(65_536)
                        if not data:
                            return
                        for first, body, whole in packets.feed(data):
                            translate(key.fileobj, other, first, body, whole)
                    except OSError:
                        return

    @staticmethod
    def from_collector(_, broker, first, body, whole):
        if first != mqtt.PUBACK:
            broker.sendall(whole)

    @staticmethod
    def from_broker(broker, collector, first, body, whole):
        number = mqtt.number_of(first, body) if first & 0xF0 == mqtt.PUBLISH else None
        if number is not None:
            broker.sendall(mqtt.packet(mqtt.PUBACK, number.to_bytes(2, "big")))
        collector.sendall(whole)

    def end(self):
        self.listener.close()
