"""A board with GPIO chips, an agent on it, and a module that is switched by pulses."""
import os, threading, time

from Guest.inside import NOON, Agent, Chip, set_clock

LABEL = "pinctrl-rig"
POWER, IGNITION, VIBRATION, SUPPLY, KEY, STATUS = 17, 27, 22, 23, 4, 5
LINES = {
    POWER: "GPIO17", IGNITION: "GPIO27", VIBRATION: "GPIO22", SUPPLY: "GPIO23", KEY: "GPIO4", STATUS: "GPIO5"}
# No module ever answers here: what the GPS does without one must not disturb.
COMMON = """
device_id = "rig"
[gps]
port = 1
first_fix_timeout_s = 3600
fix_timeout_s = 3600
[queue]
path = "FOLDER/queue.db"
[clock]
when_clock_unknown = "open"
[run]
directory = "FOLDER/run"
log_level = "debug"
"""
LEVEL = f'[gps.power]\nmode = "level"\nchip = "{LABEL}"\nline = "GPIO17"\n'


class Board:
    def __init__(self, godwit, folder):
        self.godwit, self.folder = godwit, folder
        self.chips, self.agents, self.modules = [], [], []
        os.makedirs(folder)
        set_clock(NOON, synchronised=True)

    def chip(self, label=LABEL, lines=LINES, hogs=None):
        chip = Chip(f"chip{len(self.chips)}", label, lines, hogs)
        self.chips.append(chip)
        return chip

    def agent(self, settings, schedule="", environment=None, start=True):
        folder = f"{self.folder}/agent{len(self.agents)}"
        os.makedirs(folder)
        schedule = f'schedule = ["{schedule}"]\ntimezone = "UTC"\n' if schedule else ""
        agent = Agent(self.godwit, folder, schedule + COMMON + settings, environment)
        self.agents.append(agent)
        return agent.started() if start else agent

    def module(self, chip):
        self.modules.append(Module(chip))
        return self.modules[-1]

    def remove(self, chip):
        self.chips.remove(chip)
        chip.remove()

    def journals(self):
        return "\n".join(f"  | {line}" for agent in self.agents for line in agent.said().splitlines()[-15:])

    def close(self):
        for module in self.modules:
            module.close()
        for agent in self.agents:
            agent.close()
        for chip in list(self.chips):
            self.remove(chip)


class Module:
    """Switched by each pulse of at least 300 ms on its key, which its status line shows 1 s later."""

    def __init__(self, chip):
        self.chip = chip
        self.is_on, self.pulses, self.works = False, [], True
        self.ends = threading.Event()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        pressed_at = None
        while not self.ends.wait(0.01):
            pressed = self.chip.level(KEY) == 1
            if pressed and pressed_at is None:
                pressed_at = time.monotonic()
            elif not pressed and pressed_at is not None:
                self.released(time.monotonic() - pressed_at)
                pressed_at = None

    def released(self, length_s):
        self.pulses.append(length_s)
        if length_s >= 0.3 and self.works:
            self.ends.wait(1)
            self.switch(not self.is_on)

    def switch(self, on):
        self.is_on = on
        self.chip.pull(STATUS, on)

    def close(self):
        self.ends.set()
        self.thread.join()
