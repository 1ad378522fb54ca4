"""What is written for each device."""
import hashlib, json, os, re, tomllib, urllib.parse
from concurrent.futures import ThreadPoolExecutor

from table import Refused

BOOT_FILE = "godwit-provision.toml"
LONGEST_NAME = 200


def toml_value(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, list):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{toml_key(key)} = {toml_value(each)}" for key, each in value.items()) + " }"
    # As JSON, but for what would end the text that holds all of it.
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f").replace("'''", "''\\u0027")


def toml_key(key):
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def toml(settings, path=()):
    """A settings file. Groups that hold values alone are written as groups."""
    lines = [f"{toml_key(key)} = {toml_value(each)}" for key, each in settings.items() if not isinstance(each, dict)]
    text = "".join(line + "\n" for line in lines)
    if path and (lines or not settings):
        text = f"\n[{'.'.join(map(toml_key, path))}]\n" + text
    return text + "".join(toml(each, (*path, key)) for key, each in settings.items() if isinstance(each, dict))


def settings_text(device):
    made_of = f" from the profile {device['profile']}" if device["profile"] else ""
    first = {"device_id": device["id"]}
    text = f"# Made by godwit-provision{made_of}. man godwit.toml has every setting.\n"
    # Its last line says that the file is whole.
    return text + toml({**first, **device["settings"]}) + "# end\n"


def boot_text(device, token):
    lines = [
        "# For the boot partition of one card. The first boot takes it, once, and wipes it: docs/provisioning.md.",
        f"device_id = {toml_value(device['id'])}", f"token = {toml_value(token)}"]
    lines += [f"{key} = {toml_value(device[key])}" for key in ("hat", "apn") if device[key]]
    # The version last: it says that nothing was cut off.
    return "\n".join(lines) + f"\nsettings = '''\n{settings_text(device)}'''\nversion = 1\n"


def safe(name):
    """A folder's name for any device: one that is no plain word has % and digits."""
    plain = urllib.parse.quote(name, safe="")
    if len(plain) > LONGEST_NAME:
        plain = f"{plain[:LONGEST_NAME - 20]}-{hashlib.sha256(name.encode()).hexdigest()[:16]}"
    return plain.replace(".", "%2E", 1) if plain.startswith(".") else plain


class Output:
    """The folder. Files that say the same stay as they are, and all others change at once, at the end."""

    def __init__(self, path):
        self.path, self.unchanged, self.parts = path, 0, []

    def folder(self, device):
        return f"{self.path}/devices/{safe(device['id'])}"

    def boot_file(self, device):
        return f"{self.folder(device)}/{BOOT_FILE}"

    def others(self, devices):
        """Folders of devices that were provisioned before."""
        here = {safe(device["id"]) for device in devices}
        return [name for name in os.listdir(f"{self.path}/devices") if name not in here]

    def token(self, device):
        """The one that it was given; None without one."""
        path = self.boot_file(device)
        try:
            with open(path, "rb") as file:
                return str(tomllib.load(file)["token"])
        except FileNotFoundError:
            return None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError) as error:
            raise Refused(f"{path}: cannot be read, and has the device's token: {error}; put it back, or remove it "
                          "and give the device a new token with --new-tokens") from None

    def replaces(self, path):
        """Whether the tokens of that file, if there is one, were to take the place of others."""
        try:
            with open(path, "rb") as file:
                return json.load(file)["replace"] is True
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def write(self, path, text, mode=0o600):
        data = text.encode()
        try:
            with open(path, "rb") as file:
                if file.read() == data:
                    self.unchanged += 1
                    return
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(os.open(f"{path}.part", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as file:
            file.write(data)
        self.parts.append(path)

    def finish(self):
        """On storage once this has returned. Many at once: a file system commits them together."""
        with ThreadPoolExecutor(64) as threads:
            list(threads.map(flush, [f"{path}.part" for path in self.parts]))
            for path in self.parts:
                os.replace(f"{path}.part", path)
            list(threads.map(flush, {os.path.dirname(path) for path in self.parts}))


def flush(path):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def tokens_text(pairs, replaces):
    entries = [
        {"device": device["id"], "sha256": hashlib.sha256(token.encode()).hexdigest()} for device, token in pairs]
    lines = ",\n".join("  " + json.dumps(entry, ensure_ascii=False) for entry in entries)
    return f'{{"replace": {json.dumps(replaces)}, "tokens": [\n{lines}\n]}}\n'
