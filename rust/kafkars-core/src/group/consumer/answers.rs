//! Responses to ConsumerGroupHeartbeat.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::consumer_group_heartbeat::ConsumerGroupHeartbeatResponse;

use super::leave::leave_epoch;
use super::{Beat, ConsumerMembership, JOINING, MemberPhase};
use crate::group::action::{GroupResponse, RequestFailure, RequestId};
use crate::group::common::Common;
use crate::group::error::GroupError;
use crate::group::leave::LeaveOperation;

const OPERATION: &str = "ConsumerGroupHeartbeat";

/// How often UNSUPPORTED_VERSION is not believed yet. Kafka 4.3 says so at times to one heartbeat, and serves the next.
const UNSUPPORTED_DOUBTED: u32 = 3;

impl ConsumerMembership {
    pub(in crate::group) fn answered(
        &mut self,
        common: &mut Common,
        now: Instant,
        id: RequestId,
        response: GroupResponse,
    ) {
        let GroupResponse::ConsumerGroupHeartbeat(response) = response else {
            return; // of another type than the request, which no driver reports
        };
        let code = ErrorCode::check(response.error_code);
        if self.is_leaving(id) {
            return match code {
                Err(code @ (ErrorCode::NotCoordinator | ErrorCode::CoordinatorNotAvailable)) => {
                    self.coordinator_moved(common, now, code);
                    self.leave_failed(common, now);
                }
                // The coordinator does not have the member any more.
                Ok(()) | Err(ErrorCode::UnknownMemberId | ErrorCode::GroupIdNotFound) => {
                    self.left(common, now)
                }
                Err(ErrorCode::FencedInstanceId) if common.instance.is_some() => {
                    self.left(common, now);
                }
                // Tried again, because the group would wait for the member until its session expires.
                Err(_) => self.leave_failed(common, now),
            };
        }
        let Some(beat) = self.in_flight.take_if(|beat| beat.id == id) else {
            return;
        };
        match code {
            Ok(()) if response.member_epoch < 0 => {
                common.last_cause = "the coordinator answered with an epoch that nobody has".into();
                self.try_again(now);
            }
            Ok(()) => self.confirmed(common, now, beat, response),
            Err(code) => self.refused(common, now, code, response.error_message.as_deref()),
        }
    }

    pub(in crate::group) fn failed(
        &mut self,
        common: &mut Common,
        now: Instant,
        id: RequestId,
        failure: RequestFailure,
    ) {
        let is_leaving = self.is_leaving(id);
        if !is_leaving && self.in_flight.take_if(|beat| beat.id == id).is_none() {
            return;
        }
        let error = match failure {
            RequestFailure::Retriable(cause) => {
                common.last_cause = cause;
                if let Some(node) = common.coordinator.node() {
                    common.coordinator_lost(now, node);
                }
                // The coordinator may have added the member, if it was joining.
                self.has_old_place |= self.epoch == JOINING;
                return match is_leaving {
                    true => self.leave_failed(common, now),
                    false => self.try_again(now),
                };
            }
            RequestFailure::Unsupported(cause) => GroupError::Unsupported {
                group: Arc::clone(&common.group),
                protocol: common.config.group_protocol.name(),
                cause,
            },
            RequestFailure::Permanent(cause) => GroupError::Failed {
                group: Arc::clone(&common.group),
                operation: OPERATION,
                cause,
            },
            RequestFailure::Refused(code, message) => {
                common.refusal(OPERATION, code, message.as_deref())
            }
        };
        match is_leaving {
            true => self.left(common, now),
            false => self.give_up(common, now, error),
        }
    }

    fn confirmed(
        &mut self,
        common: &mut Common,
        now: Instant,
        beat: Beat,
        response: ConsumerGroupHeartbeatResponse,
    ) {
        self.pace.succeeded();
        self.unreleased_since = None;
        self.unsupported = 0;
        self.is_unexplained = false;
        self.has_old_place = false;
        common.heard(now);
        self.session_ends_at = Some(beat.sent_at + common.config.session_timeout);
        if let Some(member_id) = response.member_id.filter(|id| !id.is_empty()) {
            self.member_id = member_id.into();
        }
        self.epoch = response.member_epoch;
        let mut told = beat.told;
        if response.assignment.is_some() && !beat.tells_owned {
            told.tell_owned_again();
        }
        self.told = Some(told);
        let interval = u64::try_from(response.heartbeat_interval_ms)
            .ok()
            .filter(|interval| *interval > 0)
            .map_or(common.config.heartbeat_interval, Duration::from_millis)
            .max(common.config.retry_backoff);
        self.next_at = Some(beat.sent_at.max(now) + interval);
        match response.assignment {
            Some(assignment) => self.aim(common, now, assignment),
            None => self.reconcile(common, now),
        }
        self.is_releasing &= !common.ownership.is_settled() || self.has_changes(common);
        if !self.is_releasing || self.calm_at.is_none() {
            self.calm_at = Some(beat.sent_at);
        }
        if common.ownership.is_settled() && !self.has_changes(common) {
            self.pace.rested();
        } else if matches!(self.phase, MemberPhase::Active) && common.ownership.is_settled() {
            self.next_at = Some(now);
        }
    }

    fn refused(
        &mut self,
        common: &mut Common,
        now: Instant,
        code: ErrorCode,
        message: Option<&str>,
    ) {
        match code {
            ErrorCode::FencedMemberEpoch if self.epoch == JOINING => {
                self.free_own_place(common, now);
                common.last_cause = code.name().into();
                self.try_again(now);
            }
            ErrorCode::UnknownMemberId | ErrorCode::FencedMemberEpoch => {
                self.fenced(common, now, code);
            }
            ErrorCode::NotCoordinator | ErrorCode::CoordinatorNotAvailable => {
                self.coordinator_moved(common, now, code);
                self.try_again(now);
            }
            ErrorCode::UnreleasedInstanceId if common.instance.is_some() => {
                self.wait_for_instance(common, now);
            }
            ErrorCode::UnsupportedVersion if self.unsupported < UNSUPPORTED_DOUBTED => {
                self.unsupported += 1;
                common.last_cause = code.name().into();
                self.try_again(now);
            }
            code if code.retriable() => {
                common.last_cause = code.name().into();
                self.try_again(now);
            }
            code => {
                let error = common.refusal(OPERATION, code, message);
                self.give_up(common, now, error);
            }
        }
    }

    /// Leaves under the member's own id: the coordinator still has it at a later epoch, and refuses its joins until
    /// that session expires.
    pub(super) fn free_own_place(&self, common: &mut Common, now: Instant) {
        if let Some(epoch) = leave_epoch(common, LeaveOperation::Default) {
            self.send_leave(common, now, epoch);
        }
    }

    /// Joins again while another member holds the instance id, for at most a session timeout: a holder that has died is
    /// gone by then. The holder may also be this member's own earlier membership.
    fn wait_for_instance(&mut self, common: &mut Common, now: Instant) {
        if self.has_old_place {
            self.free_own_place(common, now);
        }
        let since = *self.unreleased_since.get_or_insert(now);
        let limit = common.config.session_timeout;
        let measured = now - since;
        if measured < limit {
            return self.try_again(now);
        }
        let error = GroupError::UnreleasedInstance {
            group: Arc::clone(&common.group),
            instance: common.instance.clone().unwrap_or_else(|| "".into()),
            limit,
            measured,
        };
        self.give_up(common, now, error);
    }

    /// Sends a full heartbeat after a pause, because the coordinator may or may not have received the last one.
    fn try_again(&mut self, now: Instant) {
        self.told = None;
        self.pace.failed(now);
        self.next_at = self.pace.next_at();
    }

    /// Ends the membership, for good if the refusal is believed.
    fn give_up(&mut self, common: &mut Common, now: Instant, error: GroupError) {
        // One answer that makes no sense costs a member its place, and not its life.
        let is_believed = self.is_unexplained || error.names_a_cause();
        self.is_unexplained = true;
        let error = match is_believed {
            true => error.for_good(),
            false => error,
        };
        self.fail(common, now, error);
    }

    fn coordinator_moved(&mut self, common: &mut Common, now: Instant, code: ErrorCode) {
        common.last_cause = code.name().into();
        if let Some(node) = common.coordinator.node() {
            common.coordinator_lost(now, node);
        }
    }
}
