"""What a rig uses inside of the guest: GPIO chips, the clock, and the agent as a process."""
import ctypes, json, os, signal, socket, subprocess, time

# A Tuesday, 12:00 UTC. Later than any release of ours: an earlier GPS date counts as a week rollover.
NOON = 2_077_358_400
CONFIG = "/sys/kernel/config/gpio-sim"


class Failed(Exception):
    """What should have been, and was not."""


def demand(holds, words):
    if not holds:
        raise Failed(words)


def patience():
    """How many programs want a core, for each core: by so much everything may take longer. Of the machine that a guest is
    on, its kernel's command line says it (Guest/guest.py)."""
    for word in read("/proc/cmdline").split():
        if word.startswith("rig.patience="):
            return float(word.split("=")[1])
    return max(1.0, os.getloadavg()[0] / os.cpu_count())


def wait_for(what, test, timeout_s=30.0, every_s=0.02):
    """The first true value of `test`; on a busy machine it may take longer."""
    timeout_s *= patience()
    end = time.monotonic() + timeout_s
    while True:
        value = test()
        if value:
            return value
        demand(time.monotonic() < end, f"waited {timeout_s:g} s for {what}")
        time.sleep(every_s)


def asked_status(directory):
    """As it is now, over the control socket; None: no agent answers."""
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(10 * patience())
            client.connect(f"{directory}/control")
            client.sendall(b"status\n")
            return json.loads(b"".join(iter(lambda: client.recv(65536), b"")))
    except (OSError, ValueError):
        return None


class Chip:
    """A simulated chip of 28 lines. Lines: offset → name; hogs: offset → who holds it."""

    def __init__(self, name, label, lines, hogs=None):
        self.folder = f"{CONFIG}/{name}"
        bank = f"{self.folder}/bank"
        os.makedirs(bank)
        write(f"{bank}/num_lines", 28)
        write(f"{bank}/label", label)
        for offset, line in lines.items():
            os.makedirs(f"{bank}/line{offset}")
            write(f"{bank}/line{offset}/name", line)
        for offset, holder in (hogs or {}).items():
            os.makedirs(f"{bank}/line{offset}/hog")
            write(f"{bank}/line{offset}/hog/name", holder)
            write(f"{bank}/line{offset}/hog/direction", "input")
        write(f"{self.folder}/live", 1)
        self.name = read(f"{bank}/chip_name")
        self.device = f"/sys/devices/platform/{read(self.folder + '/dev_name')}/{self.name}"

    def level(self, offset):
        return int(read(f"{self.device}/sim_gpio{offset}/value"))

    def pull(self, offset, up):
        write(f"{self.device}/sim_gpio{offset}/pull", "pull-up" if up else "pull-down")

    def remove(self):
        write(f"{self.folder}/live", 0)
        for folder, _, _ in os.walk(self.folder, topdown=False):
            os.rmdir(folder)


def read(path):
    with open(path) as file:
        return file.read().strip()


def write(path, value):
    with open(path, "w") as file:
        file.write(str(value))


class Timex(ctypes.Structure):
    _fields_ = [
        ("modes", ctypes.c_uint), ("offset", ctypes.c_long), ("freq", ctypes.c_long), ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long), ("status", ctypes.c_int), ("rest", ctypes.c_byte * 160)]


def set_clock(seconds, synchronised):
    """The guest's wall clock alone, and whether its kernel says that somebody keeps it right."""
    time.clock_settime(time.CLOCK_REALTIME, seconds)
    discipline(synchronised)


def discipline(synchronised):
    """As chrony does now and then. ADJ_STATUS | ADJ_MAXERROR; STA_UNSYNC is 0x40."""
    state = Timex(modes=0x14, maxerror=0 if synchronised else 16_000_000, status=0 if synchronised else 0x40)
    demand(ctypes.CDLL(None).adjtimex(ctypes.byref(state)) >= 0, "adjtimex refused")


class Agent:
    """`godwit run` with its own folder, journal and queue."""

    def __init__(self, godwit, folder, settings, environment=None):
        self.godwit, self.folder = godwit, folder
        os.makedirs(f"{folder}/run", exist_ok=True)
        self.settings = f"{folder}/godwit.toml"
        write(self.settings, settings.replace("FOLDER", folder))
        self.journal = open(f"{folder}/journal", "a+")
        self.environment = {**os.environ, **(environment or {})}
        self.process = None

    def start(self):
        self.process = subprocess.Popen(
            [*self.godwit, "run", "--config", self.settings], stdin=subprocess.DEVNULL, stdout=self.journal,
            stderr=self.journal, env=self.environment)
        return self

    def started(self):
        self.start()
        wait_for("the agent's status", lambda: self.status() or self.process.poll() is not None)
        demand(self.process.poll() is None, f"the agent ended: {self.said()}")
        return self

    def status(self):
        return asked_status(f"{self.folder}/run")

    def published(self):
        """Its last status, which is up to half a minute old; asking for another one would wake the agent."""
        return json.loads(read(f"{self.folder}/run/status.json"))

    def warned(self, name):
        """How often, since its start."""
        return (self.status() or {}).get("warnings", {}).get(name, {}).get("count", 0)

    def said(self):
        return read(f"{self.folder}/journal")

    def ended(self, timeout_s=10):
        """Its exit status."""
        wait_for("the agent's end", lambda: self.process.poll() is not None, timeout_s)
        return self.process.returncode

    def end(self, number=signal.SIGTERM, timeout_s=10):
        self.process.send_signal(number)
        return self.ended(timeout_s)

    def power_off(self):
        """What `godwit power off` says, with its exit status."""
        return self.run("power", "off", "--config", self.settings)

    def check(self):
        """What `godwit check` says, with its exit status."""
        return self.run("check", self.settings)

    def run(self, *arguments):
        done = subprocess.run([*self.godwit, *arguments], capture_output=True, text=True, env=self.environment)
        return done.returncode, (done.stdout + done.stderr).strip()

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.journal.close()
