"""A guest that boots from a disk and says how far it is."""
import os, subprocess, threading

from Guest import guest


class Guest:
    """One boot. `heard` gets each line that it prints, and may cut the power."""

    # User-Mode Linux has hung at its very end.
    off_s = 300

    def __init__(self, kernel, disk, words, timeout_s):
        memory = os.environ.get("TMPDIR") or "/dev/shm"
        self.status, self.is_up = None, False
        self.process = subprocess.Popen(
            [kernel, "mem=384M", f"ubd0={disk}", "root=/dev/ubda", "rw", "con=null", "con0=fd:0,fd:1", "quiet",
             "loglevel=1", "systemd.show_status=false", guest.patience(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env={**os.environ, "TMPDIR": memory}, text=True, errors="replace",
            start_new_session=True)
        self.alarm = threading.Timer(timeout_s, self.cut)
        self.alarm.start()

    def cut(self):
        """Its processes are one group."""
        try:
            os.killpg(self.process.pid, 9)
        except ProcessLookupError:
            pass

    def not_off(self):
        print(f"the guest is not off {self.off_s} s after its end: its power is cut", flush=True)
        self.cut()

    def run(self, heard):
        for line in self.process.stdout:
            line = line.rstrip("\r\n")
            if line == "guest: up":
                self.is_up = True
            elif line.startswith("guest: exit "):
                self.status = int(line.split()[-1])
                self.alarm.cancel()
                self.alarm = threading.Timer(self.off_s, self.not_off)
                self.alarm.start()
            elif self.is_up and self.status is None:
                heard(line)
        self.process.wait()
        self.alarm.cancel()
        return self.status
