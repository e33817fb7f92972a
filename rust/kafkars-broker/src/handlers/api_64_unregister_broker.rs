//! UnregisterBroker, version 0.
//!
//! Kept: a node that is known is given up, as when its session times out. It registers again when it is started.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::unregister_broker::{
    UnregisterBrokerRequest, UnregisterBrokerResponse,
};

use super::{Handled, Peer, Serve};

impl Serve for UnregisterBrokerRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<UnregisterBrokerResponse> {
        let Some(node) = peer.cluster.node(self.broker_id) else {
            let id = self.broker_id;
            return Handled::Now(UnregisterBrokerResponse {
                error_message: Some(format!("Broker ID {id} is not currently registered")),
                ..self.refuse(peer, version, ErrorCode::BrokerIdNotRegistered)
            });
        };
        peer.cluster.fence(&node);
        Handled::Now(UnregisterBrokerResponse {
            error_message: Some(String::new()),
            ..UnregisterBrokerResponse::default()
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> UnregisterBrokerResponse {
        UnregisterBrokerResponse {
            throttle_time_ms: 0,
            error_code: code.code(),
            error_message: Some(code.description().to_owned()),
        }
    }
}
