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
        let mut lanes: BTreeMap<Option<i32>, Vec<(usize, &'a String)>> = BTreeMap::new();
        for (lane, name) in self.lanes(kind, distinct(names), until).await {
            lanes.entry(lane).or_default().push(name);
        }
        let ask = &ask;
        let asked = lanes.into_iter().map(|(by, lane)| async move {
            let mut outcomes = Vec::with_capacity(lane.len());
            for (index, name) in lane {
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

    /// The coordinator in whose order each question is put; none where there is one broker only, or it is not found in
    /// time: whoever asks finds it.
    async fn lanes<'a>(
        &self,
        kind: CoordinatorKind,
        names: Vec<(usize, &'a String)>,
        until: Instant,
    ) -> Vec<(Option<i32>, (usize, &'a String))> {
        let needs_none = names.len() == 1 || self.client.cluster().brokers().len() == 1;
        let mut found = Vec::with_capacity(names.len());
        for some in names.chunks(LOOKUPS_AT_ONCE) {
            if needs_none || now() >= until {
                found.extend(some.iter().map(|name| (None, *name)));
                continue;
            }
            let lookups = some.iter().map(async |name| {
                let coordinator = self.client.find_coordinator(kind, name.1, until);
                (coordinator.await.ok(), *name)
            });
            found.extend(together::all(lookups).await);
        }
        found
    }
}

/// Each name once, with its first place.
fn distinct(names: &[String]) -> Vec<(usize, &String)> {
    let mut known = HashSet::with_capacity(names.len());
    let all = names.iter().enumerate();
    all.filter(|(_, name)| known.insert(*name)).collect()
}
