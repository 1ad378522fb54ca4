"""A stand-in for a stock Raspberry Pi OS Lite image: a small Debian in the same two partitions, with what such an image
has that a card must not have."""
import os, shutil, subprocess

PACKAGES = [
    "systemd-sysv", "libpam-systemd", "udev", "dbus", "openssh-server", "e2fsprogs", "kmod", "iproute2",
    "ca-certificates", "sudo", "tzdata", "procps", "python3-minimal"]
DISK_ID = "4a7c11e5"
CMDLINE = (f"console=serial0,115200 console=tty1 root=PARTUUID={DISK_ID}-02 rootfstype=ext4 fsck.repair=yes rootwait "
           "resize")
FSTAB = f"""proc /proc proc defaults 0 0
PARTUUID={DISK_ID}-01 /boot/firmware vfat defaults 0 2
PARTUUID={DISK_ID}-02 / ext4 defaults,noatime 0 1
"""
# Such an image makes its host keys anew and grows at its first boot, by services of these names.
FIRST_BOOT = """[Unit]
Description=First boot of a stock image

[Service]
Type=oneshot
ExecStart=/bin/sh -c 'echo %n >/dev/console; rm -f /etc/ssh/ssh_host_*'

[Install]
WantedBy=multi-user.target
"""
MB = 1 << 20
BOOT_AT, BOOT_MB, ROOT_MB = 8 * MB, 64, 720


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def debian(folder, suite, architecture, packages=PACKAGES, name="card"):
    """A packed system, made once and kept."""
    packed = os.path.join(folder, f"{name}-{suite}-{architecture}.tar")
    if not os.path.exists(packed):
        os.makedirs(folder, exist_ok=True)
        site = subprocess.run(
            ["apt-get", "indextargets", "--format", "$(SITE)"], capture_output=True, text=True, check=True).stdout
        mirror = sorted(line for line in set(site.split()) if "security" not in line)[0]
        part = os.path.join(folder, f"part-{name}-{architecture}.tar")
        run("mmdebstrap", "--quiet", f"--arch={architecture}", "--variant=apt", "--include=" + ",".join(packages),
            suite, part, f"deb {mirror} {suite} main")
        os.rename(part, packed)
    return packed


def image(packed, path, folder):
    """The image at `path`, of a packed system."""
    root, firmware = f"{folder}/stock", f"{folder}/firmware"
    os.makedirs(root)
    run("tar", "-C", root, "-xpf", packed, "--exclude=./dev/*")
    make_stock(root)
    with open(path, "wb") as file:
        file.truncate(BOOT_AT + (BOOT_MB + ROOT_MB) * MB)
    start = BOOT_AT // 512
    table = (f"label: dos\nlabel-id: 0x{DISK_ID}\n{start},{BOOT_MB * 2048},c\n"
             f"{start + BOOT_MB * 2048},{ROOT_MB * 2048},83\n")
    run("sfdisk", "--quiet", path, input=table, text=True)
    with open(firmware, "wb") as file:
        file.truncate(BOOT_MB * MB)
    run("mkfs.vfat", "-F", "32", "-s", "1", "-n", "bootfs", firmware, stdout=subprocess.DEVNULL)
    files = {"cmdline.txt": CMDLINE + "\n", "config.txt": "arm_64bit=1\n", "kernel8.img": "kernel\n" * 9000}
    for name, text in files.items():
        write(f"{folder}/{name}", text)
        run("mcopy", "-i", firmware, f"{folder}/{name}", f"::{name}")
    run("mmd", "-i", firmware, "::overlays")
    run("mkfs.ext4", "-q", "-L", "rootfs", "-O", "^64bit,^huge_file", "-d", root, f"{folder}/ext4", f"{ROOT_MB}M")
    for part, at in ((firmware, BOOT_AT), (f"{folder}/ext4", BOOT_AT + BOOT_MB * MB)):
        run("dd", f"if={part}", f"of={path}", "bs=1M", f"seek={at // MB}", "conv=notrunc,sparse", "status=none")
        os.remove(part)
    shutil.rmtree(root)
    return path


def make_stock(root):
    os.makedirs(f"{root}/boot/firmware", exist_ok=True)
    write(f"{root}/etc/fstab", FSTAB)
    write(f"{root}/etc/machine-id", "uninitialized\n")
    write(f"{root}/etc/resolv.conf", "nameserver 192.0.2.53\n")
    os.makedirs(f"{root}/etc/NetworkManager/system-connections", exist_ok=True)
    os.makedirs(f"{root}/etc/cloud", exist_ok=True)
    for name in ("regenerate_ssh_host_keys", "rpi-resize"):
        write(f"{root}/usr/lib/systemd/system/{name}.service", FIRST_BOOT)
        os.symlink(f"/usr/lib/systemd/system/{name}.service",
                   f"{root}/etc/systemd/system/multi-user.target.wants/{name}.service")


def write(path, text):
    with open(path, "w") as file:
        file.write(text)
