//! Systems at `https://…`: a service whose connections are protected, with a certificate that is trusted, and with one that is not.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::command::{place, run};
use crate::http::testing::{Served, empty_directory, said};

/// Listens with TLS, and passes on in the clear to a server; returns the port and the file of the certificate.
fn protected(server: &str) -> (u16, PathBuf) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let file = place("tls").with_extension("pem");
    std::fs::write(&file, made.cert.pem()).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let config = Arc::new(config.with_single_cert(vec![made.cert.der().clone()], key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (port, server) = (listener.local_addr().unwrap().port(), server.to_owned());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (config, server) = (config.clone(), server.clone());
            thread::spawn(move || pass_on(config, stream.unwrap(), &server));
        }
    });
    (port, file)
}

/// Passes on what a client says, and what it is answered, until one of both ends.
fn pass_on(config: Arc<ServerConfig>, client: TcpStream, server: &str) {
    let mut server = TcpStream::connect(server).unwrap();
    let look = Some(Duration::from_millis(1));
    client.set_read_timeout(look).unwrap();
    server.set_read_timeout(look).unwrap();
    let mut client = StreamOwned::new(ServerConnection::new(config).unwrap(), client);
    while moved(&mut client, &mut server) && moved(&mut server, &mut client) {}
}

/// Moves what is there; tests whether more may come.
fn moved(from: &mut impl Read, to: &mut impl Write) -> bool {
    let mut bytes = [0; 1 << 14];
    match from.read(&mut bytes) {
        Ok(0) => false,
        Ok(count) => to.write_all(&bytes[..count]).and_then(|()| to.flush()).is_ok(),
        Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
    }
}

fn test(port: u16, more: &[&str]) -> (Option<i32>, String) {
    let (url, directory) = (format!("https://localhost:{port}"), empty_directory("tls"));
    let fixed = ["test", "examples/service/notes.may", "--sut", &url, "--requests", "300", "--seed", "1"];
    let mut arguments: Vec<&str> = fixed.to_vec();
    arguments.extend(["--deadline", "20", "--regressions", directory.to_str().unwrap()]);
    arguments.extend(more);
    let output = run(&arguments, "");
    (output.status.code(), said(&output))
}

#[test]
fn a_service_is_tested_through_tls() {
    let served = Served::start("examples/service/notes.may", &["--seed", "1"]);
    let (port, certificate) = protected(served.1.trim_start_matches("http://"));
    for trust in [&["--tls-ca", certificate.to_str().unwrap()][..], &["--tls-insecure"]] {
        let (code, said) = test(port, trust);
        assert!(code == Some(0) && said.contains("300 requests"), "{trust:?}: {said}");
    }
    let (code, said) = test(port, &[]);
    let why = "takes no connection: invalid peer certificate: ";
    assert!(code == Some(4) && said.contains(why) && said.contains("--tls-ca FILE names an authority"), "{said}");
}

#[test]
fn what_is_no_tls_and_no_certificate_is_said() {
    let served = Served::start("examples/service/notes.may", &[]);
    let port = served.1.rsplit_once(':').unwrap().1.parse().unwrap();
    let (code, said) = test(port, &["--tls-insecure"]);
    assert!(code == Some(4) && said.contains("it does not speak TLS"), "{said}");
    for (file, why) in [("Cargo.toml", "there is no certificate in PEM form in it"), ("no.pem", "No such file")] {
        let (code, said) = test(port, &["--tls-ca", file]);
        assert!(code == Some(2) && said.contains(&format!("--tls-ca {file}: ")) && said.contains(why), "{said}");
    }
}
