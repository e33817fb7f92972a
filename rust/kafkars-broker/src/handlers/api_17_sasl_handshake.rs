//! SaslHandshake, versions 0 and 1.
//!
//! Kept: listeners are plain, and the answer is that of a plain listener of Kafka: ILLEGAL_SASL_STATE.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::sasl_handshake::{SaslHandshakeRequest, SaslHandshakeResponse};

use super::{Answer, Peer, Serve};

impl Serve for SaslHandshakeRequest {
    fn serve(self, peer: &Peer, version: i16) -> Answer<SaslHandshakeResponse> {
        Answer::Now(self.refuse(peer, version, ErrorCode::IllegalSaslState))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> SaslHandshakeResponse {
        SaslHandshakeResponse {
            error_code: code.code(),
            mechanisms: Vec::new(),
        }
    }
}
