"""A Linux of our own for the rigs: User-Mode Linux on the files of this machine, which it cannot write."""
import lzma, os, platform, shutil, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
repo = os.path.dirname(os.path.dirname(os.path.dirname(here)))


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def cached_kernel():
    folder = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(folder, "godwit", "linux-uml")


def kernel():
    """Its path, unpacked; or this rig cannot run here."""
    if platform.machine() != "x86_64":
        skip("User-Mode Linux runs on x86-64 alone")
    named = os.environ.get("GODWIT_UML")
    if named and not os.path.exists(named):
        raise SystemExit(f"GODWIT_UML names {named}, which does not exist")
    ready = os.path.join(repo, "..", "shared", "rig", "uml", "linux-uml.xz")
    for path in filter(None, (named, cached_kernel(), ready)):
        if os.path.exists(path):
            return unpacked(path) if path.endswith(".xz") else path
    skip("there is no kernel for the guest: Tests/Rig/guest build makes one in 6 minutes, or GODWIT_UML names one")


def unpacked(path):
    # Named by its age: another kernel in the same place is another file.
    target = os.path.join(os.path.dirname(cached_kernel()), f"linux-uml-{int(os.stat(path).st_mtime)}")
    if not os.path.exists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        part = f"{target}.{os.getpid()}"
        with lzma.open(path) as packed, open(part, "wb") as plain:
            shutil.copyfileobj(packed, plain)
        os.chmod(part, 0o755)
        os.rename(part, target)
    return target


def product(name, package=""):
    """The path of one of our own programs, built if need be; of the agent's package, or the one in that folder."""
    folder = os.environ.get("GODWIT_PRODUCTS")
    if folder is None or not os.path.exists(os.path.join(folder, name)):
        if shutil.which("swift") is None:
            skip("swift is missing: see README.md, Install; or GODWIT_PRODUCTS names the folder of the programs")
        build = ["swift", "build", "--package-path", os.path.join(repo, package), "--product", name]
        if subprocess.run(build, stdout=sys.stderr).returncode != 0:
            raise SystemExit(f"{name} does not build")
        folder = os.path.join(repo, package, ".build", "debug")
    path = os.path.realpath(os.path.join(folder, name))
    if not os.path.exists(path):
        raise SystemExit(f"{path} does not exist")
    return path


def require_program(program, package):
    if shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None:
        skip(f"{program} is missing: install the Debian package {package}")


def run(command, virtual_time=False, memory="256M", timeout_s=300, output=sys.stdout, environment=None):
    """Runs a command in a guest of its own, with what it prints going to `output`, a file or a list of lines. Returns its
    exit status.

    virtual_time: idle time is skipped; what waits, waits no time at all. environment: of the guest's kernel.
    """
    # Not in /dev, where the guest has folders of its own.
    with tempfile.TemporaryDirectory(prefix="godwit-guest-") as folder:
        orders = os.path.join(folder, "command")
        with open(orders, "wb") as file:
            file.write(b"".join(part.encode() + b"\0" for part in command))
        arguments = [
            kernel(), f"mem={memory}", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro",
            f"init={here}/init", f"rig={orders}", "con=null", "con0=fd:0,fd:1", "quiet", "loglevel=1"]
        if virtual_time:
            arguments.append("time-travel=inf-cpu")
        return console(arguments, timeout_s, output, environment)


def patience():
    """A word for the kernel of a guest whose time is real: what it is to allow a machine that is busy. A little more than
    it is now, since others may begin meanwhile."""
    return f"rig.patience={max(1.0, 1.5 * os.getloadavg()[0] / os.cpu_count()):.1f}"


def console(arguments, timeout_s, output, environment=None):
    """Returns the exit status that the guest has told."""
    # Its memory is a file in TMPDIR, which it needs to be allowed to execute.
    memory = os.environ.get("TMPDIR") or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else tempfile.gettempdir())
    guest = subprocess.Popen(
        ["timeout", "--signal=KILL", str(timeout_s), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, env={**os.environ, "TMPDIR": memory, **(environment or {})}, text=True, errors="replace")
    status, is_up, last = None, False, "it printed nothing"
    for line in guest.stdout:
        line = line.rstrip("\r\n")
        if line == "guest: up":
            is_up = True
        elif line.startswith("guest: exit "):
            status = int(line.split()[-1])
        elif is_up and status is None:
            output.append(line) if isinstance(output, list) else print(line, file=output, flush=True)
        elif line.strip():
            last = line.strip()
    guest.wait()
    if not is_up:
        skip(f"the guest does not start on this machine: {last}")
    if status is None:
        print(f"the guest did not say how it ended within {timeout_s} s", file=sys.stderr)
    return 1 if status is None else status
