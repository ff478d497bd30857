//! An nginx of our own: its scratch directory, its configuration, and its end.
//!
//! nginx runs as one process in the foreground, under a small shell script that waits until its standard input ends,
//! then stops nginx by its process id and removes the scratch directory. The other end of that input is held here, so
//! nginx ends when the [`Nginx`] is dropped, and also when this program panics or is killed.

use std::fs::{self, File};
use std::io::{self, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use super::Trouble;

/// Runs nginx ($1) with the prefix $2 until standard input ends; an interrupt from the terminal is left to others.
const GUARD: &str = r#"
trap "" INT HUP TERM
"$1" -p "$2" -c "$2/nginx.conf" </dev/null >>"$2/messages" 2>&1 &
nginx=$!
read -r _
kill "$nginx" 2>/dev/null
wait "$nginx"
rm -rf -- "$2"
"#;
/// Where nginx is looked for, besides PATH, which often lacks these for others than root.
const PLACES: [&str; 4] = ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"];
/// How often another port is tried where somebody took the free one before nginx did.
const ATTEMPTS: u32 = 5;
/// How long nginx may take to come up.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long to sleep between two looks.
const PAUSE: Duration = Duration::from_millis(5);

/// A running nginx. Dropping it stops it and removes its scratch directory.
pub struct Nginx {
    guard: Child,
    scratch: PathBuf,
    address: SocketAddr,
    version: String,
}

impl Nginx {
    /// Starts nginx on a free port of the loopback interface, with no files to serve.
    pub fn start() -> Result<Nginx, Trouble> {
        let program = find().ok_or(Trouble::Missing)?;
        let version = version(&program)?;
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            let nginx = Nginx::launch(&program, &version)?;
            match nginx.come_up() {
                Ok(()) => return Ok(nginx),
                Err(messages) => last = messages,
            }
            if !last.contains("bind()") {
                break;
            }
        }
        Err(Trouble::NotStarted(last))
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it calls itself: `nginx/1.22.1`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Writes the file at `path` and gives it a time.
    pub fn write(&self, path: &str, content: &[u8], modified: SystemTime) -> Result<(), Trouble> {
        let write = || {
            let mut file = File::create(self.file(path))?;
            file.write_all(content)?;
            file.set_modified(modified)
        };
        write().map_err(|error| Trouble::Io("writing a file", error))
    }

    /// Removes the file at `path`.
    pub fn remove(&self, path: &str) -> Result<(), Trouble> {
        fs::remove_file(self.file(path)).map_err(|error| Trouble::Io("removing a file", error))
    }

    fn file(&self, path: &str) -> PathBuf {
        self.scratch.join("files").join(path.trim_start_matches('/'))
    }

    fn launch(program: &Path, version: &str) -> Result<Nginx, Trouble> {
        let launch = || {
            let address = free_address()?;
            let scratch = scratch_directory(address)?;
            let guard = Command::new("sh")
                .args(["-c", GUARD, "sh"])
                .arg(program)
                .arg(&scratch)
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()?;
            Ok(Nginx { guard, scratch, address, version: version.to_owned() })
        };
        launch().map_err(|error| Trouble::Io("starting nginx", error))
    }

    /// Waits until nginx listens, which it does when it has written its process id; else returns what it said.
    fn come_up(&self) -> Result<(), String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if fs::metadata(self.scratch.join("nginx.pid")).is_ok_and(|file| file.len() > 0) {
                return Ok(());
            }
            let messages = fs::read_to_string(self.scratch.join("messages")).unwrap_or_default();
            if messages.contains("[emerg]") {
                return Err(messages);
            }
            if Instant::now() > deadline {
                return Err(format!("it was not ready after {} s; it said: {messages:?}", PATIENCE.as_secs()));
            }
            sleep(PAUSE);
        }
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}

fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).chain(PLACES.map(PathBuf::from));
    places.map(|place| place.join("nginx")).find(|program| program.is_file())
}

/// Asks nginx what it is; it answers `nginx version: nginx/1.22.1` on standard error.
fn version(program: &Path) -> Result<String, Trouble> {
    let output =
        Command::new(program).arg("-v").output().map_err(|error| Trouble::Io("asking for the version", error))?;
    let said = String::from_utf8_lossy(&output.stderr);
    Ok(said.trim().rsplit(' ').next().unwrap_or("nginx").to_owned())
}

/// A port that was free a moment ago.
fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

/// Makes the directory with all that nginx needs.
fn scratch_directory(address: SocketAddr) -> io::Result<PathBuf> {
    let name = format!("mayhap-nginx-{}-{}", std::process::id(), address.port());
    let scratch = std::env::temp_dir().join(name);
    fs::create_dir(&scratch)?;
    fs::create_dir(scratch.join("files"))?;
    fs::write(scratch.join("nginx.conf"), configuration(&scratch, address))?;
    Ok(scratch)
}

/// Everything inside the scratch directory, one process, no caches: a change shows in the next answer.
fn configuration(scratch: &Path, address: SocketAddr) -> String {
    let scratch = scratch.display();
    format!(
        r#"daemon off;
master_process off;
pid "{scratch}/nginx.pid";
error_log "{scratch}/error.log" warn;
events {{ worker_connections 64; }}
http {{
    access_log off;
    sendfile off;
    tcp_nodelay on;
    open_file_cache off;
    gzip off;
    etag on;
    default_type application/octet-stream;
    keepalive_timeout 600s;
    keepalive_requests 1000000000;
    client_body_temp_path "{scratch}/client_body";
    proxy_temp_path "{scratch}/proxy";
    fastcgi_temp_path "{scratch}/fastcgi";
    uwsgi_temp_path "{scratch}/uwsgi";
    scgi_temp_path "{scratch}/scgi";
    server {{
        listen {address};
        root "{scratch}/files";
        log_not_found off;
    }}
}}
"#
    )
}
