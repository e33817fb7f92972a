//! DeleteTopics, versions 1 to 6.
//!
//! Kept: deletion by name, and by id (version 6, KIP-516). Any node carries it out, at once; fetches that wait are told.
//! Since version 5 a client whose `controller_mutation_rate` is used up is refused (KIP-599); before, it has to pause.

use kafkars_protocol::messages::delete_topics::{
    DeletableTopicResult, DeleteTopicState, DeleteTopicsRequest, DeleteTopicsResponse,
};
use kafkars_protocol::{ErrorCode, Uuid};

use super::mutations::Mutations;
use super::{Answer, Peer, Serve};
use crate::cluster::State;

/// First version in which too many mutations are refused.
const STRICT_SINCE: i16 = 5;

impl Serve for DeleteTopicsRequest {
    fn serve(self, peer: &Peer, version: i16) -> Answer<DeleteTopicsResponse> {
        let mut mutations = Mutations::new(peer, version >= STRICT_SINCE);
        let mut state = peer.cluster.state();
        let responses = wanted(&self)
            .map(|topic| delete(&mut state, &topic, &mut mutations))
            .collect();
        Answer::Now(DeleteTopicsResponse {
            throttle_time_ms: mutations.pause_ms,
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

fn delete(
    state: &mut State,
    wanted: &DeleteTopicState,
    mutations: &mut Mutations<'_>,
) -> DeletableTopicResult {
    let DeleteTopicState { name, topic_id } = wanted.clone();
    let (found, unknown) = match &name {
        Some(_) if !topic_id.is_zero() => {
            return result(name, topic_id, Some(ErrorCode::InvalidRequest));
        }
        Some(known) => (state.topic(known), ErrorCode::UnknownTopicOrPartition),
        None => (state.topic_by_id(topic_id), ErrorCode::UnknownTopicId),
    };
    let Some(topic) = found else {
        return result(name, topic_id, Some(unknown));
    };
    let (name, topic_id) = (topic.name.clone(), topic.id);
    let counted = mutations.count(topic.partitions.len());
    if counted.is_ok() {
        state.remove_topic(&name);
    }
    result(Some(name), topic_id, counted.err())
}

fn result(name: Option<String>, topic_id: Uuid, code: Option<ErrorCode>) -> DeletableTopicResult {
    DeletableTopicResult {
        name,
        topic_id,
        error_code: code.map_or(0, ErrorCode::code),
        error_message: code.map(|code| code.description().to_owned()),
    }
}
