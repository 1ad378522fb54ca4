"""The real agent, on a drive of its own: what it has delivered, by its own count, must be stored."""
import json, os, subprocess, sys, time

from .machine import PATIENCE_S, Program, repo, skip, wait

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from Chaos.receiver import JSONReceiver  # noqa: E402

DEVICE = "rig-van"
# On a busy machine the drive begins late.
LEAST = 30


def binary():
    path = os.path.abspath(os.environ.get("GODWIT", repo + "/.build/debug/godwit"))
    if not os.access(path, os.X_OK):
        skip(f"there is no agent at {path}: swift build, or let GODWIT name it")
    return path


class Agent:
    """In the place of a fleet that publishes."""
    failure, again, connections = None, 0, 1

    def __init__(self, folder, port, keeper):
        self.folder, self.keeper, self.binary = folder, keeper, binary()
        os.makedirs(folder + "/gpio")
        with open(folder + "/gpio/gps-power", "w") as line:
            line.write("1")
        # Five fixes a second, and each is a record.
        self.receiver = JSONReceiver(5, folder + "/gpio/gps-power", folder)
        settings = {
            "": {"device_id": DEVICE, "timezone": "UTC"},
            "gps": {"port": self.receiver.port, "settle_timeout_s": 1},
            "clock": {"confirm_s": 0, "clock_hold_s": 0},
            "track": {"sampling": "all"},
            "queue": {"path": folder + "/queue.db", "commit_interval_s": 1, "commit_records": 5},
            "sync": {
                "url": f"mqtt://127.0.0.1:{port}/fleet/{{device}}/records", "format": "compact", "ack": "strict",
                "allow_plaintext": True, "sync_interval_s": 1, "sync_threshold": 5, "sync_retry_base_s": 0.2,
                "sync_retry_max_s": 1, "splay_s": 0, "connect_timeout_s": 2, "request_timeout_s": 3, "max_batch_size": 20},
            "run": {"directory": folder + "/run"}}
        os.makedirs(folder + "/run")
        with open(folder + "/godwit.toml", "w") as file:
            for group, pairs in settings.items():
                file.write(f"[{group}]\n" if group else "")
                file.writelines(f"{key} = {json.dumps(value)}\n" for key, value in pairs.items())
        command = [self.binary, "run", "--config", folder + "/godwit.toml"]
        self.program = Program("agent", command, folder, lambda: self.status() is not None)
        self.confirmed = set()

    def status(self):
        answer = subprocess.run(
            [self.binary, "status", "--json", "--config", self.folder + "/godwit.toml"], capture_output=True, text=True)
        return json.loads(answer.stdout) if answer.returncode == 0 and answer.stdout else None

    def start(self):
        self.program.start()

    def finish(self):
        """The drive ends, once there was one, and the queue empties."""
        wait("the agent has delivered something", lambda: self.delivered() >= LEAST)
        self.receiver.pause()
        wait("the agent's queue is empty", lambda: self.waiting() == 0)
        delivered = self.delivered()
        self.program.end()
        self.receiver.close()
        queues = {queue for _, queue, _ in self.keeper.rows()}
        if len(queues) != 1:
            raise SystemExit(f"one agent has one queue, and the database has {len(queues)}")
        self.confirmed = {(DEVICE, next(iter(queues)), number) for number in range(1, delivered + 1)}

    def delivered(self):
        status = self.status()
        return 0 if status is None else status["sync"]["delivered"]

    def waiting(self):
        status = self.status()
        return None if status is None else status["queue"]["records"] + status["queue"]["in_memory"]
