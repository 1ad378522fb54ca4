"""What comes by itself, and what becomes of it when the line is cut."""
import contextlib
import http.server
import subprocess
import threading
import time

from collector import demand, record


@contextlib.contextmanager
def refusing(port, status):
    """A proxy whose collector is away. - Returns: the paths that were asked for, which grow."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(status)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def until(what, holds, limit_s=60):
    end = time.monotonic() + limit_s
    while not holds():
        demand(time.monotonic() < end, f"never came: {what}")
        time.sleep(0.05)


class Live:
    """Steps of check-pages."""

    def forgive(self, complaints, *words):
        """- Parameter complaints: of the browser, before what was done to it on purpose."""
        new = [one for one in self.page.complaints[complaints:] if not any(word in one for word in words)]
        self.page.complaints[complaints:] = new

    def line(self):
        """What refuses the line of events while the collector begins anew, as a proxy does, ends no page."""
        page, before = self.page, len(self.page.complaints)
        page.evaluate("window.untouched = true")
        self.collector.end()
        with refusing(self.collector.port, 502) as asked:
            until("a second try after a 502", lambda: asked.count("/v1/events") >= 2)
            page.wait("/^Not live since \\d\\d:\\d\\d$/.test(document.getElementById('live').innerText)")
            self.picture("not-live")
        self.start(*self.simulator(), port=self.collector.port)
        page.wait("document.getElementById('live').innerText === ''", 90)
        self.collector.post("van 0005", {"location": [record(4, self.now_ms + 1000, 47.4, 8.4) | {"speed": 20}]})
        page.wait("[...document.querySelectorAll('.row')].find((row) => row.innerText.startsWith('van 0005')).innerText.includes('72 km/h')")
        demand(page.evaluate("window.untouched") is True, "the page was loaded anew")
        self.forgive(before, "status of 502", "net::ERR_")

    def session_ends(self):
        """Who is let in no longer is asked for the login by himself, and sees what comes afterwards."""
        page, before = self.page, len(self.page.complaints)
        page.evaluate("location.hash = '#/'")
        page.wait("document.querySelectorAll('.row').length > 0")
        subprocess.run([self.options.collector, "operator", "change", "victor", "--role", "viewer", "--database", self.database],
                       check=True, capture_output=True)
        self.collector.end()
        self.start(*self.simulator(), port=self.collector.port)
        page.wait("document.querySelector('#side h2')?.innerText === 'Log in'", 60)
        page.wait("document.getElementById('notice').innerText === 'Your session has ended: log in again.'")
        demand(not page.evaluate("document.getElementById('counts').innerText"), "the head still counts the fleet")
        self.enter("victor")
        page.wait("document.querySelectorAll('.row').length > 0", 60)
        self.collector.post("van 0005", {"location": [record(5, self.now_ms + 2000, 47.4, 8.4) | {"speed": 30}]})
        page.wait("[...document.querySelectorAll('.row')].find((row) => row.innerText.startsWith('van 0005')).innerText.includes('108 km/h')")
        self.forgive(before, "net::ERR_")
