"""Files of the system that is configured, which may be another one's root folder, and changes of them."""
import hashlib, os, re, tempfile

OURS = "written by godwit-setup; changed by hand it is left alone from then on"


class Tree:
    """A system's root folder. Links in it lead to where they would there."""

    def __init__(self, root, force=False):
        self.root, self.force = os.path.realpath(root), force
        # What files will hold once the changes so far are made: one file may have several.
        self.planned = {}

    @property
    def is_live(self):
        return self.root == "/" and os.path.isdir("/run/systemd/system")

    def real(self, path):
        """Where that file of the system lies here, by all links but the last one."""
        folder, rest, links = self.root, [part for part in path.split("/") if part], 0
        while rest:
            part = rest.pop(0)
            if part == ".":
                continue
            if part == "..":
                folder = folder if folder == self.root else os.path.dirname(folder)
                continue
            next_one = os.path.join(folder, part)
            if rest and os.path.islink(next_one):
                links += 1
                if links > 40:
                    raise OSError(40, "too many links", path)
                target = os.readlink(next_one)
                if target.startswith("/"):
                    folder = self.root
                rest = [piece for piece in target.split("/") if piece] + rest
                continue
            folder = next_one
        return folder

    def file(self, path):
        """The same for a file that may be a link itself."""
        place = self.real(path)
        for _ in range(40):
            if not os.path.islink(place):
                return place
            target = os.readlink(place)
            above = "" if target.startswith("/") else self.inside(os.path.dirname(place)) + "/"
            place = self.real(above + target)
        raise OSError(40, "too many links", path)

    def inside(self, place):
        return place if self.root == "/" else place[len(self.root):] or "/"

    def read(self, path):
        """None where there is none."""
        if path in self.planned:
            return self.planned[path]
        try:
            with open(self.file(path), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def names(self, path):
        """What is in a folder; nothing where there is none."""
        try:
            return sorted(os.listdir(self.file(path)))
        except (FileNotFoundError, NotADirectoryError):
            return []

    def exists(self, path):
        return os.path.lexists(self.real(path))


class Change:
    """What becomes of one file. `after` is None: it goes."""

    is_secret = False

    def __init__(self, tree, path, before, after, what, undo, services=(), mode=0o644, refusal=None, is_damaged=False):
        self.tree, self.path, self.before, self.after = tree, path, before, after
        self.what, self.undo, self.services, self.mode = what, undo, services, mode
        # Why it is not made.
        self.refusal = refusal if is_damaged or not tree.force else None
        if not self.refusal:
            tree.planned[path] = after

    @property
    def is_needed(self):
        return self.before != self.after

    def perform(self):
        place = self.tree.file(self.path)
        if self.after is None:
            os.remove(place)
            flush(os.path.dirname(place))
            return
        os.makedirs(os.path.dirname(place), exist_ok=True)
        replace(place, self.after, self.mode)


class Link(Change):
    """A link in place of nothing: a unit that is masked."""

    def perform(self):
        place = self.tree.real(self.path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.symlink(self.after.decode(), place)
        flush(os.path.dirname(place))


def replace(place, data, mode):
    """The file is the old one or the new one, also after a power cut. Its owner and mode stay."""
    handle, temporary = tempfile.mkstemp(prefix=".godwit-setup-", dir=os.path.dirname(place))
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            try:
                known = os.stat(place)
                os.fchown(file.fileno(), known.st_uid, known.st_gid)
                mode = known.st_mode & 0o7777
            except FileNotFoundError:
                pass
            # A FAT partition has no modes.
            try:
                os.fchmod(file.fileno(), mode)
            except PermissionError:
                pass
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, place)
    except BaseException:
        os.unlink(temporary)
        raise
    flush(os.path.dirname(place))


def flush(folder):
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# MARK: What is ours


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def whole(text):
    """A file that is ours alone, with its mark."""
    return f"# {OURS} ({digest(text)})\n{text}".encode()


def is_untouched(data):
    found = re.fullmatch(rb"# " + re.escape(OURS).encode() + rb" \(([0-9a-f]{12})\)\n(.*)", data, re.DOTALL)
    return bool(found) and digest(found[2].decode(errors="replace")) == found[1].decode()


def own_file(tree, path, text, what, services=(), mode=0o644):
    """`text` None: none is wanted."""
    before = tree.read(path)
    after = None if text is None else whole(text)
    refusal = None
    if before is not None and before != after and not is_untouched(before):
        refusal = "it is not as godwit-setup has written it; remove it, or use --force"
        # Somebody else's file that is not wanted either is no business of ours.
        if text is None:
            after, refusal = before, None
    what = "removed" if text is None else what
    undo = "run godwit-setup with what it was made by" if text is None else f"rm {path}"
    return Change(tree, path, before, after, what, undo, services, mode, refusal)


def block_of(text, name):
    """A marked block: everything before it, its digest, its lines, everything after it; or None."""
    pattern = rf"(?s)\A(.*?)^# >>> godwit-setup {name} ([0-9a-f]{{12}})[^\n]*\n(.*?)^# <<< godwit-setup {name}\n?(.*)\Z"
    return re.match(pattern, text, re.MULTILINE)


def block(tree, path, name, lines, what, services=(), needs_file=False):
    """A block of ours in a file of somebody else's, at its end. `lines` "": empty, where there is one."""
    before = tree.read(path)
    if before is None and needs_file:
        raise FileNotFoundError(f"{path}: there is no such file")
    # What is no UTF-8 stays as it is.
    text = (before or b"").decode(errors="surrogateescape")
    found = block_of(text, name)
    refusal = None
    if found:
        ahead, known, old, behind = found.groups()
        if digest(old) != known and old != lines:
            refusal = f'the lines between its marks "godwit-setup {name}" were changed; remove them, or use --force'
    else:
        # One mark of two.
        if f"godwit-setup {name}" in text:
            refusal = f'its marks "godwit-setup {name}" are damaged; remove them and what lies between them'
        elif not lines:
            return Change(tree, path, before, before, what, "")
        ahead, behind = text + ("" if not text or text.endswith("\n") else "\n"), ""
    marked = f"# >>> godwit-setup {name} {digest(lines)} {OURS}\n{lines}# <<< godwit-setup {name}\n"
    after = (ahead + marked + behind).encode(errors="surrogateescape")
    undo = f'delete the lines with the marks "godwit-setup {name}"'
    return Change(tree, path, before, after, what, undo, services, refusal=refusal, is_damaged=not found)
