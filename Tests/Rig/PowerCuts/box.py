"""One life of the agent on the disk under test, with a receiver and a server that orders things from afar."""
import json, os, signal, ssl, subprocess, threading, time

from Chaos.receiver import JSONReceiver
from Chaos.server import TOKEN, Server, answer

from .writer import WriterFailed

FIRST_REQUEST_S = 60
BOOT_ID = "/proc/sys/kernel/random/boot_id"


class TLSServer(Server):
    """Over TLS a reply to a status alone may order something, so no drive has to be waited for."""

    def __init__(self, folder):
        self.certificate = folder + "/certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-keyout", folder + "/key.pem", "-out", self.certificate, "-days", "2", "-subj", "/CN=localhost",
             "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, folder + "/key.pem")
        super().__init__()

    def serve(self, client):
        try:
            super().serve(self.context.wrap_socket(client, server_side=True))
        except OSError:
            client.close()


class Surroundings:
    """What outlives all boxes: the folder for what a boot makes anew, the receiver, the server."""

    def __init__(self, folder, godwit, preload):
        self.folder, self.godwit = folder, godwit
        for name in ("run", "gpio", "state"):
            os.makedirs(f"{folder}/{name}")
        self.receiver = JSONReceiver(5, folder + "/gpio/gps-power", folder)
        self.server = TLSServer(folder)
        with open(folder + "/token", "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(TOKEN + "\n")
        self.environment = {**os.environ, "SWIFT_BACKTRACE": "interactive=no,color=no", "STATE_DIRECTORY": folder + "/state"}
        if preload:
            self.environment["LD_PRELOAD"] = preload
        self.boot_id = folder + "/boot-id"
        self.boots = 0
        self.boot()
        subprocess.run(["mount", "--bind", self.boot_id, BOOT_ID], check=True)

    def boot(self):
        """Another one: in this mount namespace alone."""
        self.boots += 1
        with open(self.boot_id, "w") as file:
            file.write(f"00000000-0000-4000-8000-{self.boots:012d}\n")

    def put_settings(self, queue):
        groups = {
            "": {"device_id": "box", "timezone": "UTC"},
            "gps": {"port": self.receiver.port, "min_off_s": 1, "settle_timeout_s": 1},
            "gps.power": {
                "mode": "level", "chip": f"simulated:{self.folder}/gpio", "line": "gps-power", "settle_ms": 100},
            "track": {"sampling": "all"},
            "queue": {"path": queue, "commit_interval_s": 1, "commit_records": 1},
            "sync": {
                "url": f"https://localhost:{self.server.port}/v1/records", "token_file": self.folder + "/token",
                "ca_file": self.server.certificate, "sync_interval_s": 1, "sync_threshold": 1, "splay_s": 0,
                "sync_retry_base_s": 0.5, "sync_retry_max_s": 1, "status_interval_s": 10, "max_batch_size": 20},
            "run": {"directory": self.folder + "/run"}}
        with open(self.folder + "/godwit.toml", "w") as file:
            for group, pairs in groups.items():
                file.write(f"[{group}]\n" if group else "")
                file.writelines(f"{key} = {json.dumps(value)}\n" for key, value in pairs.items())

    def close(self):
        self.receiver.close()
        self.server.close()
        subprocess.run(["umount", BOOT_ID], check=False)


class Box:
    """Runs the agent, again when a command has ended it; waits for the moment of a cut."""

    def __init__(self, around, orders, queue):
        self.around, self.orders = around, orders
        # What is written anew, before it takes the place of the old one.
        self.part = queue + ".state.part"
        # (seconds on the monotonic clock, moment)
        self.moments = []
        self.has_judged = False
        self.readers = []
        self.process = None
        around.server.behave = self.reply
        self.start()

    def start(self):
        self.orders.starts += 1
        self.process = subprocess.Popen(
            [self.around.godwit, "run", "--config", self.around.folder + "/godwit.toml"], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self.around.environment, text=True, errors="replace")
        self.happened("start")
        self.readers.append(threading.Thread(target=self.read, args=(self.process.stdout,), daemon=True))
        self.readers[-1].start()

    def happened(self, moment):
        self.moments.append((time.monotonic(), moment))

    # MARK: What it says

    def read(self, journal):
        self.last = ""
        for line in journal:
            self.last = line.strip()
            with self.orders.lock:
                if not self.orders.deaf:
                    self.orders.heard(self.last)
                    if "the server wants" in line:
                        self.happened("begun")

    def reply(self, request, server):
        document = request.document()
        server.store(request)
        with self.orders.lock:
            if self.orders.deaf:
                return None
            if "status" in document:
                self.orders.told(document["status"])
            self.orders.next_round()
            members, is_new = self.orders.open()
        self.has_judged = True
        self.happened("offer" if is_new else "reply")
        return answer("200 OK", json.dumps({"ack": request.uuids(), **members}))

    # MARK: Its course

    def live(self, plan):
        """Until the moment of the cut; without a plan until it has sent something."""
        begun, last_s = time.monotonic(), None
        while True:
            self.restart_if_ended()
            now, met = time.monotonic(), None
            if plan and plan.moment == "state":
                met = now if os.path.exists(self.part) else None
            elif plan:
                met = next((when for when, moment in list(self.moments) if moment == plan.moment), None)
            elif self.has_judged:
                return
            if met is not None:
                plan.reached = True
                time.sleep(max(0, met + plan.delay_s - now))
                return
            if self.has_judged and last_s is None:
                last_s = now + plan.patience_s
            if last_s and now > last_s:
                return
            if not self.has_judged and now - begun > FIRST_REQUEST_S:
                raise WriterFailed(f"sends nothing for {FIRST_REQUEST_S} s; its last words: {self.last}")
            time.sleep(0.0005)

    def restart_if_ended(self):
        code = self.process.poll()
        if code is None:
            return
        if code != 0 or not self.orders.restarts():
            raise WriterFailed(f"ended with {code}; its last words: {self.last}")
        self.start()

    def turn_deaf(self):
        """Just before the cut: what is said from here on binds nobody."""
        with self.orders.lock:
            self.orders.deaf = True

    def end(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        for reader in self.readers:
            reader.join()
        self.process.stdout.close()
