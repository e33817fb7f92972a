//! Hands responses to the step of the protocol that waits for them. One to an earlier step is ignored.

use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::ErrorCode;

use super::{ClassicMembership, JoinPhase};
use crate::group::action::{GroupResponse, RequestFailure, RequestId};
use crate::group::common::Common;
use crate::group::error::GroupError;

/// The request under way that a response answers, and when it was sent.
#[derive(Debug, Clone, Copy)]
enum Awaited {
    Heartbeat(Instant),
    Join(Instant),
    Sync(Instant),
    Leave,
    /// A JoinGroup that is answered when the member is leaving.
    Name,
}

impl Awaited {
    fn operation(self) -> &'static str {
        match self {
            Self::Heartbeat(_) => "Heartbeat",
            Self::Join(_) | Self::Name => "JoinGroup",
            Self::Sync(_) => "SyncGroup",
            Self::Leave => "LeaveGroup",
        }
    }
}

impl ClassicMembership {
    pub(in crate::group) fn answered(
        &mut self,
        common: &mut Common,
        now: Instant,
        id: RequestId,
        response: GroupResponse,
    ) {
        match (self.awaited(id), response) {
            (Some(Awaited::Heartbeat(sent_at)), GroupResponse::Heartbeat(response)) => {
                self.heartbeat_answered(common, now, sent_at, &response);
            }
            (Some(Awaited::Join(sent_at)), GroupResponse::JoinGroup(response)) => {
                self.join_answered(common, now, sent_at, response);
            }
            (Some(Awaited::Sync(sent_at)), GroupResponse::SyncGroup(response)) => {
                self.sync_answered(common, now, sent_at, response);
            }
            (Some(Awaited::Leave), GroupResponse::LeaveGroup(response)) => {
                match ErrorCode::from_i16(response.error_code) {
                    code @ (ErrorCode::NotCoordinator | ErrorCode::CoordinatorNotAvailable) => {
                        self.coordinator_moved(common, now, code);
                        self.leave_failed(common, now);
                    }
                    // The coordinator does not have the member any more.
                    ErrorCode::None | ErrorCode::UnknownMemberId => self.left(common),
                    ErrorCode::FencedInstanceId if common.instance.is_some() => self.left(common),
                    // Tried again, because the group would wait for the member until its session expires.
                    _ => self.leave_failed(common, now),
                }
            }
            (Some(Awaited::Name), GroupResponse::JoinGroup(response)) => self.named(&response),
            // A response to an earlier step, or of another type than the request, which no driver reports.
            (_, _) => {}
        }
    }

    pub(in crate::group) fn failed(
        &mut self,
        common: &mut Common,
        now: Instant,
        id: RequestId,
        failure: RequestFailure,
    ) {
        let Some(awaited) = self.awaited(id) else {
            return;
        };
        let error = match failure {
            RequestFailure::Retriable(cause) => {
                return self.unanswered(common, now, awaited, cause);
            }
            RequestFailure::Unsupported(cause) => GroupError::Unsupported {
                group: Arc::clone(&common.group),
                protocol: common.config.group_protocol.name(),
                cause,
            },
            RequestFailure::Permanent(cause) => GroupError::Failed {
                group: Arc::clone(&common.group),
                operation: awaited.operation(),
                cause,
            },
            RequestFailure::Refused(code, message) => {
                common.refusal(awaited.operation(), code, message.as_deref())
            }
        };
        match awaited {
            Awaited::Leave => self.left(common),
            Awaited::Name => {}
            Awaited::Heartbeat(_) | Awaited::Join(_) | Awaited::Sync(_) => {
                self.fail(common, now, error);
            }
        }
    }

    /// Handles a request without a response: the coordinator may have moved, and may or may not have acted on it.
    fn unanswered(&mut self, common: &mut Common, now: Instant, awaited: Awaited, cause: Arc<str>) {
        common.last_cause = cause;
        if let Some(node) = common.coordinator.node() {
            common.coordinator_lost(now, node);
        }
        match awaited {
            Awaited::Heartbeat(_) => self.heartbeat_failed(now),
            Awaited::Join(_) | Awaited::Sync(_) => self.join_failed(now),
            Awaited::Leave => self.leave_failed(common, now),
            Awaited::Name => {}
        }
    }

    fn awaited(&mut self, id: RequestId) -> Option<Awaited> {
        if let Some(sent_at) = self.take_heartbeat(id) {
            return Some(Awaited::Heartbeat(sent_at));
        }
        if self.is_leaving(id) {
            return Some(Awaited::Leave);
        }
        if self.take_unnamed(id) {
            return Some(Awaited::Name);
        }
        match self.phase {
            JoinPhase::Joining(asked, sent_at) if asked == id => Some(Awaited::Join(sent_at)),
            JoinPhase::Syncing(asked, sent_at) if asked == id => Some(Awaited::Sync(sent_at)),
            _ => None,
        }
    }
}
