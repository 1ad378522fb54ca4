"""Scale: a backlog drained, a queue with millions of records, and a fleet that comes back at once."""

import json
import os
import sys

from row import ROOT, Missing, Row, built, output, product, small_program

COMMANDS = ("Benchmarks/sync --only-drain", "Benchmarks/queue", "Benchmarks/fleet 5000 --scenario outage",
            "Benchmarks/collector")
#: Which the user may name.
PROGRAMS = ("COLLECTOR", "FILLER")

BIG = (1_000_000, 10_000_000)


def rows(options):
    if options.short:
        collector = built(f"{ROOT}/collector/.build/debug/godwit-collector", "swift build in collector makes it")
        yield from drained(500, 1, COLLECTOR=collector, FILLER=product("QueueBenchmark", short=True))
        return
    yield from drained(100_000, 3)
    for big in BIG:
        yield from queued(big)
    yield from fleet()
    yield from collected()


def drained(records, runs, **programs):
    """To the real collector on loopback; its own CPU beside, since both share the machine."""
    environment = os.environ | {"GODWIT": small_program()} | programs
    found = json.loads(output(f"{ROOT}/Benchmarks/sync", "--json", "--only-drain", "--records", str(records), "--runs",
                              str(runs), env=environment))
    for row in found["drain"]:
        name = f"{records:,} records drained, {row['format']}"
        yield Row(f"{name}: the agent's CPU", row["agent_cpu_s"], "s", 17.7, "geomony, 100,000", 1.5)
        yield Row(f"{name}: the collector's CPU", row["collector_cpu_s"], "s")
        yield Row(f"{name}: time", row["wall_s"], "s", 90, "geomony, 100,000", 5)
        yield Row(f"{name}: memory at the end beside the begin", row["rss_after_kb"] / row["rss_before_kb"], "times")


def queued(big):
    # The day is the same beside each.
    minutes = 4 if big == BIG[0] else 0
    found = json.loads(output(f"{ROOT}/Benchmarks/queue", "--json", "--live-minutes", str(minutes), "--big", str(big)))
    if minutes:
        yield from written(found)
    name = f"{big:,} records in the queue"
    yield Row(f"{name}: CPU of a record's way through, beside an empty queue",
              found["cpu_per_record_big_us"] / found["cpu_per_record_empty_us"], "times")
    yield Row(f"{name}: memory beside an empty queue", found["resident_big_kb"] / found["resident_empty_kb"], "times")
    yield Row(f"{name}: opened in", found["open_big_s"], "s")
    yield Row(f"{name}: 100,000 of them read and removed, CPU", found["drain_cpu_s"], "s")


def written(found):
    """To the device, of a day: geomony's rows came as fast as they went, 4,396 of them."""
    if found["queue_bytes"] is None:
        raise Missing("the bytes of a day need root and loop mounts")
    yield Row("a day's writes to the device, as fast as it goes", found["queue_bytes"] / 1e6, "MB", 290, "geomony")
    for mount, what in (("defaults", "default mount"), ("commit-60", "mounted with commit=60")):
        each = found[f"live_bytes_{mount}"] / found["live_commits"]
        yield Row(f"a day's writes to the device, at its own pace, {what}", each * found["commits"] / 1e6, "MB")


def fleet():
    """In virtual time."""
    found = json.loads(output(f"{ROOT}/Benchmarks/fleet", "5000", "--scenario", "outage", "--json"))
    yield Row("5,000 devices after an outage: requests in the busiest second", found["peak_rps"], "")
    yield Row("5,000 devices after an outage: 99 of 100 devices drained after", found["drained_99_s"], "s")


def collected():
    """By the collector, which Benchmarks/sync has built, in compact bodies of 5,000 simulated devices."""
    program = os.environ.get("COLLECTOR", f"{ROOT}/collector/.build/release/godwit-collector")
    found = json.loads(output(sys.executable, f"{ROOT}/Benchmarks/collector", "--json", "--collector", program))
    for run in found["runs"]:
        yield Row(f"the collector's CPU a record, {run['run']}", run["cpu_us_per_record"], "µs")
    yield Row("the collector, killed three times: records lost", found["lost"], "", limit=0)
    yield Row("the collector, killed three times: records stored twice", found["stored_twice"], "", limit=0)
