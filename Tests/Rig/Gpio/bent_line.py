"""A line that is shorted: see bent-line.c."""
import os, subprocess

from Guest.inside import write


class BentLine:
    def __init__(self, folder):
        library = f"{folder}/bent-line.so"
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bent-line.c")
        subprocess.run(["cc", "-O2", "-Wall", "-shared", "-fPIC", "-o", library, source], check=True)
        self.mark = f"{folder}/bent"
        self.environment = {"LD_PRELOAD": library, "GODWIT_RIG_BENT": self.mark}

    def begin(self):
        write(self.mark, "")

    def end(self):
        os.remove(self.mark)
