"""Footprint: the installed program, its memory, its start, and what wakes it."""

import os
import re
import socket
import subprocess
import tempfile
import time
import types

from row import Row, demand_all, need, output, product, rig, small_program
from stream import Stream, figures, free_port, listens, wait_for

COMMANDS = ("Tests/check-binary", "smaps_rollup", "core-cost 30", "Tests/Rig/idle")
SETTINGS = """device_id = "benchmark"
[gps]
port = {port}
[queue]
path = "{home}/queue.db"
[run]
directory = "{home}/run"
"""


def rows(options):
    program = small_program()
    yield Row("program", os.path.getsize(program) / 1e6, "MB", limit=12)
    yield Row("from exec to the first request to gpsd, least of 10", start_ms(program), "ms", limit=100)
    yield from memory(program, 10 if options.short else 300, options.short)
    if options.short:
        return
    yield from month()
    yield from idle()


def start_ms(program):
    """Until gpsd's port gets the agent's first bytes."""
    least = None
    for _ in range(10):
        with tempfile.TemporaryDirectory() as home, socket.create_server(("127.0.0.1", 0)) as gpsd:
            os.makedirs(f"{home}/run")
            with open(f"{home}/godwit.toml", "w") as file:
                file.write(SETTINGS.format(port=gpsd.getsockname()[1], home=home))
            began = time.monotonic()
            agent = subprocess.Popen([program, "run", "--config", f"{home}/godwit.toml"], stderr=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL)
            gpsd.settimeout(30)
            client, _ = gpsd.accept()
            client.recv(64)
            took = (time.monotonic() - began) * 1000
            least = min(least or took, took)
            agent.terminate()
            agent.wait()
            client.close()
    return least


def memory(program, seconds, short):
    """Driving at 1 Hz with a server by HTTP and one by MQTT."""
    mosquitto = need("mosquitto", "mosquitto")
    options = types.SimpleNamespace(godwit=program, minutes=seconds / 60, instructions=False,
                                    feeder=product("drive-feeder", short))
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # gpsd gives up root and must still reach its device.
        stream = Stream(options, 1, folder)
        try:
            broker = free_port()
            with open(f"{folder}/mosquitto.conf", "w") as file:
                file.write(f"listener {broker} 127.0.0.1\nallow_anonymous true\n")
            stream.start("mosquitto", mosquitto, "-c", f"{folder}/mosquitto.conf")
            wait_for("mosquitto", lambda: listens(broker))
            with open(f"{folder}/second.toml", "w") as file:
                file.write(f'[sync]\nurl = "mqtt://127.0.0.1:{broker}/fleet/{{device}}/records"\nformat = "compact"\n')
            stream.begin()
            stream.agent("godwit", f'also = ["{folder}/second.toml"]\n')
            time.sleep(seconds)
            now = figures(stream.running["godwit"].pid)
        finally:
            stream.end()
    yield Row("private memory (written to), driving, HTTP and MQTT", now["private_kb"] * 1024 / 1e6, "MB", limit=3)
    yield Row("memory (PSS), driving, HTTP and MQTT", now["pss_kb"] * 1024 / 1e6, "MB", limit=10)


def month():
    """The core alone: the queue is on storage, and its pages are SQLite's."""
    days = [line.split() for line in output(product("core-cost"), "30").splitlines()[2:]]
    first, last = int(days[0][3]), int(days[-1][3])
    # The process holds the day's reports too, so that a share would hide what grows.
    yield Row("private memory of the core after 30 days, more than after one", last - first, "kB", limit=100)


def idle():
    """Context switches a minute, by the guest's kernel."""
    said = rig("idle")
    found = re.findall(r"^(.*?) +([0-9.]+) wake-ups a minute", said, re.M)
    demand_all(found, r"^situations (\d+)", said)
    for name, wakes in found:
        # Who tries again is not idle.
        yield Row(f"wake-ups a minute, {name}", float(wakes), "", limit=None if "server away" in name else 2)
