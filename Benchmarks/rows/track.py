"""Energy and quality: GPS hours, the track that is kept and what it costs to send, beside other trackers' policies."""

import collections
import csv
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

import policies
from row import Missing, Row, output, small_program

COMMANDS = ("simulate of godwit", "score.py of GODWIT_REFERENCE", "rows/policies.py")
#: A position as Teltonika's Codec 8 sends it, without inputs and outputs and without its head.
CODEC8_BYTES = 30
#: `sync_threshold` is 5 by default, and a backlog goes in hundreds; of other formats each request carries one record.
BATCHES = dict.fromkeys(("geomony", "compact"), {"in fives": "bytes_in_fives", "in hundreds": "bytes_in_hundreds"})
ONE_BY_ONE = {"one by one": "bytes_in_hundreds"}
#: On such a day, as its core was measured with its defaults, a fix a second: with no motion sensor (which a board in a
#: vehicle has not got either), and with one that is always right.
GEOMONY_ON_H, GEOMONY_WITH_SENSOR_ON_H, GEOMONY_PHANTOM_M = 10.0, 2.60, 1700
POLICIES = {"geomony": policies.geomony, "Teltonika": policies.teltonika, "Traccar": policies.traccar,
            "Traccar, highest": policies.traccar_highest, "OPW-TR": policies.opening_window}


def reference():
    folder = os.environ.get("GODWIT_REFERENCE")
    if not folder:
        raise Missing("GODWIT_REFERENCE names no folder with the reference drives (tools/reference_day.py, "
                      "tools/reference_week.py, tools/score.py, data/csv, data/labels)")
    return folder


def number(text):
    return float(text) if text else None


def trips(track, labels):
    """The fixes of each labelled trip."""
    with open(track) as file:
        fixes = [{"time_ms": int(row["time_unix_ms"]), "at": (float(row["lat"]), float(row["lon"])),
                  "speed_mps": number(row.get("speed_mps")), "course_deg": number(row.get("course_deg"))}
                 for row in csv.DictReader(file) if row["lat"] and row["mode"] != "1"]
    # As recorded, times go back and repeat.
    fixes = [fix for last, fix in zip([None, *fixes], fixes) if not last or fix["time_ms"] > last["time_ms"]]
    for trip in json.load(open(labels))["trips"]:
        if trip["confidence"] == "high":
            inside = [fix for fix in fixes if trip["start_ms"] <= fix["time_ms"] <= trip["end_ms"]]
            if len(inside) > 1:
                yield inside


def by_policy(track, labels, result):
    """Points a km, and the errors at 95 of 100 fixes and at the worst, of each policy and of our result."""
    points, errors, km = collections.Counter(), collections.defaultdict(list), 0
    ours = [{"time_ms": point["time_unix_ms"], "at": (point["lat"], point["lon"])}
            for point in json.load(open(result))["track"]]
    for fixes in trips(track, labels):
        km += sum(policies.metres(a["at"], b["at"]) for a, b in zip(fixes, fixes[1:])) / 1000
        inside = [point for point in ours if fixes[0]["time_ms"] <= point["time_ms"] <= fixes[-1]["time_ms"]]
        for name, kept in {"ours": inside, **{name: policy(fixes) for name, policy in POLICIES.items()}}.items():
            points[name] += len(kept)
            errors[name] += policies.errors_m(kept, fixes)
    return {name: {"points": points[name] / km, "p95": sorted(found)[int(0.95 * len(found))], "worst": max(found)}
            for name, found in errors.items()}


def ours(track, labels, folder, *more):
    """What the replay makes of it, and its score."""
    result = f"{folder}/result.json"
    with open(result, "w") as file:
        subprocess.run([small_program(), "simulate", "--track", track, "--json", *more], check=True, stdout=file)
    score = json.loads(output(sys.executable, f"{reference()}/tools/score.py", result, labels, track, "--json"))
    return score, json.load(open(result))["totals"]


def drive_rows(name, track, labels, folder, limit_points=None):
    # The policies take each fix, also those that the receiver itself calls some hundred metres wrong: so do we here.
    ours(track, labels, folder, "--set", "motion.gps_off_when_parked=false", "--set", "gps.max_accuracy_m=10000")
    by = by_policy(track, labels, f"{folder}/result.json")
    for peer in POLICIES:
        limit = limit_points if peer == "OPW-TR" else None
        yield Row(f"{name}: points a km", by["ours"]["points"], "", by[peer]["points"], peer, limit)
    for key, what in (("p95", "error of 95 in 100 fixes"), ("worst", "worst error")):
        for peer in POLICIES:
            limit = 10 if (key, peer) == ("worst", "OPW-TR") else None
            yield Row(f"{name}: {what}", by["ours"][key], "m", by[peer][key], peer, limit)
    score, totals = ours(track, labels, folder)
    yield Row(f"{name}: share of the way within 20 m of the track", score["tracked_share"], "", more=True)
    yield Row(f"{name}: phantom metres while parked", score["phantom_m"], "m")
    yield Row(f"{name}: GPS on, of {score['span_h']:.1f} h", score["gps_on_h"], "h")
    codec8 = round(by["Teltonika"]["points"] * CODEC8_BYTES)
    for form, sizes in totals["formats"].items():
        for batch, key in BATCHES.get(form, ONE_BY_ONE).items():
            yield Row(f"{name}: bytes a km, {form} {batch}", sizes[key] / totals["distance_m"] * 1000, "", codec8,
                      "Teltonika, Codec 8 at least")


def rows(options):
    folder = reference()
    with tempfile.TemporaryDirectory() as work:
        subprocess.run([sys.executable, f"{folder}/tools/reference_day.py", f"{work}/day"], check=True)
        day = list(drive_rows("reference day", f"{work}/day.csv", f"{work}/day.labels.json", work, limit_points=4.6))
        for row in day:
            if "GPS on" in row.what:
                yield Row(row.what, row.ours, row.unit, GEOMONY_WITH_SENSOR_ON_H, "geomony, a sensor that is always right")
                row.peer, row.whose = GEOMONY_ON_H, "geomony, no sensor"
            if "phantom" in row.what:
                row.peer, row.whose = GEOMONY_PHANTOM_M, "geomony"
            yield row
        if options.short:
            return
        for name in ("nds_us_0619", "reno_tahoe_2005"):
            track = f"{work}/{name}.csv"
            with gzip.open(f"{folder}/data/csv/{name}.csv.gz") as packed, open(track, "wb") as plain:
                shutil.copyfileobj(packed, plain)
            yield from drive_rows(name, track, f"{folder}/data/labels/{name}.json", work)
        yield from week_rows(folder, work)


def week_rows(folder, work):
    subprocess.run([sys.executable, f"{folder}/tools/reference_week.py", f"{work}/weeks", "--weeks", "2"], check=True)
    for name, more in (("no line", ()), ("cells", ("--assume", f"cells={work}/weeks.cells.csv")),
                       ("ignition line", ("--assume", "ignition=from_speed"))):
        score, _ = ours(f"{work}/weeks.csv", f"{work}/weeks.labels.json", work, *more)
        yield Row(f"two weeks, {name}: GPS on, of {score['span_h']:.0f} h", score["gps_on_h"], "h",
                  score["span_h"], "always on")
        yield Row(f"two weeks, {name}: share within 20 m", score["tracked_share"], "", more=True)
        yield Row(f"two weeks, {name}: trips missed of {score['trips_labelled']}", score["trips_missed"], "")
