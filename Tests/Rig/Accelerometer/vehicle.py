"""A vehicle with an agent, a simulated accelerometer, and a gpsd that says where the vehicle is."""
import glob, json, os, socket, threading, time

from Guest.inside import NOON, Agent, demand, read, set_clock, wait_for, write

DEVICES = "/sys/kernel/config/iio/devices/dummy"
SETTINGS = """
device_id = "rig"
[gps]
port = 2947
[gps.power]
mode = "none"
[accelerometer]
name = "lis3dh"
[queue]
path = "FOLDER/queue.db"
[run]
directory = "FOLDER/run"
log_level = "debug"
"""


class Chip:
    """Its values are thousandths of m/s²; it tells when the first axis jumps by more than the threshold."""

    def __init__(self, name="lis3dh"):
        self.config = f"{DEVICES}/{name}"
        os.mkdir(self.config)
        names = [path for path in glob.glob("/sys/bus/iio/devices/iio:device*/name") if read(path) == name]
        self.folder = os.path.dirname(names[0])
        self.node = "/dev/" + os.path.basename(self.folder)

    def measures(self, **axes):
        for axis, value in axes.items():
            write(f"{self.folder}/in_accel_{axis}_raw", value)

    def jolt(self, size):
        """There and back."""
        self.measures(x=size)
        self.measures(x=0)

    def told_above(self):
        """The threshold; None: it is to tell nothing."""
        if read(f"{self.folder}/events/in_accel_x_roc_rising_en") == "0":
            return None
        return int(read(f"{self.folder}/events/in_accel_x_roc_rising_value"))

    def unplug(self):
        os.rmdir(self.config)


class Satellites:
    """A gpsd with one receiver, which has a fix each second."""

    def __init__(self):
        self.east_m, self.speed_mps = 0.0, 0.0
        self.server = socket.create_server(("127.0.0.1", 2947))
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.ends.is_set():
            try:
                client, _ = self.server.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client:
            try:
                self.say(client, {"class": "VERSION", "release": "3.22", "proto_major": 3, "proto_minor": 14})
                while not self.ends.wait(1):
                    self.say(client, self.report())
            except OSError:
                return

    def report(self):
        self.east_m += self.speed_mps
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
        return {
            "class": "TPV", "device": "/dev/rig", "mode": 3, "time": seconds, "lat": 47.0,
            "lon": 8.0 + self.east_m / 75_900, "altHAE": 400.0, "epx": 3.0, "epy": 3.0, "epv": 5.0,
            "speed": self.speed_mps, "track": 90.0}

    def say(self, client, message):
        client.sendall(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def close(self):
        self.ends.set()
        self.server.shutdown(socket.SHUT_RDWR)
        self.server.close()
        self.thread.join()


class Vehicle:
    def __init__(self, godwit, folder):
        os.makedirs(folder)
        set_clock(NOON, synchronised=True)
        self.satellites, self.chips = Satellites(), []
        self.agent = Agent(godwit, folder, SETTINGS)

    def chip(self):
        self.chips.append(Chip())
        return self.chips[-1]

    def unplug(self, chip):
        self.chips.remove(chip)
        chip.unplug()

    def parked(self):
        """Started, and seen standing in its place."""
        self.agent.started()
        wait_for("it to be parked", lambda: (self.agent.status() or {}).get("motion") == "stationary", 300, every_s=1)
        wait_for("the GPS to go off", lambda: not self.is_looking(), 300, every_s=1)

    def is_looking(self):
        return "GPS off" not in self.agent.said().split("GPS on")[-1]

    def lines(self):
        return (self.agent.status() or {}).get("lines", {})

    def drive(self, speed_mps=12.0):
        self.satellites.speed_mps = speed_mps

    def records(self):
        """What waits, as text without blanks and with the members of extras as they are."""
        path = f"{self.agent.folder}/export.{time.monotonic_ns()}"
        code, words = self.agent.run("queue", "export", "--config", self.agent.settings, path)
        demand(code == 0, f"export: {words}")
        return read(path).replace(" ", "").replace('\\"', '"')

    def journal(self):
        return "\n".join(f"  | {line}" for line in self.agent.said().splitlines()[-25:])

    def close(self):
        self.agent.close()
        self.satellites.close()
        for chip in list(self.chips):
            self.unplug(chip)
