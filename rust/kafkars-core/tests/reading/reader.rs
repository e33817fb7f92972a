//! One partition read to its end, with the fetch buffer driven as the client's tasks drive it.

use std::time::{Duration, Instant};

use kafkars_core::config::{AutoOffsetReset, IsolationLevel, TopicPartition};
use kafkars_core::fetch::buffer::{FetchBuffer, FetchTarget};
use kafkars_core::fetch::open::{OpenJob, TakenRecord};
use kafkars_core::fetch::position::FetchPosition;
use kafkars_core::fetch::response_memory::ResponseMemory;
use kafkars_records::ReadLimits;

use crate::broker::{Manners, fetch};
use crate::chance::Chance;
use crate::defect::{self, Defect};
use crate::log::Log;
use crate::truth::Seen;

pub(crate) fn partition(number: i32) -> TopicPartition {
    TopicPartition {
        topic: "t".into(),
        partition: number,
    }
}

/// Longer than any pause.
const PAUSES: Duration = Duration::from_secs(60);

/// The targets of the next request, as the client's fetcher takes them.
pub(crate) fn targets(buffer: &mut FetchBuffer) -> Vec<FetchTarget> {
    if !buffer.has_credit() {
        return Vec::new();
    }
    // Late enough for every pause after a refusal to be over.
    buffer.take_targets(Instant::now() + PAUSES, |_| true)
}

/// Opens a response as the client does: small ones at once, large ones on another thread.
pub(crate) fn open(buffer: &mut FetchBuffer, small_first: Option<&FetchTarget>) {
    let limits = ReadLimits::default();
    if let Some(target) = small_first {
        while let Some(mut task) = buffer.start_opening_of(target) {
            let (parts, outcome) = task.opening.open_small(&limits, 16 << 10);
            buffer.opened(task, parts);
            if outcome.is_err() {
                break;
            }
        }
    }
    while let Some(mut task) = buffer.start_opening() {
        let parts = task.opening.open(&limits, 200);
        buffer.opened(task, parts);
    }
}

pub(crate) fn text(taken: &TakenRecord) -> (i64, String) {
    let value = taken.view.value.expect("every record has a value");
    let value = String::from_utf8_lossy(taken.batch.batch.slice(value));
    (taken.view.offset, value.into_owned())
}

/// Checks that every position has the leader epoch of the offset before it, because otherwise KIP-320 finds truncations
/// that never were. Before the offset at which reading began no epoch is known.
pub(crate) fn check_positions(
    log: &Log,
    buffer: &FetchBuffer,
    (number, from): (i32, i64),
    last_record: Option<i64>,
    defect: Option<Defect>,
) -> Result<(), String> {
    let at = partition(number);
    let cursor = buffer.cursor(&at).map_err(|error| error.to_string())?;
    let mut reached = cursor.fetch_position();
    if defect == Some(Defect::EpochStaysBehind)
        && let Some(position) = &mut reached
    {
        position.leader_epoch = last_record.map_or(-1, |offset| log.epoch_before(offset + 1));
    }
    let of_this = |(partition, position): (TopicPartition, FetchPosition)| {
        (partition == at).then_some(position)
    };
    let finished = buffer.finished().into_iter().filter_map(of_this);
    for position in reached
        .into_iter()
        .chain([cursor.fetch_from()])
        .chain(finished)
    {
        let known = position.offset != from;
        let expected = if known {
            log.epoch_before(position.offset)
        } else {
            -1
        };
        if position.leader_epoch != expected {
            return Err(format!(
                "partition {number} is at {position:?}, where the log has epoch {expected}"
            ));
        }
    }
    Ok(())
}

/// Takes everything that is ready.
fn take(
    buffer: &mut FetchBuffer,
    chance: &mut Chance,
    seen: &mut Vec<(i64, String)>,
) -> Result<(), String> {
    loop {
        if chance.once_in(2) {
            match buffer.next_record().map_err(|error| error.to_string())? {
                Some(taken) => seen.push(text(&taken)),
                None => return Ok(()),
            }
            continue;
        }
        let slices = buffer
            .take(1 + chance.below(5))
            .map_err(|error| error.to_string())?;
        if slices.is_empty() {
            return Ok(());
        }
        for slice in slices {
            let walk = slice.batch.batch.walk_from(slice.start);
            for view in walk.take(slice.count as usize) {
                let batch = std::sync::Arc::clone(&slice.batch);
                seen.push(text(&TakenRecord { batch, view }));
            }
        }
    }
}

/// Reads from an offset until nothing more comes.
pub(crate) fn read(
    log: &Log,
    from: i64,
    isolation: IsolationLevel,
    fetch_size: usize,
    manners: Manners,
    chance: &mut Chance,
    defect: Option<Defect>,
) -> Result<Seen, String> {
    // Small enough to be full at times.
    let mut buffer = FetchBuffer::new(AutoOffsetReset::None, 1 + chance.below(4_000));
    buffer.assign(vec![(partition(0), Some(FetchPosition::at(from)))]);
    let mut seen = Vec::new();
    let mut idle = 0;
    for _ in 0..10_000 {
        let (mut progress, mut has_asked) = (false, false);
        for target in targets(&mut buffer) {
            buffer.landed(std::slice::from_ref(&target));
            let answer = fetch(
                log,
                target.from.offset,
                isolation,
                fetch_size,
                manners,
                chance,
            );
            buffer.note(
                &target,
                answer.status,
                !answer.records.is_empty(),
                Instant::now(),
            );
            has_asked = true;
            if answer.records.is_empty() {
                continue;
            }
            progress = true;
            let job = OpenJob {
                partition: target.partition.clone(),
                from: target.from,
                response: ResponseMemory::new(answer.records.len()),
                records: answer.records,
                aborted: answer.aborted,
                isolation,
            };
            for (target, job) in defect::spoil(defect, &mut buffer, log, target, job) {
                buffer.admit(&target, job);
                if chance.once_in(3) {
                    open(&mut buffer, Some(&target));
                }
            }
        }
        if chance.once_in(2) {
            open(&mut buffer, None);
        }
        if chance.once_in(2) {
            take(&mut buffer, chance, &mut seen)?;
        }
        let last_record = seen.last().map(|(offset, _)| *offset);
        check_positions(log, &buffer, (0, from), last_record, defect)?;
        idle = if progress {
            0
        } else {
            idle + usize::from(has_asked)
        };
        if idle > 1 && !buffer.is_ready() && buffer.buffered() == 0 {
            let cursor = buffer
                .cursor(&partition(0))
                .map_err(|error| error.to_string())?;
            return Ok((seen, cursor.position().unwrap_or(-1)));
        }
    }
    Err(format!("no end; saw {} records", seen.len()))
}
