"""gpsd as Debian ships it, and with our sandbox: a receiver on a terminal of its own, whose fixes reach the agent."""
import os, pwd, threading, time, tty

from Guest.inside import demand, wait_for, write
from Guest.nmea import sentence
from Systemd.service import journal, shell, show, status

DEVICE = "/run/rig/gps"


def epoch(now):
    """One second of a receiver that stands still under a good sky."""
    clock, date = time.strftime("%H%M%S.00", now), time.strftime("%d%m%y", now)
    place = "4807.0380,N,01131.0000,E"
    return "".join(sentence(body) for body in (
        f"GPGGA,{clock},{place},1,09,0.9,545.4,M,46.9,M,,",
        "GPGSA,A,3,04,05,09,12,24,25,26,29,31,,,,1.6,0.9,1.3",
        f"GPRMC,{clock},A,{place},000.0,000.0,{date},,,A"))


class Receiver:
    """On a terminal of its own; `epoch` is what it says each second."""

    def __init__(self, epoch=epoch):
        self.epoch = epoch
        self.master, slave = os.openpty()
        tty.setraw(slave)
        self.path = os.ttyname(slave)
        # As serial lines are on Debian.
        shell("chown", "root:dialout", self.path)
        os.chmod(self.path, 0o660)
        os.makedirs(os.path.dirname(DEVICE), exist_ok=True)
        # In place of one of before.
        if os.path.islink(DEVICE):
            os.remove(DEVICE)
        os.symlink(self.path, DEVICE)
        self.ends = threading.Event()
        threading.Thread(target=self.play, daemon=True).start()

    def play(self):
        while not self.ends.wait(1):
            os.write(self.master, self.epoch(time.gmtime()).encode())


def listen():
    """Lets gpsd wait for clients, with that receiver."""
    write("/etc/default/gpsd", f'DEVICES="{DEVICE}"\nGPSD_OPTIONS="-b"\nUSBAUTO="false"\n')
    os.makedirs("/run/systemd/system/gpsd.service.d", exist_ok=True)
    write("/run/systemd/system/gpsd.service.d/rig.conf", "[Service]\nDeviceAllow=char-pts rw\n")
    shell("systemctl", "unmask", "gpsd.socket")
    shell("systemctl", "daemon-reload")
    demand(shell("systemctl", "start", "gpsd.socket").returncode == 0, "gpsd.socket does not start")


def gpsd():
    """gpsd in the sandbox is the user gpsd, opens its receiver, and the agent has fixes of it"""
    receiver = Receiver()
    listen()
    done = shell("godwit-setup", "--gpsd-sandbox")
    demand(done.returncode == 0, f"godwit-setup --gpsd-sandbox: {done.stdout} {done.stderr}")
    score = shell("systemd-analyze", "security", "--no-pager", "--threshold=20", "gpsd.service")
    demand(score.returncode == 0, f"gpsd.service: {score.stdout.strip().splitlines()[-1:]}")
    shell("systemctl", "restart", "gpsd")
    shell("systemctl", "restart", "godwit")

    def fixes():
        return (status() or {}).get("gps", {}).get("fixes", 0)

    try:
        wait_for("a fix of the receiver", lambda: fixes() > 0, 120, every_s=0.5)
    except Exception as failure:
        raise type(failure)(f"{failure}; gpsd said: {journal('gpsd')[-1500:]}")
    process = show("MainPID", "gpsd")
    owner = pwd.getpwuid(os.stat(f"/proc/{process}").st_uid).pw_name
    demand(owner == "gpsd", f"gpsd runs as {owner}")
    receiver.ends.set()
    return f"{fixes()} fixes, gpsd runs as {owner}"
