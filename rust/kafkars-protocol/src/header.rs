//! Headers of requests and responses.

use bytes::Bytes;

use crate::{
    ApiKey, DecodeError, DecodeErrorKind, EncodeError, Frame, Message, Reader, Request, Writer,
};

const REQUEST_HEADER: &str = "RequestHeader";
const RESPONSE_HEADER: &str = "ResponseHeader";

/// The header of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestHeader {
    /// The API of the request.
    pub api_key: ApiKey,
    /// The version of the request, which this crate may not support.
    pub api_version: i16,
    /// Identifies the response, which repeats it.
    pub correlation_id: i32,
    /// The `client.id`.
    pub client_id: Option<String>,
}

/// Encodes a request with its header and length prefix.
///
/// # Errors
/// If the version cannot carry the request.
pub fn encode_request<R: Request>(
    request: &R,
    version: i16,
    correlation_id: i32,
    client_id: Option<&str>,
) -> Result<Frame, EncodeError> {
    let mut writer = Writer::framed();
    writer.begin(REQUEST_HEADER);
    writer.i16(R::API_KEY.as_i16());
    writer.i16(version);
    writer.i32(correlation_id);
    // Never compact: a broker must be able to read the header of a request newer than itself.
    writer.nullable_string(false, "ClientId", client_id)?;
    writer.no_tags(R::is_flexible(version));
    request.encode(&mut writer, version)?;
    writer.finish_framed()
}

/// Decodes a response frame (without its length prefix) to a request that was sent in `version`.
///
/// Bytes after the message are ignored, as by Kafka's own client.
///
/// # Errors
/// If the bytes are not that response.
pub fn decode_response<R: Request>(
    frame: Bytes,
    version: i16,
) -> Result<(i32, R::Response), DecodeError> {
    let mut reader = Reader::new(frame);
    reader.begin(RESPONSE_HEADER);
    let correlation_id = reader.i32("CorrelationId")?;
    if R::API_KEY.has_flexible_response_header(version) {
        reader.tagged_fields(|_, _| Ok(false))?;
    }
    let response = R::Response::decode(&mut reader, version)?;
    Ok((correlation_id, response))
}

/// Reads the correlation id of a response frame, which tells the request and its version.
///
/// # Errors
/// If the frame is too short.
pub fn peek_correlation_id(frame: &Bytes) -> Result<i32, DecodeError> {
    match frame.first_chunk() {
        Some(bytes) => Ok(i32::from_be_bytes(*bytes)),
        None => Err(DecodeError {
            message: RESPONSE_HEADER,
            field: "CorrelationId",
            offset: 0,
            kind: DecodeErrorKind::Truncated {
                needed: size_of::<i32>(),
                remaining: frame.len(),
            },
        }),
    }
}

/// Decodes a request's header, and leaves the reader at the request itself. The version is not checked, because a
/// broker answers an ApiVersions request of an unsupported version with the versions that it supports.
///
/// # Errors
/// If the bytes are not a header, or name an API that this crate does not support.
pub fn decode_request_header(reader: &mut Reader) -> Result<RequestHeader, DecodeError> {
    reader.begin(REQUEST_HEADER);
    let unknown = |number| reader_error(0, "RequestApiKey", DecodeErrorKind::UnknownApiKey(number));
    let number = reader.i16("RequestApiKey")?;
    let api_key = ApiKey::try_from(number).map_err(|_| unknown(number))?;
    let api_version = reader.i16("RequestApiVersion")?;
    let correlation_id = reader.i32("CorrelationId")?;
    let client_id = reader.nullable_string(false, "ClientId")?;
    if api_key.is_flexible(api_version) {
        reader.tagged_fields(|_, _| Ok(false))?;
    }
    Ok(RequestHeader {
        api_key,
        api_version,
        correlation_id,
        client_id,
    })
}

/// Encodes a response with its header and length prefix.
///
/// # Errors
/// If the version cannot carry the response.
pub fn encode_response<M: Message>(
    api_key: ApiKey,
    version: i16,
    correlation_id: i32,
    response: &M,
) -> Result<Frame, EncodeError> {
    let mut writer = Writer::framed();
    writer.i32(correlation_id);
    writer.no_tags(api_key.has_flexible_response_header(version));
    response.encode(&mut writer, version)?;
    writer.finish_framed()
}

fn reader_error(offset: usize, field: &'static str, kind: DecodeErrorKind) -> DecodeError {
    DecodeError {
        message: REQUEST_HEADER,
        field,
        offset,
        kind,
    }
}
