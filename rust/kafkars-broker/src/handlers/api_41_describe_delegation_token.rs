//! DescribeDelegationToken, versions 1 to 3.
//!
//! This broker gives no delegation tokens, so it answers as Kafka does to whoever is not authenticated:
//! DELEGATION_TOKEN_REQUEST_NOT_ALLOWED.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::describe_delegation_token::{
    DescribeDelegationTokenRequest, DescribeDelegationTokenResponse,
};

use super::{Handled, Peer, Serve};

impl Serve for DescribeDelegationTokenRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<DescribeDelegationTokenResponse> {
        let code = ErrorCode::DelegationTokenRequestNotAllowed;
        Handled::Now(self.refuse(peer, version, code))
    }

    fn refuse(
        &self,
        _peer: &Peer,
        _version: i16,
        code: ErrorCode,
    ) -> DescribeDelegationTokenResponse {
        DescribeDelegationTokenResponse {
            error_code: code.code(),
            ..DescribeDelegationTokenResponse::default()
        }
    }
}
