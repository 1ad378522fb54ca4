"""Chromium without a screen, by its own protocol over two pipes."""
import base64
import fcntl
import json
import os
import subprocess
import time

TALLEST = 16000  # pixels; the browser makes no larger picture


class Complaint(Exception):
    pass


class Browser:
    """A page: what it shows, what it asks for, and what the browser complains of."""

    def __init__(self, folder):
        to_read, to_write = os.pipe()
        from_read, from_write = os.pipe()

        def place():
            # The pipes may have these very numbers.
            ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (to_read, from_write)]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.log = open(os.path.join(folder, "chromium.log"), "wb")
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--lang=en-GB",
             "--user-data-dir=" + os.path.join(folder, "profile"), "--remote-debugging-pipe", "about:blank"],
            preexec_fn=place, close_fds=False, stdout=self.log, stderr=self.log)
        os.close(to_read)
        os.close(from_write)
        self.requests = os.fdopen(to_write, "wb", buffering=0)
        self.answers = os.fdopen(from_read, "rb", buffering=0)
        self.unread, self.count, self.session = b"", 0, None
        self.complaints, self.asked = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def call(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.requests.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise Complaint(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def receive(self):
        while b"\0" not in self.unread:
            piece = self.answers.read(1 << 20)
            if not piece:
                raise Complaint("chromium has ended: see its log")
            self.unread += piece
        line, _, self.unread = self.unread.partition(b"\0")
        message = json.loads(line)
        self.note(message.get("method"), message.get("params", {}))
        return message

    def note(self, method, event):
        if method == "Runtime.exceptionThrown":
            details = event["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and event["entry"]["level"] == "error":
            self.complaints.append(event["entry"]["text"] + " " + event["entry"].get("url", ""))
        elif method == "Network.requestWillBeSent":
            self.asked.append(event["request"]["url"])

    def screen(self, width, height, scheme="light", zone="Europe/Zurich"):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 700)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setTimezoneOverride", timezoneId=zone)

    def open(self, url):
        self.call("Page.navigate", url=url)

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise Complaint(expression + ": " + answer["exceptionDetails"].get("exception", {}).get("description", "?"))
        return answer["result"].get("value")

    def wait(self, expression, limit_s=20):
        """Until it holds. - Returns: its value; true for an element."""
        end = time.monotonic() + limit_s
        while time.monotonic() < end:
            value = self.evaluate(
                f"(() => {{ try {{ const value = {expression}; return value instanceof Node || value }} catch {{ return null }} }})()")
            if value:
                return value
            time.sleep(0.05)
        raise Complaint(f"never came: {expression}; the page says: {self.evaluate('document.body.innerText')[:500]}")

    def key(self, key, code=None, text=None):
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key,
                      windowsVirtualKeyCode={"Tab": 9, "Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowRight": 39, "/": 191}.get(key, 0),
                      **({"text": text} if text and kind == "keyDown" else {}))

    def type(self, text):
        self.call("Input.insertText", text=text)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def picture(self, path, whole=False):
        options = {}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            options = {"captureBeyondViewport": True, "clip": {
                "x": 0, "y": 0, "width": size["width"], "height": min(size["height"], TALLEST), "scale": 1}}
        data = self.call("Page.captureScreenshot", format="png", **options)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def end(self):
        try:
            self.session = None
            self.requests.write(json.dumps({"id": 0, "method": "Browser.close"}).encode() + b"\0")
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.log.close()
