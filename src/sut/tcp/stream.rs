//! A non-blocking connection to a system, with or without TLS.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

#[cfg(feature = "tls")]
use super::tls::{TlsClient, TlsStream};
use crate::sut::lines::{StreamState, read_from};
use crate::sut::process::ready::connect;

/// The address of a system, with the means of TLS.
pub(crate) struct SystemPlace {
    /// The host and the port.
    pub(crate) address: String,
    /// The means of TLS; `None` without TLS.
    #[cfg(feature = "tls")]
    pub(crate) tls: Option<TlsClient>,
}

/// A connection to a system.
pub(crate) enum LinkStream {
    Plain(TcpStream),
    #[cfg(feature = "tls")]
    Tls(Box<TlsStream>),
}

impl SystemPlace {
    /// The place of a system that does not use TLS.
    pub(crate) fn plain(address: &str) -> SystemPlace {
        SystemPlace {
            address: address.to_owned(),
            #[cfg(feature = "tls")]
            tls: None,
        }
    }

    /// Makes a connection.
    pub(crate) fn connect(&self) -> io::Result<LinkStream> {
        let stream = connect(&self.address)?;
        stream.set_nodelay(true)?;
        #[cfg(feature = "tls")]
        if let Some(tls) = &self.tls {
            let stream = tls.connect(stream)?;
            stream.socket().set_nonblocking(true)?;
            return Ok(LinkStream::Tls(Box::new(stream)));
        }
        stream.set_nonblocking(true)?;
        Ok(LinkStream::Plain(stream))
    }
}

impl LinkStream {
    /// The socket, to wait for.
    pub(crate) fn socket(&self) -> &TcpStream {
        match self {
            LinkStream::Plain(stream) => stream,
            #[cfg(feature = "tls")]
            LinkStream::Tls(stream) => stream.socket(),
        }
    }

    /// Tests whether written bytes still wait for room in the socket.
    pub(crate) fn wants_write(&self) -> bool {
        match self {
            LinkStream::Plain(_) => false,
            #[cfg(feature = "tls")]
            LinkStream::Tls(stream) => stream.wants_write(),
        }
    }

    /// Ends this side of the connection, and reads what there is until the other side has ended, too. Returns whether it has by a moment.
    pub(crate) fn end(&mut self, chunk: &mut [u8], until: Instant) -> bool {
        if self.socket().shutdown(Shutdown::Write).is_err() {
            // The other side has ended the connection as a whole.
            return true;
        }
        loop {
            match read_from(self, chunk, |_| {}) {
                StreamState::Ended => return true,
                _ if Instant::now() >= until => return false,
                _ => {}
            }
            let Ok(left) = Timespec::try_from(until.saturating_duration_since(Instant::now())) else { return false };
            _ = poll(&mut [PollFd::new(self.socket(), PollFlags::IN)], Some(&left));
        }
    }
}

impl Read for LinkStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            LinkStream::Plain(stream) => stream.read(buffer),
            #[cfg(feature = "tls")]
            LinkStream::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for LinkStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            LinkStream::Plain(stream) => stream.write(bytes),
            #[cfg(feature = "tls")]
            LinkStream::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            LinkStream::Plain(stream) => stream.flush(),
            #[cfg(feature = "tls")]
            LinkStream::Tls(stream) => stream.flush(),
        }
    }
}
