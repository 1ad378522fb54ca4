"""Files of the queue, and the disk under them."""
import os, shutil, subprocess

from . import fault, stopped, until

FILES = ["", "-wal", ".state"]


def damage(path, kind, chance):
    if not os.path.exists(path):
        return
    size = os.path.getsize(path)
    if kind == "emptied":
        os.truncate(path, 0)
    elif kind == "cut":
        os.truncate(path, chance.randrange(size + 1))
    elif kind == "removed":
        os.unlink(path)
    else:
        with open(path, "r+b") as file:
            begin = 0 if kind == "nuls" else chance.randrange(size + 1)
            file.seek(begin)
            file.write(bytes(size - begin) if kind == "nuls" else chance.randbytes(min(4096, size - begin)))


def damage_some(vehicle, chance):
    kind = chance.choice(["emptied", "cut", "nuls", "noise", "removed"])
    suffixes = chance.sample(FILES, chance.choice([1, 1, 2]))
    vehicle.note(f"queue files {' '.join(suffix or '.db' for suffix in suffixes)}: {kind}")
    vehicle.damaged |= set(suffixes)
    for suffix in suffixes:
        damage(vehicle.queue + suffix, kind, chance)


def backlog(vehicle):
    """Something is lost only where something waits."""
    vehicle.server.behave = lambda request, server: None


@fault("queue process server", "64 13 15", disturbs=["process", "gps", "loss"], weight=6)
def queue_damaged_between_lives(vehicle, chance):
    """The queue's files are emptied, cut, filled with NULs, or removed while no agent runs"""
    backlog(vehicle)
    yield chance.uniform(3, 5)
    number = chance.choice([9, 9, 15])
    yield from stopped(vehicle, number)
    damage_some(vehicle, chance)
    # The next start looks a file over, but for one that was closed in order.
    vehicle.is_looked_over = number == 9
    vehicle.supervisor.begin()
    yield chance.uniform(2, 4)
    vehicle.server.behave = None


@fault("queue process server", "64 13", disturbs=["process", "gps", "loss"], weight=3)
def queue_damaged_while_running(vehicle, chance):
    """The same under the running agent, which goes on, and is killed later: its next start finds what was not met before"""
    backlog(vehicle)
    yield chance.uniform(3, 5)
    damage_some(vehicle, chance)
    yield chance.uniform(3, 5)
    yield from stopped(vehicle)
    vehicle.supervisor.begin()
    yield chance.uniform(2, 4)
    vehicle.server.behave = None


def own_disk(vehicle, megabytes):
    """The queue's folder becomes a small file system of its own."""
    folder = os.path.dirname(vehicle.queue)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "none", folder], check=True)
    return folder + "/filler"


def fill(path):
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            pass


@fault("queue disk", "9", begins=True, root=True, weight=3)
def disk_full(vehicle, chance):
    """Another program fills the disk while the agent runs, and makes room again"""
    filler = own_disk(vehicle, 16)
    yield chance.uniform(6, 9)
    fill(filler)
    yield chance.uniform(4, 8)
    os.unlink(filler)


@fault("queue disk", "9 64", told=["storage_failed"], begins=True, root=True, weight=3)
def disk_full_at_start(vehicle, chance):
    """The disk is full when the agent starts for the first time, and has room later"""
    filler = own_disk(vehicle, 16)
    fill(filler)
    yield chance.uniform(8, 14)
    os.unlink(filler)


@fault("queue export", "65")
def export_onto_something(vehicle, chance):
    """An operator exports the queue onto a file, a link, or a device that exists"""
    target, victim = vehicle.folder + "/export", vehicle.folder + "/victim"
    with open(victim, "w") as file:
        file.write("precious")
    kind = chance.choice(["file", "link", "fifo", "device"])
    {"file": lambda: shutil.copy(victim, target), "link": lambda: os.symlink(victim, target),
     "fifo": lambda: os.mkfifo(target), "device": lambda: os.mknod(target, 0o20666, os.makedev(1, 3))}[kind]()
    before = os.lstat(target)
    child = subprocess.Popen(
        [vehicle.godwit, "queue", "export", target, "--config", vehicle.folder + "/godwit.toml"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield from until(lambda: child.poll() is not None, 15)
    hangs = child.poll() is None
    child.kill()
    child.wait()
    after = os.lstat(target) if os.path.lexists(target) else None
    same = after and (after.st_ino, after.st_mode, after.st_size) == (before.st_ino, before.st_mode, before.st_size)
    with open(victim) as file:
        if hangs or not same or file.read() != "precious":
            vehicle.blame("export", f"onto a {kind}: {'hangs' if hangs else 'it was not left as it was'}")
