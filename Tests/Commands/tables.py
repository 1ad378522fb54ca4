"""What Tests/Commands/given and Tests/Commands/elsewhere say, and what is wrong with them."""
import glob, os, re

import pages

# What Tests/Commands/bin only pretends to do.
PRETENDED = re.compile(
    r"(mmcli|nmcli|poweroff|reboot|systemd-run|timedatectl|udevadm)\b|systemctl (start|stop|restart|reload|status|kill|poweroff|reboot|daemon-reload|--failed|enable --now|disable --now)\b")


def plain(text):
    """Without comment and sudo."""
    return re.sub(r"^sudo ", "", re.sub(r"(?m)\s+#.*$", "", text)).strip()


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]


class Given:
    """Each line: PATTERN => what is typed in its place."""

    def __init__(self, path):
        self.rules = [line.split(" => ") for line in lines(path)]

    def typed(self, command):
        text = command.text
        for pattern, instead in self.rules:
            text = re.sub(pattern, instead, text)
        return text

    def problems(self, commands):
        return [f"Tests/Commands/given: no command has {pattern}" for pattern, _ in self.rules
                if not any(re.search(pattern, command.text) for command in commands)]


class Elsewhere:
    """Under `== FILE: TEXT` the commands that FILE runs, which has TEXT in it; under `== nothing: REASON` those that nothing can."""

    def __init__(self, path):
        self.entries, self.heads, head = [], [], None
        for line in lines(path):
            if line.startswith("== "):
                head = line[3:].split(": ", 1)
                self.heads.append(head)
            else:
                self.entries.append((line, head))
        self.used = set()

    def place(self, command, text=None):
        for pattern, head in self.entries:
            if re.fullmatch(pattern, plain(text or command.text), re.S):
                self.used.add(pattern)
                return "nowhere" if head[0] == "nothing" else "elsewhere"
        return None

    def stand_in_problems(self, command):
        """A stand-in does nothing: somebody else must run what was asked of it."""
        for words in pages.words(plain(command.text)):
            words = words[1:] if words[0] == "sudo" else words
            if PRETENDED.match(" ".join(words)) and not self.place(command, " ".join(words)):
                yield f"{command.page}:{command.line}: nothing runs {' '.join(words)}: Tests/Commands/elsewhere does not name it"

    def problems(self):
        found = [f"Tests/Commands/elsewhere: no command is {pattern}" for pattern, _ in self.entries if pattern not in self.used]
        for file, text in self.heads:
            if file != "nothing" and not os.path.exists(f"{pages.ROOT}/{file}"):
                found.append(f"Tests/Commands/elsewhere: there is no {file}")
            elif file != "nothing" and text not in source(file):
                found.append(f"Tests/Commands/elsewhere: {file} does not have: {text}")
        return found


def source(path):
    with open(f"{pages.ROOT}/{path}", encoding="utf-8", errors="replace") as file:
        return re.sub(r"\s+", " ", file.read())


def is_test(command):
    return re.match(r"(collector/)?(Tests|Benchmarks)/", plain(command.text)) is not None


def test_problems(command):
    """A test is there, and has the options that are said of it: in itself, or in the folder of its parts."""
    program, *words = plain(command.text).split(" ")
    folder = os.path.dirname(program) + "/" + os.path.basename(program).title().replace("-", "")
    known = source(program) + "".join(source(os.path.relpath(path, pages.ROOT)) for path in glob.glob(f"{pages.ROOT}/{folder}/*.py"))
    for option in words:
        if option.startswith("--") and option != "--" and option not in known:
            yield f"{command.page}:{command.line}: {program} does not know {option}"
