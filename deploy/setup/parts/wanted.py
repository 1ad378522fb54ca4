"""What each file is to hold."""
import os, re, shlex, socket, tomllib, uuid

import checks
from tree import Change, Link, block, block_of, own_file

GPSD = "/etc/default/gpsd"
RULES = "/etc/udev/rules.d/61-godwit-gps.rules"
SETTINGS = "/etc/godwit/godwit.toml"
MODEM = "/etc/NetworkManager/system-connections/godwit-modem.nmconnection"
# A receiver on USB, whatever number it gets.
USB_NAME = "/dev/godwit_gps"
# gpsd writes what a receiver tells into memory shared with chrony, which it takes as root before it becomes the user
# gpsd. Its version 3.22 does so only for devices that it opens at its start: with -n (--gps-clock). The message comes
# some tenths of a second after the second that it is of, so that servers on the network go first where they answer.
CHRONY = "refclock SHM 0 refid GPS poll 3 precision 1e-1 delay 0.5\n"
JOURNAL = "[Journal]\nSystemMaxUse=64M\nSystemMaxFileSize=8M\nRuntimeMaxUse=16M\n"
# The board's watchdog has 15 s at most. A board that hangs while it shuts down is restarted too.
WATCHDOG = "[Manager]\nRuntimeWatchdogSec=14\nRebootWatchdogSec=2min\n"
SOCKET = "/etc/systemd/system/gpsd.socket.d/godwit.conf"
# Debian's gpsd.socket lists [::1] too, and fails whole where there is none.
NO_IPV6 = "[Socket]\nListenStream=\nListenStream=/run/gpsd.sock\nListenStream=127.0.0.1:2947\n"
SANDBOX = "/etc/systemd/system/gpsd.service.d/godwit.conf"
CONSOLES = ("ttyAMA0", "ttyS0")
CONSOLE = re.compile(r"(console|kgdboc)=(serial0|ttyAMA0|ttyS0)(,\S*)?")


def changes(tree, chosen, hat, sandbox):
    """And what else there is to say."""
    notes = []
    made = [
        own_file(tree, "/etc/systemd/journald.conf.d/60-godwit.conf", JOURNAL, "the journal takes 64 MB at most",
                 ["journald"]),
        own_file(tree, "/etc/systemd/system.conf.d/60-godwit.conf", WATCHDOG,
                 "a system that hangs is restarted by the hardware watchdog", ["manager"])]
    made += boot_watchdog(tree)
    made.append(own_file(tree, SOCKET, None if has_ipv6(tree) else NO_IPV6,
                         "gpsd listens on 127.0.0.1 alone: there is no IPv6", ["gpsd-socket"]))
    if chosen.gpsd_sandbox:
        made.append(own_file(tree, SANDBOX, sandbox, "gpsd runs in a sandbox", ["gpsd"]))
    if hat or chosen.gps_device:
        made += receiver(tree, chosen, hat or {}, notes)
    elif not devices(tree):
        notes.append("gpsd has no receiver yet: --hat NAME or --gps-device DEVICE gives it one, --list shows the names")
    if chosen.apn:
        made.append(modem(tree, chosen))
    missing(tree, chosen, hat or {}, notes)
    if any("boot" in change.services for change in made if change.is_needed):
        notes.append("what was changed for the boot counts from the board's next start on")
    return made, notes


def missing(tree, chosen, hat, notes):
    """Programs that what was asked for needs."""
    needed = [("/usr/sbin/gpsd", "gpsd", "no receiver is read")]
    if chosen.gps_clock:
        needed.append(("/usr/sbin/chronyd", "chrony", "the GPS sets no clock"))
    if chosen.apn:
        needed.append(("/usr/sbin/NetworkManager", "network-manager", "nobody connects the modem"))
    if chosen.apn or "godwit" in hat:
        needed.append(("/usr/sbin/ModemManager", "modemmanager", "nobody talks to the modem"))
    for path, package, without in needed:
        if not tree.exists(path):
            notes.append(f"{package} is not installed, and {without}: apt install {package}")
    if tree.exists("/etc/systemd/system/gpsd.socket") and tree.read("/etc/systemd/system/gpsd.socket") in (None, b""):
        notes.append("gpsd.socket is masked, and nobody starts gpsd: systemctl unmask gpsd.socket")


def has_ipv6(tree):
    """Switched off for the kernel or by sysctl, as is usual on a cellular link; on a system that runs it is tried."""
    command_line = tree.read(boot_file(tree, "cmdline.txt") or "/boot/cmdline.txt") or b""
    if re.search(rb"\bipv6\.disable=1\b", command_line):
        return False
    files = ["/etc/sysctl.conf", *(f"/etc/sysctl.d/{name}" for name in tree.names("/etc/sysctl.d"))]
    settings = b"\n".join(tree.read(path) or b"" for path in files)
    if re.search(rb"(?m)^\s*net[./]ipv6[./]conf[./](all|lo)[./]disable_ipv6\s*=\s*1\b", settings):
        return False
    if not tree.is_live:
        return True
    try:
        with socket.socket(socket.AF_INET6) as own:
            own.bind(("::1", 0))
    except OSError:
        return False
    return True


# MARK: The boot partition


def boot_file(tree, name):
    """Where Raspberry Pi OS has it; bookworm and later, and before."""
    for folder in ("/boot/firmware", "/boot"):
        # In /boot of newer systems lies one that says that it is the wrong one.
        if tree.read(f"{folder}/{name}") is not None:
            return f"{folder}/{name}"
    return None


def boot_watchdog(tree):
    config = boot_file(tree, "config.txt")
    lines = "[all]\ndtparam=watchdog=on\n"
    return [block(tree, config, "watchdog", lines, "the hardware watchdog is there", ["boot"])] if config else []


def boot(tree, hat):
    config, wants = boot_file(tree, "config.txt"), hat.get("boot", {})
    if not config and wants:
        raise FileNotFoundError(
            "there is no config.txt in /boot/firmware or /boot: is the boot partition mounted there? Nothing was changed. "
            "A board that is no Raspberry Pi wants --gps-device alone")
    made = []
    if config:
        made.append(block(tree, config, "receiver", wants.get("config", ""), "the receiver's serial port", ["boot"]))
    if wants.get("frees_console"):
        made += freed_console(tree)
    return made


def freed_console(tree):
    """The kernel and its log-in stay away from the receiver's wires."""
    path = boot_file(tree, "cmdline.txt")
    if not path:
        raise FileNotFoundError("there is no cmdline.txt beside config.txt. Nothing was changed")
    before = tree.read(path)
    words = before.decode(errors="surrogateescape").split()
    kept = [word for word in words if not CONSOLE.fullmatch(word)]
    made = []
    if kept != words:
        old = path + ".before-godwit-setup"
        made.append(Change(tree, old, tree.read(old), before, "copy of cmdline.txt", f"rm {old}"))
        after = (" ".join(kept) + "\n").encode(errors="surrogateescape")
        made.append(Change(tree, path, before, after, "no console on the serial port", f"cp {old} {path}", ["boot"]))
    units = [*(f"serial-getty@{port}.service" for port in CONSOLES), "hciuart.service"]
    for unit in units:
        link = f"/etc/systemd/system/{unit}"
        if not tree.exists(link):
            made.append(Link(tree, link, None, b"/dev/null", "masked", f"systemctl unmask {unit}", ["manager", unit]))
    return made


# MARK: The receiver


def receiver(tree, chosen, hat, notes):
    gpsd = hat.get("gpsd", {})
    device = chosen.gps_device or gpsd.get("device") or USB_NAME
    rules = rules_for(gpsd.get("usb", []) if not chosen.gps_device else [], device)
    made = boot(tree, hat)
    made.append(own_file(tree, RULES, rules, f"the receiver is {device}, whatever its number", ["udev"]))
    made.append(block(tree, GPSD, "receiver", gpsd_lines(tree, chosen, device, notes), f"gpsd has {device}", ["gpsd"]))
    clock = CHRONY if chosen.gps_clock else None
    made.append(own_file(tree, "/etc/chrony/conf.d/godwit.conf", clock, "chrony takes gpsd's time", ["chrony"]))
    made.append(settings(tree, chosen, hat, notes))
    if tree.is_live and not os.path.exists(device):
        notes.append(f"{device} is not there now; " + (
            "it comes with the board's next start" if "boot" in hat else "gpsd gets it once it is plugged in"))
    return made


def rules_for(usb, device):
    """None: a device whose name is its own."""
    text = ""
    for numbers in usb:
        vendor, product, *interface = numbers.split(":")
        match = f'ENV{{ID_VENDOR_ID}}=="{vendor}", ENV{{ID_MODEL_ID}}=="{product}", '
        match += f'ENV{{ID_USB_INTERFACE_NUM}}=="{interface[0]}", ' if interface else ""
        text += f'ACTION!="remove", SUBSYSTEM=="tty", {match}SYMLINK+="{device.removeprefix("/dev/")}"\n'
    return text or None


def assignments(text):
    """Of a file such as /etc/default/gpsd, the last one of each name counts."""
    found = {}
    for line in text.splitlines():
        match = re.fullmatch(r"\s*([A-Z_]+)=(.*)", line)
        if match:
            try:
                found[match[1]] = " ".join(shlex.split(match[2], comments=True))
            except ValueError:
                found[match[1]] = match[2]
    return found


def outside(tree, path, name):
    text = (tree.read(path) or b"").decode(errors="replace")
    found = block_of(text, name)
    return found[1] + found[4] if found else text


def devices(tree):
    return assignments((tree.read(GPSD) or b"").decode(errors="replace")).get("DEVICES", "")


def gpsd_lines(tree, chosen, device, notes):
    """The owner's options but -n, with which gpsd holds the port of a module that is off. Nothing else adds devices."""
    own = assignments(outside(tree, GPSD, "receiver"))
    words, kept = own.get("GPSD_OPTIONS", "").split(), []
    for word in words:
        short = re.fullmatch(r"-[A-Za-z]+", word)
        word = "" if word == "--nowait" else word.replace("n", "") if short else word
        if word not in ("", "-"):
            kept.append(word)
    if chosen.gps_clock:
        kept.append("-n")
    elif kept != words:
        notes.append(f"{GPSD}: -n no longer counts: with it gpsd holds the port of a receiver that is off")
    if own.get("DEVICES") and own["DEVICES"] != device:
        notes.append(f'{GPSD}: DEVICES="{own["DEVICES"]}" above the marked lines no longer counts')
    return f'DEVICES="{device}"\nGPSD_OPTIONS="{" ".join(kept)}"\nUSBAUTO="false"\n'


def settings(tree, chosen, hat, notes):
    """The receiver's [gps.power], at the end of the agent's file: tables of TOML have no other place that is safe."""
    lines = hat.get("godwit", {}).get("settings", "")
    if chosen.power_line is not None:
        if lines:
            raise checks.Wrong(f"--power-line: the receiver of {chosen.hat} is switched by other means")
        active_low = "active_low = true\n" if chosen.power_active_low else ""
        lines = f'[gps.power]\nmode = "level"\nchip = "header"\nline = "{chosen.power_line}"\n{active_low}'
    own, words = outside(tree, SETTINGS, "receiver"), None
    if lines:
        words = unfit(own, lines)
    if words:
        notes.append(f"{SETTINGS}: {words}; these lines were to be added: " + "; ".join(lines.split("\n")[:-1]))
        lines = ""
    return block(tree, SETTINGS, "receiver", lines, "the receiver's power", ["godwit"])


def unfit(own, lines):
    """Why the lines do not fit behind the owner's."""
    try:
        known = tomllib.loads(own)
    except tomllib.TOMLDecodeError as problem:
        return f"it has a mistake ({problem}; godwit check says more)"
    if "power" in known.get("gps", {}):
        return "it has gps.power already, which stays"
    try:
        tomllib.loads(own + "\n" + lines)
    except tomllib.TOMLDecodeError:
        return "it sets gps in a way that nothing can be added to"
    return None


# MARK: The modem


def modem(tree, chosen):
    """A connection of NetworkManager's, through whichever modem there is (cdc-wdm0 or a serial port)."""
    password = checks.password(chosen.apn_password_file) if chosen.apn_password_file else ""
    account = [f"{key}={escaped(value)}\n" for key, value in (("username", chosen.apn_user), ("password", password)) if value]
    # The same on each box: it names the connection, not the box.
    name = uuid.uuid5(uuid.NAMESPACE_DNS, "modem.godwit")
    # 0 retries: it is tried for ever.
    text = (
        f"[connection]\nid=godwit-modem\nuuid={name}\ntype=gsm\nautoconnect=true\nautoconnect-retries=0\n\n"
        f"[gsm]\napn={chosen.apn}\n{''.join(account)}\n[ipv4]\nmethod=auto\n\n[ipv6]\nmethod=auto\n")
    change = own_file(tree, MODEM, text, f"the modem connects to {chosen.apn}", ["network"], 0o600)
    change.is_secret = True
    return change


def escaped(text):
    """As a keyfile wants it: a blank at the beginning would be lost, and a backslash means more."""
    text = text.replace("\\", "\\\\")
    return "\\s" + text[1:] if text.startswith(" ") else text
