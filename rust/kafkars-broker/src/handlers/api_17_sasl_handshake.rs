//! SaslHandshake, versions 0 and 1.
//!
//! Kept: the mechanism is agreed on, at first or again (KIP-368), or those that there are named. At a listener where
//! nobody logs in the answer is ILLEGAL_SASL_STATE.
//!
//! After version 0 the messages of the mechanism travel bare, since version 1 in SaslAuthenticate.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::sasl_handshake::{SaslHandshakeRequest, SaslHandshakeResponse};

use super::{Handled, Peer, Serve};

impl Serve for SaslHandshakeRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<SaslHandshakeResponse> {
        let now = peer.cluster.now();
        let session = peer.session.as_ref();
        let agreed = session.and_then(|session| session.handshake(&self.mechanism, version, now));
        Handled::Now(match agreed {
            None => self.refuse(peer, version, ErrorCode::IllegalSaslState),
            Some((code, mechanisms)) => SaslHandshakeResponse {
                error_code: code.map_or(0, ErrorCode::code),
                mechanisms,
            },
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> SaslHandshakeResponse {
        SaslHandshakeResponse {
            error_code: code.code(),
            mechanisms: Vec::new(),
        }
    }
}
