"""Live path: godwit beside gpxlogger and gpspipe on one real gpsd with one stream, at 1 and 10 Hz."""

import json
import sys

from row import ROOT, Row, need, output, product, small_program

COMMANDS = ("Benchmarks/live --instructions", "Benchmarks/live")


def measured(options, *more):
    minutes = "0.1" if options.short else "4"
    rates = ["--rates", "1"] if options.short else []
    return json.loads(output(sys.executable, f"{ROOT}/Benchmarks/live", "--json", "--minutes", minutes, "--godwit",
                             small_program(), "--feeder", product("drive-feeder", options.short), *rates, *more))


def rows(options):
    need("gpsd", "gpsd")
    need("gpxlogger", "gpsd-clients")
    if not options.short:
        counted = measured(options, "--instructions")
        yield from beside(counted, "instructions a fix", "instructions_a_fix", "")
    timed = measured(options)
    yield from beside(timed, "CPU a fix", "cpu_us_a_fix", "µs", limit_by_peer=not options.short)
    yield from beside(timed, "context switches a fix", "switches_a_fix", "")
    yield from beside(timed, "bytes written a fix", "written_bytes_a_fix", "")
    # The one that keeps every fix has shared its program's memory with the first.
    yield from beside(timed, "memory (PSS)", "pss_kb", "KiB", ours=("godwit",))


def beside(found, what, key, unit, limit_by_peer=False, ours=("godwit", "godwit, every fix")):
    """A row for each program of ours, beside each of the peers."""
    for rate_hz in sorted({row["rate_hz"] for row in found}):
        figures = {row["program"]: row[key] for row in found if row["rate_hz"] == rate_hz}
        for name in ours:
            for peer in ("gpxlogger", "gpspipe -w"):
                if peer in figures:
                    limit = figures[peer] if limit_by_peer and (name, peer) == ("godwit", "gpxlogger") else None
                    yield Row(f"{what}, {name}, {rate_hz} Hz", figures[name], unit, figures[peer], peer, limit)
