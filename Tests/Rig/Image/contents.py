"""What is in a card, and what of the image is not."""
import os, re, subprocess

from Guest.inside import demand, read
from Image.workshop import Mounted, firmware, image, loops, partitions

KEY = "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nrig\n-----END PGP PUBLIC KEY BLOCK-----\n"


class Contents:
    """Of one card, made once."""

    def __init__(self, stock, deb, folder, architecture):
        self.stock, self.deb, self.folder, self.architecture = stock, deb, folder, architecture
        self.card = f"{folder}/card.img"

    def all(self):
        return [self.make, self.layout, self.system, self.anonymous, self.programs, self.mistakes, self.written_card]

    def made(self):
        if not os.path.exists(self.card):
            self.make()
        return self.card

    def make(self):
        """Made from the packed image, which stays as it is, with settings, a HAT, a repository, a user and a folder"""
        packed = f"{self.folder}/stock.img.xz"
        subprocess.run(f"xz -0 --stdout {self.stock} >{packed}", shell=True, check=True)
        before = subprocess.run(["sha256sum", packed], capture_output=True, check=True).stdout
        with open(f"{self.folder}/settings.toml", "w") as file:
            file.write("# of the fleet\n[track]\nmax_error_m = 25\n")
        with open(f"{self.folder}/godwit.asc", "w") as file:
            file.write(KEY)
        key = f"{self.folder}/key"
        if not os.path.exists(key):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        done = image(
            packed, "--deb", self.deb, "-o", self.card, "--root-mb", "900", "--ssh-key", f"{key}.pub", "--settings",
            f"{self.folder}/settings.toml", "--keep", "/home/godwit-admin", "--hat", "sixfab", "--repository",
            "https://fleet.test/apt", "--repository-key", f"{self.folder}/godwit.asc")
        demand(done.returncode == 0, f"exit {done.returncode}: {done.stderr[-1500:]}")
        demand(loops(self.folder) == [], "loop devices are left")
        after = subprocess.run(["sha256sum", packed], capture_output=True, check=True).stdout
        demand(before == after, "the image was changed")
        os.remove(packed)
        return done.stdout.strip().splitlines()[-1].split(": ", 1)[1]

    def mistakes(self):
        """Settings with a mistake are refused, with the line, and no card is left"""
        settings, card = f"{self.folder}/mistakes.toml", f"{self.folder}/mistakes.img"
        with open(settings, "w") as file:
            file.write("[track]\nmax_error = 25\n")
        done = image(self.stock, "--deb", self.deb, "-o", card, "--root-mb", "900", "--settings", settings)
        demand(done.returncode == 65 and f"{settings} has mistakes" in done.stderr, f"{done.returncode}: {done.stderr}")
        demand("track.max_error" in done.stderr, f"which one it does not say: {done.stderr}")
        demand(not os.path.exists(card) and loops(self.folder) == [], "something is left behind")

    def layout(self):
        """Three partitions, sound, and the data's with the layout's blocks and journal"""
        stock, card = partitions(self.stock), partitions(self.card)
        demand(card[0] == stock[0] and card[1][0] == stock[1][0], f"{card} of {stock}")
        demand(card[1][1] == 900 << 20 and card[2][1] == 256 << 20, f"{card}")
        demand(card[2][0] % (4 << 20) == 0, "the data's partition is not aligned to 4 MB")
        for number in (2, 3):
            start = card[number - 1][0]
            subprocess.run(["e2fsck", "-fn", f"{self.card}?offset={start}"], check=True, capture_output=True)
        words = firmware(self.card, "cmdline.txt").split()
        demand("resize" not in words and "rootwait" in words and words[2] == "root=PARTUUID=4a7c11e5-02", f"{words}")
        demand(firmware(self.card, "kernel8.img") == "kernel\n" * 9000, "the firmware's files are others")

    def system(self):
        """Read-only by /etc/fstab; what changes is on the data partition; what would grow or ask is masked"""
        with Mounted(self.card, 2, self.folder, "ro") as root, Mounted(self.card, 3, self.folder, "ro") as data:
            mounts = {line.split()[1]: line.split() for line in read(f"{root}/etc/fstab").splitlines()[1:]}
            demand(mounts["/"][3] == "ro,noatime" and mounts["/boot/firmware"][3].startswith("ro,"), f"{mounts}")
            demand(all(mounts[path][2] == "tmpfs" for path in ("/tmp", "/var/tmp", "/var/log")), f"{mounts}")
            paths = [line for line in read(f"{root}/etc/godwit-card.paths").splitlines() if line.startswith("/")]
            wanted = [
                "/etc/godwit", "/etc/apt/sources.list.d", "/var/lib/godwit", "/var/lib/apt", "/var/lib/systemd/linger",
                "/home/godwit-admin"]
            for path in wanted:
                demand(path in paths, f"{path} is not among {paths}")
            for path in paths:
                there, kept = os.lstat(f"{root}{path}"), os.lstat(f"{data}{path}")
                demand((there.st_uid, there.st_mode) == (kept.st_uid, kept.st_mode), f"{path} is another's")
            for unit in ("regenerate_ssh_host_keys.service", "rpi-resize.service"):
                demand(os.readlink(f"{root}/etc/systemd/system/{unit}") == "/dev/null", f"{unit} is not masked")
            demand(os.path.exists(f"{root}/etc/cloud/cloud-init.disabled"), "cloud-init would run")
            settings = read(f"{data}/etc/godwit/godwit.toml")
            demand(settings.startswith("# of the fleet"), f"the settings are others: {settings}")
            demand("/usr/lib/godwit/modem-gps" in settings, f"godwit-setup's lines are gone: {settings}")
            # As godwit-update reads it.
            suite = re.search(r"^VERSION_CODENAME=(.*)$", read(f"{root}/etc/os-release"), re.M)[1]
            line = f"deb [signed-by=/etc/apt/keyrings/godwit.asc] https://fleet.test/apt {suite} main"
            demand(read(f"{data}/etc/apt/sources.list.d/godwit.list") == line, "the repository's line is another")
            demand(read(f"{root}/etc/apt/keyrings/godwit.asc") == KEY.strip(), "the repository's key is another")
            demand(not os.path.exists(f"{root}/usr/sbin/policy-rc.d"), "services may not start")
            demand(read(f"{root}/etc/resolv.conf") == "nameserver 192.0.2.53", "resolv.conf is this machine's")

    def anonymous(self):
        """No machine id, no host key, no seed, no queue"""
        with Mounted(self.card, 2, self.folder, "ro") as root, Mounted(self.card, 3, self.folder, "ro") as data:
            demand(os.path.getsize(f"{root}/etc/machine-id") == 0, "there is a machine id")
            demand(os.readlink(f"{root}/var/lib/dbus/machine-id") == "/etc/machine-id", "D-Bus has an id of its own")
            keys = [name for name in os.listdir(f"{root}/etc/ssh") if name.startswith("ssh_host")]
            demand(not keys, f"host keys: {keys}")
            for place in (root, data):
                left = os.listdir(f"{place}/var/lib/godwit")
                demand(not left, f"/var/lib/godwit has {left}")
            for place in (root, data):
                demand(os.path.getsize(f"{place}/var/lib/systemd/random-seed") == 0, "there is a seed")
            # systemd has a link to a README there.
            files = [os.path.join(place, name) for place, _, names in os.walk(f"{root}/var/log") for name in names]
            logs = [path for path in files if not os.path.islink(path)]
            demand(not logs, f"logs: {logs}")

    def programs(self):
        """The system's own programs run in it: godwit, its check, its user's rights, the card's scripts"""
        with Mounted(self.card, 2, self.folder, "ro") as root:
            subprocess.run(["mount", "--bind", "/proc", f"{root}/proc"], check=True)
            subprocess.run(["mount", "-t", "tmpfs", "tmpfs", f"{root}/run"], check=True)
            try:
                def inside(*command):
                    return subprocess.run(["chroot", root, *command], capture_output=True, text=True)

                version = inside("godwit", "--version")
                demand(version.returncode == 0, f"godwit --version: {version.stderr}")
                is_for = inside("dpkg", "--print-architecture").stdout.strip()
                demand(is_for == self.architecture, f"it is for {is_for}")
                checked = inside("godwit", "check")
                demand("max_error_m" not in checked.stderr, f"godwit check: {checked.stderr}")
                # Outside of a card's system the scripts leave everything alone.
                demand(inside("godwit-card", "writable", "rig").returncode == 0, "dpkg could not run in the image")
                demand(inside("godwit-card", "nonsense").returncode == 64, "godwit-card knows an order nonsense")
                return f"godwit {version.stdout.strip()} on {is_for}, check {checked.returncode}"
            finally:
                subprocess.run(["umount", f"{root}/run", f"{root}/proc"], check=True)

    def written_card(self):
        """Written onto a card, byte for byte, with its partition table last"""
        card = f"{self.folder}/flashed"
        subprocess.run(["truncate", "--size=1300M", card], check=True)
        device = subprocess.run(
            ["losetup", "--find", "--show", card], capture_output=True, text=True, check=True).stdout.strip()
        try:
            done = image(self.stock, "--deb", self.deb, "-o", device, "--yes", "--root-mb", "900")
            demand(done.returncode == 0, f"exit {done.returncode}: {done.stderr[-800:]}")
        finally:
            subprocess.run(["losetup", "--detach", device], check=True)
        demand(len(partitions(card)) == 3, "the card has no partitions")
        start = partitions(card)[1][0]
        subprocess.run(["e2fsck", "-fn", f"{card}?offset={start}"], check=True, capture_output=True)
        os.remove(card)
