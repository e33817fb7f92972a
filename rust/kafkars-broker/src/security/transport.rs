//! The bytes of a connection: of the socket itself, or through TLS.
//!
//! Nothing here waits but for the socket, so that whoever reads and whoever writes may share it. What a plain
//! connection does goes straight to its socket.

use std::io::{self, IoSlice, Read, Write};
use std::sync::Arc;

use bytes::{BufMut, BytesMut};
use parking_lot::Mutex;
use rustls::{ServerConfig, ServerConnection};
use tokio::net::TcpStream;

use super::tls;

/// Encrypted bytes that may wait for the socket before more are taken.
const UNSENT: usize = 64 * 1024;
/// Bytes that are taken out of TLS at once.
const PIECE: usize = 16 * 1024;

/// A connection's socket, and what is between it and the frames.
#[derive(Debug)]
pub(crate) enum ServerTransport {
    Plain(TcpStream),
    Tls(Box<Encrypted>),
}

#[derive(Debug)]
pub(crate) struct Encrypted {
    socket: TcpStream,
    // Held for encryption and for system calls that do not wait.
    session: Mutex<ServerConnection>,
}

impl ServerTransport {
    /// The transport of a socket that was accepted; TLS where there is a configuration of it.
    pub(crate) fn new(socket: TcpStream, tls: Option<&Arc<ServerConfig>>) -> io::Result<Self> {
        let Some(config) = tls else {
            return Ok(Self::Plain(socket));
        };
        let mut session = ServerConnection::new(Arc::clone(config)).map_err(io::Error::other)?;
        session.set_buffer_limit(Some(UNSENT));
        Ok(Self::Tls(Box::new(Encrypted {
            socket,
            session: Mutex::new(session),
        })))
    }

    /// Agrees on keys with the client, and gives who it is by its certificate.
    pub(crate) async fn handshake(&self) -> io::Result<Option<String>> {
        let Self::Tls(encrypted) = self else {
            return Ok(None);
        };
        loop {
            encrypted.flush().await?;
            {
                let session = encrypted.session.lock();
                if !session.is_handshaking() {
                    return Ok(tls::principal(session.peer_certificates()));
                }
            }
            encrypted.socket.readable().await?;
            match encrypted.receive(&mut encrypted.session.lock()) {
                Ok(true) => {}
                Ok(false) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(crate) fn is_tls(&self) -> bool {
        matches!(self, Self::Tls(_))
    }

    /// Waits until there may be something to read.
    pub(crate) async fn readable(&self) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.readable().await,
            Self::Tls(encrypted) => {
                if encrypted.has_plaintext() {
                    return Ok(());
                }
                encrypted.socket.readable().await
            }
        }
    }

    /// Waits until something may be written.
    pub(crate) async fn writable(&self) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.writable().await,
            Self::Tls(encrypted) => encrypted.socket.writable().await,
        }
    }

    /// Reads what there is into `buffer`, as far as it has room; 0 at the end.
    pub(crate) fn try_read_buf(&self, buffer: &mut BytesMut) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.try_read_buf(buffer),
            Self::Tls(encrypted) => encrypted.try_read_buf(buffer),
        }
    }

    /// Takes as many bytes as can be sent or kept for the socket.
    pub(crate) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.try_write_vectored(&[IoSlice::new(bytes)])
    }

    /// Takes as many bytes as can be sent or kept for the socket.
    pub(crate) fn try_write_vectored(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.try_write_vectored(slices),
            Self::Tls(encrypted) => encrypted.try_write_vectored(slices),
        }
    }

    /// Waits until everything that was taken is in the socket.
    pub(crate) async fn flush(&self) -> io::Result<()> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Tls(encrypted) => encrypted.flush().await,
        }
    }

    /// Tells the client that there will be no more, as far as that goes without waiting.
    pub(crate) fn close(&self) {
        if let Self::Tls(encrypted) = self {
            let mut session = encrypted.session.lock();
            session.send_close_notify();
            let _ = encrypted.send(&mut session);
        }
    }
}

impl Encrypted {
    fn has_plaintext(&self) -> bool {
        let mut session = self.session.lock();
        let state = session.process_new_packets();
        // An error has been told by the read that met it.
        state.is_ok_and(|state| state.plaintext_bytes_to_read() > 0)
    }

    fn try_read_buf(&self, buffer: &mut BytesMut) -> io::Result<usize> {
        if buffer.capacity() == buffer.len() {
            // No room must not look like the end.
            buffer.reserve(PIECE);
        }
        let mut session = self.session.lock();
        loop {
            match take(&mut session, buffer) {
                Ok(count) => return Ok(count),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // The client closed without saying so.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(0),
                Err(error) => return Err(error),
            }
            // The end of the socket shows in the next turn: what was decrypted before it comes first.
            self.receive(&mut session)?;
        }
    }

    fn try_write_vectored(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut session = self.session.lock();
        self.send(&mut session)?;
        let taken = session.writer().write_vectored(slices)?;
        match self.send(&mut session) {
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
            _ => Ok(taken),
        }
    }

    async fn flush(&self) -> io::Result<()> {
        loop {
            let sent = self.send(&mut self.session.lock());
            match sent {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.socket.writable().await?;
                }
                done => return done,
            }
        }
    }

    /// Takes one portion from the socket and decrypts it; false at the end of the socket.
    fn receive(&self, session: &mut ServerConnection) -> io::Result<bool> {
        let count = session.read_tls(&mut Socket(&self.socket))?;
        if let Err(error) = session.process_new_packets() {
            // The client is told why, if its socket takes it.
            let _ = self.send(session);
            return Err(io::Error::new(io::ErrorKind::InvalidData, error));
        }
        // Answers of the protocol itself, such as to a new key. What does not fit leaves with the next answer.
        match self.send(session) {
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
            _ => Ok(count > 0),
        }
    }

    fn send(&self, session: &mut ServerConnection) -> io::Result<()> {
        while session.wants_write() {
            if session.write_tls(&mut Socket(&self.socket))? == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        Ok(())
    }
}

/// Takes decrypted bytes as far as there is room. `WouldBlock` where there are none, 0 at the end.
fn take(session: &mut ServerConnection, buffer: &mut BytesMut) -> io::Result<usize> {
    let mut piece = [0; PIECE];
    let mut total = 0;
    loop {
        let room = (buffer.capacity() - buffer.len()).min(PIECE);
        if room == 0 {
            return Ok(total);
        }
        match session.reader().read(&mut piece[..room]) {
            Ok(0) => return Ok(total),
            Ok(count) => {
                buffer.put_slice(&piece[..count]);
                total += count;
            }
            Err(_) if total > 0 => return Ok(total),
            Err(error) => return Err(error),
        }
    }
}

/// A socket as TLS takes it.
struct Socket<'a>(&'a TcpStream);

impl Read for Socket<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.try_read(buffer)
    }
}

impl Write for Socket<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.0.try_write_vectored(slices)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
