"""The faults, each with what must hold. `Unexpected` is raised when it does not."""
import os, sqlite3, stat, time

from .board import Unexpected

PAGE = 4096
SLOT, STRIDE = 8192, 65536


def write_errors(board):
    """Each write to the device is an I/O error, then it heals"""
    begin(board)
    device_fails(board, "fail write")


def flush_errors(board):
    """Each flush of the device is an I/O error, then it heals"""
    begin(board)
    device_fails(board, "fail flush")


def device_fails(board, order):
    for _ in range(3):
        board.disk.command(order)
        board.must_fail("I/O error", "Input/output error", "read-only", "readonly", "Read-only", "unable to open")
        for _ in range(3):
            board.must_fail("records are held in memory", "Input/output error", "Read-only", "I/O error", "readonly")
        board.disk.command("heal")
        if not board.is_writable():
            # ext4 has given up its journal: that takes another mount.
            board.mount_again()
        board.recover()
        board.must_commit(times=10)
        board.remove(20)


def read_only_by_error(board):
    """The file system meets an error and makes itself read-only (errors=remount-ro, as Debian mounts)"""
    begin(board)
    break_down(board)
    board.must_fail("read-only", "readonly", "Read-only", "I/O error")
    board.must_fail("Read-only", "read-only")
    board.mount_again()
    board.recover()
    board.must_commit(times=20)


read_only_by_error.disk_options = ["errors=remount-ro"]


def start_read_only(board):
    """The same before the agent starts: it reads what is there, goes on in memory, and writes after another mount"""
    begin(board)
    board.kill()
    break_down(board)
    board.start()
    refuses(board, "read-only")
    if board.open("start") != "closed":
        raise Unexpected("the queue was not read")
    for _ in range(3):
        board.must_fail("Read-only", "read-only")
    board.mount_again()
    board.recover()
    board.must_commit(times=20)


def start_unreadable(board):
    """A file system that reads nothing of the queue and writes nothing at the start: numbers that were given do not return"""
    begin(board, commits=500)
    board.order("close")
    board.kill()
    flip(board, board.path, 40 * PAGE)
    break_down(board)
    board.start()
    if board.open("start") != "unread":
        raise Unexpected("a damaged file was read")
    for _ in range(3):
        board.must_fail("Read-only", "read-only")
    board.mount_again()
    board.recover()
    if max(board.acknowledged) < 1_000_000:
        raise Unexpected("numbers that were given may have returned")
    board.must_commit(times=20)
    board.may_miss = True


def start_with_dead_device(board):
    """Each write and each flush is an I/O error when the agent starts, then it heals"""
    begin(board)
    board.kill()
    board.disk.command("fail write")
    board.disk.command("fail flush")
    board.start()
    # Nothing needs to be written for it.
    board.open("start")
    for _ in range(3):
        board.must_fail("Input/output error", "I/O error", "ead-only")
    board.disk.command("heal")
    if not board.is_writable():
        board.mount_again()
    board.recover()
    board.must_commit(times=20)


def bad_sector(board):
    """A sector of the database can no longer be read, agent stopped or running: the rest is salvaged"""
    begin(board, commits=500)
    board.order("close")
    board.make_unreadable(board.path, 40 * PAGE)
    if "set_aside" not in board.open():
        raise Unexpected("the bad sector was not met")
    board.must_commit(times=500)
    board.order("close")
    board.open()
    board.make_unreadable(board.path, 70 * PAGE)
    word, _ = board.order("rows")
    if word == "rows":
        raise Unexpected("the bad sector was not met")
    board.must_commit()
    report = board.order("state")[1].split()[1]
    if "set_aside" not in report:
        raise Unexpected("the unreadable file is still in use")
    board.reported.append(report)
    if board.order("rows")[0] != "rows":
        raise Unexpected("the queue cannot be read")
    board.may_miss = True


def bad_sector_in_log(board):
    """A sector of the log can no longer be read while no agent runs"""
    killed_with_log(board)
    board.make_unreadable(board.path + "-wal", 5 * PAGE)
    board.start()
    board.open()
    board.must_commit(times=20)
    board.may_miss = True


def bad_sector_in_front(board):
    """A sector of the front's newest slot can no longer be read while no agent runs"""
    begin(board)
    board.kill()
    slot, _ = newest_slot(board)
    board.make_unreadable(board.path + "-front", slot * STRIDE)
    board.start()
    if "front_unreadable" not in board.open():
        raise Unexpected("the bad sector was not met")
    board.must_commit(times=20)
    board.may_miss = True


def removed_while_open(board):
    """The database, the front, the log, or all of them are removed under a queue that is open"""
    begin(board)
    for suffixes in ([""], ["-front"], ["-wal"], ["", "-front", "-wal"]):
        for suffix in suffixes:
            os.remove(board.path + suffix)
        # More than the front takes.
        board.must_commit(100)
        board.must_commit(3)
        report = board.order("state")[1].split()[1]
        if report == "-":
            raise Unexpected(f"nothing is said of the removal of {suffixes}")
        board.reported.append(report)
        board.kill()
        board.start()
        board.open()


def stall(board):
    """The device takes 10 s for one write"""
    begin(board)
    board.disk.command("slow 10")
    start = time.monotonic()
    board.must_commit()
    if time.monotonic() - start < 9:
        raise Unexpected("the commit did not wait for the device")
    board.must_commit(times=5)


def no_inodes(board):
    """Another program takes the last inode: the queue's files are there already, and a new queue says why not"""
    begin(board)
    taken = 0
    try:
        while True:
            open(f"{board.disk.root}/inode-{taken}", "w").close()
            taken += 1
    except OSError:
        pass
    board.must_commit(times=300)
    board.order("close")
    board.open()
    board.must_commit(times=20)
    board.order("close")
    right, board.path = board.path, board.disk.root + "/other/queue.db"
    board.kill()
    board.start()
    refuses(board, "No space left on device")
    board.path = right
    board.kill()


no_inodes.make_options = ["-N", "32"]


def long_reader(board):
    """Another program holds a read transaction: it is kept out of a queue that runs, and told of when it was first"""
    begin(board)
    reader = sqlite3.connect(board.path, timeout=0, isolation_level=None)
    try:
        reader.execute("BEGIN").connection.execute("SELECT count(*) FROM records").fetchall()
        raise Unexpected("a second program reads while the queue is open")
    except sqlite3.OperationalError:
        reader.close()
    board.must_commit(times=300)
    log = os.path.getsize(board.path + "-wal")
    if log > 3 << 20:
        raise Unexpected(f"the log has {log} bytes")
    board.order("close")
    reader = sqlite3.connect(board.path, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM records").fetchall()
    refuses(board, "close the other program that has the queue file open")
    reader.close()
    board.open()
    board.must_commit()


def wrong_owner(board):
    """The folder and its files are another user's: refused with the reason, every byte as it was"""
    begin(board)
    board.order("close")
    board.kill()
    for path in (board.disk.root, board.folder):
        os.chmod(path, 0o755)
    before = contents(board)
    board.start(user="65534")
    refuses(board, "belong to the agent's user", "another user's", "must be the agent's user's")
    if contents(board) != before:
        raise Unexpected("the files were changed")
    board.kill()
    for name in ["", *os.listdir(board.folder)]:
        os.chown(os.path.join(board.folder, name), 65534, 65534)
    board.start(user="65534")
    board.open()
    board.must_commit()


def folder_not_writable(board):
    """A folder in which the agent's user may write nothing: refused with the reason"""
    board.kill()
    os.makedirs(board.folder)
    os.chmod(board.disk.root, 0o755)
    os.chmod(board.folder, 0o555)
    board.start(user="65534")
    refuses(board, "the folder of queue.path must exist and belong to the agent's user")
    os.chown(board.folder, 65534, 65534)
    os.chmod(board.folder, 0o750)
    board.open()
    board.must_commit()


def missing_log(board):
    """The log was removed while no agent ran"""
    killed_with_log(board)
    os.remove(board.path + "-wal")
    board.start()
    board.open()
    board.may_miss = True


def flip_in_log(board):
    """A bit of the log flips while no agent runs"""
    killed_with_log(board)
    used = 32 + 24 + PAGE
    flip(board, board.path + "-wal", 32 + 24 + board.random.randrange(used))
    board.start()
    board.open()
    board.may_miss = True


def flip_in_database(board):
    """Bits of the database flip while no agent runs: in a table's page, in the header"""
    begin(board, commits=500)
    board.order("close")
    for offset in (40 * PAGE, 60 * PAGE + 3, 24):
        flip(board, board.path, offset)
        board.open()
        board.must_commit(times=5)
        board.order("close")
    board.may_miss = True


def flip_while_open(board):
    """Bits of the database flip under a queue that is open"""
    begin(board, commits=1500)
    for page in (30, 90):
        flip(board, board.path, page * PAGE)
        word, _ = board.order("rows")
        if word == "rows":
            raise Unexpected("the damage was not met")
        board.must_commit()
        report = board.order("state")[1].split()[1]
        if "set_aside" not in report:
            raise Unexpected("the damaged file is still in use")
        board.reported.append(report)
        if board.order("rows")[0] != "rows":
            raise Unexpected("the queue cannot be read")
    board.may_miss = True


def flip_in_front(board):
    """One bit of the front's newest slot flips while no agent runs, twenty times"""
    begin(board)
    for _ in range(20):
        board.must_commit(1)
        board.kill()
        slot, length = newest_slot(board)
        flip(board, board.path + "-front", slot * STRIDE + board.random.randrange(length))
        board.start()
        board.open()


def flip_in_front_while_open(board):
    """Bits of the front flip under a queue that is open"""
    begin(board)
    for _ in range(20):
        slot, length = newest_slot(board)
        flip(board, board.path + "-front", slot * STRIDE + board.random.randrange(length))
        board.must_commit(1)


def emptied(board):
    """Database, log or front emptied, filled with zeros or cut while no agent runs: counted, and no number comes again"""
    begin(board)
    for suffix in ("", "-wal", "-front"):
        for damage in (cut_to(0), cut_to(5000), zeros):
            board.must_commit(7, times=20)
            board.kill()
            damage(board.path + suffix)
            greatest = max(board.acknowledged)
            board.start()
            if board.open() == "-":
                raise Unexpected(f"nothing is told of the damage to queue.db{suffix}")
            board.must_commit(1)
            if max(board.acknowledged) <= greatest:
                raise Unexpected("a number was given twice")
    board.may_miss = True


def cut_while_open(board):
    """Database, log or front emptied under a queue that is open: noticed with the next commit"""
    begin(board)
    for suffix in ("", "-wal", "-front"):
        board.must_commit(7, times=20)
        cut_to(0)(board.path + suffix)
        board.must_commit(1)
        if board.order("state")[1].split()[1] == "-":
            raise Unexpected(f"nothing is told of the damage to queue.db{suffix}")
    board.may_miss = True


# MARK: Parts


def cut_to(length):
    return lambda path: os.truncate(path, min(length, os.path.getsize(path)))


def zeros(path):
    length = os.path.getsize(path)
    with open(path, "r+b", buffering=0) as file:
        file.write(bytes(length))
        os.fsync(file.fileno())


def begin(board, commits=50):
    """Records in the tables and in the front."""
    board.start()
    board.open()
    board.must_commit(times=commits)
    board.must_commit(3)


def break_down(board):
    trigger = f"/sys/fs/ext4/{os.path.basename(board.disk.device)}/trigger_fs_error"
    with open(trigger, "w") as file:
        file.write("1")


def killed_with_log(board):
    begin(board, commits=40)
    board.kill()
    if os.path.getsize(board.path + "-wal") == 0:
        raise Unexpected("there is no log")


def refuses(board, *wanted):
    word, rest = board.order("open")
    if word != "failed" or not any(want in rest for want in wanted):
        raise Unexpected(f"not refused in these words: {word} {rest}")


def flip(board, path, offset):
    """Below the file system nothing is known of it; the page cache is made to read it again."""
    with open(path, "r+b", buffering=0) as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 1 << board.random.randrange(8)]))
        os.fsync(file.fileno())


def newest_slot(board):
    """Its number, and how many of its bytes mean something (docs/queue.md has the layout)."""
    with open(board.path + "-front", "rb") as file:
        content = file.read()
    words = [[int.from_bytes(content[slot * STRIDE + 8 * i:][:8], "little") for i in range(5)] for slot in (0, 1)]
    slot = max((0, 1), key=lambda slot: words[slot][2])
    return slot, 48 + words[slot][4]


def contents(board):
    found = {}
    for name in sorted(os.listdir(board.folder)):
        path = os.path.join(board.folder, name)
        if stat.S_ISREG(os.stat(path).st_mode):
            with open(path, "rb") as file:
                found[name] = file.read()
    return found


ALL = [
    write_errors, flush_errors, read_only_by_error, start_read_only, start_unreadable, start_with_dead_device, stall,
    no_inodes, long_reader, wrong_owner, folder_not_writable, missing_log, flip_in_log, flip_in_database, flip_while_open,
    flip_in_front, flip_in_front_while_open, bad_sector, bad_sector_in_log, bad_sector_in_front, removed_while_open, emptied,
    cut_while_open,
]
for fault in (start_read_only, start_unreadable):
    fault.disk_options = ["errors=remount-ro"]
