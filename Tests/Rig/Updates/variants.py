"""Versions of the agent's package that are wrong on purpose: the real one, with another program before it."""
import os, shutil, subprocess

REAL = "/usr/lib/rig/godwit"
SETTINGS, OTHER = "/etc/godwit/godwit.toml", "/run/godwit/other.toml"


def runs(script):
    """A program that does this in place of `godwit run`, and is the real one otherwise."""
    return f'#!/bin/sh\nif [ "$1" = run ]; then\n{script}\nfi\nexec {REAL} "$@"\n'


def runs_with(change):
    return runs(f"sed '{change}' {SETTINGS} >{OTHER}\nexec {REAL} run --config {OTHER}")


NEWER_QUEUE = (
    "import sqlite3; db = sqlite3.connect('/var/lib/godwit/queue.db'); "
    "db.execute('PRAGMA user_version = 99'); db.close()")
# Name: version, what runs in place of the agent, and what the package's scripts do.
VARIANTS = {
    "good": ("1.0+deb12u1", None, {}),
    "crashes": ("2.0+deb12u1", runs("kill -SEGV $$"), {}),
    # It never says that it is there.
    "hangs": ("3.0+deb12u1", runs("exec sleep infinity"), {}),
    "no-sync": ("4.0+deb12u1", runs_with("s/8099/8098/"), {}),
    "no-gps": ("5.0+deb12u1", runs_with("s/^port = 2947/port = 2999/"), {}),
    "newer-queue": ("6.0+deb12u1", runs(f'/usr/bin/python3 -c "{NEWER_QUEUE}"\nexit 1'), {}),
    "scripts": ("7.0+deb12u1", None, {"postinst": "exit 1", "prerm": "sleep infinity"}),
    "better": ("8.0+deb12u1", None, {}),
    "canary": ("9.0+deb12u1", None, {}),
}


def make(real, folder):
    """The packages, by their names, of the real one."""
    return {name: variant(real, folder, name, *what) for name, what in VARIANTS.items()}


def variant(real, folder, name, version, program, scripts):
    tree = f"{folder}/{name}"
    subprocess.run(["dpkg-deb", "--raw-extract", real, tree], check=True)
    with open(f"{tree}/DEBIAN/control") as file:
        lines = [f"Version: {version}" if line.startswith("Version:") else line for line in file.read().splitlines()]
    with open(f"{tree}/DEBIAN/control", "w") as file:
        file.write("\n".join(lines) + "\n")
    os.remove(f"{tree}/DEBIAN/md5sums")
    if program:
        os.makedirs(f"{tree}{os.path.dirname(REAL)}")
        os.rename(f"{tree}/usr/bin/godwit", f"{tree}{REAL}")
        executable(f"{tree}/usr/bin/godwit", program)
    for script, body in scripts.items():
        executable(f"{tree}/DEBIAN/{script}", f"#!/bin/sh\n{body}\n")
    deb = f"{folder}/godwit_{version}_amd64.deb"
    pack = ["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", tree, deb]
    subprocess.run(pack, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(tree)
    return deb


def executable(path, text):
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, 0o755)
