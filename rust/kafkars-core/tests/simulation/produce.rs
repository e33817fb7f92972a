//! Histories of a producer without transactions.

use std::collections::HashMap;
use std::time::Duration;

use kafkars_core::config::ProducerConfig;
use kafkars_core::produce::delivery::Delivery;

use crate::client;
use crate::cluster::{PARTITIONS, PartitionIndex, TOPICS};
use crate::defect::Defect;
use crate::world::{MILLI, SECOND, World};

/// How long the storm lasts.
const STORM: u64 = 3 * SECOND;
/// By then everything must have ended: the storm and the longest life of a batch.
const END: u64 = 60 * SECOND;

/// Plays one history and tells what went wrong.
pub(crate) fn history(seed: u64, numbered: bool, defect: Option<Defect>) -> Result<(), String> {
    let mut world = World::new(seed, 2, defect);
    let short_lived = world.chance(300);
    let longest_linger = if world.chance(300) { 300 } else { 20 };
    let config = ProducerConfig {
        linger: Duration::from_millis(world.between(0, longest_linger)),
        batch_size: world.between(60, 400) as usize,
        max_in_flight: world.between(1, 6) as usize,
        request_timeout: Duration::from_millis(800),
        delivery_timeout: Duration::from_millis(if short_lived { 1_500 } else { 30_000 }),
        enable_idempotence: numbered,
        ..ProducerConfig::default()
    };
    let id = client::add(&mut world, config, None);
    let records = world.between(50, 200);
    for value in 0..records {
        let at = world.between(0, STORM);
        let place = world.between(0, (TOPICS * PARTITIONS) as u64) as PartitionIndex;
        world.at(at, move |world| world.take(id, place, value));
    }
    for _ in 0..world.between(5, 25) {
        let at = world.between(0, STORM);
        let place = world.between(0, (TOPICS * PARTITIONS) as u64) as PartitionIndex;
        world.at(at, move |world| world.move_leader(place));
    }
    // Flushes, during which batches do not linger.
    for _ in 0..world.between(0, 10) {
        let at = world.between(0, STORM);
        let end = at + world.between(0, 100 * MILLI);
        world.at(at, move |world| world.flush_requested(id, true));
        world.at(end, move |world| world.flush_requested(id, false));
    }
    world.at(STORM, |world| world.stormy = false);
    if world.chance(500) {
        world.at(STORM, move |world| world.flush_requested(id, true));
    } else {
        // The last flush is given up at once; the records that it was for must be sent all the same, without later
        // ones.
        let calm = STORM + SECOND;
        world.at(calm, move |world| world.flush_requested(id, true));
        for value in records..records + 8 {
            let at = calm + world.between(0, 3 * MILLI);
            let place = world.between(0, (TOPICS * PARTITIONS) as u64) as PartitionIndex;
            world.at(at, move |world| world.take(id, place, value));
        }
        let end = calm + world.between(MILLI, 4 * MILLI);
        world.at(end, move |world| world.flush_requested(id, false));
    }
    // Long before any deadline, no record is left.
    world.at(STORM + 12 * SECOND, move |world| {
        let left = world.clients[id].accumulator.unacknowledged();
        if left > 0 {
            world.violated(format!("{left} records are left lying"));
        }
    });
    world.run(END);
    check(&mut world, id, numbered, short_lived);
    match world.violations.first() {
        None => Ok(()),
        Some(violation) => Err(violation.clone()),
    }
}

impl World {
    fn take(&mut self, id: usize, place: PartitionIndex, value: u64) {
        let delivery = self.produce(id, place, value);
        self.sent.push((place, value, delivery));
    }
}

fn check(world: &mut World, id: usize, numbered: bool, short_lived: bool) {
    let left = world.clients[id].accumulator.unacknowledged();
    let memory = world.clients[id].accumulator.used();
    if left > 0 || memory > 0 {
        world.violated(format!("flush left {left} records and {memory} bytes"));
    }
    let sent = std::mem::take(&mut world.sent);
    let order: HashMap<u64, usize> = (sent.iter().enumerate())
        .map(|(index, (_, value, _))| (*value, index))
        .collect();
    for place in 0..TOPICS * PARTITIONS {
        let stored = world.cluster.visible(place);
        let mut offsets: HashMap<u64, Vec<i64>> = HashMap::new();
        let mut last = None;
        for (offset, value) in &stored {
            let places = offsets.entry(*value).or_default();
            places.push(*offset);
            // Without sequence numbers, a batch that is sent again may be stored twice, after later ones.
            if !numbered {
                continue;
            }
            if places.len() > 1 {
                world.violated(format!("record {value} is stored twice"));
            }
            let index = order.get(value);
            if index < last {
                world.violated(format!(
                    "record {value} overtook another on partition {place}"
                ));
            }
            last = index;
        }
        for (_, value, delivery) in sent.iter().filter(|(to, _, _)| *to == place) {
            check_report(
                world,
                *value,
                delivery.as_ref(),
                offsets.get(value).map_or(&[], Vec::as_slice),
                short_lived,
            );
        }
    }
}

fn check_report(
    world: &mut World,
    value: u64,
    delivery: Option<&Delivery>,
    stored: &[i64],
    short_lived: bool,
) {
    let Some(delivery) = delivery else {
        return world.violated(format!("record {value} was not taken"));
    };
    match delivery.result() {
        None => world.violated(format!("record {value} has no outcome")),
        Some(Ok(_)) if stored.is_empty() => {
            world.violated(format!("acknowledged record {value} is lost"));
        }
        Some(Ok(metadata)) if metadata.offset >= 0 && !stored.contains(&metadata.offset) => {
            world.violated(format!(
                "record {value} is at {stored:?}, not at {}",
                metadata.offset
            ));
        }
        Some(Err(error)) if !short_lived => {
            world.violated(format!(
                "record {value} failed, although its time outlasts every storm: {error}"
            ));
        }
        // A record that failed may be stored: the response may have come too late.
        Some(Ok(_) | Err(_)) => {}
    }
}

/// The time between two steps of an application.
pub(crate) fn breath(world: &mut World) -> u64 {
    world.between(0, 20 * MILLI)
}
