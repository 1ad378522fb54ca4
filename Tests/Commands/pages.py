"""The commands of the documentation: what stands in blocks, and what stands between backquotes in a text."""
import glob, os, re, shlex, subprocess
from collections import namedtuple

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
# block: its number in the page, or None for one in a text; heading: the last one before it
Command = namedtuple("Command", "page line heading block text")
SHELL = ("sh", "bash", "console", "shell")
# What begins a command where nothing else says so: in a text, and in a block that is indented or names no language.
PROGRAMS = (
    "adduser apt apt-get cat cgps chronyc curl dpkg findmnt gpspipe journalctl jq ls mmcli mosquitto_pub mosquitto_sub nmcli "
    "openssl python3 rpi-image-gen sqlite3 sudo swift systemctl systemd-analyze systemd-inhibit systemd-run timedatectl").split()
OURS = r"godwit(-[a-z]+)?$|\.build/release/|(collector/)?(Tests|Benchmarks|deploy|\.ci)/."


def paths():
    return ["README.md", "CONTRIBUTING.md", "collector/README.md", *sorted(glob.glob("docs/*.md", root_dir=ROOT))]


def is_command(text):
    """Whether it is something to type, and not the name of a file, a program or a unit."""
    words = [word for word in text.split(" ") if not re.match(r"[A-Z_]+=", word)] or [""]
    if words[0] == "$":
        return True
    if not (words[0] in PROGRAMS or re.match(OURS, words[0])):
        return False
    # A program alone is its name, but for a test; a file of a test's is none.
    is_test = words[0].startswith(("Tests/", "Benchmarks/", "collector/")) and os.path.isfile(f"{ROOT}/{words[0]}")
    return len(words) > 1 or is_test and os.access(f"{ROOT}/{words[0]}", os.X_OK)


def in_texts(text):
    """Each with its line."""
    for found in re.finditer(r"(?<![`\\])`([^`]+)`", text):
        line = text.count("\n", 0, found.start()) + 1
        said = re.sub(r"\s+", " ", found[1]).replace("\\|", "¦")
        for each in forms(said):
            if is_command(each):
                yield line, each


def forms(said):
    """What may be left out, left out and not; and each of a¦b. `a ¦ b` is one of two ends of the whole line."""
    if re.search(r"^(godwit|sudo|deploy|Tests|Benchmarks)\b", said) is None:
        return [said.replace("¦", "|")]
    if " ¦ " in said:
        head, last = said.rsplit(" ¦ ", 1)
        return [head, re.sub(r" [A-Z]+( …)?$", "", head) + " " + last]
    found = {re.sub(r" \[[^]]*\]", "", said): None, re.sub(r"[\[\]]", "", said): None}
    full = []
    for one in found:
        several = re.search(r"\S*¦\S*", one)
        full += [one.replace(several[0], word) for word in several[0].split("¦")] if several else [one]
    return full


def statements(lines):
    """A shell's: lines that belong together, as bash takes them."""
    begun = []
    for number, line in lines:
        begun.append((number, line))
        text = "\n".join(line for _, line in begun)
        if re.search(r"(\\|&&|\|)\s*(#.*)?$", line):
            continue
        done = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
        if done.returncode == 0 and not done.stderr:
            if re.sub(r"(?m)^\s*#.*$", "", text).strip():
                yield begun[0][0], text.rstrip()
            begun = []
    if begun:
        yield begun[0][0], "\n".join(line for _, line in begun)


def commands(path):
    """Those of a page, in their order."""
    with open(f"{ROOT}/{path}", encoding="utf-8") as file:
        lines = file.read().split("\n")
    fence, language, heading, block, gathered, found = None, "", "", 0, [], []
    text = list(lines)
    for number, line in enumerate(lines, 1):
        mark = re.match(r"\s*(```+)(\w*)$", line)
        is_indented = fence is None and re.match(r"    ", line)
        if fence is None and mark:
            fence, language = mark[1], mark[2]
        elif fence and line.strip() == fence:
            fence = None
        elif fence or is_indented:
            gathered.append((number, line, "" if is_indented else language))
        else:
            if gathered:
                block += 1
                found += in_block(path, heading, block, gathered)
                gathered = []
            heading = line.lstrip("# ") if line.startswith("#") else heading
            continue
        text[number - 1] = ""
    for number, each in in_texts("\n".join(text)):
        found.append(Command(path, number, "", None, each))
    return sorted(found, key=lambda one: one.line)


def in_block(path, heading, block, gathered):
    language = gathered[0][2]
    lines = [(number, line) for number, line, _ in gathered]
    if language not in SHELL + ("",):
        return []
    begins = lines[0][1].strip()
    if language == "" and begins.startswith("$ "):
        # A log: its lines with a prompt.
        return [Command(path, number, heading, block, re.sub("^# ", "sudo ", line).removeprefix("$ "))
                for number, line in lines if re.match(r"[$#] ", line)]
    if language == "":
        # Until the answer that is shown.
        margin = len(lines[0][1]) - len(lines[0][1].lstrip())
        lines = [(number, line[margin:]) for number, line in lines]
        if not is_command(begins.split("  #")[0].strip()):
            return []
        shown = [at for at, (_, line) in enumerate(lines) if re.match(r"[{\[]|  ?\{", line)]
        lines = lines[:shown[0]] if shown else lines
    return [Command(path, number, heading, block, text) for number, text in statements(lines)]


def words(text):
    """Of each simple command in it: the first words, without sudo."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|()<>")
    lexer.whitespace_split = True
    parts, current = [], []
    try:
        for token in lexer:
            if re.fullmatch(r"[;&|()]+", token):
                parts, current = parts + [current], []
            else:
                current.append(token)
    except ValueError:
        pass
    return [part for part in parts + [current] if part]
