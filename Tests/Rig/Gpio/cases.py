"""The cases, each with what must hold. `Failed` is raised when it does not."""
import os, signal, time

from Guest.inside import NOON, demand, read, set_clock, wait_for, write
from .board import IGNITION, KEY, LABEL, LEVEL, LINES, POWER, SUPPLY, VIBRATION
from .bent_line import BentLine


def level(board):
    """The line is high while the GPS is wanted, low once SIGTERM was obeyed, within 10 s"""
    chip, agent = board.chip(), board.agent(LEVEL)
    wait_for("the line to go high", lambda: chip.level(POWER) == 1)
    demand(agent.end() == 0, "SIGTERM did not end it well")
    demand(chip.level(POWER) == 0, "the line is still high")


def window_ends(board):
    """The line goes low at most 5 s after a window's end, and high when the next one opens"""
    set_clock(NOON - 20, synchronised=True)
    chip = board.chip()
    board.agent(LEVEL, schedule="cron 0 11,13 * * * for 1h")
    wait_for("the line to go high", lambda: chip.level(POWER) == 1)
    wait_for("the line to go low", lambda: chip.level(POWER) == 0, 30)
    late_s = time.time() - NOON
    demand(0 <= late_s <= 5, f"the line went low {late_s:.1f} s after the window's end")
    wait_for("the line to go high again", lambda: chip.level(POWER) == 1, 3700, every_s=0.5)
    early_s = NOON + 3600 - time.time()
    demand(early_s <= 0, f"the line went high {early_s:.1f} s before the window")
    return f"off {late_s:.2f} s after the window's end, on {-early_s:.2f} s after the next one's beginning"


def active_low(board):
    """With active_low the line is low while the GPS is on"""
    chip = board.chip()
    chip.pull(POWER, True)
    agent = board.agent(LEVEL + "active_low = true\n")
    wait_for("the line to go low", lambda: chip.level(POWER) == 0)
    code, words = board.agent(LEVEL, start=False).power_off()
    demand(code == 75 and 'held by "godwit"' in words, f"a second holder: {code} {words}")
    demand(chip.level(POWER) == 0, "the refused one has switched the line")
    agent.end()
    demand(chip.level(POWER) == 1, "the line is still low")


def killed(board):
    """After kill -9 `godwit power off` takes the line, which is low from then on"""
    chip, agent = board.chip(), board.agent(LEVEL)
    wait_for("the line to go high", lambda: chip.level(POWER) == 1)
    code, words = agent.power_off()
    demand(code == 75 and "an agent runs as process" in words, f"beside an agent: {code} {words}")
    agent.end(signal.SIGKILL)
    code, words = agent.power_off()
    demand(code == 0 and words == f"GPS power is off: line GPIO17 of {LABEL}", f"{code} {words}")
    demand(chip.level(POWER) == 0, "the line is still high")


def reads_back(board):
    """A line that reads back the opposite is a warning, until it does not (FAULTS 37)"""
    chip = board.chip()
    bend = BentLine(board.folder)
    agent = board.agent(LEVEL, environment=bend.environment)
    wait_for("the line to go high", lambda: chip.level(POWER) == 1)
    demand(agent.warned("gps_power_line") == 0, "a sound line is warned of")
    agent.end()
    bend.begin()
    again = board.agent(LEVEL, environment=bend.environment)
    wait_for("a warning", lambda: again.warned("gps_power_line") >= 2, 30)
    demand("switched on, but the line reads back the opposite" in again.said(), "the words are others")
    bend.end()
    count = again.warned("gps_power_line")
    time.sleep(60)
    demand(again.warned("gps_power_line") <= count + 1, "it is warned of after it was repaired")
    code, words = agent.power_off()
    demand(code == 75, f"beside an agent: {code} {words}")
    again.end(signal.SIGKILL)
    bend.begin()
    code, words = agent.power_off()
    demand(code == 71 and "switched off, but the line reads back the opposite" in words, f"{code} {words}")


def told_and_on(agent, words):
    """The agent goes on without its power line, and says why the GPS is not switched (FAULTS 36)"""
    wait_for("a warning", lambda: agent.warned("gps_power_line") >= 2, 60)
    demand(words in agent.said(), agent.said())
    demand(agent.process.poll() is None, "the agent ended")


def held(board):
    """A line that another holds is a warning that names the holder; the agent goes on, and tries again"""
    board.chip(hogs={POWER: "cooling-fan"})
    agent = board.agent(LEVEL)
    told_and_on(agent, f'GPIO line GPIO17 of {LABEL} is held by "cooling-fan"')
    demand(agent.end() == 0, "the agent did not end well")
    code, words = agent.power_off()
    demand(code == 75 and 'held by "cooling-fan"' in words, f"power off: {code} {words}")


def renumbered(board):
    """A chip that got another number is found by its label; the other chip's line stays as it is (FAULTS 36)"""
    names = []
    for order in (("other", LABEL), (LABEL, "other")):
        chips = {label: board.chip(label) for label in order}
        names.append(chips[LABEL].name)
        agent = board.agent(LEVEL)
        wait_for("the line to go high", lambda: chips[LABEL].level(POWER) == 1)
        demand(chips["other"].level(POWER) == 0, "the wrong chip's line went high")
        agent.end()
        for chip in chips.values():
            board.remove(chip)
    demand(names[0] != names[1], f"the chip was {names[0]} twice")
    return f"found as {names[0]} and as {names[1]}"


def wrong_label(board):
    """A wrong label, and one that two chips have, is a warning that lists what there is, and `check` finds it"""
    chips = [board.chip("other"), board.chip("another")]
    for label, words in (
        (LABEL, f'there is no GPIO chip "{LABEL}": this board has '), ("twin", 'more than one GPIO chip is labelled')
    ):
        agent = board.agent(LEVEL.replace(LABEL, label))
        told_and_on(agent, words)
        code, said = agent.check()
        demand(code == 78 and words in said, f"check: {code} {said}")
        demand(label == "twin" or "other (gpiochip" in agent.said(), "the warning does not list the chips")
        demand(all(chip.level(POWER) == 0 for chip in chips), "a line went high")
        chips += [board.chip("twin"), board.chip("twin")]


def comes_late(board):
    """A chip that is there only after the agent's start is taken by itself, with its line as it should be by then"""
    agent = board.agent(LEVEL)
    told_and_on(agent, "this board has none at all")
    chip = board.chip()
    wait_for("the line to go high", lambda: chip.level(POWER) == 1, 60)
    demand(agent.end() == 0, "the agent did not end well")
    demand(chip.level(POWER) == 0, "the line is high after the agent's end")


def wrong_line(board):
    """A line that the chip does not have, or has twice, is a warning, and `check` finds it; no line is touched"""
    chip = board.chip(lines={**LINES, 20: "GPIO99", 21: "GPIO99"})
    for line, words in (("GPIO7", 'has no line "GPIO7" among its 28'), ("GPIO99", "at the offsets 20, 21")):
        agent = board.agent(LEVEL.replace("GPIO17", line))
        told_and_on(agent, words)
        code, said = agent.check()
        demand(code == 78 and words in said, f"check: {code} {said}")
    demand(not any(chip.level(line) for line in range(28)), "a line went high")


def ignition(board):
    """The ignition counts after 500 quiet ms; a bouncing contact counts once, one that never rests is warned of"""
    chip = board.chip()
    agent = board.agent(LEVEL + f'[ignition]\nchip = "{LABEL}"\nline = "GPIO27"\n')

    def told():
        return [line.split("ignition ")[1] for line in agent.said().splitlines() if "ignition o" in line]

    wait_for("the level that is found", lambda: told() == ["off"])
    chip.pull(IGNITION, True)
    time.sleep(0.45)
    demand(told() == ["off"], "the ignition counted before its debounce time")
    wait_for("ignition on", lambda: told() == ["off", "on"], 0.3, every_s=0.005)
    for edge in range(20):
        chip.pull(IGNITION, edge % 2 == 1)
        time.sleep(0.03)
    chip.pull(IGNITION, False)
    wait_for("ignition off", lambda: told() == ["off", "on", "off"], 1)
    for edge in range(200):
        chip.pull(IGNITION, edge % 2 == 0)
        time.sleep(0.05)
    wait_for("a warning", lambda: agent.warned("line_bounces") == 1)
    time.sleep(10)
    demand(told() == ["off", "on", "off"], f"a storm was believed: {told()}")
    lines = agent.status()["lines"]
    return f"{lines['bounces']} bounces, {lines['storms']} storms"


def vibration(board):
    """Five knocks within ten seconds are five edges, and edges within 50 ms one"""
    chip = board.chip()
    agent = board.agent(LEVEL + f'[vibration]\nchip = "{LABEL}"\nline = "GPIO22"\n')

    def edges():
        return (agent.status() or {}).get("lines", {}).get("vibration_edges", 0)

    time.sleep(1)
    for _ in range(4):
        for up in (True, False, True, False):
            chip.pull(VIBRATION, up)
            time.sleep(0.005)
        time.sleep(0.5)
    time.sleep(6)
    demand(edges() == 4, f"{edges()} edges counted of 4 knocks")


def external_power(board):
    """The supply counts as lost after 500 quiet ms, and is back; without the chip the voltage decides"""
    chip = board.chip()
    chip.pull(SUPPLY, False)
    volts = board.folder + "/volts"
    write(volts, "12600\n")
    agent = board.agent(
        LEVEL + f'[external_power]\nchip = "{LABEL}"\nline = "GPIO23"\nactive_low = true\n'
        f'[battery]\nvoltage_file = "{volts}"\nread_interval_s = 5\nlost_below_v = 4\n')

    def is_there():
        return (agent.status() or {}).get("external_power")

    wait_for("the level that is found", lambda: is_there() is True)
    demand(agent.warned("power_lost") == 0, "a supply that is there was reported as lost")
    for edge in range(20):
        chip.pull(SUPPLY, edge % 2 == 0)
        time.sleep(0.03)
    chip.pull(SUPPLY, True)
    time.sleep(0.45)
    demand("supply is lost" not in agent.said(), "it counted before its debounce time")
    wait_for("the loss", lambda: "supply is lost, by its line" in agent.said(), 0.3, every_s=0.005)
    wait_for("the status of it", lambda: is_there() is False and agent.warned("power_lost") == 1)
    chip.pull(SUPPLY, False)
    wait_for("the return", lambda: "supply is back, by its line" in agent.said(), 1)
    write(volts, "100\n")
    time.sleep(11)
    demand(agent.said().count("supply is lost") == 1, "the voltage counted beside a line that is read")
    board.remove(chip)
    wait_for("the voltage to decide", lambda: "supply is lost, 0.1 V" in agent.said(), 10)
    demand(agent.warned("input_line") == 1, f"input_line: {agent.warned('input_line')}")
    write(volts, "12600\n")
    wait_for("the return", lambda: "supply is back, 12.6 V" in agent.said(), 10)


PULSE = f"""[gps.power]
mode = "pulse"
chip = "{LABEL}"
line = "GPIO4"
status_line = "GPIO5"
pulse_ms = 500
status_timeout_s = 3
"""


def pulse(board):
    """A pulse switches on, another one off; after kill -9, and in mid-pulse, `godwit power off` switches off"""
    chip = board.chip()
    module = board.module(chip)
    agent = board.agent(PULSE)
    wait_for("the module to be on", lambda: module.is_on)
    demand(abs(module.pulses[0] - 0.5) < 0.05, f"a pulse of {module.pulses[0]:.2f} s")
    demand(agent.end() == 0 and not module.is_on, "SIGTERM left it on")
    agent.started()
    wait_for("the module to be on", lambda: module.is_on)
    agent.end(signal.SIGKILL)
    demand(module.is_on, "a module is not on when nobody pulses")
    code, words = agent.power_off()
    demand(code == 0 and not module.is_on, f"{code} {words}")
    before = len(module.pulses)
    code, words = agent.power_off()
    demand(code == 0 and len(module.pulses) == before, "it was pulsed while off")
    return "pulses of " + ", ".join(f"{length:.2f}" for length in module.pulses) + " s"


def pulse_killed(board):
    """An agent that dies in mid-pulse leaves nothing on, and a module that is found on is switched off first"""
    chip = board.chip()
    module = board.module(chip)
    agent = board.agent(PULSE)
    wait_for("the key to be pressed", lambda: chip.level(KEY) == 1)
    agent.end(signal.SIGKILL)
    time.sleep(2)
    code, words = agent.power_off()
    demand(code == 0 and not module.is_on and chip.level(KEY) == 0, f"{code} {words}")
    module.switch(True)
    agent = board.agent(PULSE)
    wait_for("the module to go off", lambda: not module.is_on)
    wait_for("the module to go on", lambda: module.is_on)


def pulse_unanswered(board):
    """A module that does not obey is a warning, and is pulsed again until it does"""
    chip = board.chip()
    module = board.module(chip)
    module.works = False
    agent = board.agent(PULSE)
    wait_for("a warning", lambda: agent.warned("gps_power_line") >= 2, 30)
    demand("the status line says otherwise after 3 s" in agent.said(), "the words are others")
    module.works = True
    wait_for("the module to be on", lambda: module.is_on)
    return f"on with pulse {len(module.pulses)}"


SCRIPT = """#!/bin/sh
echo "$@" >>FOLDER/told
test ! -e FOLDER/hangs || sleep 100
test ! -e FOLDER/fails || exit 3
"""


def command(board):
    """A program is told on and off; one that fails or hangs is a warning and is told again; SIGTERM waits for it"""
    script = f"{board.folder}/gps-power"
    write(script, SCRIPT.replace("FOLDER", board.folder))
    os.chmod(script, 0o755)

    def told():
        return read(f"{board.folder}/told").split("\n")

    agent = board.agent(f'[gps.power]\nmode = "command"\ncommand = ["{script}", "bus 1"]\n')
    wait_for("on", lambda: told() == ["bus 1 off", "bus 1 on"])
    write(f"{board.folder}/fails", "")
    demand(agent.end() == 0 and told()[-1] == "bus 1 off", f"SIGTERM: {told()}")
    demand("… off ended with exit status 3" in agent.said(), "a failure at the end is not told")
    agent.started()
    wait_for("a warning", lambda: agent.warned("gps_power_line") >= 2, 30)
    os.rename(f"{board.folder}/fails", f"{board.folder}/hangs")
    wait_for("a warning", lambda: "took longer than 4 s and was killed" in agent.said(), 30)
    began = time.monotonic()
    agent.end(timeout_s=10)
    words = f"ended {time.monotonic() - began:.1f} s after SIGTERM with a command that hangs"
    os.remove(f"{board.folder}/hangs")
    code, off = agent.power_off()
    demand(code == 0 and off == f"GPS power is off: {script}" and told()[-1] == "bus 1 off", f"{code} {off}")
    return words


def removed(board):
    """A chip that is pulled out is a warning; once it is back the line is as it should be, within 60 s"""
    set_clock(NOON - 20, synchronised=True)
    chip = board.chip()
    agent = board.agent(LEVEL, schedule="cron 0 11 * * * for 1h")
    wait_for("the line to go high", lambda: chip.level(POWER) == 1)
    board.remove(chip)
    wait_for("a warning", lambda: agent.warned("gps_power_line") >= 2, 60)
    demand("No such device" in agent.said(), "the words are others")
    chip = board.chip()
    chip.pull(POWER, True)
    began = time.monotonic()
    wait_for("the line to be low", lambda: chip.level(POWER) == 0, 60)
    count = agent.warned("gps_power_line")
    time.sleep(30)
    demand(agent.warned("gps_power_line") == count, "it is warned of after the chip came back")
    return f"off {time.monotonic() - began - 30:.1f} s after the chip came back"


ALL = [
    level, window_ends, active_low, killed, reads_back, held, renumbered, wrong_label, comes_late,
    wrong_line, ignition, vibration, external_power, pulse, pulse_killed, pulse_unanswered, command, removed]


def name(case):
    return case.__name__.replace("_", "-")
