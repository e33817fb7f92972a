//! Histories of a transactional producer that is restarted when it fails, and of a zombie it replaces.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use kafkars_core::config::ProducerConfig;
use kafkars_core::produce::error::ProduceError;
use kafkars_core::transaction::{
    GroupMetadata, OffsetToCommit, TransactionCallId, TransactionError,
};
use kafkars_protocol::ErrorCode;

use crate::client;
use crate::cluster::{PARTITIONS, PartitionIndex, TOPICS};
use crate::defect::Defect;
use crate::produce::breath;
use crate::world::{SECOND, World};

const STORM: u64 = 4 * SECOND;
/// By then the last transaction, which nothing disturbs, must be committed.
const END: u64 = 90 * SECOND;
/// Producers after which a history counts as stuck.
const MOST_PRODUCERS: usize = 30;

/// What the application knows of a transaction.
#[derive(Debug, Default)]
pub(crate) struct Known {
    fate: Fate,
    records: Vec<(PartitionIndex, u64)>,
    offset: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Fate {
    /// Neither committed nor known to be aborted: it was never asked to be committed.
    #[default]
    Open,
    /// Commit was called and did not end well: all or nothing.
    Unknown,
    Committed,
    Aborted,
}

/// The application's place in its loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Init,
    Begin,
    Fill { left: u64 },
    Offsets,
    Commit,
    Abort,
}

/// Plays one history under a protocol level and tells what went wrong.
pub(crate) fn history(seed: u64, level: i16, defect: Option<Defect>) -> Result<(), String> {
    play(World::new(seed, level, defect))
}

/// The same with an application that takes records back.
pub(crate) fn purging_history(seed: u64, level: i16) -> Result<(), String> {
    let mut world = World::new(seed, level, None);
    world.purges = true;
    play(world)
}

/// The same with an application that closes its producers while they commit.
pub(crate) fn closing_history(seed: u64, level: i16, defect: Option<Defect>) -> Result<(), String> {
    let mut world = World::new(seed, level, defect);
    world.closes = true;
    play(world)
}

fn play(mut world: World) -> Result<(), String> {
    world.cluster.is_picky = world.chance(300);
    start(&mut world);
    if world.chance(400) {
        // A second producer takes over while the first is at work.
        let at = world.between(0, STORM);
        world.at(at, start);
    }
    for _ in 0..world.between(5, 20) {
        let at = world.between(0, STORM);
        let place = world.between(0, (TOPICS * PARTITIONS) as u64) as PartitionIndex;
        world.at(at, move |world| world.move_leader(place));
    }
    for _ in 0..world.between(0, 10) {
        let at = world.between(0, STORM);
        world.at(at, World::move_coordinator);
    }
    world.at(STORM, |world| world.stormy = false);
    world.run(END);
    check(&mut world);
    match world.violations.first() {
        None => Ok(()),
        Some(violation) => Err(violation.clone()),
    }
}

/// A new producer with the transactional id, and the application that uses it.
fn start(world: &mut World) {
    if world.clients.len() >= MOST_PRODUCERS {
        return world.violated(format!("{MOST_PRODUCERS} producers came to nothing"));
    }
    let config = ProducerConfig {
        linger: Duration::from_millis(world.between(0, 10)),
        batch_size: world.between(60, 300) as usize,
        max_in_flight: world.between(1, 6) as usize,
        request_timeout: Duration::from_millis(800),
        delivery_timeout: Duration::from_millis(5_000),
        ..ProducerConfig::default()
    };
    let timeout = if world.chance(200) { 500 } else { 20_000 };
    let id = client::add(world, config, Some(Duration::from_millis(timeout)));
    step(world, id, Step::Init);
}

/// Does one step of the application, and waits for its end.
fn step(world: &mut World, id: usize, step: Step) {
    let called = match step {
        Step::Init => world.clients[id].transactions().init().map(Some),
        Step::Begin => {
            world.known.push((id, Known::default()));
            world.clients[id].transactions().begin().map(|()| None)
        }
        Step::Fill { .. } => fill(world, id).map(|()| None),
        Step::Offsets => {
            world.next_value += 1;
            let offset = world.next_value as i64;
            let call_id = world.clients[id]
                .transactions()
                .send_offsets(group(), vec![input(offset)]);
            if call_id.is_ok() {
                known(world, id).offset = Some(offset);
            }
            call_id.map(Some)
        }
        Step::Commit => {
            let call_id = world.clients[id].transactions().commit();
            if call_id.is_ok() {
                known(world, id).fate = Fate::Unknown;
                if world.closes && world.now < STORM && world.chance(400) {
                    let patience = world.between(0, SECOND / 20);
                    world.after(patience, move |world| close(world, id));
                }
            }
            call_id.map(Some)
        }
        Step::Abort => world.clients[id].transactions().abort().map(Some),
    };
    world.poll_soon(id);
    match called {
        Ok(Some(call_id)) => wait(world, id, step, call_id),
        Ok(None) => ended(world, id, step, Ok(())),
        Err(error) => ended(world, id, step, Err(error)),
    }
}

/// Ends a producer, if it still commits then.
fn close(world: &mut World, id: usize) {
    if !world.clients[id].stopped && world.clients[id].transactions().is_committing() {
        world.clients[id].transactions().close();
        world.poll_soon(id);
    }
}

fn wait(world: &mut World, id: usize, waiting: Step, call_id: TransactionCallId) {
    match world.clients[id].outcomes.remove(&call_id) {
        Some(result) => ended(world, id, waiting, result),
        None => world.after(500, move |world| wait(world, id, waiting, call_id)),
    }
}

fn fill(world: &mut World, id: usize) -> Result<(), TransactionError> {
    world.clients[id].transactions().may_send()?;
    let place = world.between(0, (TOPICS * PARTITIONS) as u64) as PartitionIndex;
    world.next_value += 1;
    let value = world.next_value;
    if world.produce(id, place, value).is_some() {
        known(world, id).records.push((place, value));
    }
    Ok(())
}

fn ended(world: &mut World, id: usize, step_done: Step, result: Result<(), TransactionError>) {
    if let Err(TransactionError::Record(error)) = &result
        && let ProduceError::Broker { code, .. } = error.as_ref()
        && *code == ErrorCode::OutOfOrderSequenceNumber
    {
        // Batches behind one that failed lack its number too, but the transaction fails for that one.
        world.violated("a transaction began with a number missing".to_owned());
    }
    let next = match (step_done, result) {
        (_, Err(error)) if error.is_fatal() => {
            world.clients[id].stopped = true;
            let is_closed = match error {
                TransactionError::Closed => true,
                TransactionError::OutcomeUnknown => world.has(Defect::CutIsAborted),
                _ => false,
            };
            if is_closed && step_done == Step::Commit {
                // An error that only says that the producer is closed means that nothing was committed.
                known(world, id).fate = Fate::Open;
            }
            let is_expected = match error {
                TransactionError::Fenced { .. } => true,
                TransactionError::Closed | TransactionError::OutcomeUnknown => world.closes,
                _ => false,
            };
            if !is_expected {
                world.violated(format!("{step_done:?} is the end: {error}"));
            }
            // A replaced producer stays away; after another failure a new one is started.
            if id + 1 == world.clients.len() {
                let pause = breath(world);
                world.after(pause, start);
            }
            return;
        }
        (Step::Commit, Err(_)) => {
            // The error says that the transaction is to be aborted, so it was not committed.
            known(world, id).fate = Fate::Open;
            Step::Abort
        }
        (Step::Abort, Err(_)) => Step::Abort,
        (Step::Begin | Step::Init, Err(error)) => {
            return world.violated(format!("{step_done:?}: {error}"));
        }
        (_, Err(_)) => Step::Abort,
        (Step::Init, Ok(())) => Step::Begin,
        (Step::Begin, Ok(())) => Step::Fill {
            left: world.between(0, 8),
        },
        (Step::Fill { left: 0 }, Ok(())) if world.chance(500) => Step::Offsets,
        (Step::Fill { left: 0 } | Step::Offsets, Ok(())) => {
            if world.purges {
                purge(world, id);
            }
            if world.chance(800) {
                Step::Commit
            } else {
                Step::Abort
            }
        }
        (Step::Fill { left }, Ok(())) => Step::Fill { left: left - 1 },
        (Step::Commit, Ok(())) => {
            known(world, id).fate = Fate::Committed;
            if world.now > STORM + 5 * SECOND {
                world.finished = true;
                return;
            }
            Step::Begin
        }
        (Step::Abort, Ok(())) => {
            known(world, id).fate = Fate::Aborted;
            Step::Begin
        }
    };
    // Some applications take a moment between two calls, and sometimes they do not.
    let pause = if world.chance(300) { 0 } else { breath(world) };
    // A long thought now and then, which exceeds short time limits.
    let pause = if world.fault(20) {
        pause + SECOND
    } else {
        pause
    };
    let pause = if next == step_done {
        pause + 1_000
    } else {
        pause
    };
    let pause = if world.now > STORM {
        pause + SECOND / 200
    } else {
        pause
    };
    world.after(pause, move |world| step(world, id, next));
}

/// Some applications take records back before they end a transaction: those in the queue, those in flight, or both.
fn purge(world: &mut World, id: usize) {
    let (in_queue, in_flight) = (world.chance(300), world.chance(600));
    world.clients[id].sender.purge(in_queue, in_flight);
    world.poll_soon(id);
}

/// The latest transaction of a producer.
fn known(world: &mut World, id: usize) -> &mut Known {
    let mut latest = world.known.iter_mut().rev();
    let found = latest.find(|(owner, _)| *owner == id);
    &mut found.expect("begun before").1
}

fn group() -> GroupMetadata {
    GroupMetadata {
        group_id: "group".into(),
        generation_id: 1,
        member_id: "member".into(),
        group_instance_id: None,
    }
}

fn input(offset: i64) -> OffsetToCommit {
    OffsetToCommit {
        topic: "input".into(),
        partition: 0,
        offset,
        leader_epoch: -1,
        metadata: None,
    }
}

fn check(world: &mut World) {
    if !world.finished {
        world.violated("no transaction was committed after the storm".to_owned());
    }
    let last = world.clients.len() - 1;
    if let Some(zombie) = (0..last).find(|id| !world.clients[*id].stopped) {
        world.violated(format!("producer {zombie} was replaced, and goes on"));
    }
    if world.cluster.hanging() {
        world.violated("a transaction never ended on some partition".to_owned());
    }
    let mut seen: BTreeMap<u64, PartitionIndex> = BTreeMap::new();
    for place in 0..TOPICS * PARTITIONS {
        let mut last: BTreeMap<usize, u64> = BTreeMap::new();
        for (_, value) in world.cluster.visible(place) {
            if seen.insert(value, place).is_some() {
                world.violated(format!("record {value} is read twice"));
            }
            let mut all = world.known.iter();
            let owner = all.find(|(_, known)| known.records.contains(&(place, value)));
            let owner = owner.map_or(usize::MAX, |(owner, _)| *owner);
            if last
                .insert(owner, value)
                .is_some_and(|before| before > value)
            {
                world.violated(format!("record {value} was overtaken on partition {place}"));
            }
        }
    }
    let applied: BTreeSet<i64> = world.cluster.group.applied.iter().copied().collect();
    if applied.len() != world.cluster.group.applied.len() {
        world.violated("an offset was committed twice".to_owned());
    }
    let known = std::mem::take(&mut world.known);
    for (index, (_, known)) in known.iter().enumerate() {
        let records = known.records.len();
        let read = known
            .records
            .iter()
            .filter(|(_, value)| seen.contains_key(value))
            .count();
        let offset = known.offset.map(|offset| applied.contains(&offset));
        let all = read == records && offset != Some(false);
        let none = read == 0 && offset != Some(true);
        let fits = match known.fate {
            Fate::Committed => all,
            Fate::Aborted | Fate::Open => none,
            Fate::Unknown => all || none,
        };
        if !fits {
            world.violated(format!(
                "transaction {index} is {:?}, but {read} of {records} records are read and its offset is {offset:?}",
                known.fate
            ));
        }
    }
}
