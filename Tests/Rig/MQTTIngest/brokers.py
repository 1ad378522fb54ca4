"""The brokers: mosquitto alone, and three nodes of nats-server."""
import os

from . import mqtt
from .machine import Program, accepts, free_ports, program


def mosquitto(folder, lines=""):
    """As docs/transport.md has it: it keeps what it holds over a restart."""
    (port,) = free_ports(1)
    os.makedirs(folder + "/mosquitto")
    user = "user root\n" if os.geteuid() == 0 else ""
    with open(folder + "/mosquitto.conf", "w") as file:
        file.write(
            f"{user}persistence true\npersistence_location {folder}/mosquitto/\nautosave_interval 1\n"
            f"autosave_on_changes true\nmax_queued_messages 0\nmax_queued_bytes 2000000000\nallow_anonymous true\n"
            f"{lines}listener {port} 127.0.0.1\n")
    broker = Program("mosquitto", [program("mosquitto"), "-c", folder + "/mosquitto.conf"], folder, lambda: accepts(port))
    broker.port = port
    return broker


def welcomes(port):
    """JetStream answers there. /healthz is no help: after a kill -9 it names a consumer of the dead node for good."""
    try:
        mqtt.Connection(port, "probe").close()
        return True
    except OSError:
        return False


def nats(folder, count=3):
    """As collector/README.md has it: JetStream with a copy of everything on each node."""
    ports = free_ports(3 * count)
    routes = ", ".join(f"nats://127.0.0.1:{ports[3 * number + 2]}" for number in range(count))
    nodes = []
    for number in range(count):
        client, listen, route = ports[3 * number:3 * number + 3]
        name = f"nats{number + 1}"
        with open(f"{folder}/{name}.conf", "w") as file:
            file.write(
                f"server_name: {name}\nlisten: 127.0.0.1:{client}\n"
                f"jetstream {{ store_dir: \"{folder}/{name}\" }}\n"
                f"mqtt {{ listen: 127.0.0.1:{listen}, ack_wait: \"10s\", stream_replicas: {count} }}\n"
                f"cluster {{ name: fleet, listen: 127.0.0.1:{route}, routes: [{routes}] }}\n")
        node = Program(
            name, [program("nats-server"), "-c", f"{folder}/{name}.conf"], folder,
            lambda listen=listen: welcomes(listen))
        node.port = listen
        nodes.append(node)
    return nodes
