//! Planted defects: what the driver or the core could do wrong, done wrong on purpose between core and network, so that
//! the suite shows that it would notice. Production code knows nothing of them.

use std::time::Duration;

use kafkars_core::config::ProducerConfig;
use kafkars_core::produce::sender::{InFlightBatch, View};
use kafkars_core::transaction::{NoAnswer, TransactionRequest, TransactionResponse};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::add_partitions_to_txn::AddPartitionsToTxnResponse;
use kafkars_protocol::messages::end_txn::EndTxnResponse;
use kafkars_protocol::messages::init_producer_id::InitProducerIdResponse;
use kafkars_protocol::messages::produce::{
    PartitionProduceResponse, ProduceResponse, TopicProduceResponse,
};

use crate::client::refused_login;
use crate::cluster::{Topic, WireBatch};
use crate::coordinator::offsets_answer;
use crate::world::World;

/// What is done wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Defect {
    /// Batches have no sequence numbers, so retries repeat records.
    Unnumbered,
    /// A retry takes a new epoch instead of its old number.
    RetryUnderNewEpoch,
    /// A retry is numbered as if nothing had been sent before it.
    RetryWithWrongNumber,
    /// A missing response counts as success.
    LostIsStored,
    /// What only the leader has counts as stored.
    AfterAppendIsStored,
    /// A moved leader counts as success.
    NotLeaderIsStored,
    /// A batch that is refused temporarily is forgotten instead of sent again.
    RefusedIsForgotten,
    /// Offsets of answers are taken one too high.
    OffsetsShifted,
    /// A duplicate is taken for a gap, and numbered anew.
    DuplicateIsGap,
    /// The older protocol goes on under the same epoch although a request may still arrive.
    NoRenewal,
    /// A transaction ends before its records are stored.
    EndsUndrained,
    /// The older protocol does not tell the coordinator about partitions.
    PartitionsNotAdded,
    /// Offsets are not sent with their transaction.
    OffsetsNotSent,
    /// An abort commits.
    AbortCommits,
    /// A commit aborts.
    CommitAborts,
    /// An end without answer counts as done.
    LostEndIsDone,
    /// The newer protocol's new epoch is not taken over.
    EpochNotTaken,
    /// A fenced producer goes on asking.
    FencedGoesOn,
    /// With one request at a time, a batch leaves for a new leader while the one before it is at the old.
    OvertakesAtLeaders,
    /// A topic that was created again keeps its former partitions.
    NeverShrinks,
    /// Responses are looked up by the id that the topic has now.
    TodaysId,
    /// The sender is not woken at the end of `delivery_timeout`.
    NoTimers,
    /// A refused request is repeated at once.
    NoPause,
    /// A producer that needs a new epoch after a failure goes on under the old.
    RenewalChangesNothing,
    /// A login that was refused for good is treated as any other failed connection.
    RefusalIsNoConnection,
    /// A refused login counts until the node accepts one, also for records that came later.
    RefusalIsKept,
    /// A commit that was cut off by a close is said not to have happened.
    CutIsAborted,
    /// The end of an InitProducerId that brings no producer id is forgotten.
    IdentityForgotten,
}

pub(crate) fn before_poll(world: &mut World, id: usize) {
    if world.has(Defect::RefusalIsKept) {
        let now = world.instant();
        for node in world.clients[id].refusing.clone() {
            let refused = refused_login(now);
            world.clients[id].sender.login_refused(now, node, refused);
        }
    }
    if world.has(Defect::EndsUndrained) {
        let now = world.instant();
        if let Some(transactions) = world.clients[id].sender.transactions()
            && transactions.is_ending()
        {
            // The request itself is thrown away; what matters is that the state machine lets the end pass.
            let dispatch = transactions.poll(now, true);
            if let Some(dispatch) = dispatch {
                let coordinator = world.cluster.coordinator.node;
                let answer = world.coordinate(coordinator, &dispatch.request, dispatch.max_version);
                world.clients[id].transactions().answered(now, Ok(answer));
            }
        }
    }
}

pub(crate) fn on_the_wire(
    world: &World,
    batches: &mut [WireBatch],
    attempts: impl Iterator<Item = u32>,
) {
    for (batch, attempts) in batches.iter_mut().zip(attempts) {
        if world.has(Defect::Unnumbered) {
            batch.producer = -1;
        }
        if world.has(Defect::RetryUnderNewEpoch) && attempts > 0 {
            batch.epoch += attempts as i16;
            batch.sequence = 0;
        }
        if world.has(Defect::RetryWithWrongNumber) && attempts > 0 {
            batch.sequence += batch.values.len() as i32;
        }
    }
}

pub(crate) fn intercept(
    world: &World,
    request: &TransactionRequest,
) -> Option<TransactionResponse> {
    match request {
        TransactionRequest::AddPartitions(_) if world.has(Defect::PartitionsNotAdded) => Some(
            TransactionResponse::AddPartitions(AddPartitionsToTxnResponse::default()),
        ),
        TransactionRequest::InitProducerId(request)
            if world.has(Defect::RenewalChangesNothing) && request.producer_id >= 0 =>
        {
            Some(TransactionResponse::InitProducerId {
                response: InitProducerIdResponse {
                    producer_id: request.producer_id,
                    producer_epoch: request.producer_epoch,
                    ..InitProducerIdResponse::default()
                },
                transaction_version: world.cluster.coordinator.level,
            })
        }
        TransactionRequest::CommitOffsets(_) if world.has(Defect::OffsetsNotSent) => {
            Some(offsets_answer(ErrorCode::None))
        }
        _ => None,
    }
}

pub(crate) fn falsify(world: &World, mut request: TransactionRequest) -> TransactionRequest {
    if let TransactionRequest::End(end) = &mut request {
        let flips = match end.committed {
            true => world.has(Defect::CommitAborts),
            false => world.has(Defect::AbortCommits),
        };
        end.committed ^= flips;
    }
    request
}

/// What the client makes of batches without answer: as they are, or as answered.
pub(crate) fn unanswered_batches(
    world: &World,
    batches: Vec<InFlightBatch>,
) -> Result<Vec<InFlightBatch>, (Vec<InFlightBatch>, ProduceResponse)> {
    if !world.has(Defect::LostIsStored) {
        return Ok(batches);
    }
    let topics = batches.iter().map(|departure| TopicProduceResponse {
        name: departure.buffer.topic().as_ref().to_owned(),
        partition_responses: vec![PartitionProduceResponse {
            index: departure.buffer.partition(),
            base_offset: -1,
            ..PartitionProduceResponse::default()
        }],
        ..TopicProduceResponse::default()
    });
    let response = ProduceResponse {
        responses: topics.collect(),
        ..ProduceResponse::default()
    };
    Err((batches, response))
}

pub(crate) fn unanswered(
    world: &World,
    request: &TransactionRequest,
    lost: NoAnswer,
) -> Result<TransactionResponse, NoAnswer> {
    match request {
        TransactionRequest::End(_) if world.has(Defect::LostEndIsDone) => {
            Ok(TransactionResponse::End(EndTxnResponse::default()))
        }
        _ if world.has(Defect::NoRenewal) => Err(NoAnswer::NotSent {
            cause: "believed not to have left".into(),
        }),
        _ => Err(lost),
    }
}

pub(crate) fn answered(
    world: &World,
    batches: Vec<InFlightBatch>,
    response: &mut ProduceResponse,
) -> Vec<InFlightBatch> {
    let becomes = |from: ErrorCode, defect: Defect, to: ErrorCode| {
        world.has(defect).then_some((from.code(), to.code()))
    };
    let changes = [
        becomes(
            ErrorCode::NotEnoughReplicasAfterAppend,
            Defect::AfterAppendIsStored,
            ErrorCode::None,
        ),
        becomes(
            ErrorCode::NotLeaderOrFollower,
            Defect::NotLeaderIsStored,
            ErrorCode::None,
        ),
    ];
    let mut refused = false;
    for topic in &mut response.responses {
        for partition in &mut topic.partition_responses {
            refused |= partition.error_code == ErrorCode::NotEnoughReplicas.code();
            for (from, to) in changes.iter().flatten() {
                if partition.error_code == *from {
                    partition.error_code = *to;
                }
            }
            if world.has(Defect::OffsetsShifted) && partition.base_offset >= 0 {
                partition.base_offset += 1;
            }
            if world.has(Defect::DuplicateIsGap)
                && partition.error_code == 0
                && batches.iter().any(|departure| {
                    departure.batch.attempts > 0
                        && departure.buffer.partition() == partition.index
                        && **departure.buffer.topic() == *topic.name
                })
            {
                partition.error_code = ErrorCode::OutOfOrderSequenceNumber.code();
            }
        }
    }
    if refused && world.has(Defect::RefusedIsForgotten) {
        return Vec::new();
    }
    batches
}

pub(crate) fn coordinated(world: &World, mut response: TransactionResponse) -> TransactionResponse {
    if let TransactionResponse::End(end) = &mut response {
        if world.has(Defect::EpochNotTaken) {
            end.producer_id = -1;
        }
        if world.has(Defect::FencedGoesOn) && end.error_code == ErrorCode::ProducerFenced.code() {
            end.error_code = ErrorCode::ConcurrentTransactions.code();
        }
    }
    response
}

/// The settings of the half of the producer that orders a partition's batches.
pub(crate) fn believed(world: &World, config: &ProducerConfig) -> ProducerConfig {
    ProducerConfig {
        max_in_flight: if world.has(Defect::OvertakesAtLeaders) {
            2
        } else {
            config.max_in_flight
        },
        ..config.clone()
    }
}

pub(crate) fn keeps_partitions(defect: Option<Defect>, before: Topic, after: Topic) -> bool {
    defect == Some(Defect::NeverShrinks) && after.partitions < before.partitions
}

pub(crate) fn forget_ids(defect: Option<Defect>, batches: &mut [InFlightBatch], today: &dyn View) {
    if defect == Some(Defect::TodaysId) {
        for departure in batches {
            departure.topic_id = today.topic_id(departure.buffer.topic());
        }
    }
}

/// How far the clock lags behind when answers are judged, so that pauses are over before they begin.
pub(crate) fn haste(world: &World) -> Duration {
    match world.has(Defect::NoPause) {
        true => Duration::from_secs(1),
        false => Duration::ZERO,
    }
}
