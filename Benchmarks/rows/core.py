"""Core path: what a report at 1 Hz costs the tracker, without storage, network and gpsd."""

import collections
import re
import statistics

from counting import allocations, instructions
from row import Row, output, product

COMMANDS = ("core-cost", "core-cost under callgrind", "core-cost with rows/allocations.c")
#: A machine is what its folders hold; where the copying of its values is done by Swift's runtime, it is there.
MACHINES = {
    "filter and GPS session": ("GPS", "Receiver"), "clock and schedule": ("Time", "Schedule"),
    "motion": ("Motion", "Geo"), "trips and odometer": ("Trips", "Journey"), "sampling": ("Track",),
    "geofences": ("Geofences",), "gaps": ("Gaps",), "dispatch and sync": ("Dispatch", "Sync"),
    "records": ("Records",), "routing": ("Core", "Events"),
}


def cost(program, days, reports):
    return instructions(program, str(days), str(reports))


def by_machine(counted):
    parts = collections.Counter()
    for file, cost in counted.by_file.items():
        folder = re.search(r"Sources/Tracker(?:Base|Receiver|Journey|Dispatch|Remote|Board)/([A-Za-z]+)/", file or "")
        folder = folder or re.search(r"Sources/Tracker(Core)/", file or "")
        name = next((name for name, folders in MACHINES.items() if folder and folder[1] in folders), None)
        if name is None and "/Benchmarks/" in (file or ""):
            name = "the benchmark itself"
        parts[name or ("all else of the core" if folder else "Swift's runtime, libc and libm")] += cost
    return parts


def rows(options):
    program = product("core-cost", options.short)
    if options.short:
        # Under callgrind a debug build takes minutes only to make the day.
        yield Row("allocations in 300 reports", allocations(program, "1", "300"), "")
        return
    # geomony's core: 2.2 s of CPU on day 1, which has 36,000 fixes.
    yield Row("CPU a report, least of five days", least_us(program), "µs", peer=61.1, whose="geomony's core", limit=1.0)
    reports = 3600
    first, second = cost(program, 1, reports), cost(program, 2, reports)
    each = lambda spent: round(spent / reports)
    # The making of the reports is in both.
    yield Row("instructions a report, all", each(second.total - first.total), "", limit=25_000)
    before, after = by_machine(first), by_machine(second)
    for name in [*MACHINES, "all else of the core", "Swift's runtime, libc and libm", "the benchmark itself"]:
        yield Row(f"of it {name}", each(after[name] - before[name]), "")
    asked = allocations(program, "2", str(reports)) - allocations(program, "1", str(reports))
    yield Row("allocations a report, mean of an hour with its commits and records", asked / reports, "")
    yield Row("allocations of most reports (median of 200 within a drive)", usual(program), "", limit=0)
    yield with_history(program)


def usual(program):
    """By runs that are a report longer each. By the first of these the vehicle has driven for two minutes."""
    first = 240
    asked = [allocations(program, "1", str(reports)) for reports in range(first, first + 201)]
    return statistics.median(after - before for before, after in zip(asked, asked[1:]))


def least_us(program):
    """Whole days of ten hours; of the first one, starting is a part."""
    lines = [line.split() for line in output(program, "30").splitlines()]
    return min(float(line[1]) for line in lines if line[0].isdigit() and len(line) == 4 and line[0] != "1")


def with_history(program):
    """Whole days of ten hours, as those of geomony's core: 2.2 s of CPU on day 1, 91.6 s on day 28. Some minutes."""
    one, two, last, after = (cost(program, days, 36_000).total for days in (1, 2, 27, 28))
    return Row("instructions of day 28 beside those of day 2", (after - last) / (two - one), "times",
               peer=91.6 / 2.2, whose="geomony's core, CPU of day 28 beside day 1", limit=1.05)
