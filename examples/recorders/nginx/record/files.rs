//! What nginx needs in its scratch directory: its configuration, and the files that it hands out.
//!
//! `write(scratch, "/a", "xyz", noon)` makes it answer `xyz` to `GET /a` from then on.

use std::fs::{self, File};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Trouble;

/// Makes all that nginx needs; the arguments that make it use that.
pub fn prepare(scratch: &Path, address: SocketAddr) -> io::Result<Vec<String>> {
    let conf = scratch.join("nginx.conf");
    fs::create_dir(scratch.join("files"))?;
    fs::write(&conf, configuration(scratch, address))?;
    let arguments = ["-p".to_owned(), scratch.display().to_string(), "-c".to_owned(), conf.display().to_string()];
    Ok(arguments.to_vec())
}

/// Writes the file at `path` and gives it a time.
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
