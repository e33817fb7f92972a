//! CreatePartitions, versions 0 to 3.
//!
//! Kept: more partitions for a topic, spread or assigned by hand; dry runs. Skipped: quotas (version 3, KIP-599).

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::create_partitions::{
    CreatePartitionsRequest, CreatePartitionsResponse, CreatePartitionsTopic,
    CreatePartitionsTopicResult,
};

use super::{Answer, Peer, Serve};
use crate::cluster::{Cluster, State};
use crate::creation;
use crate::incoming::Refusal;

impl Serve for CreatePartitionsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Answer<CreatePartitionsResponse> {
        let mut state = peer.cluster.state();
        let mut results = Vec::with_capacity(self.topics.len());
        for (index, topic) in self.topics.iter().enumerate() {
            let repeated = self.topics[..index]
                .iter()
                .any(|other| other.name == topic.name);
            let outcome = if repeated {
                Err(Refusal::new(
                    ErrorCode::InvalidRequest,
                    "Duplicate topic in request.",
                ))
            } else {
                grow(&peer.cluster, &mut state, topic, self.validate_only)
            };
            results.push(result(topic, outcome.err()));
        }
        Answer::Now(CreatePartitionsResponse {
            throttle_time_ms: 0,
            results,
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> CreatePartitionsResponse {
        let results = self
            .topics
            .iter()
            .map(|topic| result(topic, Some(code.into())))
            .collect();
        CreatePartitionsResponse {
            throttle_time_ms: 0,
            results,
        }
    }
}

fn grow(
    cluster: &Cluster,
    state: &mut State,
    wanted: &CreatePartitionsTopic,
    validate_only: bool,
) -> Result<(), Refusal> {
    let assignments = wanted.assignments.as_ref();
    let assignment = assignments.map(|all| {
        all.iter()
            .map(|replicas| replicas.broker_ids.clone())
            .collect()
    });
    let topic = state
        .topic_mut(&wanted.name)
        .ok_or(ErrorCode::UnknownTopicOrPartition)?;
    let more = creation::plan_more(cluster, topic, wanted.count, assignment)?;
    if !validate_only {
        topic.partitions.extend(more);
    }
    Ok(())
}

fn result(topic: &CreatePartitionsTopic, refusal: Option<Refusal>) -> CreatePartitionsTopicResult {
    let error_code = refusal.as_ref().map_or(0, |refusal| refusal.code.code());
    let error_message = refusal.map(|refusal| {
        refusal
            .message
            .unwrap_or_else(|| refusal.code.description().to_owned())
    });
    CreatePartitionsTopicResult {
        name: topic.name.clone(),
        error_code,
        error_message,
    }
}
