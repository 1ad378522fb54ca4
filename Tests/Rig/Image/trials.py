"""Updates on trial on a card: godwit-update and its read-only root."""
import glob, os, re, shutil, subprocess

from Guest.guest import here as guest_folder
from Guest.inside import demand
from Image.boots import Boot, flash, prepare
from Image.workshop import Mounted, image, partitions
from Updates import system, variants

OLD, NEW, BAD = "0.0.1+deb12u1", "1.0+deb12u1", "2.0+deb12u1"
SOURCE = "deb [signed-by=/etc/apt/keyrings/godwit.asc] file:/repository bookworm main\n"
# A card is named by its machine, has no line of this rig's, and no token that is in the image.
SETTINGS = re.sub(
    r"(?s)\[gps\.power\].*?\n\n|device_id[^\n]*\n|token_file[^\n]*\n", "", system.CLOSED)
# Which version comes, what dpkg says when the power goes, and what may have become of it after the next boot.
CUTS = [
    ("good", f"status half-installed godwit:amd64 {OLD}", ["failed", "rolled_back"]),
    ("good", f"status unpacked godwit:amd64 {NEW}", ["rolled_back", "good"]),
    ("crashes", f"status half-installed godwit:amd64 {BAD}", ["rolled_back"]),
]
ORDERS = "exec python3 -B /opt/rig/Updates/inside\n"


class Root:
    """Of a card, as the repositories' maker wants it."""

    def __init__(self, folder, root):
        self.folder, self.root = folder, root

    def path(self, inside):
        return self.root + inside


class Trials:
    """stock: the image; deb: godwit's package, with that of godwit-update in the same folder."""

    def __init__(self, stock, deb, folder, size):
        self.stock, self.deb, self.size = stock, deb, size
        self.folder = f"{folder}/trials"
        self.card = f"{self.folder}/card.img"

    def all(self):
        return [self.made_for_updates, self.good_on_a_card, self.bad_on_a_card, self.cut_on_a_card]

    def made_for_updates(self):
        """A card with godwit-update, whose repositories are on it"""
        os.makedirs(self.folder)
        [updater] = glob.glob(f"{os.path.dirname(self.deb)}/godwit-update_*.deb")
        old = variants.variant(self.deb, self.folder, "old", OLD, None, {})
        newer = {name: variants.variant(self.deb, self.folder, name, *variants.VARIANTS[name])
                 for name in ("good", "crashes")}
        with open(f"{self.folder}/settings.toml", "w") as file:
            file.write(SETTINGS)
        done = image(
            self.stock, "--deb", old, "--deb", updater, "-o", self.card, "--root-mb", "1100", "--settings",
            f"{self.folder}/settings.toml")
        demand(done.returncode == 0, f"exit {done.returncode}: {done.stderr[-1500:]}")
        prepare(self.card, self.folder)
        with Mounted(self.card, 2, self.folder) as root:
            system.repositories(Root(self.folder, root), newer)
            # Which of them it is, changes while root is read-only.
            os.symlink("/run/repository", f"{root}/repository")
            with open(f"{root}/etc/default/godwit-update", "w") as file:
                file.write(system.UPDATER.format(minutes=1))
            for name in ("Guest", "Systemd", "Updates"):
                shutil.copytree(f"{os.path.dirname(guest_folder)}/{name}", f"{root}/opt/rig/{name}")
            for unit in ("godwit-update.timer", "unattended-upgrades.service", "apt-daily.timer",
                         "apt-daily-upgrade.timer"):
                os.symlink("/dev/null", f"{root}/etc/systemd/system/{unit}")
        with Mounted(self.card, 3, self.folder) as data:
            for path in glob.glob(f"{data}/etc/apt/sources.list.d/*"):
                os.remove(path)
            with open(f"{data}/etc/apt/sources.list.d/godwit.list", "w") as file:
                file.write(SOURCE)
        with Mounted(self.card, 2, self.folder) as root, open(f"{root}/etc/apt/sources.list", "w"):
            pass
        self.data_mb = (self.size - partitions(self.card)[2][0]) >> 20

    def updated(self, name, mark=None):
        """A card on which that version has come; the power goes at that line."""
        card = flash(self.card, f"{self.folder}/box", self.size)
        boot = Boot(
            card, orders=ORDERS, cut_at=f"mark: {mark}" if mark else None, timeout_s=3600,
            words=["rig.order=cut", f"rig.package={name}"])
        if mark:
            demand(boot.was_cut, f"it never said \"{mark}\": {' | '.join(boot.lines[-12:])}")
        else:
            demand("mark: end" in boot.ended().lines, f"no verdict: {' | '.join(boot.lines[-12:])}")
        return card

    def after(self, card, name, states):
        """What became of it, by the next boot; and the one after that is a sound box."""
        boot = Boot(
            card, orders=ORDERS, timeout_s=3600,
            words=["rig.order=after", f"rig.package={name}", f"rig.states={','.join(states)}"]).ended()
        said = [line[7:].strip() for line in boot.lines if line.startswith("after: ")]
        demand(said, f"{' | '.join(boot.lines[-20:])}")
        Boot(card, orders="true").sound(self.data_mb)
        return said[0]

    def good_on_a_card(self):
        """A good version is installed on the read-only root, tried, and stays"""
        return self.after(self.updated("good"), "good", ["good"])

    def bad_on_a_card(self):
        """One that crashes goes back by itself, and root is read-only after it"""
        return self.after(self.updated("crashes"), "crashes", ["rolled_back"])

    def cut_on_a_card(self):
        """The power is cut while dpkg writes root: one version is there, whole, and a good one comes next time"""
        return ", ".join(
            f"{mark}: {self.after(self.updated(name, mark), name, states)}" for name, mark, states in CUTS)
