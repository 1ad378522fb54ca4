"""A system on which packages are installed, thrown away afterwards."""
import glob, os, subprocess, sys

from Guest.guest import repo
from Guest.inside import demand, wait_for, write

SETTINGS = "/etc/godwit/godwit.toml"
OLD, NEW = "0.0.1+deb12u1", "9999+deb12u1"


def own_mounts(program):
    """Starts the program anew where what it mounts goes with it."""
    if os.environ.get("GODWIT_RIG_MOUNTS") is None:
        os.environ["GODWIT_RIG_MOUNTS"] = "own"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, program, *sys.argv[1:]])


def build(folder, version, agent, collector=None):
    """The packages of that version."""
    command = [f"{repo}/deploy/build-deb", "--output", folder, "--version", version, "--agent", agent]
    command += ["--collector", collector] if collector else ["--only-agent"]
    environment = {**os.environ, "GODWIT_DEB_COMPRESSION": "-Zgzip -z1"}
    subprocess.run(command, check=True, stdout=sys.stderr, env=environment)


class Box:
    """A layer over the debootstrapped system, with the repository at /repository."""

    def __init__(self, system, folder, has_collector):
        self.folder, self.has_collector = folder, has_collector
        self.root = f"{folder}/root"
        for name in ("root", "upper", "work", "repository"):
            os.makedirs(f"{folder}/{name}")
        os.makedirs(f"{system}/repository", exist_ok=True)
        layers = f"lowerdir={system},upperdir={folder}/upper,workdir={folder}/work"
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", layers, self.root], check=True)
        for name in ("proc", "dev"):
            subprocess.run(["mount", "--rbind", f"/{name}", f"{self.root}/{name}"], check=True)
        subprocess.run(["mount", "--bind", f"{folder}/repository", f"{self.root}/repository"], check=True)

    def detach(self):
        """Leaves the files alone in the folder."""
        for name in ("proc", "dev", "repository"):
            subprocess.run(["umount", "--recursive", "--lazy", f"{self.root}/{name}"])

    def close(self):
        subprocess.run(["umount", "--lazy", self.root])

    def path(self, inside):
        return self.root + inside

    def exists(self, inside):
        return os.path.lexists(self.path(inside))

    def run(self, *command, user=None):
        """Its result, as root or as another user of the system's."""
        as_user = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"] if user else []
        clean = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        return subprocess.run(
            ["chroot", self.root, *as_user, *command], capture_output=True, text=True, env=clean,
            stdin=subprocess.DEVNULL)

    def must(self, *command, user=None):
        """What it prints; it must succeed."""
        done = self.run(*command, user=user)
        said = f"{done.stdout[-1500:]} {done.stderr[-1500:]}"
        demand(done.returncode == 0, f"{' '.join(command)}: {done.returncode} {said}")
        return done.stdout

    # MARK: Packages

    @property
    def names(self):
        return ["godwit", "godwit-collector"] if self.has_collector else ["godwit"]

    def debs(self, version):
        """Of "old" or "new"; of the updater, which wants more of Debian, Tests/Rig/updates knows."""
        debs = glob.glob(f"{self.folder}/{version}/*.deb")
        return sorted(deb for deb in debs if "/godwit-update_" not in deb)

    def repository(self, *arguments):
        """Runs deploy/apt-repository."""
        return subprocess.run(
            [f"{repo}/deploy/apt-repository", f"{self.folder}/repository", *arguments], capture_output=True, text=True)

    def publish(self, version):
        done = self.repository(*self.debs(version))
        demand(done.returncode == 0, f"deploy/apt-repository: {done.stdout} {done.stderr}")
        return done.stdout

    def version(self):
        return self.must("dpkg-query", "-W", "-f", "${Version} ${db:Status-Status}", "godwit")

    # MARK: The agent, without systemd

    def run_agent(self):
        """Runs it until it has told its status, as the service's user. Returns what it printed."""
        os.makedirs(self.path("/run/godwit"), exist_ok=True)
        self.must("chown", "godwit:godwit", "/run/godwit")
        log = open(f"{self.folder}/journal", "w+")
        agent = subprocess.Popen(
            ["chroot", self.root, "setpriv", "--reuid=godwit", "--regid=godwit", "--init-groups", "/usr/bin/godwit",
             "run"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        status = self.path("/run/godwit/status.json")
        if os.path.exists(status):
            os.remove(status)
        wait_for("the agent's status or end", lambda: os.path.exists(status) or agent.poll() is not None, 60)
        self.exit_status = agent.poll()
        if self.exit_status is None:
            agent.terminate()
            self.exit_status = agent.wait(30)
        log.seek(0)
        return log.read()

    def queue(self):
        """What `godwit queue` says waits."""
        return self.must("godwit", "queue", "--json")

    def set_queue_version(self, number):
        code = (
            "import sqlite3, sys; db = sqlite3.connect('/var/lib/godwit/queue.db'); "
            "was = db.execute('PRAGMA user_version').fetchone()[0]; "
            f"db.execute('PRAGMA user_version = {number}'); db.close(); print(was)")
        return int(self.must("python3", "-c", code, user="godwit"))

    def write(self, inside, text):
        write(self.path(inside), text)
