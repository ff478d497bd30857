//! A server's process of our own: its scratch directory, its port, and its end.
//!
//! The server runs in the foreground, under a small shell script that waits until its standard input ends, then stops the
//! server by its process id and removes the scratch directory. The other end of that input is held here, so the server
//! ends when the [`Server`] is dropped, and also when this program panics or is killed.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{Program, Trouble};

/// Runs the rest of the arguments, with the scratch directory $1, until standard input ends; an interrupt from the
/// terminal is left to others.
const GUARD: &str = r#"
trap "" INT HUP TERM
scratch=$1
shift
"$@" </dev/null >>"$scratch/messages" 2>&1 &
server=$!
read -r _
kill "$server" 2>/dev/null
wait "$server"
rm -rf -- "$scratch"
"#;
/// Where programs are looked for, besides PATH, which often lacks these for others than root.
const PLACES: [&str; 4] = ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"];
/// How often another port is tried if somebody took the free one before the server did.
const ATTEMPTS: u32 = 5;
/// How long a server may take to come up.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long to sleep between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// How a server is run.
pub struct Launch {
    /// What is run.
    pub program: Program,
    /// Puts what it needs into the scratch directory, and says what its arguments are.
    pub prepare: fn(&Path, SocketAddr) -> io::Result<Vec<String>>,
    /// Whether it has come up.
    pub is_up: fn(&Server) -> bool,
    /// What it says only when it cannot come up, besides something of `bind`.
    pub complaint: &'static str,
}

/// A running server. Dropping it stops it and removes its scratch directory.
pub struct Server {
    guard: Child,
    scratch: PathBuf,
    address: SocketAddr,
}

impl Server {
    /// Starts a server on a free port of the loopback interface.
    pub fn start(launch: &Launch) -> Result<Server, Trouble> {
        let program = find(launch.program)?;
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            let server = Server::run(&program, launch).map_err(|error| Trouble::Io("starting the server", error))?;
            match server.come_up(launch) {
                Ok(()) => return Ok(server),
                Err(messages) => last = messages,
            }
            if !last.contains("bind") {
                break;
            }
        }
        Err(Trouble::NotStarted(launch.program, last))
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its directory.
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// Whether somebody listens at its address.
    pub fn listens(&self) -> bool {
        TcpStream::connect(self.address).is_ok()
    }

    fn run(program: &Path, launch: &Launch) -> io::Result<Server> {
        let address = free_address()?;
        let name = format!("mayhap-{}-{}-{}", launch.program.name, std::process::id(), address.port());
        let scratch = std::env::temp_dir().join(name);
        fs::create_dir(&scratch)?;
        let arguments = (launch.prepare)(&scratch, address)?;
        let guard = Command::new("sh")
            .args(["-c", GUARD, "sh"])
            .arg(&scratch)
            .arg(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Server { guard, scratch, address })
    }

    /// Waits until the server is up; else returns what it said.
    fn come_up(&self, launch: &Launch) -> Result<(), String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let messages = fs::read_to_string(self.scratch.join("messages")).unwrap_or_default();
            if messages.contains("bind") || messages.contains(launch.complaint) {
                return Err(messages);
            }
            if (launch.is_up)(self) {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(format!("it was not ready after {} s; it said: {messages:?}", PATIENCE.as_secs()));
            }
            sleep(PAUSE);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

/// Where the program is.
pub fn find(program: Program) -> Result<PathBuf, Trouble> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).chain(PLACES.map(PathBuf::from));
    let found = places.find_map(|place| Some(place.join(program.name)).filter(|file| file.is_file()));
    found.ok_or(Trouble::Missing(program))
}

/// What the program says when it is asked with `argument` which version it is, on whichever output.
pub fn version(program: Program, argument: &str) -> Result<String, Trouble> {
    let output = Command::new(find(program)?).arg(argument).output();
    let output = output.map_err(|error| Trouble::Io("asking for the version", error))?;
    let said = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    Ok(String::from_utf8_lossy(&said).trim().to_owned())
}

/// A port that was free a moment ago.
fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}
