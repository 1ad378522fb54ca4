"""What godwit-setup does, one thing after the other."""
import configparser, itertools, os, stat, subprocess, tempfile

from Guest.guest import repo
from Guest.inside import demand
from Setup.card import CHRONY, CMDLINE, CONFIG, FILES, GPSD, MODEM, SETTINGS, Card, hats

UART_LINES = ["enable_uart=1", "dtoverlay=disable-bt", "dtparam=uart0=on"]
MASKED = ["serial-getty@ttyAMA0.service", "serial-getty@ttyS0.service", "hciuart.service"]


def listed():
    """--list names each file of config/profiles/hats, with its title"""
    with Card() as card:
        said = card.must("--list")
        for name in hats():
            demand(any(line.startswith(name + " ") and len(line.split()) > 3 for line in said.splitlines()), said)
    return f"{len(hats())} receivers"


def serial_port():
    """A receiver on the pins: gpsd's device, the pins' UART, no console, journal, watchdog; nothing of chrony's"""
    with Card() as card:
        said = card.must("--hat", "uart")
        gpsd = {"DEVICES": "/dev/ttyAMA0", "GPSD_OPTIONS": "", "USBAUTO": "false"}
        demand(card.in_force() == gpsd, card.read(GPSD))
        config = card.read(CONFIG)
        demand(config.startswith(FILES[CONFIG] + "\n"), config)
        for line in [*UART_LINES, "dtparam=watchdog=on"]:
            demand(f"\n{line}\n" in config, f"no {line}: {config}")
        # What somebody appends later belongs to no model.
        demand(config.count("[all]") == 3 and config.index("dtparam=watchdog") > config.index("[all]"), config)
        demand(card.read(CMDLINE) == "console=tty1 root=PARTUUID=1-02 rootwait\n", card.read(CMDLINE))
        demand(card.read(CMDLINE + ".before-godwit-setup") == FILES[CMDLINE], "no copy of cmdline.txt")
        demand(card.read("/boot/config.txt") == FILES["/boot/config.txt"], "the wrong config.txt was changed")
        for unit in MASKED:
            demand(os.readlink(f"{card.root}/etc/systemd/system/{unit}") == "/dev/null", f"{unit} is not masked")
        demand(not card.exists(CHRONY), "chrony waits for what gpsd does not tell it")
        demand("SystemMaxUse=" in card.read("/etc/systemd/journald.conf.d/60-godwit.conf"), "the journal has no size")
        demand("RuntimeWatchdogSec=14" in card.read("/etc/systemd/system.conf.d/60-godwit.conf"), "no watchdog")
        demand(card.read(SETTINGS) == FILES[SETTINGS], "settings were changed without a power line")
        for path in (GPSD, CONFIG, CMDLINE):
            demand(f"{path}: " in said, f"{path} is not named: {said}")
        demand(said.count("    back: ") == len([line for line in said.splitlines() if line.startswith("/")]), said)
        demand("next start" in said, said)


def again():
    """A second time nothing is changed, whatever was asked for"""
    choices = [["--hat", name] for name in hats()] + [["--gps-device", "/dev/ttyUSB0", "--power-line", "17"], []]
    for options in choices:
        options = [*options, "--apn", "internet"]
        with Card() as card:
            card.must(*options)
            before = card.everything()
            said = card.must(*options)
            demand("nothing to change" in said and card.everything() == before, f"{options}: {said}")
    return f"{len(choices)} choices"


def another():
    """A receiver in place of another one leaves nothing of it but the console that is off"""
    pairs = list(itertools.permutations([name for name in hats() if name != "uart"], 2))
    for first, second in pairs:
        with Card() as direct, Card() as changed:
            direct.must("--hat", second)
            changed.must("--hat", first)
            changed.must("--hat", second)
            for path in (GPSD, "/etc/udev/rules.d/61-godwit-gps.rules"):
                demand(direct.read(path) == changed.read(path), f"{first}, {second}: {changed.read(path)}")
    with Card() as card:
        card.must("--hat", "uart", "--power-line", "17")
        card.must("--hat", "waveshare-sim7600")
        demand(not any(line in card.read(CONFIG) for line in UART_LINES), card.read(CONFIG))
        demand("dtparam=watchdog=on" in card.read(CONFIG), "the watchdog went too")
        demand(card.read(SETTINGS).count("[gps.power]") == 1 and "modem-gps" in card.read(SETTINGS), card.read(SETTINGS))
        card.must("--gps-device", "/dev/ttyS3")
        demand("[gps.power]" not in card.read(SETTINGS), card.read(SETTINGS))
        # The file must not be the beginning of what it was, or the agent takes it for cut.
        demand(card.read(SETTINGS).endswith("# <<< godwit-setup receiver\n"), card.read(SETTINGS))
        demand(not card.exists("/etc/udev/rules.d/61-godwit-gps.rules"), "the rule is still there")
    return f"{len(pairs) + 2} changes"


def stays():
    """What is not named stays: a modem's connection with another receiver, a receiver with another APN"""
    with Card() as card:
        card.must("--hat", "uart", "--apn", "internet")
        card.must("--gps-device", "/dev/ttyACM0")
        demand("apn=internet\n" in card.read(MODEM), card.read(MODEM))
        card.must("--apn", "iot.example")
        demand(card.in_force()["DEVICES"] == "/dev/ttyACM0", card.read(GPSD))
        demand("apn=iot.example\n" in card.read(MODEM), card.read(MODEM))
        card.must("--board")
        demand(card.in_force()["DEVICES"] == "/dev/ttyACM0", card.read(GPSD))


def dry():
    """--dry-run changes nothing, and shows what it would"""
    with Card() as card:
        before = card.everything()
        said = card.must("--hat", "uart", "--apn", "internet", "--dry-run")
        demand(card.everything() == before, "something was changed")
        demand('+DEVICES="/dev/ttyAMA0"' in said and f"would change {CONFIG}" in said, said)


def power_line():
    """The line that switches the receiver, on whichever Raspberry Pi; godwit check has no complaint"""
    with Card() as card:
        card.must("--hat", "uart", "--power-line", "17", "--power-active-low")
        block = '[gps.power]\nmode = "level"\nchip = "header"\nline = "GPIO17"\nactive_low = true\n'
        demand(block in card.read(SETTINGS), card.read(SETTINGS))
        card.check_settings()
    for written in ("GPIO4", "gpio4", "4", "04"):
        with Card() as card:
            card.must("--hat", "uart", "--power-line", written)
            demand('line = "GPIO4"\n' in card.read(SETTINGS), f"{written}: {card.read(SETTINGS)}")
    for name in hats():
        with Card() as card:
            card.must("--hat", name)
            card.check_settings()


def own_settings():
    """The owner's [gps.power] stays, and a file that nothing fits behind is left as it is; each is said"""
    for text, words in (
            ('[gps.power]\nmode = "none"\n', "it has gps.power already, which stays"),
            ('gps = { fix_timeout_s = 90 }\n', "it sets gps in a way that nothing can be added to"),
            ('device_id = van-1\n', "it has a mistake")):
        with Card() as card:
            card.write(SETTINGS, text)
            said = card.must("--hat", "uart", "--power-line", "17")
            demand(card.read(SETTINGS) == text, card.read(SETTINGS))
            demand(f"{SETTINGS}: {words}" in said and 'line = "GPIO17"' in said, said)
    with Card() as card:
        card.remove(SETTINGS)
        card.must("--hat", "uart", "--power-line", "17")
        card.check_settings()


def own_gpsd():
    """Options of the owner's stay but -n; a device that no longer counts is named"""
    for options, kept in (("-n", ""), ("-n -b", "-b"), ("-bn -s 9600", "-b -s 9600"), ("--nowait -G", "-G")):
        with Card() as card:
            card.write(GPSD, f'DEVICES="/dev/ttyS9"\nGPSD_OPTIONS="{options}"\n')
            said = card.must("--hat", "uart")
            demand(card.in_force()["GPSD_OPTIONS"] == kept, f"{options}: {card.read(GPSD)}")
            demand("-n no longer counts" in said, said)
            demand('DEVICES="/dev/ttyS9" above the marked lines no longer counts' in said, said)
            demand(card.read(GPSD).startswith('DEVICES="/dev/ttyS9"\n'), "the owner's line was changed")


def gps_clock():
    """For chrony gpsd opens its device at once, beside the owner's options"""
    with Card() as card:
        card.write(GPSD, 'GPSD_OPTIONS="-n -b"\n')
        said = card.must("--hat", "uart", "--gps-clock")
        demand(card.in_force()["GPSD_OPTIONS"] == "-b -n" and "no longer counts" not in said, f"{said} {card.read(GPSD)}")
        demand("refclock SHM 0" in card.read(CHRONY), "chrony is not fed")
        card.must("--hat", "uart")
        demand(card.in_force()["GPSD_OPTIONS"] == "-b" and not card.exists(CHRONY), card.read(GPSD))


def edited():
    """What the owner has changed is left alone and named, all else is done; --force overwrites it"""
    with Card() as card:
        card.must("--hat", "uart", "--gps-clock", "--apn", "internet")
        card.change(GPSD, 'GPSD_OPTIONS="-n"\nUSBAUTO="false"', 'GPSD_OPTIONS="-b"\nUSBAUTO="false"')
        card.change(CHRONY, "delay 0.5", "delay 0.2")
        # As NetworkManager leaves it.
        card.write(MODEM, "[connection]\nid=godwit-modem\ntype=gsm\n\n[gsm]\napn=other\n")
        before = {path: card.read(path) for path in (GPSD, CHRONY, MODEM)}
        status, said, complaint = card.run("--gps-device", "/dev/ttyUSB7", "--gps-clock", "--apn", "internet")
        demand(status == 73, f"{status} {said} {complaint}")
        for path, text in before.items():
            demand(card.read(path) == text, f"{path} was overwritten")
            demand(f"{path}: left alone: " in complaint and "--force" in complaint, complaint)
        demand("enable_uart" not in card.read(CONFIG), "what nobody has changed was left alone")
        status, said, complaint = card.run(
            "--gps-device", "/dev/ttyUSB7", "--gps-clock", "--apn", "internet", "--force")
        demand(status == 0 and card.in_force()["DEVICES"] == "/dev/ttyUSB7", f"{status} {complaint}")
        demand("apn=internet" in card.read(MODEM) and "delay 0.5" in card.read(CHRONY), "not overwritten")


def damaged():
    """A block with one of its two marks is left alone, also by --force"""
    with Card() as card:
        card.must("--hat", "uart")
        card.change(CONFIG, "# <<< godwit-setup receiver\n", "")
        text = card.read(CONFIG)
        status, said, complaint = card.run("--hat", "usb", "--force")
        demand(status == 73 and "are damaged; remove them" in complaint, f"{status} {said} {complaint}")
        demand(card.read(CONFIG) == text, card.read(CONFIG))


def links():
    """Links of the system lead inside its folder, not into this machine"""
    with Card() as card, tempfile.TemporaryDirectory() as outside:
        os.makedirs(f"{card.root}/data/etc")
        os.rename(f"{card.root}/etc/godwit", f"{card.root}/data/etc/godwit")
        os.symlink("/data/etc/godwit", f"{card.root}/etc/godwit")
        os.rename(card.root + GPSD, f"{card.root}/data/gpsd")
        os.symlink("../../data/gpsd", card.root + GPSD)
        os.symlink(outside, f"{card.root}/etc/chrony")
        card.must("--hat", "uart", "--power-line", "4", "--gps-clock")
        demand('line = "GPIO4"' in card.read("/data/etc/godwit/godwit.toml"), "the settings are elsewhere")
        demand("ttyAMA0" in card.read("/data/gpsd") and os.path.islink(card.root + GPSD), "the link was replaced")
        demand(not os.listdir(outside) and card.exists(outside + "/conf.d/godwit.conf"), "it has left the folder")


def modem():
    """The connection, which NetworkManager alone may read; its password is nowhere else"""
    with Card() as card, tempfile.NamedTemporaryFile("w", suffix=".password") as file:
        file.write(" s3c\\ret;x\nsecond line\n")
        file.flush()
        options = ["--apn", "web.provider.example", "--apn-user", "fleet", "--apn-password-file", file.name]
        said = card.must(*options, "--dry-run") + card.must(*options)
        demand("s3c" not in said, said)
        demand(stat.S_IMODE(os.stat(card.root + MODEM).st_mode) == 0o600, "others may read it")
        reader = configparser.RawConfigParser()
        reader.read(card.root + MODEM)
        gsm = dict(reader["gsm"])
        demand(gsm == {"apn": "web.provider.example", "username": "fleet", "password": "\\ss3c\\\\ret;x"}, f"{gsm}")
        demand(reader["connection"]["type"] == "gsm" and "interface-name" not in reader["connection"], "another kind")


def wrong():
    """Wrong options are named with what to do, and nothing is changed"""
    for options, status, words in (
            (["--hat", "hat9000"], 64, f'there is no HAT "hat9000"; known are {", ".join(hats())}'),
            (["--apn", "two words"], 64, '--apn "two words" is no access point\'s name'),
            (["--apn", ""], 64, "is no access point's name"), (["--apn=-x.example"], 64, "is no access point's name"),
            (["--apn", "x" * 101], 64, "100 at most"), (["--apn", "a\nb"], 64, "is no access point's name"),
            (["--apn-user", "me"], 64, "need --apn"), (["--apn", "x", "--apn-user", "a\nb"], 64, "cannot be printed"),
            (["--apn", "x", "--apn-password-file", "/nowhere"], 66, "/nowhere: No such file"),
            (["--apn", "x", "--apn-password-file", "/dev/null"], 64, "its first line is no password"),
            (["--gps-device", "ttyACM0"], 64, "it looks like /dev/ttyACM0"),
            (["--gps-device", '/dev/x" -n "'], 64, "is no device"),
            (["--gps-device", "/dev/../etc/x"], 64, "is no device"),
            (["--power-line", "17"], 64, "--power-line needs --hat or --gps-device"),
            (["--gps-clock"], 64, "--gps-clock needs --hat or --gps-device"),
            (["--hat", "uart", "--power-line", "40"], 64,
             "--power-line 40: the 40 pins have GPIO0 to GPIO27: write GPIO17, for instance"),
            (["--hat", "uart", "--power-line", "pin11"], 64, "write GPIO17, for instance"),
            ([], 64, "nothing was changed: name what is to be configured, such as --hat NAME, --gps-device or --board"),
            (["--dry-run"], 64, "usage: godwit-setup"), (["--force"], 64, "nothing was changed: name what"),
            (["--hat", "uart", "--power-active-low"], 64, "needs --power-line"),
            (["--hat", "sixfab", "--power-line", "17"], 64, "the receiver of sixfab is switched by other means"),
            (["--root", "/nowhere", "--board"], 66, "there is no such folder"), (["--bogus"], 64, "--bogus")):
        with Card() as card:
            before = card.everything()
            got, said, complaint = card.run(*options)
            demand(got == status and words in complaint, f"{options}: {got} {said} {complaint}")
            demand(card.everything() == before, f"{options} have changed something")


def no_boot():
    """Without config.txt the pins cannot be had, and nothing is changed; a receiver on USB needs none"""
    with Card() as card:
        card.remove(CONFIG)
        card.remove("/boot/config.txt")
        before = card.everything()
        status, said, complaint = card.run("--hat", "uart")
        demand(status == 66 and "no config.txt in /boot/firmware or /boot" in complaint, f"{status} {complaint}")
        demand("Nothing was changed" in complaint and card.everything() == before, "something was changed")
        card.must("--hat", "usb")
    with Card() as card:
        os.rename(f"{card.root}/boot/firmware", f"{card.root}/old")
        for name in ("config.txt", "cmdline.txt"):
            os.replace(f"{card.root}/old/{name}", f"{card.root}/boot/{name}")
        card.must("--hat", "uart")
        demand("enable_uart=1" in card.read("/boot/config.txt"), "systems before bookworm have it there")


def without_programs():
    """What is not installed is named, with how to get it"""
    with Card() as card:
        for name in ("chronyd", "NetworkManager", "ModemManager"):
            card.remove(f"/usr/sbin/{name}")
        said = card.must("--hat", "sixfab", "--apn", "internet", "--gps-clock")
        for package in ("chrony", "network-manager", "modemmanager"):
            demand(f"apt install {package}" in said, said)
        said = card.must("--apn", "internet")
        demand("gpsd has no receiver" not in said, said)
    with Card() as card:
        demand("gpsd has no receiver yet: --hat NAME or --gps-device DEVICE" in card.must("--board"), "not said")


def permission():
    """Without the right to write, it says so"""
    if os.geteuid() != 0:
        return "not tried: this is not root"
    with Card() as card:
        os.chmod(card.root, 0o755)
        before = card.everything()
        status, said, complaint = card.run("--hat", "usb", before=["setpriv", "--reuid=65534", "--clear-groups"])
        demand(status == 77 and "Permission denied: use sudo" in complaint, f"{status} {said} {complaint}")
        demand(card.everything() == before, "something was changed")


def read_only():
    """A root that is read-only is named, and on a card of deploy/image the program that makes it writable"""
    if os.geteuid() != 0:
        return "not tried: this is not root"
    with Card() as card:
        command = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && exec "${@:2}"'
        before = ["unshare", "--mount", "bash", "-c", command, "bash", card.root]
        files = card.everything()
        status, said, complaint = card.run("--hat", "usb", before=before)
        demand(status == 73 and "Read-only file system: run it again" in complaint, f"{status} {said} {complaint}")
        demand(card.everything() == files, "something was changed")
        card.write("/etc/godwit-card.paths", "")
        status, said, complaint = card.run("--hat", "usb", before=before)
        words = f"Read-only file system: this is a card whose root is read-only: sudo godwit-card with godwit-setup "
        demand(status == 73 and f"{words}--root {card.root} --hat usb" in complaint, f"{status} {said} {complaint}")


def sandbox():
    """gpsd's sandbox is there when it is asked for, and not before"""
    path = "/etc/systemd/system/gpsd.service.d/godwit.conf"
    with Card() as card:
        card.must("--hat", "uart")
        demand(not card.exists(path), "gpsd is in a sandbox that nobody asked for")
        said = card.must("--gpsd-sandbox")
        demand("IPAddressDeny=any" in card.read(path) and f"rm {path}" in said, said)
        card.must("--hat", "usb")
        demand(card.exists(path), "what is not named does not stay")


def without_ipv6():
    """Where IPv6 is switched off gpsd's socket has 127.0.0.1 alone, and both again where it is on"""
    path = "/etc/systemd/system/gpsd.socket.d/godwit.conf"
    cmdline = FILES[CMDLINE].replace("rootwait", "rootwait ipv6.disable=1")
    for file, text in (
            (CMDLINE, cmdline), ("/etc/sysctl.d/99-modem.conf", "net.ipv6.conf.all.disable_ipv6 = 1\n"),
            ("/etc/sysctl.conf", "# modem\nnet/ipv6/conf/lo/disable_ipv6=1\n")):
        with Card() as card:
            card.must("--board")
            demand(not card.exists(path), "127.0.0.1 alone, though there is IPv6")
            card.write(file, text)
            card.must("--board")
            demand(card.read(path).endswith(
                "[Socket]\nListenStream=\nListenStream=/run/gpsd.sock\nListenStream=127.0.0.1:2947\n"), card.read(path))
            card.write(file, FILES.get(file, "# net.ipv6.conf.all.disable_ipv6 = 1\n"))
            card.must("--board")
            demand(not card.exists(path), "127.0.0.1 alone, though there is IPv6 again")


def device_script():
    """gpsd is told of what comes and goes if its settings name it, by whatever name"""
    with tempfile.TemporaryDirectory() as folder:
        script = open(f"{repo}/deploy/setup/gpsd-device", encoding="utf-8").read()
        with open(f"{folder}/script", "w", encoding="utf-8") as file:
            file.write(script.replace("/usr/sbin/gpsdctl", "echo"))
        open(f"{folder}/ttyUSB1", "w").close()
        os.symlink(f"{folder}/ttyUSB1", f"{folder}/by-id")
        for devices, order, wanted in (
                (f"{folder}/ttyUSB1", "add", f"add {folder}/ttyUSB1\n"), (f"{folder}/by-id", "add", f"add {folder}/by-id\n"),
                (f"/dev/ttyS0 {folder}/by-id", "add", f"add {folder}/by-id\n"), (f"{folder}/ttyUSB0", "add", ""),
                ("", "add", ""), (f"tcp://host:1 {folder}/gone", "remove", f"remove {folder}/gone\n"),
                (f"{folder}/by-id", "remove", "")):
            done = subprocess.run(
                ["sh", f"{folder}/script", order, f"{folder}/ttyUSB1"], capture_output=True, text=True,
                env={"DEVICES": devices, "PATH": os.environ["PATH"]})
            demand((done.returncode, done.stdout, done.stderr) == (0, wanted, ""), f"{devices} {order}: {done}")


def usb_rules():
    """The rule of a receiver on USB goes by its numbers; a name that was given needs none"""
    for options, words in (
            (["--hat", "waveshare-sim7600"], ['"1e0e"', '"9001"', 'INTERFACE_NUM}=="01"', 'SYMLINK+="godwit_gps"']),
            (["--hat", "usb"], ['SYMLINK+="godwit_gps"'])):
        with Card() as card:
            card.must(*options)
            rule = card.read("/etc/udev/rules.d/61-godwit-gps.rules")
            demand(all(word in rule for word in words), rule)
    with Card() as card:
        for name in ("ttyUSB3", "serial/by-id/usb-x-if00"):
            card.must("--gps-device", f"/dev/{name}")
            demand(not card.exists("/etc/udev/rules.d/61-godwit-gps.rules"), f"a rule for {name}")


ALL = [
    listed, serial_port, again, another, stays, dry, power_line, own_settings, own_gpsd, gps_clock,
    edited, damaged, links, modem, sandbox, without_ipv6, device_script,
    wrong, no_boot, without_programs, permission, read_only, usb_rules]
