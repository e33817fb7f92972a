//! FindCoordinator, versions 0 to 6.
//!
//! There are no groups and no transactions yet, so there is no coordinator to be found: groups are told so with
//! COORDINATOR_NOT_AVAILABLE, which clients that only assign partitions live with, and transactions with INVALID_REQUEST, which
//! clients do not try again. It is served at all because librdkafka compresses with lz4 only for brokers that list it.
//!
//! Version 1 added the kind of key, 4 asks for several at once (KIP-699).

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::find_coordinator::{
    Coordinator, FindCoordinatorRequest, FindCoordinatorResponse,
};

use super::{Answer, Peer, Serve};

/// First version that asks for several coordinators at once.
const SEVERAL_SINCE: i16 = 4;

/// `key_type` of groups; 1 are transactions, 2 share groups.
const GROUP: i8 = 0;

impl Serve for FindCoordinatorRequest {
    fn serve(self, _peer: &Peer, version: i16) -> Answer<FindCoordinatorResponse> {
        let code = if self.key_type == GROUP {
            ErrorCode::CoordinatorNotAvailable
        } else {
            ErrorCode::InvalidRequest
        };
        Answer::Now(self.refuse(version, code))
    }

    fn refuse(&self, version: i16, code: ErrorCode) -> FindCoordinatorResponse {
        let message = Some("This broker coordinates neither groups nor transactions.".to_owned());
        if version < SEVERAL_SINCE {
            return FindCoordinatorResponse {
                error_code: code.code(),
                error_message: message,
                node_id: -1,
                port: -1,
                ..FindCoordinatorResponse::default()
            };
        }
        let coordinator = |key: &String| Coordinator {
            key: key.clone(),
            node_id: -1,
            host: String::new(),
            port: -1,
            error_code: code.code(),
            error_message: message.clone(),
        };
        let coordinators = self.coordinator_keys.iter().map(coordinator).collect();
        FindCoordinatorResponse {
            coordinators,
            ..FindCoordinatorResponse::default()
        }
    }
}
