//! AddRaftVoter (KIP-853).
//!
//! Kept: the voters of the quorum are fixed, as in a Kafka that is formatted without dynamic voters:
//! UNSUPPORTED_VERSION.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::add_raft_voter::{AddRaftVoterRequest, AddRaftVoterResponse};

use super::{Handled, Peer, Serve, voters};

impl Serve for AddRaftVoterRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<AddRaftVoterResponse> {
        let cluster_id = self.cluster_id.as_deref();
        let refusal = voters::refusal(peer, "Add", cluster_id, self.voter_directory_id);
        Handled::Now(AddRaftVoterResponse {
            throttle_time_ms: 0,
            error_code: refusal.code.code(),
            error_message: Some(refusal.into_message()),
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> AddRaftVoterResponse {
        AddRaftVoterResponse {
            throttle_time_ms: 0,
            error_code: code.code(),
            error_message: Some(code.description().to_owned()),
        }
    }
}
