"""One box of an episode with everything around it: receiver, server, systemd, and who watches them."""
import json, os, sqlite3, subprocess, time

from .machine import Machine
from .nmea import RealReceiver
from .observers import Poller, PowerWatch
from .receiver import LATITUDE, LONGITUDE, JSONReceiver
from .server import TOKEN, Server, identity
from .supervisor import Supervisor

DEVICE = "chaos-van"
# Of the unit's `godwit power off`, whatever it is told besides.
GEOFENCES = {"type": "FeatureCollection", "features": [{
    "type": "Feature", "geometry": {"type": "Point", "coordinates": [LONGITUDE, LATITUDE]},
    "properties": {"id": "yard", "radius_m": 200}}]}


class Vehicle:
    def __init__(self, folder, godwit, draw):
        """`draw`: the circumstances, as plan.py draws them."""
        self.folder, self.godwit = folder, godwit
        self.machine = Machine()
        self.now = self.machine.now
        self.timeline = []
        # Labels of faults that nobody met.
        self.unmet = set()
        # Ends of the names of the queue's files that were damaged, and whether a start has looked for that since.
        self.damaged, self.is_looked_over = set(), True
        self.queue = folder + "/store/queue.db"
        for name in ("run", "gpio", "store"):
            os.makedirs(f"{folder}/{name}")
        self.line = folder + "/gpio/gps-power"
        self.hz = draw.hz
        kind = RealReceiver if draw.has_real_gpsd and not RealReceiver.missing() else JSONReceiver
        self.receiver = kind(draw.hz, self.line, folder)
        self.server = Server()
        self.server.is_honest_by_range = draw.acknowledges_by_range
        self.window_end = None
        self.settings = self.usual_settings(draw)
        own = ["--config", folder + "/godwit.toml", "--directory", folder + "/run"]
        self.supervisor = Supervisor(folder, godwit, own, self.now, self.machine.stalled, self.note)
        self.power = PowerWatch(self.line, self.now)
        self.poller = Poller(folder, self.supervisor, self.machine)
        self.put_token()
        self.put_geofences()
        if draw.window_s:
            self.close_window_after(draw.window_s)
        elif draw.is_dated:
            days = [time.strftime("%Y-%m-%d", time.gmtime(time.time() + shift)) for shift in (-86_400, 86_400)]
            self.settings[""]["schedule"] = [f"{days[0]}..{days[1]} 00:00-00:00"]

    def note(self, words):
        self.timeline.append((self.now(), words))

    # MARK: Files

    def usual_settings(self, draw):
        folder = self.folder
        return {
            "": {"device_id": DEVICE, "timezone": "UTC", "geofences_file": folder + "/geofences.json"},
            "gps": {
                "port": self.receiver.port, "min_off_s": 1, "settle_timeout_s": 1, "fix_timeout_s": 15,
                "first_fix_timeout_s": 15, "silence_timeout_s": 3, "retry_pause_max_s": 10},
            "gps.power": {
                "mode": "level", "chip": f"simulated:{folder}/gpio", "line": "gps-power", "settle_ms": 100},
            "motion": {"stop_timeout_s": 120, "probe_interval_s": 5, "probe_interval_max_s": 5, "probe_timeout_s": 5},
            "track": {"sampling": "all"},
            "queue": {"path": self.queue, "commit_interval_s": 1, "commit_records": draw.commit_records},
            "sync": {
                "url": f"http://127.0.0.1:{self.server.port}/v1/records", "token_file": folder + "/token",
                "allow_plaintext": True, "sync_interval_s": 2, "sync_threshold": 20, "sync_retry_base_s": 0.5,
                "sync_retry_max_s": 2, "unauthorised_retry_s": 1, "splay_s": 0, "connect_timeout_s": 2,
                "request_timeout_s": 3, "status_interval_s": 10, "max_batch_size": draw.batch, "order": draw.order},
            "run": {"directory": folder + "/run", "log_level": "debug"}}

    def settings_text(self):
        lines = []
        for group, pairs in self.settings.items():
            lines += [f"[{group}]"] if group else []
            lines += [f"{key} = {json.dumps(value)}" for key, value in pairs.items()]
        return "\n".join(lines) + "\n"

    def put_settings(self):
        put(self.folder + "/godwit.toml", self.settings_text(), 0o644)

    def put_token(self):
        put(self.folder + "/token", TOKEN + "\n", 0o600)

    def put_geofences(self):
        put(self.folder + "/geofences.json", json.dumps(GEOFENCES), 0o644)

    def close_window_after(self, seconds):
        """One window that is open now and ends at a second of our choice."""
        wall = time.time()
        begin = int(wall // 60) * 60 - 60
        length = round(wall + seconds) - begin
        when = time.gmtime(begin)
        self.settings[""]["schedule"] = [f"cron {when.tm_min} {when.tm_hour} * * * for {length}s"]
        self.window_end = self.now() + begin + length - wall

    # MARK: Afterwards

    def command(self, *words, timeout_s=60):
        return subprocess.run(
            [self.godwit, *words], capture_output=True, text=True, timeout=timeout_s, errors="replace")

    def remaining(self):
        """(queue, sequence) of what still waits, by the command; None when it cannot be read."""
        done = self.command("queue", "export", "-", "--config", self.folder + "/godwit.toml")
        if done.returncode:
            return None
        return {identity(json.loads(line)["uuid"]): json.loads(line) for line in done.stdout.splitlines() if line}

    def database(self, question):
        database = sqlite3.connect(f"file:{self.queue}?mode=ro", uri=True)
        try:
            return database.execute(question).fetchall()
        finally:
            database.close()

    def close(self):
        self.supervisor.wanted = False
        life = self.supervisor.life
        if life:
            life.process.kill()
            life.process.wait()
        self.supervisor.ends = True
        self.receiver.close()
        self.server.close()


def put(path, content, mode):
    """Beside it and then renamed, whatever stands there."""
    if os.path.isdir(path) and not os.path.islink(path):
        os.rmdir(path)
    with open(path + ".new", "wb") as file:
        file.write(content.encode() if isinstance(content, str) else content)
    os.chmod(path + ".new", mode)
    os.replace(path + ".new", path)
