//! ListPartitionReassignments, version 0 (KIP-455).
//!
//! Kept: reassignments are over when they are answered, so there are none to list.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::list_partition_reassignments::{
    ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse,
};

use super::{Handled, Peer, Serve};

impl Serve for ListPartitionReassignmentsRequest {
    fn serve(self, _peer: &Peer, _version: i16) -> Handled<ListPartitionReassignmentsResponse> {
        Handled::Now(ListPartitionReassignmentsResponse {
            error_message: None,
            ..ListPartitionReassignmentsResponse::default()
        })
    }

    fn refuse(
        &self,
        _peer: &Peer,
        _version: i16,
        code: ErrorCode,
    ) -> ListPartitionReassignmentsResponse {
        ListPartitionReassignmentsResponse {
            error_code: code.code(),
            error_message: Some(code.description().to_owned()),
            ..ListPartitionReassignmentsResponse::default()
        }
    }
}
