"""The agent's package under a running systemd: what dpkg does to the service, and the service to the queue."""
import json, os, sqlite3

from Guest.inside import demand, read, wait_for
from Systemd.service import journal, level, powered, shell, show, status

QUEUE = "/var/lib/godwit/queue.db"


def dpkg(*arguments):
    done = shell("dpkg", *arguments)
    demand(done.returncode == 0, f"dpkg {' '.join(arguments)}: {done.stdout[-800:]} {done.stderr[-800:]}")
    return done.stderr


def version():
    return shell("dpkg-query", "-W", "-f", "${Version}", "godwit").stdout


def waiting():
    done = shell("godwit", "queue", "--json")
    demand(done.returncode == 0, f"godwit queue: {done.stderr}")
    return json.loads(done.stdout)["records"]


def replaced(deb, expected):
    """Puts that package in place of the one that runs. Returns for how many seconds there was no agent."""
    powered()
    process, before = show("MainPID"), waiting()
    dpkg("--install", f"/opt/rig/debs/{deb}.deb")
    demand(version() == expected, f"the version is {version()}")
    wait_for("the new process", lambda: show("ActiveState") == "active" and show("MainPID") not in ("0", process), 60)
    wait_for("its status", lambda: os.path.exists("/run/godwit/status.json"))
    demand(waiting() >= before, f"{waiting()} records wait, before there were {before}")
    demand("settings_refused" not in status()["warnings"], "the settings are refused")
    return (int(show("ActiveEnterTimestampMonotonic")) - int(show("ActiveExitTimestampMonotonic"))) / 1e6


def upgrade():
    """A newer package in place of the one that runs: the queue goes on"""
    return f"{replaced('new', '9999+deb12u1'):.1f} s without an agent"


def downgrade():
    """And an older one in place of that"""
    return f"{replaced('old', '0.0.1+deb12u1'):.1f} s without an agent"


def form(number):
    """Sets the form that the queue has; returns what it was."""
    owner = os.stat(QUEUE)
    database = sqlite3.connect(QUEUE)
    was = database.execute("PRAGMA user_version").fetchone()[0]
    database.execute(f"PRAGMA user_version = {number}")
    database.close()
    for name in (QUEUE, f"{QUEUE}-wal", f"{QUEUE}-shm"):
        if os.path.exists(name):
            os.chown(name, owner.st_uid, owner.st_gid)
    return was


def older_program():
    """A program that does not know the queue's form ends, says what to do, and goes on once the newer one is back"""
    shell("systemctl", "stop", "godwit")
    known = form(99)
    shell("systemctl", "start", "--no-block", "godwit")
    wait_for("its words", lambda: "install the newer program again, or move the file away" in journal(), 60)
    wait_for("another start", lambda: int(show("NRestarts")) > 0, 60)
    demand(level() == 0, "the GPS is on")
    shell("systemctl", "stop", "godwit")
    demand(form(known) == 99, "the older program has changed the queue")
    demand(shell("systemctl", "start", "godwit").returncode == 0, "it does not go on")
    powered()


def switched_off():
    """An upgrade does not start what somebody has switched off"""
    shell("systemctl", "disable", "--now", "godwit")
    dpkg("--install", "/opt/rig/debs/new.deb")
    demand(show("ActiveState") == "inactive", f"it is {show('ActiveState')}")
    shell("systemctl", "enable", "--now", "godwit")
    powered()


def removed():
    """dpkg --remove: the GPS is off, queue and settings stay"""
    dpkg("--remove", "godwit")
    demand(show("ActiveState") == "inactive" and level() == 0, f"it is {show('ActiveState')}, the line {level()}")
    demand(os.path.exists(QUEUE) and os.path.exists("/etc/godwit/godwit.toml"), "queue or settings are gone")


def purged():
    """dpkg --purge: nothing is left but what somebody has put there himself"""
    dpkg("--purge", "godwit")
    demand(not os.path.exists("/var/lib/godwit") and not os.path.exists("/etc/godwit/godwit.toml"), "something is left")
    demand(os.path.exists("/etc/godwit/token"), "the operator's token is gone")


def installed():
    """Installed on a running system: chips that are there get their group, and the agent starts"""
    chip = "/dev/" + os.path.basename(read("/run/rig/device"))
    os.chown(chip, 0, 0)
    os.chmod(chip, 0o600)
    dpkg("--install", "/opt/rig/debs/old.deb")
    demand(shell("stat", "-c", "%G %a", chip).stdout.split() == ["gpio", "660"], "the chip is root's alone")
    demand(show("ActiveState") == "active", f"it is {show('ActiveState')}")
    demand(shell("godwit", "check").returncode == 0, "the settings are not fine")
    demand(shell("stat", "-c", "%U %a", "/var/lib/godwit").stdout.split() == ["godwit", "750"], "the folder's owner")


ALL = [upgrade, downgrade, older_program, switched_off, removed, purged, installed]
