"""On a slow card and a slow link: an hour of driving in a guest in virtual time."""

import re
import subprocess
import sys

from row import ROOT, Missing, Row

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
    rig = subprocess.run([f"{ROOT}/Tests/Rig/slow", "--minutes", "60"], stdout=subprocess.PIPE, text=True)
    if rig.returncode == 77:
        raise Missing(rig.stdout.strip().splitlines()[-1])
    runs = re.findall(r"^card (\w+), link (\w+), sampling (\w+):\n((?:  .*\n)+)", rig.stdout, re.M)
    ended = re.search(r"^runs (\d+) lost \d+$", rig.stdout, re.M)
    if not ended or int(ended[1]) != len(runs):
        sys.exit(f"Benchmarks: Tests/Rig/slow has not come to its end:\n{rig.stdout[-1000:]}")
    for card, link, sampling, said in runs:
        name = f"{card} card, {link} link, {'every fix' if sampling == 'all' else 'default sampling'}"
        for what, unit, pattern in FIGURES:
            yield Row(f"{name}: {what}", float(re.search(pattern, said)[1]), unit)
        yield Row(f"{name}: lost", int(re.search(r"^  lost (\d+)", said, re.M)[1]), "", limit=0)
