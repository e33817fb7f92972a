//! ExpireDelegationToken, versions 1 and 2.
//!
//! This broker gives no delegation tokens, so it answers as Kafka does to whoever is not authenticated:
//! DELEGATION_TOKEN_REQUEST_NOT_ALLOWED.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::expire_delegation_token::{
    ExpireDelegationTokenRequest, ExpireDelegationTokenResponse,
};

use super::{Handled, Peer, Serve};

impl Serve for ExpireDelegationTokenRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<ExpireDelegationTokenResponse> {
        let code = ErrorCode::DelegationTokenRequestNotAllowed;
        Handled::Now(self.refuse(peer, version, code))
    }

    fn refuse(
        &self,
        _peer: &Peer,
        _version: i16,
        code: ErrorCode,
    ) -> ExpireDelegationTokenResponse {
        ExpireDelegationTokenResponse {
            error_code: code.code(),
            expiry_timestamp_ms: -1,
            throttle_time_ms: 0,
        }
    }
}
