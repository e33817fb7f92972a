//! CreatePartitions, versions 0 to 3.
//!
//! Kept: more partitions for a topic, spread or assigned by hand; dry runs. Since version 3 a client
//! whose `controller_mutation_rate` is used up is refused (KIP-599); before, it has to pause.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::create_partitions::{
    CreatePartitionsRequest, CreatePartitionsResponse, CreatePartitionsTopic,
    CreatePartitionsTopicResult,
};

use super::mutations::Mutations;
use super::repeated::times;
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
        let mut times = times(self.topics.iter().map(|topic| topic.name.as_str()));
        for topic in &self.topics {
            let outcome = match times.remove(topic.name.as_str()) {
                Some(1) => grow(
                    &peer.cluster,
                    &mut state,
                    topic,
                    self.validate_only,
                    &mut mutations,
                ),
                // A topic that is named twice does not grow, and gets one answer.
                Some(_) => Err(RefusedRequest::invalid("Duplicate topic name.")),
                None => continue,
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
