//! A fetch reads all its partitions in one round.

use bytes::Bytes;
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::fetch::{
    AbortedTransaction, EpochEndOffset, LeaderIdAndEpoch, PartitionData,
};
use kafkars_records::batches;

use crate::handlers::Hints;
use crate::log::OffsetOutOfRange;
use crate::partition::Partition;
use crate::sessions::SessionTarget;
use crate::state::ClusterState;

/// The limits that a request sets to a round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) node: i32,
    pub(crate) min_bytes: u64,
    pub(crate) max_bytes: usize,
    /// True if nothing from the last stable offset on is read (`isolation.level=read_committed`).
    pub(crate) read_committed: bool,
    /// True if the version has a place for the leader that is asked in vain (KIP-951).
    pub(crate) hints: bool,
}

/// The outcome of a round, in the order of the targets.
#[derive(Debug, Default)]
pub(crate) struct FetchRound {
    pub(crate) partitions: Vec<PartitionData>,
    pub(crate) hints: Hints,
    /// Bytes that could be answered, limits of single partitions considered.
    pub(crate) available: u64,
    failed: bool,
    read: usize,
}

impl FetchRound {
    /// True if there is no reason to wait: enough bytes, or something the client should know at once.
    pub(crate) fn is_enough(&self, limits: Limits) -> bool {
        self.failed || self.partitions.is_empty() || self.available >= limits.min_bytes
    }
}

/// Reads every target as far as the limits allow.
///
/// `may_read` says of a topic whether the client may read it; none where everybody may.
pub(crate) fn read(
    state: &mut ClusterState,
    targets: &[SessionTarget],
    limits: Limits,
    may_read: Option<&dyn Fn(&str) -> bool>,
) -> FetchRound {
    let mut round = FetchRound::default();
    round.partitions.reserve_exact(targets.len());
    for target in targets {
        let allowed = may_read.is_none_or(|may_read| {
            let topic = state.find(&target.topic);
            topic.map_or(true, |topic| may_read(&topic.name))
        });
        let found = match allowed {
            true => read_one(state, target, limits, &mut round),
            false => Err(ErrorCode::TopicAuthorizationFailed),
        };
        let data = found.unwrap_or_else(|code| {
            round.failed = true;
            failure(target.partition, code)
        });
        round.partitions.push(data);
    }
    round
}

/// Gives every target the same error.
pub(crate) fn fail(targets: &[SessionTarget], code: ErrorCode) -> FetchRound {
    let partitions = targets
        .iter()
        .map(|target| failure(target.partition, code))
        .collect();
    FetchRound {
        partitions,
        failed: true,
        ..FetchRound::default()
    }
}

fn read_one(
    state: &mut ClusterState,
    target: &SessionTarget,
    limits: Limits,
    round: &mut FetchRound,
) -> Result<PartitionData, ErrorCode> {
    let partition = state.find_partition(&target.topic, target.partition)?;
    let checked = partition.check_leader(limits.node);
    let checked = checked.and_then(|()| partition.check_epoch(target.current_leader_epoch));
    if let Err(code) = checked {
        round.failed = true;
        let mut data = failure(target.partition, code);
        if limits.hints {
            round.hints.add(partition.leader);
            data.current_leader = LeaderIdAndEpoch {
                leader_id: partition.leader,
                leader_epoch: partition.leader_epoch,
            };
        }
        return Ok(data);
    }
    let mut data = PartitionData {
        partition_index: target.partition,
        high_watermark: partition.log.end_offset(),
        last_stable_offset: partition.last_stable_offset(),
        log_start_offset: partition.log.start_offset(),
        aborted_transactions: None,
        records: Some(Bytes::new()),
        ..PartitionData::default()
    };
    if let Some(diverging) = diverging(partition, target)? {
        round.failed = true;
        data.diverging_epoch = diverging;
        return Ok(data);
    }
    let partition_limit = usize::try_from(target.max_bytes).unwrap_or(0);
    let limit = partition_limit.min(limits.max_bytes.saturating_sub(round.read));
    let first = round.read == 0;
    let before = if limits.read_committed {
        data.last_stable_offset
    } else {
        data.high_watermark
    };
    let records = partition
        .log
        .read_before(target.fetch_offset, before, limit, first)
        .map_err(|OffsetOutOfRange| ErrorCode::OffsetOutOfRange)?;
    let available = partition
        .log
        .available(target.fetch_offset, before)
        .min(partition_limit as u64);
    if limits.read_committed {
        data.aborted_transactions = Some(aborted(partition, target.fetch_offset, &records));
    }
    round.available += available.max(records.len() as u64);
    round.read += records.len();
    data.records = Some(records);
    Ok(data)
}

/// The aborted transactions that a reader of these records has to leave out.
fn aborted(partition: &Partition, from: i64, records: &Bytes) -> Vec<AbortedTransaction> {
    if partition.aborted(from, i64::MAX).next().is_none() {
        return Vec::new();
    }
    let last = batches(records.clone()).filter_map(Result::ok).last();
    let Some(last) = last else {
        return Vec::new();
    };
    let told = |transaction: &crate::aborted_transactions::AbortedTxn| AbortedTransaction {
        producer_id: transaction.producer_id,
        first_offset: transaction.first_offset,
    };
    partition
        .aborted(from, last.header.next_offset())
        .map(told)
        .collect()
}

/// Tells where the log of a reader departs from this one, if its last epoch ended here earlier than it has read
/// (KIP-595).
fn diverging(
    partition: &Partition,
    target: &SessionTarget,
) -> Result<Option<EpochEndOffset>, ErrorCode> {
    if target.last_fetched_epoch < 0 {
        return Ok(None);
    }
    let (epoch, end_offset) = partition.end_of_epoch(target.last_fetched_epoch);
    if epoch < 0 {
        return Err(ErrorCode::OffsetOutOfRange);
    }
    let agrees = epoch == target.last_fetched_epoch && end_offset >= target.fetch_offset;
    Ok((!agrees).then_some(EpochEndOffset { epoch, end_offset }))
}

fn failure(partition_index: i32, code: ErrorCode) -> PartitionData {
    PartitionData {
        partition_index,
        error_code: code.code(),
        high_watermark: -1,
        records: Some(Bytes::new()),
        ..PartitionData::default()
    }
}
