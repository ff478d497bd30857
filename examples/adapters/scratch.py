"""A scratch folder for an adapter whose system writes files: nothing outside of it is touched, and it is gone at the end.

    scratch = Scratch()                         # a new folder in the temporary directory
    scratch = Scratch(within="/mnt/under-test") # a new folder there
    scratch = Scratch("/mnt/under-test/mine")   # this one: it must be new, or empty, or left by an earlier test
    folder = scratch.fresh()                    # an empty folder in it; what the last call made is removed

It is made before the program has threads: a process of its own removes the folder as soon as this one has ended, however it ends.
"""
import atexit, fcntl, os, signal, stat, sys, tempfile, time

MARK = ".mayhap-scratch"  # this file says that a folder is ours; who uses the folder has locked it
PATIENCE = 10  # seconds until an earlier test has removed what it made


class Scratch:
    def __init__(self, folder=None, within=None):
        self.is_made, self.number, self.current = False, 0, None
        try:
            if folder is None:
                self.folder, self.is_made = tempfile.mkdtemp(prefix="mayhap-", dir=within), True
            else:
                self.folder = os.path.abspath(folder)
                self._take()
            self.lock = self._locked()
            self._empty()
        except OSError as error:
            sys.exit("the scratch folder cannot be used: %s" % error)
        self._leave_at_the_end()

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
        names, mark = os.listdir(self.folder), os.path.join(self.folder, MARK)
        if names and not (MARK in names and stat.S_ISREG(os.lstat(mark).st_mode)):
            sys.exit("the scratch folder %s has files that no test made: nothing was touched" % self.folder)

    def _locked(self):
        """The mark, locked: an earlier test that was killed may still be removing what it made."""
        mark, until = os.path.join(self.folder, MARK), time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                lock = os.open(mark, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            except FileNotFoundError:  # the folder has just gone
                self._take()
                continue
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(lock), os.lstat(mark)):
                    return lock
            except (BlockingIOError, FileNotFoundError):
                time.sleep(0.05)
            os.close(lock)
        sys.exit("the scratch folder %s is used by another test" % self.folder)

    def fresh(self):
        if self.current:
            _remove(self.current)
        self.number += 1
        self.current = os.path.join(self.folder, str(self.number))
        os.mkdir(self.current)
        return self.current

    def _empty(self):
        for name in os.listdir(self.folder):
            if name.isdigit():
                _remove(os.path.join(self.folder, name))

    def _leave(self):
        self._empty()
        if os.listdir(self.folder) == [MARK]:  # else the mark stays, so that a later test may take the folder
            os.unlink(os.path.join(self.folder, MARK))
            if self.is_made:
                os.rmdir(self.folder)

    def _leave_at_the_end(self):
        ended, ours = os.pipe()
        cleaner = os.fork()
        if cleaner == 0:
            os.setsid()  # what ends the adapter does not end this
            nothing = os.open(os.devnull, os.O_RDWR)
            for descriptor in range(4096):
                if descriptor < 3:
                    os.dup2(nothing, descriptor)
                elif descriptor not in (ended, self.lock):
                    _close(descriptor)
            os.read(ended, 1)
            for _ in range(100):
                try:
                    self._leave()
                    break
                except FileNotFoundError:
                    break  # somebody else has removed it
                except OSError:
                    time.sleep(0.05)  # what the adapter has started may still be at work
            os._exit(0)
        os.close(ended)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that this process waits then, too
        atexit.register(lambda: (os.close(ours), os.waitpid(cleaner, 0)))


def _close(descriptor):
    try:
        os.close(descriptor)
    except OSError:
        pass  # it was not open


def _remove(path):
    """Removes a file, or a folder with all that is in it, also if it may not be read or written; links are not followed."""
    if os.path.islink(path) or not os.path.isdir(path):
        os.unlink(path)
        return
    os.chmod(path, 0o700)
    for name in os.listdir(path):
        _remove(os.path.join(path, name))
    os.rmdir(path)
