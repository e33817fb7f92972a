//! Many partitions whose parts come in the same responses: a byte of one beside much more of another, some paused, some
//! slow, some read in turn. A part that is kept keeps the whole response in memory, which is what the allocator counts.
//!
//! `KAFKARS_SEEDS` sets how many histories are played (default 48), `KAFKARS_FIRST_SEED` where they start.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use kafkars_core::backoff::Random;
use kafkars_core::config::{AutoOffsetReset, IsolationLevel, TopicPartition};
use kafkars_core::fetch::buffer::{FetchBuffer, FetchTarget};
use kafkars_core::fetch::open::OpenJob;
use kafkars_core::fetch::position::FetchPosition;
use kafkars_core::fetch::response_memory::ResponseMemory;
use kafkars_records::{BatchBuilder, Codec, ProducerFields, RawBatch, ReadLimits, batches};

use crate::{allocated, alone};

const LIMIT: usize = 1 << 20;
/// Bytes of the largest answer.
const ANSWER: usize = 256 << 10;
/// Bytes of opened batches that are handed over together.
const PIECE: usize = 32 << 10;
/// Turns of the network after which a partition that is read has shown something.
const PATIENCE: usize = 60;

/// What is done wrong on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Defect {
    /// A part counts as its own bytes, not as the response that it keeps.
    OnlyPartsCount,
}

/// The limit; what is opened with a full buffer; the answer that comes when there was a little room, and the one of
/// which records are handed out; a piece that is opened; cursors and queues.
const BOUND: usize = LIMIT + LIMIT / 4 + 2 * ANSWER + PIECE + (192 << 10);

struct World {
    random: Random,
    // Batches of one record, from one byte to much of an answer.
    templates: Vec<RawBatch>,
    buffer: FetchBuffer,
    partitions: usize,
    before: usize,
    worst: usize,
    defect: Option<Defect>,
}

fn partition(number: usize) -> TopicPartition {
    TopicPartition {
        topic: "t".into(),
        partition: number as i32,
    }
}

fn templates() -> Vec<RawBatch> {
    let shapes = [
        (1, Codec::None),
        (1_100, Codec::None),
        (9_000, Codec::None),
        (16_000, Codec::None),
        (40_000, Codec::None),
        (40_000, Codec::Zstd),
        (9_000, Codec::Lz4),
        (ANSWER - 1_000, Codec::None),
    ];
    let template = |(size, codec): (usize, Codec)| {
        let mut builder = BatchBuilder::new(64);
        builder.append(0, None, Some(&vec![7; size]), &[]);
        let sealed = builder
            .seal(codec.into(), ProducerFields::default())
            .expect("seals");
        batches(sealed.bytes).next().expect("one").expect("whole")
    };
    shapes.into_iter().map(template).collect()
}

impl World {
    fn new(seed: u64, defect: Option<Defect>) -> Self {
        let mut random = Random::new(seed);
        let templates = templates();
        let partitions = [1, 2, 5, 20, 60][(random.next() % 5) as usize];
        let before = allocated();
        let mut buffer = FetchBuffer::new(AutoOffsetReset::None, LIMIT);
        let positions =
            (0..partitions).map(|number| (partition(number), Some(FetchPosition::at(0))));
        buffer.assign(positions.collect());
        Self {
            random,
            templates,
            buffer,
            partitions,
            before,
            worst: 0,
            defect,
        }
    }

    fn below(&mut self, end: usize) -> usize {
        (self.random.next() % end.max(1) as u64) as usize
    }

    /// The batches of one partition in an answer: at least one, and about so many bytes.
    fn part(&mut self, from: i64, bytes: usize, into: &mut Vec<u8>) {
        let (start, mut offset) = (into.len(), from);
        loop {
            let fitting = self
                .templates
                .iter()
                .filter(|one| one.bytes().len() <= bytes);
            let count = fitting.count().max(1);
            let template = self.below(count);
            let batch = self.templates[template].clone();
            let placed = batch.with_position(offset, 1).expect("magic 2");
            if into.len() > start && into.len() - start + placed.bytes().len() > bytes {
                return;
            }
            into.extend_from_slice(placed.bytes());
            offset += 1;
        }
    }

    /// One answer for what is asked: as brokers do, up to a size for each partition and one for all.
    fn answer(&mut self, targets: &[FetchTarget]) {
        let mut records = Vec::with_capacity(ANSWER);
        let mut parts = Vec::new();
        let first = self.below(targets.len());
        for (index, target) in targets
            .iter()
            .cycle()
            .skip(first)
            .take(targets.len())
            .enumerate()
        {
            let room = ANSWER - records.len();
            let wanted = match self.below(4) {
                // Most of a large answer is one partition's.
                0 if index == 0 => room,
                1 => 1,
                2 => 10_000,
                _ => self.below(60_000),
            };
            let start = records.len();
            let mut part = Vec::new();
            self.part(target.from.offset, wanted.min(room), &mut part);
            if part.len() > room {
                break;
            }
            records.extend_from_slice(&part);
            parts.push((target, start..records.len()));
        }
        let response = ResponseMemory::new(records.capacity());
        let records = Bytes::from(records);
        for (target, range) in parts {
            let response = match self.defect {
                Some(Defect::OnlyPartsCount) => ResponseMemory::new(range.len()),
                None => Arc::clone(&response),
            };
            let job = OpenJob {
                partition: target.partition.clone(),
                from: target.from,
                records: records.slice(range),
                response,
                aborted: Vec::new(),
                isolation: IsolationLevel::ReadUncommitted,
            };
            self.buffer.admit(target, job);
        }
    }

    fn network(&mut self) -> Result<(), String> {
        if self.buffer.has_credit() {
            let targets = self.buffer.take_targets(Instant::now(), |_| true);
            self.buffer.landed(&targets);
            if !targets.is_empty() {
                self.answer(&targets);
            }
            for target in &targets {
                if self.below(3) == 0
                    && let Some(mut task) = self.buffer.start_opening_of(target)
                {
                    let (parts, _) = task.opening.open_small(&ReadLimits::default(), 16 << 10);
                    self.buffer.opened(task, parts);
                }
            }
        }
        self.check()?;
        while let Some(mut task) = self.buffer.start_opening() {
            let parts = task.opening.open(&ReadLimits::default(), PIECE);
            self.buffer.opened(task, parts);
            self.check()?;
        }
        Ok(())
    }

    fn check(&mut self) -> Result<(), String> {
        let held = allocated().saturating_sub(self.before);
        self.worst = self.worst.max(held);
        if held > BOUND {
            return Err(format!(
                "{held} bytes are held by {} partitions, {} counted, {BOUND} allowed",
                self.partitions,
                self.buffer.buffered()
            ));
        }
        Ok(())
    }

    fn set_paused(&mut self, number: usize, paused: bool) {
        let set = self.buffer.set_paused(&partition(number), paused);
        set.expect("assigned");
    }

    /// Takes up to so many records and forgets them.
    fn take(&mut self, most: usize) -> usize {
        let slices = self.buffer.take(most).expect("every batch is whole");
        slices.iter().map(|slice| slice.count as usize).sum()
    }

    fn history(mut self) -> Result<usize, String> {
        for _ in 0..60 {
            for _ in 0..1 + self.below(4) {
                self.network()?;
            }
            // At times nothing is taken, at times little, at times all.
            let most = [0, 1, 3, 20, 1_000][self.below(5)];
            self.take(most);
            let (number, paused) = (self.below(self.partitions), self.below(2) == 0);
            match self.below(12) {
                0 => (0..self.partitions).for_each(|number| self.set_paused(number, paused)),
                1 => {
                    let from = FetchPosition::at(self.below(1_000) as i64);
                    self.buffer
                        .seek(&partition(number), from)
                        .expect("assigned");
                }
                2..=7 => self.set_paused(number, paused),
                _ => {}
            }
            self.check()?;
        }
        // One is left that is read, while the others keep what they may.
        let alone = self.below(self.partitions);
        for number in 0..self.partitions {
            self.set_paused(number, number != alone);
        }
        let mut idle = 0;
        for _ in 0..200 {
            self.network()?;
            idle = if self.take(5) > 0 { 0 } else { idle + 1 };
            if idle > PATIENCE {
                return Err(format!("partition {alone} of {} starves", self.partitions));
            }
        }
        let all: Vec<_> = (0..self.partitions).map(partition).collect();
        self.buffer.remove(&all);
        if self.buffer.buffered() > 0 {
            return Err(format!(
                "{} bytes are counted of nothing",
                self.buffer.buffered()
            ));
        }
        Ok(self.worst)
    }
}

fn setting(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn answers_that_partitions_share_keep_the_bound() {
    let _turn = alone();
    let first = setting("KAFKARS_FIRST_SEED", 0);
    for seed in first..first + setting("KAFKARS_SEEDS", 48) {
        let outcome = World::new(seed, None).history();
        assert!(outcome.is_ok(), "seed {seed}: {outcome:?}");
    }
    let found = (0..48).any(|seed| {
        let world = World::new(seed, Some(Defect::OnlyPartsCount));
        world.history().is_err()
    });
    assert!(found, "{:?} was not noticed", Defect::OnlyPartsCount);
}
