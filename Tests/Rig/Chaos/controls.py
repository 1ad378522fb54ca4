"""Each invariant broken on purpose, by the rig: one that does not find its own control broken proves nothing."""
import os, signal, subprocess, sys, time
from dataclasses import dataclass
from typing import Callable

from .faults import fault, until
from .invariants import RESIDENT_MB
from .receiver import LATITUDE
from .server import TOKEN

ALL = {}


@dataclass
class Control:
    breaks: str
    fault: Callable | None
    window_s: float | None = None
    afterwards: Callable | None = None


def control(breaks, window_s=None, touches="control", **declared):
    """The function is a fault that nobody has declared to disturb anything."""
    def declare(function):
        from . import faults
        made = fault(touches, **declared)(function)
        faults.ALL.remove(made)
        ALL[made.label] = Control(breaks, made, window_s)
        return function
    return declare


def afterwards(breaks):
    def declare(function):
        ALL[function.__name__.replace("_", "-")] = Control(breaks, None, None, function)
        return function
    return declare


@control("N1")
def server_forgets(vehicle, chance):
    """The server acknowledges every 20th record without storing it"""
    vehicle.server.forgets = lambda sequence: sequence % 20 == 0
    yield 6


@control("N2")
def record_altered(vehicle, chance):
    """What the server stores is not what was committed"""
    keep = vehicle.server.keep
    vehicle.server.keep = lambda device, record: keep(device, {**record, "latitude": 0.0})
    yield 6


@control("N3", window_s=14)
def power_after_window(vehicle, chance):
    """The line is high again after the window's end, for longer than a minute"""
    yield from until(lambda: vehicle.now() > vehicle.window_end + 1, 30)
    level = open(vehicle.line, "w")
    for _ in range(80):
        level.seek(0)
        level.write("1")
        level.flush()
        yield 0.1


@control("N3")
def power_after_death(vehicle, chance):
    """Nobody switches the line off when the process is dead"""
    vehicle.supervisor.unit.lines = [line for line in vehicle.supervisor.unit.lines if line[0] != "ExecStopPost"]
    vehicle.supervisor.unit.restart_s = 9
    vehicle.supervisor.send(signal.SIGKILL, "kill")
    yield 12


@afterwards("N4")
def file_scribbled(episode):
    """Noise in the middle of the database after the end"""
    with open(episode.vehicle.queue, "r+b") as file:
        file.seek(4096)
        file.write(os.urandom(8192))


@control("N5")
def fixes_withheld(vehicle, chance):
    """Fixes that count as told do not reach the agent"""
    def withhold(report):
        vehicle.receiver.sent.append((time.monotonic(), report["time"]))
    vehicle.receiver.spoil = withhold
    yield 6
    vehicle.receiver.spoil = None


@control("loop")
def loop_held(vehicle, chance):
    """The process is held for 8 s, and nobody said so"""
    vehicle.supervisor.send(signal.SIGSTOP)
    yield 8
    vehicle.supervisor.send(signal.SIGCONT)


@control("watchdog")
def watchdog_barks(vehicle, chance):
    """The process is held until the watchdog kills it, and nobody said so"""
    vehicle.supervisor.unit.watchdog_s = 3
    vehicle.supervisor.unit.abort_s = 1
    vehicle.supervisor.send(signal.SIGSTOP)
    yield from until(lambda: len(vehicle.supervisor.lives) > 1, 40)
    vehicle.supervisor.unit.watchdog_s = 60


@control("N7", told=["gpsd_lost"])
def nothing_told(vehicle, chance):
    """A warning is wanted that has no reason to come"""
    yield 1


@control("N8")
def token_in_journal(vehicle, chance):
    """The journal has the token"""
    yield 1
    vehicle.supervisor.journal.theirs.send(f"<7>header Bearer {TOKEN}\n".encode())


@control("N8")
def coordinate_in_journal(vehicle, chance):
    """The journal has a coordinate"""
    yield 1
    vehicle.supervisor.journal.theirs.send(f"<7>at {LATITUDE}\n".encode())


@afterwards("N9")
def memory_grows(episode):
    """A sample of the process shows more memory than is allowed"""
    samples = next(iter(episode.vehicle.poller.resources.values()))
    samples.append((samples[-1][0], RESIDENT_MB + 1, *samples[-1][2:]))


# What one client asks, over and over.
ASKS = """
import socket, sys
while True:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(sys.argv[1])
        client.sendall(b"status\\n")
        while client.recv(65536): pass
"""


@control("N9")
def cpu_spins(vehicle, chance):
    """The agent is kept busy by questions, and nobody said so"""
    path = vehicle.folder + "/run/control"
    busy = [subprocess.Popen([sys.executable, "-c", ASKS, path]) for _ in range(4)]
    yield 10
    for process in busy:
        process.kill()
        process.wait()


@control("N12")
def cause_stays(vehicle, chance):
    """The server stays away although its absence counts as over"""
    vehicle.server.behave = lambda request, server: None
    yield 1


@control("N11")
def other_settings(vehicle, chance):
    """Somebody puts other settings in place, and nobody said so"""
    vehicle.settings["sync"]["max_batch_size"] = 7
    vehicle.put_settings()
    vehicle.supervisor.send(signal.SIGHUP)
    yield 3


def forget(vehicle, part):
    """The state file has a line for each part (docs/queue.md)."""
    with open(vehicle.queue + ".state", "r+") as file:
        lines = ["null\n" if f'"{part}":' in line else line for line in file]
        file.seek(0)
        file.writelines(lines)
        file.truncate()


@control("orders")
def command_forgotten(vehicle, chance):
    """The ids that were begun are removed while the agent is dead, and the server has heard nothing"""
    vehicle.server.orders.unheard = True
    vehicle.server.orders.order("q-1", "quarantine_retry")
    yield from until(lambda: "(q-1)" in vehicle.supervisor.journal.text, 20)
    count = len(vehicle.supervisor.lives)
    vehicle.supervisor.send(signal.SIGKILL, "kill")
    forget(vehicle, "commands")
    yield from until(lambda: len(vehicle.supervisor.lives) > count, 20)
    yield from until(lambda: vehicle.supervisor.journal.text.count("(q-1)") > 1, 20)


@control("orders")
def settings_forgotten(vehicle, chance):
    """The server's settings are removed while the agent is dead"""
    orders = vehicle.server.orders
    version = orders.give({"motion.stop_timeout_s": 130})

    def is_kept():
        config = (vehicle.poller.status() or {}).get("config", {})
        return config.get("in_force") == version and "trial_until" not in config
    yield from until(is_kept, 30)
    orders.config = None
    vehicle.supervisor.send(signal.SIGKILL, "kill")
    forget(vehicle, "settings")
    yield 6


@control("distance")
def place_wanders(vehicle, chance):
    """The receiver drives four times as fast as the rig believes"""
    vehicle.receiver.begun -= 1
    place = vehicle.receiver.report

    def faster():
        vehicle.receiver.begun -= 3 / vehicle.hz
        return {**place(), "speed": 60.0}
    vehicle.receiver.report = faster
    yield 15


@control("trap")
def segmentation_fault(vehicle, chance):
    """SIGSEGV from nowhere, again after the first one's backtrace"""
    for _ in range(2):
        vehicle.supervisor.send(signal.SIGSEGV)
        yield 2


@control("exit")
def wrong_status(vehicle, chance):
    """The process ends with 66 because its settings are gone, and no fault allows that"""
    os.rename(vehicle.folder + "/godwit.toml", vehicle.folder + "/away")
    vehicle.supervisor.send(signal.SIGKILL, "kill")
    yield from until(lambda: vehicle.supervisor.given_up is not None, 15)
    os.rename(vehicle.folder + "/away", vehicle.folder + "/godwit.toml")
    vehicle.supervisor.begin()
