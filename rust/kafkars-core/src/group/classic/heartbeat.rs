//! Heartbeats, and what silence means.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::heartbeat::{HeartbeatRequest, HeartbeatResponse};

use super::{Classic, NO_GENERATION, Phase};
use crate::group::action::{GroupRequest, RequestId};
use crate::group::common::Common;
use crate::group::error::GroupError;

/// When the next heartbeat is due, and until when the member may believe itself one.
#[derive(Debug, Default)]
pub(super) struct Heartbeats {
    in_flight: Option<(RequestId, Instant)>,
    next_at: Option<Instant>,
    /// The coordinator keeps the place at least until then. Counted from when an answered request was sent, which is before
    /// the coordinator counts from it.
    session_ends_at: Option<Instant>,
    failures: u32,
}

impl Heartbeats {
    /// The coordinator has just taken the member in. Its answer may have been under way for a while, so that while is not
    /// trusted.
    pub(super) fn start(&mut self, common: &Common, now: Instant) {
        let interval = common.config.heartbeat_interval;
        self.in_flight = None;
        self.failures = 0;
        self.next_at = Some(now + interval);
        self.session_ends_at = Some(now + common.config.session_timeout - interval);
    }

    pub(super) fn stop(&mut self) {
        *self = Self::default();
    }

    pub(super) fn forget_in_flight(&mut self) {
        self.in_flight = None;
    }

    pub(super) fn wake_at(&self, common: &Common) -> Option<Instant> {
        let beat_at = match self.in_flight {
            Some(_) => None,
            // Without a coordinator the search for it wakes.
            None if common.coordinator.node().is_none() => None,
            None => self.next_at,
        };
        [beat_at, self.session_ends_at].into_iter().flatten().min()
    }
}

impl Classic {
    /// Whether heartbeats keep a place. While a join waits at the coordinator, that keeps it.
    pub(super) fn beats(&self) -> bool {
        self.member.generation != NO_GENERATION
            && match self.phase {
                Phase::Preparing
                | Phase::Electing(_)
                | Phase::Syncing(_)
                | Phase::Stable
                | Phase::Leaving(_) => true,
                Phase::Idle | Phase::Joining(_) | Phase::Expelled | Phase::Failed { .. } => false,
            }
    }

    pub(super) fn try_heartbeat(&mut self, common: &mut Common, now: Instant) {
        if !self.beats()
            || self.heartbeats.in_flight.is_some()
            || self.heartbeats.next_at.is_none_or(|at| at > now)
        {
            return;
        }
        let Some(node) = common.coordinator(now) else {
            return;
        };
        let request = HeartbeatRequest {
            group_id: common.group.to_string(),
            generation_id: self.member.generation,
            member_id: self.member.id.to_string(),
            group_instance_id: common.instance.as_deref().map(str::to_owned),
        };
        let timeout = common
            .config
            .request_timeout
            .min(common.config.session_timeout);
        let id = common.send(node, GroupRequest::Heartbeat(request), timeout, false);
        self.heartbeats.in_flight = Some((id, now));
        self.heartbeats.next_at = Some(now + common.config.heartbeat_interval);
    }

    /// When the heartbeat `id` was sent, if that is the one under way.
    pub(super) fn take_heartbeat(&mut self, id: RequestId) -> Option<Instant> {
        let (in_flight, sent_at) = self.heartbeats.in_flight?;
        if in_flight != id {
            return None;
        }
        self.heartbeats.in_flight = None;
        Some(sent_at)
    }

    pub(super) fn heartbeat_answered(
        &mut self,
        common: &mut Common,
        now: Instant,
        sent_at: Instant,
        response: &HeartbeatResponse,
    ) {
        let Err(code) = ErrorCode::check(response.error_code) else {
            self.confirmed(common, now, sent_at);
            return;
        };
        match code {
            ErrorCode::RebalanceInProgress => {
                self.confirmed(common, now, sent_at);
                // Not while the assignment is on its way: SyncGroup will say it again if it is still so.
                if matches!(self.phase, Phase::Stable) {
                    self.request_rejoin("the group is rebalancing");
                }
            }
            ErrorCode::UnknownMemberId | ErrorCode::IllegalGeneration => self.fenced(common, code),
            ErrorCode::NotCoordinator | ErrorCode::CoordinatorNotAvailable => {
                self.coordinator_moved(common, now, code);
                self.heartbeat_failed(common, now);
            }
            code if code.retriable() => {
                common.last_cause = code.name().into();
                self.heartbeat_failed(common, now);
            }
            code => {
                let error = common.refusal("Heartbeat", code, None);
                self.fail(common, error);
            }
        }
    }

    pub(super) fn heartbeat_failed(&mut self, common: &mut Common, now: Instant) {
        self.heartbeats.failures = self.heartbeats.failures.saturating_add(1);
        self.heartbeats.next_at = Some(common.retry_at(now, self.heartbeats.failures));
    }

    fn confirmed(&mut self, common: &mut Common, now: Instant, sent_at: Instant) {
        self.heartbeats.failures = 0;
        let ends_at = sent_at + common.config.session_timeout;
        let known = self.heartbeats.session_ends_at;
        self.heartbeats.session_ends_at = Some(known.map_or(ends_at, |known| known.max(ends_at)));
        common.heard_at = Some(now);
    }

    /// Nothing was heard for a session: others may own the partitions by now, so they are given up here too. A join that
    /// waits at the coordinator keeps the place.
    pub(super) fn end_session(&mut self, common: &mut Common, now: Instant) {
        let Some(ends_at) = self.heartbeats.session_ends_at else {
            return;
        };
        if now < ends_at || !self.beats() {
            return;
        }
        let limit = common.config.session_timeout;
        let measured: Duration = limit + (now - ends_at);
        let error = GroupError::SessionExpired {
            group: Arc::clone(&common.group),
            limit,
            measured,
            cause: Arc::clone(&common.last_cause),
        };
        // The id is kept: if the coordinator still knows it, the place is still ours.
        self.member.generation = NO_GENERATION;
        self.heartbeats.stop();
        self.watched = None;
        common.lose(error);
        if !matches!(self.phase, Phase::Leaving(_)) {
            self.request_rejoin("the session ended without an answer");
            self.phase = Phase::Preparing;
        }
    }
}
