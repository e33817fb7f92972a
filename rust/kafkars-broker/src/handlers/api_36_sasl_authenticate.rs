//! SaslAuthenticate, versions 0 to 2.
//!
//! Kept: listeners are plain, and the answer is that of a plain listener of Kafka: ILLEGAL_SASL_STATE.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::sasl_authenticate::{
    SaslAuthenticateRequest, SaslAuthenticateResponse,
};

use super::{Answer, Peer, Serve};

impl Serve for SaslAuthenticateRequest {
    fn serve(self, peer: &Peer, version: i16) -> Answer<SaslAuthenticateResponse> {
        let reason = "SaslAuthenticate request received after successful authentication";
        Answer::Now(SaslAuthenticateResponse {
            error_message: Some(reason.to_owned()),
            ..self.refuse(peer, version, ErrorCode::IllegalSaslState)
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> SaslAuthenticateResponse {
        SaslAuthenticateResponse {
            error_code: code.code(),
            error_message: Some(code.description().to_owned()),
            ..SaslAuthenticateResponse::default()
        }
    }
}
