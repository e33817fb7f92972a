//! DeleteTopics, versions 1 to 6.
//!
//! Kept: deletion by name, and by id (version 6, KIP-516). Any node carries it out, at once; fetches that wait are told.

use kafkars_protocol::messages::delete_topics::{
    DeletableTopicResult, DeleteTopicState, DeleteTopicsRequest, DeleteTopicsResponse,
};
use kafkars_protocol::{ErrorCode, Uuid};

use super::{Answer, Peer, Serve};
use crate::cluster::State;

impl Serve for DeleteTopicsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Answer<DeleteTopicsResponse> {
        let mut state = peer.cluster.state();
        let responses = wanted(&self)
            .map(|topic| delete(&mut state, &topic))
            .collect();
        Answer::Now(DeleteTopicsResponse {
            throttle_time_ms: 0,
            responses,
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> DeleteTopicsResponse {
        let responses = wanted(self)
            .map(|topic| result(topic.name, topic.topic_id, Some(code)))
            .collect();
        DeleteTopicsResponse {
            throttle_time_ms: 0,
            responses,
        }
    }
}

/// Until version 5 names, later names or ids.
fn wanted(request: &DeleteTopicsRequest) -> impl Iterator<Item = DeleteTopicState> {
    let by_name = |name: &String| DeleteTopicState {
        name: Some(name.clone()),
        ..DeleteTopicState::default()
    };
    request
        .topic_names
        .iter()
        .map(by_name)
        .chain(request.topics.iter().cloned())
}

fn delete(state: &mut State, wanted: &DeleteTopicState) -> DeletableTopicResult {
    let DeleteTopicState { name, topic_id } = wanted.clone();
    match name {
        Some(_) if !topic_id.is_zero() => result(name, topic_id, Some(ErrorCode::InvalidRequest)),
        Some(name) => match state.remove_topic(&name) {
            Some(topic) => result(Some(name), topic.id, None),
            None => result(
                Some(name),
                Uuid::ZERO,
                Some(ErrorCode::UnknownTopicOrPartition),
            ),
        },
        None => match state.topic_by_id(topic_id).map(|topic| topic.name.clone()) {
            Some(name) => {
                state.remove_topic(&name);
                result(Some(name), topic_id, None)
            }
            None => result(None, topic_id, Some(ErrorCode::UnknownTopicId)),
        },
    }
}

fn result(name: Option<String>, topic_id: Uuid, code: Option<ErrorCode>) -> DeletableTopicResult {
    DeletableTopicResult {
        name,
        topic_id,
        error_code: code.map_or(0, ErrorCode::code),
        error_message: code.map(|code| code.description().to_owned()),
    }
}
