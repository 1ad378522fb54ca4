"""The collectors, and what their databases have."""
import re, signal, sqlite3

from .machine import Program


class Keeper:
    """A collector with a database of its own."""

    def __init__(self, name, binary, folder, ports, options=()):
        self.database = f"{folder}/{name}.sqlite"
        brokers = [word for port in ports for word in ("--mqtt", f"mqtt://127.0.0.1:{port}")]
        command = [binary, "--database", self.database, "--port", "0", *brokers, "--mqtt-client-id", name, *options]
        self.program = Program(name, command, folder, self.has_subscribed)
        self.name = name
        self.begin = 0

    def text(self):
        with open(self.program.log, errors="replace") as log:
            return log.read()

    def has_subscribed(self):
        """Since it was started; the two come in any order."""
        return all(words in self.text()[self.begin:] for words in ("listening on http://", "MQTT: subscribed at"))

    def start(self, waits=True):
        self.begin = len(self.text()) if self.program.process else 0
        self.program.start(waits)

    def kill(self, how=signal.SIGKILL):
        self.program.kill(how)

    def rows(self):
        """(device, queue, sequence) of each row."""
        connection = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=20)
        try:
            return connection.execute(
                "SELECT device.name, queue_id, sequence FROM record JOIN device ON device.id = device_id").fetchall()
        finally:
            connection.close()

    def complaints(self):
        return [line for line in self.text().split("\n") if re.search(r"not stored|waits for the database", line)]
