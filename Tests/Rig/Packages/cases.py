"""What apt does with the packages, one after the other."""
import glob, json, os, shutil, subprocess

from Guest.inside import demand, read
from Packages.box import SETTINGS

TOKENS = "/etc/godwit-collector/tokens"
OWN_LINE = '\ndevice_id = "box-7"'


def owner(box, path):
    """Mode, user and group."""
    return box.must("stat", "-c", "%a %U %G", path).strip()


def signature(box):
    """apt takes what the repository's key has signed, and neither a changed list nor one without the key"""
    told = box.publish("old")
    demand("signed-by=/etc/apt/keyrings/godwit.asc" in told, told)
    # The Debian mirror is of no interest here.
    os.makedirs(box.path("/etc/apt/keyrings"), exist_ok=True)
    box.write("/etc/apt/sources.list", "deb [signed-by=/etc/apt/keyrings/godwit.asc] file:/repository bookworm main\n")
    for more in glob.glob(box.path("/etc/apt/sources.list.d/*")):
        os.remove(more)
    without = box.run("apt-get", "update", "--error-on=any")
    demand(without.returncode != 0, "apt takes the repository without its key")
    shutil.copy(f"{box.folder}/repository/godwit.asc", box.path("/etc/apt/keyrings/godwit.asc"))
    box.must("apt-get", "update", "--error-on=any")
    [release] = glob.glob(f"{box.folder}/repository/dists/bookworm/InRelease")
    good = read(release)
    with open(release, "w") as file:
        file.write(good.replace("Origin: Godwit", "Origin: Other") + "\n")
    changed = box.run("apt-get", "update", "--error-on=any")
    with open(release, "w") as file:
        file.write(good + "\n")
    said = changed.stdout + changed.stderr
    demand(changed.returncode != 0 and "BADSIG" in said, said)
    box.must("apt-get", "update", "--error-on=any")
    demand(oct(os.stat(f"{box.folder}/repository.key").st_mode & 0o777) == "0o700", "the key lies open")
    return "refused unsigned and changed"


def nameless(box):
    """A package whose version names no suite is refused before anything is changed"""
    folder = f"{box.folder}/nameless"
    subprocess.run(["dpkg-deb", "--raw-extract", box.debs("old")[-1], folder], check=True)
    control = read(f"{folder}/DEBIAN/control")
    with open(f"{folder}/DEBIAN/control", "w") as file:
        file.write(control.replace("+deb12u1", "") + "\n")
    pack = ["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", folder, f"{folder}.deb"]
    subprocess.run(pack, check=True, stdout=subprocess.DEVNULL)
    done = box.repository(f"{folder}.deb", *box.debs("new"))
    demand(done.returncode == 65 and "version 0.0.1 names no suite; say --suite NAME" in done.stderr, done.stderr)
    lists = read(f"{box.folder}/repository/dists/bookworm/main/binary-amd64/Packages")
    demand("9999" not in lists, "the other package has come in")


def install(box):
    """Users, folders, service, manual pages and completion are there, and the settings are fine"""
    box.must("apt-get", "install", "-y", "--no-install-recommends", *box.names)
    demand(box.version() == "0.0.1+deb12u1 installed", box.version())
    groups = set(box.must("id", "-nG", "godwit").split())
    demand(groups == {"godwit", "gpio"}, f"the groups of godwit are {groups}")
    demand(owner(box, "/var/lib/godwit") == "750 godwit godwit", owner(box, "/var/lib/godwit"))
    demand(owner(box, SETTINGS) == "644 root root", owner(box, SETTINGS))
    enabled = "/etc/systemd/system/multi-user.target.wants/{}.service"
    for name in box.names:
        demand(box.exists(enabled.format(name)), f"{name} is not enabled")
        box.must("dpkg", "--verify", name)
    demand(not glob.glob(box.path("/usr/lib/systemd/system/gpsd*.d/godwit.conf")), "gpsd is changed by the installation")
    fine = box.must("godwit", "check")
    demand(f"{SETTINGS}: fine" in fine, fine)
    for page in ("man1/godwit.1", "man5/godwit.toml.5"):
        demand(box.exists(f"/usr/share/man/{page}.gz"), f"no {page}")
    for shell in (
            "bash-completion/completions/godwit", "zsh/vendor-completions/_godwit",
            "fish/vendor_completions.d/godwit.fish"):
        demand(box.exists(f"/usr/share/{shell}"), f"no {shell}")
    demand(box.exists("/usr/share/doc/godwit/examples/profiles/van-ignition.toml"), "no profiles")
    if box.has_collector:
        demand(owner(box, TOKENS) == "640 root godwit-collector", owner(box, TOKENS))
        box.token = read(box.path(TOKENS))
        demand(len(box.token) == 64, f"a token of {len(box.token)} characters")
    return f"{len(box.names)} packages"


def use(box):
    """The agent runs as its user, and its queue has something that waits"""
    box.write(SETTINGS, read(box.path(SETTINGS)) + OWN_LINE)
    box.write("/etc/godwit/token", "own\n")
    said = box.run_agent()
    demand(box.exit_status == 0, f"{box.exit_status}: {said}")
    box.waits = box.queue()
    demand(json.loads(box.waits)["records"] > 0, box.waits)
    demand(owner(box, "/var/lib/godwit/queue.db") == "640 godwit godwit", owner(box, "/var/lib/godwit/queue.db"))
    return f"{json.loads(box.waits)['records']} records wait"


def same(box):
    """Settings, secrets and queue are as they were."""
    demand(read(box.path(SETTINGS)).endswith(OWN_LINE.strip()), "the settings are others")
    leftovers = glob.glob(box.path("/etc/godwit/*.dpkg*"))
    demand(not leftovers, f"{leftovers}")
    demand(read(box.path("/etc/godwit/token")) == "own", "the token is gone")
    demand(box.queue() == box.waits, f"the queue has {box.queue()}, and had {box.waits}")
    if box.has_collector:
        demand(read(box.path(TOKENS)) == box.token, "the collector has another token")


def upgrade(box):
    """apt upgrade brings the newer version from the repository, and asks nobody"""
    box.publish("new")
    box.must("apt-get", "update", "--error-on=any")
    box.must("apt-get", "upgrade", "-y", "--no-install-recommends")
    demand(box.version() == "9999+deb12u1 installed", box.version())
    same(box)


def downgrade(box):
    """An older package goes in place of the newer one"""
    for deb in box.debs("old"):
        shutil.copy(deb, box.path("/tmp"))
    debs = ["/tmp/" + os.path.basename(deb) for deb in box.debs("old")]
    box.must("apt-get", "install", "-y", "--allow-downgrades", "--no-install-recommends", *debs)
    demand(box.version() == "0.0.1+deb12u1 installed", box.version())
    same(box)
    said = box.run_agent()
    demand(box.exit_status == 0, f"{box.exit_status}: {said}")
    box.waits = box.queue()


def newer_queue(box):
    """A program that does not know the queue's form leaves it alone and says what to do"""
    known = box.set_queue_version(99)
    said = box.run_agent()
    demand(box.exit_status == 73, f"it ended with {box.exit_status}: {said}")
    words = f"the file has schema version 99 and this program knows {known}; install the newer program again"
    demand(words in said, said)
    demand(box.set_queue_version(known) == 99, "it has changed the queue")
    same(box)
    return "ended with 73, untouched"


def candidate(box):
    box.must("apt-get", "update", "--error-on=any")
    [line] = [line for line in box.must("apt-cache", "policy", "godwit").splitlines() if "Candidate" in line]
    return line.split()[-1]


def groups(box):
    """What is published for a group, its boxes alone get, until it is promoted or withdrawn"""
    def order(*words, code=0):
        done = box.repository(*words)
        demand(done.returncode == code, f"{words}: {done.returncode} {done.stdout} {done.stderr}")
        return done.stdout + done.stderr

    [sources] = read(box.path("/etc/apt/sources.list")).splitlines()
    box.publish("old")
    told = order("--group", "canary", *box.debs("new"))
    demand("godwit-update group canary" in told, told)
    listed = order("--list")
    demand("bookworm|main|amd64: godwit 0.0.1" in listed and "bookworm-canary|main|amd64: godwit 9999" in listed, listed)
    demand(candidate(box) == "0.0.1+deb12u1", "a box of no group takes the canaries' version")
    box.write("/etc/apt/sources.list", f"{sources}\n{sources.replace('bookworm', 'bookworm-canary')}\n")
    demand(candidate(box) == "9999+deb12u1", "a canary does not take its group's version")
    order("--withdraw", "canary")
    demand(candidate(box) == "0.0.1+deb12u1", "a withdrawn version is still taken")
    order("--group", "canary", *box.debs("new"))
    order("--promote", "canary")
    box.write("/etc/apt/sources.list", f"{sources}\n")
    demand(candidate(box) == "9999+deb12u1", "a promoted version is not taken")
    demand("there is no group nobody here" in order("--promote", "nobody", code=65), "a group that nobody has")
    demand("stable is every box" in order("--group", "stable", *box.debs("old"), code=64), "stable as a group")
    demand("takes no packages" in order("--list", *box.debs("old"), code=64), "a list of packages")


def taken_back(box):
    """The repository takes an older version in place of a newer one, for boxes that have neither"""
    told = box.publish("old")
    # The group that it was promoted from has it still.
    demand("bookworm|main|amd64: godwit 0.0.1" in told and "bookworm|main|amd64: godwit 9999" not in told, told)
    box.must("apt-get", "update", "--error-on=any")
    policy = box.must("apt-cache", "policy", "godwit")
    demand("Candidate: 0.0.1+deb12u1" in policy, policy)


def remove(box):
    """What was made by hand or by use stays; the program goes"""
    box.must("apt-get", "remove", "-y", *box.names)
    demand(not box.exists("/usr/bin/godwit"), "the program is still there")
    for path in (SETTINGS, "/etc/godwit/token", "/var/lib/godwit/queue.db"):
        demand(box.exists(path), f"{path} is gone")
    box.must("id", "godwit")


def again(box):
    """Installed once more, everything goes on"""
    box.must("apt-get", "install", "-y", "--no-install-recommends", *box.names)
    same(box)


def purge(box):
    """The queue, the tokens and what the packages have made go; what somebody put there himself stays"""
    box.write(SETTINGS, read(box.path(SETTINGS)) + "\n[sync]\n  token_file='/etc/godwit/van.token' # ours\n")
    for name in ("van.token", "ca.pem"):
        box.write(f"/etc/godwit/{name}", "own\n")
    box.must("apt-get", "purge", "-y", *box.names)
    for path in (SETTINGS, "/etc/godwit/token", "/etc/godwit/van.token", "/var/lib/godwit", TOKENS, "/var/lib/godwit-collector"):
        demand(not box.exists(path), f"{path} is still there")
    demand(box.exists("/etc/godwit/ca.pem"), "the operator's own file is gone")


def look_over(box):
    """lintian has no error and no warning"""
    done = subprocess.run(
        ["lintian", "--allow-root", "--fail-on=error,warning",
         *box.debs("new")], capture_output=True, text=True)
    demand(done.returncode == 0, done.stdout + done.stderr)


ALL = [
    look_over, signature, nameless, install, use, upgrade, downgrade, newer_queue, groups,
    taken_back, remove, again, purge]
