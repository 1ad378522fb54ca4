"""What comes by itself, and what becomes of it when the line is cut."""
import contextlib
import http.server
import signal
import subprocess
import threading
import time

import fleet
from collector import demand, record


@contextlib.contextmanager
def serving(port, answer):
    """Another server than the collector. - Returns: its port, and the paths that it was asked for, which grow."""
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            status, kind, body = answer(self.path)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port, asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def until(what, holds, limit_s=60):
    end = time.monotonic() + limit_s
    while not holds():
        demand(time.monotonic() < end, f"never came: {what}")
        time.sleep(0.05)


def hold(part):
    """Answers of paths with this part wait until the test lets them go; `late` counts those that the page has worked on."""
    return f"""(() => {{
      window.plainFetch = window.fetch; window.held = []; window.late = 0;
      window.fetch = async (path, options) => {{
        const answer = await window.plainFetch(path, options);
        if (!answer.ok || !String(path).includes('{part}')) return answer;
        const text = await answer.text();
        await new Promise((go) => window.held.push(go));
        answer.text = async () => {{ setTimeout(() => {{ window.late += 1; }}); return text; }};
        return answer;
      }}; }})()"""


class Live:
    """Steps of check-pages."""

    def forgive(self, complaints, *words):
        """- Parameter complaints: of the browser, before what was done to it on purpose."""
        new = [one for one in self.page.complaints[complaints:] if not any(word in one for word in words)]
        self.page.complaints[complaints:] = new

    def chips(self):
        """Head and list under the hand: focus and a click that is under way outlast what comes meanwhile."""
        page = self.page
        chip = lambda words: f"[...document.querySelectorAll('#counts .chip')].find((one) => one.innerText.includes('{words}'))"
        says = lambda text: page.wait(f"{chip(text.split(' ', 1)[1])}?.innerText === '{text}'")
        rows = lambda count: page.wait(f"document.querySelectorAll('.row').length === {count}")
        status = {"version": "0.2.0", "time": fleet.text(self.now_ms)}
        post = lambda name, more: self.collector.post(name, {"location": [], "status": status | more})
        everybody = page.evaluate("document.querySelectorAll('.row').length")

        def is_focused(when):
            demand(page.evaluate(f"document.activeElement === {chip('undervoltage')}"), f"the chip has lost the focus {when}")

        page.evaluate(f"{chip('undervoltage')}.focus()")
        post("van 0010", {"undervoltage": True})
        says("2 undervoltage")
        is_focused("when something came")
        page.key("Enter", text="\r")
        rows(2)
        for name in ("van 0002", "van 0010"):
            post(name, {})
        says("0 undervoltage")
        page.wait("document.querySelector('.rows .empty')?.innerText === 'No vehicle is like that.'")
        is_focused("when nobody was left")
        page.key("Enter", text="\r")
        rows(everybody)
        page.evaluate("document.activeElement.blur()")
        post("van 0010", {})
        page.wait(f"!{chip('undervoltage')}")
        post("van 0002", {"undervoltage": True})
        says("1 undervoltage")
        # The button of the mouse is down while something comes.
        middle = lambda element: page.evaluate(
            f"(() => {{ const box = {element}.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; }})()")
        mouse = lambda kind, x, y: page.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        where = middle("document.querySelector('.row[data-device=\"van 0001\"]')")
        mouse("mousePressed", *where)
        post("van 0010", {"undervoltage": True})
        says("2 undervoltage")
        # The list is as old as the head, and a timer behind it.
        page.evaluate("new Promise((go) => setTimeout(go, 0))")
        mouse("mouseReleased", *where)
        page.wait("document.querySelector('.vehicle h2')?.innerText === 'van 0001'")
        page.evaluate("location.hash = '#/'")
        rows(everybody)
        post("van 0010", {})
        says("1 undervoltage")
        where = middle(chip("safe mode"))
        for pressed, count in (("true", 1), ("false", everybody)):
            mouse("mousePressed", *where)
            post("van 0010", {"undervoltage": True})
            says("2 undervoltage")
            mouse("mouseReleased", *where)
            page.wait(f"{chip('safe mode')}.ariaPressed === '{pressed}'")
            rows(count)
            post("van 0010", {})
            says("1 undervoltage")
        page.call("Input.dispatchMouseEvent", type="mouseMoved", x=700, y=500)
        page.evaluate("document.activeElement.blur()")

    def line(self):
        """What refuses the line of events while the collector begins anew, as a proxy does, ends no page."""
        page, before = self.page, len(self.page.complaints)
        page.evaluate("window.untouched = true")
        self.collector.end()
        with serving(self.collector.port, lambda path: (502, "text/html", b"<h1>502 Bad Gateway</h1>")) as (_, asked):
            until("a second try after a 502", lambda: asked.count("/v1/events") >= 2)
            page.wait("/^Not live since \\d\\d:\\d\\d$/.test(document.getElementById('live').innerText)")
            for width, height in ((390, 844), (1440, 900)):
                page.screen(width, height)
                self.is_narrow(f"what is not live at {width}")
                self.picture(f"not-live-{width}")
        page.evaluate(hold("/v1/fleet"))
        self.start(*self.simulator(), port=self.collector.port)
        page.wait("document.getElementById('live').innerText === '' && window.held.length > 0", 90)
        # What comes while the whole fleet is on its way is newer.
        self.collector.post("van 0005", {"location": [record(4, self.now_ms + 1000, 47.4, 8.4) | {"speed": 20}]})
        fast = "[...document.querySelectorAll('.row')].find((row) => row.innerText.startsWith('van 0005')).innerText.includes('72 km/h')"
        page.wait(fast)
        page.evaluate("window.fetch = window.plainFetch; for (const go of window.held) go()")
        page.wait("window.late === window.held.length")
        self.collector.post("brand new", {"location": [record(8, self.now_ms + 1000, 47.41, 8.41) | {"speed": 10}]})
        page.wait("[...document.querySelectorAll('.row')].find((row) => row.innerText.startsWith('brand new')).innerText.includes('36 km/h')")
        demand(page.evaluate(fast), "what came by the line is covered by an older list")
        demand(page.evaluate("window.untouched") is True, "the page was loaded anew")
        self.forgive(before, "status of 502", "net::ERR_")

    def half_open(self):
        """A line that is there, and on which nothing comes, is made anew: a network that has gone tells nobody."""
        page, before = self.page, len(self.page.complaints)
        row = "[...document.querySelectorAll('.row')].find((row) => row.innerText.startsWith('van 0005'))"
        page.evaluate("location.hash = '#/'")
        # The page waits 45 s for a sign; here one.
        page.evaluate("window.plainTimeout = window.setTimeout; "
                      "window.setTimeout = (work, ms) => window.plainTimeout.call(window, work, ms === 45000 ? 1000 : ms); "
                      "window.opened = 0; window.PlainSource = window.EventSource; "
                      "window.EventSource = class extends window.PlainSource { "
                      "constructor(...all) { super(...all); window.opened += 1; } }")
        self.collector.post("van 0005", {"location": [record(9, self.now_ms + 1500, 47.4, 8.4) | {"speed": 25}]})
        page.wait(f"{row}.innerText.includes('90 km/h')")
        self.collector.process.send_signal(signal.SIGSTOP)
        try:
            page.wait("/^Not live since/.test(document.getElementById('live').innerText)", 60)
            # The kernel takes connections for it, and nobody answers: such a line is given up as well.
            page.evaluate("window.opened = 0")
            page.wait("window.opened >= 2", 60)
            page.evaluate("window.setTimeout = window.plainTimeout; window.EventSource = window.PlainSource")
        finally:
            self.collector.process.send_signal(signal.SIGCONT)
        page.wait("document.getElementById('live').innerText === ''", 60)
        self.collector.post("van 0005", {"location": [record(10, self.now_ms + 1600, 47.4, 8.4) | {"speed": 35}]})
        page.wait(f"{row}.innerText.includes('126 km/h')")
        self.forgive(before, "net::ERR_")

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
        self.collector.post("van 0005", {"location": [record(20, self.now_ms + 2000, 47.4, 8.4) | {"speed": 30}]})
        page.wait("[...document.querySelectorAll('.row')].find((row) => row.innerText.startsWith('van 0005')).innerText.includes('108 km/h')")
        self.forgive(before, "net::ERR_")
