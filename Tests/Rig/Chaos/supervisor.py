"""What systemd is to the agent: Type=notify, the watchdog, ExecStopPost, Restart, as deploy/godwit.service says."""
import os, re, shlex, signal, socket, subprocess, threading, time

here = os.path.dirname(os.path.abspath(__file__))
UNIT = os.path.join(here, "..", "..", "..", "deploy", "godwit.service")


class Unit:
    def __init__(self, path=UNIT):
        with open(path) as file:
            self.lines = re.findall(r"^(\w+)=(.*)$", file.read(), re.MULTILINE)
        self.watchdog_s = float(self.value("WatchdogSec", "60"))
        self.watchdog_signal = getattr(signal, self.value("WatchdogSignal", "SIGABRT"))
        self.stop_s = float(self.value("TimeoutStopSec", "90"))
        self.abort_s = float(self.value("TimeoutAbortSec", str(self.stop_s)))
        self.restart_s = float(self.value("RestartSec", "0.1"))
        self.final = {int(code) for code in self.value("RestartPreventExitStatus", "").split()}

    def value(self, name, default):
        return next((value for key, value in reversed(self.lines) if key == name), default)

    def stop_posts(self, godwit, own):
        """The commands of ExecStopPost, with our binary and our paths."""
        commands = [shlex.split(value.lstrip("-+!")) for key, value in self.lines if key == "ExecStopPost"]
        return [[godwit, *command[1:], *own] for command in commands]


class Life:
    """One run of the process. `by` says what the rig did to end it: kill, stop, or None."""

    def __init__(self, process, begin):
        self.process, self.pid, self.begin = process, process.pid, begin
        self.end = self.code = self.by = None
        self.fed = begin
        # The agent may ask for another time than the unit's, as it does with the GPS off.
        self.watchdog_s = None


class Journal(threading.Thread):
    """Reads what the agent writes to standard error, unless it is paused, as journald may be."""

    def __init__(self, path, now):
        super().__init__(daemon=True)
        self.now, self.file = now, open(path, "a", buffering=1, errors="replace")
        # As journald's: a stream socket.
        self.ours, self.theirs = socket.socketpair()
        self.theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.reads = threading.Event()
        self.reads.set()
        self.text = ""

    def run(self):
        while True:
            self.reads.wait()
            chunk = self.ours.recv(65_536).decode(errors="replace")
            self.text += chunk
            self.file.write(chunk)

    def block(self):
        """Nobody reads any more, and there is no room left."""
        self.reads.clear()
        for chunk in (b"<7>earlier\n" * 20, b"\n"):
            try:
                while True:
                    self.theirs.send(chunk, socket.MSG_DONTWAIT)
            except BlockingIOError:
                pass

    def note(self, words):
        self.file.write(f"--- {self.now():.2f} s: {words}\n")


class Supervisor(threading.Thread):
    """`command`, `environment` and `prefix` are looked at anew for each life."""

    def __init__(self, folder, godwit, own_paths, now, stalled, note):
        super().__init__(daemon=True)
        self.unit = Unit()
        self.folder, self.godwit, self.own_paths = folder, godwit, own_paths
        self.now, self.stalled, self.note = now, stalled, note
        self.prefix, self.environment = [], {}
        self.lives, self.life = [], None
        self.wanted, self.may_restart_at = False, 0.0
        self.given_up = None
        self.watchdog_kills = []
        self.power_offs = []
        self.ends = False
        self.journal = Journal(folder + "/journal", now)
        self.journal.start()
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(folder + "/notify")
        threading.Thread(target=self.listen, daemon=True).start()
        self.start()

    # MARK: What a person does

    def begin(self):
        """systemctl start"""
        self.given_up, self.may_restart_at, self.wanted = None, 0.0, True

    def send(self, number, by=None):
        life = self.life
        if life:
            life.by = by or life.by
            try:
                os.kill(life.pid, number)
            except ProcessLookupError:
                pass

    def holds(self, number):
        """Whether the process blocks the signal, as the agent does from its first instruction on."""
        try:
            with open(f"/proc/{self.life.pid}/status") as file:
                blocked = next(line.split()[1] for line in file if line.startswith("SigBlk"))
        except (AttributeError, OSError, StopIteration):
            return False
        return bool(int(blocked, 16) >> number - 1 & 1)

    def end(self, number=signal.SIGTERM, by="stop"):
        """systemctl stop, or kill -9 without a restart."""
        self.wanted = False
        self.send(number, by)

    def is_down(self):
        return self.life is None

    # MARK: What systemd does

    def run(self):
        while not self.ends:
            life = self.life
            if life is None:
                if self.wanted and self.now() >= self.may_restart_at:
                    self.spawn()
            elif life.process.poll() is not None:
                self.buried(life)
            else:
                self.watch(life)
            time.sleep(0.02)

    def spawn(self):
        environment = {
            **os.environ, "SWIFT_BACKTRACE": "interactive=no,color=no", "NOTIFY_SOCKET": self.folder + "/notify",
            "STATE_DIRECTORY": self.folder,
            "WATCHDOG_USEC": str(int(self.unit.watchdog_s * 1e6)), **self.environment}
        self.journal.note("start")
        process = subprocess.Popen(
            [*self.prefix, self.godwit, "run", "--config", self.folder + "/godwit.toml"], stdin=subprocess.DEVNULL,
            stdout=self.journal.theirs, stderr=self.journal.theirs, env=environment)
        self.life = Life(process, self.now())
        self.lives.append(self.life)
        self.note(f"the agent starts, process {process.pid}")

    def buried(self, life):
        life.code, life.end = life.process.returncode, self.now()
        self.journal.note(f"ended with {life.code}")
        self.note(f"the agent ended with {life.code}")
        self.stop_post()
        self.life = None
        self.may_restart_at = self.now() + self.unit.restart_s
        if life.code in self.unit.final:
            self.given_up, self.wanted = life.code, False

    def stop_post(self):
        for command in self.unit.stop_posts(self.godwit, self.own_paths):
            try:
                done = subprocess.run(
                    command, capture_output=True, text=True, timeout=self.unit.stop_s,
                    env={**os.environ, "STATE_DIRECTORY": self.folder})
                self.power_offs.append((self.now(), done.returncode, (done.stdout + done.stderr).strip()))
            except subprocess.TimeoutExpired:
                self.power_offs.append((self.now(), None, "did not end"))
                self.note("power off did not end")

    def watch(self, life):
        silent = self.now() - life.fed - self.stalled(life.fed)
        if silent > (life.watchdog_s or self.unit.watchdog_s) and not getattr(life, "aborted", None):
            life.aborted = self.now()
            self.watchdog_kills.append(life.aborted)
            self.note("the watchdog barks")
            os.kill(life.pid, self.unit.watchdog_signal)
        elif getattr(life, "aborted", None) and self.now() - life.aborted > self.unit.abort_s:
            os.kill(life.pid, signal.SIGKILL)

    def listen(self):
        while True:
            words = self.notify.recv(8192).decode(errors="replace")
            life = self.life
            if life is None:
                continue
            if "WATCHDOG=trigger" in words:
                life.fed = float("-inf")
            elif "WATCHDOG=1" in words:
                life.fed = self.now()
            asked = re.search(r"WATCHDOG_USEC=(\d+)", words)
            if asked:
                life.watchdog_s = int(asked.group(1)) / 1e6
