"""The disk under test: image file → volatile-disk (FUSE) → loop device → file system."""
import errno, fcntl, os, struct, subprocess, time

# Large enough that mke2fs takes the defaults of a real card (4096-byte blocks); the image is sparse.
SIZE_MB = 640
# <linux/fs.h> FS_IOC_SHUTDOWN, which ext4 and f2fs share: drop what the kernel has not written, as a dead board does.
SHUTDOWN = 0x8004587D
WITHOUT_LOG_FLUSH = struct.pack("I", 2)


class MountFailed(Exception):
    pass


class Disk:
    def __init__(self, folder, program, file_system, options):
        self.image, self.fuse, self.root = (os.path.join(folder, name) for name in ("image", "fuse", "root"))
        self.after_cut = self.image + ".after-cut"
        self.program, self.file_system, self.options = program, file_system, options
        for path in (self.fuse, self.root):
            os.makedirs(path, exist_ok=True)
        self.process = self.mounting = self.device = self.handle = None
        self.repairs = 0

    def make(self):
        """A new disk with an empty file system."""
        self.close()
        with open(self.image, "wb") as image:
            image.truncate(SIZE_MB << 20)
        quiet = ["-q"] if self.file_system == "ext4" else ["-q", "-f"]
        run(["mkfs." + self.file_system, *quiet, self.image])
        self.process = subprocess.Popen(
            [self.program, self.image, self.fuse], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        while not os.path.exists(self.fuse + "/disk"):
            if self.process.poll() is not None:
                raise SystemExit("power-cuts: volatile-disk does not start")
            time.sleep(0.005)

    def mount(self):
        """Starts to mount: a cut may come before `wait_for_mount`."""
        # A device of its own for each life: one that is used again may remember what the disk forgot.
        self.device = run(["losetup", "--find", "--show", self.fuse + "/disk"])
        self.begin_mount()

    def begin_mount(self):
        options = ["-o", ",".join(self.options)] if self.options else []
        self.mounting = subprocess.Popen(
            ["mount", "-t", self.file_system, *options, self.device, self.root],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )

    def wait_for_mount(self, repair=False):
        mounting, self.mounting = self.mounting, None
        _, words = mounting.communicate()
        if mounting.returncode != 0 and repair and self.file_system == "ext4":
            # As every boot does: a torn superblock has copies.
            self.repairs += 1
            subprocess.run(["e2fsck", "-f", "-y", self.device], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.begin_mount()
            return self.wait_for_mount()
        # As long as it is mounted this only says that it shall go with the mount.
        run(["losetup", "--detach", self.device])
        if mounting.returncode != 0:
            raise MountFailed(" ".join(words.split()))
        self.handle = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY)

    def cut(self, mode, tear, seed):
        """The power fails. Returns what the disk says about it."""
        answer = self.command(f"cut {mode} {tear} {seed}")
        if self.mounting:
            try:
                self.wait_for_mount()
            except MountFailed:
                pass
        if self.handle is not None:
            try:
                fcntl.ioctl(self.handle, SHUTDOWN, WITHOUT_LOG_FLUSH)
            except OSError as error:
                # f2fs has met an error of the dead disk and is down already.
                if error.errno != errno.EIO or self.file_system != "f2fs":
                    raise
        return answer

    def power(self):
        """Takes the dead file system away, keeps a copy of the image as the cut left it, and puts the power back."""
        self.unmount()
        run(["cp", "--sparse=always", self.image, self.after_cut])
        self.command("power")

    def unmount(self):
        if self.handle is not None:
            os.close(self.handle)
            self.handle = None
            run(["umount", self.root])
        deadline = time.monotonic() + 5
        while run(["losetup", "--associated", self.fuse + "/disk"]):
            # Somebody else may just be looking for a free device.
            if time.monotonic() > deadline:
                raise SystemExit(f"power-cuts: {self.device} does not go")
            time.sleep(0.01)

    def command(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer:
            raise SystemExit("power-cuts: volatile-disk has died")
        return answer

    def keep(self, folder):
        """Copies the image as the last cut left it, for a person to look at. Returns where it is."""
        os.makedirs(folder, exist_ok=True)
        kept = os.path.join(folder, "image")
        run(["cp", "--sparse=always", self.after_cut, kept])
        return kept

    def close(self):
        if self.process is not None:
            self.unmount()
            self.process.stdin.close()
            self.process.wait()
            run(["umount", "-l", self.fuse])
            self.process = None


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"power-cuts: {' '.join(command)}: {done.stderr.strip()}")
    return done.stdout.strip()
