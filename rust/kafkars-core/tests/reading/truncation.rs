//! Logs that are truncated while the application handles a batch. Until it asks for more or commits, no offset after
//! the first record of that batch may be committed: a consumer that takes over would not read it.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use kafkars_core::config::{AutoOffsetReset, IsolationLevel};
use kafkars_core::fetch::buffer::{EpochEnd, FetchBuffer, FetchTarget, LookUpSource, Validation};
use kafkars_core::fetch::open::OpenJob;
use kafkars_core::fetch::position::FetchPosition;
use kafkars_core::fetch::response_memory::ResponseMemory;

use crate::broker::{Manners, fetch};
use crate::chance::Chance;
use crate::defect::Defect;
use crate::log::Log;
use crate::reader::{open, partition, targets, text};

const PARTITIONS: i32 = 3;
const STEPS: usize = 200;
/// Longer than any pause after a refusal.
const PAUSES: Duration = Duration::from_secs(60);

struct World {
    logs: Vec<Log>,
    buffer: FetchBuffer,
    // Newer than any epoch in a log, so that every new leader is asked.
    leader_epoch: i32,
    // The first offset of each partition in the latest call.
    in_hand: HashMap<i32, i64>,
    // Checks of leader epochs that are under way.
    questions: Vec<Validation>,
    requests: Vec<FetchTarget>,
    has_lost: bool,
    defect: Option<Defect>,
}

pub(crate) fn history(seed: u64, defect: Option<Defect>) -> Result<(), String> {
    let mut chance = Chance::new(seed);
    let policy = chance.pick(&[AutoOffsetReset::Earliest, AutoOffsetReset::Latest]);
    let mut buffer = FetchBuffer::new(policy, 4_000);
    let mut logs = Vec::new();
    for number in 0..PARTITIONS {
        let mut log = Log::generate(&mut chance);
        log.start = 0;
        logs.push(log);
        buffer.add(vec![(partition(number), Some(FetchPosition::at(0)))]);
    }
    let mut world = World {
        logs,
        buffer,
        leader_epoch: 1_000,
        in_hand: HashMap::new(),
        questions: Vec::new(),
        requests: Vec::new(),
        has_lost: false,
        defect,
    };
    for step in 0..STEPS {
        match chance.below(8) {
            0 => world.elect(&mut chance),
            1 => world.look_up(&mut chance),
            2 => world.seek(&mut chance)?,
            3 | 4 => world.application(&mut chance)?,
            _ => world.network(&mut chance),
        }
        world
            .check()
            .map_err(|error| format!("step {step}: {error}"))?;
    }
    Ok(())
}

impl World {
    /// Elects new leaders, and answers the requests to the former ones in some way.
    fn elect(&mut self, chance: &mut Chance) {
        let now = Instant::now() + PAUSES;
        self.leader_epoch += 1;
        let leader = (1, self.leader_epoch);
        self.questions
            .append(&mut self.buffer.take_validations(now, |_| Some(leader)));
        let questions = std::mem::take(&mut self.questions);
        for question in questions {
            let from = question.from;
            let end = match chance.below(5) {
                0 => {
                    self.questions.push(question);
                    continue;
                }
                1 => None,
                2 => Some((from.leader_epoch, from.offset)),
                3 => Some((-1, -1)),
                _ => {
                    let below = usize::try_from(from.offset).unwrap_or(0) + 1;
                    Some((from.leader_epoch.max(1) - 1, chance.below(below) as i64))
                }
            };
            let end = end.map(|(leader_epoch, end_offset)| EpochEnd {
                leader_epoch,
                end_offset,
            });
            self.has_lost |= end.is_some_and(|end| end.diverges_from(from));
            self.buffer.validated(&question, end, now);
        }
    }

    /// Looks positions up by the policy.
    fn look_up(&mut self, chance: &mut Chance) {
        let look_ups = self.buffer.take_look_ups(Instant::now() + PAUSES, |_, _| {
            Some(LookUpSource::Leader(1))
        });
        for look_up in look_ups {
            if chance.once_in(3) {
                self.buffer.ended(&look_up);
                continue;
            }
            let log = &self.logs[look_up.partition.partition as usize];
            let offset = match self.buffer.policy() {
                AutoOffsetReset::Latest => log.end,
                _ => log.start,
            };
            self.buffer
                .set_position(&look_up, FetchPosition::at(offset));
        }
    }

    fn seek(&mut self, chance: &mut Chance) -> Result<(), String> {
        if !chance.once_in(4) {
            return Ok(());
        }
        let number = chance.below(PARTITIONS as usize) as i32;
        let end = self.logs[number as usize].end as usize;
        let position = FetchPosition::at(chance.below(end + 1) as i64);
        let sought = self.buffer.seek(&partition(number), position);
        sought.map_err(|error| error.to_string())
    }

    fn application(&mut self, chance: &mut Chance) -> Result<(), String> {
        self.in_hand.clear();
        self.has_lost = false;
        if chance.once_in(2) {
            let taken = self
                .buffer
                .next_record()
                .map_err(|error| error.to_string())?;
            if let Some(taken) = taken {
                let number = taken.batch.partition;
                self.in_hand.insert(number, text(&taken).0);
            }
            return Ok(());
        }
        let taken = self.buffer.take(1 + chance.below(12));
        for slice in taken.map_err(|error| error.to_string())? {
            let first = slice.batch.batch.record_at(slice.start).offset;
            let number = slice.batch.partition;
            self.in_hand.entry(number).or_insert(first);
        }
        Ok(())
    }

    fn network(&mut self, chance: &mut Chance) {
        self.requests.append(&mut targets(&mut self.buffer));
        for target in std::mem::take(&mut self.requests) {
            if chance.once_in(4) {
                self.requests.push(target);
                continue;
            }
            self.buffer.landed(std::slice::from_ref(&target));
            let log = &self.logs[target.partition.partition as usize];
            let size = 1 << chance.below(12);
            let isolation = IsolationLevel::ReadUncommitted;
            let from = target.from.offset;
            let answer = fetch(log, from, isolation, size, Manners::Kafka, chance);
            let has_records = !answer.records.is_empty();
            self.buffer
                .note(&target, answer.status, has_records, Instant::now());
            if !has_records {
                continue;
            }
            let job = OpenJob {
                partition: target.partition.clone(),
                from: target.from,
                response: ResponseMemory::new(answer.records.len()),
                records: answer.records,
                aborted: answer.aborted,
                isolation,
            };
            self.buffer.admit(&target, job);
        }
        open(&mut self.buffer, None);
    }

    fn check(&self) -> Result<(), String> {
        let finishes = self.defect == Some(Defect::TruncationFinishes) && self.has_lost;
        let commit = match finishes {
            true => self.buffer.consumed(),
            false => self.buffer.finished(),
        };
        for (partition, position) in &commit {
            if let Some(first) = self.in_hand.get(&partition.partition)
                && position.offset > *first
            {
                return Err(format!(
                    "{partition}: {} is committed while {first} is in hand",
                    position.offset
                ));
            }
        }
        if self.in_hand.is_empty() && self.buffer.consumed() != commit {
            return Err("what is finished is not committed".to_owned());
        }
        Ok(())
    }
}
