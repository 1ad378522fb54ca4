"""A box with the older version and the updater, and a repository for each newer one."""
import glob, os, shutil, subprocess

from Guest.guest import here as guest_folder, repo
from Packages.box import OLD
from Systemd import image
from Updates import variants

PACKAGES = image.PACKAGES + ["unattended-upgrades", "dpkg-repack", "jq", "polkitd"]
# A canary is found in its group's suite alone.
GROUPS = {"canary": "canary"}
# Parked within seconds, and off as soon as that is known.
SETTINGS = (
    image.SETTINGS.replace("[gps]\n", "[gps]\nport = 2947\n")
    .replace("# No module ever answers: the GPS stays on, and searches.\n", "")
    .replace('when_clock_unknown = "open"', 'when_clock_unknown = "open"\nconfirm_s = 0')
    + "\n[motion]\nstop_timeout_s = 15\n")
# Nothing is to be tracked, and nothing is waited for.
CLOSED = SETTINGS.replace('"open"', '"closed"').replace(
    'device_id = "rig"', 'device_id = "rig"\nschedule = ["Mon 00:00-00:01"]')
UPDATER = "every_h=24\ntrial_min={minutes}\nsettle_s=10\nback_s=30\n"
UNIT = image.UNIT.replace("/opt/rig/Systemd/inside {arguments}", "/opt/rig/Updates/inside")


def repositories(box, debs, first=None):
    """One for each package, all signed with one key. - first: a folder whose key that is."""
    for name, deb in debs.items():
        folder = f"{box.folder}/repositories/{name}"
        os.makedirs(folder)
        if first:
            shutil.copytree(f"{first}.key", f"{folder}.key", ignore=shutil.ignore_patterns("S.*"))
        group = ["--group", GROUPS[name]] if name in GROUPS else []
        done = subprocess.run(
            [f"{repo}/deploy/apt-repository", folder, *group, deb], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"deploy/apt-repository: {done.stdout} {done.stderr}")
        first = first or folder
        target = box.path(f"/repositories/{name}")
        os.makedirs(target)
        for part in ("dists", "pool"):
            shutil.copytree(f"{folder}/{part}", f"{target}/{part}")
    os.makedirs(box.path("/etc/apt/keyrings"), exist_ok=True)
    shutil.copy(f"{first}/godwit.asc", box.path("/etc/apt/keyrings/godwit.asc"))


def install(box, settings, minutes):
    root = box.root
    [old] = [deb for deb in glob.glob(f"{box.folder}/old/*.deb") if "/godwit_" in deb]
    [updater] = glob.glob(f"{box.folder}/old/godwit-update_*.deb")
    repositories(box, variants.make(old, box.folder))
    for deb in (old, updater):
        shutil.copy(deb, box.path("/tmp"))
    # Nothing of Debian's own is looked for: the guest has no network.
    for path in ("/etc/apt/sources.list", *glob.glob(box.path("/etc/apt/sources.list.d/*"))):
        image.write(path if path.startswith(root) else box.path(path), "")
    image.write(
        box.path("/etc/apt/sources.list.d/godwit.list"),
        "deb [signed-by=/etc/apt/keyrings/godwit.asc] file:/repository bookworm main\n")
    box.must("dpkg", "--install", *[f"/tmp/{os.path.basename(deb)}" for deb in (old, updater)])
    image.write(box.path("/etc/default/godwit-update"), UPDATER.format(minutes=minutes))
    image.write(box.path("/etc/godwit/godwit.toml"), settings)
    image.write(box.path("/etc/godwit/token"), "rig\n")
    os.chmod(box.path("/etc/godwit/token"), 0o600)
    box.must("chown", "godwit", "/etc/godwit/token")
    rig = os.path.dirname(guest_folder)
    for folder in ("Guest", "Systemd", "Updates"):
        shutil.copytree(f"{rig}/{folder}", box.path(f"/opt/rig/{folder}"), dirs_exist_ok=True)
    units = box.path("/etc/systemd/system/")
    image.write(f"{units}rig.service", UNIT)
    image.write(f"{units}rig-chip.service", image.CHIP)
    image.write(box.path("/etc/hostname"), "rig\n")
    image.link("../rig-chip.service", f"{units}sysinit.target.wants/rig-chip.service")
    image.link("../rig.service", f"{units}multi-user.target.wants/rig.service")
    # The rig says when.
    for unit in (*image.MASKED, "godwit-update.timer", "unattended-upgrades.service"):
        image.link("/dev/null", units + unit)
