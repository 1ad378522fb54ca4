"""The process, its limits, and those who talk with it."""
import os, shutil, signal, socket, subprocess

from . import fault, stopped, until


@fault("process", "1 34", disturbs=["process", "gps"], weight=4)
def killed(vehicle, chance):
    """kill -9, and systemd starts it again"""
    for _ in range(chance.choice([1, 1, 2])):
        count = len(vehicle.supervisor.lives)
        vehicle.supervisor.send(signal.SIGKILL, "kill")
        yield from until(lambda: len(vehicle.supervisor.lives) > count, 20)
        yield chance.uniform(0, 3)


@fault("process", "39 74", disturbs=["process", "gps"], weight=3)
def restarted(vehicle, chance):
    """systemctl restart"""
    yield from stopped(vehicle, signal.SIGTERM)
    yield chance.uniform(0, 2)
    vehicle.supervisor.begin()


@fault("process", "62", disturbs=["hang", "loop"], weight=3)
def held_for_seconds(vehicle, chance):
    """SIGSTOP, and SIGCONT some seconds later"""
    vehicle.supervisor.send(signal.SIGSTOP)
    yield chance.uniform(2, 9)
    vehicle.supervisor.send(signal.SIGCONT)


@fault("process", "35 62", disturbs=["hang", "loop", "process", "gps"], weight=1)
def held_for_good(vehicle, chance):
    """SIGSTOP until the watchdog has it killed"""
    count = len(vehicle.supervisor.lives)
    vehicle.supervisor.send(signal.SIGSTOP, "kill")
    yield from until(lambda: len(vehicle.supervisor.lives) > count, 110)


@fault("process power", "62", disturbs=["hang", "loop", "process", "gps"], weight=2)
def power_off_while_held(vehicle, chance):
    """The agent hangs, and an operator says `godwit power off --force`: the GPS is off, or a new agent is there"""
    count, held = len(vehicle.supervisor.lives), vehicle.supervisor.life
    vehicle.supervisor.send(signal.SIGSTOP, "kill")
    yield 1
    child = subprocess.Popen(
        [vehicle.godwit, "power", "off", "--force", "--config", vehicle.folder + "/godwit.toml", "--directory",
         vehicle.folder + "/run"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    yield from until(lambda: child.poll() is not None, 60)
    is_same = len(vehicle.supervisor.lives) == count
    if child.poll() is None or (is_same and vehicle.power.level() != 0):
        vehicle.blame("N3", f"power off against a held agent: {child.poll()}, and the line is {vehicle.power.level()}")
    child.kill()
    # Nothing lets it go on: it is the watchdog's, after 120 s where the GPS was off.
    yield from until(lambda: held is None or held.end is not None, 150)


@fault("journal", "60", disturbs=["ring"], begins=True, weight=5)
def journal_blocked(vehicle, chance):
    """Whoever reads standard error stops reading, and goes on later"""
    yield chance.uniform(1, 6)
    vehicle.supervisor.journal.block()
    # What the agent says of a reload must find no room.
    vehicle.supervisor.send(signal.SIGHUP)
    yield chance.uniform(8, 14)
    vehicle.supervisor.journal.reads.set()


@fault("control", "63", disturbs=["loop", "load"], weight=3)
def silent_clients(vehicle, chance):
    """Many clients connect to the control socket and say nothing, half a line, or read nothing"""
    clients = []
    for number in range(chance.choice([10, 40, 200])):
        client = socket.socket(socket.AF_UNIX)
        client.setblocking(False)
        try:
            client.connect(vehicle.folder + "/run/control")
            client.send([b"", b"sta", b"status\n", b"x" * 3000][number % 4] or b"\0")
        except OSError:
            pass
        clients.append(client)
    yield chance.uniform(4, 8)
    for client in clients:
        client.close()


@fault("run", "61", disturbs=["loop"], weight=2)
def run_folder_gone(vehicle, chance):
    """The folder in /run is emptied or removed, and is there again"""
    folder = vehicle.folder + "/run"
    shutil.rmtree(folder)
    if chance.random() < 0.5:
        yield chance.uniform(1, 4)
    # The agent makes it again too.
    os.makedirs(folder, exist_ok=True)
    yield 1


LIMITS = {
    "--nofile": [20, 24, 32, 48], "--fsize": [0, 100_000, 1 << 20], "--as": [60 << 20, 120 << 20], "--nproc": [1, 4]}


# What does not suffice for a start may say so, and is tried again by systemd; what is said is in the journal.
@fault("limits process", "58 63", disturbs=["process", "gps", "loop", "load"], codes=[71, 73, 78], weight=3)
def limits(vehicle, chance):
    """A life with few descriptors, files of no size, little memory, or no further process"""
    name = chance.choice(list(LIMITS))
    value = chance.choice(LIMITS[name])
    yield from stopped(vehicle, signal.SIGTERM)
    vehicle.note(f"prlimit {name}={value}")
    before = list(vehicle.supervisor.prefix)
    vehicle.supervisor.prefix = [*before, "prlimit", f"{name}={value}:{value}"]
    vehicle.supervisor.begin()
    yield chance.uniform(6, 9)
    yield from stopped(vehicle, signal.SIGTERM)
    vehicle.supervisor.prefix = before
    vehicle.supervisor.begin()


@fault("second", "17")
def second_instance(vehicle, chance):
    """A second agent with the same settings: it ends with 75, and the first one's GPS stays on"""
    yield from until(lambda: vehicle.supervisor.life is not None, 20)
    child = subprocess.Popen(
        [vehicle.godwit, "run", "--config", vehicle.folder + "/godwit.toml"], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    # Where the first one is killed meanwhile it is the only one, and would keep its place.
    yield from until(lambda: child.poll() is not None or vehicle.supervisor.life is None, 20)
    held = vehicle.supervisor.life is not None
    if child.poll() is None:
        child.kill()
        vehicle.blame("exit", "a second agent runs") if held else None
    elif held and child.returncode not in (75, 78):
        vehicle.blame("exit", f"a second agent ended with {child.returncode}")
