"""The service as the checks in the guest see it."""
import subprocess, time

from Guest.inside import asked_status, read, wait_for

SETTINGS = "/etc/godwit/godwit.toml"


def shell(*command):
    return subprocess.run(command, capture_output=True, text=True)


def show(key, unit="godwit"):
    return shell("systemctl", "show", "--value", "-p", key, unit).stdout.strip()


def facts(unit="godwit"):
    """/proc/PID/status of its main process, as a dictionary."""
    lines = read(f"/proc/{show('MainPID', unit)}/status").splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def journal(unit="godwit"):
    return shell("journalctl", "-u", unit, "-o", "cat", "--no-pager").stdout


def status():
    return asked_status("/run/godwit")


def line():
    """The folder of the GPS module's power line."""
    return read("/run/rig/device") + "/sim_gpio17"


def level():
    return int(read(f"{line()}/value"))


def since(began):
    return time.monotonic() - began


def powered(timeout_s=60):
    wait_for("an active agent with the GPS on", lambda: show("ActiveState") == "active" and level() == 1, timeout_s)
