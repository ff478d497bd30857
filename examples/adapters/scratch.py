"""A scratch folder for an adapter whose system writes files: nothing outside of it is touched, and it is gone at the end.

    scratch = Scratch()                  # a new folder in the temporary directory
    scratch = Scratch("/mnt/under-test") # this one: it must be new, or empty, or left by an earlier test
    folder = scratch.fresh()             # an empty folder in it; what the last call made is removed
"""
import atexit, os, shutil, signal, stat, sys, tempfile

MARK = ".mayhap-scratch"  # this file says that a folder is ours


class Scratch:
    def __init__(self, folder=None):
        self.is_made, self.number, self.current = False, 0, None
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the folder is removed then, too
        if folder is None:
            self.folder, self.is_made = tempfile.mkdtemp(prefix="mayhap-"), True
        else:
            self.folder = os.path.abspath(folder)
            self._take()
        open(os.path.join(self.folder, MARK), "w").close()
        atexit.register(self._leave)

    def _take(self):
        """Takes a folder of the user's, if nothing of the user's can be lost."""
        try:
            os.mkdir(self.folder, 0o700)
            self.is_made = True
        except FileExistsError:
            pass
        except OSError as error:
            sys.exit("the scratch folder cannot be made: %s" % error)
        found = os.lstat(self.folder)
        if not stat.S_ISDIR(found.st_mode):
            sys.exit("the scratch folder %s is no directory: nothing was touched" % self.folder)
        if found.st_uid != os.geteuid():
            sys.exit("the scratch folder %s belongs to another user: nothing was touched" % self.folder)
        try:
            names = os.listdir(self.folder)
        except OSError as error:
            sys.exit("the scratch folder cannot be read: %s" % error)
        if names and MARK not in names:
            sys.exit("the scratch folder %s has files that no test made: nothing was touched" % self.folder)
        for name in names:
            if name.isdigit():
                _remove(os.path.join(self.folder, name))

    def fresh(self):
        if self.current:
            _remove(self.current)
        self.number += 1
        self.current = os.path.join(self.folder, str(self.number))
        os.mkdir(self.current)
        return self.current

    def _leave(self):
        if self.current:
            _remove(self.current)
        os.unlink(os.path.join(self.folder, MARK))
        if self.is_made:
            os.rmdir(self.folder)


def _remove(folder):
    """Removes a folder, also if directories in it may not be written."""
    for directory, names, _ in os.walk(folder):
        os.chmod(directory, 0o700)
    shutil.rmtree(folder)
