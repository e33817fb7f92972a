//! CreatePartitions, versions 0 to 3.
//!
//! Kept: more partitions for a topic, spread or assigned by hand; dry runs. Since version 3 a client
//! whose `controller_mutation_rate` is used up is refused (KIP-599); before, it has to pause.

use std::collections::HashSet;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::create_partitions::{
    CreatePartitionsRequest, CreatePartitionsResponse, CreatePartitionsTopic,
    CreatePartitionsTopicResult,
};

use super::mutations::Mutations;
use super::{Handled, Peer, Serve};
use crate::cluster::RunningCluster;
use crate::creation;
use crate::refusal::{RefusedRequest, told};
use crate::state::ClusterState;

/// First version in which too many mutations are refused.
const STRICT_SINCE: i16 = 3;

impl Serve for CreatePartitionsRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<CreatePartitionsResponse> {
        let mut mutations = Mutations::new(peer, version >= STRICT_SINCE);
        let mut state = peer.cluster.state();
        let mut results = Vec::with_capacity(self.topics.len());
        let mut names = HashSet::new();
        for topic in &self.topics {
            let repeated = !names.insert(topic.name.as_str());
            let outcome = if repeated {
                Err(RefusedRequest::invalid("Duplicate topic in request."))
            } else {
                grow(
                    &peer.cluster,
                    &mut state,
                    topic,
                    self.validate_only,
                    &mut mutations,
                )
            };
            results.push(result(topic, outcome));
        }
        Handled::Now(CreatePartitionsResponse {
            throttle_time_ms: mutations.pause_ms,
            results,
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> CreatePartitionsResponse {
        let results = self
            .topics
            .iter()
            .map(|topic| result(topic, Err(code.into())))
            .collect();
        CreatePartitionsResponse {
            throttle_time_ms: 0,
            results,
        }
    }
}

fn grow(
    cluster: &RunningCluster,
    state: &mut ClusterState,
    wanted: &CreatePartitionsTopic,
    validate_only: bool,
    mutations: &mut Mutations<'_>,
) -> Result<(), RefusedRequest> {
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
    mutations.count(more.len())?;
    if !validate_only {
        state.add_partitions(&wanted.name, more);
    }
    Ok(())
}

fn result(
    topic: &CreatePartitionsTopic,
    outcome: Result<(), RefusedRequest>,
) -> CreatePartitionsTopicResult {
    let (error_code, error_message) = told(outcome);
    CreatePartitionsTopicResult {
        name: topic.name.clone(),
        error_code,
        error_message,
    }
}
