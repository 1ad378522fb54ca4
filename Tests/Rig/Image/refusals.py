"""What deploy/image refuses, with which words, and that nothing of it is left behind."""
import os, shutil, signal, subprocess

from Guest.guest import repo
from Guest.inside import demand, wait_for
from Image.workshop import image, loops, package, partitions, refused

NOBODY = "65534"


def expect(status, words, *arguments, user=None):
    refused(image(*arguments, user=user), status, words)


class Refusals:
    """stock: a stand-in; folder: where things may be made, and OUT goes to out/."""

    def __init__(self, stock, folder, architecture):
        self.stock, self.folder = stock, folder
        self.out = f"{folder}/out/card.img"
        os.makedirs(f"{folder}/out")
        self.deb = package(folder, "godwit", architecture)
        self.architecture = architecture

    def all(self):
        return [self.command_line, self.files, self.images, self.packages, self.outputs, self.cards, self.ended]

    def left_nothing(self):
        demand(os.listdir(f"{self.folder}/out") == [], f"left behind: {os.listdir(self.folder + '/out')}")
        demand(loops(self.folder) == [], f"loop devices left: {loops(self.folder)}")

    def variant(self, name, size=None):
        path = f"{self.folder}/{name}"
        if size is None:
            subprocess.run(["cp", "--sparse=always", self.stock, path], check=True)
        else:
            subprocess.run(["truncate", f"--size={size}", path], check=True)
        return path

    # MARK: Cases

    def command_line(self):
        """Mistakes on the command line: 64"""
        ok = [self.stock, "--deb", self.deb, "-o", self.out]
        expect(64, "name an image")
        expect(64, "say where to: -o OUT", self.stock)
        expect(64, "--deb FILE; deploy/build-deb makes it", self.stock, "-o", self.out)
        expect(64, "--hat wants a value", *ok, "--hat")
        expect(64, "unknown option --hats", *ok, "--hats", "x")
        expect(64, "name one image", *ok, "another.img")
        expect(64, "no number of MB", *ok, "--data-mb", "12e3")
        expect(64, "small letters", *ok, "--user", "Root User")
        expect(64, "--keep /usr/lib: a folder under", *ok, "--keep", "/usr/lib")
        expect(64, "--keep /var/../etc", *ok, "--keep", "/var/../etc/x")
        expect(64, "begins with https://", *ok, "--repository", "fleet.test/apt", "--repository-key", self.deb)
        expect(64, "go together", *ok, "--repository", "https://fleet.test/apt")
        expect(64, "has 720 MB already", *ok, "--root-mb", "100")

    def files(self):
        """Files that are not there, or are none: 66, 65; without root: 77"""
        expect(66, "there is no /nowhere.img", "/nowhere.img", "--deb", self.deb, "-o", self.out)
        expect(66, "there is no /nowhere.deb", self.stock, "--deb", "/nowhere.deb", "-o", self.out)
        expect(
            66, "there is no /nowhere.pub", self.stock, "--deb", self.deb, "-o", self.out, "--ssh-key", "/nowhere.pub")
        expect(
            65, "is no public key: deploy/apt-repository makes", self.stock, "--deb", self.deb, "-o", self.out,
            "--repository", "https://fleet.test/apt", "--repository-key", self.deb)
        expect(66, "is no file that can be read", self.folder, "--deb", self.deb, "-o", self.out)
        expect(77, "needs root", self.stock, "--deb", self.deb, "-o", self.out, user=NOBODY)

    def images(self):
        """What is no image of Raspberry Pi OS: 65"""
        def image_of(path, words):
            expect(65, words, path, "--deb", self.deb, "-o", self.out)
            self.left_nothing()

        image_of(__file__, "is no disk image: it has no partition table")
        zeros = self.variant("zeros.img", "64M")
        image_of(zeros, "is no disk image: it has no partition table")
        gpt = self.variant("gpt.img", "64M")
        subprocess.run(["sfdisk", "--quiet", gpt], input="label: gpt\n,16M\n,\n", text=True, check=True)
        image_of(gpt, "another partition table than Raspberry Pi OS (gpt, not dos)")
        one = self.variant("one.img", "64M")
        subprocess.run(["sfdisk", "--quiet", one], input="label: dos\n,\n", text=True, check=True)
        image_of(one, "has 1 partitions, and Raspberry Pi OS two")
        cut = self.variant("cut.img")
        os.truncate(cut, os.path.getsize(cut) // 2)
        image_of(cut, "ends before its partitions do: it is cut off")
        boot, root = partitions(self.stock)
        for at, words in ((boot[0], "first partition has no FAT"), (root[0], "second partition has no ext4")):
            bad = self.variant("bad.img")
            subprocess.run(
                ["dd", "if=/dev/zero", f"of={bad}", "bs=1M", f"seek={at >> 20}", "count=1", "conv=notrunc",
                 "status=none"], check=True)
            image_of(bad, words)
        empty = self.variant("empty.img")
        subprocess.run(
            ["mke2fs", "-q", "-F", "-t", "ext4", "-E", f"offset={root[0]}", empty, f"{root[1] >> 10}k"], check=True,
            stderr=subprocess.DEVNULL)
        image_of(empty, "no Debian system with systemd")
        packed = f"{self.folder}/damaged.img.xz"
        with open(packed, "wb") as file:
            file.write(b"\xfd7zXZ\0" + b"damaged")
        image_of(packed, "is damaged")

    def packages(self):
        """Packages that do not belong there: 65"""
        other = "arm64" if self.architecture != "arm64" else "amd64"
        expect(65, "is no Debian package", self.stock, "--deb", __file__, "-o", self.out)
        expect(65, f"is for {other}, and the image for {self.architecture}", self.stock, "--deb", self.deb,
               "--deb", package(self.folder, "godwit", other, "2"), "-o", self.out)
        self.left_nothing()
        expect(65, "none of the packages is godwit", self.stock, "--deb",
               package(self.folder, "other", self.architecture), "-o", self.out)
        self.left_nothing()

    def outputs(self):
        """Where nothing can be written: 73"""
        there = f"{self.folder}/there.img"
        with open(there, "w") as file:
            file.write("mine")
        expect(73, "is there already", self.stock, "--deb", self.deb, "-o", there)
        demand(open(there).read() == "mine", "the file that was there is another one")
        expect(73, "is no folder that can be written", self.stock, "--deb", self.deb, "-o", "/nowhere/card.img")
        expect(73, "there is no card /dev/nocard", self.stock, "--deb", self.deb, "-o", "/dev/nocard")

    def cards(self):
        """A card that is too small: 73, mounted or otherwise in use: 75, and not asked for: 64. None is written."""
        small = f"{self.folder}/small"
        subprocess.run(["truncate", "--size=200M", small], check=True)
        subprocess.run(["mkfs.ext4", "-q", small], check=True)
        before = subprocess.run(["sha256sum", small], capture_output=True, check=True).stdout
        device = subprocess.run(
            ["losetup", "--find", "--show", small], capture_output=True, text=True, check=True).stdout.strip()
        place = f"{self.folder}/place"
        os.makedirs(place)
        try:
            expect(64, "say --yes", self.stock, "--deb", self.deb, "-o", device)
            expect(
                73, f"{device} has 200 MB, and this card needs", self.stock, "--deb", self.deb, "-o", device, "--yes")
            subprocess.run(["mount", "-o", "ro,noload", device, place], check=True)
            expect(75, f"in use: unmount {place} first", self.stock, "--deb", self.deb, "-o", device, "--yes")
            subprocess.run(["umount", place], check=True)
            # As a partition of it is mounted.
            subprocess.run(["mount", "-o", "loop,offset=0,ro,noload", device, place], check=True)
            expect(75, f"in use: unmount {place} first", self.stock, "--deb", self.deb, "-o", device, "--yes")
            subprocess.run(["umount", place], check=True)
        finally:
            subprocess.run(["umount", place], stderr=subprocess.DEVNULL)
            subprocess.run(["losetup", "--detach", device])
        after = subprocess.run(["sha256sum", small], capture_output=True, check=True).stdout
        demand(before == after, "the card was written")

    def ended(self):
        """Ended while the system is mounted, in order and by kill -9: nothing stays mounted or attached"""
        for what in (signal.SIGTERM, signal.SIGKILL):
            made = subprocess.Popen(
                [f"{repo}/deploy/image", self.stock, "--deb", self.deb, "-o", self.out], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            wait_for("a loop device", lambda: loops(f"{self.folder}/out"), 120)
            (os.kill if what == signal.SIGTERM else os.killpg)(made.pid, what)
            made.wait(120)
            wait_for("no loop device", lambda: not loops(self.folder), 30)
            mounts = open("/proc/self/mounts").read()
            demand(f"{self.folder}/out" not in mounts, "something is still mounted")
            demand(not os.path.exists(self.out), "there is a card")
            if what == signal.SIGTERM:
                demand(made.returncode == 143, f"it ended with {made.returncode}")
                self.left_nothing()
        shutil.rmtree(f"{self.folder}/out")
