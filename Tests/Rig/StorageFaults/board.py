"""A board whose storage breaks: the disk, one queue-writer that obeys, and what was acknowledged outside of it."""
import os, random, select, shutil, signal, subprocess, time

from PowerCuts.disk import Disk, run

ANSWER_S = 60


class Unexpected(Exception):
    """The queue did something else than it must."""


class Board:
    def __init__(self, folder, programs, seed, disk_options=(), make_options=()):
        self.random = random.Random(seed)
        self.disk = Disk(folder, programs[0], "ext4", list(disk_options))
        self.queue_writer = programs[1]
        self.disk.make()
        if make_options:
            run(["mkfs.ext4", "-q", "-F", *make_options, self.disk.image])
        # By (queue id, sequence): the content, in the order of the commits.
        self.acknowledged = {}
        # Of each commit, in order.
        self.commits = []
        # All identities that were given; the log's end may make the queue give some again.
        self.given, self.may_repeat = set(), False
        self.reported = []
        # Records that damage took, as a case has found to be right.
        self.given_up = 0
        self.process = None
        self.mount()
        self.folder = self.disk.root + "/queue"
        self.path = self.folder + "/queue.db"
        self.copy = folder + "/copy.db"
        # Another user's process must come through to the mount.
        for path in (os.path.dirname(folder), folder):
            os.chmod(path, 0o711)

    # MARK: The disk

    def mount(self):
        self.disk.mount()
        self.disk.wait_for_mount(repair=True)

    def mount_again(self):
        """What an operator or a boot does after an error: unmount, repair, mount. The queue must have let go of its files."""
        deadline = time.monotonic() + 20
        os.close(self.disk.handle)
        self.disk.handle = None
        while subprocess.run(["umount", self.disk.root], capture_output=True).returncode != 0:
            if time.monotonic() > deadline:
                raise Unexpected("the queue holds on to files of a file system that is gone")
            time.sleep(0.1)
        device = run(["losetup", "--find", "--show", self.disk.fuse + "/disk"])
        subprocess.run(["e2fsck", "-f", "-y", device], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        run(["losetup", "--detach", device])
        self.mount()

    def is_writable(self):
        """By writing: after an ext4 error the mount may still say so."""
        try:
            with open(self.disk.root + "/trial", "wb", buffering=0) as file:
                file.write(b"0" * 4096)
                os.fsync(file.fileno())
            os.remove(self.disk.root + "/trial")
            return True
        except OSError:
            return False

    def close(self):
        self.kill()
        self.disk.close()

    def make_unreadable(self, path, offset):
        """One sector of a file's page: nothing of it may be in the page cache."""
        run(["sync", "-f", path])
        extents = run(["filefrag", "-e", "-b4096", path]).splitlines()
        page = offset // 4096
        for line in extents:
            # "   0:        0..      31:      33280..     33311:     32: …"
            fields = line.replace("..", " ").replace(":", " ").split()
            if fields and fields[0].isdigit() and int(fields[1]) <= page <= int(fields[2]):
                block = int(fields[3]) + page - int(fields[1])
                self.disk.command(f"fail read {block * 4096 + offset % 4096} 512")
                break
        else:
            raise Unexpected(f"{path} has no block at {offset}")
        self.forget_cached()

    def forget_cached(self):
        run(["sync"])
        with open("/proc/sys/vm/drop_caches", "w") as file:
            file.write("3")

    # MARK: The queue

    def start(self, user=None, program=None):
        as_user = ["setpriv", "--reuid", user, "--regid", user, "--clear-groups"] if user else []
        seed = str(self.random.getrandbits(63))
        self.process = subprocess.Popen(
            [*as_user, program or self.queue_writer, self.path, seed, "orders"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, bufsize=1)

    def kill(self):
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.process = None

    def order(self, words):
        self.process.stdin.write(words + "\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], ANSWER_S)[0]:
            raise Unexpected(f"no answer to {words} for {ANSWER_S} s")
        answer = self.process.stdout.readline().strip()
        word, _, rest = answer.partition(" ")
        if word in ("", "error"):
            raise Unexpected(f"{words}: the queue ended: {rest}")
        return word, rest

    def open(self, order="open"):
        word, rest = self.order(order)
        if word != "opened":
            raise Unexpected(f"the queue does not open: {rest}")
        report = rest.split()[1]
        if report != "-":
            self.reported.append(report)
        return report

    def commit(self, count=10):
        """Returns None when the records are on storage, otherwise the queue's words."""
        word, rest = self.order(f"commit {count}")
        if word != "committed":
            return rest.split(" ", 1)[1]
        made = records(rest)
        again = made.keys() & self.given
        if again and not self.may_repeat:
            raise Unexpected(f"{len(again)} identities were given twice: {sorted(again)[:2]} {self.reported}")
        for key in again:
            # It is where it is acknowledged now.
            self.acknowledged.pop(key, None)
        self.given |= made.keys()
        self.acknowledged.update(made)
        self.commits.append(list(made))
        return None

    def must_commit(self, count=10, times=1):
        for _ in range(times):
            words = self.commit(count)
            if words:
                raise Unexpected(f"a commit fails: {words}")

    def must_fail(self, *wanted):
        words = self.commit()
        if words is None:
            raise Unexpected("a commit is acknowledged that cannot be on storage")
        if not any(want in words for want in wanted):
            raise Unexpected(f"the failure is called: {words}")

    def recover(self):
        """Every commit is another try, as in the agent every 10 s."""
        deadline = time.monotonic() + 20
        while (words := self.commit(1)) is not None:
            if time.monotonic() > deadline:
                raise Unexpected(f"the storage is back and the queue is not: {words}")
            time.sleep(0.2)
        self.state()

    def state(self):
        """How often the file was opened again, and what the last opening has found."""
        reopenings, report = self.order("state")[1].split()
        if report != "-":
            self.reported.append(report)
        return int(reopenings), report

    def rows(self):
        word, rest = self.order("rows")
        if word != "rows":
            raise Unexpected(f"the queue cannot be read: {rest}")
        return records(rest)

    def remove(self, count):
        word, rest = self.order(f"remove {count}")
        if word != "removed":
            raise Unexpected(f"a removal fails: {rest}")
        for key in records(rest):
            self.acknowledged.pop(key, None)

    # MARK: What damage takes

    def settle(self, report):
        """Whatever is missing now is told; from here on nothing more may be."""
        missing = self.acknowledged.keys() - self.rows().keys()
        if missing and report == "-":
            raise Unexpected(f"{len(missing)} records are missing, and nothing is told")
        self.give_up(missing)

    def end_with_log(self, commits=None):
        """The log ends early, which cannot be told from one that ends there: all is there up to some commit, so many if that
        is known, and nothing of what came after it."""
        rows = self.rows()
        there = [key in rows for key in self.acknowledged]
        if there != sorted(there, reverse=True):
            raise Unexpected("what is there is not all that was committed first")
        if commits is not None and sum(there) != sum(map(len, self.commits[:commits])):
            raise Unexpected(f"{sum(there)} records are there, and {commits} commits were before the damage")
        if not all(there):
            # The numbers of what is gone are given again.
            self.may_repeat = True
        self.give_up([key for key, is_there in zip(self.acknowledged, there) if not is_there])

    def give_up(self, keys):
        for key in list(keys):
            del self.acknowledged[key]
            self.given_up += 1

    # MARK: Judging

    def judge(self):
        """In a process of its own after another mount. Returns (missing, altered) records of those acknowledged."""
        self.kill()
        self.disk.unmount()
        self.mount()
        self.start()
        self.open()
        rows = self.rows()
        integrity = self.integrity()
        if integrity != "ok":
            raise Unexpected(f"integrity_check: {integrity}")
        missing = sum(key not in rows for key in self.acknowledged)
        altered = sum(rows.get(key, content) != content for key, content in self.acknowledged.items())
        return missing, altered

    def integrity(self):
        for suffix in ("", "-wal"):
            if os.path.exists(self.path + suffix):
                shutil.copyfile(self.path + suffix, self.copy + suffix)
        shell = subprocess.run(
            ["sqlite3", self.copy, "PRAGMA integrity_check"], capture_output=True, text=True)
        return (shell.stdout or shell.stderr).strip()


def records(words):
    fields = (word.split(":") for word in words.split())
    return {(int(queue_id), int(sequence)): content for sequence, queue_id, content in fields}
