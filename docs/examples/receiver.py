#!/usr/bin/env python3
"""A receiver for Godwit: write, commit, then acknowledge.   usage: receiver.py FILE PORT TOKEN"""
import hmac, json, sqlite3, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

file, port, token = sys.argv[1:]
database = sqlite3.connect(file)
database.execute("PRAGMA synchronous = FULL")
database.execute("CREATE TABLE IF NOT EXISTS records (device, uuid, record, PRIMARY KEY (device, uuid))")


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # Keeps the connection, which saves a handshake each time.

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not hmac.compare_digest(self.headers.get("Authorization", "").encode(), f"Bearer {token}".encode()):
            return self.answer(401, {"error": "unknown token"})
        try:
            batch, device = json.loads(body), self.headers["Godwit-Device"].strip()
            records = batch.get("location", []) + batch.get("geofence", [])
            rows = [(device, record["uuid"].lower(), json.dumps(record)) for record in records]
        except (ValueError, TypeError, KeyError, AttributeError):
            return self.answer(422, {"error": "not a batch of records"})
        try:
            with database:  # One transaction. What was stored before stays as it is.
                database.executemany("INSERT OR IGNORE INTO records VALUES (?, ?, ?)", rows)
        except sqlite3.Error as error:
            return self.answer(503, {"error": str(error)})
        self.answer(200, {"ack": [uuid for _, uuid, _ in rows]})

    def answer(self, status, reply):
        body = json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


HTTPServer(("127.0.0.1", int(port)), Receiver).serve_forever()
