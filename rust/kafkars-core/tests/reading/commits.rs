//! Automatic commits, while the application reads, seeks, assigns, commits and gives partitions up in any order, and
//! its commits are late, refused or lost. They never commit an offset after the first record that it handles, never go
//! back before its own commits unless it seeks back, and in the end have everything that it has finished.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use kafkars_core::config::{AutoOffsetReset, IsolationLevel};
use kafkars_core::fetch::buffer::{FetchBuffer, LookUp, LookUpSource};
use kafkars_core::fetch::cursor::{CursorState, StartAt};
use kafkars_core::fetch::open::OpenJob;
use kafkars_core::fetch::position::FetchPosition;
use kafkars_core::fetch::response_memory::ResponseMemory;
use kafkars_core::group::CommitId;
use kafkars_protocol::Uuid;

use crate::broker::{Manners, fetch};
use crate::chance::Chance;
use crate::defect::Defect;
use crate::log::Log;
use crate::reader::{open, partition, targets, text};

const PARTITIONS: i32 = 3;
const STEPS: usize = 300;
/// Longer than any pause after a refusal.
const PAUSES: Duration = Duration::from_secs(60);

/// The offset that stands for a commit of a deleted topic.
const REFUSED: i64 = -1;

/// Offsets by partition.
type Offsets = BTreeMap<i32, i64>;

/// A commit that the application has made itself and not gone on from.
#[derive(Clone, Copy)]
struct Said {
    offset: i64,
    // The commit before it, and whether that certainly counted.
    before: Option<(i64, bool)>,
    // Whether it counts depends on a position that was not found yet.
    is_open: bool,
}

struct World {
    logs: Vec<Log>,
    buffer: FetchBuffer,
    // The first record of each partition in the application's hands.
    in_hand: Offsets,
    said: BTreeMap<i32, Said>,
    // An automatic commit below this goes back.
    lowest: Offsets,
    // The offsets that the coordinator has.
    stored: Offsets,
    under_way: VecDeque<(CommitId, Offsets)>,
    commits: u64,
    // Look-ups under way, with their results.
    look_ups: Vec<(LookUp, Option<i64>)>,
    has_sought: bool,
    // How often each topic was created again; each partition stands for a topic.
    made: BTreeMap<i32, u8>,
    // Those of which nothing was handed out since, and that start at their first record.
    fresh: BTreeSet<i32>,
    defect: Option<Defect>,
}

pub(crate) fn history(seed: u64, defect: Option<Defect>) -> Result<(), String> {
    let mut chance = Chance::new(seed);
    let policy = chance.pick(&[AutoOffsetReset::Earliest, AutoOffsetReset::Latest]);
    let mut buffer = FetchBuffer::new(policy, 4_000);
    buffer.start_from_committed();
    let mut logs = Vec::new();
    for _ in 0..PARTITIONS {
        let mut log = Log::generate(&mut chance);
        log.start = 0;
        logs.push(log);
    }
    let mut world = World {
        logs,
        buffer,
        in_hand: Offsets::new(),
        said: BTreeMap::new(),
        lowest: Offsets::new(),
        stored: Offsets::new(),
        under_way: VecDeque::new(),
        commits: 0,
        look_ups: Vec::new(),
        has_sought: false,
        made: BTreeMap::new(),
        fresh: BTreeSet::new(),
        defect,
    };
    for step in 0..STEPS {
        world.note_topics();
        let done = match chance.below(13) {
            0 => world.assign(&mut chance),
            1 => world.seek(&mut chance),
            2 => world.commit(&mut chance),
            3 => world.commit_automatically(),
            4 => world.others(&mut chance),
            5 => world.look_up(&mut chance),
            6 => world.answer_commit(&mut chance),
            7 => world.make_again(&mut chance),
            8 | 9 => world.poll(&mut chance),
            _ => world.fetch(&mut chance),
        };
        done.map_err(|error| format!("step {step}: {error}"))?;
    }
    world.end()
}

impl World {
    fn position(&self, number: i32) -> Option<i64> {
        let cursor = self.buffer.cursor(&partition(number)).ok()?;
        cursor.position()
    }

    /// Finishes the records that the application handles.
    fn finish(&mut self) {
        for (number, first) in std::mem::take(&mut self.in_hand) {
            match self.position(number) {
                // It had gone back behind that before.
                Some(position) if position <= first => {}
                Some(_) => drop(self.said.remove(&number)),
                None => {
                    if let Some(said) = self.said.get_mut(&number) {
                        said.is_open = true;
                    }
                }
            }
            self.may_go_back(number, first);
        }
        self.has_sought = false;
    }

    fn may_go_back(&mut self, number: i32, offset: i64) {
        if let Some(lowest) = self.lowest.get_mut(&number) {
            *lowest = offset.min(*lowest);
        }
    }

    /// Ends the application's own commit of a partition; until then it says how far the records in hand are finished.
    fn go(&mut self, number: i32) {
        if let Some(said) = self.said.remove(&number)
            && let Some(first) = self.in_hand.get_mut(&number)
        {
            *first = (*first).max(said.offset);
        }
    }

    /// Seeks to another position.
    fn go_to(&mut self, number: i32, offset: i64) {
        self.go(number);
        self.fresh.remove(&number);
        self.may_go_back(number, offset);
        self.has_sought |= self.in_hand.contains_key(&number);
    }

    /// Assigns other partitions by hand, some of them with an offset; positions of those that go are committed at once.
    fn assign(&mut self, chance: &mut Chance) -> Result<(), String> {
        if !chance.once_in(3) {
            return Ok(());
        }
        let before = self.to_commit();
        let mut wanted = Vec::new();
        for number in 0..PARTITIONS {
            let end = self.logs[number as usize].end as usize;
            match chance.below(4) {
                0 => continue,
                1 => {
                    let offset = chance.below(end + 1) as i64;
                    self.go_to(number, offset);
                    wanted.push((partition(number), Some(FetchPosition::at(offset))));
                }
                _ => wanted.push((partition(number), None)),
            }
        }
        let stays = |number: &i32| wanted.iter().any(|(one, _)| *one == partition(*number));
        let left: Offsets = before
            .into_iter()
            .filter(|(number, _)| !stays(number))
            .collect();
        for number in 0..PARTITIONS {
            // A cursor that is new starts where the group has committed.
            if !stays(&number) {
                self.go(number);
            }
        }
        let gone: Vec<_> = (0..PARTITIONS)
            .filter(|one| !stays(one))
            .map(partition)
            .collect();
        // As `assign`, in an order that every run repeats.
        self.buffer.remove(&gone);
        self.buffer.add(wanted);
        if self.defect == Some(Defect::LeftIsForgotten) {
            self.buffer.forget_unfinished(&gone);
        }
        self.send_automatic(left)
    }

    fn seek(&mut self, chance: &mut Chance) -> Result<(), String> {
        let number = chance.below(PARTITIONS as usize) as i32;
        if self.buffer.cursor(&partition(number)).is_err() {
            return Ok(());
        }
        let end = self.logs[number as usize].end;
        let sought = match chance.below(4) {
            0 => {
                self.go_to(number, 0);
                self.buffer.seek_to(&partition(number), StartAt::Earliest)
            }
            1 => {
                self.go_to(number, end);
                self.buffer.seek_to(&partition(number), StartAt::Latest)
            }
            _ => {
                let offset = chance.below(end as usize + 1) as i64;
                self.go_to(number, offset);
                self.buffer
                    .seek(&partition(number), FetchPosition::at(offset))
            }
        };
        sought.map_err(|error| error.to_string())
    }

    /// Makes a commit of the application: everything, or any offset of one partition.
    fn commit(&mut self, chance: &mut Chance) -> Result<(), String> {
        let mut offsets = Offsets::new();
        if chance.once_in(3) {
            self.buffer.finish_all();
            self.finish();
            for (at, position) in self.buffer.consumed() {
                offsets.insert(at.partition, position.offset);
            }
        } else {
            let number = chance.below(PARTITIONS as usize) as i32;
            let end = self.logs[number as usize].end as usize;
            if self.buffer.cursor(&partition(number)).is_ok() {
                offsets.insert(number, chance.below(end + 1) as i64);
            }
        }
        let is_taken = !chance.once_in(5);
        let partitions: Vec<_> = offsets.keys().copied().map(partition).collect();
        self.buffer.note_asked(&partitions);
        for (number, offset) in &offsets {
            self.buffer.settle(&partition(*number), *offset);
            // What lies before is finished, whatever it has in hand.
            if let Some(first) = self.in_hand.get_mut(number) {
                *first = (*first).max(*offset);
            }
            let before = self
                .said
                .get(number)
                .map(|said| (said.offset, said.is_open));
            let offset = *offset;
            let is_open = false;
            self.fresh.remove(number);
            self.said.insert(
                *number,
                Said {
                    offset,
                    before,
                    is_open,
                },
            );
        }
        if is_taken {
            for (number, offset) in &offsets {
                self.lowest.insert(*number, *offset);
            }
            self.send(offsets);
            return Ok(());
        }
        for (number, offset) in &offsets {
            self.buffer.unsettle(&partition(*number), *offset);
            let before = self.said.remove(number).and_then(|said| said.before);
            if let Some((offset, is_open)) = before {
                let before = None;
                self.said.insert(
                    *number,
                    Said {
                        offset,
                        before,
                        is_open,
                    },
                );
            }
        }
        self.buffer.note_queued(&partitions, None);
        Ok(())
    }

    fn send(&mut self, offsets: Offsets) {
        self.commits += 1;
        let id = CommitId(self.commits);
        let partitions: Vec<_> = offsets.keys().copied().map(partition).collect();
        self.buffer.note_queued(&partitions, Some(id));
        self.under_way.push_back((id, offsets));
    }

    /// The offsets that an automatic commit would have now.
    fn to_commit(&self) -> Offsets {
        let buffer = &self.buffer;
        let positions = match self.defect {
            Some(Defect::SeekFinishes) if self.has_sought => buffer.uncommitted(buffer.consumed()),
            Some(Defect::PositionsBeatCommits) => buffer.uncommitted(buffer.finished()),
            _ => buffer.to_commit(),
        };
        let positions = positions.into_iter();
        positions
            .map(|(at, position)| (at.partition, position.offset))
            .collect()
    }

    fn commit_automatically(&mut self) -> Result<(), String> {
        let offsets = self.to_commit();
        self.send_automatic(offsets)
    }

    fn send_automatic(&mut self, offsets: Offsets) -> Result<(), String> {
        for (number, offset) in &offsets {
            if let Some(first) = self.in_hand.get(number).filter(|first| *first < offset) {
                return Err(format!(
                    "{number}: {offset} is committed while {first} is in hand"
                ));
            }
            let said = self.said.get(number).filter(|said| !said.is_open);
            if let Some(said) = said.filter(|said| said.offset != *offset) {
                let said = said.offset;
                return Err(format!(
                    "{number}: {offset} is committed over {said}, which was said later"
                ));
            }
            let before = self.lowest.insert(*number, *offset);
            if let Some(before) = before.filter(|before| before > offset) {
                return Err(format!("{number}: goes back from {before} to {offset}"));
            }
        }
        let partitions: Vec<_> = offsets.keys().copied().map(partition).collect();
        self.buffer.note_asked(&partitions);
        self.send(offsets);
        Ok(())
    }

    /// Ends the oldest commit: done, refused, lost, or done with a lost response.
    fn answer_commit(&mut self, chance: &mut Chance) -> Result<(), String> {
        let fate = chance.below(6);
        self.end_commit(fate != 0 && fate != 1, fate > 2);
        Ok(())
    }

    fn end_commit(&mut self, arrives: bool, is_confirmed: bool) {
        let Some((id, offsets)) = self.under_way.pop_front() else {
            return;
        };
        for (number, offset) in offsets {
            if offset == REFUSED {
                self.buffer.note_ended(&partition(number), id, None);
                continue;
            }
            if arrives {
                self.stored.insert(number, offset);
            }
            let committed = (arrives && is_confirmed).then_some(offset);
            self.buffer.note_ended(&partition(number), id, committed);
        }
    }

    /// Lets the group give a partition to others, who read on, and get it back.
    fn others(&mut self, chance: &mut Chance) -> Result<(), String> {
        let number = chance.below(PARTITIONS as usize) as i32;
        let is_busy = self
            .under_way
            .iter()
            .any(|(_, offsets)| offsets.contains_key(&number));
        if !chance.once_in(4) || is_busy || self.buffer.cursor(&partition(number)).is_err() {
            return Ok(());
        }
        let gone = [partition(number)];
        self.buffer.remove(&gone);
        self.buffer.forget_unfinished(&gone);
        self.in_hand.remove(&number);
        self.said.remove(&number);
        self.fresh.remove(&number);
        let end = self.logs[number as usize].end;
        let stored = self.stored.entry(number).or_default();
        *stored = end.min(*stored + chance.below(20) as i64);
        self.lowest.insert(number, *stored);
        self.buffer.add(vec![(partition(number), None)]);
        Ok(())
    }

    fn note_topics(&mut self) {
        let (made, defect) = (&self.made, self.defect);
        self.buffer.note_topics(|partition| {
            let times = match defect {
                Some(Defect::TopicsAreKnownByName) => 0,
                _ => made.get(&partition.partition).copied().unwrap_or(0),
            };
            Some(Uuid([times + 1; 16]))
        });
    }

    /// Deletes a topic with its committed offsets, and creates it again with other records.
    fn make_again(&mut self, chance: &mut Chance) -> Result<(), String> {
        if !chance.once_in(4) {
            return Ok(());
        }
        let number = chance.below(PARTITIONS as usize) as i32;
        let mut log = Log::generate(chance);
        log.start = 0;
        self.logs[number as usize] = log;
        self.stored.remove(&number);
        self.said.remove(&number);
        self.in_hand.remove(&number);
        self.lowest.remove(&number);
        // Commits have the id of the old topic, which is gone.
        for (_, offsets) in &mut self.under_way {
            offsets.entry(number).and_modify(|offset| *offset = REFUSED);
        }
        let cursor = self.buffer.cursor(&partition(number));
        let is_sought = matches!(
            cursor.map(|cursor| cursor.state),
            Ok(CursorState::Unset(StartAt::Latest))
        );
        if self.buffer.policy() == AutoOffsetReset::Earliest && !is_sought {
            self.fresh.insert(number);
        }
        *self.made.entry(number).or_default() += 1;
        self.note_topics();
        Ok(())
    }

    /// Starts look-ups of positions, and ends some earlier ones with what was true when they began.
    fn look_up(&mut self, chance: &mut Chance) -> Result<(), String> {
        let asked = self.buffer.take_look_ups(Instant::now() + PAUSES, |_, _| {
            Some(LookUpSource::Leader(1))
        });
        for look_up in asked {
            let number = look_up.partition.partition;
            let log = &self.logs[number as usize];
            let at_end = match look_up.start {
                StartAt::Latest => true,
                StartAt::Policy => self.buffer.policy() == AutoOffsetReset::Latest,
                _ => false,
            };
            let found = match look_up.start {
                StartAt::Committed => self.stored.get(&number).copied(),
                _ if at_end => Some(log.end),
                _ => Some(log.start),
            };
            self.look_ups.push((look_up, found));
        }
        for (look_up, found) in std::mem::take(&mut self.look_ups) {
            if chance.once_in(3) {
                self.look_ups.push((look_up, found));
                continue;
            }
            let number = look_up.partition.partition;
            let Some(offset) = found else {
                // No commit has arrived.
                self.lowest.remove(&number);
                self.buffer.start_by_policy(&look_up);
                continue;
            };
            if self.buffer.ended(&look_up).is_none() {
                continue;
            }
            self.buffer
                .set_position(&look_up, FetchPosition::at(offset));
            if matches!(look_up.start, StartAt::Earliest | StartAt::Latest) {
                self.may_go_back(number, offset);
            }
            if look_up.start == StartAt::Committed {
                self.buffer.note_found(&look_up.partition, offset);
                // A commit that was lost is not there to go on from.
                self.may_go_back(number, offset);
            }
        }
        Ok(())
    }

    /// Polls: the application has finished what it had.
    fn poll(&mut self, chance: &mut Chance) -> Result<(), String> {
        self.finish();
        if chance.once_in(2) {
            let taken = self
                .buffer
                .next_record()
                .map_err(|error| error.to_string())?;
            if let Some(taken) = taken {
                let (number, offset) = (taken.batch.partition, text(&taken).0);
                self.in_hand.insert(number, offset);
                return self.read_first(number, offset);
            }
            return Ok(());
        }
        let taken = self.buffer.take(1 + chance.below(12));
        for slice in taken.map_err(|error| error.to_string())? {
            let first = slice.batch.batch.record_at(slice.start).offset;
            self.in_hand.entry(slice.batch.partition).or_insert(first);
            self.read_first(slice.batch.partition, first)?;
        }
        Ok(())
    }

    /// Checks that a topic that was created again is read from its first record.
    fn read_first(&mut self, number: i32, offset: i64) -> Result<(), String> {
        let first = self.logs[number as usize].records.first();
        let first = first.map(|record| record.offset);
        if self.fresh.remove(&number) && first != Some(offset) {
            return Err(format!(
                "{number}: was made again and is read from {offset}, not from {first:?}"
            ));
        }
        Ok(())
    }

    fn fetch(&mut self, chance: &mut Chance) -> Result<(), String> {
        for target in targets(&mut self.buffer) {
            self.buffer.landed(std::slice::from_ref(&target));
            let log = &self.logs[target.partition.partition as usize];
            let size = 1 << chance.below(12);
            let isolation = IsolationLevel::ReadUncommitted;
            let answer = fetch(
                log,
                target.from.offset,
                isolation,
                size,
                Manners::Kafka,
                chance,
            );
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
        Ok(())
    }

    /// Finishes everything, and checks that the group has the application's last commit.
    fn end(&mut self) -> Result<(), String> {
        self.buffer.finish_all();
        self.finish();
        self.commit_automatically()?;
        while !self.under_way.is_empty() {
            self.end_commit(true, true);
        }
        for number in 0..PARTITIONS {
            let said = self.said.get(&number).map(|said| said.offset);
            let Some(expected) = self
                .position(number)
                .map(|position| said.unwrap_or(position))
            else {
                continue;
            };
            let stored = self.stored.get(&number);
            // What was said last may have been lost with the answer that told so.
            if said.is_none() && stored != Some(&expected) {
                return Err(format!(
                    "{number}: {stored:?} is committed in the end, not {expected}"
                ));
            }
        }
        Ok(())
    }
}
