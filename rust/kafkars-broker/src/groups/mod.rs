//! Group coordinators: all groups of the cluster, whichever node coordinates them.
//!
//! Nothing runs beside the requests: every look at a group first lets happen what is due by the clock, and requests that wait for
//! other members ([`reply::wait`]) wake up at the deadlines of their group.

pub(crate) mod classic;
mod describe;
pub(crate) mod offsets;
pub(crate) mod reply;
mod settings;

use std::collections::BTreeMap;
use std::sync::Arc;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::heartbeat::HeartbeatRequest;
use kafkars_protocol::messages::join_group::JoinGroupResponse;
use kafkars_protocol::messages::leave_group::MemberIdentity;
use kafkars_protocol::messages::sync_group::{SyncGroupRequest, SyncGroupResponse};
use tokio::sync::Notify;

use crate::cluster::random_uuid;
use classic::{ClassicGroup, Join};
use offsets::Offsets;
use reply::Reply;
pub use settings::GroupSettings;
use settings::milliseconds;

/// How often groups and offsets that have had their time are looked for (`offsets.retention.check.interval.ms`).
const SWEEP_INTERVAL_MS: i64 = 10 * 60 * 1000;

/// Every group, by its id.
#[derive(Debug)]
pub(crate) struct Groups {
    settings: GroupSettings,
    groups: BTreeMap<String, Entry>,
    pub(crate) offsets: Offsets,
    /// Rung when something will happen in a group earlier than it would have.
    changes: Arc<Notify>,
    /// Bytes that the members of all groups take.
    bytes: usize,
    next_sweep: i64,
}

#[derive(Debug)]
struct Entry {
    group: Group,
    deadline: Option<i64>,
    bytes: usize,
}

/// A group of one of Kafka's kinds.
#[derive(Debug)]
pub(crate) enum Group {
    Classic(ClassicGroup),
}

/// Who a member's connection says it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Client {
    /// The client id of its requests.
    pub(crate) id: String,
    /// Its address, as Kafka writes it: `/127.0.0.1`.
    pub(crate) host: String,
}

impl Groups {
    pub(crate) fn new(settings: GroupSettings) -> Self {
        Self {
            groups: BTreeMap::new(),
            offsets: Offsets::new(settings.offset_metadata_max_bytes, settings.max_bytes),
            changes: Arc::new(Notify::new()),
            bytes: 0,
            next_sweep: 0,
            settings,
        }
    }

    pub(crate) fn changes(&self) -> Arc<Notify> {
        Arc::clone(&self.changes)
    }

    /// When something will happen in a group by itself.
    pub(crate) fn deadline(&self, group: &str) -> Option<i64> {
        self.groups.get(group)?.deadline
    }

    /// Lets everything happen in a group that is due at `now`.
    pub(crate) fn advance(&mut self, group: &str, now: i64) {
        let _ = self.with(group, now, |_| ());
    }

    /// Takes the session timeout that a member asks for, if it is within the limits.
    pub(crate) fn check_session_timeout(&self, asked_ms: i32) -> Result<(), ErrorCode> {
        let least = milliseconds(self.settings.min_session_timeout);
        let most = milliseconds(self.settings.max_session_timeout);
        if (least..=most).contains(&i64::from(asked_ms)) {
            Ok(())
        } else {
            Err(ErrorCode::InvalidSessionTimeout)
        }
    }

    pub(crate) fn join(&mut self, join: Join, now: i64) -> Reply<JoinGroupResponse> {
        self.sweep(now);
        let id = join.request.group_id.clone();
        let member = join.request.member_id.clone();
        let refused = |code| Reply::Now(classic::refusal(member.clone(), code));
        if !self.groups.contains_key(&id) {
            if !member.is_empty() {
                return refused(ErrorCode::UnknownMemberId);
            }
            if let Err(code) = self.create_classic(&id, now) {
                return refused(code);
            }
        }
        if self.bytes + size_of_join(&join) > self.settings.max_bytes {
            return refused(ErrorCode::GroupMaxSizeReached);
        }
        let joined = self.with(&id, now, |group| match group {
            Group::Classic(group) => group.join(join, now),
        });
        self.measure(&id);
        self.forget_if_unused(&id, now);
        joined.unwrap_or_else(|| refused(ErrorCode::CoordinatorNotAvailable))
    }

    pub(crate) fn sync(&mut self, request: SyncGroupRequest, now: i64) -> Reply<SyncGroupResponse> {
        let id = request.group_id.clone();
        let assignments = request.assignments.iter();
        let size: usize = assignments.map(|entry| entry.assignment.len()).sum();
        if self.bytes + size > self.settings.max_bytes {
            return Reply::Now(classic::sync_refusal(ErrorCode::UnknownServerError));
        }
        let synced = self.with(&id, now, |group| match group {
            Group::Classic(group) => group.sync(request, now),
        });
        self.measure(&id);
        synced.unwrap_or_else(|| Reply::Now(classic::sync_refusal(ErrorCode::UnknownMemberId)))
    }

    pub(crate) fn heartbeat(
        &mut self,
        request: &HeartbeatRequest,
        now: i64,
    ) -> Result<(), ErrorCode> {
        self.with(&request.group_id, now, |group| match group {
            Group::Classic(group) => group.heartbeat(request, now),
        })
        .unwrap_or(Err(ErrorCode::UnknownMemberId))
    }

    pub(crate) fn leave(
        &mut self,
        group: &str,
        member: &MemberIdentity,
        now: i64,
    ) -> Result<(), ErrorCode> {
        let left = self.with(group, now, |group| match group {
            Group::Classic(group) => group.leave(member, now),
        });
        self.measure(group);
        left.unwrap_or(Err(ErrorCode::UnknownMemberId))
    }

    /// Whether offsets may be committed for a group by who says to be this member; makes the group of a consumer that is alone.
    pub(crate) fn check_commit(
        &mut self,
        group: &str,
        member: &str,
        instance: Option<&str>,
        generation: i32,
        version: i16,
        now: i64,
    ) -> Result<(), ErrorCode> {
        /// First version with an error of its own for a group that is not there.
        const NOT_FOUND_SINCE: i16 = 9;
        self.sweep(now);
        if !self.groups.contains_key(group) {
            if generation >= 0 {
                return Err(if version >= NOT_FOUND_SINCE {
                    ErrorCode::GroupIdNotFound
                } else {
                    ErrorCode::IllegalGeneration
                });
            }
            self.create_classic(group, now)?;
        }
        self.with(group, now, |group| match group {
            Group::Classic(group) => {
                group.check_commit(member, instance, generation, false)?;
                group.seen(member, now);
                Ok(())
            }
        })
        .unwrap_or(Err(ErrorCode::CoordinatorNotAvailable))
    }

    /// The same for offsets that a transaction commits.
    pub(crate) fn check_transactional_commit(
        &mut self,
        group: &str,
        member: &str,
        instance: Option<&str>,
        generation: i32,
        now: i64,
    ) -> Result<(), ErrorCode> {
        self.sweep(now);
        if !self.groups.contains_key(group) {
            if generation >= 0 {
                return Err(ErrorCode::IllegalGeneration);
            }
            self.create_classic(group, now)?;
        }
        self.with(group, now, |group| match group {
            Group::Classic(group) => group.check_commit(member, instance, generation, true),
        })
        .unwrap_or(Err(ErrorCode::CoordinatorNotAvailable))
    }

    /// Whether offsets may be read by who says to be this member. A group that is not there has simply none.
    pub(crate) fn check_offset_fetch(
        &mut self,
        group: &str,
        _member: &str,
        _epoch: i32,
        now: i64,
    ) -> Result<(), ErrorCode> {
        self.sweep(now);
        self.with(group, now, |group| match group {
            Group::Classic(_) => Ok(()),
        })
        .unwrap_or(Ok(()))
    }

    /// Deletes a group that has no members, with its offsets.
    pub(crate) fn delete(&mut self, group: &str, now: i64) -> Result<(), ErrorCode> {
        let empty = self.with(group, now, |group| match group {
            Group::Classic(group) => group.is_empty(),
        });
        match empty {
            None => Err(ErrorCode::GroupIdNotFound),
            Some(false) => Err(ErrorCode::NonEmptyGroup),
            Some(true) => {
                self.offsets.delete_group(group);
                self.remove(group, now);
                Ok(())
            }
        }
    }

    /// Whether an administrator may delete committed offsets of this group at all.
    pub(crate) fn check_offset_delete(&mut self, group: &str, now: i64) -> Result<(), ErrorCode> {
        let allowed = self.with(group, now, |group| match group {
            Group::Classic(group) => group.is_empty() || group.reads_by_topic(),
        });
        match allowed {
            None => Err(ErrorCode::GroupIdNotFound),
            Some(false) => Err(ErrorCode::NonEmptyGroup),
            Some(true) => Ok(()),
        }
    }

    /// Deletes one committed offset, of a topic that no member reads.
    pub(crate) fn delete_offset(
        &mut self,
        group: &str,
        topic: &str,
        partition: i32,
    ) -> Result<(), ErrorCode> {
        let read = match self.groups.get(group).map(|entry| &entry.group) {
            Some(Group::Classic(group)) => group.is_subscribed(topic),
            None => false,
        };
        if read {
            return Err(ErrorCode::GroupSubscribedToTopic);
        }
        self.offsets.delete(group, topic, partition);
        Ok(())
    }

    /// The group has another coordinator from now on: who waits here is told to look for it.
    #[allow(
        dead_code,
        reason = "for transactions and for data directories, which come next"
    )]
    pub(crate) fn coordinator_moved(&mut self, group: &str, now: i64) {
        if let Some(entry) = self.groups.get_mut(group) {
            match &mut entry.group {
                Group::Classic(group) => group.dismiss(ErrorCode::NotCoordinator, now),
            }
        }
    }

    /// Puts back what [`Offsets::snapshot`] gave, after a restart.
    #[allow(
        dead_code,
        reason = "for transactions and for data directories, which come next"
    )]
    pub(crate) fn restore_offset(
        &mut self,
        group: &str,
        topic: &str,
        partition: i32,
        committed: offsets::Committed,
        now: i64,
    ) -> Result<(), ErrorCode> {
        if !self.groups.contains_key(group) {
            self.create_classic(group, now)?;
        }
        self.offsets.commit(group, topic, partition, committed)
    }

    fn create_classic(&mut self, id: &str, now: i64) -> Result<(), ErrorCode> {
        let delay = milliseconds(self.settings.initial_rebalance_delay);
        let group = ClassicGroup::new(id, delay, self.settings.max_size, now);
        self.insert(id, Group::Classic(group))
    }

    fn insert(&mut self, id: &str, group: Group) -> Result<(), ErrorCode> {
        if self.groups.len() >= self.settings.max_groups {
            return Err(ErrorCode::CoordinatorNotAvailable);
        }
        let entry = Entry {
            group,
            deadline: None,
            bytes: 0,
        };
        self.groups.insert(id.to_owned(), entry);
        Ok(())
    }

    /// Does something with a group as it is at `now`; none: there is no such group.
    fn with<T>(&mut self, id: &str, now: i64, act: impl FnOnce(&mut Group) -> T) -> Option<T> {
        let entry = self.groups.get_mut(id)?;
        entry.group.advance(now);
        let outcome = act(&mut entry.group);
        entry.group.advance(now);
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
            match &mut entry.group {
                Group::Classic(group) => group.dismiss(ErrorCode::CoordinatorNotAvailable, now),
            }
        }
    }

    /// A group that a refused request has made, or that nobody used, is not kept.
    fn forget_if_unused(&mut self, id: &str, now: i64) {
        let unused = self.groups.get(id).is_some_and(|entry| {
            let Group::Classic(group) = &entry.group;
            group.is_empty() && group.generation == 0 && self.offsets.is_empty(id)
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
            if entry.group.is_empty() && self.offsets.is_empty(&id) {
                self.remove(&id, now);
            }
        }
    }
}

impl Group {
    fn advance(&mut self, now: i64) {
        match self {
            Self::Classic(group) => group.advance(now),
        }
    }

    fn deadline(&self) -> Option<i64> {
        match self {
            Self::Classic(group) => group.deadline(),
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Classic(group) => group.size(),
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Classic(group) => group.is_empty(),
        }
    }

    /// Whether an offset has been kept for as long as it is to be (KIP-211).
    fn has_expired(
        &self,
        topic: &str,
        committed: &offsets::Committed,
        retention_ms: i64,
        now: i64,
    ) -> bool {
        if let Some(expires_at) = committed.expires_at {
            return now >= expires_at;
        }
        let since = match self {
            Self::Classic(group) if group.is_subscribed(topic) => return false,
            // While a group has members of its own, the time counts from when it lost the last one.
            Self::Classic(group) if group.is_empty() && group.protocol_type.is_some() => {
                group.empty_since.max(committed.committed_at)
            }
            Self::Classic(_) => committed.committed_at,
        };
        now.saturating_sub(since) >= retention_ms
    }
}

/// The id of a member that joins: the name it gave itself and something that no other has.
pub(super) fn new_member_id(name: &str) -> String {
    let hex: String = random_uuid()
        .0
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let (a, b, c) = (&hex[..8], &hex[8..12], &hex[12..16]);
    format!("{name}-{a}-{b}-{c}-{}-{}", &hex[16..20], &hex[20..])
}

fn size_of_join(join: &Join) -> usize {
    let protocols = join.request.protocols.iter();
    protocols.map(|protocol| protocol.metadata.len()).sum()
}
