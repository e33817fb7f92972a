//! Which answer belongs to which step. Answers to steps that have passed change nothing.

use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::ErrorCode;

use super::{ClassicMembership, JoinPhase};
use crate::group::action::{GroupResponse, RequestFailure, RequestId};
use crate::group::common::Common;
use crate::group::error::GroupError;

/// The step that waits for an answer.
#[derive(Debug, Clone, Copy)]
enum Awaited {
    Heartbeat(Instant),
    Join(Instant),
    Sync(Instant),
    Leave,
}

impl Awaited {
    fn operation(self) -> &'static str {
        match self {
            Self::Heartbeat(_) => "Heartbeat",
            Self::Join(_) => "JoinGroup",
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
                    // There is no place to give up any more.
                    ErrorCode::None | ErrorCode::UnknownMemberId => self.left(common),
                    ErrorCode::FencedInstanceId if common.instance.is_some() => self.left(common),
                    // The group would wait for the member until its session ends.
                    _ => self.leave_failed(common, now),
                }
            }
            // Of a step that has passed, or of another kind than asked for, which no driver does.
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
            Awaited::Heartbeat(_) | Awaited::Join(_) | Awaited::Sync(_) => {
                self.fail(common, now, error);
            }
        }
    }

    /// The coordinator may be elsewhere, and may or may not have acted.
    fn unanswered(&mut self, common: &mut Common, now: Instant, awaited: Awaited, cause: Arc<str>) {
        common.last_cause = cause;
        if let Some(node) = common.coordinator.node() {
            common.coordinator_lost(now, node);
        }
        match awaited {
            Awaited::Heartbeat(_) => self.heartbeat_failed(now),
            Awaited::Join(_) | Awaited::Sync(_) => self.join_failed(now),
            Awaited::Leave => self.leave_failed(common, now),
        }
    }

    fn awaited(&mut self, id: RequestId) -> Option<Awaited> {
        if let Some(sent_at) = self.take_heartbeat(id) {
            return Some(Awaited::Heartbeat(sent_at));
        }
        if self.is_leaving(id) {
            return Some(Awaited::Leave);
        }
        match self.phase {
            JoinPhase::Joining(asked, sent_at) if asked == id => Some(Awaited::Join(sent_at)),
            JoinPhase::Syncing(asked, sent_at) if asked == id => Some(Awaited::Sync(sent_at)),
            _ => None,
        }
    }
}
