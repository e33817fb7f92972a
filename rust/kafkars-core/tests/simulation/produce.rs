//! Histories of a producer without transactions.

use std::collections::HashMap;
use std::time::Duration;

use kafkars_core::config::ProducerConfig;
use kafkars_core::produce::delivery::Delivery;

use crate::client;
use crate::cluster::{PARTITIONS, Place, TOPICS};
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
    let config = ProducerConfig {
        linger: Duration::from_millis(world.between(0, 20)),
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
        let place = world.between(0, (TOPICS * PARTITIONS) as u64) as Place;
        world.at(at, move |world| {
            let delivery = world.produce(id, place, value);
            world.sent.push((place, value, delivery));
        });
    }
    for _ in 0..world.between(5, 25) {
        let at = world.between(0, STORM);
        let place = world.between(0, (TOPICS * PARTITIONS) as u64) as Place;
        world.at(at, move |world| world.move_leader(place));
    }
    // From here on nobody waits for linger: the flush before the end.
    world.at(STORM, move |world| {
        world.stormy = false;
        world.clients[id].hurry = true;
        world.poll_soon(id);
    });
    world.run(END);
    check(&mut world, id, numbered);
    match world.violations.first() {
        None => Ok(()),
        Some(violation) => Err(violation.clone()),
    }
}

fn check(world: &mut World, id: usize, numbered: bool) {
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
            // Without numbers, what is tried again may be stored again, after what came later.
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
            );
        }
    }
}

fn check_report(world: &mut World, value: u64, delivery: Option<&Delivery>, stored: &[i64]) {
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
        // What failed may be stored: the answer may have come too late.
        Some(Ok(_) | Err(_)) => {}
    }
}

/// The time between two steps of an application.
pub(crate) fn breath(world: &mut World) -> u64 {
    world.between(0, 20 * MILLI)
}
