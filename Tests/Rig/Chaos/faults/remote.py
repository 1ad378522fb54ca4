"""What servers order from afar, and copied cards."""
import os

from . import fault, stopped, until
from ..orders import BAD, GOOD
from ..server import identity


def settled(vehicle, version, most_s=30):
    """Until the agent has looked at this version, and no trial is under way."""
    def is_over():
        status = vehicle.poller.status()
        desired = (status or {}).get("config", {}).get("desired", 0)
        return desired >= version and vehicle.server.orders.is_settled(status)
    yield from until(is_over, most_s)


# A version that is put in force is like a reload.
@fault("orders", told=["config_refused"], disturbs=["ring"], weight=5)
def settings_ordered(vehicle, chance):
    """The server sets settings: good ones, some that are refused, old ones again, and what cannot be read"""
    orders = vehicle.server.orders
    yield from settled(vehicle, orders.give(chance.choice(GOOD)))
    yield from settled(vehicle, orders.give(chance.choice(BAD), is_good=False))
    orders.offer(chance.choice([
        {"version": orders.newest}, {"version": 0, "settings": {}}, ["version", 9], "9", {"version": 1, "settings": {}},
        {"version": 99, "settings": {}, "more": 1}]))
    yield chance.uniform(2, 4)
    yield from settled(vehicle, orders.give(chance.choice(GOOD)))


@fault("orders server", told=["config_refused"], disturbs=["ring"], begins=True, weight=3)
def settings_that_cut_off(vehicle, chance):
    """Settings with which the server is out of reach: they are rolled back when their trial ends, and it is again"""
    vehicle.settings["sync"]["config_trial_s"] = 12
    yield chance.uniform(4, 8)
    orders = vehicle.server.orders
    version = orders.give({"motion.stop_timeout_s": 140})
    orders.cut_off.add(version)

    given = []

    def behave(request, server):
        # Whoever has it hears nothing any more.
        if given:
            return None
        given.extend(request.uuids()[:1])
        return server.honest(request)

    def config():
        return (vehicle.poller.status() or {}).get("config", {})
    vehicle.server.behave = behave
    yield from until(lambda: given, 30)
    yield from until(lambda: config().get("refused") == version, 45)
    if not given:
        vehicle.unmet.add("settings-that-cut-off")
    elif config().get("in_force") == version:
        vehicle.blame("orders", f"version {version} cuts the box off, and is in force after 45 s")
    vehicle.server.behave = None


ORDERS = [
    ("locate", {"timeout_s": 20}), ("sync", {}), ("status", {}), ("resume", {}),
    ("report", {"lines": 20}), ("quarantine_retry", {}), ("fly", {}), ("track_for", {"second": 60}),
    ("locate", {"timeout_s": 1}), ("status", {"expires": "2020-01-01T00:00:00Z"}), ("status", {"expires": "soon"})]


@fault("orders", disturbs=["load"], weight=5)
def commands_ordered(vehicle, chance):
    """The server sends commands: each kind, malformed ones, ids that were used before, more than it may"""
    orders = vehicle.server.orders
    for number, (command, arguments) in enumerate(chance.sample(ORDERS, chance.randrange(3, len(ORDERS)))):
        orders.order(f"c-{number}", command, **arguments)
    yield from until(lambda: not orders.commands, 30)
    # All of them once more, beside some that have no id: nothing of that is done.
    orders.unheard = True
    for number, (command, arguments) in enumerate(ORDERS[:3]):
        orders.order(f"c-{number}", command, **arguments)
    yield chance.uniform(2, 4)
    for number in range(chance.choice([0, 30, 70])):
        orders.order(f"f-{number}", "status")
    yield chance.uniform(2, 6)
    orders.unheard = False
    orders.commands.clear()


@fault("orders", disturbs=["window"], weight=2)
def track_ordered(vehicle, chance):
    """The server wants a track for some seconds, whatever the schedule says"""
    orders = vehicle.server.orders
    orders.order("t-1", "track_for", seconds=chance.randrange(2, 9))
    yield from until(lambda: not orders.commands, 20)
    yield 9


@fault("orders process", disturbs=["process", "gps"], weight=4)
def restart_ordered(vehicle, chance):
    """The server restarts the agent, which is killed soon after it has begun anew"""
    orders, count = vehicle.server.orders, len(vehicle.supervisor.lives)
    orders.order("r-1", "restart")
    yield from until(lambda: len(vehicle.supervisor.lives) > count, 30)
    if len(vehicle.supervisor.lives) == count:
        vehicle.unmet.add("restart-ordered")
        orders.commands.pop("r-1", None)
        return
    yield chance.uniform(0, 1)
    vehicle.supervisor.send(9, "kill")
    yield from until(lambda: not orders.commands, 30)


@fault("orders process", disturbs=["process", "gps", "window"], weight=3)
def pause_ordered(vehicle, chance):
    """The server pauses the agent, which is killed within the pause, and resumes it"""
    orders = vehicle.server.orders
    orders.order("p-1", "pause", seconds=600)
    yield from until(lambda: "p-1" in orders.results, 20)
    count = len(vehicle.supervisor.lives)
    vehicle.supervisor.send(9, "kill")
    yield from until(lambda: len(vehicle.supervisor.lives) > count, 20)
    # Over plain HTTP no reply to a status alone may resume it: somebody at the box does.
    yield 1
    vehicle.command("resume", "--config", vehicle.folder + "/godwit.toml")
    yield 1


@fault("process identity", told=["identity_changed"], disturbs=["process", "gps", "ids"], root=True, weight=3)
def other_box(vehicle, chance):
    """The card goes on in another box: the machine's id is another one at the next start"""
    yield from stopped(vehicle)
    path = vehicle.folder + "/machine-id"
    with open(path, "w") as file:
        file.write(f"{chance.getrandbits(128):032x}\n")
    vehicle.supervisor.prefix += [
        "unshare", "--mount", "--propagation", "private", "sh", "-c",
        f'mount --bind {path} /etc/machine-id && exec "$@"', "sh"]
    vehicle.supervisor.begin()
    yield from until(lambda: "identity_changed" in vehicle.poller.warnings, 15)


@fault("identity server", told=["identity_conflict"], disturbs=["ids"], weight=3)
def twin(vehicle, chance):
    """Another box with the same card has sent under the identities that come next"""
    server = vehicle.server
    yield from until(lambda: server.stored, 20)
    if not server.stored:
        vehicle.unmet.add("twin")
        return
    _, queue, last = max(server.stored, key=lambda key: key[2])
    met = []

    def of_twin(uuid):
        if identity(uuid)[0] != queue or not last < identity(uuid)[1] <= last + 200:
            return False
        met.append(uuid)
        return True

    server.of_twin = of_twin
    yield from until(lambda: "identity_conflict" in vehicle.poller.warnings, 20)
    # A queue that is begun anew, as after a full disk, has another id.
    if not met:
        vehicle.unmet.add("twin")
