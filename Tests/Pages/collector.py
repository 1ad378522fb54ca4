"""A collector that is looked at, and what devices send to it."""
import json
import signal
import sqlite3
import subprocess
import urllib.request

import browser
import fleet


def demand(holds, words):
    if not holds:
        raise browser.Complaint(words)


class Collector:
    def __init__(self, program, database, log, *options, port=0):
        self.process = subprocess.Popen([program, "--database", database, "--port", str(port), *options],
                                        stdout=subprocess.PIPE, stderr=open(log, "ab"), text=True)
        line = self.process.stdout.readline()
        demand(line.startswith("listening on "), "the collector did not start: " + open(log).read()[-2000:])
        self.url = line.split()[-1]
        self.port = int(self.url.rsplit(":", 1)[1])

    def post(self, device, body):
        request = urllib.request.Request(self.url + "/v1/locations", json.dumps(body).encode(),
                                         {"Content-Type": "application/json", "Godwit-Device": device})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        demand(self.process.wait(20) == 0, "the collector did not end in order")


def execute(database, statements):
    """Changes a collector's database behind its back."""
    if database.startswith("postgresql:"):
        subprocess.run(["psql", "-q", "-v", "ON_ERROR_STOP=1", database], input=statements, text=True, check=True)
        return
    connection = sqlite3.connect(database, timeout=30)
    connection.executescript(statements)
    connection.close()


def record(number, time_ms, latitude, longitude, moving=True):
    return {"uuid": f"ffffffff-ffff-8fff-8000-{number:012x}", "timestamp": fleet.text(time_ms), "latitude": latitude,
            "longitude": longitude, "accuracy": 5, "speed": 12.5, "speed_accuracy": -1, "heading": 90, "heading_accuracy": -1,
            "altitude": 430, "altitude_accuracy": -1, "is_moving": moving, "event": "", "extras": ""}
