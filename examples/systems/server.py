"""A server for an adapter: it listens on a free port of 127.0.0.1, and ends when the adapter ends."""
import atexit, ctypes, os, shlex, signal, socket, subprocess, sys, time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "adapters"))  # for `import mayhap_adapter`


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _end_with_parent():
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl"):  # Linux: if the adapter is killed, so is its server
        libc.prctl(1, signal.SIGKILL)


class Server:
    """A program that is started with a port of its own, as in `Server("memcached -l 127.0.0.1 -p {port}")`."""

    def __init__(self, command):
        self.port = free_port()
        self.command = shlex.split(command.format(port=self.port))
        self.process = None
        atexit.register(self.stop)

    def start(self):
        """Starts the program, or starts it again, and waits until it listens."""
        self.stop()
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL, preexec_fn=_end_with_parent)
        for _ in range(2000):
            if self.process.poll() is not None:
                break
            try:
                return socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                time.sleep(0.002)
        sys.exit("%s does not listen" % " ".join(self.command))

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def connect(self):
        """A connection: its socket, and the same as a file to read lines from."""
        connection = socket.create_connection(("127.0.0.1", self.port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection, connection.makefile("rb")
