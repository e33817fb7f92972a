//! Members of share groups fetch from one partition.

use bytes::Bytes;
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::share_fetch::{AcquiredRecords, PartitionData};
use kafkars_records::{BatchHeader, batches};

use super::partition::{Demand, Stretch};
use super::{SessionKey, ShareLimits, SharePartition, SharedLog};
use crate::partition::Partition;
use crate::settings::group_configs::{GroupConfigs, reset_duration_ms};
use crate::topic::TopicIdPartition;

/// The limits of one request, less what it has got so far.
#[derive(Debug)]
pub(crate) struct Fetching {
    pub(crate) key: SessionKey,
    pub(crate) max_bytes: usize,
    pub(crate) max_records: i64,
    pub(crate) batch_size: i64,
    /// True if a batch may be cut to keep to `max_records` (KIP-1206).
    pub(crate) exact: bool,
}

impl ShareLimits {
    /// The limits that a group sets.
    pub(crate) fn of(configs: &GroupConfigs, group: &str) -> Self {
        /// Kafka takes no more for `share.partition.max.record.locks`, so that what is in flight has a bound.
        const MOST_IN_FLIGHT: i64 = 4000;
        let number = |name| configs.number_or_default(group, name);
        let deliveries = number("share.delivery.count.limit");
        Self {
            lock_ms: number("share.record.lock.duration.ms"),
            deliveries: i16::try_from(deliveries).unwrap_or(i16::MAX),
            in_flight: number("share.partition.max.record.locks").min(MOST_IN_FLIGHT),
        }
    }
}

/// Gives a member what there is for it of one partition, and takes that from what it may still get.
pub(crate) fn fetch(
    shared_log: SharedLog<'_>,
    wanted: &mut Fetching,
    partition: TopicIdPartition,
    now: i64,
) -> Result<PartitionData, ErrorCode> {
    let (node, group, member) = &wanted.key;
    let SharedLog {
        configs,
        shares,
        log,
    } = shared_log;
    let limits = ShareLimits::of(configs, group);
    let read_committed = configs.value(group, "share.isolation.level") == Some("read_committed");
    let reset = configs.value(group, "share.auto.offset.reset");
    let begin = reset_duration_ms(reset.unwrap_or("latest")).unwrap_or(None);
    log.check_leader(*node)?;
    let start = match (shares.find(group, partition), begin) {
        (Some(shared), _) => shared.start(),
        (None, None) => log.log.end_offset(),
        (None, Some(i64::MAX)) => log.log.start_offset(),
        (None, Some(back)) => {
            let first = log.log.first_record_since(now.saturating_sub(back));
            first.map_or(log.log.end_offset(), |record| record.offset)
        }
    };
    let opened = shares.open(group, partition, start);
    let shared = opened.ok_or(ErrorCode::ShareSessionLimitReached)?;
    shared.advance(now, log.log.start_offset(), limits);
    let end = if read_committed {
        log.last_stable_offset()
    } else {
        log.log.end_offset()
    };
    let demand = Demand {
        member,
        max_records: wanted.max_records,
        batch_size: wanted.batch_size.max(1),
        exact: wanted.exact,
    };
    let found = acquire(
        shared,
        log,
        &demand,
        end,
        wanted.max_bytes,
        read_committed,
        now,
        limits,
    );
    let (records, acquired_records) = found;
    let count = |acquired: &AcquiredRecords| acquired.last_offset - acquired.first_offset + 1;
    wanted.max_records -= acquired_records.iter().map(count).sum::<i64>();
    wanted.max_bytes = wanted.max_bytes.saturating_sub(records.len());
    Ok(PartitionData {
        partition_index: partition.1,
        records,
        acquired_records,
        ..PartitionData::default()
    })
}

/// Reads on until there are records for the member, or the log ends.
#[allow(
    clippy::too_many_arguments,
    reason = "one call, out of a longer function"
)]
fn acquire(
    shared: &mut SharePartition,
    log: &mut Partition,
    demand: &Demand<'_>,
    end: i64,
    max_bytes: usize,
    read_committed: bool,
    now: i64,
    limits: ShareLimits,
) -> (Bytes, Vec<AcquiredRecords>) {
    let mut last_tried = -1;
    while demand.max_records > 0
        && let Some(offset) = shared.next_offset(limits)
        && (last_tried..end).contains(&offset)
        && offset != last_tried
        && let Ok(bytes) = log.log.read_before(offset, end, max_bytes, true)
        && !bytes.is_empty()
    {
        last_tried = offset;
        let headers: Vec<BatchHeader> = batches(bytes.clone())
            .filter_map(Result::ok)
            .map(|raw| raw.header)
            .collect();
        let stretches: Vec<Stretch> = headers
            .iter()
            .map(|header| Stretch {
                first: header.base_offset,
                last: header.last_offset(),
                aborted: read_committed && is_aborted(log, header),
            })
            .collect();
        let told = shared.acquire(demand, stretches.into_iter(), now, limits);
        if let (Some(first), Some(last)) = (told.first(), told.last()) {
            let records = slice(&bytes, &headers, first.first_offset, last.last_offset);
            return (records, told);
        }
    }
    (Bytes::new(), Vec::new())
}

fn is_aborted(log: &Partition, header: &BatchHeader) -> bool {
    let attributes = header.attributes;
    attributes.is_transactional()
        && !attributes.is_control()
        && log
            .aborted(header.base_offset, header.next_offset())
            .any(|aborted| {
                aborted.producer_id == header.producer_id
                    && (aborted.first_offset..=aborted.last_offset).contains(&header.base_offset)
            })
}

/// The batches that hold the records from `first` to `last`.
fn slice(bytes: &Bytes, headers: &[BatchHeader], first: i64, last: i64) -> Bytes {
    /// Bytes of a batch before those that its length counts.
    const UNCOUNTED: usize = 12;
    let (mut from, mut to, mut position) = (bytes.len(), 0, 0);
    for header in headers {
        let end = position + UNCOUNTED + usize::try_from(header.batch_length).unwrap_or(0);
        if header.last_offset() >= first && header.base_offset <= last {
            from = from.min(position);
            to = end;
        }
        position = end;
    }
    let to = to.min(bytes.len());
    bytes.slice(from.min(to)..to)
}
