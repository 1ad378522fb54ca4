"""What others read: cloud-init its user-data, rpi-image-gen the layer."""
import os, shutil, subprocess

from Guest.guest import repo
from Guest.inside import demand
from Image import standin

USER_DATA = f"{repo}/deploy/image.d/cloud-init/user-data"
LAYER = f"{repo}/deploy/image.d/rpi-image-gen/layer/godwit.yaml"


class Schemas:
    """system: where Debian is kept; generator: a checkout of rpi-image-gen, if there is one."""

    def __init__(self, system, folder, generator):
        self.system, self.folder, self.generator = system, folder, generator

    def all(self):
        return [self.user_data, self.layer]

    def changed(self, path, before, after):
        """A copy with a mistake in it."""
        with open(path) as file:
            text = file.read()
        demand(before in text, f"{path} has no {before}")
        place = f"{self.folder}/mistake-{os.path.basename(path)}"
        with open(place, "w") as file:
            file.write(text.replace(before, after))
        return place

    def user_data(self):
        """The schema of trixie's cloud-init takes it, and refuses a mistake"""
        root = f"{self.folder}/cloud-init"
        os.makedirs(root)
        packed = standin.debian(self.system, "trixie", "amd64", ["cloud-init"], "cloud-init")
        standin.run("tar", "-C", root, "-xpf", packed, "--exclude=./dev/*")

        def schema(path):
            shutil.copyfile(path, f"{root}/user-data")
            return subprocess.run(
                ["chroot", root, "cloud-init", "schema", "--config-file", "/user-data"], capture_output=True, text=True)

        good = schema(USER_DATA)
        demand(good.returncode == 0 and "Valid schema" in good.stdout, f"{good.stdout} {good.stderr}")
        bad = schema(self.changed(USER_DATA, "package_update: true", "package_update: sometimes"))
        demand(bad.returncode != 0 and "package_update" in bad.stdout + bad.stderr, f"{bad.stdout} {bad.stderr}")
        shutil.rmtree(root)

    def layer(self):
        """rpi-image-gen's lint takes it, and refuses a mistake"""
        if not self.generator:
            return "skipped: --rpi-image-gen names no checkout of it"

        def lint(path):
            return subprocess.run(
                ["/usr/bin/python3", f"{self.generator}/bin/ig", "metadata", "--lint", path], capture_output=True, text=True)

        good = lint(LAYER)
        demand(good.returncode == 0, f"{good.stdout} {good.stderr}")
        demand(lint(self.changed(LAYER, "X-Env-Var-hat-Set", "X-Env-Var-hats-Set")).returncode != 0, "a mistake is taken")
