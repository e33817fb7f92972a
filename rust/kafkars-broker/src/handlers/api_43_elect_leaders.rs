//! ElectLeaders, versions 0 to 2 (KIP-183, KIP-460).
//!
//! Kept: elections of the first replica, and unclean ones for partitions without a leader; all partitions or those
//! named.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::elect_leaders::{
    ElectLeadersRequest, ElectLeadersResponse, PartitionResult, ReplicaElectionResult,
};

use super::{Handled, Peer, Serve};
use crate::cluster::RunningCluster;
use crate::refusal::{RefusedRequest, told};
use crate::state::ClusterState;

const PREFERRED: i8 = 0;
const UNCLEAN: i8 = 1;
/// Kafka's words where the right replica leads already.
const NOT_NEEDED: &str = "Leader election not needed for topic partition.";

impl Serve for ElectLeadersRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<ElectLeadersResponse> {
        let unclean = match self.election_type {
            PREFERRED => false,
            UNCLEAN => true,
            other => {
                let reason = format!("Unknown election type {other}");
                let refusal = || RefusedRequest::invalid(reason.clone());
                let response = each_named(&self, |_, _| Err(refusal()));
                let code = ErrorCode::InvalidRequest;
                return Handled::Now(with_code(response, version, code));
            }
        };
        let mut state = peer.cluster.state();
        if self.topic_partitions.is_none() {
            return Handled::Now(everywhere(&peer.cluster, &mut state, unclean));
        }
        Handled::Now(each_named(&self, |topic, index| {
            elect(&peer.cluster, &mut state, topic, index, unclean)
        }))
    }

    fn refuse(&self, _peer: &Peer, version: i16, code: ErrorCode) -> ElectLeadersResponse {
        with_code(each_named(self, |_, _| Err(code.into())), version, code)
    }
}

/// Version 0 has no error of the whole answer.
fn with_code(
    response: ElectLeadersResponse,
    version: i16,
    code: ErrorCode,
) -> ElectLeadersResponse {
    ElectLeadersResponse {
        error_code: if version > 0 { code.code() } else { 0 },
        ..response
    }
}

fn each_named(
    request: &ElectLeadersRequest,
    mut each: impl FnMut(&str, i32) -> Result<(), RefusedRequest>,
) -> ElectLeadersResponse {
    let mut results = Vec::new();
    for named in request.topic_partitions.iter().flatten() {
        let partitions = named.partitions.iter();
        results.push(ReplicaElectionResult {
            topic: named.topic.clone(),
            partition_result: partitions
                .map(|index| result(*index, each(&named.topic, *index)))
                .collect(),
        });
    }
    ElectLeadersResponse {
        replica_election_results: results,
        ..ElectLeadersResponse::default()
    }
}

/// Tells only of partitions where something could have been done.
fn everywhere(
    cluster: &RunningCluster,
    state: &mut ClusterState,
    unclean: bool,
) -> ElectLeadersResponse {
    let alive = |id| cluster.is_alive(id);
    let mut results = Vec::new();
    for topic in state.topics_mut() {
        let mut partition_result = Vec::new();
        for (index, partition) in (0..).zip(&mut topic.partitions) {
            match partition.elect(unclean, &alive) {
                Err(ErrorCode::ElectionNotNeeded) => {}
                outcome => {
                    partition_result.push(result(index, outcome.map_err(RefusedRequest::from)))
                }
            }
        }
        results.push(ReplicaElectionResult {
            topic: topic.name.clone(),
            partition_result,
        });
    }
    ElectLeadersResponse {
        replica_election_results: results,
        ..ElectLeadersResponse::default()
    }
}

fn elect(
    cluster: &RunningCluster,
    state: &mut ClusterState,
    name: &str,
    index: i32,
    unclean: bool,
) -> Result<(), RefusedRequest> {
    let unknown = |reason| RefusedRequest::new(ErrorCode::UnknownTopicOrPartition, reason);
    let topic = state.topic_mut(name);
    let topic = topic.ok_or_else(|| unknown(format!("No such topic as {name}")))?;
    let partition = topic.partition_mut(index);
    let partition =
        partition.ok_or_else(|| unknown(format!("No such partition as {name}-{index}")))?;
    let elected = partition.elect(unclean, &|id| cluster.is_alive(id));
    elected.map_err(|code| match code {
        ErrorCode::ElectionNotNeeded => RefusedRequest::new(code, NOT_NEEDED),
        other => other.into(),
    })
}

fn result(partition_id: i32, outcome: Result<(), RefusedRequest>) -> PartitionResult {
    let (error_code, error_message) = told(outcome);
    PartitionResult {
        partition_id,
        error_code,
        error_message,
    }
}
