//! DeleteTopics, versions 1 to 6.
//!
//! Kept: deletion by name, and by id (version 6, KIP-516). Any node carries it out, at once; fetches that wait are
//! told. Since version 5 a client whose `controller_mutation_rate` is used up is refused (KIP-599); before, it has to
//! pause.

use std::collections::HashMap;

use kafkars_protocol::messages::delete_topics::{
    DeletableTopicResult, DeleteTopicState, DeleteTopicsRequest, DeleteTopicsResponse,
};
use kafkars_protocol::{ErrorCode, Uuid};

use super::mutations::Mutations;
use super::{Handled, Peer, Serve};
use crate::refusal::Refusal;
use crate::state::State;

/// First version in which too many mutations are refused.
const STRICT_SINCE: i16 = 5;

impl Serve for DeleteTopicsRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<DeleteTopicsResponse> {
        let mut mutations = Mutations::new(peer, version >= STRICT_SINCE);
        let mut state = peer.cluster.state();
        let mut times: HashMap<(Option<String>, Uuid), usize> = HashMap::new();
        for topic in wanted(&self) {
            *times.entry((topic.name, topic.topic_id)).or_default() += 1;
        }
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
                result(topic.name.clone(), topic.topic_id, Some(refusal))
            }));
        }
        Handled::Now(DeleteTopicsResponse {
            throttle_time_ms: mutations.pause_ms,
            responses,
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> DeleteTopicsResponse {
        let responses = wanted(self)
            .map(|topic| result(topic.name, topic.topic_id, Some(code.into())))
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

fn duplicate(topic: &DeleteTopicState) -> Refusal {
    let reason = match topic.name {
        Some(_) => "Duplicate topic name.",
        None => "Duplicate topic id.",
    };
    Refusal::new(ErrorCode::InvalidRequest, reason)
}

fn delete(
    state: &mut State,
    wanted: &DeleteTopicState,
    mutations: &mut Mutations<'_>,
) -> Result<DeletableTopicResult, Refusal> {
    let invalid = |reason| Err(Refusal::new(ErrorCode::InvalidRequest, reason));
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
    Ok(result(Some(name), id, None))
}

fn result(name: Option<String>, topic_id: Uuid, refusal: Option<Refusal>) -> DeletableTopicResult {
    DeletableTopicResult {
        name,
        topic_id,
        error_code: refusal.as_ref().map_or(0, |refusal| refusal.code.code()),
        error_message: refusal.map(Refusal::into_message),
    }
}
