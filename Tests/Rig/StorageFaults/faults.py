"""The faults, each with what must hold. `Unexpected` is raised when it does not."""
import os, sqlite3, stat, time

from .board import Unexpected

# Of the database; its log has a header and so many bytes before each page. A page begins with its kind.
PAGE, LOG_HEADER, FRAME = 1024, 32, 24 + 1024
LEAF = 0x0D
# Numbers that the clock gives are above.
CLOCK = 1_000_000_000_000


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
    """A file that cannot be read, and writes nothing at the start: numbers come from the clock, and no identity returns"""
    begin(board, commits=500)
    board.order("close")
    board.kill()
    flip(board, board.path, leaf(board, 120))
    break_down(board)
    board.start()
    if board.open("start") != "unread":
        raise Unexpected("a damaged file was read")
    for _ in range(3):
        board.must_fail("Read-only", "read-only")
    before = set(board.acknowledged)
    board.mount_again()
    board.recover()
    made = board.acknowledged.keys() - before
    if min(sequence for _, sequence in made) < CLOCK:
        raise Unexpected("numbers that were given may have returned")
    if {queue_id for queue_id, _ in made} & {queue_id for queue_id, _ in before}:
        raise Unexpected("what was made meanwhile has the queue's own id")
    # The agent ends now, and starts anew from the queue.
    board.order("close")
    met(board, board.open())
    board.must_commit(times=20)


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
    """A sector of the database can no longer be read, agent killed, stopped or running: the rest is salvaged, and told"""
    begin(board, commits=500)
    board.kill()
    board.make_unreadable(board.path, leaf(board, 120))
    board.start()
    looked_over(board)
    board.must_commit(times=500)
    board.order("close")
    board.make_unreadable(board.path, leaf(board, 200))
    met(board, board.open())
    board.must_commit(times=500)
    board.order("close")
    board.open()
    board.make_unreadable(board.path, leaf(board, 280))
    met(board, "-")


def bad_sector_in_log(board):
    """A sector of the log can no longer be read while no agent runs: what SQL reads no more is told"""
    killed_with_log(board)
    board.make_unreadable(board.path + "-wal", 20_480)
    board.start()
    board.settle(board.open())
    board.must_commit(times=20)


def removed_while_open(board):
    """The database, the log, or both are removed under a queue that is open: nothing is lost, and the loss of a file told"""
    begin(board)
    for suffixes in ([""], ["-wal"], ["", "-wal"]):
        before, _ = board.state()
        for suffix in suffixes:
            os.remove(board.path + suffix)
        board.must_commit(100)
        board.must_commit(3)
        # So often the agent looks for them.
        word, rest = board.order("quota")
        if word != "kept":
            raise Unexpected(f"the removal of {suffixes} stops the queue: {rest}")
        reopenings, report = board.state()
        if reopenings == before:
            raise Unexpected(f"the removal of {suffixes} is not noticed")
        # What the log had is in the database: of its removal alone there is nothing to tell.
        if report == "-" and "" in suffixes:
            raise Unexpected(f"nothing is said of the removal of {suffixes}")
        board.must_commit(3)
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
    """The log was removed while no agent ran: what it had is gone, which is told, and no identity comes again"""
    killed_with_log(board)
    os.remove(board.path + "-wal")
    board.start()
    report = board.open()
    if "log_missing" not in report:
        raise Unexpected(f"the missing log is not told, but {report}")
    board.settle(report)
    board.must_commit(times=20)


def flip_in_log(board):
    """A bit of the log flips while no agent runs: the log ends there, and every commit before it is there"""
    killed_with_log(board)
    ends = [is_end for _, is_end in frames(board)]
    # The first ones are the opening's own: a new queue notes its servers.
    own = sum(ends) - len(board.commits)
    if own not in (1, 2):
        raise Unexpected(f"the log has {sum(ends)} transactions, and {len(board.commits)} commits were made")
    frame = board.random.randrange(len(ends) // 2, len(ends))
    flip(board, board.path + "-wal", LOG_HEADER + frame * FRAME + board.random.randrange(FRAME))
    board.start()
    board.open()
    board.end_with_log(commits=max(0, sum(ends[:frame]) - own))
    board.must_commit(times=20)


def flip_in_database(board):
    """Bits of the database flip while no agent runs, in a table's page or the header: the rest is salvaged, the loss told"""
    begin(board, commits=500)
    for is_killed, page, offset in ((False, 120, 0), (True, 200, 0), (False, 280, 3), (True, 360, 3)):
        if not is_killed:
            board.order("close")
        board.kill()
        flip(board, board.path, leaf(board, page) + offset)
        board.start()
        if is_killed:
            looked_over(board)
        else:
            met(board, board.open())
        board.must_commit(times=50)
    board.kill()
    flip(board, board.path, 24)
    board.start()
    board.open()
    # A wrong length of the file may first be met by a commit that needs room, and stop that one.
    board.recover()
    board.must_commit(times=50)
    board.kill()
    board.start()
    board.open()


def flip_while_open(board):
    """Bits of the database flip under a queue that is open: whoever reads them meets it, and the next commit goes on"""
    # More than SQLite has in its memory.
    begin(board, commits=1500)
    for page in (120, 400):
        flip(board, board.path, leaf(board, page))
        met(board, "-")


def emptied(board):
    """Database or log emptied, cut or zeroed while no agent runs: a database's loss is told, a log ends at the damage"""
    begin(board)
    for suffix in ("", "-wal"):
        for damage in (cut_to(0), cut_to(5000), zeros):
            board.must_commit(7, times=20)
            board.kill()
            damage(board.path + suffix)
            board.start()
            damaged(board, suffix, board.open())
            board.must_commit(1)


def cut_while_open(board):
    """Database or log emptied under a queue that is open: it goes on, and the next start finds what is left"""
    begin(board)
    for suffix in ("", "-wal"):
        board.must_commit(7, times=20)
        cut_to(0)(board.path + suffix)
        for _ in range(20):
            board.recover()
        board.kill()
        board.start()
        damaged(board, suffix, board.open())
        board.must_commit(7, times=20)


# MARK: Parts


def cut_to(length):
    return lambda path: os.truncate(path, min(length, os.path.getsize(path)))


def zeros(path):
    length = os.path.getsize(path)
    with open(path, "r+b", buffering=0) as file:
        file.write(bytes(length))
        os.fsync(file.fileno())


def begin(board, commits=50):
    board.start()
    board.open()
    board.must_commit(times=commits)
    board.must_commit(3)


def break_down(board):
    trigger = f"/sys/fs/ext4/{os.path.basename(board.disk.device)}/trigger_fs_error"
    with open(trigger, "w") as file:
        file.write("1")


def looked_over(board):
    """After an end that was none, an opening reads the whole file."""
    report = board.open()
    if "set_aside" not in report:
        raise Unexpected(f"the damage was not met: {report}")
    board.settle(report)


def met(board, report):
    """What was closed in order is not looked over: its damage is met by whoever reads it, and then by the next commit."""
    if "set_aside" not in report:
        if board.order("rows")[0] == "rows":
            raise Unexpected("the damage was not met")
        board.must_commit()
        _, report = board.state()
        if "set_aside" not in report:
            raise Unexpected("the damaged file is still in use")
    board.settle(report)


def damaged(board, suffix, report):
    if suffix == "-wal" and report == "-":
        board.end_with_log()
    else:
        board.settle(report)


def killed_with_log(board):
    begin(board, commits=40)
    board.kill()
    if not frames(board):
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


def frames(board):
    """(page, whether a transaction ends with it) of each frame of the log that counts (fileformat2.html, section 4)."""
    found = []
    if not os.path.exists(board.path + "-wal"):
        return found
    with open(board.path + "-wal", "rb") as file:
        content = file.read()
    for start in range(LOG_HEADER, len(content) - FRAME + 1, FRAME):
        page, pages_after = (int.from_bytes(content[start + i:start + i + 4], "big") for i in (0, 4))
        if page == 0 or content[start + 8:start + 16] != content[16:24]:
            break
        found.append((page, pages_after > 0))
    return found


def leaf(board, page):
    """Where in the database a table's page begins: this one or the first after it that the log does not have as well."""
    logged = {number for number, _ in frames(board)}
    with open(board.path, "rb") as file:
        content = file.read()
    for number in range(page, len(content) // PAGE):
        # They count from 1.
        if content[number * PAGE] == LEAF and number + 1 not in logged:
            return number * PAGE
    raise Unexpected(f"the database has no page of a table from {page} on")


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
    bad_sector, bad_sector_in_log, removed_while_open, emptied, cut_while_open,
]
for fault in (start_read_only, start_unreadable):
    fault.disk_options = ["errors=remount-ro"]
