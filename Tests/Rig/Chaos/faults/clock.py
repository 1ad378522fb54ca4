"""The machine's clock, by Tests/Rig/WrongClock: the agent's alone."""
import os, subprocess

from . import fault
from ..machine import Unexpected
from ..vehicle import put

here = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(here, "..", "..", "WrongClock", "wrong-clock.c")
KEPT_US, NOT_KEPT_US = 1_000, 16_000_000


def set_clock(vehicle, ahead_s, error_us):
    put(vehicle.folder + "/clock", f"{ahead_s} {error_us}\n", 0o644)


@fault("clock window", "19 20 68", disturbs=["window", "gps"], begins=True, weight=4)
def wrong_clock(vehicle, chance):
    """The wall clock is an hour to fifty years off, steps, and is believed or not; then it is right"""
    library = vehicle.folder + "/wrong-clock.so"
    if subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-pthread", SOURCE, "-o", library]).returncode:
        raise Unexpected("the wrong clock does not compile")
    vehicle.supervisor.environment.update(LD_PRELOAD=library, GODWIT_CLOCK=vehicle.folder + "/clock")
    error_us = chance.choice([NOT_KEPT_US, KEPT_US])
    steps = [0, 3_600, -3_600, -86_400, 30 * 86_400, -20 * 365 * 86_400]
    for _ in range(chance.choice([1, 2, 3])):
        ahead_s = chance.choice(steps)
        vehicle.note(f"the clock is {ahead_s} s ahead, {'kept' if error_us == KEPT_US else 'not kept'}")
        set_clock(vehicle, ahead_s, error_us)
        yield chance.uniform(3, 7)
    set_clock(vehicle, 0, error_us)
