"""The box as the cases in the guest see and handle it."""
import json, os, time

from Guest.inside import demand, wait_for, write
from Systemd import receiver
from Systemd.server import serve
from Systemd.service import shell, show

OLD = "0.0.1+deb12u1"
DPKG_LOG = "/var/log/dpkg.log"


class Vehicle:
    """What the receiver says: under a good sky, parked or driving east."""

    def __init__(self):
        self.speed_kn, self.minutes_e = 0.0, 31.0
        self.receiver = receiver.Receiver(self.epoch)

    def epoch(self, now):
        self.minutes_e += self.speed_kn * 1852 / 3600 / 1240
        clock, date = time.strftime("%H%M%S.00", now), time.strftime("%d%m%y", now)
        place = f"4807.0380,N,011{self.minutes_e:07.4f},E"
        return "".join(receiver.sentence(body) for body in (
            f"GPGGA,{clock},{place},1,09,0.9,545.4,M,46.9,M,,",
            "GPGSA,A,3,04,05,09,12,24,25,26,29,31,,,,1.6,0.9,1.3",
            f"GPRMC,{clock},A,{place},{self.speed_kn:05.1f},090.0,{date},,,A"))


# MARK: What is there


def installed():
    return shell("dpkg-query", "-W", "-f", "${Version}", "godwit").stdout


def is_whole():
    return shell("dpkg-query", "-W", "-f", "${db:Status-Abbrev}", "godwit").stdout == "ii "


def answer():
    """The status document, asked of the agent; None if it does not answer."""
    done = shell("timeout", "20", "godwit", "status", "--json")
    return json.loads(done.stdout) if done.returncode == 0 else None


def answers():
    return show("ActiveState") == "active" and answer() is not None


def figure(*path):
    value = answer() or {}
    for key in path:
        value = value.get(key, {})
    return value or None


def on_trial():
    return os.path.exists("/var/lib/godwit-update/trial")


def said():
    """The updater's last word."""
    try:
        with open("/var/lib/godwit-update/status") as file:
            return dict(line.rstrip("\n").split("=", 1) for line in file)
    except FileNotFoundError:
        return {}


# MARK: What is done


def begin():
    """An agent that has reached its server, with nothing to track."""
    serve()
    open(DPKG_LOG, "a").close()
    wait_for("the agent", answers, 120, every_s=0.5)
    shell("godwit", "sync")
    wait_for("a delivery", lambda: (figure("sync") or {}).get("last_delivery_ago_s") is not None, 120, every_s=0.5)


def publish(name):
    """The repository has this newer version from now on."""
    # A root that is read-only has a link to where this can be changed.
    is_fixed = os.path.islink("/repository") and os.readlink("/repository") == "/run/repository"
    place = "/run/repository" if is_fixed else "/repository"
    if os.path.islink(place):
        os.remove(place)
    elif os.path.lexists(place):
        os.rmdir(place)
    os.symlink(f"/repositories/{name}", place)


def trial(minutes):
    write("/etc/default/godwit-update", f"every_h=24\ntrial_min={minutes}\nsettle_s=10\nback_s=30\n")


def update():
    """As the timer does, at once."""
    return shell(
        "systemd-run", "--quiet", "--wait", "--collect", "--pipe", "--unit=godwit-update-by-hand", "godwit-update", "run",
        "--now")


def ready():
    """Nothing speaks against an update: it is known what the agent can do."""
    wait_for("the agent", answers, 120, every_s=0.5)
    shell("godwit", "sync")
    wait_for("an update to be possible", lambda: shell("godwit-update", "may").returncode == 0, 400, every_s=1)


def judged(version, state, timeout_s):
    """Updates to that version, and waits for the verdict. Returns its reason."""
    done = update()
    wait_for("the verdict", lambda: not on_trial() and said().get("state") != "trial", timeout_s, every_s=0.5)
    found = said()
    words = f"{found}; {done.stdout[-1500:]} {done.stderr[-1500:]}"
    demand(found.get("version") == version and found["state"] == state, words)
    return found["reason"]
