//! A running `mayhap serve --tcp`, and clients of it, good and bad.

mod clients;
mod talking;

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Longer than anything here may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server on a free port of this machine.
pub struct Served {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Served {
    /// Starts one.
    pub fn start(spec: &str, options: &[&str]) -> Served {
        let arguments = [&["serve", spec, "--tcp", "127.0.0.1:0"], options].concat();
        let mut child = crate::command::mayhap(&arguments).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut first).unwrap();
        let address = first.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("{first:?}"));
        Served { address: address.parse().unwrap(), child }
    }

    /// A client of it.
    pub fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// Sends a signal, waits, and returns the exit code and what stood on standard error.
    pub fn stop(mut self, signal: &str) -> (Option<i32>, String) {
        send_signal(&self.child, signal);
        let status = wait(&mut self.child);
        let mut stderr = String::new();
        std::io::Read::read_to_string(self.child.stderr.as_mut().unwrap(), &mut stderr).unwrap();
        (status, stderr)
    }
}

/// A failing test leaves nothing running.
impl Drop for Served {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Sends a signal by its name.
pub fn send_signal(child: &Child, signal: &str) {
    let kill = Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status().unwrap();
    assert!(kill.success());
}

/// Waits until it ends, but not for ever.
pub fn wait(child: &mut Child) -> Option<i32> {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    _ = child.kill();
    panic!("the server does not end");
}

/// A connection.
pub struct Client {
    stream: TcpStream,
    reader: BufReader<TcpStream>,
}

impl Client {
    fn new(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Client { reader: BufReader::new(stream.try_clone().unwrap()), stream }
    }

    /// Sends these bytes; a server that is gone does not take them.
    pub fn say(&mut self, bytes: impl AsRef<[u8]>) {
        _ = self.stream.write_all(bytes.as_ref());
    }

    /// The next line; the empty string where the server closed the connection.
    pub fn hear(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).expect("an answer in time");
        line.trim_end().to_owned()
    }

    /// The next line, if one comes soon.
    pub fn hear_soon(&mut self) -> Option<String> {
        self.stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
        let mut line = String::new();
        let heard = self.reader.read_line(&mut line);
        self.stream.set_read_timeout(Some(PATIENCE)).unwrap();
        heard.is_ok().then(|| line.trim_end().to_owned())
    }

    /// A request and its answer.
    pub fn ask(&mut self, request: &str) -> String {
        self.say(format!("{request}\n"));
        self.hear()
    }

    /// Says that nothing more will come, and listens on.
    pub fn finish(&mut self) {
        self.stream.shutdown(Shutdown::Write).unwrap();
    }

    /// Sends requests and takes no answers, until the server takes no more requests.
    pub fn flood(&mut self, request: &str) {
        self.stream.set_nonblocking(true).unwrap();
        let bytes = format!("{request}\n").repeat(1000).into_bytes();
        let mut last = Instant::now();
        while last.elapsed() < Duration::from_millis(300) {
            match self.stream.write(&bytes) {
                Ok(_) => last = Instant::now(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(Duration::from_millis(10)),
                Err(error) => panic!("{error}"),
            }
        }
    }
}
