"""Options that cannot be right."""
import os, re


class Wrong(Exception):
    """An option, with what is wrong and what to do."""


# An access point's name by 3GPP TS 23.003: labels of letters, digits and hyphens, 100 characters at most.
APN = re.compile(r"(?=.{1,100}$)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*")
DEVICE = re.compile(r"/dev/[A-Za-z0-9_][A-Za-z0-9_./:-]*")
# What the 40 pins have: GPIO0 to GPIO27.
LINES = range(28)


def names_something(chosen):
    """What is to be configured; the other options say how."""
    return any([
        chosen.hat, chosen.gps_device, chosen.power_line, chosen.power_active_low, chosen.gps_clock, chosen.gpsd_sandbox,
        chosen.board, chosen.apn is not None, chosen.apn_user, chosen.apn_password_file])


def options(chosen):
    if chosen.gps_device is not None and (not DEVICE.fullmatch(chosen.gps_device) or "/../" in chosen.gps_device):
        raise Wrong(f'--gps-device "{chosen.gps_device}" is no device: it looks like /dev/ttyACM0')
    if chosen.apn is not None and not APN.fullmatch(chosen.apn):
        raise Wrong(
            f'--apn "{chosen.apn}" is no access point\'s name: letters, digits, hyphens and dots, 100 at most, such as '
            "internet.provider.com; the SIM's provider says which")
    if chosen.apn is None and (chosen.apn_user or chosen.apn_password_file):
        raise Wrong("--apn-user and --apn-password-file need --apn")
    if not chosen.apn_user.isprintable():
        raise Wrong("--apn-user holds a character that cannot be printed")
    if chosen.power_line is not None:
        line = re.fullmatch(r"(?:GPIO)?([0-9]{1,2})", chosen.power_line, re.IGNORECASE)
        if not line or int(line[1]) not in LINES:
            raise Wrong(f"--power-line {chosen.power_line}: the 40 pins have GPIO0 to GPIO27: write GPIO17, for instance")
        chosen.power_line = f"GPIO{int(line[1])}"
    if chosen.power_line is not None and not (chosen.hat or chosen.gps_device):
        raise Wrong("--power-line needs --hat or --gps-device: it is that receiver's")
    if chosen.gps_clock and not (chosen.hat or chosen.gps_device):
        raise Wrong("--gps-clock needs --hat or --gps-device: it is that receiver's")
    if chosen.power_active_low and chosen.power_line is None:
        raise Wrong("--power-active-low needs --power-line")
    if not os.path.isdir(chosen.root):
        raise FileNotFoundError(f"--root {chosen.root}: there is no such folder; mount the card's root there first")


def password(path):
    """The first line of a file."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.readline().rstrip("\r\n")
    except UnicodeDecodeError:
        raise Wrong(f"--apn-password-file {path} is no text") from None
    if not text or not text.isprintable():
        raise Wrong(f"--apn-password-file {path}: its first line is no password")
    return text
