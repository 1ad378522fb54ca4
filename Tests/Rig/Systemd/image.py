"""Debian bookworm with systemd and the agent's package, as a folder and as a disk."""
import os, shutil, subprocess

from Guest.guest import here as guest_folder, repo, skip

PACKAGES = [
    "systemd-sysv", "libpam-systemd", "udev", "dbus", "python3", "python3-dbus", "python3-gi", "tzdata", "gpsd",
    "modemmanager", "chrony", "network-manager", "ca-certificates", "libgps28", "libgpiod2", "libsqlite3-0", "libcurl4",
    "libc-ares2", "zlib1g", "libexpat1", "libjs-leaflet", "libpq5", "libsimdjson14"]
SETTINGS = """device_id = "rig"

# No module ever answers: the GPS stays on, and searches.
[gps]
first_fix_timeout_s = 3600
fix_timeout_s = 3600

[gps.power]
mode = "level"
chip = "pinctrl-rig"
line = "GPIO17"

[clock]
when_clock_unknown = "open"

[sync]
url = "http://127.0.0.1:8099/"
ack = "any"
status_interval_s = 10
token_file = "/etc/godwit/token"
"""
UNIT = """[Unit]
After=godwit.service

[Service]
Type=oneshot
ExecStart=/opt/rig/Systemd/inside {arguments}
StandardOutput=tty
StandardError=tty
TTYPath=/dev/console
"""
CHIP = """[Unit]
DefaultDependencies=no
After=sys-kernel-config.mount
Wants=sys-kernel-config.mount
Before=sysinit.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/opt/rig/Systemd/chip
"""
# Of no use here, and slow.
MASKED = [
    "apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "e2scrub_all.timer", "fstrim.timer",
    "e2scrub_reap.service", "getty@tty1.service", "serial-getty@tty0.service", "systemd-timesyncd.service",
    "systemd-firstboot.service", "ModemManager.service", "gpsd.socket", "chrony.service",
    "NetworkManager.service", "NetworkManager-wait-online.service"]


def debootstrap(system, packages=PACKAGES):
    # What it was made with: one of before lacks packages.
    done, wanted = os.path.join(system, "etc", "godwit-rig"), ",".join(packages)
    if os.path.exists(done):
        with open(done) as file:
            if file.read() == wanted:
                return
    sites = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(SITE)"], capture_output=True, text=True, check=True).stdout.split()
    mirrors = sorted({site for site in sites if "security" not in site})
    if not mirrors:
        skip("apt knows no mirror of Debian")
    shutil.rmtree(system, ignore_errors=True)
    subprocess.run(
        ["debootstrap", "--variant=minbase", "--include=" + wanted, "bookworm", system, mirrors[0]],
        check=True)
    write(done, wanted)


def install(box, arguments):
    """The older one of two packages, and what the rig itself needs."""
    system = box.root

    def put(source, target, mode):
        os.makedirs(os.path.dirname(system + target), exist_ok=True)
        shutil.copyfile(source, system + target)
        os.chmod(system + target, mode)

    for version in ("old", "new"):
        [deb] = [deb for deb in box.debs(version) if "/godwit_" in deb]
        put(deb, f"/opt/rig/debs/{version}.deb", 0o644)
    box.must("dpkg", "--install", "/opt/rig/debs/old.deb")
    for deb in box.debs("new"):
        if "/godwit-collector_" in deb:
            put(deb, "/opt/rig/debs/collector.deb", 0o644)
    put(f"{repo}/Tests/Rig/modem-manager", "/opt/rig/modem-manager", 0o755)
    write(f"{system}/etc/godwit/godwit.toml", SETTINGS)
    write(f"{system}/etc/godwit/token", "rig\n")
    os.chmod(f"{system}/etc/godwit/token", 0o600)
    box.must("chown", "godwit", "/etc/godwit/token")
    for folder in (guest_folder, os.path.dirname(os.path.abspath(__file__))):
        shutil.copytree(folder, f"{system}/opt/rig/{os.path.basename(folder)}", dirs_exist_ok=True)
    write(f"{system}/etc/systemd/system/rig.service", UNIT.format(arguments=" ".join(arguments)))
    write(f"{system}/etc/systemd/system/rig-chip.service", CHIP)
    write(f"{system}/etc/hostname", "rig\n")
    wanted = f"{system}/etc/systemd/system/"
    link("../rig-chip.service", wanted + "sysinit.target.wants/rig-chip.service")
    link("../rig.service", wanted + "multi-user.target.wants/rig.service")
    for unit in MASKED:
        link("/dev/null", wanted + unit)


def link(target, path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.lexists(path):
        os.remove(path)
    os.symlink(target, path)


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def pack(system, disk, megabytes=1024):
    with open(disk, "wb") as file:
        file.truncate(megabytes << 20)
    subprocess.run(["mkfs.ext4", "-q", "-d", system, disk], check=True)
