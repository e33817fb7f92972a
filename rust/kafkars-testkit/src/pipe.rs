//! The broker's end of a connection, which a test scripts frame by frame.
//!
//! A [`ScriptedPeer`] reads what the client under test has sent and answers what the test says: correctly, wrongly, in
//! pieces, out of order, or not at all. It works over an in-memory pipe and over a socket alike. It panics if the
//! client does not do what the script expects, because then the test has failed.

use std::fmt::Debug;
use std::io;

use bytes::{Buf, Bytes, BytesMut};
use kafkars_protocol::messages::api_versions::{
    ApiVersion, ApiVersionsRequest, ApiVersionsResponse,
};
use kafkars_protocol::{
    ApiKey, Message, Reader, Request, RequestHeader, decode_request_header, encode_response,
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, duplex};

/// Makes both ends of a pipe that holds `capacity` bytes in either direction: the client's stream and its scripted
/// peer.
#[must_use]
pub fn pipe(capacity: usize) -> (DuplexStream, ScriptedPeer<DuplexStream>) {
    let (client, broker) = duplex(capacity);
    (client, ScriptedPeer::new(broker))
}

/// The ApiVersions response of a broker that supports everything that this workspace does.
#[must_use]
pub fn every_version() -> ApiVersionsResponse {
    let api_keys = ApiKey::ALL.iter().map(|api| ApiVersion {
        api_key: api.as_i16(),
        min_version: api.versions().min,
        max_version: api.versions().max,
    });
    ApiVersionsResponse {
        api_keys: api_keys.collect(),
        ..ApiVersionsResponse::default()
    }
}

/// The scripted end of a connection.
#[derive(Debug)]
pub struct ScriptedPeer<S> {
    stream: S,
    received: BytesMut,
}

impl<S: AsyncRead + AsyncWrite + Unpin> ScriptedPeer<S> {
    /// Plays the broker on `stream`.
    pub fn new(stream: S) -> Self {
        Self {
            stream,
            received: BytesMut::new(),
        }
    }

    /// Reads the next frame without its length prefix; `None` if the client closed the connection.
    pub async fn frame(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            if let Some(prefix) = self.received.first_chunk() {
                let length = i32::from_be_bytes(*prefix);
                let length = usize::try_from(length).map_err(io::Error::other)?;
                if self.received.len() >= 4 + length {
                    self.received.advance(4);
                    return Ok(Some(self.received.split_to(length).freeze()));
                }
            }
            if self.stream.read_buf(&mut self.received).await? == 0 {
                return Ok(None);
            }
        }
    }

    /// Reads the next request, which must be an `R`.
    pub async fn expect<R: Request>(&mut self) -> (RequestHeader, R) {
        let frame = self.frame().await.expect("a request is readable");
        let frame = frame.unwrap_or_else(|| panic!("the connection ended before {}", R::NAME));
        let mut reader = Reader::new(frame);
        let header = decode_request_header(&mut reader).expect("a request header");
        assert_eq!(
            header.api_key,
            R::API_KEY,
            "another request than {}",
            R::NAME
        );
        let request = R::decode(&mut reader, header.api_version).expect("a request");
        (header, request)
    }

    /// Answers a request in its own version.
    pub async fn answer<M: Message>(&mut self, header: &RequestHeader, response: &M) {
        let bytes = frame_of(header, header.api_version, response);
        self.raw(&bytes).await;
    }

    /// Answers in another version than the request's, as a broker does that does not know it.
    pub async fn answer_in<M: Message>(
        &mut self,
        header: &RequestHeader,
        version: i16,
        response: &M,
    ) {
        self.raw(&frame_of(header, version, response)).await;
    }

    /// Answers in pieces of `size` bytes, and lets the client run after each.
    pub async fn answer_in_pieces<M: Message>(
        &mut self,
        header: &RequestHeader,
        response: &M,
        size: usize,
    ) {
        for piece in frame_of(header, header.api_version, response).chunks(size) {
            self.raw(piece).await;
            tokio::task::yield_now().await;
        }
    }

    /// Expects ApiVersions and answers with [`every_version`].
    pub async fn greet(&mut self) {
        let (header, _) = self.expect::<ApiVersionsRequest>().await;
        self.answer(&header, &every_version()).await;
    }

    /// Sends bytes as they are. A client that is gone is no error: it may have got enough.
    pub async fn raw(&mut self, bytes: &[u8]) {
        drop(self.stream.write_all(bytes).await);
    }

    /// Waits until the client closes the connection; drops what it still sends.
    pub async fn closed(&mut self) {
        while let Ok(Some(_)) = self.frame().await {}
    }

    /// Closes the connection.
    pub fn cut(self) {}
}

/// A whole frame with its length prefix.
pub fn frame_of<M: Message + Debug>(header: &RequestHeader, version: i16, response: &M) -> Bytes {
    let frame = encode_response(header.api_key, version, header.correlation_id, response);
    frame
        .expect("an answer that the version can carry")
        .to_bytes()
}
