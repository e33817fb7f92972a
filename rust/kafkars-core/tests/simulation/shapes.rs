//! Histories of a producer whose records live for a short time only, in a world that changes shape: leaders that
//! cannot be reached while records expire again and again, topics that are deleted and made again with other ids and
//! fewer partitions, leaders that move. Each record's outcome is known when its time is over, memory comes back, the
//! order holds wherever it is promised, and in the end the producer works with the world as it is.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use kafkars_core::config::ProducerConfig;
use kafkars_core::produce::delivery::Delivery;
use kafkars_core::produce::error::ProduceError;
use kafkars_core::produce::sender::View;

use crate::client::{self, LOGIN_GRACE};
use crate::cluster::{NODES, PARTITIONS, PartitionIndex, TOPICS};
use crate::defect::Defect;
use crate::world::{MILLI, Micros, SECOND, World};

const STORM: Micros = 8 * SECOND;
/// Records of the end find out what has changed, and those of the last round meet a world they know.
const LAST_ROUNDS: [Micros; 2] = [STORM + 3 * SECOND, STORM + 8 * SECOND];
const END: Micros = STORM + 14 * SECOND;
const DELIVERY_TIMEOUT: Micros = 1_500 * MILLI;
/// A record whose time is over is reported within this.
const SLACK: Micros = 10 * MILLI;
/// Requests have an answer within this, and are tried again.
const REQUEST_TIMEOUT: Micros = 300 * MILLI;
/// A batch that was under way to another node when the leader moved comes back, and meets the next refusal, within
/// this.
const UNDER_WAY: Micros = REQUEST_TIMEOUT + 420 * MILLI;

/// The refused logins that a record has heard of, in a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard {
    pub(crate) node: i32,
    pub(crate) first: Micros,
    /// The first one that it has heard of wherever it was.
    surely: Option<Micros>,
}

/// How producer and world are made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    /// Batches have numbers.
    pub(crate) numbered: bool,
    /// Requests name topics by their ids.
    pub(crate) by_id: bool,
    /// Topics are deleted and made again.
    pub(crate) remakes: bool,
    /// Nodes are not out of reach, but refuse the login.
    pub(crate) guarded: bool,
}

/// Plays one history and tells what went wrong.
pub(crate) fn history(seed: u64, shape: Shape, defect: Option<Defect>) -> Result<(), String> {
    let mut world = World::new(seed, 2, defect);
    world.cluster.by_id = shape.by_id;
    world.guarded = shape.guarded;
    // Faults of single requests would only hide those of the world.
    world.stormy = world.chance(300);
    let one_at_a_time = world.chance(500);
    let config = ProducerConfig {
        linger: Duration::from_millis(world.between(0, 20)),
        batch_size: world.between(60, 400) as usize,
        max_in_flight: if one_at_a_time { 1 } else { 5 },
        request_timeout: match shape.guarded {
            true => Duration::from_micros(REQUEST_TIMEOUT),
            false => Duration::from_millis(1_200),
        },
        delivery_timeout: Duration::from_micros(DELIVERY_TIMEOUT),
        enable_idempotence: shape.numbered,
        ..ProducerConfig::default()
    };
    let id = client::add(&mut world, config, None);
    let records = world.between(100, 300);
    for value in 0..records {
        let at = world.between(0, STORM);
        world.at(at, move |world| send(world, id, value));
    }
    isolate_nodes(&mut world);
    for _ in 0..world.between(0, 20) {
        let at = world.between(0, STORM);
        let place = world.between(0, (TOPICS * PARTITIONS) as u64) as PartitionIndex;
        world.at(at, move |world| world.move_leader(place));
    }
    if shape.remakes {
        remake_topics(&mut world);
    }
    if shape.guarded {
        take_back(&mut world, id);
    }
    world.at(STORM, |world| {
        world.stormy = false;
        world.cluster.unreachable.clear();
    });
    for (round, at) in LAST_ROUNDS.into_iter().enumerate() {
        for number in 0..20 {
            let value = 10_000 * (round as u64 + 1) + number;
            world.at(at + number * MILLI, move |world| send(world, id, value));
        }
    }
    world.run(END);
    check(&mut world, id, shape, one_at_a_time);
    match world.violations.first() {
        None => Ok(()),
        Some(violation) => Err(format!("{shape:?}: {violation}")),
    }
}

fn isolate_nodes(world: &mut World) {
    if world.chance(300) {
        // For so long that records expire there again and again.
        let node = world.between(0, NODES) as i32;
        world.at(0, move |world| world.isolate(node));
        return;
    }
    for _ in 0..world.between(0, 4) {
        let node = world.between(0, NODES) as i32;
        let from = world.between(0, STORM);
        let until = from + world.between(0, 4 * SECOND);
        world.at(from, move |world| world.isolate(node));
        world.at(until, move |world| {
            world.cluster.unreachable.remove(&node);
        });
    }
}

/// Records are taken back, so that nothing waits for a node any more.
fn take_back(world: &mut World, id: usize) {
    for _ in 0..world.between(0, 12) {
        let at = world.between(0, STORM);
        let (in_queue, in_flight) = (world.chance(900), world.chance(500));
        world.at(at, move |world| {
            world.clients[id].sender.purge(in_queue, in_flight);
            world.poll_soon(id);
        });
    }
}

fn remake_topics(world: &mut World) {
    for topic in 0..TOPICS {
        let mut at = 0;
        for _ in 0..world.between(0, 3) {
            at += world.between(100 * MILLI, STORM / 3);
            world.at(at, move |world| world.delete_topic(topic));
            at += world.between(0, 500 * MILLI);
            let partitions = world.between(1, PARTITIONS as u64 + 1) as usize;
            world.at(at, move |world| world.make_topic(topic, partitions));
        }
    }
}

/// A record with a key.
fn send(world: &mut World, id: usize, value: u64) {
    let topic = world.between(0, TOPICS as u64) as usize;
    let key = world.between(0, 1_000).to_be_bytes();
    let Some(delivery) = world.produce_to(id, (topic, None), Some(&key), value) else {
        return world.violated(format!("record {value} was not taken"));
    };
    let index = world.sent_by_key.len();
    world.sent_by_key.push((topic, value, world.now, delivery));
    world.open.insert(index);
    world.after(DELIVERY_TIMEOUT + SLACK, move |world| {
        let (_, value, at, delivery) = &world.sent_by_key[index];
        if delivery.result().is_none() {
            let late = format!("record {value}, sent at {at}, has no outcome in time");
            world.violated(late);
        }
    });
}

/// Notes that a node has refused a login, for all records that wait for it, and checks that those that have waited for
/// long fail, if the login began after they had heard of an earlier one.
pub(crate) fn heard(world: &mut World, id: usize, node: i32, began: Micros) {
    let now = world.now;
    for index in world.open.clone() {
        if leader(world, id, index) == Some(node) {
            let refused = &mut world.clients[id].refused;
            let heard = refused.entry(index).or_insert(Heard {
                node,
                first: now,
                surely: None,
            });
            // One that lingered when the first refusal came, or was under way, did not wait for the node yet.
            if heard.first + UNDER_WAY > now {
                continue;
            }
            let surely = *heard.surely.get_or_insert(now);
            if surely <= began && surely + LOGIN_GRACE <= now {
                world.after(SLACK, move |world| {
                    let (_, value, at, delivery) = &world.sent_by_key[index];
                    if delivery.result().is_none() {
                        let late = format!(
                            "record {value}, sent at {at}, waits for who refuses the login"
                        );
                        world.violated(late);
                    }
                });
            }
        }
    }
}

/// Forgets refusals of nodes that are no longer leaders.
pub(crate) fn leaders_moved(world: &mut World, id: usize) {
    let refused = std::mem::take(&mut world.clients[id].refused);
    let still = refused
        .into_iter()
        .filter(|(index, heard)| leader(world, id, *index) == Some(heard.node));
    let still = still.collect();
    world.clients[id].refused = still;
}

/// A record fails for a refused login only where it has waited for that for long enough.
pub(crate) fn check_refused(world: &mut World, id: usize) {
    for index in world.open.clone() {
        let (_, value, at, delivery) = &world.sent_by_key[index];
        let Some(outcome) = delivery.result() else {
            continue;
        };
        let heard = world.clients[id].refused.remove(&index);
        let of_its_batch = |(_, _, at, other): &(usize, u64, Micros, Delivery)| {
            Arc::ptr_eq(other.batch(), delivery.batch()).then_some(*at)
        };
        let created = world.sent_by_key.iter().filter_map(of_its_batch).min();
        let is_late = created.is_some_and(|created| world.now >= created + DELIVERY_TIMEOUT);
        let has_waited =
            heard.is_some_and(|heard| is_late || world.now >= heard.first + LOGIN_GRACE);
        if matches!(outcome, Err(ProduceError::Security(_))) && !has_waited {
            let early = format!("record {value}, sent at {at}, failed for a login of others");
            world.violated(early);
        }
        world.open.remove(&index);
    }
}

/// Who leads the partition of a record, as far as the client knows.
fn leader(world: &World, id: usize, index: usize) -> Option<i32> {
    let (topic, _, _, delivery) = &world.sent_by_key[index];
    let leaders = &world.clients[id].leaders;
    leaders.leader(
        &client::topic_name(*topic * PARTITIONS),
        delivery.batch().partition(),
    )
}

fn check(world: &mut World, id: usize, shape: Shape, one_at_a_time: bool) {
    let accumulator = &world.clients[id].accumulator;
    let (left, memory) = (accumulator.unacknowledged(), accumulator.used());
    if left > 0 || memory > 0 {
        world.violated(format!("{left} records and {memory} bytes are left"));
    }
    let logs = logs(world);
    let sent = std::mem::take(&mut world.sent_by_key);
    // Where the latest acknowledged record of a partition first was.
    let mut latest: HashMap<PartitionIndex, (usize, i64)> = HashMap::new();
    // When topics are named by name, a broker cannot notice that the topic is another one.
    let ordered = (shape.numbered || one_at_a_time) && (shape.by_id || !shape.remakes);
    for (topic, value, at, delivery) in &sent {
        let place = topic * PARTITIONS + delivery.batch().partition() as usize;
        match delivery.result() {
            None => {}
            Some(Ok(metadata)) => {
                let found = logs.get(&(place, *value)).map_or(&[][..], Vec::as_slice);
                if !found.iter().any(|(_, offset)| *offset == metadata.offset) {
                    world.violated(format!("acknowledged record {value} is lost"));
                }
                // What was stored in a topic just before its end may come again in the next.
                let Some(&position) = found.first() else {
                    continue;
                };
                let before = latest.insert(place, position);
                if ordered && before.is_some_and(|before| before > position) {
                    world.violated(format!("record {value} was overtaken on partition {place}"));
                }
            }
            Some(Err(error)) if *at >= LAST_ROUNDS[1] => {
                world.violated(format!("record {value} failed in a world at rest: {error}"));
            }
            Some(Err(error)) => {
                let text = error.to_string();
                if text.contains("no broker took it") {
                    world.violated(format!("the error names no cause: {text}"));
                }
            }
        }
    }
}

/// Every record by its partition, with the incarnations of the topic and the offsets at which it is, in their order.
fn logs(world: &World) -> HashMap<(PartitionIndex, u64), Vec<(usize, i64)>> {
    let mut logs: HashMap<(PartitionIndex, u64), Vec<(usize, i64)>> = HashMap::new();
    let mut incarnations: HashMap<PartitionIndex, usize> = HashMap::new();
    let places = 0..TOPICS * PARTITIONS;
    let present = places.map(|place| (place, world.cluster.visible(place)));
    for (place, log) in world.cluster.former.iter().cloned().chain(present) {
        let incarnation = incarnations.entry(place).or_default();
        *incarnation += 1;
        for (offset, value) in log {
            let found = logs.entry((place, value)).or_default();
            found.push((*incarnation, offset));
        }
    }
    logs
}
