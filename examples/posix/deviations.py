"""Mistakes that a file system could make: each is the module `os`, with a function that does something else.

    mayhap test specs/posix.may --sut 'stdio:python3 examples/posix/posix.py --deviation excl-follows'
"""
import os, shutil, time


class Deviation:
    def __getattr__(self, name):
        return getattr(os, name)


class RenameOverFull(Deviation):
    """rename replaces a directory that is not empty."""

    def rename(self, old, new):
        if os.path.isdir(old) and os.path.isdir(new) and not os.path.samefile(old, new) and not os.path.islink(new):
            shutil.rmtree(new)
        os.rename(old, new)


class RenameSameFile(Deviation):
    """rename of a file to another link of the same file removes the old name."""

    def rename(self, old, new):
        is_same = os.path.lexists(new) and os.path.samestat(os.lstat(old), os.lstat(new)) and not os.path.isdir(old)
        os.rename(old, new)
        if is_same and os.path.lexists(old):
            os.unlink(old)


class RenameInTwoSteps(Deviation):
    """rename removes what it replaces before it moves the file: for several clients."""

    def rename(self, old, new):
        if os.path.isfile(old) and os.path.isfile(new) and not os.path.samefile(old, new):
            os.unlink(new)
            time.sleep(0.001)
        os.rename(old, new)


class ExclFollows(Deviation):
    """O_CREAT | O_EXCL creates the file to which a dangling link points."""

    def open(self, path, flags, mode):
        is_dangling = flags & os.O_EXCL and os.path.islink(path) and not os.path.exists(path)
        return os.open(path, flags & ~os.O_EXCL if is_dangling else flags, mode)


class ExclInTwoSteps(Deviation):
    """O_CREAT | O_EXCL tests whether there is a file, and creates it later: for several clients."""

    def open(self, path, flags, mode):
        if flags & os.O_EXCL and not os.path.lexists(path):
            time.sleep(0.001)
            flags &= ~os.O_EXCL
        return os.open(path, flags, mode)


class NofollowFollows(Deviation):
    """O_NOFOLLOW is ignored."""

    def open(self, path, flags, mode):
        return os.open(path, flags & ~os.O_NOFOLLOW, mode)


class TruncKeeps(Deviation):
    """O_TRUNC is ignored."""

    def open(self, path, flags, mode):
        return os.open(path, flags & ~os.O_TRUNC, mode)


class AppendAtOffset(Deviation):
    """O_APPEND is ignored, so that data is written at the offset."""

    def open(self, path, flags, mode):
        return os.open(path, flags & ~os.O_APPEND, mode)


class UnlinkEmpties(Deviation):
    """unlink of the last name of a file empties it, though it may be open."""

    def unlink(self, path):
        is_last = os.path.isfile(path) and not os.path.islink(path) and os.stat(path).st_nlink == 1
        if is_last:
            os.truncate(path, 0)
        os.unlink(path)


class RmdirFull(Deviation):
    """rmdir removes a directory that is not empty."""

    def rmdir(self, path):
        if os.path.isdir(path) and not os.path.islink(path) and not path.endswith("."):
            shutil.rmtree(path)
        else:
            os.rmdir(path)


class ReaddirDot(Deviation):
    """readdir lists "." among the names."""

    def listdir(self, path):
        return [b".", *os.listdir(path)]


class ReaddirMisses(Deviation):
    """readdir misses a name that rename has made."""

    def __init__(self):
        self.renamed = set()

    def rename(self, old, new):
        os.rename(old, new)
        self.renamed.add((os.stat(os.path.dirname(new) or ".").st_ino, os.path.basename(new).encode()))

    def listdir(self, path):
        directory = os.stat(path).st_ino
        return [name for name in os.listdir(path) if (directory, name) not in self.renamed]


class LinkFollows(Deviation):
    """link makes a link to the file to which a symbolic link points."""

    def link(self, old, new, follow_symlinks):
        os.link(os.path.realpath(old) if os.path.isfile(old) else old, new, follow_symlinks=False)


class LinkUncounted(Deviation):
    """stat and lstat say that each file has one link."""

    def stat(self, path, look=os.stat):
        found = look(path)
        return found if os.path.isdir(path) else os.stat_result([*found[:3], 1, *found[4:]])

    def lstat(self, path):
        return self.stat(path, os.lstat)


class SymlinkSize(Deviation):
    """The size of a symbolic link counts an octet at its end."""

    def lstat(self, path):
        found = os.lstat(path)
        return os.stat_result([*found[:6], found.st_size + os.path.islink(path), *found[7:]])


def name_of(deviation):
    return "".join("-" + letter.lower() if letter.isupper() else letter for letter in deviation.__name__)[1:]


ALL = {name_of(deviation): deviation for deviation in Deviation.__subclasses__()}
