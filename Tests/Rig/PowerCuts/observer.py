"""What is known outside of the file system: what one queue acknowledged, what the receiver stored, and what must hold.

A record is known by its sequence, which no other has in the file. What is known of it is `ID:CONTENT`: the queue id with
which it is sent, which stays its own whatever becomes of the file's, and the writer's hash of everything else, different
for each record made.
"""
import collections

# kind: lost | duplicated | corrupt | undone (an acknowledged change is forgotten, though no record is lost by it)
Fault = collections.namedtuple("Fault", "kind words count", defaults=[1])
# What the writer says of a queue that it has opened.
Opened = collections.namedtuple(
    "Opened", "found_id queue_id board last commits through tail salvaged set_aside others unknown ledger")
# What the sqlite3 shell reads in a copy of the same file.
Dump = collections.namedtuple("Dump", "integrity quarantine")


class Receiver:
    """Stores each (queue id, sequence) once, and remembers the content: over all queues of a run."""

    def __init__(self):
        self.content_of = {}
        self.key_of = {}

    def store(self, records):
        """Returns what N2 forbids: two contents under one key, or one content under two."""
        keys = {(id_of(known), sequence): known.split(":")[1] for sequence, known in records.items()}
        changed = sum(self.content_of.setdefault(key, content) != content for key, content in keys.items())
        again = sum(self.key_of.setdefault(content, key) != key for key, content in keys.items())
        faults = [Fault("duplicated", "a known identity came with another record", changed)] if changed else []
        return faults + ([Fault("duplicated", "a known record came with another identity", again)] if again else [])


class Observer:
    """One queue file, from its making on. Methods return the faults that they see."""

    def __init__(self, receiver):
        self.receiver = receiver
        # Queue id and board: in the file, as far as the board is known, and those that the writer works with.
        self.durable = self.working = (None, None)
        self.ids = set()  # all that there were
        self.acknowledged = 0
        self.known = {}  # sequence: what is known of the record, of all that is durable
        self.stored = set()  # sequences that the receiver has
        self.gone = set()  # sequences whose removal is durable
        self.set_apart = set()  # sequences whose quarantine is durable
        self.dropped = set()
        self.ledger = self.unknown = 0
        self.commits, self.tail = 0, "-"
        self.removing = []  # the batch that the writer was told to remove
        self.last = 0  # the greatest sequence
        self.told = False  # a report is repeated until the writer has taken it
        self.damaged = 0  # times, by the rig, and not yet reported
        self.reported = self.unreported = 0

    # MARK: What the writer says while it works

    def commit(self, commits, tail, records):
        again = [s for s, content in records.items() if self.known.get(s, content) != content]
        faults = [Fault("duplicated", "sequences were given twice", len(again))] if again else []
        faults += self.judge_ids(records)
        self.known.update(records)
        self.acknowledged += len(records)
        self.commits, self.tail, self.last = commits, tail, max(records)
        # With the board it is written as well.
        self.durable = self.working
        return faults

    def send(self, records):
        self.stored.update(records)
        unknown = [sequence for sequence in records if self.known.get(sequence) != records[sequence]]
        faults = [Fault("corrupt", "records were sent that were never committed", len(unknown))] if unknown else []
        return faults + self.receiver.store(records)

    def removed(self, sequences):
        sequences = set(sequences)
        self.gone |= sequences
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
        if opened.others and not self.damaged:
            faults.append(Fault("corrupt", "a cut alone, and something about the file is reported"))
        unknown = opened.unknown - self.unknown
        if not min(self.damaged, 1) <= unknown <= self.damaged:
            faults.append(Fault("corrupt", f"damaged {self.damaged} times, and the ledger says {unknown} times"))
        if dump.integrity != "ok":
            faults.append(Fault("corrupt", f"integrity_check: {dump.integrity}"))
        faults += self.judge_identity(opened)
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

    def boards(self, found_id):
        """Of which board the file may know, which has this id: it is written together with it."""
        return {board for queue_id, board in (self.durable, self.working) if queue_id == found_id}

    def judge_identity(self, opened):
        """An id is of one board: on another one new records get an id that there was not before."""
        faults = []
        boards, is_new = self.boards(opened.found_id), opened.queue_id != opened.found_id
        # After a cut in a write of the log a new one begins. One that was given up must not come back.
        if not boards and opened.found_id in self.ids and not opened.set_aside:
            faults.append(Fault("undone", "the queue's id"))
        if is_new and opened.queue_id in self.ids:
            faults.append(Fault("duplicated", "an id begins a second time"))
        # A board that was never committed may be unknown to the file.
        if len(boards) == 1 and None not in boards and is_new == (opened.board in boards):
            words = "another id on the same board" if is_new else "the same id on another board"
            faults.append(Fault("corrupt", words))
        return faults

    def judge_ids(self, records):
        others = [s for s, known in records.items() if id_of(known) != self.working[0]]
        return [Fault("corrupt", "new records have another queue id", len(others))] if others else []

    def judge_contents(self, rows):
        changed = [s for s in rows if self.known.get(s, rows[s]) != rows[s]]
        return [Fault("corrupt", "records have another content or queue id", len(changed))] if changed else []

    def judge_missing(self, opened, rows, dump):
        """N1: in the queue, at the receiver, in quarantine, or counted in the ledger."""
        counted = opened.ledger - self.ledger
        missing = (self.expected_rows() | self.set_apart - self.dropped) - rows.keys() - dump.quarantine
        if counted > len(missing):
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
        if new:
            return self.judge_ids({sequence: rows[sequence] for sequence in new if sequence in rows})
        if ahead == 0 and opened.tail != self.tail:
            return [Fault("undone", "the newest fix of the open track segment")]
        # A removal may be half done: what is left is sent again, and the receiver knows it.
        return []

    def adopt(self, opened, rows, dump):
        """What is there now is durable, and what a fault took is not counted again."""
        present = rows.keys() | dump.quarantine
        self.known = {s: c for s, c in self.known.items() if s in present or s in self.stored} | rows
        self.known |= {s: None for s in dump.quarantine - self.known.keys()}
        self.gone = self.known.keys() - present
        self.set_apart, self.dropped, self.removing = set(dump.quarantine), set(), []
        self.last, self.commits, self.tail = opened.last, opened.commits, opened.tail
        self.ledger, self.unknown, self.damaged = opened.ledger, opened.unknown, 0
        self.told = bool(opened.set_aside)
        boards = self.boards(opened.found_id)
        self.durable = (opened.found_id, boards.pop() if len(boards) == 1 else None)
        self.working = (opened.queue_id, opened.board)
        self.ids |= {opened.found_id, opened.queue_id}


def id_of(known):
    return int(known.split(":")[0])
