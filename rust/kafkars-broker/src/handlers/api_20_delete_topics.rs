//! DeleteTopics, versions 1 to 6.
//!
//! Kept: deletion by name, and by id (version 6, KIP-516). Any node carries it out, at once; fetches that wait are
//! told. Since version 5 a client whose `controller_mutation_rate` is used up is refused (KIP-599); before, it has to
//! pause.

use kafkars_protocol::messages::delete_topics::{
    DeletableTopicResult, DeleteTopicState, DeleteTopicsRequest, DeleteTopicsResponse,
};
use kafkars_protocol::{ErrorCode, Uuid};

use super::mutations::Mutations;
use super::repeated::times;
use super::{Handled, Peer, Serve};
use crate::refusal::{RefusedRequest, told};
use crate::state::ClusterState;

/// First version in which too many mutations are refused.
const STRICT_SINCE: i16 = 5;

impl Serve for DeleteTopicsRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<DeleteTopicsResponse> {
        let mut mutations = Mutations::new(peer, version >= STRICT_SINCE);
        let mut state = peer.cluster.state();
        let mut times = times(wanted(&self).map(|topic| (topic.name, topic.topic_id)));
        let mut responses: Vec<DeletableTopicResult> = Vec::with_capacity(times.len());
        for topic in wanted(&self) {
            let DeleteTopicState { name, topic_id } = topic.clone();
            let outcome = match times.remove(&(name, topic_id)) {
                Some(1) => delete(&mut state, &topic, &mut mutations),
                // A topic that is named twice is not deleted, and gets one answer.
                Some(_) => Err(duplicate(&topic)),
                None => continue,
            };
            responses.push(outcome.unwrap_or_else(|refusal| {
                result(topic.name.clone(), topic.topic_id, Err(refusal))
            }));
        }
        Handled::Now(DeleteTopicsResponse {
            throttle_time_ms: mutations.pause_ms,
            responses,
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> DeleteTopicsResponse {
        let responses = wanted(self)
            .map(|topic| result(topic.name, topic.topic_id, Err(code.into())))
            .collect();
        DeleteTopicsResponse {
            throttle_time_ms: 0,
            responses,
        }
    }
}

/// The topics that a request names: until version 5 by name, later by name or id.
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

fn duplicate(topic: &DeleteTopicState) -> RefusedRequest {
    let reason = match topic.name {
        Some(_) => "Duplicate topic name.",
        None => "Duplicate topic id.",
    };
    RefusedRequest::invalid(reason)
}

fn delete(
    state: &mut ClusterState,
    wanted: &DeleteTopicState,
    mutations: &mut Mutations<'_>,
) -> Result<DeletableTopicResult, RefusedRequest> {
    let invalid = |reason: &str| Err(RefusedRequest::invalid(reason));
    let id = wanted.topic_id;
    let (found, unknown) = match &wanted.name {
        Some(_) if !id.is_zero() => {
            return invalid("You may not specify both topic name and topic id.");
        }
        None if id.is_zero() => return invalid("Neither topic name nor id were specified."),
        Some(name) => (state.topic(name), ErrorCode::UnknownTopicOrPartition),
        None => (state.topic_by_id(id), ErrorCode::UnknownTopicId),
    };
    let topic = found.ok_or(unknown)?;
    let (name, id) = (topic.name.clone(), topic.id);
    mutations.count(topic.partitions.len())?;
    state.remove_topic(&name);
    Ok(result(Some(name), id, Ok(())))
}

fn result(
    name: Option<String>,
    topic_id: Uuid,
    outcome: Result<(), RefusedRequest>,
) -> DeletableTopicResult {
    let (error_code, error_message) = told(outcome);
    DeletableTopicResult {
        name,
        topic_id,
        error_code,
        error_message,
    }
}
