//! ApiVersions, the first exchange on a connection: which versions does the broker support?
//!
//! We ask in our newest version. A broker that does not know it answers `UNSUPPORTED_VERSION` in the format of version
//! 0, with its own range, and is asked again within that. One that closes the connection instead is asked in version 0
//! next time.

use std::time::Instant;

use bytes::Bytes;
use kafkars_protocol::messages::api_versions::{ApiVersionsRequest, ApiVersionsResponse};
use kafkars_protocol::{ApiKey, ErrorCode, Message, decode_response};

use super::connection::Connection;
use super::handshake_error::HandshakeError;
use super::versions::ApiVersionTable;
use crate::error::AttemptError;

/// There are at most three tries: in our newest version, in the broker's newest, in version 0.
const TRIES: usize = 3;

/// Offset of the error code in every version of the response: after the correlation id.
const ERROR_CODE_AT: usize = 4;

/// Asks for the broker's versions and stores them in the connection.
pub(crate) async fn negotiate(
    connection: &Connection,
    newest: i16,
    deadline: Instant,
) -> Result<(), HandshakeError> {
    let mut version = newest;
    for _ in 0..TRIES {
        let request = ApiVersionsRequest {
            client_software_name: "kafkars".to_owned(),
            client_software_version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let answer = connection.start_raw(&request, version, deadline)?;
        let frame = answer.await?;
        let answered_in = match error_code(&frame) {
            Some(ErrorCode::UnsupportedVersion) => 0,
            _ => version,
        };
        let response = decode(connection, frame, answered_in)?;
        match ErrorCode::check(response.error_code) {
            Ok(()) => {
                connection.set_versions(ApiVersionTable::new(&response));
                return Ok(());
            }
            Err(ErrorCode::UnsupportedVersion) if version > 0 => {
                let theirs = ApiVersionTable::new(&response).range(ApiKey::ApiVersions);
                let theirs = theirs.map_or(0, |theirs| theirs.max.max(0));
                version = if theirs < version { theirs } else { 0 };
            }
            Err(code) => return Err(HandshakeError::Refused(code)),
        }
    }
    Err(HandshakeError::Refused(ErrorCode::UnsupportedVersion))
}

/// The newest version of ApiVersions that this client supports.
pub(crate) const NEWEST: i16 = ApiVersionsRequest::VERSIONS.max;

fn error_code(frame: &Bytes) -> Option<ErrorCode> {
    let code = frame.get(ERROR_CODE_AT..)?.first_chunk()?;
    Some(ErrorCode::from_i16(i16::from_be_bytes(*code)))
}

fn decode(
    connection: &Connection,
    frame: Bytes,
    version: i16,
) -> Result<ApiVersionsResponse, AttemptError> {
    match decode_response::<ApiVersionsRequest>(frame, version) {
        Ok((_, response)) => Ok(response),
        Err(error) => {
            let error = AttemptError::Decode(error);
            connection.close(&error);
            Err(error)
        }
    }
}
