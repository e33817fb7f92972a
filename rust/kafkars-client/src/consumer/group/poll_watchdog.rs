//! Whether the application polls. Reading takes no clock per record: the first poll after each look leaves its time,
//! and looks come often enough.

use std::time::{Duration, Instant};

use kafkars_core::config::GroupConfig;
use kafkars_core::group::{Membership, MembershipState};

use crate::consumer::shared::ConsumerShared;
use crate::{after, now};

/// Looks per `max_poll_interval_ms`: the gap is known to this part of it.
const LOOKS: u32 = 8;
/// Longest pause between two looks.
const LONGEST: Duration = Duration::from_secs(3);

pub(super) struct PollWatchdog {
    pause: Duration,
    is_waiting: bool,
}

impl PollWatchdog {
    pub(super) fn new(config: &GroupConfig) -> Self {
        Self {
            pause: (config.max_poll_interval / LOOKS).clamp(Duration::from_millis(1), LONGEST),
            is_waiting: false,
        }
    }

    /// Tells the membership what the application did since the last look. Returns when to look again.
    pub(super) fn look(
        &mut self,
        shared: &ConsumerShared,
        membership: &mut Membership,
    ) -> Option<Instant> {
        let (polled_at, is_waiting) = shared.take_polled();
        let now = now();
        if let Some(polled_at) = polled_at {
            // First with its own time: the look may come after the limit, the poll did not.
            membership.polled(polled_at);
            membership.polled(now);
        }
        if is_waiting != self.is_waiting {
            self.is_waiting = is_waiting;
            membership.waiting(now, is_waiting);
        }
        membership.takes_part().then(|| after(now, self.pause))
    }

    /// Asks the next poll to wake the group's task where membership goes on with it only.
    pub(super) fn arm(&self, shared: &ConsumerShared, membership: &Membership) {
        let waits_for_poll = matches!(
            membership.state(),
            MembershipState::Expelled | MembershipState::Failed
        );
        shared.inner.lock().wake_driver = waits_for_poll;
    }
}
