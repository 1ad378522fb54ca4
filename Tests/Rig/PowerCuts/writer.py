"""One process of queue-writer, and the conversation with it (the lines are in Tests/Rig/QueueWriter/QueueWriter.swift)."""
import os, select, shutil, subprocess, time

from .observer import Dump, Opened

SHELL = "PRAGMA integrity_check; SELECT coalesce(group_concat(sequence), '') FROM refused;"


class WriterFailed(Exception):
    pass


class Writer:
    def __init__(self, program, path, sync, random, copy):
        self.path, self.random, self.copy = path, random, copy
        # A vehicle is out of coverage for whole drives.
        self.receiver_online = random.random() < 0.7
        self.opened = self.drop_counts = None
        self.judged = False
        self.buffer = b""
        self.process = subprocess.Popen(
            [program, path, str(random.getrandbits(63)), sync], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            bufsize=0)
        os.set_blocking(self.process.stdout.fileno(), False)

    def converse(self, observer, plan, faults):
        """Until the moment of the cut, or without a plan until the queue was opened and judged."""
        deadline = plan.starts_at + plan.delay_s if plan and plan.at_start else None
        while deadline is None or time.monotonic() < deadline:
            wait = 10 if deadline is None else deadline - time.monotonic()
            if not select.select([self.process.stdout], [], [], max(0, wait))[0]:
                if deadline is None:
                    raise WriterFailed("says nothing for 10 s")
                continue
            for line in self.read():
                word = line.split(" ", 1)[0]
                if word == "error":
                    raise WriterFailed(line)
                opening = self.hear(line, observer, faults)
                if plan is None and opening:
                    return
                if opening and not plan.at_start:
                    self.say(f"go {plan.operations}")
                    deadline = deadline or time.monotonic() + plan.delay_s + plan.patience_s
                if plan and word == plan.moment and not plan.reached:
                    plan.reached = True
                    deadline = time.monotonic() + plan.delay_s

    def end(self, observer, faults):
        """The board is dead: what the writer said before counts, and it says no more."""
        self.process.kill()
        self.process.wait()
        for line in self.read(to_end=True):
            if line.split(" ", 1)[0] in ("commit", "send", "removed", "quarantined", "dropped") or self.drop_counts:
                self.hear(line, observer, faults, answers=False)
        self.process.stdin.close()
        self.process.stdout.close()

    # MARK: Lines

    def read(self, to_end=False):
        """Whole lines; a line that the cut broke off was not said."""
        while True:
            try:
                chunk = os.read(self.process.stdout.fileno(), 1 << 18)
            except BlockingIOError:
                break
            self.buffer += chunk
            if not chunk and not to_end:
                raise WriterFailed(f"ended with {self.process.wait()}")
            if not chunk or not to_end:
                break
        *lines, self.buffer = self.buffer.split(b"\n")
        return [line.decode() for line in lines]

    def say(self, line):
        try:
            self.process.stdin.write(line.encode() + b"\n")
        except BrokenPipeError:
            pass

    def hear(self, line, observer, faults, answers=True):
        """True when the queue was opened and judged."""
        word, *words = line.split()
        if word == "open":
            self.opened = Opened(*(word if name == "tail" else int(word) for name, word in zip(Opened._fields, words)))
        elif word == "rows" and self.opened:
            opened, self.opened, self.judged = self.opened, None, True
            faults += observer.opened(opened, records(words), self.dump())
            return True
        elif word == "rows" and self.drop_counts:
            faults += observer.drop(self.drop_counts, records(words))
            self.drop_counts = None
        elif word == "commit":
            faults += observer.commit(int(words[0]), words[1], records(words[2:]))
        elif word == "send":
            faults += self.receive(records(words), observer, answers)
        elif word == "removed":
            observer.removed(map(int, words))
        elif word == "quarantined":
            observer.quarantined(int(words[0]))
        elif word == "dropped":
            self.drop_counts = tuple(map(int, words))
        return False

    def receive(self, batch, observer, answers):
        """The receiver: it may be out of reach, refuse a record, or store the batch and have its reply lost."""
        chance = self.random.random()
        if not self.receiver_online or chance < 0.05:
            self.say("silence")
        elif chance < 0.10:
            self.say(f"refused {self.random.choice(sorted(batch))}")
        else:
            faults = observer.send(batch)
            if answers and chance < 0.90:
                observer.removing = list(batch)
                self.say("stored")
            else:
                self.say("silence")
            return faults
        return []

    def dump(self):
        """Of a copy, since the writer has the file for itself."""
        for suffix in ("", "-wal"):
            if os.path.exists(self.copy + suffix):
                os.remove(self.copy + suffix)
            if os.path.exists(self.path + suffix):
                shutil.copyfile(self.path + suffix, self.copy + suffix)
        shell = subprocess.run(["sqlite3", self.copy], input=SHELL, capture_output=True, text=True)
        lines = shell.stdout.splitlines()
        if shell.returncode != 0 or len(lines) < 2:
            return Dump(shell.stderr.strip(), set())
        return Dump("; ".join(lines[:-1]), set(map(int, filter(None, lines[-1].split(",")))))


def records(words):
    pairs = (word.split(":", 1) for word in words)
    return {int(sequence): known for sequence, known in pairs}
