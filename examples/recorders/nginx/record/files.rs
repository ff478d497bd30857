//! The scratch directory of nginx: its configuration, and the files that it serves.
//!
//! After `write(scratch, "/a", "xyz", noon)` it answers `xyz` to `GET /a`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Trouble;

/// Makes everything that nginx needs, and returns the arguments for it.
pub fn prepare(scratch: &Path, address: SocketAddr) -> io::Result<Vec<String>> {
    let conf = scratch.join("nginx.conf");
    fs::create_dir(scratch.join("files"))?;
    fs::write(&conf, configuration(scratch, address))?;
    let arguments = ["-p".to_owned(), scratch.display().to_string(), "-c".to_owned(), conf.display().to_string()];
    Ok(arguments.to_vec())
}

/// Writes the file at `path`, and sets its time.
pub fn write(scratch: &Path, path: &str, content: &str, modified: SystemTime) -> Result<(), Trouble> {
    let write = || {
        let mut file = File::create(file(scratch, path))?;
        file.write_all(content.as_bytes())?;
        file.set_modified(modified)
    };
    write().map_err(|error| Trouble::Io("writing a file", error))
}

/// Removes the file at `path`.
pub fn remove(scratch: &Path, path: &str) -> Result<(), Trouble> {
    fs::remove_file(file(scratch, path)).map_err(|error| Trouble::Io("removing a file", error))
}

fn file(scratch: &Path, path: &str) -> PathBuf {
    scratch.join("files").join(path.trim_start_matches('/'))
}

/// The configuration: everything inside of the scratch directory, one process, and no caches, so that a change shows in the next
/// answer.
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
