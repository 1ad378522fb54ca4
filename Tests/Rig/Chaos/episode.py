"""One episode: the faults happen, their causes end, the agent recovers, everything is counted."""
import heapq, signal

from .machine import wait_for
from .vehicle import Vehicle

RECOVERY_S = 60
STOP_S = 10
CALM_S = 3


class Span:
    """When a fault lasted."""

    def __init__(self, fault, begin):
        self.fault, self.begin, self.end = fault, begin, None


class Episode:
    def __init__(self, plan, folder, godwit):
        self.plan = plan
        self.vehicle = Vehicle(folder, godwit, plan)
        self.vehicle.blame = self.blame
        self.spans = []
        self.blamed = []
        # Filled at the end, for the invariants.
        self.quiet = self.recovered_after = self.recovery_words = None
        self.remaining = self.stop_code = self.stop_took = None

    def blame(self, invariant, words):
        """A fault found something itself."""
        self.blamed.append((invariant, words))

    # MARK: The course

    def run(self):
        vehicle = self.vehicle
        queue = [(when, number, fault) for number, (when, fault) in enumerate(self.plan.faults)]
        early = [self.begin(fault) for when, _, fault in queue if fault.begins]
        vehicle.put_settings()
        vehicle.supervisor.begin()
        begun = vehicle.now()
        later = [(begun + when, number, self.starting(fault)) for when, number, fault in queue if not fault.begins]
        later += [(begun + delay, 100 + number, steps) for number, (delay, steps) in enumerate(early) if steps]
        self.play(later)
        if vehicle.window_end:
            self.sleep_until(vehicle.window_end + 1)
        self.sleep_until(vehicle.now() + CALM_S)
        self.recover()
        self.stop()
        self.count()

    def play(self, steps):
        """`steps`: [(time, number, generator)]"""
        heapq.heapify(steps)
        while steps:
            when, number, generator = heapq.heappop(steps)
            self.sleep_until(when)
            delay = next(generator, None)
            if delay is not None:
                heapq.heappush(steps, (max(when, self.vehicle.now() - 0.05) + delay, number, generator))

    def starting(self, fault):
        """The fault's steps, noted."""
        span = Span(fault, self.vehicle.now())
        self.spans.append(span)
        self.vehicle.note(f"{fault.label} begins")
        yield from fault(self.vehicle, self.plan.chance(fault))
        span.end = self.vehicle.now()
        self.vehicle.note(f"{fault.label} is over")

    def begin(self, fault):
        """What must be there before the agent starts; returns (delay, the rest)."""
        steps = self.starting(fault)
        return next(steps, 0), steps

    def sleep_until(self, when):
        wait_for(lambda: self.vehicle.now() >= when, max(0.0, when - self.vehicle.now()) + 1, 0.01)

    # MARK: The end

    def recover(self):
        """N12: within a minute of the last cause's end."""
        vehicle = self.vehicle
        self.quiet = max([span.end or vehicle.now() for span in self.spans] + [0.0])
        if vehicle.window_end:
            self.quiet = max(self.quiet, vehicle.window_end)
        before = {
            key for key, (seen, _) in vehicle.poller.witnessed.items()
            if seen <= self.quiet and not self.may_be_lost(seen)}
        vehicle.note("everything is well from here on")

        def over():
            self.recovery_words = self.misses(before)
            late = vehicle.now() - self.quiet
            return not self.recovery_words or late > RECOVERY_S + vehicle.machine.stalled(self.quiet)
        wait_for(over, 10 * RECOVERY_S, 0.3)
        self.recovered_after = None if self.recovery_words else vehicle.now() - self.quiet
        vehicle.note(f"recovered after {self.recovered_after:.1f} s" if self.recovered_after else "not recovered")

    def misses(self, before):
        """What is not well yet, in words; empty when all is."""
        vehicle = self.vehicle
        if vehicle.supervisor.is_down():
            return "the agent does not run"
        status = vehicle.poller.status(since=self.quiet)
        if status is None or vehicle.now() - vehicle.poller.statuses[-1][0] > 5:
            return "the agent does not answer"
        if status["queue"]["storage"] != "ok":
            return "the storage counts as failed"
        if "problem" in status["sync"]:
            return f"the sync has a problem: {status['sync']['problem']}"
        if vehicle.window_end is None:
            words = self.does_not_track(status)
            if words:
                return words
        delivered = {self.known_by(key[1:]) for key in list(vehicle.server.stored)}
        missing = {self.known_by(key) for key in before} - delivered
        if len(missing) > self.set_aside():
            return f"{len(missing)} committed records are not delivered"
        return ""

    def known_by(self, key):
        """(queue, sequence), or the sequence alone where what waits may get another id."""
        return key[1] if any("ids" in fault.disturbs for _, fault in self.plan.faults) else key

    def does_not_track(self, status):
        vehicle = self.vehicle
        if status.get("no_track_because"):
            return f"no track because {status['no_track_because']}"
        if status["motion"] != "moving":
            return f"it drives, and counts as {status['motion']}"
        since = [one for when, one in vehicle.poller.statuses if when > self.quiet and one["uptime_s"] > 0]
        grown = [one["gps"]["kept"] for one in since if one["uptime_s"] <= status["uptime_s"]]
        return "" if grown and grown[-1] > grown[0] else "no fix is kept"

    def may_be_lost(self, seen):
        """Of damaged files nobody knows how many records they had; those from before the damage was over may be gone. It is
        told, but for a log, which ends where it is damaged."""
        is_known = "queue_damaged" in self.vehicle.poller.warnings or "-wal" in self.vehicle.damaged
        return is_known and any(
            "loss" in span.fault.disturbs and seen <= (span.end or self.vehicle.now()) for span in self.spans)

    def set_aside(self):
        """Records that were refused or are in the ledger, by the agent's own word; damage of unknown extent has no number."""
        try:
            return sum(number for number, in self.vehicle.database(
                "SELECT count(*) FROM refused UNION ALL "
                "SELECT coalesce(sum(records), 0) FROM ledger WHERE cause <> 'damage_unknown'"))
        except Exception:
            return 0

    def stop(self):
        vehicle = self.vehicle
        began, life = vehicle.now(), vehicle.supervisor.life
        vehicle.supervisor.end(signal.SIGTERM)
        wait_for(vehicle.supervisor.is_down, 60)
        if not vehicle.supervisor.is_down():
            self.stop_code = "does not end"
            life.process.kill()
            wait_for(vehicle.supervisor.is_down, 60)
        elif life:
            self.stop_code = life.code
            self.stop_took = life.end - began - vehicle.machine.stalled(began, life.end)

    def count(self):
        self.remaining = self.vehicle.remaining()
        if self.remaining is None:
            self.vehicle.note("the queue cannot be exported")
        self.vehicle.receiver.ends = True
