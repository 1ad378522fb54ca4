"""From gpsd's report to the server: a vehicle drives through a geofence, a receiver on loopback notes the arrival."""

import http.server
import json
import os
import socket
import sys
import tempfile
import threading
import time
import types

from row import Row, need, product, small_program
from stream import WARM_UP_S, Stream

COMMANDS = ("Benchmarks/run --only latency",)
#: A circle on the first side of the block that `stream.drive` goes round.
FENCE = {"type": "FeatureCollection", "features": [{
    "type": "Feature", "geometry": {"type": "Point", "coordinates": [8.0, 47.0009]},
    "properties": {"id": "side", "radius_m": 50}}]}


class Receiver(http.server.ThreadingHTTPServer):
    """Acknowledges, and keeps when the first request with an event of each time came."""

    def __init__(self):
        self.arrived = {}
        super().__init__(("127.0.0.1", 0), Answer)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        at = time.monotonic()
        batch = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        for event in batch.get("geofence", []):
            self.server.arrived.setdefault(event["timestamp"], at)
        uuids = [record["uuid"] for record in batch.get("location", []) + batch.get("geofence", [])]
        reply = json.dumps({"ack": uuids}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


def watch(port, reported):
    """When gpsd reported each fix, by the fix's own time."""
    with socket.create_connection(("127.0.0.1", port)) as gpsd:
        gpsd.sendall(b'?WATCH={"enable":true,"json":true};\n')
        for line in gpsd.makefile():
            message = json.loads(line)
            if message["class"] == "TPV" and "time" in message:
                reported.setdefault(message["time"], time.monotonic())


def latencies(rate_hz, minutes, godwit, feeder):
    """In seconds, of each event after the start, in which fixes wait until the receiver's accuracy has settled."""
    options = types.SimpleNamespace(minutes=minutes, godwit=godwit, feeder=feeder, instructions=False)
    reported, receiver = {}, Receiver()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # gpsd gives up root and must still reach its device.
        stream = Stream(options, rate_hz, folder)
        try:
            stream.begin()
            threading.Thread(target=watch, args=(stream.port, reported), daemon=True).start()
            with open(f"{folder}/fences.geojson", "w") as file:
                json.dump(FENCE, file)
            stream.agent("godwit", "splay_s = 0\n", top=f'geofences_file = "{folder}/fences.geojson"\n',
                         url=f"http://127.0.0.1:{receiver.server_port}/v1/locations")
            time.sleep(WARM_UP_S)
            reported.clear()
            time.sleep(minutes * 60)
        finally:
            stream.end()
            receiver.shutdown()
    return [at - reported[when] for when, at in receiver.arrived.items() if when in reported]


def rows(options):
    need("gpsd", "gpsd")
    for rate_hz in (1,) if options.short else (1, 10):
        # Round the block once takes a minute and a half at most.
        minutes = 1.6 if options.short else 4
        found = latencies(rate_hz, minutes, small_program(), product("drive-feeder", options.short))
        if not found:
            sys.exit("Benchmarks: no event of the geofence has come")
        yield Row(f"geofence event at the server after gpsd's report, slowest of {len(found)}, {rate_hz} Hz",
                  round(max(found), 3), "s", limit=2)
