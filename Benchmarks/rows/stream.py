"""One real gpsd with one generated drive, and the agent and its peers beside each other on it."""

import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time

from counting import Instructions
from row import ROOT

sys.path.insert(0, ROOT + "/Tests/Rig")
from Guest.nmea import degrees, sentence

WARM_UP_S = 15
TOKEN = "benchmark"
PROGRAMS = ("godwit", "godwit, every fix", "gpxlogger", "gpspipe -w")


def drive(seconds, rate_hz):
    """NMEA of a drive at 12 m/s round blocks of 200 m: GGA and RMC each epoch, GSA and GSV each second."""
    begin = int(time.time())
    latitude, longitude, course = 47.0, 8.0, 0.0
    lines = []
    for number in range(seconds * rate_hz):
        seconds_on, part = divmod(number, rate_hz)
        stood = seconds_on < 5 or seconds_on % 90 > 80  # A light every one and a half minutes.
        speed = 0.0 if stood else 12.0
        if not stood and seconds_on % 17 > 14:
            course += 90 / (2 * rate_hz)
        way = speed / rate_hz
        latitude += way * math.cos(math.radians(course)) / 111_194.9
        longitude += way * math.sin(math.radians(course)) / (111_194.9 * math.cos(math.radians(latitude)))
        at = time.gmtime(begin + seconds_on)
        clock = time.strftime("%H%M%S", at) + f".{part * 100 // rate_hz:02d}"
        here = degrees(latitude, "N", "S", 2) + "," + degrees(longitude, "E", "W", 3)
        lines.append(sentence(f"GPGGA,{clock},{here},1,09,0.9,408.0,M,48.0,M,,"))
        lines.append(sentence(
            f"GPRMC,{clock},A,{here},{speed * 1.943844:.2f},{course % 360:.1f},{time.strftime('%d%m%y', at)},,,A"))
        if part == 0:
            lines.append(sentence("GPGSA,A,3,02,05,07,09,13,15,21,29,30,,,,1.6,0.9,1.3"))
            for block in range(3):
                some = ",".join(f"{prn:02d},{30 + prn},{prn * 11 % 360:03d},{38 + prn % 7}" for prn in
                                (2, 5, 7, 9, 13, 15, 21, 29, 30, 31, 12, 25)[block * 4:block * 4 + 4])
                lines.append(sentence(f"GPGSV,3,{block + 1},12,{some}"))
    return "".join(lines)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_for(what, there, seconds=60):
    end = time.monotonic() + seconds
    while not there():
        if time.monotonic() > end:
            sys.exit(f"Benchmarks: {what} did not come within {seconds} s")
        time.sleep(0.05)


def listens(port):
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def figures(pid):
    """Of a process and its threads, since its start: milliseconds, switches, bytes; and its memory now."""
    cpu_ns = switches = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        cpu_ns += int(open(f"/proc/{pid}/task/{task}/schedstat").read().split()[0])
        for line in open(f"/proc/{pid}/task/{task}/status"):
            if "ctxt_switches" in line:
                switches += int(line.split()[1])
    written = next(int(line.split()[1]) for line in open(f"/proc/{pid}/io") if line.startswith("write_bytes"))
    return {"cpu_ms": cpu_ns / 1e6, "switches": switches, "written": written} | memory(pid)


def memory(pid):
    """Private is what it has written to: the program's own text is nobody else's either, but the kernel may drop it.
    (`Private_Dirty` has that text too until a file just built is on the disk.)"""
    lines = {line.split()[0]: int(line.split()[1]) for line in list(open(f"/proc/{pid}/smaps_rollup"))[1:]}
    return {"pss_kb": lines["Pss:"], "private_kb": lines["Anonymous:"]}


class Stream:
    """- options: the programs `godwit` and `feeder`, `minutes`, and whether `instructions` are counted."""

    def __init__(self, options, rate_hz, folder):
        self.options, self.rate_hz, self.folder, self.running = options, rate_hz, folder, {}
        # As /run is: what is written there is written to no card.
        self.memory = tempfile.TemporaryDirectory(dir="/dev/shm")

    def start(self, name, *command, output=None):
        out = open(f"{self.folder}/{output or name + '.log'}", "w")
        if self.options.instructions and name in PROGRAMS[:3]:
            command = ("valgrind", "--tool=callgrind", f"--callgrind-out-file={self.folder}/{name}.counts", *command)
        self.running[name] = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

    def agent(self, name, more="", top="", url=None):
        """- more: lines of [sync] and behind it. - top: lines that belong to no group. - url: of a receiver that runs."""
        home, run = f"{self.folder}/{name}", f"{self.memory.name}/{name}"
        os.makedirs(home)
        os.makedirs(run)
        if url is None:
            receiver = free_port()
            url = f"http://127.0.0.1:{receiver}/v1/locations"
            self.start(f"{name}'s receiver", sys.executable, f"{ROOT}/docs/examples/receiver.py", f"{home}/received",
                       str(receiver), TOKEN)
            wait_for("the receiver", lambda: listens(receiver))
        with os.fdopen(os.open(f"{home}/token", os.O_CREAT | os.O_WRONLY, 0o600), "w") as token:
            token.write(TOKEN)
        with open(f"{home}/godwit.toml", "w") as file:
            file.write(f'device_id = "{name}"\n{top}[gps]\nport = {self.port}\n[queue]\npath = "{home}/queue.db"\n[run]\n'
                       f'directory = "{run}"\n[sync]\nurl = "{url}"\n'
                       f'token_file = "{home}/token"\n{more}')
        self.start(name, self.options.godwit, "run", "--config", f"{home}/godwit.toml")

    def begin(self):
        """The module and gpsd."""
        seconds = int(self.options.minutes * 60)
        track, link = f"{self.folder}/drive.nmea", f"{self.folder}/gps"
        with open(track, "w") as file:
            file.write(drive(seconds + 4 * WARM_UP_S, self.rate_hz))
        self.start("module", self.options.feeder, "--track", track, "--speed", str(self.rate_hz),
                   "--link", link, "--start", "recorded")
        wait_for("the module", lambda: os.path.exists(link))
        self.port = free_port()
        self.start("gpsd", "/usr/sbin/gpsd", "-N", "-n", "-b", "-S", str(self.port), "-F", f"{self.folder}/ctl", link)
        wait_for("gpsd", lambda: listens(self.port))

    def run(self):
        """All programs beside each other: a row for each."""
        seconds = int(self.options.minutes * 60)
        self.begin()
        self.agent("godwit")
        self.agent("godwit, every fix", '[track]\nsampling = "all"\n')
        # It ends after so long without data (else 5 s, which a busy machine may take).
        self.start("gpxlogger", "gpxlogger", "-i", "60", "-f", f"{self.folder}/track.gpx", f"localhost:{self.port}")
        self.start("gpspipe -w", "gpspipe", "-w", f"localhost:{self.port}", output="gpspipe.json")
        # A run of some seconds only shows that it runs.
        time.sleep(WARM_UP_S if seconds >= 60 else 5)
        if self.options.instructions:
            return self.counted(seconds)
        before, fixes = self.look(), self.fixes()
        time.sleep(seconds)
        after, fixes = self.look(), self.fixes() - fixes
        # What two of one program share is halved for both: its memory is its own only when the other one has gone.
        self.running["godwit, every fix"].terminate()
        self.running["godwit, every fix"].wait(30)
        after["godwit"] |= memory(self.running["godwit"].pid)
        return self.rows(before, after, fixes)

    def look(self):
        return {name: figures(self.running[name].pid) for name in (*PROGRAMS, "gpsd")}

    def counted(self, seconds):
        """Instructions a fix; gpspipe and gpsd run as they are."""
        control = lambda what: [subprocess.run(["callgrind_control", what, str(self.running[name].pid)], check=True,
                                               stdout=subprocess.DEVNULL) for name in PROGRAMS[:3]]
        control("--zero")
        fixes = self.fixes()
        time.sleep(seconds)
        control("--dump")
        fixes = self.fixes() - fixes
        ended = [name for name in PROGRAMS[:3] if self.running[name].poll() is not None]
        if ended:
            sys.exit(f"Benchmarks: {ended[0]} has ended by itself: gpxlogger does after a minute without data, as on a "
                     "machine that is too busy for callgrind")
        spent = {name: Instructions(f"{self.folder}/{name}.counts.1") for name in PROGRAMS[:3]}
        return [{"program": name, "rate_hz": self.rate_hz, "fixes": fixes,
                 "instructions_a_fix": round(counts.total / fixes),
                 "of_gpxlogger": round(counts.total / spent["gpxlogger"].total, 2)} for name, counts in spent.items()]

    def fixes(self):
        """What gpsd has reported so far: a count of its TPV lines."""
        return sum(1 for line in open(f"{self.folder}/gpspipe.json", errors="replace") if '"class":"TPV"' in line)

    def rows(self, before, after, fixes):
        rows = []
        for name, now in after.items():
            spent = {key: now[key] - before[name][key] for key in ("cpu_ms", "switches", "written")}
            rows.append({"program": name, "rate_hz": self.rate_hz, "fixes": fixes,
                         "cpu_us_a_fix": round(spent["cpu_ms"] * 1000 / fixes, 1),
                         "cpu_ms_a_minute": round(spent["cpu_ms"] / self.options.minutes, 1),
                         "switches_a_fix": round(spent["switches"] / fixes, 2),
                         "written_bytes_a_fix": round(spent["written"] / fixes, 1),
                         "pss_kb": now["pss_kb"], "private_kb": now["private_kb"]})
        logger = next(row for row in rows if row["program"] == "gpxlogger")
        for row in rows:
            row["cpu_of_gpxlogger"] = round(row["cpu_us_a_fix"] / logger["cpu_us_a_fix"], 2)
        return rows

    def end(self):
        for process in reversed(self.running.values()):
            process.send_signal(signal.SIGTERM)
        for process in self.running.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.memory.cleanup()
