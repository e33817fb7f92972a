//! The response to SyncGroup: the assignment, and what changes by it for the application.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::sync_group::SyncGroupResponse;

use super::join::PROTOCOL_TYPE;
use super::{ClassicMembership, JoinPhase};
use crate::config::TopicPartition;
use crate::group::assignor::LastAssignment;
use crate::group::common::Common;
use crate::group::embedded;
use crate::group::error::GroupError;

impl ClassicMembership {
    pub(super) fn sync_answered(
        &mut self,
        common: &mut Common,
        now: Instant,
        sent_at: Instant,
        response: SyncGroupResponse,
    ) {
        let Err(code) = ErrorCode::check(response.error_code) else {
            self.session.calm(sent_at);
            return self.synced(common, now, response);
        };
        match code {
            ErrorCode::RebalanceInProgress => {
                self.request_rejoin("the group is rebalancing");
                self.prepare(common);
            }
            ErrorCode::UnknownMemberId | ErrorCode::IllegalGeneration => self.fenced(common, code),
            ErrorCode::NotCoordinator | ErrorCode::CoordinatorNotAvailable => {
                self.coordinator_moved(common, now, code);
                self.join_failed(now);
            }
            ErrorCode::InconsistentGroupProtocol => {
                let error = self.inconsistent(common);
                self.fail(common, now, error);
            }
            code if code.retriable() => {
                common.last_cause = code.name().into();
                self.join_failed(now);
            }
            code => {
                let error = common.refusal("SyncGroup", code, None);
                self.fail(common, now, error);
            }
        }
    }

    fn synced(&mut self, common: &mut Common, now: Instant, response: SyncGroupResponse) {
        let differs = |said: &Option<String>, expected: Option<&str>| {
            said.as_deref().is_some_and(|said| Some(said) != expected)
        };
        if differs(&response.protocol_type, Some(PROTOCOL_TYPE))
            || differs(&response.protocol_name, self.member.strategy.as_deref())
        {
            let error = self.inconsistent(common);
            return self.fail(common, now, error);
        }
        let assignment = match embedded::decode_assignment(response.assignment) {
            Ok(assignment) => assignment,
            Err(cause) => {
                let error = GroupError::Failed {
                    group: Arc::clone(&common.group),
                    operation: "reading the assignment",
                    cause,
                };
                return self.fail(common, now, error);
            }
        };
        self.phase = JoinPhase::Stable;
        common.heard(now);
        let topics = common.topics();
        if topics != self.joined_topics {
            self.request_rejoin("the subscription changed");
        }
        // Topics may have changed while the coordinator gathered the members.
        self.look_at_topics(common);
        let is_wanted = |partition: &TopicPartition| topics.contains(&partition.topic);
        if !assignment.partitions.iter().all(is_wanted) {
            tracing::warn!(
                target: "kafkars::group", client = %common.client, group = %common.group,
                "the leader has assigned topics that are not subscribed; the member joins again"
            );
            self.pace.failed(now);
            self.request_rejoin("the assignment does not match the subscription");
            return;
        }
        self.pace.succeeded();
        self.last = LastAssignment {
            partitions: assignment.partitions.clone(),
            generation: self.member.generation,
        };
        let chosen = self.member.strategy.as_deref();
        let assignor = self.assignors.iter().find(|a| Some(a.name()) == chosen);
        if let Some(assignor) = assignor {
            assignor.on_assignment(&self.last, assignment.user_data.as_ref());
        }
        self.reconcile(common, assignment.partitions);
    }

    /// Assigns what is new and revokes what is missing. Others wait for revoked partitions, so the member joins again;
    /// also for partitions that the join claimed and that were lost since, because a cooperative leader has withheld
    /// them from others.
    fn reconcile(&mut self, common: &mut Common, partitions: Vec<TopicPartition>) {
        let target: BTreeSet<&TopicPartition> = partitions.iter().collect();
        let added: Vec<TopicPartition> = partitions
            .iter()
            .filter(|partition| !common.ownership.owns(partition))
            .cloned()
            .collect();
        let gives_up = common
            .ownership
            .owned()
            .any(|owned| !target.contains(owned));
        let gave_up = self.claimed.drain(..).any(|claim| !target.contains(&claim));
        if gives_up || self.is_cooperative && gave_up {
            common.revoke(|owned| !target.contains(owned));
            self.request_rejoin("partitions were given up");
        }
        let rejoins = self.is_next_generation();
        common.assign_in(added, rejoins);
    }

    /// True if this generation is the one after that in which the member gave up its partitions. Had there been another
    /// in between, its members would have had them.
    fn is_next_generation(&mut self) -> bool {
        let gave_up_in = self.gave_up_in.take();
        gave_up_in.is_some_and(|(id, generation)| {
            let since = self.member.generation.checked_sub(generation);
            id == self.member.id && since.is_some_and(|since| (0..=1).contains(&since))
        })
    }
}
