//! A member's session: when to send heartbeats, and how long the coordinator keeps the member without them.

use std::time::Instant;

use crate::group::action::RequestId;
use crate::group::common::Common;
use crate::group::pace::Pace;

/// When the next heartbeat is due, and when the session ends.
#[derive(Debug, Default)]
pub(super) struct MemberSession {
    pub(super) in_flight: Option<(RequestId, Instant)>,
    pub(super) next_at: Option<Instant>,
    /// When the last request was sent whose response confirmed the membership. The coordinator's session timeout runs
    /// from some later moment.
    confirmed_at: Option<Instant>,
    /// At this time, or later, no rebalance was under way. One that has begun since goes on without members that have
    /// not joined within the rebalance timeout.
    pub(super) calm_at: Option<Instant>,
}

impl MemberSession {
    /// Starts the session after the response to a JoinGroup sent at `sent_at`. That response may have been under way
    /// for a while, so a member that owns partitions counts from `sent_at`, not from now.
    pub(super) fn start(&mut self, common: &Common, now: Instant, sent_at: Instant) {
        self.in_flight = None;
        if common.ownership.is_empty() {
            self.next_at = Some(now + common.config.heartbeat_interval);
            self.confirmed_at = Some(now);
        } else {
            self.next_at = Some(now);
            self.confirmed_at = self.confirmed_at.max(Some(sent_at));
        }
        self.calm_at = self.confirmed_at;
    }

    /// Notes that a request sent at `sent_at` was answered while no rebalance was under way.
    pub(super) fn calm(&mut self, sent_at: Instant) {
        self.calm_at = self.calm_at.max(Some(sent_at));
        self.confirm(sent_at);
    }

    pub(super) fn confirm(&mut self, sent_at: Instant) {
        self.confirmed_at = self.confirmed_at.max(Some(sent_at));
    }

    pub(super) fn ends_at(&self, common: &Common) -> Option<Instant> {
        self.confirmed_at
            .map(|at| at + common.config.session_timeout)
    }

    pub(super) fn stop(&mut self) {
        *self = Self::default();
    }

    pub(super) fn wake_at(&self, common: &Common, pace: &Pace) -> Option<Instant> {
        let beat_at = match self.in_flight {
            Some(_) => None,
            // Without a coordinator the driver wakes for the search.
            None if common.coordinator.node().is_none() => None,
            None => self.next_at.map(|at| pace.not_before(at)),
        };
        [beat_at, self.ends_at(common)].into_iter().flatten().min()
    }
}
