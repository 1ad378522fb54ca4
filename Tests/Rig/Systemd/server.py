"""The server of the rigs' settings (Systemd/image.py), in place of a collector."""
import http.server, threading


class Server(http.server.BaseHTTPRequestHandler):
    """Takes all that comes."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"] or 0))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words):
        pass


def serve(port=8099):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
