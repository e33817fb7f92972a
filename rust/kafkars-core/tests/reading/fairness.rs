//! Several partitions of one consumer: paused and resumed, huge and small, more data than the buffer holds. Those that
//! are read go on within a few turns of the network, whatever the others hold; in the end each shows all of its log
//! once.

use std::collections::HashMap;

use std::time::Instant;

use kafkars_core::config::{AutoOffsetReset, IsolationLevel};
use kafkars_core::fetch::buffer::{FetchBuffer, FetchTarget};
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::open::OpenJob;
use kafkars_core::fetch::position::FetchPosition;
use kafkars_core::fetch::response_memory::ResponseMemory;

use crate::broker::{Manners, fetch};
use crate::chance::Chance;
use crate::defect::Defect;
use crate::log::Log;
use crate::reader::{check_positions, open, partition, targets, text};
use crate::truth;

const PARTITIONS: i32 = 4;
/// How many bytes the buffer may hold: less than one response of some partitions, and many of others.
const LIMIT: usize = 1_500;
/// After how many turns of the network a partition that is read must have returned records.
const PATIENCE: usize = 200;

struct World {
    logs: Vec<Log>,
    buffer: FetchBuffer,
    seen: HashMap<i32, Vec<(i64, String)>>,
    isolation: IsolationLevel,
    defect: Option<Defect>,
    // Requests whose responses come late.
    late: Vec<FetchTarget>,
    // Positions whose error the application has not got yet.
    refused: Vec<(i32, i64)>,
}

pub(crate) fn history(seed: u64, defect: Option<Defect>) -> Result<(), String> {
    let mut chance = Chance::new(seed);
    let logs = (0..PARTITIONS).map(|_| {
        let mut log = Log::generate(&mut chance);
        log.start = 0;
        log
    });
    let logs: Vec<Log> = logs.collect();
    let mut buffer = FetchBuffer::new(AutoOffsetReset::None, LIMIT);
    // One by one, so that a seed is one history.
    for number in 0..PARTITIONS {
        buffer.add(vec![(partition(number), Some(FetchPosition::at(0)))]);
    }
    let mut world = World {
        logs,
        buffer,
        seen: HashMap::new(),
        isolation: chance.pick(&crate::ISOLATIONS),
        defect,
        late: Vec::new(),
        refused: Vec::new(),
    };
    for _ in 0..chance.below(16) {
        world.network(&mut chance)?;
        world.application(&mut chance)?;
    }
    // One is left alone while the others hold as much as they get: it is read to its end.
    let alone = chance.below(PARTITIONS as usize) as i32;
    world.set_paused(alone, true)?;
    for number in (0..PARTITIONS).filter(|number| *number != alone) {
        world.set_paused(number, false)?;
    }
    for _ in 0..chance.below(20) {
        world.network(&mut chance)?;
    }
    for number in 0..PARTITIONS {
        world.set_paused(number, number != alone)?;
    }
    world.read_to_the_end(&[alone], &mut chance)?;
    for number in 0..PARTITIONS {
        world.set_paused(number, false)?;
    }
    world.read_to_the_end(&[0, 1, 2, 3], &mut chance)?;
    while world.take_one()? {}
    world.compare()
}

impl World {
    fn network(&mut self, chance: &mut Chance) -> Result<(), String> {
        let may_ask =
            self.defect != Some(Defect::PausedUsesUpTheCredit) || self.buffer.buffered() < LIMIT;
        let asked = if may_ask {
            targets(&mut self.buffer)
        } else {
            Vec::new()
        };
        let (come, late): (Vec<_>, Vec<_>) = std::mem::take(&mut self.late)
            .into_iter()
            .partition(|_| chance.once_in(3));
        self.late = late;
        for target in asked.into_iter().chain(come) {
            if chance.once_in(2) {
                self.late.push(target);
                continue;
            }
            self.buffer.landed(std::slice::from_ref(&target));
            if self.is_stale(&target) {
                // Data was dropped meanwhile. A refusal of the old position must not matter, because the new one is in
                // the log.
                self.refuse(&target);
                continue;
            }
            if chance.once_in(8) {
                self.refuse_for_good(&target)?;
                continue;
            }
            let log = &self.logs[target.partition.partition as usize];
            let size = 1 << chance.below(14);
            let from = target.from.offset;
            let answer = fetch(log, from, self.isolation, size, Manners::Kafka, chance);
            self.buffer.note(
                &target,
                answer.status,
                !answer.records.is_empty(),
                Instant::now(),
            );
            if answer.records.is_empty() {
                continue;
            }
            let job = OpenJob {
                partition: target.partition.clone(),
                from: target.from,
                response: ResponseMemory::new(answer.records.len()),
                records: answer.records,
                aborted: answer.aborted,
                isolation: self.isolation,
            };
            self.buffer.admit(&target, job);
            if chance.once_in(2) {
                open(&mut self.buffer, Some(&target));
            }
        }
        if chance.once_in(2) {
            open(&mut self.buffer, None);
        }
        Ok(())
    }

    fn application(&mut self, chance: &mut Chance) -> Result<(), String> {
        if chance.once_in(3) {
            let number = chance.below(PARTITIONS as usize) as i32;
            let paused = chance.once_in(2);
            self.set_paused(number, paused)?;
        }
        for _ in 0..chance.below(6) {
            self.take_one()?;
        }
        self.check_positions()
    }

    fn is_stale(&self, target: &FetchTarget) -> bool {
        let cursor = self.buffer.cursor(&target.partition);
        cursor
            .is_ok_and(|cursor| cursor.epoch == target.epoch && cursor.fetch_from() != target.from)
    }

    fn refuse(&mut self, target: &FetchTarget) {
        if self.defect == Some(Defect::StaleRefusalCounts) {
            let error = FetchError::NoOffset {
                partition: target.partition.clone(),
            };
            self.buffer.fail(target.id, target.epoch, error);
        }
        self.buffer.out_of_range(target, Instant::now());
    }

    /// Lets the broker refuse the next position, once.
    fn refuse_for_good(&mut self, target: &FetchTarget) -> Result<(), String> {
        let error = FetchError::OffsetOutOfRange {
            partition: target.partition.clone(),
            offset: target.from.offset,
            log_start: -1,
            high_watermark: -1,
        };
        let refused = (target.partition.partition, target.from.offset);
        self.refused.push(refused);
        if self.defect == Some(Defect::ErrorsOvertake) {
            return self.hear(refused);
        }
        let (id, epoch) = (target.id, target.epoch);
        self.buffer
            .refused_for_good(id, epoch, Instant::now(), "fetch", error);
        Ok(())
    }

    /// Checks that an error comes once, after all records before it.
    fn hear(&mut self, (number, offset): (i32, i64)) -> Result<(), String> {
        let before = self.refused.len();
        self.refused.retain(|refused| *refused != (number, offset));
        if self.refused.len() + 1 != before {
            return Err(format!(
                "partition {number} raised an error at {offset} that nobody sent"
            ));
        }
        let cursor = self.buffer.cursor(&partition(number));
        let position = cursor.map_err(|error| error.to_string())?.position();
        if position != Some(offset) {
            return Err(format!(
                "the error of partition {number} at {offset} came at {position:?}"
            ));
        }
        Ok(())
    }

    fn check_positions(&self) -> Result<(), String> {
        for (number, log) in (0..).zip(&self.logs) {
            check_positions(log, &self.buffer, (number, 0), None, None)?;
        }
        Ok(())
    }

    fn set_paused(&mut self, number: i32, paused: bool) -> Result<(), String> {
        let (at, before) = (partition(number), self.buffer.buffered());
        self.buffer
            .set_paused(&at, paused)
            .map_err(|error| error.to_string())?;
        if self.defect == Some(Defect::DroppedIsNotFetchedAgain) && paused && before > LIMIT {
            // The defect: the error moves the position to that of the next fetch.
            let cursor = self.buffer.cursor(&at).map_err(|error| error.to_string())?;
            let next = cursor.fetch_from();
            self.buffer
                .seek(&at, next)
                .map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn take_one(&mut self) -> Result<bool, String> {
        let taken = match self.buffer.next_record() {
            Ok(Some(taken)) => taken,
            Ok(None) => return Ok(false),
            Err(FetchError::OffsetOutOfRange {
                partition, offset, ..
            }) => {
                self.hear((partition.partition, offset))?;
                return Ok(true);
            }
            Err(error) => return Err(error.to_string()),
        };
        let number = taken.batch.partition;
        let cursor = self.buffer.cursor(&partition(number));
        if cursor.map_err(|error| error.to_string())?.paused {
            return Err(format!("partition {number} is paused and was read"));
        }
        self.seen.entry(number).or_default().push(text(&taken));
        Ok(true)
    }

    /// Reads until these partitions are at their ends; something must happen every few turns.
    fn read_to_the_end(&mut self, numbers: &[i32], chance: &mut Chance) -> Result<(), String> {
        let mut idle = 0;
        while numbers.iter().any(|number| !self.is_at_the_end(*number)) {
            self.network(chance)?;
            let before: usize = self.positions();
            while self.take_one()? {}
            self.check_positions()?;
            idle = if self.positions() == before {
                idle + 1
            } else {
                0
            };
            if idle > PATIENCE {
                return Err(format!(
                    "partitions {numbers:?} starve with {} bytes held",
                    self.buffer.buffered()
                ));
            }
        }
        Ok(())
    }

    fn positions(&self) -> usize {
        let cursors = self.buffer.cursors();
        cursors
            .map(|(_, cursor)| cursor.position().unwrap_or(0) as usize)
            .sum()
    }

    fn is_at_the_end(&self, number: i32) -> bool {
        let (_, end) = truth::readable(&self.logs[number as usize], 0, self.isolation);
        let cursor = self.buffer.cursor(&partition(number));
        cursor.is_ok_and(|cursor| cursor.position() == Some(end))
    }

    fn compare(mut self) -> Result<(), String> {
        for (number, log) in (0..).zip(&self.logs) {
            let (expected, _) = truth::readable(log, 0, self.isolation);
            let seen = self.seen.remove(&number).unwrap_or_default();
            if seen != expected {
                return Err(format!(
                    "partition {number} showed {seen:?}, expected {expected:?}"
                ));
            }
        }
        if !self.refused.is_empty() {
            return Err(format!("nobody heard of {:?}", self.refused));
        }
        if self.buffer.buffered() != 0 {
            return Err(format!(
                "{} bytes are held of nothing",
                self.buffer.buffered()
            ));
        }
        Ok(())
    }
}
