"""A bookworm that knows the repository, and has installed from it with apt."""
import glob, os, shutil

from Guest.guest import here as guest_folder
from Systemd import image
from Updates import system as updates
from Updates import variants

PACKAGES = updates.PACKAGES + ["python3-segno"]
# Nothing of Debian's own is looked for: the guest has no network.
MASKED = [unit for unit in image.MASKED if unit not in ("gpsd.socket", "chrony.service")]
UNIT = image.UNIT.replace("/opt/rig/Systemd/inside {arguments}", "/opt/rig/FirstBox/inside")
# A receiver on a pseudo-terminal, in place of one on a serial line.
GPSD = "[Service]\nDeviceAllow=char-pts rw\n"
SOURCE = "deb [signed-by=/etc/apt/keyrings/godwit.asc] file:/repository bookworm main\n"
UPDATER = "every_h=24\ntrial_min=5\nsettle_s=20\nback_s=60\n"


def install(box, folder):
    """`folder` has dist and apt, as the documented commands have made them."""
    debs = {name: glob.glob(f"{folder}/dist/{name}_*.deb")[0] for name in ("godwit", "godwit-update")}
    made = variants.make(debs["godwit"], folder)
    # Each newer version has a repository of its own, signed with the same key as the first one.
    updates.repositories(box, {name: made[name] for name in ("good", "crashes")}, first=f"{folder}/apt")
    target = box.path("/repositories/first")
    os.makedirs(target)
    for part in ("dists", "pool"):
        shutil.copytree(f"{folder}/apt/{part}", f"{target}/{part}")
        shutil.copytree(f"{folder}/apt/{part}", box.path(f"/repository/{part}"))
    for path in (box.path("/etc/apt/sources.list"), *glob.glob(box.path("/etc/apt/sources.list.d/*"))):
        image.write(path, "")
    image.write(box.path("/etc/apt/sources.list.d/godwit.list"), SOURCE)
    said(box, "apt-get", "-qq", "update")
    said(
        box, "apt-get", "-qq", "install", "-y", "--no-install-recommends", "godwit", "godwit-update", "godwit-collector")
    image.write(box.path("/etc/default/godwit-update"), UPDATER)
    rig(box)


def said(box, *command):
    print("box#", " ".join(command))
    lines = [line for line in box.must(*command).splitlines() if line.startswith(("Setting up", "Unpacking"))]
    print("".join(f"  {line}\n" for line in lines), end="", flush=True)


def rig(box):
    root = os.path.dirname(guest_folder)
    for name in ("Guest", "Systemd", "Updates", "FirstBox"):
        shutil.copytree(f"{root}/{name}", box.path(f"/opt/rig/{name}"), dirs_exist_ok=True)
    units = box.path("/etc/systemd/system/")
    image.write(f"{units}rig.service", UNIT)
    image.link("../rig.service", f"{units}multi-user.target.wants/rig.service")
    os.makedirs(f"{units}gpsd.service.d", exist_ok=True)
    image.write(f"{units}gpsd.service.d/rig.conf", GPSD)
    image.write(box.path("/etc/hostname"), "first-box\n")
    os.makedirs(box.path("/boot/firmware"), exist_ok=True)
    # The rig says when.
    for unit in (*MASKED, "godwit-update.timer", "unattended-upgrades.service"):
        image.link("/dev/null", units + unit)
