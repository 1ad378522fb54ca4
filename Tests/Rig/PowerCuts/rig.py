"""Lives of one board: power on, mount, open the queue, judge, work, cut."""
import collections, os, random, subprocess, sys, tempfile, time

from .disk import Disk, MountFailed
from .observer import Fault, Observer, Receiver
from .writer import Writer, WriterFailed

# Where a cut falls, how often, and up to how many seconds after it. The words are the writer's.
MOMENTS = {
    "work": (50, 0.4),  # anywhere, from the first commit on
    "mount": (5, 0.01),  # the kernel's own recovery from the cut before
    "recovery": (8, 0.05),  # our recovery: starting, opening, checking
    "salvage": (8, 0.1),  # setting a damaged file aside; this damage hides no record
    "closing": (15, 0.01),  # in mid-checkpoint
    "send": (10, 0.004),  # between the receiver's commit and our removal
    "quota": (10, 0.006),
}


# No file is looked over that was closed in order: then the next opening counts, and looks. (The header is spoilt after it.)
SPOIL = "UPDATE state SET json = json_remove(json, '$.figures'); PRAGMA wal_checkpoint(TRUNCATE);"


class Plan:
    def __init__(self, random, tears, moments=MOMENTS):
        weights = [weight for weight, _ in moments.values()]
        self.moment = random.choices(list(moments), weights)[0]
        self.delay_s = random.uniform(0, moments[self.moment][1])
        self.mode, self.tear = random.choice(["all", "half", "prefix"]), random.choice(tears)
        self.seed = random.getrandbits(32)
        # The first two wait for nothing that the writer says.
        self.at_start = self.moment in ("recovery", "salvage")
        self.operations = random.randrange(1, 30) if self.moment == "closing" else random.randrange(20, 200)
        # How long to wait for the moment to come.
        self.patience_s = 0 if self.moment == "work" else 0.6
        self.reached = False

    def __str__(self):
        return (
            f"{self.moment} + {self.delay_s * 1000:.1f} ms, unflushed sectors: {self.mode} at {self.tear}, "
            f"seed {self.seed}"
        )


class Rig:
    moments_of_cut = MOMENTS
    # Of the lives, after which another queue is made.
    new_queue_share = 0.08

    def __init__(self, folder, options, volatile_disk, queue_writer):
        self.folder, self.options, self.queue_writer = folder, options, queue_writer
        self.random = random.Random(options.seed)
        mount_options = ["nobarrier"] if options.control == "nobarrier" else []
        self.disk = Disk(folder, volatile_disk, options.fs, mount_options)
        # f2fs takes for granted that 4096 bytes are written whole: torn at 512 it gives files the content of others.
        self.tears = [options.tear] if options.tear else [4096] if options.fs == "f2fs" else [512, 4096]
        self.receiver = Receiver()
        self.counts = collections.Counter()
        self.moments = collections.Counter()
        self.unflushed = []
        self.unjudged = []
        self.queues = 0

    def run(self):
        self.disk.make()
        self.new_queue()
        try:
            while self.counts["cuts"] < self.options.cuts:
                self.live(Plan(self.random, self.tears, self.moments_of_cut))
                if self.random.random() < self.new_queue_share:
                    self.live(None)
                    self.new_queue() if self.random.random() < 0.9 else self.new_disk()
            self.live(None)
        finally:
            self.end_queue()
            self.disk.close()

    def new_queue(self):
        """A file of its own in a folder of its own, which a cut may hit while it is made."""
        self.end_queue()
        self.observer = Observer(self.receiver)
        self.queues += 1
        self.path = f"{self.disk.root}/queue-{self.queues}/queue.db"

    def end_queue(self):
        if self.queues:
            for name in ("acknowledged", "reported", "unreported"):
                self.counts[name] += getattr(self.observer, name)

    def new_disk(self):
        self.disk.make()
        self.new_queue()

    def unreachable(self):
        return self.observer.unreachable()

    def words(self):
        counts = self.counts
        return (
            f"on {self.queues} queue files. The rig damaged {counts['damaged']} of them: {counts['reported']} set aside and "
            f"reported, {counts['unreported']} set aside unreported.")

    # MARK: One life

    def live(self, plan):
        """Until the cut of `plan`; without a plan until the last cut has been judged."""
        try:
            if plan and plan.moment == "mount":
                self.disk.mount()
                time.sleep(plan.delay_s)
                self.count(plan, self.disk.cut(plan.mode, plan.tear, plan.seed))
            else:
                self.disk.mount()
                self.disk.wait_for_mount(repair=True)
                if plan and plan.moment == "salvage":
                    self.damage()
                self.work(plan)
        except (MountFailed, WriterFailed) as failure:
            # Without a cut nothing may fail.
            self.tell([Fault("corrupt", str(failure)), *self.unreachable()])
            self.new_disk()
            return
        if plan:
            self.disk.power()
        else:
            self.disk.unmount()

    def work(self, plan):
        # What is seen before the cut is the last cut's doing.
        before, after = [], []
        if plan:
            plan.starts_at = time.monotonic()
        writer = Writer(
            self.queue_writer, self.path, self.options.sync, self.random, os.path.join(self.folder, "copy.db"))
        try:
            writer.converse(self.observer, plan, before)
            if plan:
                answer = self.disk.cut(plan.mode, plan.tear, plan.seed)
        finally:
            writer.end(self.observer, after)
            self.tell(before)
        if writer.judged:
            self.unjudged.clear()
        if plan:
            self.count(plan, answer)
        self.tell(after)

    def damage(self):
        """The header's count of free pages becomes wrong (fileformat2.html, offset 36): no row is touched."""
        if self.options.is_control or not os.path.exists(self.path):
            return
        subprocess.run(["sqlite3", self.path], input=SPOIL, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(self.path, "r+b") as file:
            if len(file.read(100)) < 100:
                return
            file.seek(36)
            file.write((1 << 20).to_bytes(4, "big"))
            file.flush()
            os.fsync(file.fileno())
        # The shell has removed the log. f2fs may bring it back after a cut, and with it the page that was damaged.
        folder = os.open(os.path.dirname(self.path), os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(folder)
        os.close(folder)
        self.observer.damaged += 1
        self.counts["damaged"] += 1

    def count(self, plan, answer):
        self.counts["cuts"] += 1
        self.moments[plan.moment] += 1
        self.unflushed.append(int(answer.split("unflushed=")[1].split()[0]))
        self.unjudged.append(f"{self.counts['cuts']}: {plan}; {answer}")
        if self.counts["cuts"] % 100 == 0:
            print(f"{self.counts['cuts']} cuts", file=sys.stderr)

    # MARK: Faults

    def tell(self, faults):
        """A fault is of the cuts since the queue was last opened and judged."""
        for fault in faults:
            self.counts[fault.kind] += fault.count
            self.counts["told"] += 1
            if self.counts["told"] <= 20:
                print(f"after cut {self.counts['cuts']}: {fault.kind} {fault.count}: {fault.words}")
        if faults and not self.options.is_control and self.counts["kept"] < 3:
            self.counts["kept"] += 1
            print("\n".join(f"  cut {cut}" for cut in self.unjudged))
            folder = os.path.join(tempfile.gettempdir(), f"godwit-power-cuts/seed-{self.options.seed}-cut-{self.counts['cuts']}")
            queue = os.path.relpath(self.path, self.disk.root)
            print(f"  {queue} is on the disk as the last cut left it: {self.disk.keep(folder)}")
