"""A collector, and boxes that are folders."""
import http.client, json, os, re, signal, socket, subprocess, threading, time

repo = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
GODWIT = os.environ.get("GODWIT", f"{repo}/.build/debug/godwit")
COLLECTOR = f"{repo}/collector/.build/debug/godwit-collector"
PROVISION = f"{repo}/deploy/godwit-provision"
OPERATOR = "operator-token-of-the-rig"


class Failed(Exception):
    pass


def demand(holds, words):
    if not holds:
        raise Failed(words)


def wait_for(what, is_there, limit_s=900):
    end = time.monotonic() + limit_s
    while not (found := is_there()):
        demand(time.monotonic() < end, f"{what}: not within {limit_s} s")
        time.sleep(0.05)
    return found


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=3600, **more)


def provision(table, output, *options, **more):
    return run(PROVISION, table, "--output", output, "--godwit", GODWIT, *options, **more)


class Collector:
    """With tokens of devices alone, and one operator."""

    def __init__(self, folder):
        self.database = f"{folder}/fleet.sqlite"
        self.operators = f"{folder}/operators"
        write(self.operators, OPERATOR + "\n", 0o600)
        self.log = open(f"{folder}/collector.log", "w")
        self.process = subprocess.Popen(
            [COLLECTOR, "--database", self.database, "--port", "0", "--device-tokens", "--operator-token-file",
             self.operators],
            stdout=subprocess.PIPE, stderr=self.log, text=True)
        line = self.process.stdout.readline()
        demand(line.startswith("listening on "), f"the collector did not start: {read(self.log.name)}")
        self.url = line.split()[-1]

    def command(self, *words):
        done = run(COLLECTOR, *words, "--database", self.database)
        demand(done.returncode == 0, f"{words}: {done.stderr}")
        return done.stdout.split()

    def answer(self, path, token, device=None, body=None):
        """Status, and the body as text."""
        connection = http.client.HTTPConnection(self.url.removeprefix("http://"), timeout=900)
        headers = {"Authorization": f"Bearer {token}"} | ({"Godwit-Device": device} if device else {})
        connection.request("GET" if body is None else "POST", path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def takes(self, token, device):
        return self.answer("/v1/locations", token, device, '{"location":[]}')[0]

    def contacts(self):
        """Devices that have sent."""
        devices = json.loads(self.answer("/v1/devices", OPERATOR)[1])
        return [each["device"] for each in devices if "last_contact" in each]

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(600)


class Box:
    """Its boot partition, its settings and its state."""

    def __init__(self, folder, name, shim):
        self.folder, self.name, self.shim = f"{folder}/{name}", name, shim
        for part in ("boot", "etc", "state", "run"):
            os.makedirs(f"{self.folder}/{part}")
        self.boot_file = f"{self.folder}/boot/godwit-provision.toml"
        self.error_file = f"{self.folder}/boot/godwit-provision.error.txt"
        self.config, self.token_file = f"{self.folder}/etc/godwit.toml", f"{self.folder}/etc/token"
        self.setup = f"{self.folder}/setup"
        write(self.setup, f'#!/bin/sh\necho "$@" >>{self.folder}/setup.log\nexit 0\n', 0o755)

    def columns(self):
        """Those settings that keep it in its folder."""
        return {
            "sync.token_file": self.token_file, "queue.path": f"{self.folder}/state/queue.db",
            "run.directory": f"{self.folder}/run", "gps.port": "1"}

    def settings(self, url, **more):
        lines = [f"{key} = {json.dumps(value)}" for key, value in more.items()]
        return "\n".join(lines + [
            f'[gps]\nport = 1\n[queue]\npath = "{self.folder}/state/queue.db"\n[run]\ndirectory = "{self.folder}/run"',
            f'[sync]\nurl = "{url}/v1/locations"\ntoken_file = "{self.token_file}"\nsplay_s = 0\n# end\n'])

    def godwit(self, *words, cut=0):
        environment = {**os.environ, "STATE_DIRECTORY": f"{self.folder}/state"}
        if cut:
            environment |= {"LD_PRELOAD": self.shim, "GODWIT_CUT": str(cut)}
        return run(GODWIT, *words, "--config", self.config, env=environment)

    def begins(self, *words, **environment):
        """One that goes on by itself."""
        environment = {**os.environ, "STATE_DIRECTORY": f"{self.folder}/state", "LD_PRELOAD": self.shim, **environment}
        return subprocess.Popen(
            [GODWIT, *words, "--config", self.config], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True)

    def first_boot(self, cut=0):
        return self.godwit("enrol", "--boot", "--file", self.boot_file, "--setup", self.setup, cut=cut)

    def token(self):
        return read(self.token_file).strip() if os.path.exists(self.token_file) else None

    def device(self):
        """The name that was given."""
        found = json.loads(read(f"{self.folder}/state/queue.db.state").splitlines()[0])
        if not found or found["device"]["source"] != "enrolled":
            return None
        # As a header has it.
        name = found["device"]["name"].encode()
        return "".join(chr(byte) if 0x21 <= byte <= 0x7e and byte != 0x25 else f"%{byte:02X}" for byte in name)

    def litter(self):
        """What no run should leave."""
        kept = {"queue.db.state", "queue.db.state.next", "token", "godwit.toml"}
        found = [os.path.join(self.folder, part, name) for part in ("boot", "etc", "state")
                 for name in os.listdir(f"{self.folder}/{part}")]
        return [path for path in found if os.path.basename(path) not in kept]

    def sends(self, collector, name):
        """The real agent, until the collector has heard of it."""
        environment = {**os.environ, "STATE_DIRECTORY": f"{self.folder}/state"}
        with open(f"{self.folder}/agent.log", "w") as log:
            agent = subprocess.Popen([GODWIT, "run", "--config", self.config], env=environment, stderr=log)
        try:
            wait_for(f"{name} has not sent; see {self.folder}/agent.log", lambda: name in collector.contacts())
        finally:
            agent.terminate()
            agent.wait(600)


class ForgetfulProxy:
    """Hands one request on, waits for the answer, and says nothing: as a link that breaks."""

    def __init__(self, url):
        host, port = url.removeprefix("http://").split(":")
        self.target = (host, int(port))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.answers = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            with client, socket.create_connection(self.target) as server:
                request = client.recv(65536)
                while b"\r\n\r\n" not in request or len(request.split(b"\r\n\r\n", 1)[1]) < self.length(request):
                    request += client.recv(65536)
                server.sendall(request)
                self.answers.append(server.recv(65536))

    @staticmethod
    def length(request):
        return int(re.search(rb"(?i)content-length: *(\d+)", request)[1])
