"""What is watched from outside while an episode lasts: the power line, the status, the queue, and the process."""
import json, os, socket, threading, time

from .machine import waited_for_cpu
from .server import identity

CLOCK_TICK = os.sysconf("SC_CLK_TCK")
GIVES_UP_S = 40


class PowerWatch(threading.Thread):
    """(seconds, level) of the simulated line, whenever it changes."""

    def __init__(self, path, now):
        super().__init__(daemon=True)
        self.path, self.now = path, now
        self.changes = [(now(), 0)]
        self.start()

    def run(self):
        while True:
            level = self.level()
            if level is not None and level != self.changes[-1][1]:
                self.changes.append((self.now(), level))
            time.sleep(0.02)

    def level(self):
        try:
            with open(self.path) as file:
                return {"0": 0, "1": 1}.get(file.read(1))
        except OSError:
            return 0

    def high(self, until):
        """[(begin, end)]"""
        edges = [*self.changes, (until, None)]
        return [(when, edges[i + 1][0]) for i, (when, level) in enumerate(self.changes) if level]


def ask(folder, line, timeout_s=GIVES_UP_S):
    """One question on the control socket."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(timeout_s)
        client.connect(folder + "/run/control")
        client.sendall(line.encode() + b"\n")
        answer = b""
        while chunk := client.recv(65_536):
            answer += chunk
        return answer.decode()


class Poller(threading.Thread):
    """Asks the agent, twice a second, how it is and what waits in its queue."""

    def __init__(self, folder, supervisor, machine):
        super().__init__(daemon=True)
        self.folder, self.supervisor, self.machine = folder, supervisor, machine
        # (asked at, seconds until the answer or None)
        self.answers = []
        self.statuses = []
        self.warnings = {}
        # Committed records that were seen: (queue, sequence) → (first seen at, record).
        self.witnessed = {}
        self.through = 0
        # By process: [(seconds, resident MB, descriptors, seconds on a CPU, seconds that it waited for one)]
        self.resources = {}
        self.start()

    def run(self):
        while True:
            life = self.supervisor.life
            if life:
                self.machine.follow(life.pid)
                self.measure(life.pid)
                self.look()
            time.sleep(0.4)

    def look(self):
        asked = self.machine.now()
        try:
            status = json.loads(ask(self.folder, "status"))
        except TimeoutError:
            self.answers.append((asked, None))
            return
        except (OSError, ValueError):
            return
        self.answers.append((asked, self.machine.now() - asked))
        self.statuses.append((self.machine.now(), status))
        for name in status.get("warnings", {}):
            self.warnings.setdefault(name, self.machine.now())
        try:
            self.witness()
        except (OSError, ValueError, KeyError):
            pass

    def witness(self):
        lines = ask(self.folder, f"queue records {self.through}").splitlines()
        records = [json.loads(line) for line in lines if line.startswith('{"accuracy"') or '"uuid"' in line]
        # The newest are in memory alone, as many as it holds by now at most.
        held = json.loads(ask(self.folder, "status"))["queue"]["in_memory"]
        records = records[:max(0, len(records) - held)]
        for record in records:
            queue, sequence = identity(record["uuid"])
            self.witnessed.setdefault((queue, sequence), (self.machine.now(), record))
            self.through = max(self.through, sequence)
        if not records:
            # Numbers may have begun anew.
            self.through = 0

    def measure(self, pid):
        try:
            with open(f"/proc/{pid}/stat") as file:
                stat = file.read().rsplit(")", 1)[1].split()
            descriptors = len(os.listdir(f"/proc/{pid}/fd"))
        except OSError:
            return
        resident_mb = int(stat[21]) * os.sysconf("SC_PAGE_SIZE") / 1e6
        cpu_s = (int(stat[11]) + int(stat[12])) / CLOCK_TICK
        self.resources.setdefault(pid, []).append(
            (self.machine.now(), resident_mb, descriptors, cpu_s, waited_for_cpu(pid)))

    def status(self, since=0.0):
        """The newest one that came after `since`."""
        if self.statuses and self.statuses[-1][0] > since:
            return self.statuses[-1][1]
        return None
