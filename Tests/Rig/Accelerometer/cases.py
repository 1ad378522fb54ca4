"""The cases, each with what must hold. `Failed` is raised when it does not."""
import fcntl, os, struct, time

from Guest.inside import demand, wait_for


def told(vehicle):
    """A jolt above the threshold has the parked vehicle looked at within a second; the drive is its own"""
    chip = vehicle.chip()
    vehicle.parked()
    wait_for("the threshold", lambda: chip.told_above() == 500)
    chip.jolt(400)
    time.sleep(5)
    demand(not vehicle.is_looking(), "a jolt below the threshold was a sign of life")
    begin = time.monotonic()
    chip.jolt(900)
    wait_for("the look", vehicle.is_looking, 5)
    late_s = time.monotonic() - begin
    demand(late_s < 1, f"it looked {late_s:.1f} s later")
    vehicle.drive()
    wait_for("the trip", lambda: vehicle.agent.status()["motion"] == "moving", 60, every_s=0.5)
    demand('"cause":"acceleration"' in vehicle.records(), "the departure has another cause")
    return f"looked at after {late_s:.2f} s"


def false_alarm(vehicle):
    """A sign after which it stays raises the threshold by half once ten minutes are over"""
    chip = vehicle.chip()
    vehicle.parked()
    wait_for("the threshold", lambda: chip.told_above() == 500)
    chip.jolt(900)
    wait_for("the sign", lambda: vehicle.lines().get("acceleration_signs") == 1, 30)
    wait_for("another threshold", lambda: chip.told_above() != 500, 800, every_s=1)
    demand(chip.told_above() == 750, f"the threshold is {chip.told_above()}")
    demand(abs(vehicle.lines()["acceleration_threshold_mps2"] - 0.75) < 0.01, "the status has another one")


def crash(vehicle):
    """While it drives only a crash is told, and is a record"""
    chip = vehicle.chip()
    vehicle.parked()
    chip.jolt(900)
    vehicle.drive()
    wait_for("the crash threshold", lambda: chip.told_above() == 24_000, 120, every_s=0.5)
    chip.jolt(20_000)
    time.sleep(15)
    demand('"crash"' not in vehicle.records(), "a pothole was a crash")
    chip.jolt(30_000)
    wait_for("the crash", lambda: "hit by more than 24 m/s²" in vehicle.agent.said(), 5)
    demand('"crash"' in vehicle.records(), "there is no record")


def tow(vehicle):
    """A parked vehicle that is tilted by more than 6° is a record and a warning"""
    chip = vehicle.chip()
    vehicle.parked()
    time.sleep(150)
    chip.measures(y=1700, z=9650)
    wait_for("the tow", lambda: vehicle.agent.warned("towed") == 1, 240, every_s=1)
    demand('"tow"' in vehicle.records(), "there is no record")


def unplugged(vehicle):
    """One that is pulled out is told once, done without, and found again"""
    chip = vehicle.chip()
    vehicle.parked()
    wait_for("the threshold", lambda: chip.told_above() == 500)
    vehicle.unplug(chip)
    wait_for("the warning", lambda: vehicle.agent.warned("input_line") == 1, 200, every_s=1)
    time.sleep(300)
    said = vehicle.agent.said().count("<4>accelerometer: ")
    demand(said == 2, f"told {said} times, and not once that it is gone and once that it is missing")
    again = vehicle.chip()
    wait_for("the new one's threshold", lambda: again.told_above() == 500, 100, every_s=0.5)
    again.jolt(900)
    wait_for("the look", vehicle.is_looking, 5)


def missing(vehicle):
    """One that is not there at the start is told once, and keeps nobody from tracking"""
    vehicle.parked()
    time.sleep(200)
    lines = [line for line in vehicle.agent.said().splitlines() if "accelerometer" in line]
    demand(len(lines) == 1 and 'there is no accelerometer "lis3dh"' in lines[0], f"{lines}")
    chip = vehicle.chip()
    wait_for("the threshold", lambda: chip.told_above() == 500, 100, every_s=0.5)


def busy(vehicle):
    """Where another program has its events it is looked at now and then"""
    chip = vehicle.chip()
    node = os.open(chip.node, os.O_RDONLY)
    # IIO_GET_EVENT_FD_IOCTL
    events = struct.unpack("i", fcntl.ioctl(node, 0x80046990, struct.pack("i", 0)))[0]
    os.close(node)
    try:
        vehicle.parked()
        wait_for("the words", lambda: "Another program has its events" in vehicle.agent.said(), 5)
        demand(chip.told_above() is None, "it was armed all the same")
        time.sleep(150)
        chip.measures(x=2000)
        wait_for("the look", vehicle.is_looking, 100)
    finally:
        os.close(events)


ALL = [told, false_alarm, crash, tow, unplugged, missing, busy]


def name(case):
    return case.__name__.replace("_", "-")
