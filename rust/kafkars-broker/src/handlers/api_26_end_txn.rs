//! EndTxn, versions 0 to 5.
//!
//! Kept: a producer that did not get the answer may ask again. Since version 5 every end starts a new epoch, which the
//! answer tells, and a transaction to which nothing was added may be aborted (KIP-890).
//!
//! The markers are in the logs when the answer is there, unless a partition has no leader; Kafka writes them
//! afterwards.
//!
//! Version 2 told PRODUCER_FENCED apart.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::end_txn::{EndTxnRequest, EndTxnResponse};

use super::coordination::check_transactional_id;
use super::{Handled, Peer, Serve};
use crate::transactions::ProducerIdAndEpoch;
use crate::transactions::ending::TransactionEnd;

/// First version whose clients know PRODUCER_FENCED.
const FENCED_SINCE: i16 = 2;
/// First version that starts a new epoch.
const BUMPS_SINCE: i16 = 5;

impl Serve for EndTxnRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<EndTxnResponse> {
        let bumps = version >= BUMPS_SINCE;
        let result = check_transactional_id(peer, &self.transactional_id).and_then(|()| {
            let end = TransactionEnd {
                id: &self.transactional_id,
                producer: ProducerIdAndEpoch {
                    id: self.producer_id,
                    epoch: self.producer_epoch,
                },
                committed: self.committed,
                bumps,
            };
            let mut state = peer.cluster.state();
            state.transaction_coordinator().end(end, peer.cluster.now())
        });
        Handled::Now(match result {
            Ok(next) if bumps => EndTxnResponse {
                producer_id: next.id,
                producer_epoch: next.epoch,
                ..EndTxnResponse::default()
            },
            Ok(_) => EndTxnResponse::default(),
            Err(ErrorCode::ProducerFenced) if version < FENCED_SINCE => {
                self.refuse(peer, version, ErrorCode::InvalidProducerEpoch)
            }
            Err(code) => self.refuse(peer, version, code),
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> EndTxnResponse {
        EndTxnResponse {
            error_code: code.code(),
            ..EndTxnResponse::default()
        }
    }
}
