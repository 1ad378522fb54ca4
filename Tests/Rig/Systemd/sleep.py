"""A board that sleeps ([host.sleep]): the guest's own clock, udev, polkit and logind. Only the last step is another: what
logind starts to switch the machine off leaves a file behind, and the checks go on."""
import os, subprocess, time

from Guest.inside import demand, discipline, read, wait_for, write
from Systemd.server import serve
from Systemd.service import SETTINGS, shell, show, status

CLOCK, SECOND = "/sys/class/rtc/rtc0", "/sys/class/rtc/rtc1"
OFF = "/run/rig/off"
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]


def as_agent(*command):
    """In the unit's view of the files, as its user."""
    return shell(
        "nsenter", f"--target={show('MainPID')}", "--mount", "setpriv", "--reuid=godwit", "--regid=godwit",
        "--init-groups", *command)


def alarm():
    """udev gives the alarms' files to the group; within the sandbox they can be set, and nothing beside them"""
    begin_second()
    return ", ".join(alarm_of(clock) for clock in (CLOCK, SECOND))


def begin_second():
    """The first clock of the kernel's test driver has no alarm: another one becomes rtc1."""
    driver = "/sys/bus/platform/drivers/rtc-test"
    demand(os.path.exists(driver), "this kernel has one clock alone: Tests/Rig/guest build makes one that has more")
    for device in ("rtc-test.0", "rtc-test.1"):
        write(f"{driver}/unbind", device)
    write(f"{driver}/bind", "rtc-test.1")
    shell("udevadm", "settle")
    # Its sandbox is of the files that there are when it starts.
    shell("systemctl", "restart", "godwit")
    wait_for("the agent", lambda: show("ActiveState") == "active")


def alarm_of(clock):
    path = f"{clock}/wakealarm"
    demand(os.path.exists(path), f"there is no {path}")
    mode = shell("stat", "-c", "%G %a", path).stdout.strip()
    demand(mode == "godwit 664", f"{path} is {mode}")
    done = as_agent("sh", "-c", f"echo 0 >{path} && echo +7200 >{path} && cat {path}")
    demand(done.returncode == 0, f"{path} cannot be set: {done.stderr}")
    ahead_s = int(done.stdout) - int(read(f"{clock}/since_epoch"))
    demand(7100 < ahead_s <= 7200, f"the alarm of {clock} is in {ahead_s} s")
    for other in ("/sys/power/state", "/sys/module/rcupdate/parameters/rcu_cpu_stall_timeout", f"{clock}/max_user_freq"):
        demand(as_agent("sh", "-c", f"echo 1 >{other}").returncode != 0, f"{other} can be written")
    write(path, "0")
    return mode


def settings():
    """A window in two days' time, and a server that takes all."""
    day = DAYS[(time.gmtime().tm_wday + 2) % 7]
    return f"""device_id = "rig"
schedule = ["{day} 12:00-13:00"]
timezone = "UTC"

[host.sleep]
mode = "rtc"
min_awake_s = 60
drain_s = 20

[sync]
url = "http://127.0.0.1:8098/"
ack = "any"
splay_s = 0
"""


def imitate_off():
    """In place of the target that ends the machine."""
    folder = "/run/systemd/system"
    write(f"{folder}/rig-off.service", f"[Service]\nType=oneshot\nExecStart=/usr/bin/touch {OFF}\n")
    write(f"{folder}/poweroff.target", (
        "[Unit]\nDefaultDependencies=no\nRequires=rig-off.service\nAfter=rig-off.service\n"))
    shell("systemctl", "daemon-reload")


def end_imitation():
    for name in ("rig-off.service", "poweroff.target"):
        os.remove(f"/run/systemd/system/{name}")
    shell("systemctl", "daemon-reload")


def power_off_as(user):
    return shell(
        "setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "busctl", "call", "org.freedesktop.login1",
        "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PowerOff", "b", "false")


def held_by():
    return status().get("sleep", {}).get("held_by")


def sleeps():
    """Off by logind with the alarm set, by the agent's user alone, and not while somebody holds a lock"""
    former = read(SETTINGS)
    server = serve(8098)
    imitate_off()
    lock = subprocess.Popen(
        ["systemd-inhibit", "--what=shutdown", "--who=rig", "--why=busy", "--mode=block", "sleep", "infinity"])
    try:
        discipline(True)
        write(SETTINGS, settings())
        shell("systemctl", "restart", "godwit")
        wait_for("the lock to hold it", lambda: held_by() == "inhibitor", 400, every_s=1)
        refused = power_off_as("godwit")
        demand(refused.returncode != 0, "polkit lets it switch off against a lock")
        demand(not os.path.exists(OFF), "it goes off in spite of the lock")
        lock.terminate()
        lock.wait()
        demand(power_off_as("nobody").returncode != 0, "anybody may switch it off")
        wait_for("the order to switch off", lambda: os.path.exists(OFF), 400, every_s=0.5)
        ahead_s = int(read(f"{CLOCK}/wakealarm")) - int(read(f"{CLOCK}/since_epoch"))
        demand(86_400 < ahead_s < 3 * 86_400, f"the alarm is in {ahead_s} s")
    finally:
        lock.kill()
        lock.wait()
        end_imitation()
        discipline(False)
        shell("systemctl", "stop", "godwit")
        write(f"{CLOCK}/wakealarm", "0")
        write(SETTINGS, former + "\n")
        shell("systemctl", "start", "godwit")
        server.shutdown()
    return f"held by a lock, then off with the alarm in {ahead_s / 3600:.0f} h; {refused.stderr.strip()[:60]}"


ALL = [alarm, sleeps]
