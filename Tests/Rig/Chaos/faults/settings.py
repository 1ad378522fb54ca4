"""Files that people and other programs write: settings, token, geofences."""
import os, signal

from . import fault, stopped, until
from ..vehicle import put

SPOILT = ["empty", "cut", "nuls", "noise", "fifo", "directory", "loop", "device", "huge", "missing"]
# Such as NULs make no header of it, which is no word of the server.
TOKEN_TOLD = {"sync_unauthorised", "sync_failed"}


def spoil(path, kind, chance):
    """Puts something else in the place of this file."""
    with open(path, "rb") as file:
        good = file.read()
    os.unlink(path)
    if kind in ("empty", "cut", "nuls", "noise"):
        content = {
            "empty": b"", "cut": good[:chance.randrange(1, max(2, len(good) - 1))], "nuls": bytes(len(good)),
            "noise": chance.randbytes(3000)}[kind]
        put(path, content, 0o600)
    elif kind == "huge":
        put(path, b"# ", 0o600)
        os.truncate(path, 200 << 20)
    elif kind != "missing":
        {"fifo": os.mkfifo, "directory": os.mkdir, "loop": lambda path: os.symlink(path, path),
         "device": lambda path: os.symlink("/dev/zero", path)}[kind](path)


def reload(vehicle):
    """systemctl reload, or start where a file kept the agent from starting. systemd reloads what has begun alone: before
    the program is loaded, nothing can keep the signal from ending it."""
    if vehicle.supervisor.given_up is not None:
        vehicle.supervisor.begin()
    elif vehicle.supervisor.holds(signal.SIGHUP):
        vehicle.supervisor.send(signal.SIGHUP)


# Should another fault end the agent meanwhile, 66 and 78 are documented: no settings file, or one with mistakes.
@fault("settings", "53 61 72", told=["settings_refused"], disturbs=["ring"], codes=[66, 78], weight=4)
def settings_spoilt(vehicle, chance):
    """The settings file becomes empty, cut, NULs, a FIFO, a directory, … and SIGHUP comes; then it is put right"""
    kind = chance.choice(SPOILT)
    vehicle.note(f"the settings file is spoilt: {kind}")
    spoil(vehicle.folder + "/godwit.toml", kind, chance)
    reload(vehicle)
    yield chance.uniform(3, 6)
    vehicle.put_settings()
    reload(vehicle)


# A settings file that cannot be used may end a start: 66 and 78 are documented.
@fault("settings process", "61 72", disturbs=["process", "gps"], codes=[66, 78])
def settings_spoilt_at_start(vehicle, chance):
    """The agent is killed and starts with a settings file that is spoilt; then it is put right, and started by hand"""
    kind = chance.choice(SPOILT)
    yield from stopped(vehicle)
    vehicle.note(f"the settings file is spoilt: {kind}")
    spoil(vehicle.folder + "/godwit.toml", kind, chance)
    vehicle.supervisor.begin()
    yield chance.uniform(3, 6)
    vehicle.put_settings()
    reload(vehicle)


@fault("settings", "61", disturbs=["ring", "load"])
def reload_storm(vehicle, chance):
    """SIGHUP twenty times a second"""
    for _ in range(chance.randrange(40, 100)):
        reload(vehicle)
        yield 0.05


def noticed(vehicle, label, most_s):
    """Until a warning tells of the token; without anything to send nobody needs one."""
    begun = vehicle.now()
    yield from until(lambda: TOKEN_TOLD & set(vehicle.poller.warnings), most_s)
    status = vehicle.poller.status(since=begun)
    if not status or not status["queue"]["records"]:
        vehicle.unmet.add(label)


@fault("token", "46 61 73", told=TOKEN_TOLD, weight=4)
def token_spoilt(vehicle, chance):
    """The token file becomes empty, a FIFO, a directory, unsafe, … and is put right"""
    kind = chance.choice(SPOILT + ["readable"])
    vehicle.note(f"the token file is spoilt: {kind}")
    if kind == "readable":
        os.chmod(vehicle.folder + "/token", 0o644)
    else:
        spoil(vehicle.folder + "/token", kind, chance)
    yield from noticed(vehicle, "token-spoilt", 8)
    vehicle.put_token()


@fault("token process", "73", told=TOKEN_TOLD, disturbs=["process", "gps"], codes=[77])
def token_late(vehicle, chance):
    """The agent starts without its token file, or with one that others may read; it comes later"""
    kind = chance.choice(["missing", "empty", "readable", "directory", "fifo"])
    yield from stopped(vehicle)
    vehicle.note(f"the token file is spoilt: {kind}")
    if kind == "readable":
        os.chmod(vehicle.folder + "/token", 0o644)
    else:
        spoil(vehicle.folder + "/token", kind, chance)
    vehicle.supervisor.begin()
    yield from noticed(vehicle, "token-late", 12)
    vehicle.put_token()
    reload(vehicle)


@fault("geofences", "61 73", told=["settings_refused", "geofences_refused"], disturbs=["ring"])
def geofences_spoilt(vehicle, chance):
    """The geofences file becomes something else, and SIGHUP comes; then it is put right"""
    kind = chance.choice([kind for kind in SPOILT if kind != "empty"])
    vehicle.note(f"the geofences file is spoilt: {kind}")
    spoil(vehicle.folder + "/geofences.json", kind, chance)
    reload(vehicle)
    yield chance.uniform(3, 6)
    vehicle.put_geofences()
    reload(vehicle)


@fault("geofences process", "61 73", disturbs=["process", "gps"], codes=[78])
def geofences_spoilt_at_start(vehicle, chance):
    """The agent starts with a geofences file that is spoilt, and must run all the same"""
    kind = chance.choice([kind for kind in SPOILT if kind != "empty"])
    yield from stopped(vehicle)
    vehicle.note(f"the geofences file is spoilt: {kind}")
    spoil(vehicle.folder + "/geofences.json", kind, chance)
    vehicle.supervisor.begin()
    yield 4
    vehicle.put_geofences()
    reload(vehicle)
