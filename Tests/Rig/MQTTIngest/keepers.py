"""The collectors, and what their databases have."""
import re, signal, sqlite3, subprocess

from .machine import Program


ROWS = "SELECT device.name, queue_id, sequence FROM record JOIN device ON device.id = device_id"


class Keeper:
    """A collector with a database of its own; or with one that is named, and which others may have too."""

    def __init__(self, name, binary, folder, ports, options=(), database=None):
        self.database = database or f"{folder}/{name}.sqlite"
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
        if self.database.startswith("postgresql://"):
            return shared_rows(self.database)
        connection = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=20)
        try:
            return connection.execute(ROWS).fetchall()
        finally:
            connection.close()

    def complaints(self):
        return [line for line in self.text().split("\n") if re.search(r"not stored|waits for the database", line)]


def shared_rows(address):
    said = subprocess.run(["psql", "-X", "-A", "-t", "-F", "\t", address, "-c", ROWS], check=True, stdout=subprocess.PIPE, text=True)
    rows = (line.split("\t") for line in said.stdout.splitlines())
    return [(device, int(queue), int(sequence)) for device, queue, sequence in rows]
