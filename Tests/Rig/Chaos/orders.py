"""What a server orders from afar (docs/remote.md), and what the agent has told of it."""
import re, threading

BEGUN = re.compile(r"the server wants: (.*) \(([^()]*)\)$", re.MULTILINE)
# Settings that change nothing an invariant looks at.
GOOD = [{"motion.stop_timeout_s": 130}, {"sync.sync_threshold": 15}, {"motion.parked_heartbeat_s": 1800}, {}]
BAD = [
    {"motion.stop_timeout_s": -1}, {"sync.url": "https://other.example.com/"}, {"schedule": ["at dawn"]},
    {"gps.fly": 1}]


class Orders:
    def __init__(self):
        self.lock = threading.Lock()
        self.config = None  # what is offered
        self.versions = {}  # version: settings, of the good ones
        self.newest = 0
        self.cut_off = set()  # versions with which the server is out of reach
        self.commands = {}  # id: command, until its result is told
        self.offered, self.results, self.unheard = set(), {}, False

    # MARK: What is ordered

    def give(self, settings, is_good=True):
        """A new version. Returns it."""
        with self.lock:
            self.newest += 1
            self.config = {"version": self.newest, "settings": settings}
            if is_good:
                self.versions[self.newest] = settings
            return self.newest

    def offer(self, config):
        """Something else in its place."""
        self.config = config

    def order(self, identity, command, **arguments):
        with self.lock:
            self.commands[identity] = {"id": identity, "command": command, **arguments}

    def members(self):
        """Of a reply that names records."""
        with self.lock:
            offered = list(self.commands.values())
            self.offered |= set(list(self.commands)[:16])
            return {**({"config": self.config} if self.config else {}), **({"commands": offered} if offered else {})}

    # MARK: What is told

    def told(self, status):
        with self.lock:
            results = status.get("commands", {}).get("results", [])
            self.results.update({one["id"]: one["result"] for one in results if one["result"] != "running"})
            if self.unheard:
                return
            for identity in self.results:
                self.commands.pop(identity, None)

    def is_settled(self, status):
        """The newest version is kept or refused, by the agent's own word."""
        config = (status or {}).get("config", {})
        return config.get("desired", 0) >= self.newest and "trial_until" not in config


def begun(journal):
    """[(words, id)] in the order in which commands were begun."""
    return BEGUN.findall(journal)
