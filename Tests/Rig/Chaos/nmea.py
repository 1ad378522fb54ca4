"""A module on a pty behind the real gpsd."""
import os, pty, shutil, signal, socket, subprocess, threading, time, tty

from Guest.nmea import degrees, sentence

from .machine import Unexpected, wait_for
from .receiver import SPEED_MPS, Receiver


def sentences(report):
    """GGA, GSA and RMC of one TPV."""
    stamp = report["time"]
    time_of_day, date = stamp[11:22].replace(":", ""), stamp[8:10] + stamp[5:7] + stamp[2:4]
    where = degrees(report["lat"], "N", "S", 2) + "," + degrees(report["lon"], "E", "W", 3)
    knots = report.get("speed", SPEED_MPS) / 0.514444
    return "".join(map(sentence, (
        f"GPGGA,{time_of_day},{where},1,08,0.9,43.0,M,20.0,M,,",
        "GPGSA,A,3,01,02,03,04,05,06,07,08,,,,,1.5,0.9,1.2",
        f"GPRMC,{time_of_day},A,{where},{knots:.2f},{report['track']:.1f},{date},,,A")))


class RealReceiver(Receiver):
    """The real gpsd, which reads what a module of ours writes while its power line is high."""

    def __init__(self, hz, power, folder):
        super().__init__(hz, power)
        self.folder = folder
        self.master, slave = pty.openpty()
        tty.setraw(slave)
        self.device = os.ttyname(slave)
        os.chmod(self.device, 0o666)
        os.set_blocking(self.master, False)
        self.process = None
        self.start()
        threading.Thread(target=self.write, daemon=True).start()

    @staticmethod
    def missing():
        return None if shutil.which("gpsd") else "gpsd is missing (deploy/packages test)"

    def start(self):
        if self.port is None:
            with socket.create_server(("127.0.0.1", 0)) as free:
                self.port = free.getsockname()[1]
        # Each its own shared memory, or they would share one.
        alone = ["unshare", "--ipc"] if os.geteuid() == 0 else []
        with open(self.folder + "/gpsd.log", "a") as log:
            self.process = subprocess.Popen(
                [*alone, "gpsd", "-N", "-b", "-S", str(self.port), "-F", self.folder + "/gpsd.ctl", self.device],
                stdout=log, stderr=log)
        if not wait_for(self.answers, 200):
            raise Unexpected("gpsd does not start: see gpsd.log")

    def answers(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def close(self):
        self.ends = True
        self.kill()

    def write(self):
        due = time.monotonic()
        while not self.ends:
            if self.is_powered():
                self.write_once()
            try:
                os.read(self.master, 4096)
            except OSError:
                pass
            due += 1 / self.hz
            time.sleep(max(0, due - time.monotonic()))

    def write_once(self):
        good = self.report()
        # NMEA has hundredths.
        good["time"] = good["time"][:22] + "0Z"
        told = self.spoil(dict(good)) if self.spoil else good
        if told is None:
            return
        text = told if isinstance(told, bytes) else sentences(told).encode() if told.get("mode") == 3 else b""
        try:
            os.write(self.master, text)
        except OSError:
            return
        if self.spoil is None:
            self.sent.append((time.monotonic(), good["time"]))
