//! InitProducerId, versions 0 to 5.
//!
//! Kept: every idempotent producer that asks gets a new id with epoch 0, as in Kafka, whatever id it had. A
//! transactional id keeps its producer id and gets the next epoch, which fences whoever had it before; a transaction
//! under way is aborted first (CONCURRENT_TRANSACTIONS until the producer asks again). A producer that names its
//! identity (version 3, KIP-360) gets its epoch bumped unless somebody else has.
//!
//! Version 4 added PRODUCER_FENCED; before, it is INVALID_PRODUCER_EPOCH (KIP-588). Version 6, for two-phase commit
//! (KIP-939), is not stable in Kafka 4.3 and not served.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::init_producer_id::{InitProducerIdRequest, InitProducerIdResponse};

use super::coordination::check_transactional_id;
use super::{Handled, Peer, Serve};
use crate::transactions::ProducerIdAndEpoch;

/// First version whose clients know PRODUCER_FENCED.
const FENCED_SINCE: i16 = 4;

impl Serve for InitProducerIdRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<InitProducerIdResponse> {
        let identity = match &self.transactional_id {
            Some(id) => transactional(&self, peer, id),
            None => Ok(ProducerIdAndEpoch {
                id: peer.cluster.state().producer_ids.take(),
                epoch: 0,
            }),
        };
        Handled::Now(match identity {
            Ok(ProducerIdAndEpoch { id, epoch }) => InitProducerIdResponse {
                producer_id: id,
                producer_epoch: epoch,
                ..InitProducerIdResponse::default()
            },
            Err(ErrorCode::ProducerFenced) if version < FENCED_SINCE => {
                self.refuse(peer, version, ErrorCode::InvalidProducerEpoch)
            }
            Err(code) => self.refuse(peer, version, code),
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> InitProducerIdResponse {
        InitProducerIdResponse {
            error_code: code.code(),
            producer_id: -1,
            producer_epoch: -1,
            ..InitProducerIdResponse::default()
        }
    }
}

fn transactional(
    request: &InitProducerIdRequest,
    peer: &Peer,
    transactional_id: &str,
) -> Result<ProducerIdAndEpoch, ErrorCode> {
    check_transactional_id(peer, transactional_id)?;
    let expected = match (request.producer_id, request.producer_epoch) {
        (-1, -1) => None,
        (id, epoch) if id < 0 || epoch < 0 => return Err(ErrorCode::InvalidRequest),
        (id, epoch) => Some(ProducerIdAndEpoch { id, epoch }),
    };
    let mut state = peer.cluster.state();
    state.transaction_coordinator().init(
        transactional_id,
        request.transaction_timeout_ms,
        expected,
        peer.cluster.now(),
    )
}
