"""Processes, ports, and waiting for things."""
import os, shutil, signal, socket, subprocess, sys, time

here = os.path.dirname(os.path.abspath(__file__))
repo = os.path.dirname(os.path.dirname(os.path.dirname(here)))
# A machine that does other work is slow, and that is no failure.
PATIENCE_S = 120


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def require(*programs):
    """- programs: (program, Debian package)."""
    for program, package in programs:
        if not shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            skip(f"{program} is missing: install the Debian package {package} (deploy/packages test)")


def program(name):
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def collector():
    path = os.environ.get("COLLECTOR")
    if path:
        return os.path.abspath(path)
    if not shutil.which("swift"):
        skip("swift is missing: see README.md, Install, or let COLLECTOR name the collector")
    if subprocess.run(["swift", "build", "--package-path", repo + "/collector", "--product", "godwit-collector"], stdout=sys.stderr).returncode:
        raise SystemExit("the collector does not build")
    return repo + "/collector/.build/debug/godwit-collector"


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def accepts(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def wait(what, until, patience_s=PATIENCE_S):
    end_s = time.monotonic() + patience_s
    while not until():
        if time.monotonic() > end_s:
            raise SystemExit(f"gave up waiting after {patience_s} s: {what}")
        time.sleep(0.05)


class Program:
    """One that is killed and started again with the same command; its log grows."""

    def __init__(self, name, command, folder, is_ready=lambda: True):
        self.name, self.command, self.log, self.is_ready = name, command, f"{folder}/{name}.log", is_ready
        self.process, self.kills = None, 0

    def start(self, waits=True):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        if waits:
            wait(f"{self.name} is ready (see {self.log})", self.is_up)

    def is_up(self):
        if self.process.poll() is not None:
            raise SystemExit(f"{self.name} has ended by itself with {self.process.returncode}: {self.tail()}")
        return self.is_ready()

    def kill(self, how=signal.SIGKILL):
        self.kills += 1
        self.process.send_signal(how)
        self.process.wait(60)

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(20)

    def tail(self):
        with open(self.log, errors="replace") as log:
            return "".join(log.readlines()[-10:])
