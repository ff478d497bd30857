//! TLS on the connections to a system at `https://…`.
//!
//! The certificate of the system must be signed by an authority that this machine trusts, or one in a given file; or it is not
//! checked.

use std::fmt::Debug;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::limits::end;
use crate::sut::process::TlsTrust;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    ClientConfig, ClientConnection, DigitallySignedStruct, Error, RootCertStore, SignatureScheme, StreamOwned,
};

/// The longest time of the handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// The longest single wait in it, so that an end of the work is noticed soon.
const LOOK: Duration = Duration::from_millis(200);

/// The means to make TLS connections to a system.
pub(crate) struct TlsClient {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

/// A connection with TLS.
pub(crate) struct TlsStream(StreamOwned<ClientConnection, TcpStream>);

impl TlsClient {
    /// The means to make TLS connections to a host, which is given without its port.
    ///
    /// # Errors
    /// The file of certificates cannot be used, or the host has no valid name. The message says which.
    pub(crate) fn new(host: &str, trust: &TlsTrust) -> Result<TlsClient, String> {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let name = ServerName::try_from(bare.to_owned());
        let name = name.map_err(|_| format!("{host:?} is no name of a host that a certificate could have"))?;
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions();
        let builder = builder.map_err(|error| error.to_string())?;
        let mut config = match trust {
            TlsTrust::Anything => {
                let any = Arc::new(AnyCertificate(provider));
                builder.dangerous().with_custom_certificate_verifier(any).with_no_client_auth()
            }
            TlsTrust::Machine => builder.with_root_certificates(trusted(None)?).with_no_client_auth(),
            TlsTrust::File(path) => builder.with_root_certificates(trusted(Some(path))?).with_no_client_auth(),
        };
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsClient { config: Arc::new(config), name })
    }

    /// Makes a TLS connection on a socket, with its handshake.
    ///
    /// # Errors
    /// The handshake fails.
    pub(crate) fn connect(&self, mut stream: TcpStream) -> io::Result<TlsStream> {
        let mut connection = ClientConnection::new(self.config.clone(), self.name.clone()).map_err(io::Error::other)?;
        stream.set_read_timeout(Some(LOOK))?;
        stream.set_write_timeout(Some(LOOK))?;
        let until = Instant::now() + HANDSHAKE;
        while connection.is_handshaking() {
            match connection.complete_io(&mut stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && !end::is_over() => {}
                done => _ = done.map_err(in_words)?,
            }
            if Instant::now() > until {
                return Err(in_words(io::ErrorKind::WouldBlock.into()));
            }
        }
        Ok(TlsStream(StreamOwned::new(connection, stream)))
    }
}

/// The failure of a handshake, with a hint.
fn in_words(error: io::Error) -> io::Error {
    let certificate = error.get_ref().and_then(|cause| cause.downcast_ref::<Error>());
    match certificate {
        Some(Error::InvalidCertificate(_)) => io::Error::other(format!(
            "{error} (--tls-ca FILE names an authority to trust, --tls-insecure trusts any certificate)"
        )),
        Some(Error::InvalidMessage(_)) => io::Error::other(format!("{error}: it does not speak TLS (https)")),
        _ if error.kind() == io::ErrorKind::WouldBlock => {
            io::Error::other(format!("no TLS handshake within {} s", HANDSHAKE.as_secs()))
        }
        _ => error,
    }
}

/// The trusted certificates of this machine, and those in a file.
fn trusted(file: Option<&Path>) -> Result<RootCertStore, String> {
    let mut roots = RootCertStore::empty();
    // Certificates of the machine that cannot be read are ignored, as in other programs.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    let Some(path) = file else { return Ok(roots) };
    let wrong = |why: &dyn Debug| format!("--tls-ca {}: {why:?}", path.display());
    let read = std::fs::read(path).map_err(|error| format!("--tls-ca {}: {error}", path.display()))?;
    let mut count = 0;
    for certificate in CertificateDer::pem_slice_iter(&read) {
        let certificate = certificate.map_err(|error| wrong(&error))?;
        roots.add(certificate).map_err(|error| wrong(&error))?;
        count += 1;
    }
    match count {
        0 => Err(format!("--tls-ca {}: there is no certificate in PEM form in it", path.display())),
        _ => Ok(roots),
    }
}

impl TlsStream {
    /// The socket.
    pub(crate) fn socket(&self) -> &TcpStream {
        &self.0.sock
    }

    /// Tests whether written bytes still wait for room in the socket.
    pub(crate) fn wants_write(&self) -> bool {
        self.0.conn.wants_write()
    }
}

impl Read for TlsStream {
    /// Reads all bytes that there are, as the socket does not become readable again for bytes that were already taken from it.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut read = 0;
        while read < buffer.len() {
            match self.0.read(&mut buffer[read..]) {
                Ok(0) => break,
                Ok(more) => read += more,
                Err(_) if read > 0 => break,
                Err(error) => return Err(error),
            }
        }
        Ok(read)
    }
}

impl Write for TlsStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The trust in any certificate. It is only checked that the system has the certificate's key.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
