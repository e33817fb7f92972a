//! AddOffsetsToTxn, versions 0 to 4.
//!
//! Kept: everything. The offsets that a group commits become part of the transaction; version 2 told PRODUCER_FENCED
//! apart.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::add_offsets_to_txn::{
    AddOffsetsToTxnRequest, AddOffsetsToTxnResponse,
};

use super::coordination::check_transactional_id;
use super::{Handled, Peer, Serve};
use crate::transactions::ProducerIdAndEpoch;
use crate::transactions::steps::Participant;

/// First version whose clients know PRODUCER_FENCED.
const FENCED_SINCE: i16 = 2;

impl Serve for AddOffsetsToTxnRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<AddOffsetsToTxnResponse> {
        let result = check_transactional_id(peer, &self.transactional_id).and_then(|()| {
            let producer = ProducerIdAndEpoch {
                id: self.producer_id,
                epoch: self.producer_epoch,
            };
            let mut state = peer.cluster.state();
            state.transaction_coordinator().add(
                &self.transactional_id,
                producer,
                &[Participant::Group(self.group_id.clone())],
                peer.cluster.now(),
            )
        });
        Handled::Now(match result {
            Ok(()) => AddOffsetsToTxnResponse::default(),
            Err(ErrorCode::ProducerFenced) if version < FENCED_SINCE => {
                self.refuse(peer, version, ErrorCode::InvalidProducerEpoch)
            }
            Err(code) => self.refuse(peer, version, code),
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> AddOffsetsToTxnResponse {
        AddOffsetsToTxnResponse {
            throttle_time_ms: 0,
            error_code: code.code(),
        }
    }
}
