"""A row of the table, and what the sections share."""

import dataclasses
import functools
import os
import re
import shutil
import subprocess
import sys

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


@dataclasses.dataclass
class Row:
    """One figure of ours, beside a peer's where there is one; less is better, unless `more`."""
    what: str
    ours: float
    unit: str
    peer: float = None
    #: Whose figure `peer` is.
    whose: str = ""
    limit: float = None
    more: bool = False

    @property
    def is_met(self):
        if self.limit is None:
            return None
        return self.ours >= self.limit if self.more else self.ours <= self.limit


class Missing(Exception):
    """A section cannot run here; the reason, in words."""


def need(program, package):
    """Its path; `Missing` without it."""
    path = shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin")
    if path is None:
        raise Missing(f"{program} is missing (apt install {package})")
    return path


def built(path, how):
    """A program of ours; `Missing` if nobody has built it."""
    if not os.access(path, os.X_OK):
        raise Missing(f"{os.path.relpath(path, ROOT)} is missing: {how}")
    return path


def product(name, short=False):
    """A program of ours for benchmarks: a release build, made if GODWIT_PRODUCTS names no folder that has it; for a short
    run the debug build that the tests have made."""
    ready = f"{os.environ.get('GODWIT_PRODUCTS', '')}/{name}"
    if os.access(ready, os.X_OK):
        return ready
    if short:
        return built(f"{ROOT}/.build/debug/{name}", "swift build makes it")
    subprocess.run(["swift", "build", "-c", "release", "--product", name], cwd=ROOT, check=True, stdout=sys.stderr)
    folder = output("swift", "build", "-c", "release", "--show-bin-path", cwd=ROOT).strip()
    return f"{folder}/{name}"


@functools.cache
def small_program():
    """The program as it is installed, of the sources that are here now."""
    given = os.environ.get("GODWIT")
    if not given:
        subprocess.run([f"{ROOT}/Tests/check-binary"], check=True, stdout=sys.stderr)
    return built(given or f"{ROOT}/.build-release/release/godwit", "Tests/check-binary makes it")


def rig(*words):
    """What a rig of Tests/Rig prints; `Missing` where it cannot run."""
    done = subprocess.run([f"{ROOT}/Tests/Rig/{words[0]}", *words[1:]], stdout=subprocess.PIPE, text=True)
    if done.returncode == 77:
        raise Missing(done.stdout.strip().splitlines()[-1])
    return done.stdout


def demand_all(found, last_line, said):
    """Ends unless the rig's last line is there, and its first number is that of what was found."""
    counted = re.search(last_line, said, re.M)
    if not counted or int(counted[1]) != len(found):
        sys.exit(f"Benchmarks: the rig has not come to its end:\n{said[-1000:]}")


def output(*command, **more):
    """What it prints; what it complains of is for who looks on."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **more).stdout
