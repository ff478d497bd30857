"""beanstalkd behind an adapter: stdio:python3 beanstalkd.py PORT. It is started anew for each run."""
import os, socket, subprocess, sys, time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../examples/adapters"))
import mayhap_adapter

PORT, servers = int(sys.argv[1]), []

def reset():
    for server in servers:
        server.kill()
        server.wait()
    servers[:] = [subprocess.Popen(["beanstalkd", "-l", "127.0.0.1", "-p", str(PORT)])]
    for _ in range(1000):
        try:
            return socket.create_connection(("127.0.0.1", PORT)).close()
        except OSError:
            time.sleep(0.002)

class Jobs(mayhap_adapter.Client):
    def __init__(self):
        self.socket = socket.create_connection(("127.0.0.1", PORT))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.lines = self.socket.makefile("rb")

    def close(self):
        self.socket.shutdown(socket.SHUT_WR)
        self.lines.read()  # the system ends its side, too
        self.socket.close()

    def command(self, text):
        self.socket.sendall(text.encode() + b"\r\n")
        name, *numbers = self.lines.readline().decode().split()
        if name in ("RESERVED", "FOUND"):
            self.lines.read(int(numbers[1]) + 2)
            return {"Job": int(numbers[0])}
        if name == "INSERTED":
            return {"Inserted": int(numbers[0])}
        return {"TIMED_OUT": "Nothing", "RELEASED": "Done", "DELETED": "Done", "NOT_FOUND": "NotFound"}[name]

    def Put(self): return self.command("put 0 0 1000 1\r\nx")
    def Reserve(self): return self.command("reserve-with-timeout 0")
    def Release(self, id): return self.command("release %d 0 0" % id)
    def Delete(self, id): return self.command("delete %d" % id)
    def PeekReady(self):
        answer = self.command("peek-ready")
        return "Nothing" if answer == "NotFound" else answer

mayhap_adapter.serve(Jobs, reset, closes=True)
for server in servers:
    server.kill()
