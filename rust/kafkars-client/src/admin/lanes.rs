//! Questions about many groups or transactional ids, which their coordinators answer.

use std::collections::{BTreeMap, HashSet};
use std::future::Future;
use std::time::Instant;

use kafkars_core::coordinator::CoordinatorKind;

use super::handle::Admin;
use super::outcome::Outcomes;
use super::routing::Coordinated;
use super::together;
use crate::error::ClientError;
use crate::now;

/// The part of the time that goes into finding coordinators beforehand, at most: a broker that does not answer may be
/// asked for one.
const PART_OF_THE_TIME: u32 = 4;

/// Finding a coordinator has no effect, and is no more than a small request.
const LOOKUPS_AT_ONCE: usize = 100;

/// Names whose coordinator is not known are in so many lanes.
const MOST_UNKNOWN: usize = 100;

impl Admin {
    /// Asks about each name once (by its first place), one after the other for each coordinator, so that one that does
    /// not answer holds up only what it alone can answer.
    ///
    /// No more than one question is under way at a coordinator. Many would fail together where one answer is late or
    /// lost, and what had its effect by then (a deletion) would be asked for again.
    pub(super) async fn ask_coordinators<'a, T, F>(
        &self,
        kind: CoordinatorKind,
        names: &'a [String],
        ask: impl Fn(usize, Coordinated<'a>) -> F,
        deadline: Instant,
    ) -> Outcomes<String, T>
    where
        F: Future<Output = Result<T, ClientError>>,
    {
        let until = now() + deadline.saturating_duration_since(now()) / PART_OF_THE_TIME;
        let mut lanes: BTreeMap<CoordinatorLane, Vec<(usize, &'a String)>> = BTreeMap::new();
        for (lane, name) in self.lanes(kind, &distinct(names), until).await {
            lanes.entry(lane).or_default().push(name);
        }
        let ask = &ask;
        let asked = lanes.into_iter().map(|(lane, names)| async move {
            let by = lane.coordinator();
            let mut outcomes = Vec::with_capacity(names.len());
            for (index, name) in names {
                let outcome = ask(index, Coordinated { kind, name, by }).await;
                let outcome = outcome.map_err(|error| error.about(&kind.naming(name)));
                outcomes.push((index, (name.clone(), outcome)));
            }
            outcomes
        });
        let mut outcomes: Vec<_> = together::all(asked).await.into_iter().flatten().collect();
        outcomes.sort_unstable_by_key(|(index, _)| *index);
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }

    /// The lane of each name. Coordinators are found before, so that one that cannot be found holds up no others.
    async fn lanes<'a>(
        &self,
        kind: CoordinatorKind,
        names: &[(usize, &'a String)],
        until: Instant,
    ) -> Vec<(CoordinatorLane, (usize, &'a String))> {
        if names.len() == 1 || self.client.cluster().brokers().len() == 1 {
            return names
                .iter()
                .map(|name| (CoordinatorLane::Only, *name))
                .collect();
        }
        let lookups = (0..LOOKUPS_AT_ONCE.min(names.len())).map(async |first| {
            let mut found = Vec::new();
            for (place, name) in names
                .iter()
                .enumerate()
                .skip(first)
                .step_by(LOOKUPS_AT_ONCE)
            {
                let node = match now() < until {
                    true => self.client.find_coordinator(kind, name.1, until).await.ok(),
                    false => None,
                };
                // Not in the lane of the one that has kept it from being looked up.
                let unknown = (place + place / LOOKUPS_AT_ONCE) % MOST_UNKNOWN;
                let lane = node.map_or(CoordinatorLane::Unknown(unknown), CoordinatorLane::Of);
                found.push((lane, *name));
            }
            found
        });
        together::all(lookups).await.into_iter().flatten().collect()
    }
}

/// Names that are asked about one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CoordinatorLane {
    /// Everything: there is one name, or one broker.
    Only,
    /// The names of one coordinator, by its node id.
    Of(i32),
    /// A few of the names whose coordinator was not found in time: whoever asks finds it.
    Unknown(usize),
}

impl CoordinatorLane {
    fn coordinator(self) -> Option<i32> {
        match self {
            Self::Of(node) => Some(node),
            Self::Only | Self::Unknown(_) => None,
        }
    }
}

/// Each name once, with its first place.
fn distinct(names: &[String]) -> Vec<(usize, &String)> {
    let mut known = HashSet::with_capacity(names.len());
    let all = names.iter().enumerate();
    all.filter(|(_, name)| known.insert(*name)).collect()
}
