"""What is known outside of the file system: what one queue acknowledged, what the receiver stored, and what must hold.

A record is (sequence, content); content is the writer's hash of everything else, different for each record made.
"""
import collections

# kind: lost | duplicated | corrupt | undone (an acknowledged change is forgotten, though no record is lost by it)
Fault = collections.namedtuple("Fault", "kind words count", defaults=[1])
# What the writer says of a queue that it has opened.
Opened = collections.namedtuple("Opened", "queue_id last commits through tail salvaged set_aside ledger")
# What the sqlite3 shell reads in a copy of the same file.
Dump = collections.namedtuple("Dump", "integrity quarantine")


class Receiver:
    """Stores each (queue id, sequence) once, and remembers the content: over all queues of a run."""

    def __init__(self):
        self.content_of = {}
        self.key_of = {}

    def store(self, queue_id, records):
        """Returns what N2 forbids: two contents under one key, or one content under two."""
        keys = {(queue_id, sequence): content for sequence, content in records.items()}
        changed = sum(self.content_of.setdefault(key, content) != content for key, content in keys.items())
        again = sum(self.key_of.setdefault(content, key) != key for key, content in keys.items())
        faults = [Fault("duplicated", "a known identity came with another record", changed)] if changed else []
        return faults + ([Fault("duplicated", "a known record came with another identity", again)] if again else [])


class Observer:
    """One queue file, from its making on. Methods return the faults that they see."""

    def __init__(self, receiver):
        self.receiver = receiver
        self.queue_id = None
        self.acknowledged = 0
        self.known = {}  # sequence: content, of all that is durable
        self.stored = set()  # sequences that the receiver has
        self.gone = set()  # sequences whose removal is durable
        self.set_apart = set()  # sequences whose quarantine is durable
        self.dropped = set()
        self.ledger = 0
        self.commits, self.tail = 0, "-"
        self.removing = []  # the batch that the writer was told to remove
        self.last = 0  # the greatest sequence
        self.told = False  # a report is repeated until the writer has taken it
        self.damaged = False  # by the rig, and not yet reported
        self.left = 0  # records that were removed since the last commit
        self.uncertain = 0  # those before the damage, until the ledger has counted what it took
        self.reported = self.unreported = 0

    # MARK: What the writer says while it works

    def commit(self, commits, tail, records):
        again = [s for s, content in records.items() if self.known.get(s, content) != content]
        faults = [Fault("duplicated", "sequences were given twice", len(again))] if again else []
        self.known.update(records)
        self.acknowledged += len(records)
        self.commits, self.tail, self.last = commits, tail, max(records)
        self.left = 0
        return faults

    def send(self, records):
        self.stored.update(records)
        unknown = [sequence for sequence in records if self.known.get(sequence) != records[sequence]]
        faults = [Fault("corrupt", "records were sent that were never committed", len(unknown))] if unknown else []
        return faults + self.receiver.store(self.queue_id, records)

    def removed(self, sequences):
        sequences = set(sequences)
        self.gone |= sequences
        self.left += len(sequences)
        self.removing = []

    def quarantined(self, sequence):
        self.set_apart.add(sequence)

    def drop(self, counts, rows):
        """The quota has dropped so many (positions, quarantined, events), and these rows are left."""
        should_be = self.expected_rows()
        missing = sorted(should_be - rows.keys())
        positions, quarantined, events = counts
        self.dropped.update(missing)
        self.dropped.update(sorted(self.set_apart - self.dropped)[:quarantined])
        self.ledger += sum(counts)
        if len(missing) != positions + events:
            return [Fault("lost", f"the quota says {positions + events} records, and {len(missing)} are gone")]
        return []

    def expected_rows(self):
        return self.known.keys() - self.gone - self.set_apart - self.dropped

    # MARK: After a cut

    def opened(self, opened, rows, dump):
        """The queue was opened: what our code says of it, and what the sqlite3 shell reads."""
        faults = []
        if self.damaged:
            self.reported += opened.set_aside
            self.unreported += not opened.set_aside
            if not opened.set_aside:
                faults.append(Fault("corrupt", "the file was damaged, and nothing was reported"))
        elif opened.set_aside and not self.told:
            faults.append(Fault("corrupt", f"the file was damaged and set aside; {opened.salvaged} records were salvaged"))
        if dump.integrity != "ok":
            faults.append(Fault("corrupt", f"integrity_check: {dump.integrity}"))
        if self.queue_id not in (None, opened.queue_id):
            faults.append(Fault("undone", "the queue's id"))
            self.stored = set()
        faults += self.judge_contents(rows)
        faults += self.judge_missing(opened, rows, dump)
        faults += self.judge_returned(opened, rows, dump)
        faults += self.judge_last_change(opened, rows, dump)
        self.adopt(opened, rows, dump)
        return faults

    def unreachable(self):
        """The queue cannot be opened any more."""
        lost = len(self.known.keys() - self.stored - self.dropped)
        return [Fault("lost", "with the file", lost)] if lost else []

    def judge_contents(self, rows):
        changed = [s for s in rows if self.known.get(s, rows[s]) != rows[s]]
        return [Fault("corrupt", "records have another content", len(changed))] if changed else []

    def judge_missing(self, opened, rows, dump):
        """N1: in the queue, at the receiver, in quarantine, or counted in the ledger."""
        counted = opened.ledger - self.ledger
        missing = (self.expected_rows() | self.set_apart - self.dropped) - rows.keys() - dump.quarantine
        # Each commit brings the front's census; the power may have gone between a removal and the next.
        if counted > len(missing) + max(self.left + len(self.removing), self.uncertain):
            return [Fault("corrupt", f"the ledger counts {counted} more, and {len(missing)} records are gone")]
        if counted > 0:
            # The quota was at work, and so nothing else was.
            lost = sorted(missing)[counted:]
        else:
            lost = sorted(missing - self.stored)
        if lost:
            return [Fault("lost", f"of sequences {lost[0]} to {lost[-1]}", len(lost))]
        return [Fault("undone", "entries of the ledger", -counted)] if counted < 0 else []

    def judge_returned(self, opened, rows, dump):
        """What was acknowledged as gone stays gone, but for what damage brings back; nothing is in two places."""
        back = (self.gone | self.dropped) & (rows.keys() | dump.quarantine) | self.set_apart & rows.keys()
        if opened.set_aside:
            back.clear()
        both = rows.keys() & dump.quarantine
        faults = [Fault("undone", "removals", len(back))] if back else []
        if both:
            faults.append(Fault("duplicated", "in the queue and in quarantine", len(both)))
        return faults

    def judge_last_change(self, opened, rows, dump):
        """The one change that was in flight is there as a whole or not at all."""
        new = sorted((rows.keys() | dump.quarantine) - self.known.keys())
        ahead = opened.commits - self.commits
        if ahead < 0:
            return [Fault("undone", "commits", -ahead)]
        if ahead > 1 or (ahead == 1) != bool(new):
            return [Fault("corrupt", f"{ahead} commits more than acknowledged brought {len(new)} records")]
        if new and new != list(range(self.last + 1, opened.through + 1)):
            return [Fault("corrupt", f"half a commit: {len(new)} of {opened.through - self.last} records")]
        if ahead == 0 and opened.tail != self.tail:
            return [Fault("undone", "the newest fix of the open track segment")]
        # A removal may be half done: what is left is sent again, and the receiver knows it.
        return []

    def adopt(self, opened, rows, dump):
        """What is there now is durable, and what a fault took is not counted again."""
        present = rows.keys() | dump.quarantine
        self.known = {s: c for s, c in self.known.items() if s in present or s in self.stored} | rows
        self.left += len(self.removing)
        # What damage took goes into the ledger with the next commit: an opening later shows it.
        if opened.ledger > self.ledger:
            self.uncertain = 0
        if opened.set_aside:
            self.uncertain = max(self.uncertain, self.left)
        self.known |= {s: None for s in dump.quarantine - self.known.keys()}
        self.gone = self.known.keys() - present
        self.set_apart, self.dropped, self.removing = set(dump.quarantine), set(), []
        self.queue_id, self.last, self.commits = opened.queue_id, opened.last, opened.commits
        self.tail, self.ledger, self.damaged = opened.tail, opened.ledger, False
        self.told = bool(opened.set_aside)
