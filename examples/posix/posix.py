"""An adapter for the system calls of a file system, in a directory of its own:

    mayhap test specs/posix.may --sut 'stdio:python3 examples/posix/posix.py' --clients 4
    mayhap test specs/posix.may --sut 'stdio:python3 examples/posix/posix.py --at /mnt/mine'

Each client is a process that makes the calls. They work in a new directory in DIR (--at; the temporary directory), which is removed
at the end, or in --scratch FOLDER, which must be empty or left from an earlier test. --deviation NAME plants a mistake, to see it
found (deviations.py has them). With --record, the calls of a recording are made, those of several clients at once, and what they
answer is printed as another recording:

    mayhap simulate specs/posix.may --clients 4 --net tcp | python3 examples/posix/posix.py --record > recorded.ndjson
"""
import argparse, ctypes, errno, json, marshal, os, resource, shutil, sys, threading, traceback

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "adapters"))
from scratch import Scratch

NEW_USER = 0x10000000  # CLONE_NEWUSER
OPEN_MAX = 16  # as in specs/posix.may: few, so that tests come to EMFILE


class Calls:
    """The calls by their names, as the specification has them; errors are exceptions. `os` may have a mistake."""

    def __init__(self, os):
        self.os = os

    def Open(self, path, access, flags):
        return {"Opened": self.os.open(path, sum(getattr(os, flag) for flag in [access, *flags]), 0o666)}

    def Close(self, fd): self.os.close(fd)
    def Read(self, fd, count): return {"Data": self.os.read(fd, count)}
    def Write(self, fd, data): return {"Written": self.os.write(fd, data)}
    def Seek(self, fd, offset): self.os.lseek(fd, offset, os.SEEK_SET)
    def Fstat(self, fd): return status(self.os.fstat(fd))
    def Stat(self, path): return status(self.os.stat(path))
    def Lstat(self, path): return status(self.os.lstat(path))
    def Readdir(self, path): return {"Entries": [text(name) for name in self.os.listdir(path.encode())]}
    def Readlink(self, path): return {"Target": text(self.os.readlink(path.encode())).split("/")}
    def Mkdir(self, path): self.os.mkdir(path)
    def Rmdir(self, path): self.os.rmdir(path)
    def Unlink(self, path): self.os.unlink(path)
    def Symlink(self, target, path): self.os.symlink(target, path)
    def Link(self, path, new): self.os.link(path, new, follow_symlinks=False)
    def Rename(self, path, new): self.os.rename(path, new)


def text(name):
    return name.decode(errors="backslashreplace")  # nobody made a name that is no UTF-8: it is shown as \xNN


def status(stat):
    kind = {0o100000: "File", 0o040000: "Directory", 0o120000: "Symlink"}.get(stat.st_mode & 0o170000, "Other")
    return {"Status": {"kind": kind, "size": stat.st_size, "links": stat.st_nlink}}


def answer(calls, name, arguments, confined):
    """Makes a call. The answer `None` says that it was not made, as it could touch something that is not ours."""
    for path in {"path", "new", "target"} & arguments.keys():
        names = arguments[path]
        if any(name == "" or "/" in name for name in names) or ".." in names and not confined:
            return None
        arguments[path] = "/".join(names)
    if not 3 <= arguments.get("fd", 3) < OPEN_MAX:
        return None
    try:
        return getattr(calls, name)(**arguments) or "Done"
    except OSError as error:
        return errno.errorcode[error.errno]


def is_confined(root):
    """Makes `root` the root directory of this process, so that no ".." leads out of it; false if that is not allowed here."""
    os.chdir(root)
    for is_ready in (lambda: True, lambda: ctypes.CDLL(None).unshare(NEW_USER) == 0):
        try:
            if is_ready():
                os.chroot(".")
                return True
        except OSError:
            pass
    return False


def work(root, deviation):
    """A process that makes the calls that it reads, until there are no more."""
    calls, confined = Calls(deviating(deviation)), is_confined(root)
    os.closerange(3, 1024)  # the pipes of others; the first open file is 3
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_MAX, OPEN_MAX))
    requests, answers = os.fdopen(0, "rb"), os.fdopen(1, "wb")
    while True:
        try:
            request = marshal.load(requests)
        except EOFError:
            return
        if request is None:  # the process begins anew
            os.closerange(3, OPEN_MAX)
            calls = Calls(deviating(deviation))
        marshal.dump(request and answer(calls, *request, confined), answers)
        answers.flush()


def deviating(name):
    if name is None:
        return os
    import deviations
    if name not in deviations.ALL:
        sys.exit("there is no deviation %s; there are %s" % (name, ", ".join(deviations.ALL)))
    return deviations.ALL[name]()


class Worker:
    """A process that works, as it is seen from here."""

    def __init__(self, root, deviation):
        (theirs, requests), (answers, mine) = os.pipe(), os.pipe()
        if os.fork() == 0:
            try:
                os.dup2(theirs, 0)
                os.dup2(mine, 1)
                work(root, deviation)
            except BaseException:
                traceback.print_exc()
            os._exit(0)
        os.close(theirs)
        os.close(mine)
        self.requests, self.answers, self.lock = os.fdopen(requests, "wb"), os.fdopen(answers, "rb"), threading.Lock()

    def ask(self, request):
        """The answer to a call with its arguments. `None` instead of a call closes all files."""
        with self.lock:
            try:
                marshal.dump(request, self.requests)
                self.requests.flush()
                return marshal.load(self.answers)
            except (EOFError, BrokenPipeError):
                raise RuntimeError("the process that makes the calls has ended") from None


def empty(root):
    for entry in os.scandir(root):
        shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)


def serve(root, deviation):
    """Answers what the tester asks."""
    workers = [Worker(root, deviation) for _ in range(8)]  # before there are threads, and before an answer is awaited
    import mayhap_adapter  # not before the processes are made: it takes standard output

    class Process(mayhap_adapter.Client):
        def __init__(self):
            self.worker = workers.pop() if workers else Worker(root, deviation)

        def ask(self, request):
            ((name, arguments),) = request.items()
            if "data" in arguments:
                arguments["data"] = mayhap_adapter.to_bytes(arguments["data"])
            answer = self.worker.ask((name, arguments))
            if answer is None:
                raise mayhap_adapter.Refused
            return answer

        def close(self):
            self.worker.ask(None)
            workers.append(self.worker)

    mayhap_adapter.serve(Process, reset=lambda: empty(root))


def record(root, deviation):
    """Makes the calls of the recording on standard input, those of each client by a process, and prints what they answer."""
    todo, lock = {}, threading.Lock()
    for line in map(json.loads, sys.stdin):
        if "q" in line:
            todo.setdefault(line.get("c", 1), []).append(line["q"])

    def say(**line):
        with lock:
            print(json.dumps(line, default=lambda octets: octets.decode()), flush=True)

    def run(client, worker, requests):
        for request in requests:
            ((name, arguments),) = request.items()
            say(c=client, q=request)
            say(c=client, a=worker.ask((name, {**arguments, **({"data": arguments["data"].encode()} if "data" in arguments else {})})))

    clients = [(client, Worker(root, deviation), calls) for client, calls in todo.items()]
    threads = [threading.Thread(target=run, args=of) for of in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = arguments.add_mutually_exclusive_group()
    where.add_argument("--at", metavar="DIR", help="where a new directory is made")
    where.add_argument("--scratch", metavar="FOLDER", help="a directory that is empty or left from an earlier test")
    arguments.add_argument("--deviation", metavar="NAME", help="a mistake of deviations.py")
    arguments.add_argument("--record", action="store_true", help="make the calls of a recording, and print another one")
    chosen = arguments.parse_args()
    deviating(chosen.deviation)  # so that a wrong name is reported here
    root = Scratch(chosen.scratch, chosen.at).fresh()
    (record if chosen.record else serve)(root, chosen.deviation)


if __name__ == "__main__":
    main()
