"""A scratch folder for an adapter whose system writes files: nothing outside of it is touched, and it is gone at the end.

    scratch = Scratch()                         # a new folder in the temporary directory
    scratch = Scratch(within="/mnt/under-test") # a new folder there
    scratch = Scratch("/mnt/under-test/mine")   # this one: it must be new, or empty, or left by an earlier test
    folder = scratch.fresh()                    # an empty folder in it; what the last call made is removed

It is made before the program has threads: a process of its own removes the folder as soon as this one has ended, however it ends.
"""
import atexit, os, shutil, signal, stat, sys, tempfile, time

MARK = ".mayhap-scratch"  # this file says that a folder is ours


class Scratch:
    def __init__(self, folder=None, within=None):
        self.is_made, self.number, self.current = False, 0, None
        if folder is None:
            try:
                self.folder, self.is_made = tempfile.mkdtemp(prefix="mayhap-", dir=within), True
            except OSError as error:
                sys.exit("no scratch folder can be made: %s" % error)
        else:
            self.folder = os.path.abspath(folder)
            self._take()
        open(os.path.join(self.folder, MARK), "w").close()
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
        try:
            names = os.listdir(self.folder)
        except OSError as error:
            sys.exit("the scratch folder cannot be read: %s" % error)
        if names and MARK not in names:
            sys.exit("the scratch folder %s has files that no test made: nothing was touched" % self.folder)
        self._empty()

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
        os.unlink(os.path.join(self.folder, MARK))
        if self.is_made:
            os.rmdir(self.folder)

    def _leave_at_the_end(self):
        ended, ours = os.pipe()
        cleaner = os.fork()
        if cleaner == 0:
            os.setsid()  # what ends the adapter does not end this
            os.dup2(ended, 3)
            os.closerange(4, 4096)
            nothing = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nothing, stream)
            os.read(3, 1)
            for _ in range(100):
                try:
                    self._leave()
                    break
                except OSError:
                    time.sleep(0.05)  # what the adapter has started may still be at work
            os._exit(0)
        os.close(ended)
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that this process waits then, too
        atexit.register(lambda: (os.close(ours), os.waitpid(cleaner, 0)))


def _remove(folder):
    """Removes a folder, also if directories in it may not be written."""
    for directory, names, _ in os.walk(folder):
        os.chmod(directory, 0o700)
    shutil.rmtree(folder)
