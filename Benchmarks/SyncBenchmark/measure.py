"""What syncing costs; started by Benchmarks/sync."""

import argparse
import json
import os
import shutil
import signal
import sqlite3
import ssl
import subprocess
import tempfile
import time
import urllib.request

from wire_server import WireBroker, WireServer

FORMATS = [("geomony", False), ("geomony", True), ("compact", False), ("traccar", False), ("owntracks", False)]
WITH_STATUS = ("geomony", "compact")
TRANSPORTS = ["http", "tls", "tls, a connection each", "mqtt", "mqtt, tls"]
DAY_S = 86_400
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Place:
    """A folder with an agent's settings and a copy of a queue."""

    def __init__(self, root, name, queue, godwit):
        self.folder, self.godwit = os.path.join(root, name), godwit
        os.makedirs(self.folder + "/run")
        for end in ("", "-wal"):
            if os.path.exists(queue + end):
                shutil.copy(queue + end, os.path.join(self.folder, "queue.db" + end))

    def start(self, sync):
        """The agent, with lines of [sync]; outside of its schedule, so that only the sync works."""
        path = os.path.join(self.folder, "godwit.toml")
        with open(path, "w") as file:
            file.write(f'device_id = "benchmark"\nschedule = ["2020-01-01 00:00-00:01"]\n'
                       f'[gps]\nport = 1\n[queue]\npath = "{self.folder}/queue.db"\n[run]\n'
                       f'directory = "{self.folder}/run"\n[sync]\nsplay_s = 0\n' + "\n".join(sync) + "\n")
        self.log = open(os.path.join(self.folder, "log"), "w")
        return subprocess.Popen([self.godwit, "run", "--config", path], stdout=self.log, stderr=self.log)

    def log_end(self):
        return "".join(open(self.log.name).readlines()[-5:])


def wait(until, place, agent, limit_s=600):
    end_s = time.monotonic() + limit_s
    while not until():
        if agent.poll() is not None or time.monotonic() > end_s:
            agent.kill()
            raise SystemExit("Benchmarks/sync: the agent has not sent everything:\n" + place.log_end())
        time.sleep(0.02)


def stop(process):
    process.send_signal(signal.SIGTERM)
    process.wait(30)


# Bytes on the wire


def certificate(root):
    """Of a made-up authority for 127.0.0.1: one small certificate, where a public one sends two or three."""
    cert, key = os.path.join(root, "cert.pem"), os.path.join(root, "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
         "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert],
        check=True, capture_output=True)
    return cert, key


def wire(root, godwit, queue, day, cert, key):
    rows = []
    for transport in TRANSPORTS:
        is_mqtt = transport.startswith("mqtt")
        for name, gzip in FORMATS:
            if is_mqtt and (gzip or name == "traccar"):
                continue
            for batch in (5, 100) if name in WITH_STATUS else (1,):
                context = None
                if "tls" in transport:
                    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                    context.load_cert_chain(cert, key)
                kind, path = (WireBroker, "fleet/{device}/records") if is_mqtt else (WireServer, "v1/locations")
                server = kind(context, transport != TRANSPORTS[2], gzip)
                place = Place(root, f"wire-{len(rows)}", queue, godwit)
                scheme = ("mqtt" if is_mqtt else "http") + ("" if context is None else "s")
                agent = place.start([
                    f'url = "{scheme}://127.0.0.1:{server.port}/{path}"', f'format = "{name}"',
                    f'ca_file = "{cert}"', f"max_batch_size = {batch}", f"sync_threshold = {batch}",
                    "sync_interval_s = 2", "status_interval_s = 604800"]
                    + (['gzip = "always"'] if gzip else []))
                carried = carried_records(queue, name)
                wait(lambda: sum(e[0] for e in server.exchanges) >= carried, place, agent)
                stop(agent)
                server.close()
                rows.append(row(transport, name, gzip, batch, server, day))
    return rows


def carried_records(queue, name):
    with sqlite3.connect(queue) as database:
        condition = "" if name in WITH_STATUS else "WHERE latitude_e7 IS NOT NULL"
        return database.execute(f"SELECT count(*) FROM records {condition}").fetchone()[0]


def row(transport, name, gzip, batch, server, day):
    # All but the first request, which carries the status. The connection's opening is counted only where each request
    # has one.
    counted = server.exchanges[1:] + ([(0, *o) for o in server.openings[1:]] if transport == TRANSPORTS[2] else [])
    records = sum(e[0] for e in counted)
    up, down = (sum(e[i] for e in counted) / records for i in (1, 2))
    per_km = sum(e[0] for e in server.exchanges) / day["records"] * day["day_records"] / (day["day_m"] / 1000)
    return {"transport": transport, "format": name + ("+gzip" if gzip else ""), "batch": batch,
            "up_per_record": round(up, 1), "down_per_record": round(down, 1), "up_per_km": round(up * per_km, 1),
            "both_per_km": round((up + down) * per_km, 1), "resumed": server.resumed,
            "requests": len(server.exchanges)}


# Draining a backlog


def usage(process):
    """Seconds of CPU, kB of memory."""
    with open(f"/proc/{process.pid}/stat") as file:
        words = file.read().rpartition(")")[2].split()
    with open(f"/proc/{process.pid}/statm") as file:
        resident = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
    return (int(words[11]) + int(words[12])) * TICK_S, resident


def stored(url):
    with urllib.request.urlopen(url + "/v1/devices") as reply:
        devices = json.load(reply)
    return devices[0]["records"] if devices else 0


def drain(root, godwit, collector, queue, records, name, gzip, run):
    place = Place(root, f"drain-{name}-{gzip}-{run}", queue, godwit)
    log = open(place.folder + "/collector.log", "w+")
    server = subprocess.Popen([collector, "--database", place.folder + "/fleet.sqlite", "--port", "0"],
                              stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        line = server.stdout.readline()
        if not line:
            log.seek(0)
            raise SystemExit("Benchmarks/sync: the collector has ended instead of listening:\n" + log.read())
        url = line.split()[-1]
        before_s = usage(server)[0]
        began_s = time.monotonic()
        agent = place.start([f'url = "{url}/v1/locations"', f'format = "{name}"',
                             f'gzip = "{"always" if gzip else "never"}"'])
        memory = []

        def is_done():
            memory.append(usage(agent)[1])
            time.sleep(0.1)
            return stored(url) >= records

        wait(is_done, place, agent)
        wall_s = time.monotonic() - began_s
        cpu_s, after_kb = usage(agent)
        server_s = usage(server)[0] - before_s
        stop(agent)
    finally:
        stop(server)
    shutil.rmtree(place.folder)
    # The first reading is of a process that is only starting, but a short backlog has no other.
    return {"format": name + ("+gzip" if gzip else ""), "wall_s": wall_s, "agent_cpu_s": cpu_s, "collector_cpu_s": server_s,
            "rss_before_kb": memory[:2][-1], "rss_middle_kb": memory[len(memory) // 2], "rss_after_kb": after_kb}


def drains(root, options, queue):
    results = []
    for name, gzip in [("geomony", False), ("geomony", True), ("compact", False)]:
        runs = [drain(root, options.godwit, options.collector, queue, options.records, name, gzip, run)
                for run in range(options.runs)]
        # Of each the least: what else the machine does makes all of them more.
        least = {key: round(min(run[key] for run in runs), 2) for key in ("wall_s", "agent_cpu_s", "collector_cpu_s")}
        results.append(runs[0] | least)
    return results


# Requests of a day on which nothing works


def failing_days(root, godwit):
    track = os.path.join(root, "day.csv")
    with open(track, "w") as file:
        file.write("time_unix_ms,lat,lon,hacc_m,speed_mps\n")
        longitude = 8.0
        # Ten minutes of driving each hour; a fix each 5 s.
        for s in range(0, DAY_S, 5):
            is_driving = s % 3600 < 600
            if is_driving:
                longitude += 15 * 5 / 76_000
            file.write(f"{1_772_434_800_000 + s * 1000},47.0,{longitude:.7f},5,{15 if is_driving else 0}\n")
    days = [
        ("permanent 401", ["network.error_rate=1", "network.error_status=401"], "at most 97: one in unauthorised_retry_s"),
        ("permanent 500", ["network.error_rate=1", "network.error_status=500"], "580 with even chance, 10 % more at most"),
        ("no network", ['network.outages=["0s for 48h"]'], "the same"),
        ("503, Retry-After: 3600", ["network.error_rate=1", "network.error_status=503", "network.retry_after_s=3600"],
         "at most 25: one in Retry-After"),
    ]
    results = []
    for name, assumptions, bound in days:
        command = [godwit, "simulate", "--json", "--track", track, "--set", "sync.url=https://benchmark.invalid/"]
        for assumption in assumptions:
            command += ["--assume", assumption]
        totals = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["totals"]
        results.append({"day": name, "requests": totals["requests"], "bound": bound})
    return results


# Telling


def table(results):
    day = results["day"]
    lines = [f"Wire: {day['day_records']} records in {day['day_m'] / 1000:.1f} km (10 m bound, all fields); geomony: 398 B a",
             "location, 77 B gzipped in hundreds (bodies); Codec 8 with Teltonika's defaults: at least 465 B/km",
             f"{'transport':<24}{'format':<14}{'batch':>5}{'up B/record':>13}{'down B/record':>15}{'up B/km':>10}{'both B/km':>11}"]
    for r in results["wire"]:
        lines.append(f"{r['transport']:<24}{r['format']:<14}{r['batch']:>5}{r['up_per_record']:>13}"
                     f"{r['down_per_record']:>15}{r['up_per_km']:>10}{r['both_per_km']:>11}")
    lines += ["", f"Draining {results['records']} records to the collector; geomony: 90 s, 17.7 s of CPU",
              f"{'format':<14}{'wall s':>8}{'agent CPU s':>13}{'collector CPU s':>17}  resident kB: start, middle, end"]
    for r in results["drain"]:
        lines.append(f"{r['format']:<14}{r['wall_s']:>8}{r['agent_cpu_s']:>13}{r['collector_cpu_s']:>17}  "
                     f"{r['rss_before_kb']}, {r['rss_middle_kb']}, {r['rss_after_kb']}")
    lines += ["", "Requests in 24 h of"]
    lines += [f"{r['day']:<24}{r['requests']:>6}  {r['bound']}" for r in results["failing_days"]]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--godwit", required=True)
    parser.add_argument("--collector", required=True)
    parser.add_argument("--filler", required=True)
    parser.add_argument("--day")
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only-drain", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        cert, key = certificate(root)
        fill = [options.filler] + (["--day", options.day] if options.day else [])
        day_queue, big_queue = root + "/day/queue.db", root + "/big/queue.db"
        made = subprocess.run(fill + ["--fill", day_queue, "--fill-records", "2000"], check=True, capture_output=True)
        day = json.loads(made.stdout)
        results = {"day": day, "records": options.records}
        results["wire"] = [] if options.only_drain else wire(root, options.godwit, day_queue, day, cert, key)
        results["drain"] = []
        if options.records > 0:
            subprocess.run(fill + ["--fill", big_queue, "--fill-records", str(options.records)], check=True,
                           stdout=subprocess.DEVNULL)
            results["drain"] = drains(root, options, big_queue)
        results["failing_days"] = [] if options.only_drain else failing_days(root, options.godwit)
    print(json.dumps(results) if options.json else table(results))


main()
