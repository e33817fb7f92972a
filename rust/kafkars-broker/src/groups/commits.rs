//! Groups decide who may commit offsets, read them and delete them.

use kafkars_protocol::{ErrorCode, Uuid};

use super::{Group, Groups};

/// First version of `OffsetCommit` with an error of its own for a group that is not there.
const NOT_FOUND_SINCE: i16 = 9;

impl Groups {
    /// Checks that offsets may be committed for a group by who says to be this member; makes the group of a consumer
    /// that is alone.
    pub(crate) fn check_commit(
        &mut self,
        group: &str,
        member: &str,
        instance: Option<&str>,
        generation: i32,
        version: i16,
        now: i64,
    ) -> Result<(), ErrorCode> {
        self.sweep(now);
        let unknown = match version {
            NOT_FOUND_SINCE.. => ErrorCode::GroupIdNotFound,
            _ => ErrorCode::IllegalGeneration,
        };
        self.find_or_make(group, generation, unknown, now)?;
        let allowed = self.with(group, now, |group| match group {
            Group::Classic(group) => {
                group.check_commit(member, instance, generation, false)?;
                group.seen(member, now);
                Ok(())
            }
            Group::Consumer(group) => {
                group.check_commit(member, instance, generation, Some(version))
            }
            Group::Share(_) => Err(ErrorCode::GroupIdNotFound),
        });
        allowed.unwrap_or(Err(ErrorCode::CoordinatorNotAvailable))
    }

    /// Makes the group of a consumer that is alone, where there is none. A member, which has a generation, is `unknown`
    /// there.
    fn find_or_make(
        &mut self,
        group: &str,
        generation: i32,
        unknown: ErrorCode,
        now: i64,
    ) -> Result<(), ErrorCode> {
        if self.groups.contains_key(group) {
            return Ok(());
        }
        if generation >= 0 {
            return Err(unknown);
        }
        self.create_classic(group, now)
    }

    /// Checks that a member that may commit may commit this partition.
    pub(crate) fn check_commit_of(
        &self,
        group: &str,
        member: &str,
        epoch: i32,
        partition: (Uuid, i32),
    ) -> Result<(), ErrorCode> {
        match self.groups.get(group).map(|entry| &entry.group) {
            Some(Group::Consumer(group)) => group.check_commit_of(member, epoch, partition),
            _ => Ok(()),
        }
    }

    /// The same as [`check_commit`](Self::check_commit) for offsets that a transaction commits.
    pub(crate) fn check_transactional_commit(
        &mut self,
        group: &str,
        member: &str,
        instance: Option<&str>,
        generation: i32,
        now: i64,
    ) -> Result<(), ErrorCode> {
        self.sweep(now);
        self.find_or_make(group, generation, ErrorCode::IllegalGeneration, now)?;
        let allowed = self.with(group, now, |group| match group {
            Group::Classic(group) => group.check_commit(member, instance, generation, true),
            // A transactional producer knows generations only.
            Group::Consumer(group) => group
                .check_commit(member, instance, generation, None)
                .map_err(|code| match code {
                    ErrorCode::StaleMemberEpoch => ErrorCode::IllegalGeneration,
                    code => code,
                }),
            Group::Share(_) => Err(ErrorCode::GroupIdNotFound),
        });
        allowed.unwrap_or(Err(ErrorCode::CoordinatorNotAvailable))
    }

    /// Checks that offsets may be read by who says to be this member. A group that is not there has simply none.
    pub(crate) fn check_offset_fetch(
        &mut self,
        group: &str,
        member: &str,
        epoch: i32,
        now: i64,
    ) -> Result<(), ErrorCode> {
        self.sweep(now);
        self.with(group, now, |group| match group {
            Group::Classic(_) => Ok(()),
            Group::Consumer(group) => group.check_fetch(member, epoch),
            Group::Share(_) => Ok(()),
        })
        .unwrap_or(Ok(()))
    }

    /// Deletes a group that has no members, with its offsets.
    pub(crate) fn delete(&mut self, group: &str, now: i64) -> Result<(), ErrorCode> {
        match self.kind(group, now).map(Group::is_empty) {
            None => Err(ErrorCode::GroupIdNotFound),
            Some(false) => Err(ErrorCode::NonEmptyGroup),
            Some(true) => {
                self.offsets.delete_group(group);
                self.remove(group, now);
                Ok(())
            }
        }
    }

    /// Checks that an administrator may delete committed offsets of this group at all.
    pub(crate) fn check_offset_delete(&mut self, group: &str, now: i64) -> Result<(), ErrorCode> {
        match self.kind(group, now) {
            None => Err(ErrorCode::GroupIdNotFound),
            Some(Group::Classic(group)) if !group.is_empty() && !group.reads_by_topic() => {
                Err(ErrorCode::NonEmptyGroup)
            }
            Some(Group::Share(_)) => Err(ErrorCode::GroupIdNotFound),
            Some(_) => Ok(()),
        }
    }

    /// Deletes one committed offset, of a topic that no member reads.
    pub(crate) fn delete_offset(
        &mut self,
        group: &str,
        topic: &str,
        partition: i32,
    ) -> Result<(), ErrorCode> {
        let read = |group: &Group| group.is_subscribed(topic);
        if self
            .groups
            .get(group)
            .is_some_and(|entry| read(&entry.group))
        {
            return Err(ErrorCode::GroupSubscribedToTopic);
        }
        self.offsets.delete(group, topic, partition);
        Ok(())
    }
}
