"""What an episode is, drawn from its seed."""
import functools, os, random, subprocess
from dataclasses import dataclass, field

from . import faults

# Faults of an episode: most have one or two.
COUNTS = [1, 1, 1, 2, 2, 3, 4]


@dataclass
class Plan:
    seed: int
    hz: float
    has_real_gpsd: bool
    acknowledges_by_range: bool
    commit_records: int
    batch: int
    order: str
    # The schedule's window ends so many seconds after the beginning; None: it is always open.
    window_s: float | None
    # The schedule names these days, so that a wrong date closes it.
    is_dated: bool = False
    # [(seconds, fault)]
    faults: list = field(default_factory=list)
    left_out: list = field(default_factory=list)

    def chance(self, fault):
        """Of this fault alone: what others draw does not change it."""
        return random.Random(f"{self.seed} {fault.label}")

    def title(self):
        window = f", window of {self.window_s:.0f} s" if self.window_s else ""
        return (
            f"{', '.join(fault.label for _, fault in self.faults) or 'nothing'} at {self.hz:g} Hz"
            f"{', real gpsd' if self.has_real_gpsd else ''}{window}")


def draw(seed, only=None, extra=()):
    """`only`: labels of the faults, instead of drawn ones."""
    chance = random.Random(seed)
    plan = Plan(
        seed, hz=chance.choice([1, 1, 2, 5, 10, 25]), has_real_gpsd=chance.random() < 0.25,
        acknowledges_by_range=chance.random() < 0.5, commit_records=chance.choice([1, 10, 50]),
        batch=chance.choice([3, 20, 100]), order=chance.choice(["sequence", "live_first"]),
        window_s=chance.uniform(14, 24) if chance.random() < 0.3 else None)
    chosen = [one for one in faults.ALL if one.label in only] if only else choose(chance)
    for one in [*chosen, *extra]:
        if one.root and not may_mount():
            plan.left_out.append(one.label)
            continue
        plan.faults.append((0.0 if one.begins else chance.uniform(4, 10), one))
    # Many objects at 25 Hz would test the machine.
    if plan.hz > 5 and any("load" in one.disturbs for _, one in plan.faults):
        plan.hz = 5
    if any({"hang", "process"} <= one.disturbs for one in chosen) and plan.window_s is None:
        # The end of a window is what nobody else sees to.
        plan.window_s = chance.uniform(14, 20)
    if any("window" in one.touches for _, one in plan.faults):
        plan.window_s, plan.is_dated = None, True
    if any("gpsd" in one.touches for _, one in plan.faults):
        # Lies are told in gpsd's own words, and a real one needs seconds to start again.
        plan.has_real_gpsd = False
    return plan


@functools.cache
def may_mount():
    """Root, in a container that lets it: a mount namespace, and port 53."""
    unshare = ["unshare", "--mount", "--propagation", "private", "true"]
    return os.geteuid() == 0 and subprocess.run(unshare, capture_output=True).returncode == 0


def choose(chance):
    left, chosen = list(faults.ALL), []
    for _ in range(chance.choice(COUNTS)):
        if not left:
            break
        one = chance.choices(left, [fault.weight for fault in left])[0]
        chosen.append(one)
        left = [other for other in left if not other.touches & one.touches]
    return chosen
