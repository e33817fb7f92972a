//! Topics that a membership needs to know and does not: they are looked up again until they are known, or not wanted
//! any more.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::Uuid;

use super::action::Action;
use super::pace::Pace;
use crate::cluster::Cluster;

/// What is looked up, and when again. One answer may be refused, lost, or come from a broker that has not heard of the
/// topic.
#[derive(Debug)]
pub(super) struct TopicLookup {
    names: BTreeSet<Arc<str>>,
    ids: BTreeSet<Uuid>,
    pace: Pace,
}

impl TopicLookup {
    pub(super) fn new(pace: Pace) -> Self {
        Self {
            names: BTreeSet::new(),
            ids: BTreeSet::new(),
            pace,
        }
    }

    /// These topics are wanted by name, and no others.
    pub(super) fn want_names(&mut self, names: BTreeSet<Arc<str>>) {
        if self.names != names {
            self.pace.rested();
        }
        self.names = names;
    }

    /// These topics are wanted by identifier, and no others.
    pub(super) fn want_ids(&mut self, ids: BTreeSet<Uuid>) {
        // A coordinator that names other topics every time does not make the look-ups faster.
        self.ids = ids;
    }

    /// Nothing is wanted any more.
    pub(super) fn end(&mut self) {
        self.names.clear();
        self.ids.clear();
    }

    /// Forgets what is known by now.
    pub(super) fn cluster_changed(&mut self, cluster: &Cluster) {
        self.names.retain(|name| cluster.topic(name).is_none());
        self.ids.retain(|id| cluster.topic_by_id(*id).is_none());
        if self.is_idle() {
            self.pace.rested();
        }
    }

    fn is_idle(&self) -> bool {
        self.names.is_empty() && self.ids.is_empty()
    }

    /// The next look-up, when it is due.
    pub(super) fn next(&mut self, now: Instant) -> Option<Action> {
        if self.is_idle() {
            return None;
        }
        let _permit = self.pace.permit(now)?;
        // Until it is known it is not.
        self.pace.failed(now);
        Some(Action::ResolveTopics {
            names: self.names.iter().cloned().collect(),
            ids: self.ids.iter().copied().collect(),
        })
    }

    pub(super) fn wake_at(&self) -> Option<Instant> {
        match self.is_idle() {
            true => None,
            false => self.pace.next_at(),
        }
    }
}
