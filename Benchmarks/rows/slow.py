"""On a slow card and a slow link: an hour of driving in a guest in virtual time."""

import re

from row import Missing, Row, demand_all, rig

COMMANDS = ("Tests/Rig/slow --minutes 60",)
FIGURES = (
    ("records a minute", "", r"records in .*?([0-9.]+) a minute"),
    ("bytes of the link a record, with TLS, TCP and IP", "", r"link: .*? ([0-9]+) a record"),
    ("to the card a minute", "kB", r"then ([0-9.]+) a minute"),
    ("age at arrival, in the middle", "s", r"age at arrival: ([0-9]+) s"),
    ("age at arrival, at most", "s", r"middle, ([0-9]+) s at most"),
)


def rows(options):
    if options.short:
        raise Missing("Tests/run has the rig itself")
    said = rig("slow", "--minutes", "60")
    runs = re.findall(r"^card (\w+), link (\w+), sampling (\w+):\n((?:  .*\n)+)", said, re.M)
    demand_all(runs, r"^runs (\d+) lost \d+$", said)
    for card, link, sampling, figures in runs:
        name = f"{card} card, {link} link, {'every fix' if sampling == 'all' else 'default sampling'}"
        for what, unit, pattern in FIGURES:
            yield Row(f"{name}: {what}", float(re.search(pattern, figures)[1]), unit)
        yield Row(f"{name}: lost", int(re.search(r"^  lost (\d+)", figures, re.M)[1]), "", limit=0)
