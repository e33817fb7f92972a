//! InitProducerId, versions 0 to 5.
//!
//! Kept: every idempotent producer that asks gets a new id with epoch 0, as in Kafka, whatever id it had (version 3, KIP-360).
//!
//! Skipped: transactions. A transactional id is refused with INVALID_REQUEST, which producers do not try again.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::init_producer_id::{InitProducerIdRequest, InitProducerIdResponse};

use super::{Answer, Peer, Serve};

impl Serve for InitProducerIdRequest {
    fn serve(self, peer: &Peer, version: i16) -> Answer<InitProducerIdResponse> {
        if self.transactional_id.is_some() {
            return Answer::Now(self.refuse(peer, version, ErrorCode::InvalidRequest));
        }
        let producer_id = peer.cluster.state().take_producer_id();
        Answer::Now(InitProducerIdResponse {
            producer_id,
            producer_epoch: 0,
            ..InitProducerIdResponse::default()
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
