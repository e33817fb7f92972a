//! AlterPartitionReassignments, versions 0 and 1 (KIP-455).
//!
//! Kept: new replicas for a partition, which have its log at once, so that a reassignment is over when it is answered
//! and there never is one to cancel; a change of their number where the request allows it (version 1, KIP-860).

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::alter_partition_reassignments::{
    AlterPartitionReassignmentsRequest, AlterPartitionReassignmentsResponse, ReassignablePartition,
    ReassignablePartitionResponse, ReassignableTopicResponse,
};

use super::{Handled, Peer, Serve};
use crate::cluster::RunningCluster;
use crate::refusal::{RefusedRequest, refuse_with};
use crate::state::ClusterState;

impl Serve for AlterPartitionReassignmentsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<AlterPartitionReassignmentsResponse> {
        let mut state = peer.cluster.state();
        let may_resize = self.allow_replication_factor_change;
        Handled::Now(respond(&self, |topic, wanted| {
            reassign(&peer.cluster, &mut state, topic, wanted, may_resize)
        }))
    }

    fn refuse(
        &self,
        _peer: &Peer,
        _version: i16,
        code: ErrorCode,
    ) -> AlterPartitionReassignmentsResponse {
        AlterPartitionReassignmentsResponse {
            error_code: code.code(),
            error_message: Some(code.description().to_owned()),
            ..respond(self, |_, _| Err(code.into()))
        }
    }
}

fn respond(
    request: &AlterPartitionReassignmentsRequest,
    mut each: impl FnMut(&str, &ReassignablePartition) -> Result<(), RefusedRequest>,
) -> AlterPartitionReassignmentsResponse {
    let mut responses = Vec::with_capacity(request.topics.len());
    for topic in &request.topics {
        let mut partitions = Vec::with_capacity(topic.partitions.len());
        for wanted in &topic.partitions {
            let refusal = each(&topic.name, wanted).err();
            partitions.push(ReassignablePartitionResponse {
                partition_index: wanted.partition_index,
                error_code: refusal.as_ref().map_or(0, |refusal| refusal.code.code()),
                error_message: refusal.and_then(|refusal| refusal.message),
            });
        }
        responses.push(ReassignableTopicResponse {
            name: topic.name.clone(),
            partitions,
        });
    }
    AlterPartitionReassignmentsResponse {
        allow_replication_factor_change: request.allow_replication_factor_change,
        error_message: request.topics.is_empty().then(String::new),
        responses,
        ..AlterPartitionReassignmentsResponse::default()
    }
}

fn reassign(
    cluster: &RunningCluster,
    state: &mut ClusterState,
    name: &str,
    wanted: &ReassignablePartition,
    may_resize: bool,
) -> Result<(), RefusedRequest> {
    let index = wanted.partition_index;
    let unknown = |reason| RefusedRequest::new(ErrorCode::UnknownTopicOrPartition, reason);
    let topic = state.topic_mut(name);
    let topic = topic.ok_or_else(|| unknown(format!("Unable to find a topic named {name}.")))?;
    let partition = topic.partition_mut(index);
    let partition =
        partition.ok_or_else(|| unknown(format!("Unable to find partition {name}:{index}.")))?;
    let Some(replicas) = &wanted.replicas else {
        return Err(ErrorCode::NoReassignmentInProgress.into());
    };
    check(cluster, replicas)?;
    if !may_resize && replicas.len() != partition.replicas.len() {
        let reason = format!(
            "The replication factor is changed from {} to {}",
            partition.replicas.len(),
            replicas.len()
        );
        return refuse_with(ErrorCode::InvalidReplicationFactor, reason);
    }
    partition.reassign(replicas.clone(), &|id| cluster.is_alive(id));
    Ok(())
}

fn check(cluster: &RunningCluster, replicas: &[i32]) -> Result<(), RefusedRequest> {
    let invalid = |reason: String| refuse_with(ErrorCode::InvalidReplicaAssignment, reason);
    let includes = "The manual partition assignment includes";
    if replicas.is_empty() {
        return invalid(format!("{includes} an empty replica list."));
    }
    for (index, id) in replicas.iter().enumerate() {
        if replicas[..index].contains(id) {
            return invalid(format!("{includes} the broker {id} more than once."));
        }
        if cluster.node(*id).is_none() {
            let reason = format!("{includes} broker {id}, but no such broker is registered.");
            return invalid(reason);
        }
    }
    if !replicas.iter().any(|id| cluster.is_alive(*id)) {
        // Kafka takes it, and the reassignment goes on until one of them is back.
        return invalid("None of the replicas' brokers is alive.".to_owned());
    }
    Ok(())
}
