"""A card that boots in the guest, under its own systemd, and loses its power in between."""
import os, re, shutil, signal, subprocess, threading, time

from Guest.guest import kernel, patience
from Guest.inside import Failed, demand
from Image.workshop import Mounted, partitions, put_firmware

here = os.path.dirname(os.path.abspath(__file__))
UNIT = """[Unit]
After=multi-user.target godwit.service

[Service]
Type=oneshot
ExecStart=/opt/rig/facts
"""
# Each command of the first boot becomes a line on the console, before it begins.
TRACE = """[Service]
ExecStart=
ExecStart=/bin/sh -x /usr/sbin/godwit-card start
StandardError=tty
TTYPath=/dev/console
"""
KEYS = ["key-rsa", "key-ecdsa", "key-ed25519"]
# Instants at which the power is cut: while the command runs whose line begins so.
CUTS = [
    "sfdisk", "partx", "e2fsck", "mount -t ext4", "resize2fs", "mount --bind /data/var/lib/godwit ",
    "mount -o remount,rw /", "systemd-machine-id-setup", "ssh-keygen -A", "tar --no-recursion", "sync",
    "mount -o remount,ro /"]


def prepare(card, folder, debs=()):
    """What the rig itself needs on a card: the unit that tells, and packages to install later."""
    with Mounted(card, 2, folder) as root:
        os.makedirs(f"{root}/opt/rig")
        shutil.copy(f"{here}/facts", f"{root}/opt/rig/facts")
        for name, deb in debs:
            shutil.copy(deb, f"{root}/opt/rig/{name}.deb")
        system = f"{root}/etc/systemd/system"
        with open(f"{system}/rig.service", "w") as file:
            file.write(UNIT)
        os.symlink("../rig.service", f"{system}/multi-user.target.wants/rig.service")


def trace(card, folder, on):
    """Whether the first boot's commands are lines on the console."""
    with Mounted(card, 2, folder) as root:
        place = f"{root}/etc/systemd/system/godwit-card.service.d"
        if on:
            os.makedirs(place)
            with open(f"{place}/trace.conf", "w") as file:
                file.write(TRACE)
        else:
            shutil.rmtree(place)


def flash(card, path, size):
    """A card of that size with the image on it."""
    subprocess.run(["cp", "--sparse=always", card, path], check=True)
    os.truncate(path, size)
    return path


class Boot:
    """One boot of a card, with what it printed."""

    def __init__(self, card, orders=None, cut_at=None, timeout_s=1800, words=()):
        if orders:
            with open(f"{card}.orders", "w") as file:
                file.write("#!/bin/sh\n" + orders)
            put_firmware(card, f"{card}.orders", "orders")
        self.lines, self.facts, self.said, self.was_cut = [], {}, [], False
        self.run(card, cut_at, timeout_s, words)

    def run(self, card, cut_at, timeout_s, words):
        memory = os.environ.get("TMPDIR") or "/dev/shm"
        guest = subprocess.Popen(
            [kernel(), "mem=384M", f"ubd0={card}", "root=/dev/ubda2", "ro", "con=null", "con0=fd:0,fd:1", "quiet",
             "loglevel=1", "systemd.show_status=false", patience(), *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            env={**os.environ, "TMPDIR": memory}, start_new_session=True)
        # A guest is several processes of one group.
        late = threading.Timer(timeout_s, os.killpg, (guest.pid, signal.SIGKILL))
        late.start()
        for line in guest.stdout:
            line = re.sub(r"\x1b\[[0-9;]*m", "", line).strip()
            self.lines.append(line)
            self.take(line)
            if cut_at and line.lstrip("+ ").startswith(cut_at):
                self.was_cut = True
                os.killpg(guest.pid, signal.SIGKILL)
                break
        guest.wait()
        late.cancel()

    def take(self, line):
        if line.startswith("fact "):
            name, _, value = line[5:].partition(" ")
            self.facts[name] = value.strip()
        elif line.startswith("said "):
            self.said.append(line[5:])

    def ended(self):
        demand("guest: exit 0" in self.lines, f"the card did not boot: {' | '.join(self.lines[-12:])}")
        return self

    def identity(self):
        return [self.facts.get(name) for name in ["machine-id", "device", *KEYS]]

    def sound(self, data_mb):
        """What must hold after each boot."""
        self.ended()
        facts = self.facts
        demand(re.fullmatch("[0-9a-f]{32}", facts["machine-id"]), f"machine id: {facts['machine-id']}")
        demand(facts["machine-id-mounted"] == "no", "the machine id is not on storage")
        demand(all(facts[key].startswith("SHA256:") for key in KEYS), f"host keys: {[facts[key] for key in KEYS]}")
        demand(facts["root"].startswith("ro,"), f"root is mounted {facts['root']}")
        demand(facts["boot"].startswith("ro,"), f"the firmware's partition is mounted {facts['boot']}")
        demand(facts["root-written"] == "no", "root could be written")
        demand(facts["data"].startswith("ext4"), f"data is mounted {facts['data']}: {self.said}")
        for option in ("lazytime", "commit=60", "noatime", "nosuid", "nodev"):
            demand(option in facts["data"], f"data is mounted without {option}")
        demand(int(facts["data-kb"]) > data_mb * 1024 * 0.9, f"data has {facts['data-kb']} kB of {data_mb} MB")
        for path in ("/etc/godwit", "/var/lib/godwit"):
            demand(facts[f"source-{path}"].endswith(f"3[{path}]"), f"{path} is {facts[f'source-{path}']}")
        demand(facts["agent"] == "active" and facts["queue"], f"the agent is {facts['agent']}: {facts}")
        demand(facts["device"] == facts["machine-id"], f"the agent is {facts['device']}")
        demand(facts["failed"] == "", f"failed: {facts['failed']}")
        return self


class Boots:
    """The cases. card: made with deploy/image and prepared; data_mb: what a card of `size` bytes has for data."""

    def __init__(self, card, folder, size):
        self.card, self.folder, self.size = card, folder, size
        self.data_mb = (size - partitions(card)[2][0]) >> 20

    def all(self):
        return [self.first_boots, self.updates, self.power_cuts, self.lost_data]

    def new(self, name):
        return flash(self.card, f"{self.folder}/{name}", self.size)

    def first_boots(self):
        """Grows, is somebody, is the same again, and two cards of one image are two"""
        began = time.monotonic()
        self.box = self.new("box")
        first = Boot(self.box).sound(self.data_mb)
        took_s = time.monotonic() - began
        demand(any("up to the card's end" in line for line in first.said), f"it says nothing of growing: {first.said}")
        again = Boot(self.box).sound(self.data_mb)
        demand(again.identity() == first.identity(), f"{again.identity()} after {first.identity()}")
        demand(not any("godwit-card:" in line for line in again.said), f"the second boot says: {again.said}")
        other = Boot(self.new("other")).sound(self.data_mb)
        same = set(other.identity()) & set(first.identity())
        demand(not same, f"two cards share {same}")
        self.first = first
        return f"{took_s:.0f} s for the first boot; {first.facts['data-kb']} kB of data"

    ORDERS = """
    is() { findmnt -no OPTIONS / | cut -c 1-2; }
    # Once the program has ended that has it writable.
    root() { for try in $(seq 1200); do [ "$(is)" = rw ] || break; sleep 0.5; done; echo "fact root-$1 $(is)"; }
    dpkg -i /opt/rig/newer.deb >/dev/null; echo "fact dpkg $?"
    root after-dpkg
    echo "fact version $(dpkg-query -W -f '${Version}' rig)"
    dpkg -i /opt/rig/broken.deb >/dev/null 2>&1; echo "fact dpkg-broken $?"
    root after-broken
    dpkg --force-all --purge rig >/dev/null 2>&1
    apt-get -o Debug::NoLocking=0 install -y /opt/rig/newer.deb >/dev/null 2>&1; echo "fact apt $?"
    root after-apt
    godwit-card with cp /bin/sleep /usr/bin/rig-holder
    /usr/bin/rig-holder 1000 & holder=$!
    godwit-card with rm /usr/bin/rig-holder 2>&1 | sed 's/^/said /'
    echo "fact root-while-held $(is)"
    for try in $(seq 1200); do
      journalctl -b -u godwit-card-read-only -o cat --no-pager | grep rig-holder && break; sleep 0.5
    done | sed 's/^/said /'
    kill $holder; wait $holder
    systemctl restart godwit-card-read-only.service
    root released
    sed -i '1s/.*/# edited by the owner/' /etc/godwit/godwit.toml; echo "fact edited $?"
    godwit-card with true
    root at-end
    """

    def updates(self):
        """dpkg and apt write a read-only root, which is read-only again; what still runs delays that and is named"""
        boot = Boot(self.box, orders=self.ORDERS, timeout_s=3600).ended()
        facts = boot.facts
        wanted = {
            "dpkg": "0", "root-after-dpkg": "ro", "version": "2", "root-after-broken": "ro", "apt": "0",
            "root-after-apt": "ro", "root-while-held": "rw", "root-released": "ro", "edited": "0", "root-at-end": "ro"}
        wrong = {name: facts.get(name) for name, value in wanted.items() if facts.get(name) != value}
        demand(not wrong, f"{wrong} {boot.said}")
        demand(facts["dpkg-broken"] != "0", "the broken package was installed")
        demand(any("rig-holder" in line for line in boot.said), f"who holds root is not named: {boot.said}")
        again = Boot(self.box, orders="true").sound(self.data_mb)
        demand(again.identity() == self.first.identity(), "it is another box after the update")
        demand(again.facts["settings"] == "# edited by the owner", f"settings: {again.facts['settings']}")

    def power_cuts(self):
        """The power is cut in the first boot: the next one is whole, and the same from then on"""
        traced = self.new("traced")
        trace(traced, self.folder, on=True)
        done = []
        for cut_at in CUTS[:: self.every]:
            card = f"{self.folder}/cut"
            subprocess.run(["cp", "--sparse=always", traced, card], check=True)
            demand(Boot(card, cut_at=cut_at).was_cut, f"there was no {cut_at} to cut at")
            try:
                Boot(card).sound(self.data_mb)
            except Failed as failure:
                raise Failed(f"cut at {cut_at}: {failure}") from failure
            done.append(cut_at)
        # With the agent running: who it is, others know by now.
        card = self.new("cut")
        before = Boot(card, cut_at="guest: exit 0")
        after = Boot(card).sound(self.data_mb)
        demand(after.identity() == before.identity(), f"{after.identity()} after {before.identity()}")
        return f"{len(done) + 1} cuts"

    every = 1

    def lost_data(self):
        """The data partition is gone: the box starts from memory with its identity and settings, and says so"""
        start, _ = partitions(self.box)[2]
        subprocess.run(
            ["dd", "if=/dev/urandom", f"of={self.box}", "bs=1M", f"seek={start >> 20}", "count=400", "conv=notrunc",
             "status=none"], check=True)
        boot = Boot(self.box, orders="true").ended()
        facts = boot.facts
        demand(facts["data"].startswith("tmpfs"), f"data is {facts['data']}")
        demand(facts["machine-id"] == self.first.facts["machine-id"], "it is another box")
        demand(facts["device"] == self.first.facts["device"] != "", f"its name is {facts['device']}")
        demand(facts["agent"] == "active" and facts["settings"] == "# edited by the owner", f"{facts}")
        demand(facts["root"].startswith("ro,"), f"root is {facts['root']}")
        demand(any("cannot be mounted: settings are those" in line for line in boot.said), f"it says {boot.said}")
