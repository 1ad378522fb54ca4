"""What counts at once on a system that runs."""
import subprocess

# Where Debian's programs look whether the system is to be started anew.
RESTART = "/run/reboot-required"


def apply(tree, services):
    if not tree.is_live:
        return
    for command in commands(services):
        done = subprocess.run(command, capture_output=True, text=True)
        said = "" if done.returncode == 0 else f": {(done.stderr or done.stdout).strip()}"
        print(f"{' '.join(command)}{said}")
    if "boot" in services:
        with open(RESTART, "w", encoding="utf-8") as file:
            file.write("*** System restart required ***\n")


def is_active(unit):
    return subprocess.run(["systemctl", "is-active", "--quiet", unit]).returncode == 0


def commands(services):
    """Only what was changed, and what runs; what starts later reads the new files by itself."""
    made = []
    if services & {"manager", "gpsd", "gpsd-socket", "udev"}:
        made.append(["systemctl", "daemon-reload"])
    made += [["systemctl", "stop", unit] for unit in sorted(services) if unit.endswith(".service")]
    if "udev" in services:
        made += [["udevadm", "control", "--reload"], ["udevadm", "trigger", "--settle", "--subsystem-match=tty"]]
    if "gpsd-socket" in services:
        # A socket's addresses change with its start alone, and gpsd holds the old one.
        made.append(["systemctl", "stop", "gpsd.service", "gpsd.socket"])
    if services & {"gpsd", "gpsd-socket"}:
        made += [["systemctl", "try-restart", "gpsd.service"], ["systemctl", "start", "gpsd.socket"]]
    if "chrony" in services:
        made.append(["systemctl", "try-restart", "chrony.service"])
    if "journald" in services:
        made.append(["systemctl", "restart", "systemd-journald.service"])
    if "network" in services and is_active("NetworkManager.service"):
        made.append(["nmcli", "connection", "reload"])
    if "godwit" in services:
        made.append(["systemctl", "try-restart", "godwit.service"])
    return made
