"""docs/benchmarks.md: each section's table stands between two marks of its own."""

import datetime
import os
import platform
import re
import subprocess

from row import ROOT, output

PAGE = f"{ROOT}/docs/benchmarks.md"
HEAD = "| | ours | peer | ours / peer | limit |\n|---|---|---|---|---|"


def shown(number, unit=""):
    """Four digits, or all of a whole number."""
    text = f"{number:,.0f}" if abs(number) >= 1000 or number == int(number) else f"{number:.4g}"
    return text + (f" {unit}" if unit else "")


def line(row):
    """One line of the table."""
    peer = f"{shown(row.peer, row.unit)} ({row.whose})" if row.peer is not None else ""
    ratio = f"{row.ours / row.peer:.2g}" if row.peer else ""
    limit = ""
    if row.limit is not None:
        limit = f"{'≥' if row.more else '≤'} {shown(row.limit)}" + ("" if row.is_met else " **missed**")
    return f"| {row.what} | {shown(row.ours, row.unit)} | {peer} | {ratio} | {limit} |"


def machine():
    model = re.search(r"model name\s*: (.*)", open("/proc/cpuinfo").read())
    swift = re.search(r"Swift version (\S+)", output("swift", "--version"))
    name = re.search(r'PRETTY_NAME="(.*)"', open("/etc/os-release").read())
    return (f"{os.cpu_count()} cores of {model[1] if model else platform.machine()}, {name[1]}, "
            f"Swift {swift[1] if swift else '?'}")


def commit():
    """With `-dirty`, unless all that has changed since is documentation, such as this page."""
    changed = output("git", "-C", ROOT, "status", "--porcelain", "--", ROOT, ":!*.md")
    return output("git", "-C", ROOT, "describe", "--always").strip() + ("-dirty" if changed else "")


def given(section):
    """Builds that the user has named, which may be of other sources."""
    programs = ("GODWIT", "GODWIT_PRODUCTS", *getattr(section, "PROGRAMS", ()))
    names = [name for name in programs if os.environ.get(name)]
    return f"with the named {', '.join(names)}, " if names else ""


def write(name, section, rows):
    commands = ", ".join(f"`{command}`" for command in section.COMMANDS)
    head = f"{commands}, {given(section)}{datetime.date.today()}, commit {commit()}, {machine()}."
    body = "\n".join([wrapped(head), "", HEAD, *map(line, rows)])
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    with open(PAGE) as file:
        text = file.read()
    if begin not in text:
        raise SystemExit(f"Benchmarks/run: docs/benchmarks.md has no mark {begin}")
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    with open(PAGE, "w") as file:
        file.write(f"{before}{begin}\n{body}\n{end}{after}")


def wrapped(text, width=120):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return "\n".join([*lines, line])
