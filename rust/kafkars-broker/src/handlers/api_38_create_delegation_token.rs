//! CreateDelegationToken, versions 1 to 3.
//!
//! This broker gives no delegation tokens, so it answers as Kafka does to whoever is not authenticated:
//! DELEGATION_TOKEN_REQUEST_NOT_ALLOWED.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::create_delegation_token::{
    CreateDelegationTokenRequest, CreateDelegationTokenResponse,
};

use super::{Handled, Peer, Serve};
use crate::quotas::USER;

/// First version that tells who asked.
const REQUESTER_SINCE: i16 = 3;
const PRINCIPAL_TYPE: &str = "User";
/// The timestamp that stands for no time.
const NEVER: i64 = -1;

impl Serve for CreateDelegationTokenRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<CreateDelegationTokenResponse> {
        let code = ErrorCode::DelegationTokenRequestNotAllowed;
        Handled::Now(self.refuse(peer, version, code))
    }

    fn refuse(&self, _peer: &Peer, version: i16, code: ErrorCode) -> CreateDelegationTokenResponse {
        let requester = |name: &str| match version {
            REQUESTER_SINCE.. => name.to_owned(),
            _ => String::new(),
        };
        CreateDelegationTokenResponse {
            error_code: code.code(),
            principal_type: PRINCIPAL_TYPE.to_owned(),
            principal_name: USER.to_owned(),
            token_requester_principal_type: requester(PRINCIPAL_TYPE),
            token_requester_principal_name: requester(USER),
            issue_timestamp_ms: NEVER,
            expiry_timestamp_ms: NEVER,
            max_timestamp_ms: NEVER,
            ..CreateDelegationTokenResponse::default()
        }
    }
}
