"""A vehicle inside of the guest: a GPS module on a power line, gpsd, and what systemd would be to the agent."""
import os, socket, subprocess, threading, time

from .inside import wait_for, write

PORT = 2947


class Module:
    """Plays a drive on a pty while `level()` is 1, and keeps when it was on: (seconds on the boot clock, level)."""

    def __init__(self, feeder, folder, options, level, every_s=0.2):
        self.link, self.power = f"{folder}/gps", f"{folder}/power"
        self.level, self.every_s = level, every_s
        self.changes = []
        write(self.power, 0)
        self.log = open(f"{folder}/feeder.log", "w")
        self.process = subprocess.Popen(
            [feeder, "--link", self.link, "--power-file", self.power, *options], stdout=self.log, stderr=self.log)
        wait_for("the module", lambda: os.path.exists(self.link))
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.relay)
        self.thread.start()

    def relay(self):
        before = 0
        while not self.ends.wait(self.every_s):
            level = self.level()
            if level != before:
                self.changes.append((time.clock_gettime(time.CLOCK_BOOTTIME), level))
                write(self.power, level)
                before = level

    def close(self):
        self.ends.set()
        self.thread.join()
        self.process.terminate()
        self.process.wait()


class GPSD:
    def __init__(self, folder, link):
        log = open(f"{folder}/gpsd.log", "w")
        self.process = subprocess.Popen(
            ["gpsd", "-N", "-b", "-S", str(PORT), "-F", f"{folder}/gpsd.ctl", link], stdout=log, stderr=log)
        wait_for("gpsd", self.answers)

    @staticmethod
    def answers():
        try:
            socket.create_connection(("127.0.0.1", PORT)).close()
            return True
        except OSError:
            return False

    def close(self):
        self.process.terminate()
        self.process.wait()


class Systemd:
    """The socket of sd_notify(3), and how often the watchdog was fed."""

    def __init__(self, folder, watchdog_s=60):
        path = f"{folder}/notify"
        self.fed, self.told = 0, []
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.environment = {"NOTIFY_SOCKET": path, "WATCHDOG_USEC": str(watchdog_s * 1_000_000)}
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            words = self.socket.recv(4096).decode()
            if "WATCHDOG=1" in words.split("\n"):
                self.fed += 1
            else:
                self.told.append(words)
