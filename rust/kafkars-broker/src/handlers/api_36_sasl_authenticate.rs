//! SaslAuthenticate, versions 0 to 2.
//!
//! Kept: the messages of a mechanism, and how long the login is believed (version 1, KIP-368). A login that fails is
//! answered a little later, with the mechanism's words, and ends the connection.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::sasl_authenticate::{
    SaslAuthenticateRequest, SaslAuthenticateResponse,
};

use super::{Handled, Peer, Serve};
use crate::security::sasl::session::DELAY_OF_FAILURE;

impl Serve for SaslAuthenticateRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<SaslAuthenticateResponse> {
        match peer.authenticate(&self.auth_bytes) {
            None => {
                let reason = "SaslAuthenticate request received after successful authentication";
                Handled::Now(SaslAuthenticateResponse {
                    error_message: Some(reason.to_owned()),
                    ..self.refuse(peer, version, ErrorCode::IllegalSaslState)
                })
            }
            Some(Ok(step)) => Handled::Now(SaslAuthenticateResponse {
                auth_bytes: step.answer,
                session_lifetime_ms: step.lifetime_ms,
                ..SaslAuthenticateResponse::default()
            }),
            Some(Err(reason)) => {
                let failure = SaslAuthenticateResponse {
                    error_message: Some(reason),
                    ..self.refuse(peer, version, ErrorCode::SaslAuthenticationFailed)
                };
                Handled::Later(Box::pin(async move {
                    tokio::time::sleep(DELAY_OF_FAILURE).await;
                    failure
                }))
            }
        }
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> SaslAuthenticateResponse {
        SaslAuthenticateResponse {
            error_code: code.code(),
            error_message: Some(code.description().to_owned()),
            ..SaslAuthenticateResponse::default()
        }
    }
}
