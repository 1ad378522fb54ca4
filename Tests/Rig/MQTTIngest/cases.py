"""What is killed while a fleet publishes, and what is counted afterwards."""
import os, random, signal, time

from . import brokers
from .agent import Agent
from .early import EarlyBird
from .fleet import Fleet
from .keepers import Keeper
from .machine import wait


class Case:
    """One fleet, its brokers and collectors. What can be killed is in `victims`."""

    # However slow the machine is.
    least_kills = 4

    def __init__(self, folder, binary, chosen):
        self.folder, self.binary, self.chosen = folder, binary, chosen
        self.chance = random.Random(chosen.seed)
        self.nodes, self.keepers, self.birds = [], [], []
        self.build()

    # Who dies by kill -9; who ends in good order and comes back.
    def victims(self):
        return self.keepers

    def rested(self):
        return []

    def run(self):
        """The last line, and whether it is good."""
        try:
            for node in self.nodes:
                node.start(waits=False)
            for node in self.nodes:
                wait(f"{node.name} is ready (see {node.log})", node.is_up)
            for keeper in self.keepers:
                keeper.start()
            fleet = self.fleet()
            fleet.start()
            self.disturb(fleet)
            fleet.finish()
            return self.count(fleet)
        finally:
            for one in self.birds + [keeper.program for keeper in self.keepers] + self.nodes:
                one.end()

    def fleet(self):
        return Fleet(self.chosen.seed, self.chosen.vans, [node.port for node in self.nodes], self.chosen.rate)

    def disturb(self, fleet):
        """Something dies in mid-stream, and is there again a moment later; the next dies when that has come back."""
        end_s, kills = time.monotonic() + self.chosen.seconds, 0
        while time.monotonic() < end_s or kills < self.least_kills:
            kills += 1
            time.sleep(self.chance.uniform(0.1, 0.9))
            victim = self.chance.choice(self.victims() + self.rested())
            if victim in self.rested():
                victim.kill(signal.SIGTERM)
            else:
                victim.kill()
            time.sleep(self.chance.uniform(0, 0.6))
            victim.start()
            if fleet.failure:
                raise SystemExit(f"the vans could not publish: {fleet.failure}")

    def missing(self, fleet):
        """Records that a broker has confirmed to a van, and a database lacks that should have them."""
        return fleet.confirmed - set().union(*(keeper.rows() for keeper in self.keepers))

    def stored_twice(self, fleet):
        rows = [row for keeper in self.keepers for row in keeper.rows()]
        return len(rows) - len(set(rows))

    def quiet_s(self):
        return self.chosen.quiet

    def come_in(self, missing):
        """What is still missing when all has come, or nothing more has for so long."""
        last, since_s = None, time.monotonic()
        while lost := missing():
            if lost != last:
                last, since_s = lost, time.monotonic()
            if time.monotonic() - since_s > self.quiet_s():
                break
            time.sleep(0.2)
        return lost

    def count(self, fleet):
        lost = self.come_in(lambda: self.missing(fleet))
        twice = self.stored_twice(fleet)
        kills = {}
        for one in [keeper.program for keeper in self.keepers] + self.nodes:
            kills[one.name] = one.kills
        stray = set().union(*(keeper.rows() for keeper in self.keepers)) - fleet.confirmed
        print(f"  killed: {', '.join(f'{name} {count}' for name, count in kills.items())}; "
              f"published again {fleet.again} messages over {fleet.connections} connections")
        for line in [line for keeper in self.keepers for line in keeper.complaints()][:5]:
            print("  " + line)
        if stray:
            print(f"  {len(stray)} records that nobody has sent")
        print(f"{self.name}: records {len(fleet.confirmed)} lost {len(lost)} duplicated {twice}", flush=True)
        return len(fleet.confirmed) > 0 and not lost and not twice and not stray


class One(Case):
    """mosquitto and one collector, which dies by kill -9; mosquitto is restarted in good order now and then."""
    name = "mosquitto"

    def build(self):
        self.nodes = [brokers.mosquitto(self.folder)]
        self.keepers = [Keeper("one", self.binary, self.folder, [self.nodes[0].port])]

    def victims(self):
        return self.keepers * 3

    def rested(self):
        return self.nodes


class Shared(Case):
    """mosquitto and two collectors that share the topic: each record is in one of two databases."""
    name = "shared"

    def build(self):
        self.nodes = [brokers.mosquitto(self.folder)]
        self.keepers = [
            Keeper(name, self.binary, self.folder, [self.nodes[0].port], ["--mqtt-group", "collectors"])
            for name in ("one", "two")]


class RealAgent(One):
    """The agent itself with `ack = "strict"`: a record leaves its queue once the collector has said that it is stored."""
    name = "agent"

    def build(self):
        self.nodes = [brokers.mosquitto(self.folder)]
        self.keepers = [Keeper("one", self.binary, self.folder, [self.nodes[0].port], ["--mqtt-confirm"])]

    def fleet(self):
        agent = Agent(self.folder, self.nodes[0].port, self.keepers[0])
        self.birds = [agent.program]
        return agent


class Cluster(Case):
    """Three nodes of JetStream and a collector; any of the four dies by kill -9."""
    name = "nats"
    collectors = ("one",)

    def build(self):
        self.nodes = brokers.nats(self.folder)
        ports = [node.port for node in self.nodes]
        self.keepers = [
            Keeper(name, self.binary, self.folder, ports[shift:] + ports[:shift])
            for shift, name in enumerate(self.collectors)]

    def victims(self):
        return self.nodes + self.keepers


class TwoAtCluster(Cluster):
    """The same with two collectors, of which each gets everything: what one of them lacks, the other has."""
    name = "nats-two"
    collectors = ("one", "two")

    # As in one database, where the second copy of a record is known by its identity.
    def stored_twice(self, fleet):
        return sum(len(rows) - len(set(rows)) for rows in (keeper.rows() for keeper in self.keepers))

    def count(self, fleet):
        is_good = super().count(fleet)
        for keeper in self.keepers:
            lacks = self.come_in(lambda: fleet.confirmed - set(keeper.rows()))
            print(f"  {keeper.name} alone lacks {len(lacks)}")
        return is_good


class OneDatabase(Cluster):
    """The same with two collectors on one PostgreSQL: it has everything, and once."""
    name = "postgresql"

    def build(self):
        self.nodes = brokers.nats(self.folder)
        ports, database = [node.port for node in self.nodes], os.environ["GODWIT_TEST_DATABASE"]
        self.keepers = [
            Keeper(name, self.binary, self.folder, ports[shift:] + ports[:shift], database=database)
            for shift, name in enumerate(("one", "two"))]

    def stored_twice(self, fleet):
        rows = self.keepers[0].rows()
        return len(rows) - len(set(rows))


class Early(Case):
    """The control: each message is confirmed before it is stored. The collector's deaths must lose some."""
    name = "control"
    least_kills = 8

    def build(self):
        self.nodes = [brokers.mosquitto(self.folder)]
        bird = EarlyBird(self.nodes[0].port)
        bird.start()
        self.birds = [bird]
        self.keepers = [Keeper("one", self.binary, self.folder, [bird.port])]

    # What it has lost will not come, and mosquitto alone has nothing to do first.
    def quiet_s(self):
        return 5


ALL = {case.name: case for case in (One, RealAgent, Shared, Cluster, TwoAtCluster, OneDatabase, Early)}
