"""Instructions (callgrind) and allocations of a program: what no busy machine disturbs."""

import collections
import os
import re
import subprocess
import tempfile

from row import ROOT, need


class Instructions:
    """Of one run, by source file: what was inlined counts for the file it was written in."""

    def __init__(self, path):
        self.by_file = collections.Counter()
        self.by_function = collections.Counter()
        names, file, function, is_call = {}, None, None, False
        for line in open(path, errors="replace"):
            if found := re.match(r"(fl|fi|fe|fn)=\((\d+)\)(?: (.*))?", line):
                kind, number, name = found.groups()
                table = "function" if kind == "fn" else "file"
                if name is not None:
                    names[table, number] = name.strip()
                if kind == "fn":
                    function = names[table, number]
                else:
                    file = names[table, number]
            elif found := re.match(r"(cfn|cfi|cfl|ob|cob)=\((\d+)\)(?: (.*))?", line):
                kind, number, name = found.groups()
                if name is not None and "ob" not in kind:
                    names["function" if kind == "cfn" else "file", number] = name.strip()
            elif line.startswith("calls="):
                is_call = True
            elif line[:1] in "0123456789+-*":
                # The line after `calls=` is what was called, and counts there.
                if not is_call:
                    cost = int(line.split()[1]) if len(line.split()) > 1 else 0
                    self.by_file[file] += cost
                    self.by_function[function] += cost
                is_call = False
        self.total = sum(self.by_file.values())


def instructions(*command, env=None, watched=None):
    """Those of the command, which must end by itself; `watched` gets the process, to end it."""
    valgrind = need("valgrind", "valgrind")
    with tempfile.TemporaryDirectory() as folder:
        words = [valgrind, "--tool=callgrind", f"--callgrind-out-file={folder}/out", *command]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
        if watched:
            watched(process)
        if process.wait() != 0:
            raise subprocess.CalledProcessError(process.returncode, words)
        return Instructions(f"{folder}/out")


def allocations(*command):
    """How often the command asks for memory, by a library of our own before the system's."""
    compiler = need("cc", "gcc")
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/count.so"
        subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, f"{ROOT}/Benchmarks/rows/allocations.c"],
                       check=True)
        env = os.environ | {"LD_PRELOAD": library, "ALLOCATIONS": f"{folder}/count"}
        subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL)
        return int(open(f"{folder}/count").read())
