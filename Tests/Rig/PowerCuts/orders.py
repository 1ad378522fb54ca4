"""What the server of one box has ordered from afar (docs/remote.md), what it was told of that, and what must hold."""
import collections, json, re, threading

from .observer import Fault

# A box looks at six an hour and takes 64 commands an hour, whatever its power does: then comes another box.
MOST_VERSIONS = 5
MOST_COMMANDS = 64
MOST_RESTARTS = 4
# A trial ends with the third start, for good.
MOST_STARTS = 3
BEGUN = re.compile(r"the server wants: (.*) \(([^()]*)\)$")
# The state file has a line for each.
PARTS = ["device", "run", "commands", "settings"]


class Orders:
    """Everything is said by the server's thread or read from the journal, until `deaf`: what came before is durable."""

    def __init__(self, random):
        self.random = random
        self.lock = threading.Lock()
        self.deaf = False
        self.configs = {}  # version: as it was sent
        self.bad = set()  # versions that must be refused
        self.desired = self.kept = self.refused = 0  # as the box has told
        self.commands = {}  # id: as it was sent
        self.results = {}  # id: the outcome that was told as its last
        self.known = set()  # ids that were told of, or begun
        self.begun = collections.Counter()
        self.starts = 0  # since the newest version was made
        self.acknowledged = 0  # words of the box that must stay true
        self.faults = []
        if random.random() < 0.2:
            # More than it takes within an hour, and too many restarts among them.
            for number in range(MOST_COMMANDS + 20):
                self.add_command("restart" if number % 9 == 0 else None)

    # MARK: What the server orders

    def is_settled(self):
        newest = max(self.configs, default=0)
        return newest in (self.kept, self.refused) and self.results.keys() == self.commands.keys()

    def next_round(self):
        """Something new, once all that there was is settled."""
        if self.is_settled():
            if len(self.configs) < MOST_VERSIONS and self.random.random() < 0.7:
                self.add_config()
            most = 16 if self.random.random() < 0.2 else 3
            for _ in range(self.random.randrange(1, most + 1)):
                self.add_command()

    def add_config(self):
        version = max(self.configs, default=0) + self.random.choice([1, 1, 5])
        config = {"version": version, "settings": {"motion.stop_timeout_s": 100 + version}}
        kind = self.random.choice(["good", "good", "good", "large", "empty", "bad"])
        if kind == "bad":
            config["settings"]["motion.stop_timeout_s"] = -1
            self.bad.add(version)
        elif kind == "empty":
            config["settings"] = {}
        elif kind == "large":
            # Many blocks of the file system.
            config["geofences"] = {"type": "FeatureCollection", "features": [{
                "type": "Feature", "geometry": {"type": "Point", "coordinates": [number / 10, 45.5]},
                "properties": {"id": f"yard-{version}-{number}", "radius_m": 200}} for number in range(1, 200)]}
        self.configs[version] = config
        self.starts = 0

    def add_command(self, only=None):
        name, arguments = (only, {}) if only else self.random.choice([
            ("status", {}), ("sync", {}), ("report", {"lines": 5}), ("resume", {}), ("track_for", {"seconds": 60}),
            ("quarantine_retry", {}), ("restart", {}), ("locate", {"timeout_s": 10}), ("fly", {}),
            ("status", {"expires": "2020-01-01T00:00:00Z"}), ("track_for", {"second": 60})])
        identity = f"c-{len(self.commands) + 1}"
        self.commands[identity] = {"id": identity, "command": name, **arguments}

    def open(self):
        """The members of a reply, and whether the box has yet to hear of any of it."""
        reply, newest = {}, max(self.configs, default=0)
        if self.desired < newest:
            reply["config"] = self.configs[newest]
        offered = [command for identity, command in self.commands.items() if identity not in self.results]
        if offered:
            reply["commands"] = offered[:16]
        is_new = "config" in reply or any(command["id"] not in self.known for command in offered[:16])
        return reply, is_new

    # MARK: What the box says

    def told(self, status):
        """With a status: what it says is on storage."""
        config = status.get("config", {})
        self.hear_config(config)
        for result in status.get("commands", {}).get("results", []):
            self.hear_result(result["id"], result["result"])

    def hear_config(self, config):
        desired, in_force, refused = config.get("desired", 0), config.get("in_force", 0), config.get("refused")
        if desired < self.desired:
            self.fault("lost", f"version {self.desired} was told as known, and now only {desired} is")
        if refused and not self.may_refuse(refused):
            self.fault("corrupt", f"good version {refused} is refused: {config.get('refused_because')}")
        if "off_because" in config:
            self.fault("corrupt", f"version {in_force} is off: {config['off_because']}")
        is_kept = in_force and "trial_until" not in config
        if not is_kept and self.kept and not self.is_open():
            self.fault("lost", f"version {self.kept} was told as kept, and is not in force")
        if desired > self.desired or is_kept and in_force > self.kept:
            self.acknowledged += 1
        self.desired = max(self.desired, desired)
        self.refused = max(self.refused, refused or 0)
        if is_kept:
            self.kept = max(self.kept, in_force)

    def is_open(self):
        """A version that may be on trial by now."""
        return max(self.configs, default=0) > self.kept

    def may_refuse(self, version):
        if version == max(self.configs, default=0) and self.starts >= MOST_STARTS:
            self.bad.add(version)
        return version in self.bad

    def hear_result(self, identity, result):
        self.known.add(identity)
        if identity not in self.commands:
            self.fault("corrupt", f"a result of {identity}, which was never sent")
        elif result != "running":
            before = self.results.setdefault(identity, result)
            self.acknowledged += before == result
            if before != result:
                self.fault("undone", f"{identity} was told as {before}, and then as {result}")
        self.judge_hour()

    def heard(self, line):
        """Of the journal."""
        match = BEGUN.search(line)
        if match:
            identity = match[2]
            self.begun[identity] += 1
            self.known.add(identity)
            self.acknowledged += 1
            if self.begun[identity] > 1:
                self.fault("duplicated", f"{self.commands[identity]['command']} {identity} was begun twice")
            self.judge_hour()
        elif "cannot be read" in line or "is not, or not all, known" in line:
            self.fault("corrupt", line.strip())

    def judge_hour(self):
        """All this takes minutes, over all lives."""
        if len(self.known) > MOST_COMMANDS or self.restarts() > MOST_RESTARTS:
            self.fault("undone", f"the hour's count: {len(self.known)} commands, {self.restarts()} restarts")

    def restarts(self):
        return sum(self.commands[identity]["command"] == "restart" for identity in self.begun)

    def fault(self, kind, words, count=1):
        self.faults.append(Fault(kind, words, count))

    def take_faults(self):
        faults, self.faults = self.faults, []
        return faults

    # MARK: After a cut

    def judge(self, path):
        """What the state file holds, as nobody of ours has read it yet.

        Returns whether there is more than was told: the cut fell between storage and word."""
        found = content(path + ".state")
        is_ahead = self.judge_overlay(found)
        return self.judge_commands(found) or is_ahead

    def judge_overlay(self, found):
        if found is None:
            if self.desired:
                self.fault("lost", f"the file is gone that had version {self.desired}")
            return
        state = part(found, "settings")
        if state is None:
            self.fault("corrupt", f"the server's settings are not whole: {len(found)} bytes")
            return
        if not state:
            if self.desired:
                self.fault("lost", f"the settings are gone that had version {self.desired}")
            return
        kept, trial, refused = state.get("kept"), state.get("trial", {}).get("config"), state.get("refused", {})
        for config in filter(None, [kept, trial]):
            if config != self.configs.get(config["version"]):
                self.fault("corrupt", f"version {config['version']} is not what was sent")
        newest = max([one["version"] for one in (kept, trial, refused) if one], default=0)
        if newest < self.desired:
            self.fault("lost", f"version {self.desired} was told as known, and storage has {newest}")
        if (kept["version"] if kept else 0) < self.kept:
            self.fault("lost", f"version {self.kept} was told as kept, and storage does not keep it")
        if refused and not self.may_refuse(refused["version"]):
            self.fault("corrupt", f"good version {refused['version']} is refused: {refused['reason']}")
        return newest > self.desired

    def judge_commands(self, found):
        if found is None:
            if self.known:
                self.fault("lost", f"the file is gone that had {len(self.known)} ids", len(self.known))
            return
        entries = part(found, "commands")
        if entries is None:
            self.fault("corrupt", f"the commands are not whole: {len(found)} bytes")
            return
        outcomes = {entry["id"]: entry["outcome"] for entry in entries}
        noted = {identity for identity in self.known if self.begun[identity] or identity in self.results}
        lost = noted - outcomes.keys()
        if lost:
            self.fault("lost", f"{len(lost)} ids are forgotten, such as {min(lost)}")
        undone = [one for one, result in self.results.items() if outcomes.get(one, result) != result]
        if undone:
            self.fault("undone", f"{undone[0]} was told as {self.results[undone[0]]}, and is {outcomes[undone[0]]}")
        return not self.known.issuperset(outcomes)


def content(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError:
        # Without barriers the file system itself is damaged: there is nothing whole.
        return b""


def part(found, name):
    """The value of a part, before which its checksum is (FNV-1a, 64 bits, draft-eastlake-fnv); [] where there is none, None
    where it is not whole."""
    # The room for the next version are spaces.
    lines = [line.rstrip() for line in found.split(b"\n")]
    if len(lines) != len(PARTS) + 1 or lines[-1]:
        return None
    line = lines[PARTS.index(name)]
    if line == b"null":
        return []
    # {"sum":"0123456789abcdef","NAME":VALUE}
    value = line[len(name) + 29:-1]
    total = 0xCBF2_9CE4_8422_2325
    for byte in value:
        total = (total ^ byte) * 0x100_0000_01B3 & (1 << 64) - 1
    if line != f'{{"sum":"{total:016x}","{name}":'.encode() + value + b"}":
        return None
    try:
        return json.loads(value)
    except ValueError:
        return None
