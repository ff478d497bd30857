//! The process of a server: its scratch directory, its port, and its end.
//!
//! The server runs in the foreground, under a small shell script. The script waits until its standard input ends, then stops the
//! server by its process number and removes the scratch directory. The other end of this input is held here. So the server ends
//! when the [`Server`] is dropped, and also when this program panics or is killed.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{Program, Trouble};

/// Runs the rest of the arguments, with the scratch directory $1, until standard input ends. It ignores an interrupt from the
/// terminal.
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
/// The directories in which programs are searched, besides PATH, which often lacks them for users other than root.
const PLACES: [&str; 4] = ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"];
/// The number of ports that are tried, as somebody may take a free port before the server does.
const ATTEMPTS: u32 = 5;
/// The longest wait until a server is up.
const PATIENCE: Duration = Duration::from_secs(10);
/// The time between two tests.
const PAUSE: Duration = Duration::from_millis(5);

/// The way in which a server is started.
pub struct Launch {
    /// The program.
    pub program: Program,
    /// Puts everything that the server needs into the scratch directory, and returns the arguments.
    pub prepare: fn(&Path, SocketAddr) -> io::Result<Vec<String>>,
    /// Tests whether the server is up.
    pub is_up: fn(&Server) -> bool,
    /// A text that the server prints only if it cannot start, besides messages about `bind`.
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

    /// The address at which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The scratch directory.
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// Tests whether somebody listens at the server's address.
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

    /// Waits until the server is up; otherwise returns what it printed.
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

/// The path of a program.
pub fn find(program: Program) -> Result<PathBuf, Trouble> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&path).chain(PLACES.map(PathBuf::from));
    let found = places.find_map(|place| Some(place.join(program.name)).filter(|file| file.is_file()));
    found.ok_or(Trouble::Missing(program))
}

/// The output of the program, on any of its streams, if it is asked for its version with `argument`.
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
