//! RenewDelegationToken, versions 1 and 2.
//!
//! This broker gives no delegation tokens, so it answers as Kafka does to whoever is not authenticated:
//! DELEGATION_TOKEN_REQUEST_NOT_ALLOWED.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::renew_delegation_token::{
    RenewDelegationTokenRequest, RenewDelegationTokenResponse,
};

use super::{Handled, Peer, Serve};

impl Serve for RenewDelegationTokenRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<RenewDelegationTokenResponse> {
        let code = ErrorCode::DelegationTokenRequestNotAllowed;
        Handled::Now(self.refuse(peer, version, code))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> RenewDelegationTokenResponse {
        RenewDelegationTokenResponse {
            error_code: code.code(),
            expiry_timestamp_ms: -1,
            throttle_time_ms: 0,
        }
    }
}
