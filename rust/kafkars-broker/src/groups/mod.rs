//! Group coordinators: all groups of the cluster, whichever node coordinates them.
//!
//! Nothing runs beside the requests: every look at a group first lets happen what is due by the clock, and requests
//! that wait for other members (`coordination::wait` of the handlers) wake up at the deadlines of their group.

pub(crate) mod classic;
mod commits;
pub(crate) mod consumer;
mod describe;
mod member_epoch;
pub(crate) mod member_identity;
mod membership;
pub(crate) mod offsets;
mod refusals;
pub(crate) mod reply;
pub(crate) mod share;

use std::collections::BTreeMap;
use std::sync::Arc;

use kafkars_protocol::ErrorCode;
use tokio::sync::Notify;

use crate::settings::group::{GroupSettings, milliseconds};
use crate::settings::group_configs::GroupConfigs;
use classic::ClassicGroup;
use consumer::ConsumerGroup;
use offsets::CommittedOffsets;
use share::ShareGroup;

/// The interval at which groups and offsets that have had their time are looked for
/// (`offsets.retention.check.interval.ms`).
const SWEEP_INTERVAL_MS: i64 = 10 * 60 * 1000;

/// Every group, by its id.
#[derive(Debug)]
pub(crate) struct Groups {
    settings: GroupSettings,
    groups: BTreeMap<String, GroupEntry>,
    pub(crate) offsets: CommittedOffsets,
    pub(crate) configs: GroupConfigs,
    /// Notified when something will happen in a group earlier than it would have.
    changes: Arc<Notify>,
    /// Bytes that the members of all groups take.
    bytes: usize,
    next_sweep: i64,
}

#[derive(Debug)]
struct GroupEntry {
    group: Group,
    deadline: Option<i64>,
    bytes: usize,
}

/// A group of one of Kafka's kinds.
#[derive(Debug)]
pub(crate) enum Group {
    Classic(ClassicGroup),
    Consumer(ConsumerGroup),
    Share(ShareGroup),
}

impl Groups {
    pub(crate) fn new(settings: GroupSettings) -> Self {
        Self {
            groups: BTreeMap::new(),
            offsets: CommittedOffsets::new(settings.offset_metadata_max_bytes, settings.max_bytes),
            configs: GroupConfigs::new(&settings),
            changes: Arc::new(Notify::new()),
            bytes: 0,
            next_sweep: 0,
            settings,
        }
    }

    pub(crate) fn changes(&self) -> Arc<Notify> {
        Arc::clone(&self.changes)
    }

    /// The time when something will happen in a group by itself.
    pub(crate) fn deadline(&self, group: &str) -> Option<i64> {
        self.groups.get(group)?.deadline
    }

    /// Lets everything happen in a group that is due at `now`.
    pub(crate) fn advance(&mut self, group: &str, now: i64) {
        let _ = self.with(group, now, |_| ());
    }

    /// Ids of all groups.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.groups.keys().cloned().collect()
    }

    /// Tells everyone who waits in a group to look for its coordinator, which is another node from now on.
    pub(crate) fn coordinator_moved(&mut self, group: &str, now: i64) {
        let _ = self.with(group, now, |group| {
            group.dismiss(ErrorCode::NotCoordinator, now)
        });
    }

    /// Puts back what [`CommittedOffsets::snapshot`] gave, after a restart.
    pub(crate) fn restore_offset(
        &mut self,
        group: &str,
        topic: &str,
        partition: i32,
        committed: offsets::CommittedOffset,
        now: i64,
    ) -> Result<(), ErrorCode> {
        if !self.groups.contains_key(group) {
            self.create_classic(group, now)?;
        }
        self.offsets.commit(group, topic, partition, committed)
    }

    fn create_classic(&mut self, id: &str, now: i64) -> Result<(), ErrorCode> {
        let group = ClassicGroup::new(id, &self.settings, now);
        self.insert(id, Group::Classic(group))
    }

    fn insert(&mut self, id: &str, group: Group) -> Result<(), ErrorCode> {
        if self.groups.len() >= self.settings.max_groups {
            return Err(ErrorCode::CoordinatorNotAvailable);
        }
        let entry = GroupEntry {
            group,
            deadline: None,
            bytes: 0,
        };
        self.groups.insert(id.to_owned(), entry);
        Ok(())
    }

    /// Does something with a group as it is at `now`; none if there is no such group.
    fn with<T>(&mut self, id: &str, now: i64, act: impl FnOnce(&mut Group) -> T) -> Option<T> {
        let entry = self.groups.get_mut(id)?;
        entry.group.advance(&self.settings, now);
        let outcome = act(&mut entry.group);
        entry.group.advance(&self.settings, now);
        let deadline = entry.group.deadline();
        if deadline.unwrap_or(i64::MAX) < entry.deadline.unwrap_or(i64::MAX) {
            self.changes.notify_waiters();
        }
        entry.deadline = deadline;
        Some(outcome)
    }

    /// Counts again what the members of a group take.
    fn measure(&mut self, id: &str) {
        if let Some(entry) = self.groups.get_mut(id) {
            let size = entry.group.size();
            self.bytes = self.bytes - entry.bytes + size;
            entry.bytes = size;
        }
    }

    fn remove(&mut self, id: &str, now: i64) {
        if let Some(mut entry) = self.groups.remove(id) {
            self.bytes -= entry.bytes;
            entry.group.dismiss(ErrorCode::CoordinatorNotAvailable, now);
        }
    }

    /// Forgets a group that a refused request has made, or that nobody used.
    fn forget_if_unused(&mut self, id: &str, now: i64) {
        let unused = self.groups.get(id).is_some_and(|entry| {
            let used = match &entry.group {
                Group::Classic(group) => group.generation > 0,
                Group::Consumer(group) => group.epoch > 0,
                Group::Share(group) => group.is_used(),
            };
            !used && entry.group.is_empty() && self.offsets.is_empty(id)
        });
        if unused {
            self.remove(id, now);
        }
    }

    /// Now and then, forgets offsets that nobody has used for long, and empty groups without offsets.
    fn sweep(&mut self, now: i64) {
        if now < self.next_sweep && self.groups.len() < self.settings.max_groups {
            return;
        }
        self.next_sweep = now.saturating_add(SWEEP_INTERVAL_MS);
        let retention = milliseconds(self.settings.offsets_retention);
        let ids: Vec<String> = self.groups.keys().cloned().collect();
        for id in ids {
            self.advance(&id, now);
            self.measure(&id);
            let Some(entry) = self.groups.get(&id) else {
                continue;
            };
            let group = &entry.group;
            self.offsets.expire(&id, |topic, committed| {
                group.has_expired(topic, committed, retention, now)
            });
            // What share groups have read is kept elsewhere, and until they are deleted.
            let is_share = matches!(entry.group, Group::Share(_));
            if !is_share && entry.group.is_empty() && self.offsets.is_empty(&id) {
                self.remove(&id, now);
            }
        }
    }
}

impl Group {
    fn advance(&mut self, settings: &GroupSettings, now: i64) {
        match self {
            Self::Classic(group) => group.advance(now),
            Self::Consumer(group) => {
                group.advance(now);
                if group.has_lost_members() {
                    let downgrades = group.may_become_classic(settings);
                    match downgrades.then(|| ClassicGroup::left_of(group, settings, now)) {
                        Some(mut classic) => {
                            classic.rebalance(now);
                            *self = Self::Classic(classic);
                        }
                        None => group.begin_epoch(),
                    }
                }
            }
            Self::Share(group) => group.advance(now),
        }
    }

    fn deadline(&self) -> Option<i64> {
        match self {
            Self::Classic(group) => group.deadline(),
            Self::Consumer(group) => group.deadline(),
            Self::Share(group) => group.deadline(),
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Classic(group) => group.size(),
            Self::Consumer(group) => group.size(),
            Self::Share(group) => group.size(),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Classic(group) => group.is_empty(),
            Self::Consumer(group) => group.is_empty(),
            Self::Share(group) => group.is_empty(),
        }
    }

    fn dismiss(&mut self, code: ErrorCode, now: i64) {
        match self {
            Self::Classic(group) => group.dismiss(code, now),
            // Nobody waits in groups of these kinds.
            Self::Consumer(_) | Self::Share(_) => {}
        }
    }

    fn is_subscribed(&self, topic: &str) -> bool {
        match self {
            Self::Classic(group) => group.is_subscribed(topic),
            Self::Consumer(group) => group.is_subscribed(topic),
            Self::Share(group) => group.is_subscribed(topic),
        }
    }

    /// True if an offset has been kept for as long as it is to be (KIP-211).
    fn has_expired(
        &self,
        topic: &str,
        committed: &offsets::CommittedOffset,
        retention_ms: i64,
        now: i64,
    ) -> bool {
        if let Some(expires_at) = committed.expires_at {
            return now >= expires_at;
        }
        if self.is_subscribed(topic) {
            return false;
        }
        let since = match self {
            // While a group has members of its own, the time counts from when it lost the last one.
            Self::Classic(group) if group.is_empty() && group.protocol_type.is_some() => {
                group.empty_since.max(committed.committed_at)
            }
            _ => committed.committed_at,
        };
        now.saturating_sub(since) >= retention_ms
    }
}
