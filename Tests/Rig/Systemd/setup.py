"""godwit-setup on a system that runs: what the programs make of what it writes."""
import glob, json, os, pwd, re, socket, subprocess, threading, time

from Guest.inside import Chip, demand, read, wait_for, write
from Systemd import image
from Systemd.receiver import Receiver, epoch
from Systemd.service import SETTINGS, journal, shell, show, status

RULES = "/etc/udev/rules.d/61-godwit-gps.rules"
NAME = "/dev/rig-gps"


def setup(*options):
    done = shell("godwit-setup", *options)
    demand(done.returncode == 0, f"godwit-setup {' '.join(options)}: {done.returncode} {done.stdout} {done.stderr}")
    return done.stdout


def unmask(*units):
    shell("systemctl", "unmask", *units)


def gpsd_devices(asking="?DEVICES;"):
    """What gpsd says that it has."""
    with socket.create_connection(("127.0.0.1", 2947), timeout=10) as gpsd:
        gpsd.sendall(asking.encode() + b"\n")
        for line in gpsd.makefile():
            message = json.loads(line)
            if message["class"] == "DEVICES":
                return [device["path"] for device in message["devices"]]


def without_device():
    """A gpsd without a device: the log, the status and check say so and what to do; the GPS is not switched about"""
    write(SETTINGS, image.SETTINGS)
    write("/etc/default/gpsd", 'DEVICES=""\nGPSD_OPTIONS=""\nUSBAUTO="true"\n')
    os.makedirs("/run/systemd/system/gpsd.service.d", exist_ok=True)
    write("/run/systemd/system/gpsd.service.d/rig.conf", "[Service]\nDeviceAllow=char-pts rw\nDeviceAllow=char-ttyS rw\n")
    unmask("gpsd.socket")
    shell("systemctl", "daemon-reload")
    demand(shell("systemctl", "start", "gpsd.socket").returncode == 0, "gpsd.socket does not start")
    shell("systemctl", "restart", "gpsd", "godwit")
    wait_for("the warning", lambda: "gpsd_device" in status().get("warnings", {}), 120, every_s=0.5)
    demand(status()["gps"]["gpsd_devices"] == [], f"{status()['gps']}")
    words = "gpsd has no device: give it one with sudo godwit-setup --gps-device DEVICE"
    demand(words in journal(), journal()[-1500:])
    done = shell("godwit", "check")
    demand(done.returncode == 0 and words in done.stdout, f"{done.stdout} {done.stderr}")
    return "named in journal, status and check"


def configured():
    """godwit-setup gives gpsd its receiver: the agent has fixes, the watchdog is on, chrony is left alone"""
    receiver = Receiver()
    os.symlink(receiver.path, NAME)
    said = setup("--gps-device", NAME)
    for order in ("try-restart gpsd.service", "daemon-reload"):
        demand(f"systemctl {order}\n" in said, said)
    demand("godwit.service" not in said and "chrony" not in said, f"what has nothing to do with it: {said}")
    wait_for("a fix of the receiver", lambda: status()["gps"].get("fixes", 0) > 0, 180, every_s=0.5)
    wait_for("the warning's end", lambda: "until" in status()["warnings"]["gpsd_device"], 60)
    owner = pwd.getpwuid(os.stat(f"/proc/{show('MainPID', 'gpsd')}").st_uid).pw_name
    demand(owner == "gpsd", f"gpsd runs as {owner}")

    watchdog = shell("systemctl", "show", "-p", "RuntimeWatchdogUSec").stdout.strip()
    demand(watchdog.endswith("=14s"), f"watchdog: {watchdog}")
    demand("SystemMaxUse=64M" in shell("systemd-analyze", "cat-config", "systemd/journald.conf").stdout, "journald")
    before = {unit: show("MainPID", unit) for unit in ("gpsd", "godwit")}
    demand("nothing to change" in setup("--gps-device", NAME), "the second time it changes something")
    demand({unit: show("MainPID", unit) for unit in before} == before, "something was restarted for nothing")
    receiver.ends.set()
    return f"{status()['gps']['fixes']} fixes, gpsd runs as {owner}"


class Stream:
    """A receiver on the network: of one on a pseudo-terminal gpsd tells chrony nothing."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.device = f"tcp://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.play, args=[client], daemon=True).start()

    def play(self, client):
        try:
            while True:
                client.sendall(epoch(time.gmtime()).encode())
                time.sleep(1 - time.time() % 1)
        except OSError:
            pass


def gps_clock():
    """With --gps-clock chrony follows the receiver through gpsd's memory, whichever of both has started last"""
    unmask("chrony.service")
    shell("sed", "-i", "/^pool/d", "/etc/chrony/chrony.conf")
    demand(shell("systemctl", "start", "chrony").returncode == 0, journal("chrony")[-800:])
    said = setup("--gps-device", NAME, "--gps-clock")
    demand("systemctl try-restart chrony.service\n" in said, said)
    stream = Stream()
    with open("/etc/default/gpsd", "a", encoding="utf-8") as file:
        file.write(f'DEVICES="{stream.device}"\n')

    def chosen():
        lines = shell("chronyc", "-c", "sources").stdout.splitlines()
        return [line for line in lines if line.startswith("#,*,GPS,")]

    took = []
    try:
        for unit in ("gpsd", "chrony", "gpsd"):
            began = time.monotonic()
            demand(shell("systemctl", "restart", unit).returncode == 0, journal(unit)[-800:])
            wait_for(f"chrony to follow the GPS after {unit}'s start", chosen, 180, every_s=1)
            took.append(f"{time.monotonic() - began:.0f}")
    finally:
        shell("sed", "-i", '/^DEVICES="tcp/d', "/etc/default/gpsd")
    setup("--gps-device", NAME)
    demand(not os.path.exists("/etc/chrony/conf.d/godwit.conf"), "chrony still waits for the receiver")
    return f"after {', '.join(took)} s"


def plugged():
    """A receiver on USB is given to gpsd when it comes, also to one that had given it up"""
    setup("--hat", "usb")
    # This kernel has no USB: a terminal of it stands for the receiver.
    name = [line for line in read(RULES).splitlines() if "1546" in line][0]
    numbers = r'ENV\{ID_VENDOR_ID\}.*?ENV\{ID_MODEL_ID\}=="[^"]*"'
    given = re.search(r'ACTION!="remove", SUBSYSTEM=="tty".*\\\n.*', read("/usr/lib/udev/rules.d/60-godwit.rules"))[0]
    rules = [re.sub(numbers, 'KERNEL=="ttyS3"', name), given.replace("ttyUSB[0-9]*|ttyACM[0-9]*", "ttyS3")]
    os.makedirs("/run/udev/rules.d", exist_ok=True)
    write("/run/udev/rules.d/62-rig.rules", "\n".join(rules) + "\n")
    shell("udevadm", "control", "--reload")
    shell("systemctl", "restart", "gpsd")
    watch = '?WATCH={"enable":true,"json":true};'
    wait_for("gpsd to have given the device up", lambda: gpsd_devices(watch) == [], 60, every_s=0.5)
    shell("udevadm", "trigger", "--settle", "/sys/class/tty/ttyS3")
    demand(os.path.exists("/dev/godwit_gps"), f"no link: {read('/run/udev/rules.d/62-rig.rules')}")
    wait_for("gpsd to be given the device", lambda: gpsd_devices() == ["/dev/godwit_gps"], 60, every_s=0.5)
    demand(show("ActiveState", "godwit-gps@ttyS3") == "active", "the unit is not active")
    # Away, and back after gpsd has dropped it, with a gpsd that was set up by hand.
    shell("systemctl", "stop", "godwit-gps@ttyS3")
    setup("--gps-device", "/dev/ttyS3")
    os.rename("/dev/ttyS3", "/dev/away")
    shell("systemctl", "restart", "gpsd")
    wait_for("gpsd to have given the device up", lambda: gpsd_devices(watch) == [], 60, every_s=0.5)
    os.rename("/dev/away", "/dev/ttyS3")
    shell("systemctl", "restart", "godwit-gps@ttyS3")
    wait_for("gpsd to be given the device again", lambda: gpsd_devices() == ["/dev/ttyS3"], 60, every_s=0.5)
    os.remove("/run/udev/rules.d/62-rig.rules")


def pins():
    """A receiver on the pins: no log-in there, now and at the next start, which is asked for as Debian's programs do"""
    os.makedirs("/boot/firmware", exist_ok=True)
    write("/boot/firmware/config.txt", "arm_64bit=1\n")
    write("/boot/firmware/cmdline.txt", "console=serial0,115200 root=/dev/ubda\n")
    said = setup("--hat", "uart")
    demand("counts from the board's next start on" in said, said)
    demand(os.path.exists("/run/reboot-required"), "nobody is told of the restart")
    state = shell("systemctl", "is-enabled", "serial-getty@ttyAMA0.service").stdout.strip()
    demand(state == "masked", f"serial-getty@ttyAMA0 is {state}")
    demand("enable_uart=1" in read("/boot/firmware/config.txt"), "config.txt")
    demand(read("/boot/firmware/cmdline.txt") == "root=/dev/ubda", "cmdline.txt")


def header():
    """chip = "header" is the chip of the board's pins, whichever board it is"""
    file = "/run/rig/header.toml"
    write(file, '[gps.power]\nmode = "level"\nchip = "header"\nline = "17"\n')
    done = shell("godwit", "check", file)
    demand(done.returncode == 78 and 'no GPIO chip "header"' in done.stderr, f"{done.stdout} {done.stderr}")
    for label in ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835"):
        chip = Chip(label, label, {17: "GPIO17"})
        wait_for("udev", lambda: shell("stat", "-c", "%G", f"/dev/{chip.name}").stdout.strip() == "gpio")
        done = shell("godwit", "check", file)
        chip.remove()
        demand(done.returncode == 0, f"{label}: {done.stdout} {done.stderr}")
    return "3 boards"


def connection():
    """NetworkManager takes the modem's connection, with its password for root alone"""
    unmask("NetworkManager.service")
    demand(shell("systemctl", "start", "NetworkManager").returncode == 0, journal("NetworkManager")[-800:])
    write("/run/rig/password", " s3c\\ret;x\n")
    said = setup("--apn", "web.provider.example", "--apn-user", "fleet", "--apn-password-file", "/run/rig/password")
    demand("s3c" not in said and "nmcli connection reload\n" in said, said)
    got = shell("nmcli", "-s", "-g", "gsm.apn,gsm.username,gsm.password", "connection", "show", "godwit-modem").stdout
    wanted = ["web.provider.example", "fleet", " s3c\\\\ret;x"]
    demand(got.splitlines() == wanted or got.splitlines() == [*wanted[:2], " s3c\\ret;x"], repr(got))
    [path] = glob.glob("/etc/NetworkManager/system-connections/*")
    demand(shell("stat", "-c", "%U %a", path).stdout.split() == ["root", "600"], "others may read it")
    shell("systemctl", "stop", "NetworkManager")


def modem_receiver():
    """The receiver inside of a modem is started and stopped through ModemManager, by the agent as its user"""
    former = read(SETTINGS)
    write(SETTINGS, re.sub(r"(?s)\[gps\.power\].*?\n\n", "", former))
    imitation = subprocess.Popen(
        ["/opt/rig/modem-manager"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/run/dbus/system_bus_socket"})

    def asked():
        imitation.stdin.write("{}\n")
        imitation.stdin.flush()
        return imitation.stdout.readline()

    demand(imitation.stdout.readline().strip() == "ready", "the imitation of ModemManager does not run")
    imitation.stdin.write('{"offered": 17}\n')
    imitation.stdin.flush()
    imitation.stdout.readline()
    setup("--hat", "waveshare-sim7600")
    wait_for("the receiver to be started", lambda: "17:" in asked(), 60, every_s=0.5)
    shell("godwit", "pause")
    wait_for("the receiver to be stopped", lambda: re.search(r"17:.*\b1:", asked()), 60, every_s=0.5)
    demand("gps_power_line" not in status()["warnings"], f"{status()['warnings'].get('gps_power_line')} {journal()[-800:]}")
    shell("godwit", "resume")
    imitation.terminate()
    imitation.wait()
    write(SETTINGS, former + "\n")
    shell("systemctl", "restart", "godwit")


ALL = [without_device, configured, gps_clock, plugged, pins, header, connection, modem_receiver]
