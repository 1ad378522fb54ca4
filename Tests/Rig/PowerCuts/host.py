"""What the rigs of the queue need of this machine: or they say why not, and exit with 77."""
import os, shutil, subprocess, sys, tempfile

from Guest.guest import product

here = os.path.dirname(os.path.abspath(__file__))
repo = os.path.dirname(os.path.dirname(os.path.dirname(here)))
# Of the guest, half of it for its files; only what is used is taken.
MEMORY = "2560M"


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def require(file_system):
    if os.geteuid() != 0:
        skip("mounting needs root: run it with sudo")
    if not os.path.exists("/dev/fuse"):
        skip("no /dev/fuse: load the kernel module fuse, or give the container the device")
    for program, package in (
        ("mkfs." + file_system, {"ext4": "e2fsprogs", "f2fs": "f2fs-tools"}[file_system]), ("sqlite3", "sqlite3"),
        ("losetup", "mount"), ("unshare", "util-linux"),
    ):
        if shutil.which(program) is None:
            skip(f"{program} is missing: install the Debian package {package} (deploy/packages test)")
    if shutil.which("modprobe"):
        subprocess.run(["modprobe", "-q", "-a", "fuse", "loop"], check=False)
    if not has(file_system):
        skip(f"this kernel has no {file_system}")
    if subprocess.run(["losetup", "-f"], capture_output=True).returncode != 0:
        skip("no loop devices: load the kernel module loop, or give the container /dev/loop-control and /dev/loop*")


def has(file_system):
    if os.geteuid() == 0 and shutil.which("modprobe"):
        subprocess.run(["modprobe", "-q", file_system], check=False)
    with open("/proc/filesystems") as systems:
        return file_system in systems.read().split()


def own_mounts(script):
    """What is mounted is seen by this process and its children alone, and goes with them however they end."""
    if os.environ.pop("GODWIT_RIG_OWN_MOUNTS", None):
        return
    os.environ["GODWIT_RIG_OWN_MOUNTS"] = "yes"
    unshare = ["unshare", "--mount", "--propagation", "private"]
    if subprocess.run([*unshare, "true"], capture_output=True).returncode != 0:
        skip("no mount namespace: the container must be allowed to mount")
    os.execvp("unshare", [*unshare, sys.executable, os.path.abspath(script), *sys.argv[1:]])


def build(folder, has_writer=True):
    """Returns the paths of volatile-disk and queue-writer; that is not built when nobody needs it."""
    disk, writer = os.path.join(folder, "volatile-disk"), os.path.join(folder, "queue-writer")
    if os.path.exists(disk) and (os.path.exists(writer) or not has_writer):
        return disk, writer
    if shutil.which("cc") is None or shutil.which("swift") is None:
        skip("cc or swift is missing: see README.md, Install")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "fuse3"], capture_output=True, text=True)
    if flags.returncode != 0:
        skip("fuse3 is missing: install the Debian package libfuse3-dev (deploy/packages test)")
    os.makedirs(folder, exist_ok=True)
    source = os.path.join(here, "volatile-disk.c")
    subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", source, "-o", disk, *flags.stdout.split()], check=True)
    if has_writer:
        shutil.copy(product("queue-writer"), writer)
    return disk, writer


def agent():
    """The path of godwit, which GODWIT names; otherwise it is built."""
    path = os.environ.get("GODWIT")
    return os.path.abspath(path) if path else product("godwit")


def build_no_flush(folder):
    """Returns the path of what is preloaded so that nothing is flushed."""
    library = os.path.join(folder, "no-flush.so")
    subprocess.run(
        ["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", os.path.join(here, "no-flush.c"), "-o", library],
        check=True)
    return library


def run_in_guest(script, arguments, programs, timeout_s):
    """Runs the rig in the guest, whose kernel has all that is needed. Returns its exit status."""
    from Guest import guest

    guest.kernel()
    # Where the guest sees them: not in a folder of memory, of which it has its own.
    products = os.path.join(repo, ".build")
    os.makedirs(products, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="guest-", dir=products) as folder:
        build(programs or folder)
        # What it keeps must outlive it.
        orders = 'mkdir -p "$0" && mount -t hostfs -o "$0" none "$0" && TMPDIR=$0 exec "$@"'
        command = [os.path.abspath(script), *arguments, "--programs", os.path.abspath(programs or folder)]
        return guest.run(
            ["/bin/sh", "-c", orders, os.path.realpath(tempfile.gettempdir()), *command], memory=MEMORY,
            timeout_s=timeout_s)


def work_folder(prefix):
    """In memory where there is room, since this machine's disk is no part of this; otherwise in TMPDIR."""
    memory = "/dev/shm"
    roomy = os.path.isdir(memory) and shutil.disk_usage(memory).free > 1 << 30
    return tempfile.mkdtemp(prefix=prefix, dir=memory if roomy else None)
