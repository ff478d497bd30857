"""A file synchronizer on two directories, for `mayhap test specs/sync.may --sut 'stdio:python3 examples/sync/sync.py TOOL'`.

    sync.py [SETTING…] unison [OPTION…]     Unison, with these options
    sync.py [SETTING…] rsync [OPTION…]      rsync from A to B and then from B to A
    sync.py [SETTING…] --cmd 'TOOL {a} {b}' any other: `{a}` and `{b}` are the replicas, `{state}` a folder for its archive
    --scratch FOLDER                        the folder of the replicas
    --hide PREFIX                           names that begin so are not shown, such as those of temporary files that are left

The exit code of the tool is the answer of Sync: 0 if the replicas agree, 1 if something was skipped, 2 if it failed, 3 if nothing was done.
Each file has a modification time of its own, ten seconds after that of the file that was written before it, unless it is
written with `same_time`. The folder is a new one in the temporary directory. If it is given, it must be new, empty, or left by an earlier test.
"""
import os, shlex, shutil, subprocess, sys, time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "adapters"))
from mayhap_adapter import Client, serve
from scratch import Scratch

TOOLS = {
    "unison": "unison {a} {b} -batch -ui text -logfile {state}/log {options}",
    "rsync": "rsync -rtu {options} {a}/ {b}/ && rsync -rtu {options} {b}/ {a}/",
}
PATIENCE = 5  # seconds until a tool that goes on is mentioned


class Replicas:
    """Two directories, the state of the tool beside them, and the time of the next file."""

    def start(self, scratch, command):
        folder = scratch.fresh()
        self.root = {side: os.path.join(folder, side) for side in "AB"}
        self.state = os.path.join(folder, "state")
        for directory in (*self.root.values(), self.state):
            os.mkdir(directory)
        self.now = int(time.time()) - 1_000_000
        names = {"{a}": self.root["A"], "{b}": self.root["B"], "{state}": self.state}
        self.command = command
        for name, path in names.items():
            self.command = self.command.replace(name, shlex.quote(path))

    def at(self, side, path):
        if any(name in ("", ".", "..") or "/" in name or "\0" in name for name in path):
            raise ValueError("%r is no name of a file" % (path,))  # nothing outside the scratch folder is touched
        return os.path.join(self.root[side], *path)

    def tick(self):
        self.now += 10
        return self.now * 10**9


class Synchronizer(Client):
    def Read(self, side, path):
        try:
            with open(replicas.at(side, path), "rb") as file:
                return {"Content": text(file.read())}
        except OSError:
            return "Failed"

    def Ls(self, side, path):
        try:
            return {"Entries": sorted(map(text, names(os.fsencode(replicas.at(side, path)))))}
        except OSError:
            return "Failed"

    def Tree(self, side):
        return {"Replica": tree(os.fsencode(replicas.root[side]))}

    def Write(self, side, path, text, same_time):
        file = replicas.at(side, path)
        try:
            kept = os.stat(file).st_mtime_ns if same_time and os.path.exists(file) else replicas.tick()
            with open(file, "wb") as open_file:
                open_file.write(text.encode())
            os.utime(file, ns=(kept, kept))
            return "Done"
        except OSError:
            return "Failed"

    def Mkdir(self, side, path):
        try:
            return os.mkdir(replicas.at(side, path)) or "Done"
        except OSError:
            return "Failed"

    def Rm(self, side, path):
        file = replicas.at(side, path)
        try:
            if not path:
                return "Failed"
            shutil.rmtree(file) if os.path.isdir(file) and not os.path.islink(file) else os.unlink(file)
            return "Done"
        except OSError:
            return "Failed"

    def Sync(self):
        environment = dict(os.environ, HOME=replicas.state, UNISON=replicas.state, UNISONLOCALHOSTNAME="localhost")
        with open(os.path.join(replicas.state, "output"), "w+b") as output:
            tool = subprocess.Popen(replicas.command, shell=True, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment)
            try:
                tool.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                output.seek(0)
                print(output.read()[-1000:].decode(errors="backslashreplace"))
                print("The synchronizer has run for %d s. Does it wait for an answer from the terminal? Its input is empty." % PATIENCE)
                tool.wait()
            if tool.returncode in (126, 127):
                output.seek(0)
                sys.exit("the synchronizer cannot be run: " + output.read().decode(errors="backslashreplace").strip())
        return {"Exit": tool.returncode if tool.returncode >= 0 else 128 - tool.returncode}


def text(octets):
    """What is no UTF-8 is shown, and differs from all that was written."""
    return octets.decode(errors="backslashreplace")


def names(directory):
    return [name for name in os.listdir(directory) if not (hidden and name.startswith(os.fsencode(hidden)))]


def tree(file):
    if os.path.islink(file):
        return {"File": "-> " + text(os.readlink(file))}
    if os.path.isdir(file):
        return {"Dir": {text(name): tree(os.path.join(file, name)) for name in names(file)}}
    with open(file, "rb") as open_file:
        return {"File": text(open_file.read())}


def command(words):
    """The command of the tool."""
    if words[:1] == ["--cmd"] and len(words) == 2:
        return words[1]
    if not words or words[0] not in TOOLS:
        sys.exit(__doc__)
    if not shutil.which(words[0]):
        sys.exit("%s is not installed" % words[0])
    return TOOLS[words[0]].replace("{options}", " ".join(map(shlex.quote, words[1:])))


words, settings = sys.argv[1:], {"--scratch": None, "--hide": None}
while len(words) > 1 and words[0] in settings:
    settings[words[0]], words = words[1], words[2:]
tool, hidden = command(words), settings["--hide"]
scratch, replicas = Scratch(settings["--scratch"]), Replicas()
serve(Synchronizer, reset=lambda: replicas.start(scratch, tool))
