"""Versions that are good and others, one after the other, on one box."""
import sqlite3

from Guest.inside import demand, read, wait_for
from Systemd.receiver import listen
from Systemd.service import journal, shell, show
from Updates import box
from Updates.box import OLD

PREFERENCES = "/etc/apt/preferences.d/godwit-update"
# The vehicle of all cases.
vehicle = None
good = OLD


def locks():
    return shell("systemd-inhibit", "--list", "--no-pager", "--no-legend").stdout


def parked():
    """An agent that hears its receiver, reaches its server, and knows that the vehicle is parked"""
    global vehicle
    vehicle = box.Vehicle()
    listen()
    shell("systemctl", "restart", "godwit")
    box.begin()
    wait_for("a fix", lambda: figure_of("gps", "fixes"), 180, every_s=0.5)
    wait_for("a parked vehicle", lambda: box.figure("motion") == "stationary", 300, every_s=0.5)
    done = shell("godwit-update", "may")
    demand(done.returncode == 0, f"{done.stdout} {done.stderr}")


def figure_of(*path):
    value = box.figure(*path)
    return value if isinstance(value, (int, float)) else None


def in_a_trip():
    """While the vehicle drives nothing is installed, logind is told, and the status says why"""
    vehicle.speed_kn = 30.0
    shell("timeout", "100", "godwit", "locate", "--timeout", "60s")
    wait_for("a trip", lambda: figure_of("trip", "id"), 600, every_s=0.5)
    held = wait_for("the lock", lambda: "godwit" in locks() and locks(), 30, every_s=0.5)
    demand("shutdown" in held and "block" in held, held)
    asked = shell("systemctl", "poweroff", "--check-inhibitors=yes")
    demand(asked.returncode != 0 and "godwit" in asked.stderr, f"whoever asks may switch it off: {asked.stderr}")
    box.publish("good")
    reason = box.judged("1.0+deb12u1", "waiting", 30)
    demand(reason == "a trip is going on", reason)
    demand(box.installed() == OLD, f"{box.installed()} is installed")
    shell("systemctl", "start", "apt-daily-upgrade.service")
    debians = journal("apt-daily-upgrade.service")
    demand("not now: a trip is going on" in debians and "exec-condition" in debians, f"Debian's own updates: {debians}")
    vehicle.speed_kn = 0.0
    wait_for(
        "the trip's end", lambda: box.figure("motion") == "stationary" and not figure_of("trip", "id"), 600, every_s=0.5)
    wait_for("the lock's end", lambda: "godwit" not in locks(), 30, every_s=0.5)
    return "waited, with a lock of logind's"


def switched_off():
    """An agent that somebody has switched off is left alone"""
    box.publish("good")
    shell("systemctl", "stop", "godwit")
    reason = box.judged("1.0+deb12u1", "waiting", 30)
    demand(reason == "the agent is switched off" and box.installed() == OLD, reason)
    shell("systemctl", "start", "godwit")
    wait_for("the agent", box.answers, 60, every_s=0.5)


def good_version():
    """Installed, tried, good: and the agent's own status says so"""
    global good
    box.trial(15)
    box.publish("good")
    box.ready()
    reason = box.judged("1.0+deb12u1", "good", 900)
    demand(reason == "" and box.installed() == "1.0+deb12u1", f"{reason} {box.installed()}")
    good = "1.0+deb12u1"
    # It looks once a minute.
    wait_for("the agent's status", lambda: (box.figure("update") or {}).get("state") == "good", 150, every_s=1)
    told = box.figure("update")
    demand(told == {"state": "good", "version": good, "group": "stable"}, f"{told}")
    return f"{told}"


def bad_version(name, version, words, minutes=1):
    """Taken back, for that reason, and not tried again."""
    box.trial(minutes)
    box.publish(name)
    box.ready()
    reason = box.judged(version, "rolled_back", minutes * 60 + 600)
    demand(words in reason, reason)
    demand(box.installed() == good and box.is_whole(), f"{box.installed()} is installed")
    wait_for("the agent", box.answers, 60, every_s=0.5)
    demand(f"Pin: version {version}" in read(PREFERENCES), read(PREFERENCES))
    box.update()
    demand(box.said()["state"] == "rolled_back" and box.installed() == good, f"it is tried again: {box.said()}")
    return reason


def one_that_crashes():
    """One that crashes at its start"""
    return bad_version("crashes", "2.0+deb12u1", "within 1 min")


def one_that_hangs():
    """One that never says that it is there"""
    return bad_version("hangs", "3.0+deb12u1", "it does not answer within 1 min")


def one_that_cannot_sync():
    """One that does not reach the server which the one before has reached"""
    return bad_version("no-sync", "4.0+deb12u1", "no server has been reached within 2 min", minutes=2)


def one_without_gps():
    """One that does not hear the receiver"""
    return bad_version("no-gps", "5.0+deb12u1", "no receiver has answered within 2 min", minutes=2)


def one_with_a_newer_queue():
    """One that has changed the queue's form: the one before goes on with a queue of its own, and nothing is deleted"""
    reason = bad_version("newer-queue", "6.0+deb12u1", "its queue is kept as /var/lib/godwit/queue.of-6.0+deb12u1.db")
    kept = sqlite3.connect("/var/lib/godwit/queue.of-6.0+deb12u1.db").execute("PRAGMA user_version").fetchone()[0]
    demand(kept == 99, f"the kept queue has version {kept}")
    return reason


def one_whose_scripts_fail():
    """One whose maintainer scripts fail and hang cannot keep the one before away"""
    box.trial(1)
    box.publish("scripts")
    box.ready()
    reason = box.judged("7.0+deb12u1", "rolled_back", 900)
    demand(reason == "it was not installed whole", reason)
    demand(box.installed() == good and box.is_whole() and not shell("dpkg", "--audit").stdout, box.installed())
    wait_for("the agent", box.answers, 60, every_s=0.5)
    # By no fault of its own, as far as is known: the third time is the last.
    demand("7.0" not in read(PREFERENCES), "refused at once")
    for _ in range(2):
        box.ready()
        box.judged("7.0+deb12u1", "rolled_back", 900)
    demand("Pin: version 7.0+deb12u1" in read(PREFERENCES), "not refused after the third time")
    return reason


def better_version():
    """After all of these a newer one is taken"""
    global good
    box.trial(15)
    box.publish("better")
    box.ready()
    box.judged("8.0+deb12u1", "good", 900)
    demand(box.installed() == "8.0+deb12u1", box.installed())
    good = "8.0+deb12u1"


def canary():
    """What a group has, boxes of that group alone get"""
    global good
    box.publish("canary")
    box.ready()
    box.update()
    demand(box.installed() == good, f"{box.installed()} is installed on a box of another group")
    demand(shell("godwit-update", "group", "canary").returncode == 0, "the group is refused")
    demand(shell("godwit-update", "group").stdout.strip() == "canary", shell("godwit-update", "group").stdout)
    box.judged("9.0+deb12u1", "good", 900)
    demand(box.said()["group"] == "canary", f"{box.said()}")
    good = "9.0+deb12u1"
    shell("godwit-update", "group", "stable")
    demand(shell("godwit-update", "group").stdout.strip() == "stable", "it stays a canary")


ALL = [
    parked, in_a_trip, switched_off, good_version, one_that_crashes, one_that_hangs, one_that_cannot_sync,
    one_without_gps, one_with_a_newer_queue, one_whose_scripts_fail, better_version, canary]
