#!/bin/sh
# Guess: a job of which beanstalkd has got the first line but not yet the body is not there for others: stats-job is answered with
# NOT_FOUND. Its documentation says of the state: "ready" or "delayed" or "reserved" or "buried".
# True: the job has its number already, and its state is a fifth one: invalid. As soon as the body has arrived it is ready.
# Source: beanstalkd 1.12 (Debian 1.12-2+b1), whose documentation is protocol.txt.
# It matters to monitors and client libraries that read the state as one of four, and to tests with two clients and large jobs.
set -eu
there=$(mktemp -d)
trap 'rm -rf "$there"' EXIT
cd "$there"
apt-get download -q beanstalkd=1.12-2+b1 >/dev/null
dpkg-deb -x beanstalkd_*.deb files
cat >run.py <<'END'
import gzip, re, socket, subprocess, time
documented = gzip.open("files/usr/share/doc/beanstalkd/protocol.txt.gz", "rt").read()
states = re.search(r'"state" is ([^\n]*)', documented).group(1)
print("documented:", states)
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    port = s.getsockname()[1]
server = subprocess.Popen(["files/usr/bin/beanstalkd", "-l", "127.0.0.1", "-p", str(port)])
def connection():
    for _ in range(100):
        try:
            return socket.create_connection(("127.0.0.1", port), 5)
        except OSError:
            time.sleep(0.1)
def asked(client, text, end):
    client.sendall(text)
    answer = b""
    while not answer.endswith(end):
        answer += client.recv(4096)
    return answer.decode()
def state(client):
    answer = asked(client, b"stats-job 1\r\n", b"\n\r\n")
    return re.search(r"^state: (\w+)", answer, re.M).group(1)
try:
    sender, other = connection(), connection()
    sender.sendall(b"put 0 0 60 6\r\nabc")
    time.sleep(0.5)
    before = state(other)
    inserted = asked(sender, b"def\r\n", b"\r\n").strip()
    after = state(other)
finally:
    server.terminate()
    server.wait()
print("while the body is on its way:", before, "| then:", inserted, after)
assert (before, inserted, after) == ("invalid", "INSERTED 1", "ready") and "invalid" not in states
END
python3 run.py
