//! Produce, versions 3 to 13.
//!
//! Kept: acks 0, 1 and all; one batch of format 2 per partition, checked to its last record; idempotent sequences with
//! duplicates recognised; `max.message.bytes`, timestamp type and bounds; leader hints since version 10 (KIP-951),
//! topic ids since 13. With acks=0 an error closes the connection, which is all that such a client can be told.
//!
//! Transactional batches need a transaction that their partition is part of, unless one is open in the partition
//! (KIP-890). Since version 12 a batch makes its partition part of the transaction.
//!
//! With acks=all, `min.insync.replicas` must be alive. Batches of a topic with a codec of its own are compressed anew.
//!
//! Skipped: waiting for replicas, which are never behind.
//!
//! Version 5 added the log start offset, 8 the records to blame (KIP-467), 9 is the first flexible one, 11 told
//! TRANSACTION_ABORTABLE.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::produce::{
    BatchIndexAndErrorMessage, LeaderIdAndEpoch, NodeEndpoint, PartitionProduceData,
    PartitionProduceResponse, ProduceRequest, ProduceResponse, TopicProduceData,
    TopicProduceResponse,
};
use kafkars_records::{BatchHeader, batches};

use super::hints::Hints;
use super::{Handled, Peer, Serve};
use crate::append_validation;
use crate::cluster::RunningCluster;
use crate::nodes::CoordinatorType;
use crate::partition::Placed;
use crate::refusal::{RefusedRequest, refuse_with};
use crate::state::ClusterState;
use crate::topic::TopicKey;
use crate::transactions::ProducerIdAndEpoch;
use crate::transactions::steps::Participant;

/// Acks of producers that wait for all replicas in sync.
const ALL: i16 = -1;
/// First version that names topics by id.
const TOPIC_IDS_SINCE: i16 = 13;
/// First version that tells where the leader is.
const HINTS_SINCE: i16 = 10;
/// First version whose clients know TRANSACTION_ABORTABLE.
const ABORTABLE_SINCE: i16 = 11;
/// First version that makes partitions part of a transaction.
const ADDS_SINCE: i16 = 12;

impl Serve for ProduceRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<ProduceResponse> {
        if !(-1..=1).contains(&self.acks) {
            return Handled::Now(self.refuse(peer, version, ErrorCode::InvalidRequiredAcks));
        }
        if self.transactional_id.is_none() && has_transactional_records(&self) {
            let code = ErrorCode::TransactionalIdAuthorizationFailed;
            return Handled::Now(self.refuse(peer, version, code));
        }
        let acks = self.acks;
        let mut append = Append {
            cluster: &peer.cluster,
            acks,
            transactional_id: self.transactional_id.as_deref().unwrap_or_default(),
            node: peer.node,
            listener: peer.listener,
            version,
            now: peer.cluster.now(),
            hints: Hints::default(),
            failed: false,
        };
        let mut state = peer.cluster.state();
        let responses = self
            .topic_data
            .into_iter()
            .map(|topic| append.topic(&mut state, topic))
            .collect();
        drop(state);
        if acks == 0 {
            return if append.failed {
                Handled::Disconnect
            } else {
                Handled::Silence
            };
        }
        Handled::Now(ProduceResponse {
            responses,
            node_endpoints: append.endpoints(),
            ..ProduceResponse::default()
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> ProduceResponse {
        let topic = |topic: &TopicProduceData| TopicProduceResponse {
            name: topic.name.clone(),
            topic_id: topic.topic_id,
            partition_responses: topic
                .partition_data
                .iter()
                .map(|data| failure(data.index, code.into()))
                .collect(),
        };
        ProduceResponse {
            responses: self.topic_data.iter().map(topic).collect(),
            ..ProduceResponse::default()
        }
    }

    fn expects_answer(&self) -> bool {
        self.acks != 0
    }
}

/// One produce request on its way into the logs.
struct Append<'a> {
    cluster: &'a RunningCluster,
    acks: i16,
    transactional_id: &'a str,
    node: i32,
    listener: usize,
    version: i16,
    now: i64,
    hints: Hints,
    failed: bool,
}

impl Append<'_> {
    fn topic(&mut self, state: &mut ClusterState, topic: TopicProduceData) -> TopicProduceResponse {
        let TopicProduceData {
            name,
            topic_id,
            partition_data,
        } = topic;
        let key = if self.version >= TOPIC_IDS_SINCE {
            TopicKey::Id(topic_id)
        } else {
            TopicKey::Name(name.clone())
        };
        let partition_responses = partition_data
            .into_iter()
            .map(|data| self.partition(state, &key, data))
            .collect();
        TopicProduceResponse {
            name,
            topic_id,
            partition_responses,
        }
    }

    fn partition(
        &mut self,
        state: &mut ClusterState,
        key: &TopicKey,
        data: PartitionProduceData,
    ) -> PartitionProduceResponse {
        let index = data.index;
        let mut response = match self.append(state, key, data) {
            Ok(placed) => PartitionProduceResponse {
                index,
                base_offset: placed.base_offset,
                log_append_time_ms: placed.append_time.unwrap_or(-1),
                ..PartitionProduceResponse::default()
            },
            Err(refusal) => {
                self.failed = true;
                failure(index, refusal)
            }
        };
        let Ok(partition) = state.find_partition(key, index) else {
            return response;
        };
        response.log_start_offset = partition.log.start_offset();
        if response.error_code == ErrorCode::NotLeaderOrFollower.code()
            && self.version >= HINTS_SINCE
        {
            self.hints.add(partition.leader);
            response.current_leader = LeaderIdAndEpoch {
                leader_id: partition.leader,
                leader_epoch: partition.leader_epoch,
            };
        }
        response
    }

    fn append(
        &self,
        state: &mut ClusterState,
        key: &TopicKey,
        data: PartitionProduceData,
    ) -> Result<Placed, RefusedRequest> {
        let (node, now) = (self.node, self.now);
        state.led_partition(key, data.index, node)?;
        if let Some(header) = transactional_header(&data) {
            self.check_transaction(state, key, data.index, &header)?;
        }
        let topic = state.find(key)?;
        // A partition and the settings of its topic are borrowed side by side.
        let config = &topic.config;
        let partition = usize::try_from(data.index)
            .ok()
            .and_then(|index| topic.partitions.get_mut(index));
        let partition = partition.ok_or(ErrorCode::UnknownTopicOrPartition)?;
        if self.acks == ALL && partition.in_sync.len() < config.min_insync_replicas {
            let (in_sync, least) = (partition.in_sync.len(), config.min_insync_replicas);
            let reason =
                format!("There are {in_sync} replicas in sync, min.insync.replicas is {least}.");
            return refuse_with(ErrorCode::NotEnoughReplicas, reason);
        }
        let batch = append_validation::check(data.records, self.version, config, now)?;
        partition.append(&batch, config, now)
    }

    /// Checks a batch of a transaction that is not yet open in the partition: the coordinator has to know of it
    /// (KIP-890).
    fn check_transaction(
        &self,
        state: &mut ClusterState,
        key: &TopicKey,
        index: i32,
        header: &BatchHeader,
    ) -> Result<(), RefusedRequest> {
        let (id, epoch) = (header.producer_id, header.producer_epoch);
        if state
            .find_partition(key, index)?
            .is_in_transaction(id, epoch)
        {
            return Ok(());
        }
        let kind = CoordinatorType::Transaction;
        if self
            .cluster
            .coordinator(kind, self.transactional_id)
            .is_none()
        {
            // What older clients try again too, and without asking for metadata.
            return Err(ErrorCode::NotEnoughReplicas.into());
        }
        let member = Participant::Partition(state.find(key)?.name.clone(), index);
        let producer = ProducerIdAndEpoch { id, epoch };
        let adds = self.version >= ADDS_SINCE;
        let transactional_id = self.transactional_id;
        let checked = if adds {
            let mut coordinator = state.transaction_coordinator();
            coordinator.add(transactional_id, producer, &[member], self.now)
        } else {
            let transactions = &mut state.transactions;
            transactions.verify(transactional_id, producer, &member)
        };
        checked.map_err(|code| match code {
            ErrorCode::ProducerFenced => ErrorCode::InvalidProducerEpoch.into(),
            ErrorCode::ConcurrentTransactions if !adds => ErrorCode::NotEnoughReplicas.into(),
            ErrorCode::TransactionAbortable if self.version < ABORTABLE_SINCE => {
                RefusedRequest::new(
                    ErrorCode::InvalidTxnState,
                    "Partition was not added to the transaction",
                )
            }
            code => code.into(),
        })
    }

    fn endpoints(&self) -> Vec<NodeEndpoint> {
        let endpoint = |node_id, host, port| NodeEndpoint {
            node_id,
            host,
            port,
            rack: None,
        };
        self.hints.endpoints(self.cluster, self.listener, endpoint)
    }
}

fn has_transactional_records(request: &ProduceRequest) -> bool {
    let mut partitions = request
        .topic_data
        .iter()
        .flat_map(|topic| &topic.partition_data);
    partitions.any(|data| transactional_header(data).is_some())
}

/// The header of the first batch, if it is transactional.
fn transactional_header(data: &PartitionProduceData) -> Option<BatchHeader> {
    let header = batches(data.records.clone()?).next()?.ok()?.header;
    (header.magic == 2 && header.attributes.is_transactional()).then_some(header)
}

fn failure(index: i32, refusal: RefusedRequest) -> PartitionProduceResponse {
    let blame = |(batch_index, message): (i32, String)| BatchIndexAndErrorMessage {
        batch_index,
        batch_index_error_message: Some(message),
    };
    PartitionProduceResponse {
        index,
        error_code: refusal.code.code(),
        base_offset: -1,
        log_append_time_ms: -1,
        log_start_offset: -1,
        record_errors: refusal.records.into_iter().map(blame).collect(),
        error_message: refusal.message,
        ..PartitionProduceResponse::default()
    }
}
