"""Scale: a backlog drained, a queue with millions of records, and a fleet that comes back at once."""

import json
import os

from row import ROOT, Row, built, output, product, small_program

COMMANDS = ("Benchmarks/sync --only-drain", "Benchmarks/queue --live-minutes 0", "Benchmarks/fleet 5000 --scenario outage")

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
        yield Row(f"{name}: memory at the end beside the begin", round(row["rss_after_kb"] / row["rss_before_kb"], 2),
                  "times")


def queued(big):
    found = json.loads(output(f"{ROOT}/Benchmarks/queue", "--json", "--live-minutes", "0", "--big", str(big)))
    if big == BIG[0] and found["queue_bytes"] is not None:
        # docs/queue.md has the day at its own pace, where the file system's journal adds to both.
        yield Row("a day's writes to the device, as fast as it goes", round(found["queue_bytes"] / 1e6, 2), "MB",
                  290, "geomony")
    name = f"{big:,} records in the queue"
    yield Row(f"{name}: CPU of a record's way through, beside an empty queue",
              round(found["cpu_per_record_big_us"] / found["cpu_per_record_empty_us"], 2), "times")
    yield Row(f"{name}: memory beside an empty queue", round(found["resident_big_kb"] / found["resident_empty_kb"], 2),
              "times")
    yield Row(f"{name}: opened in", found["open_big_s"], "s")
    yield Row(f"{name}: 100,000 of them read and removed, CPU", found["drain_cpu_s"], "s")


def fleet():
    """In virtual time."""
    found = json.loads(output(f"{ROOT}/Benchmarks/fleet", "5000", "--scenario", "outage", "--json"))
    yield Row("5,000 devices after an outage: requests in the busiest second", found["peak_rps"], "")
    yield Row("5,000 devices after an outage: 99 of 100 devices drained after", found["drained_99_s"], "s")
