//! The fuzz targets `frame` and `messages`, as plain functions, so that ordinary tests run them too.

use bytes::Bytes;
use kafkars_protocol::messages::api_versions::ApiVersionsRequest;
use kafkars_protocol::messages::fetch::FetchRequest;
use kafkars_protocol::messages::metadata::MetadataRequest;
use kafkars_protocol::messages::produce::ProduceRequest;
use kafkars_protocol::{
    DecodeErrorKind, EncodeErrorKind, FrameLimit, LENGTH_PREFIX, Reader, Request,
    decode_request_header, decode_response, peek_correlation_id,
};

use crate::codec::MessageCodec;
use crate::frames::captured;

const LIMIT: FrameLimit = FrameLimit::new(1 << 20);

/// Treats `data` as received from a peer: as a sequence of frames, each of which is read as a request and as some
/// responses.
pub fn frame(data: &[u8]) {
    let mut rest = data;
    while let Some((prefix, behind)) = rest.split_first_chunk::<LENGTH_PREFIX>() {
        let Ok(length) = LIMIT.parse(*prefix) else {
            return;
        };
        let Some((content, next)) = behind.split_at_checked(length) else {
            return;
        };
        rest = next;
        let content = Bytes::copy_from_slice(content);
        request(content.clone());
        response::<ApiVersionsRequest>(&content);
        response::<MetadataRequest>(&content);
        response::<ProduceRequest>(&content);
        response::<FetchRequest>(&content);
    }
}

/// Reads a message that the first two bytes choose, with its version. If it can be read it must be written again, and
/// read back without a change.
pub fn message(data: &[u8]) {
    let Some((&[which, version], content)) = data.split_first_chunk::<2>() else {
        return;
    };
    let codecs = MessageCodec::all();
    let codec = &codecs[usize::from(which) % codecs.len()];
    let versions = codec.versions.max - codec.versions.min + 1;
    let version = codec.versions.min + i16::from(version) % versions;
    survive(codec, version, Bytes::copy_from_slice(content));
}

/// Seeds for [`frame`] and [`message`] that are worth mutating: responses of real brokers.
#[must_use]
pub fn seeds() -> Vec<(Vec<u8>, Vec<u8>)> {
    let codecs = MessageCodec::all();
    captured()
        .into_iter()
        .filter_map(|captured| {
            let name = format!("{}Response", captured.api_key);
            let which = codecs.iter().position(|codec| codec.name == name)?;
            let header = if captured
                .api_key
                .has_flexible_response_header(captured.version)
            {
                5
            } else {
                4
            };
            let version = captured.version - codecs[which].versions.min;
            let mut message = vec![u8::try_from(which).ok()?, u8::try_from(version).ok()?];
            message.extend_from_slice(&captured.bytes[header..]);
            let mut frame = u32::try_from(captured.bytes.len())
                .ok()?
                .to_be_bytes()
                .to_vec();
            frame.extend_from_slice(&captured.bytes);
            Some((frame, message))
        })
        .collect()
}

fn request(content: Bytes) {
    let mut reader = Reader::new(content.clone());
    let Ok(header) = decode_request_header(&mut reader) else {
        return;
    };
    let name = format!("{}Request", header.api_key);
    let codec = MessageCodec::named(&name).expect("every API has a request");
    survive(
        codec,
        header.api_version,
        content.slice(reader.position()..),
    );
}

fn response<R: Request>(content: &Bytes) {
    for version in R::VERSIONS.iter() {
        if let Ok((correlation_id, _)) = decode_response::<R>(content.clone(), version) {
            assert_eq!(peek_correlation_id(content), Ok(correlation_id));
        }
    }
}

/// Compares the written bytes, not the messages, because a NaN differs from itself.
fn survive(codec: &MessageCodec, version: i16, content: Bytes) {
    let Ok(first) = (codec.recode)(content, version) else {
        return;
    };
    let written = match first.bytes {
        Ok(written) => written,
        // A compact length may state a string longer than Kafka allows.
        Err(error) if matches!(error.kind, EncodeErrorKind::TooLong(_)) => return,
        Err(error) => panic!("{} v{version} cannot be written again: {error}", codec.name),
    };
    let second = match (codec.recode)(written.clone(), version) {
        Ok(second) => second,
        // Bytes after the message, which are gone now, counted for the first frame's allowance too.
        Err(error) if matches!(error.kind, DecodeErrorKind::AllocationLimit { .. }) => return,
        Err(error) => panic!("{} v{version} cannot be read again: {error}", codec.name),
    };
    assert_eq!(second.used, written.len(), "{} v{version}", codec.name);
    assert_eq!(second.bytes, Ok(written), "{} v{version}", codec.name);
}
