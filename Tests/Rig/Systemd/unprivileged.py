"""What the agent may and may not as the user of its unit, and that all else goes on."""
import json, os, pwd, subprocess

from Guest.inside import Chip, demand, discipline, read, wait_for, write
from Systemd.server import serve
from Systemd.service import SETTINGS, facts, journal, shell, show, status

TOKEN = "/etc/godwit/token"
# Errno of a device that the unit's policy keeps closed.
EPERM = 1


def user():
    """It is the user godwit, in the group gpio, without a capability; systemd-analyze agrees"""
    agent, known = facts(), pwd.getpwnam("godwit")
    demand(set(agent["Uid"].split()) == {str(known.pw_uid)}, f"user ids {agent['Uid']}")
    demand(int(agent["CapEff"], 16) == int(agent["CapBnd"], 16) == int(agent["CapPrm"], 16) == 0, "it has capabilities")
    demand(agent["NoNewPrivs"] == "1" and agent["Seccomp"] == "2", "no seccomp filter, or new privileges")
    done = shell("systemd-analyze", "security", "--no-pager", "--threshold=15", "godwit.service")
    demand(done.returncode == 0, f"godwit.service: {done.stdout.strip().splitlines()[-1:]}")
    score = done.stdout.strip().splitlines()[-1].split(": ")[-1].split()[0]
    # Another package's service is left as it is.
    gpsd = shell("systemctl", "show", "-p", "DropInPaths", "gpsd.service").stdout
    demand("godwit" not in gpsd, f"the package changes gpsd: {gpsd}")
    return f"uid {known.pw_uid}, no capability; exposure {score}"


def within(work):
    """What `work` returns in a process that the unit's rules for devices hold for; root, so that no mode matters."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            write(f"/sys/fs/cgroup{show('ControlGroup')}/cgroup.procs", os.getpid())
            answer = work()
        except BaseException as problem:
            answer = repr(problem)
        os.write(writing, json.dumps(answer).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return json.loads(text)


def refusal(path):
    try:
        os.close(os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY))
        return 0
    except OSError as error:
        return error.errno


def devices():
    """GPIO chips can be opened, also one that comes later; disks, memory, terminals cannot"""
    closed = ["/dev/ubda", "/dev/kmsg", "/dev/tty0", "/dev/loop-control"]
    found = {path: within(lambda: refusal(path)) for path in closed if os.path.exists(path)}
    demand(len(found) >= 3, f"of {closed} only {list(found)} are there")
    demand(set(found.values()) == {EPERM}, f"{found}")
    later = Chip("later", "later-rig", {3: "GPIO3"})
    path = f"/dev/{later.name}"
    wait_for("udev's group", lambda: shell("stat", "-c", "%G %a", path).stdout.split() == ["gpio", "660"])
    demand(os.path.exists(f"/proc/{show('MainPID')}/root{path}"), "the agent does not see a chip that has come later")
    demand(within(lambda: refusal(path)) == 0, "a chip that has come later cannot be opened")
    later.remove()
    return f"{len(found)} closed, chips open"


def clock():
    """The kernel's word on the clock comes through, which needs clock_adjtime; the id of the boot is read"""
    discipline(True)
    wait_for("a synchronised clock", lambda: status()["clock"] == "synchronised", 60)
    discipline(False)
    own = read("/proc/sys/kernel/random/boot_id")
    seen = read(f"/proc/{show('MainPID')}/root/proc/sys/kernel/random/boot_id")
    demand(own == seen, "another boot id")
    return "synchronised"


def askers():
    """root and who is in the group get the status, others do not; root's check looks at secrets as the agent's user"""
    done = shell("godwit", "status")
    demand(done.returncode == 0, f"root's status: {done.returncode} {done.stderr}")
    shell("useradd", "--groups", "godwit", "driver")
    shell("useradd", "passenger")
    for name, expected in (("driver", 0), ("passenger", 77)):
        done = shell("setpriv", f"--reuid={name}", f"--regid={name}", "--init-groups", "godwit", "status")
        demand(done.returncode == expected, f"{name}: {done.returncode} {done.stderr}")
    demand(shell("stat", "-c", "%G %a", "/run/godwit/control").stdout.split() == ["godwit", "660"], "the socket's mode")
    done = shell("godwit", "check")
    demand(done.returncode == 0, f"root's check: {done.returncode} {done.stderr}")
    os.chown(TOKEN, 0, 0)
    done = shell("godwit", "check")
    words = f"{TOKEN} cannot be read by the user godwit: sudo chown godwit {TOKEN}"
    demand(done.returncode == 78 and words in done.stderr, f"root's token: {done.returncode} {done.stderr}")
    shell("chown", "godwit", TOKEN)
    return "root and the group are answered"


def credentials():
    """A token of systemd's credentials, which belong to root, is read by the agent and by root's check"""
    former = read(SETTINGS)
    os.makedirs("/run/systemd/system/godwit.service.d", exist_ok=True)
    write("/run/systemd/system/godwit.service.d/rig.conf", f"[Service]\nLoadCredential=token:{TOKEN}\n")
    write(SETTINGS, former.replace(f'"{TOKEN}"', '"${CREDENTIALS_DIRECTORY}/token"'))
    demand("CREDENTIALS_DIRECTORY" in read(SETTINGS), former)
    shell("systemctl", "daemon-reload")
    demand(shell("systemctl", "restart", "godwit").returncode == 0, journal()[-1500:])
    wait_for("a status", lambda: os.path.exists("/run/godwit/status.json"))
    done = shell("godwit", "check")
    demand(done.returncode == 0 and "token" not in done.stdout, f"{done.stdout} {done.stderr}")
    demand("token" not in status().get("warnings", {}), f"{status()['warnings']}")
    shell("rm", "/run/systemd/system/godwit.service.d/rig.conf")
    write(SETTINGS, former)
    shell("systemctl", "daemon-reload")
    shell("systemctl", "restart", "godwit")
    wait_for("a status", lambda: os.path.exists("/run/godwit/status.json"))
    return "systemd's file is used"


def by_hand():
    """One `sudo godwit run` leaves nothing of root's; what root has left there is named by check and doctor"""
    shell("systemctl", "stop", "godwit")
    done = shell("timeout", "5", "godwit", "run")
    demand("runs as the user godwit" in done.stderr, done.stderr)
    foreign = shell("find", "/var/lib/godwit", "/run/godwit", "!", "-user", "godwit").stdout.split()
    demand(not foreign, f"{foreign}")
    os.chown("/var/lib/godwit/queue.db", 0, 0)
    words = "belongs to root and its folder to godwit, so the agent cannot use it"
    for command in ("check", "doctor --gps-patience 0s"):
        done = shell("godwit", *command.split())
        demand(done.returncode != 0 and words in " ".join((done.stdout + done.stderr).split()), f"{command}: {done}")
    shell("chown", "-R", "godwit:", "/var/lib/godwit")
    demand(shell("systemctl", "start", "godwit").returncode == 0, journal()[-1500:])
    wait_for("a status", lambda: os.path.exists("/run/godwit/status.json"))
    return "nothing of root's"


def modem():
    """ModemManager is asked over the system's bus, under Debian's own policy for it; a server gets its records"""
    server = serve()
    imitation = subprocess.Popen(
        ["/opt/rig/modem-manager", json.dumps({"ports": ["lo"], "operator": "Elsewhere"})], stdout=subprocess.PIPE,
        text=True, env={**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/run/dbus/system_bus_socket"})
    demand(imitation.stdout.readline().strip() == "ready", "the imitation of ModemManager does not run")
    shell("godwit", "sync")
    wait_for("the modem", lambda: status().get("link", {}).get("operator") == "Elsewhere", 90)
    imitation.terminate()
    imitation.wait()
    wait_for("a delivery", lambda: "last_delivery_ago_s" in status()["sync"], 60)
    # What waits from now on is not to become less by a delivery (updates.py).
    server.shutdown()
    server.server_close()
    return "operator and server reached"


def former():
    """Files of an agent that ran as root become the user's at the start"""
    shell("systemctl", "stop", "godwit")
    shell("chown", "-R", "root:root", "/var/lib/godwit")
    demand(shell("systemctl", "start", "godwit").returncode == 0, f"it does not start: {journal()[-2000:]}")
    wait_for("a status", lambda: os.path.exists("/run/godwit/status.json"))
    foreign = shell("find", "/var/lib/godwit", "!", "-user", "godwit").stdout.split()
    demand(not foreign, f"{foreign}")
    demand("storage_failed" not in status()["warnings"], f"{status()['warnings']}")
    return "the queue goes on"
