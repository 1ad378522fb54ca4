"""How late this machine makes everybody, so that a busy one fails nobody; and waiting for things."""
import threading, time

TICK_S = 0.05
# What holds up the rig's thread holds up agent, gpsd and server one after the other.
HOPS = 3


class Unexpected(Exception):
    """The rig itself cannot go on."""


def wait_for(test, most_s, every_s=0.05):
    """The first true value of `test`, or None."""
    end = time.monotonic() + most_s
    while True:
        value = test()
        if value or time.monotonic() > end:
            return value or None
        time.sleep(every_s)


def waited_for_cpu(pid):
    """Seconds in all that this process was ready to run and did not; 0 where the kernel does not tell."""
    try:
        with open(f"/proc/{pid}/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0


class Machine:
    """Measures its own stalls: how much longer than asked a thread slept, and how long the agent waited for a CPU."""

    def __init__(self):
        self.begun = time.monotonic()
        self.samples = [(0.0, 0.0)]
        self.waited_s, self.followed = 0.0, (None, 0)
        threading.Thread(target=self.beat, daemon=True).start()

    def now(self):
        """Seconds since the episode began."""
        return time.monotonic() - self.begun

    def beat(self):
        late = 0.0
        while True:
            before = time.monotonic()
            time.sleep(TICK_S)
            late += max(0.0, time.monotonic() - before - TICK_S - 0.01)
            self.samples.append((self.now(), late + self.waited_s))

    def follow(self, pid):
        """Adds what this process has waited for a CPU since the last look."""
        waited = waited_for_cpu(pid)
        before = self.followed[1] if self.followed[0] == pid else 0
        self.waited_s += max(0.0, waited - before)
        self.followed = (pid, waited)

    def stalled(self, begin, end=None):
        """By how many seconds a bound between these two must be extended."""
        end = self.now() if end is None else end
        inside = [late for when, late in self.samples if begin - 1 <= when <= end + 1]
        return HOPS * (inside[-1] - inside[0]) if inside else 0.0
