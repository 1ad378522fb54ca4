"""The server, the way to it, and name servers."""
import socket, struct, threading

from . import fault, until
from .. import replies


def hostile(reply):
    def happens(vehicle, chance):
        before = vehicle.server.misbehaved
        vehicle.server.behave = reply
        yield from until(lambda: vehicle.server.misbehaved - before >= 3, 12)
        # Where other faults keep the agent from sending: at least one.
        yield from until(lambda: vehicle.server.misbehaved > before, 30)
        vehicle.server.behave = None
        if vehicle.server.misbehaved == before:
            vehicle.unmet.add(happens.label)
    happens.__name__ = "reply_" + reply.__name__
    happens.__doc__ = "The server's replies: " + reply.__doc__
    return fault("server", "40-50 66 75", told=[reply.told], weight=1)(happens)


for one in replies.ALL:
    hostile(one)


@fault("server", "42")
def server_gone(vehicle, chance):
    """Nobody listens where the server was"""
    vehicle.server.close()
    yield chance.uniform(3, 6)
    vehicle.server.start()


class Names(threading.Thread):
    """A name server that is silent until it is healed, and then says 127.0.0.1 to everything."""

    def __init__(self):
        super().__init__(daemon=True)
        self.heals = False
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for last in range(60, 250):
            try:
                self.address = f"127.0.53.{last}"
                self.socket.bind((self.address, 53))
                break
            except OSError:
                continue
        self.start()

    def run(self):
        while True:
            question, sender = self.socket.recvfrom(4096)
            if self.heals:
                self.socket.sendto(self.reply(question), sender)

    @staticmethod
    def reply(question):
        # RFC 1035: the question again, and one A record for it; nothing for other types.
        end = question.index(b"\0", 12) + 5
        kind = struct.unpack(">H", question[end - 4:end - 2])[0]
        count = 1 if kind == 1 else 0
        record = b"\xc0\x0c\0\1\0\1\0\0\0\x05\0\4" + socket.inet_aton("127.0.0.1")
        return (
            question[:2] + b"\x81\x80\0\1" + struct.pack(">H", count) + b"\0\0\0\0" + question[12:end]
            + record * count)


@fault("server names", "40 59", told=["sync_failed"], begins=True, root=True, weight=6)
def names_silent(vehicle, chance):
    """One to three name servers that never answer, with search domains; then they do"""
    servers = [Names() for _ in range(chance.randrange(1, 4))]
    resolver = vehicle.folder + "/resolv.conf"
    with open(resolver, "w") as file:
        file.write("".join(f"nameserver {one.address}\n" for one in servers))
        file.write(chance.choice(["", "search example.org fleet.example.org\n"]))
    vehicle.supervisor.prefix += [
        "unshare", "--mount", "--propagation", "private", "sh", "-c",
        f'mount --bind {resolver} /etc/resolv.conf && exec "$@"', "sh"]
    vehicle.settings["sync"]["url"] = f"http://fleet.example.org:{vehicle.server.port}/v1/records"
    yield from until(lambda: "sync_failed" in vehicle.poller.warnings, 15)
    yield chance.uniform(4, 10)
    for one in servers:
        one.heals = True
