"""The kernel runs programs of arm64 with qemu, for as long as the rig needs it."""
import contextlib, os, subprocess, tempfile

from Guest.guest import require_program

RULE = (r":godwit-rig:M::\x7f\x45\x4c\x46\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
        r":\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:QEMU:F")


@contextlib.contextmanager
def emulated():
    """As binfmt-support does for good; a rule that is there already stays."""
    require_program("qemu-aarch64-static", "qemu-user-static")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "binfmt_misc", "none", folder], check=True)
        rule = f"{folder}/godwit-rig"
        has_one = any("aarch64" in name for name in os.listdir(folder)) or os.path.exists(rule)
        try:
            if not has_one:
                with open(f"{folder}/register", "w") as file:
                    file.write(RULE.replace("QEMU", "/usr/bin/qemu-aarch64-static"))
            yield
        finally:
            if not has_one:
                with open(rule, "w") as file:
                    file.write("-1")
            subprocess.run(["umount", folder], check=True)
