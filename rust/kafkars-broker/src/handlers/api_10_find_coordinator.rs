//! FindCoordinator, versions 0 to 6.
//!
//! Kept: every group has a node that keeps its committed offsets, every transactional id one that ends its
//! transactions; several at once (version 4, KIP-699).
//!
//! The state of share groups by `group:topic-id:partition` (version 6, KIP-932), which only brokers ask for.
//!
//! Version 1 added the kind of key.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::find_coordinator::{
    Coordinator, FindCoordinatorRequest, FindCoordinatorResponse,
};

use super::{Handled, Peer, Serve};
use crate::nodes::CoordinatorType;

/// First version that asks for several coordinators at once.
const SEVERAL_SINCE: i16 = 4;

/// `key_type` of groups.
const GROUP: i8 = 0;
/// `key_type` of transactional ids.
const TRANSACTION: i8 = 1;
/// `key_type` of partitions that share groups read.
const SHARE: i8 = 2;
/// First version that asks for those.
const SHARE_SINCE: i16 = 6;

impl Serve for FindCoordinatorRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<FindCoordinatorResponse> {
        let kind = match self.key_type {
            GROUP => CoordinatorType::Group,
            TRANSACTION => CoordinatorType::Transaction,
            SHARE if version >= SHARE_SINCE => CoordinatorType::Share,
            _ => return Handled::Now(self.refuse(peer, version, ErrorCode::InvalidRequest)),
        };
        Handled::Now(respond(&self, version, |key| {
            if kind == CoordinatorType::Share && !is_share_key(key) {
                return failure(key, ErrorCode::InvalidRequest);
            }
            match peer.cluster.coordinator(kind, key) {
                Some(node) => {
                    let (host, port) = node.host_and_port(peer.listener);
                    Coordinator {
                        key: key.to_owned(),
                        node_id: node.id,
                        host,
                        port,
                        ..Coordinator::default()
                    }
                }
                None => failure(key, ErrorCode::CoordinatorNotAvailable),
            }
        }))
    }

    fn refuse(&self, _peer: &Peer, version: i16, code: ErrorCode) -> FindCoordinatorResponse {
        respond(self, version, |key| failure(key, code))
    }
}

/// Before version 4 there is one key, and its answer stands where later the list does.
fn respond(
    request: &FindCoordinatorRequest,
    version: i16,
    answer: impl Fn(&str) -> Coordinator,
) -> FindCoordinatorResponse {
    if version >= SEVERAL_SINCE {
        let coordinators = request
            .coordinator_keys
            .iter()
            .map(|key| answer(key))
            .collect();
        return FindCoordinatorResponse {
            coordinators,
            ..FindCoordinatorResponse::default()
        };
    }
    let Coordinator {
        node_id,
        host,
        port,
        error_code,
        error_message,
        ..
    } = answer(&request.key);
    FindCoordinatorResponse {
        error_code,
        error_message,
        node_id,
        host,
        port,
        ..FindCoordinatorResponse::default()
    }
}

/// True if a key names a group, the id of a topic, and a partition.
fn is_share_key(key: &str) -> bool {
    let mut parts = key.rsplitn(3, ':');
    let partition = parts.next().is_some_and(|text| text.parse::<i32>().is_ok());
    let topic = parts.next().is_some_and(|text| text.len() == 22);
    partition && topic && parts.next().is_some_and(|group| !group.is_empty())
}

fn failure(key: &str, code: ErrorCode) -> Coordinator {
    Coordinator {
        key: key.to_owned(),
        node_id: -1,
        host: String::new(),
        port: -1,
        error_code: code.code(),
        error_message: Some(code.description().to_owned()),
    }
}
