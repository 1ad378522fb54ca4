"""The collector's package under a running systemd."""
import json, os, urllib.error, urllib.request

from Guest.inside import demand, read, wait_for
from Systemd.service import facts, journal, shell

UNIT, DEB, TOKENS = "godwit-collector", "/opt/rig/debs/collector.deb", "/etc/godwit-collector/tokens"
RECORD = {
    "uuid": "0189a5da-c967-874b-8000-000000000001", "timestamp": "2026-01-01T00:00:00.000Z", "latitude": 59.3293,
    "longitude": 18.0686}


def ask(path, token=None, body=None):
    """Status code and answer."""
    headers = {"Godwit-Device": "van-7", "Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(
        f"http://127.0.0.1:8080{path}", headers=headers, data=json.dumps(body).encode() if body else None)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def listens():
    try:
        return ask("/v1/health")[0] == 200
    except OSError:
        return False


def collector():
    """Installed, it takes records with the token that was made, and none without; unprivileged"""
    done = shell("dpkg", "--install", DEB)
    demand(done.returncode == 0, f"{done.stdout} {done.stderr}")
    wait_for(f"the collector: {journal(UNIT)[-500:]}", listens, 60, every_s=0.5)
    body = {"location": [RECORD]}
    demand(ask("/v1/locations", body=body)[0] == 401, "it takes records without a token")
    code, answer = ask("/v1/locations", read(TOKENS), body)
    demand(code == 200 and json.loads(answer)["stored"] == 1, f"{code} {answer}")
    own = facts(UNIT)
    demand(int(own["CapBnd"], 16) == 0 and own["Seccomp"] == "2" and own["Uid"].split()[0] != "0", f"{own}")
    demand(shell("stat", "-c", "%U %a", "/var/lib/godwit-collector").stdout.split() == [UNIT, "700"], "its folder")
    done = shell("systemd-analyze", "security", "--no-pager", "--threshold=15", f"{UNIT}.service")
    demand(done.returncode == 0, done.stdout.strip().splitlines()[-1])
    demand(shell("systemctl", "restart", UNIT).returncode == 0, "it does not start again")
    wait_for("the collector", listens, 60, every_s=0.5)
    demand('"van-7"' in ask("/v1/devices", read(TOKENS))[1], "the device is gone")
    score = done.stdout.strip().splitlines()[-1].split(": ")[-1].split()[0]
    done = shell("dpkg", "--purge", UNIT)
    demand(done.returncode == 0 and not os.path.exists(TOKENS), f"purge: {done.stderr}")
    return f"exposure {score}"


ALL = [collector] if os.path.exists(DEB) else []
