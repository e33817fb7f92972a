//! Invalid batches: the reader gets an error for each, with topic, partition and offset, and goes on after it.

use std::time::Instant;

use kafkars_core::config::{AutoOffsetReset, IsolationLevel};
use kafkars_core::fetch::buffer::FetchBuffer;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::open::OpenJob;
use kafkars_core::fetch::position::FetchPosition;
use kafkars_core::fetch::response_memory::ResponseMemory;

use crate::broker::{Manners, fetch};
use crate::chance::Chance;
use crate::defect::Defect;
use crate::log::Log;
use crate::reader::{open, partition, targets, text};
use crate::truth;

/// Bytes of a batch's header.
const HEADER: usize = 61;

/// What is done to a batch.
#[derive(Debug, Clone, Copy)]
enum Damage {
    NegativeBase,
    EndlessBase,
    NegativeLength,
    NegativeDelta,
    RepeatedOffset,
    OffsetBehindTheLast,
    FlippedBit,
    OnlyTheStart,
}

const DAMAGES: [Damage; 8] = [
    Damage::NegativeBase,
    Damage::EndlessBase,
    Damage::NegativeLength,
    Damage::NegativeDelta,
    Damage::RepeatedOffset,
    Damage::OffsetBehindTheLast,
    Damage::FlippedBit,
    Damage::OnlyTheStart,
];

pub(crate) fn history(seed: u64, defect: Option<Defect>) -> Result<(), String> {
    let mut chance = Chance::new(seed);
    let mut log = Log::generate(&mut chance);
    log.start = 0;
    let plain: Vec<usize> = (0..log.entries.len())
        .filter(|index| is_plain(&log.entries[*index].bytes))
        .collect();
    if plain.is_empty() {
        return Ok(());
    }
    for damage in DAMAGES {
        let index = chance.pick(&plain);
        one(&log, index, damage, &mut chance, defect)
            .map_err(|error| format!("{damage:?}: {error}"))?;
    }
    Ok(())
}

/// True if a batch is of magic 2, uncompressed, and has at least two records.
fn is_plain(bytes: &[u8]) -> bool {
    let is_uncompressed = bytes.get(22).is_some_and(|bits| bits & 0x27 == 0);
    bytes.get(16) == Some(&2) && is_uncompressed && bytes.get(60).is_some_and(|count| *count >= 2)
}

fn one(
    log: &Log,
    index: usize,
    damage: Damage,
    chance: &mut Chance,
    defect: Option<Defect>,
) -> Result<(), String> {
    let entry = &log.entries[index];
    let damaged = spoilt(&entry.bytes, damage);
    let isolation = IsolationLevel::ReadUncommitted;
    let mut buffer = FetchBuffer::new(AutoOffsetReset::None, 1 << 20);
    buffer.assign(vec![(partition(0), Some(FetchPosition::at(0)))]);
    let (mut seen, mut errors) = (Vec::new(), 0);
    for _ in 0..1_000 {
        for target in targets(&mut buffer) {
            buffer.landed(std::slice::from_ref(&target));
            let from = target.from.offset;
            let whole = fetch(log, from, isolation, 1 << 20, Manners::Kafka, chance);
            let mut records = Vec::new();
            for other in log.entries.iter().filter(|other| other.last >= from) {
                let is_damaged = other.base == entry.base;
                if is_damaged && defect == Some(Defect::MalformedIsSkipped) {
                    continue;
                }
                if is_damaged && matches!(damage, Damage::OnlyTheStart) && !records.is_empty() {
                    // At the end of a response a batch that is cut off would be an ordinary one.
                    break;
                }
                records.extend_from_slice(if is_damaged { &damaged } else { &other.bytes });
                if is_damaged && matches!(damage, Damage::OnlyTheStart) {
                    break;
                }
            }
            buffer.note(&target, whole.status, !records.is_empty(), Instant::now());
            if records.is_empty() {
                continue;
            }
            let job = OpenJob {
                partition: partition(0),
                from: target.from,
                response: ResponseMemory::new(records.len()),
                records: records.into(),
                aborted: Vec::new(),
                isolation,
            };
            buffer.admit(&target, job);
        }
        open(&mut buffer, None);
        match buffer.next_record() {
            Ok(Some(taken)) => seen.push(text(&taken)),
            Ok(None) => {}
            Err(FetchError::Corrupt {
                partition: at,
                offset,
                ..
            }) => {
                let expected = log.entries[..index]
                    .last()
                    .map_or(0, |before| before.last + 1);
                if at != partition(0) || offset != expected {
                    return Err(format!("the error names {at} and {offset}, not {expected}"));
                }
                errors += 1;
                let behind = FetchPosition::at(entry.last + 1);
                buffer
                    .seek(&partition(0), behind)
                    .map_err(|error| error.to_string())?;
            }
            Err(other) => return Err(other.to_string()),
        }
    }
    let (mut expected, _) = truth::readable(log, 0, isolation);
    expected.retain(|(offset, _)| *offset < entry.base || *offset > entry.last);
    if errors != 1 {
        return Err(format!("{errors} errors instead of one"));
    }
    if seen != expected {
        return Err(format!("saw {seen:?}, expected {expected:?}"));
    }
    Ok(())
}

fn spoilt(batch: &[u8], damage: Damage) -> Vec<u8> {
    let mut bytes = batch.to_vec();
    // Length, attributes and timestamp stand before the offset of a record, in a byte each.
    let first = usize::from(bytes[HEADER] / 2) + 1;
    let second_offset = HEADER + first + 3;
    match damage {
        Damage::NegativeBase => bytes[0] = 0xff,
        Damage::EndlessBase => bytes[..8].copy_from_slice(&i64::MAX.to_be_bytes()),
        Damage::NegativeLength => bytes[23] = 0xff,
        Damage::NegativeDelta => bytes[HEADER + 3] = 1,
        Damage::RepeatedOffset => bytes[second_offset] = 0,
        Damage::OffsetBehindTheLast => bytes[second_offset] = 0x7e,
        Damage::FlippedBit => bytes[HEADER + 7] ^= 1,
        Damage::OnlyTheStart => bytes.truncate(HEADER + 2),
    }
    if !matches!(damage, Damage::FlippedBit | Damage::OnlyTheStart) {
        let crc = crc32c::crc32c(&bytes[21..]);
        bytes[17..21].copy_from_slice(&crc.to_be_bytes());
    }
    bytes
}
