//! Metadata look-ups of topics that a membership needs, repeated until the topics are known or not wanted any more.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::Uuid;

use super::action::Action;
use super::pace::Pace;
use crate::cluster::Cluster;

/// The topics to look up, and when to ask again: a response may be lost, have an error, or come from a broker that does
/// not know a new topic yet.
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

    /// Replaces the topics wanted by name.
    pub(super) fn want_names(&mut self, names: BTreeSet<Arc<str>>) {
        if self.names != names {
            self.pace.rested();
        }
        self.names = names;
    }

    /// Replaces the topics wanted by id.
    pub(super) fn want_ids(&mut self, ids: BTreeSet<Uuid>) {
        // The pace stays as it is: a coordinator that names other topics each time must not speed up look-ups.
        self.ids = ids;
    }

    /// Drops all wanted topics.
    pub(super) fn end(&mut self) {
        self.names.clear();
        self.ids.clear();
    }

    /// Drops the topics that metadata has by now.
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
        // Counts as a failure until metadata has the topics.
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
