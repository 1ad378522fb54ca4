"""What the table asks for, with its profiles, and checked."""
import difflib, json, os, re, shutil, subprocess, tempfile, tomllib, urllib.parse

from files import settings_text
from table import OWN_COLUMNS, Refused, value

HERE = os.path.dirname(os.path.realpath(__file__))
# In a checkout; in the package.
PLACES = (f"{HERE}/../../config", "/usr/share/godwit-collector")
TOKEN_FILE = "/etc/godwit/token"


def shared(name):
    for place in PLACES:
        if os.path.exists(f"{place}/{name}"):
            return os.path.realpath(f"{place}/{name}")
    raise Refused(f"{name} is missing: it comes with godwit-provision, in a checkout or the package godwit-collector")


def put(settings, name, value):
    *groups, key = name.split(".")
    for group in groups:
        settings = settings.setdefault(group, {})
    settings[key] = value


class Devices:
    """What the table asks for, device by device: {id, line, settings, hat, apn, profile}."""

    def __init__(self, table, asked):
        self.table, self.asked, self.profiles, self.hats, self.all = table, asked, {}, {}, []
        self.folder = asked.profiles or shared("profiles")
        first = {}
        for line, cells in table.rows:
            device = self.read(line, cells)
            name = device["id"]
            if name and (before := first.get(name.casefold())):
                self.refuse(line, "id", f"is the device of line {before} again; capital letters do not count")
            first.setdefault(name.casefold(), line)
            self.all.append(device)

    def refuse(self, line, column, words):
        self.table.refuse(line, self.table.column(column), words)

    def read(self, line, cells):
        name = cells.get("id", "")
        if not name and self.table.column("id") is not None:
            self.refuse(line, "id", "is empty")
        if len(name) > 128 or any(ord(letter) < 32 or 127 <= ord(letter) < 160 for letter in name):
            self.refuse(line, "id", "is longer than 128 characters, or holds a control character")
        for column in ("hat", "apn"):
            text = cells.get(column, "")
            if text and not re.fullmatch(r"[!-,.-~][!-~]{0,99}", text):
                self.refuse(line, column, "must be one word of ASCII characters that does not begin with -")
        settings = self.profile(line, cells.get("profile", ""))
        if self.has_power(cells.get("hat", "")):
            settings.get("gps", {}).pop("power", None)
        if self.asked.url:
            put(settings, "sync.url", f"{self.asked.url}/v1/locations")
        for column, text in cells.items():
            if column in OWN_COLUMNS or column not in self.table.settings or not text:
                continue
            try:
                put(settings, column, value(text, self.table.settings[column]))
            except ValueError as error:
                self.refuse(line, column, str(error))
        sync = settings.setdefault("sync", {})
        sync.setdefault("token_file", TOKEN_FILE)
        try:
            host = urllib.parse.urlsplit(str(sync.get("url", ""))).hostname or ""
        except ValueError as error:
            self.refuse(line, "sync.url" if cells.get("sync.url") else None, f"sync.url is no URL: {error}")
            host = "unknown"
        if not host or host.endswith(".example"):
            self.refuse(line, None, "nobody says where it sends to: give --url, or a column sync.url")
        return {
            "id": name, "line": line, "hat": cells.get("hat", ""), "apn": cells.get("apn", ""),
            "profile": cells.get("profile", ""), "settings": {**settings, "device_id": name}}

    def profile(self, line, name):
        if not name:
            return {}
        if name not in self.profiles:
            path = name if "/" in name else f"{self.folder}/{name}.toml"
            try:
                with open(path, "rb") as file:
                    self.profiles[name] = tomllib.load(file)
            except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
                there = sorted(each[:-5] for each in os.listdir(self.folder) if each.endswith(".toml"))
                words = "is no profile" if isinstance(error, FileNotFoundError) else f"cannot be read: {error}"
                near = difflib.get_close_matches(name, there, 1)
                meant = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(there)}"
                self.refuse(line, "profile", words + meant)
                self.profiles[name] = {}
        return json.loads(json.dumps(self.profiles[name]))

    def has_power(self, hat):
        """Whether that HAT's receiver is switched in a way of its own. godwit-setup adds its gps.power at the first
        boot, but not to settings that have one already: the profile's would leave the receiver off for good."""
        if hat not in self.hats:
            try:
                with open(f"{shared('profiles')}/hats/{hat}.toml", "rb") as file:
                    text = tomllib.load(file).get("godwit", {}).get("settings", "")
                self.hats[hat] = "power" in tomllib.loads(text).get("gps", {})
            except FileNotFoundError:
                # None, or one that only a newer box knows.
                self.hats[hat] = False
        return self.hats[hat]

    def check(self):
        """By the agent itself, which knows what the schema does not say. Returns whether it was there."""
        program = self.asked.godwit or shutil.which("godwit") or f"{HERE}/../../.build/debug/godwit"
        if not os.path.exists(program):
            return False
        with tempfile.TemporaryDirectory(prefix="godwit-provision-") as folder:
            for number, device in enumerate(self.all):
                with open(f"{folder}/{number}.toml", "w", encoding="utf-8") as file:
                    file.write(settings_text(device))
            for start in range(0, len(self.all), 1000):
                files = [f"{number}.toml" for number in range(start, min(start + 1000, len(self.all)))]
                done = subprocess.run(
                    [os.path.realpath(program), "check", "--elsewhere", *files], cwd=folder, capture_output=True,
                    text=True)
                for number, words in re.findall(r"(?m)^(\d+)\.toml(?::\d+)?: (.*)$", done.stderr):
                    device = self.all[int(number)]
                    column = words.split(":")[0]
                    is_column = self.table.column(column) is not None
                    self.refuse(device["line"], column, words.split(": ", 1)[1] if is_column else words)
                if done.returncode and not self.table.problems:
                    raise Refused(f"{program} check: {done.stderr.strip()[:400] or f'ended with {done.returncode}'}")
        return True
