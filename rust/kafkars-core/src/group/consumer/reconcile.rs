//! Reconciliation (KIP-848): the way from the owned partitions to the target assignment. Revoke, report, assign.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::Uuid;
use kafkars_protocol::messages::consumer_group_heartbeat::Assignment;

use super::{ConsumerMembership, MemberPhase};
use crate::config::TopicPartition;
use crate::group::common::Common;
use crate::group::error::GroupError;

impl ConsumerMembership {
    /// Takes a new target assignment from the coordinator.
    pub(super) fn aim(&mut self, common: &mut Common, now: Instant, assignment: Assignment) {
        let mut target: BTreeMap<Uuid, Vec<i32>> = BTreeMap::new();
        for topic in assignment.topic_partitions {
            if let Some(wrong) = topic.partitions.iter().find(|partition| **partition < 0) {
                let error = GroupError::Failed {
                    group: Arc::clone(&common.group),
                    operation: "reading the assignment",
                    cause: format!("it has partition {wrong}, which no topic has").into(),
                };
                return self.fail(common, now, error);
            }
            target
                .entry(topic.topic_id)
                .or_default()
                .extend(topic.partitions);
        }
        let unknown: BTreeSet<Uuid> = target
            .keys()
            .filter(|id| self.name(common, **id).is_none())
            .copied()
            .collect();
        common.lookup.want_ids(unknown);
        let is_first = self.target.is_none();
        self.target = Some(target);
        let before = common.events.len();
        self.reconcile(common, now);
        // The application is told of every completed join, even if no partitions come with it.
        if is_first && common.events.len() == before && self.is_reconciled(common) {
            common.assign(Vec::new());
        }
    }

    /// Takes the next step towards the target. Revocations come first: only when the application has carried them out
    /// are new partitions assigned and the coordinator told. Topics whose names are not known yet wait.
    pub(super) fn reconcile(&mut self, common: &mut Common, now: Instant) {
        if !matches!(self.phase, MemberPhase::Active) || self.target.is_none() {
            return;
        }
        let wanted = self.wanted(common);
        self.owes_assignment |= common.revoke(|owned| !wanted.contains(owned));
        if !common.ownership.is_settled() {
            self.is_releasing = true;
            return;
        }
        let added: Vec<TopicPartition> = wanted
            .into_iter()
            .filter(|partition| !common.ownership.owns(partition))
            .collect();
        // A revocation ends with what comes instead, as in the other protocol and in Java's client, even if that is
        // nothing.
        if std::mem::take(&mut self.owes_assignment) || !added.is_empty() {
            common.assign(added);
        }
        if !self.pace.has_failed() && self.has_changes(common) {
            self.next_at = Some(now);
        }
    }

    /// True if the member owns exactly what it should.
    pub(super) fn is_reconciled(&self, common: &Common) -> bool {
        let Some(target) = &self.target else {
            return false;
        };
        let count: usize = target.values().map(Vec::len).sum();
        let mut owned = 0;
        let is_wanted = |partition: &TopicPartition| {
            owned += 1;
            target.iter().any(|(id, partitions)| {
                self.names.get(id) == Some(&partition.topic)
                    && partitions.contains(&partition.partition)
            })
        };
        common.ownership.owned().all(is_wanted) && owned == count
    }

    /// The target by name, as far as names are known.
    fn wanted(&mut self, common: &Common) -> BTreeSet<TopicPartition> {
        let mut wanted = BTreeSet::new();
        let Some(target) = &self.target else {
            return wanted;
        };
        let mut found = Vec::new();
        for (id, partitions) in target {
            let Some(topic) = self.name(common, *id) else {
                continue;
            };
            found.push((*id, Arc::clone(&topic)));
            wanted.extend(partitions.iter().map(|partition| TopicPartition {
                topic: Arc::clone(&topic),
                partition: *partition,
            }));
        }
        for (id, topic) in found {
            // Of two topics of one name the later one counts: the other was deleted.
            self.names
                .retain(|known, name| *known == id || *name != topic);
            self.names.insert(id, topic);
        }
        wanted
    }

    fn name(&self, common: &Common, id: Uuid) -> Option<Arc<str>> {
        let known = common.cluster.topic_by_id(id);
        known
            .map(|topic| Arc::from(topic.name.as_str()))
            .or_else(|| self.names.get(&id).cloned())
    }
}
