//! Connecting: from a host name to a byte stream.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use kafkars_core::config::ClientConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpSocket, TcpStream, lookup_host};
use tokio::time::timeout;

use super::tls;
use crate::error::ConnectCause;
use crate::now;

pub(crate) type ReadHalf = Box<dyn AsyncRead + Send + Unpin>;
pub(crate) type WriteHalf = Box<dyn AsyncWrite + Send + Unpin>;

/// A byte stream to a broker.
#[derive(Debug)]
pub(crate) enum Transport {
    Tcp(TcpStream),
    Tls(Box<tls::Stream>),
}

impl Transport {
    /// Connects to the first address that answers; `limit` is for all of them together.
    pub(crate) async fn connect(
        addresses: &[SocketAddr],
        limit: Duration,
        config: &ClientConfig,
    ) -> Result<TcpStream, ConnectCause> {
        let started = now();
        let mut cause = ConnectCause::Dns("the host name has no addresses".into());
        for (index, address) in addresses.iter().enumerate() {
            // A silent address leaves time for those after it.
            let left = limit.saturating_sub(now() - started);
            let share = left / (addresses.len() - index) as u32;
            cause = match timeout(share, open(*address, config)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => ConnectCause::from_io(&error),
                Err(_) => ConnectCause::TimedOut(now() - started),
            };
        }
        Err(cause)
    }

    pub(crate) fn split(self) -> (ReadHalf, WriteHalf) {
        match self {
            Self::Tcp(stream) => {
                let (reader, writer) = stream.into_split();
                (Box::new(reader), Box::new(writer))
            }
            // Both directions share the TLS state, so each locks it for the few records of one call.
            Self::Tls(stream) => {
                let (reader, writer) = tokio::io::split(stream);
                (Box::new(reader), Box::new(writer))
            }
        }
    }
}

/// Resolves a host name to all its addresses; an IPv6 address may have brackets.
pub(crate) async fn resolve(
    host: &str,
    port: u16,
    config: &ClientConfig,
) -> Result<Vec<SocketAddr>, ConnectCause> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match timeout(config.connect_timeout, lookup_host((bare, port))).await {
        Ok(Ok(addresses)) => Ok(addresses.collect()),
        Ok(Err(error)) => Err(ConnectCause::Dns(error.to_string().into())),
        Err(_) => Err(ConnectCause::Dns("the name service does not answer".into())),
    }
}

async fn open(address: SocketAddr, config: &ClientConfig) -> std::io::Result<TcpStream> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // Before connecting, because the window scale is negotiated then.
    if let Some(size) = config.send_buffer {
        socket.set_send_buffer_size(saturate(size))?;
    }
    if let Some(size) = config.receive_buffer {
        socket.set_recv_buffer_size(saturate(size))?;
    }
    socket.set_keepalive(true)?;
    let stream = socket.connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn saturate(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

/// Splits `host:port`. The addresses in settings were checked before; those from brokers have two fields.
pub(crate) fn split_address(address: &str) -> Result<(Arc<str>, u16), ConnectCause> {
    let parts = address.rsplit_once(':');
    let parsed = parts.and_then(|(host, port)| Some((host.into(), port.parse().ok()?)));
    parsed.ok_or_else(|| ConnectCause::Dns("not of the form host:port".into()))
}

/// Time limit of the handshake on a new connection.
pub(crate) fn handshake_limit(config: &ClientConfig) -> Duration {
    config.connect_timeout.min(config.request_timeout)
}
