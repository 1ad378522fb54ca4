"""Cards on this machine: made with deploy/image, looked into, changed."""
import os, re, subprocess

from Guest.guest import repo
from Guest.inside import demand

SECTOR = 512


def image(*arguments, user=None, timeout_s=None):
    """Runs deploy/image."""
    command = [f"{repo}/deploy/image", *arguments]
    if user:
        command = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *command]
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=timeout_s)


def loops(folder):
    """Loop devices on what lies in the folder."""
    listed = subprocess.run(
        ["losetup", "--list", "--noheadings", "--output", "BACK-FILE"], capture_output=True, text=True)
    return [line for line in listed.stdout.splitlines() if line.strip().startswith(folder)]


def partitions(path):
    """Start and size of each, in bytes."""
    dump = subprocess.run(["sfdisk", "--dump", path], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"start= *(\d+), size= *(\d+)", dump)
    return [(int(start) * SECTOR, int(size) * SECTOR) for start, size in found]


class Mounted:
    """A partition of a card as a folder. 1: the firmware's cannot be, see `firmware`."""

    def __init__(self, card, number, folder, options="rw"):
        start, size = partitions(card)[number - 1]
        self.folder = f"{folder}/part{number}"
        os.makedirs(self.folder, exist_ok=True)
        subprocess.run(
            ["mount", "-t", "ext4", "-o", f"loop,{options},offset={start},sizelimit={size}", card, self.folder],
            check=True)

    def __enter__(self):
        return self.folder

    def __exit__(self, *_):
        subprocess.run(["umount", self.folder], check=True)


def firmware(card, name):
    """The text of a file on the firmware's partition."""
    at = partitions(card)[0][0]
    return subprocess.run(
        ["mtype", "-i", f"{card}@@{at}", f"::{name}"], capture_output=True, text=True, check=True).stdout


def put_firmware(card, source, name):
    at = partitions(card)[0][0]
    subprocess.run(["mcopy", "-o", "-i", f"{card}@@{at}", source, f"::{name}"], check=True)


def package(folder, name, architecture, version="1", script=None):
    """A small Debian package that installs one file."""
    tree = f"{folder}/{name}-{architecture}-{version}.tree"
    os.makedirs(f"{tree}/DEBIAN")
    os.makedirs(f"{tree}/usr/share/{name}")
    with open(f"{tree}/usr/share/{name}/version", "w") as file:
        file.write(version + "\n")
    with open(f"{tree}/DEBIAN/control", "w") as file:
        file.write(f"Package: {name}\nVersion: {version}\nArchitecture: {architecture}\n"
                   "Maintainer: Rig <rig@example.com>\nDescription: a package of the rig\n")
    if script:
        with open(f"{tree}/DEBIAN/postinst", "w") as file:
            file.write(script)
        os.chmod(f"{tree}/DEBIAN/postinst", 0o755)
    path = f"{tree[:-5]}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, path], check=True, stdout=subprocess.DEVNULL)
    return path


def refused(done, status, words):
    """It ended with this status, and said these words and no trace of a shell."""
    said = done.stderr.strip()
    demand(done.returncode == status, f"exit {done.returncode}, not {status}: {said[-600:]}")
    demand(words in said, f"it does not say \"{words}\" but: {said[-600:]}")
    demand("line " not in said, f"a shell's own words: {said[-600:]}")
