"""Lives of a box that is told things from afar: power on, mount, look at the files, run the agent, cut."""
import os

from .box import Box, Surroundings
from .observer import Fault
from .orders import Orders
from .rig import Rig


class RemoteRig(Rig):
    """The real agent, whose state file with the server's settings and commands (docs/remote.md) the cuts hit."""

    # A start reads it, counts the trial and ends what was running; an offer brings its ids or the version to
    # storage, what was begun its results; a reply settles a trial. Each of these writes a new file, from whose first
    # sight on the cut falls into write, flush, rename, or the flush of the folder.
    moments_of_cut = {
        "state": (80, 0.015),
        "start": (15, 0.6),
        "offer": (15, 0.1),
        "begun": (10, 0.05),
        "reply": (10, 0.06),
        "mount": (5, 0.01),
    }
    new_queue_share = 0.2

    def __init__(self, folder, options, volatile_disk, godwit, preload):
        super().__init__(folder, options, volatile_disk, None)
        self.around = Surroundings(folder, godwit, preload)

    def run(self):
        try:
            super().run()
        finally:
            self.around.close()

    def new_queue(self):
        self.end_queue()
        self.orders = Orders(self.random)
        self.queues += 1
        self.path = f"{self.disk.root}/queue-{self.queues}/queue.db"
        self.around.put_settings(self.path)

    def end_queue(self):
        if self.queues:
            self.counts["acknowledged"] += self.orders.acknowledged
            self.counts["kept"] += self.orders.kept > 0
            self.counts["begun"] += sum(self.orders.begun.values())
            self.counts["versions"] += len(self.orders.configs)

    def work(self, plan):
        self.counts["parts"] += os.path.exists(self.path + ".state.part")
        self.counts["ahead"] += bool(self.orders.judge(self.path))
        before = self.orders.take_faults()
        self.tell(before)
        if before:
            # What a fault took would be missed again with each cut.
            self.new_queue()
        self.unjudged.clear()
        self.around.boot()
        self.orders.deaf = False
        box = Box(self.around, self.orders, self.path)
        try:
            box.live(plan)
            box.turn_deaf()
            if plan:
                self.count(plan, self.disk.cut(plan.mode, plan.tear, plan.seed))
        finally:
            box.end()
            self.tell(self.orders.take_faults())

    def unreachable(self):
        return [Fault("lost", "with the file", self.orders.acknowledged)] if self.orders.acknowledged else []

    def words(self):
        return (
            f"on {self.queues} boxes: {self.counts['versions']} versions of settings were sent, "
            f"{self.counts['begun']} commands begun. {self.counts['parts']} cuts left a file that had not its name yet, "
            f"{self.counts['ahead']} what had not been told.")
