//! Checks whether the application polls within `max_poll_interval_ms`. Reading takes no clock per record: the first
//! poll after each look notes the time, and looks are frequent enough.

use std::time::{Duration, Instant};

use kafkars_core::config::GroupConfig;
use kafkars_core::group::{Membership, MembershipState};

use crate::consumer::shared::ConsumerShared;
use crate::{after, now};

/// How many looks there are per `max_poll_interval_ms`, which decides how exactly a gap is known.
const LOOKS: u32 = 8;
/// The longest pause between two looks.
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

    /// Tells the membership whether the application has polled since the last look. Returns when to look again.
    pub(super) fn look(
        &mut self,
        shared: &ConsumerShared,
        membership: &mut Membership,
    ) -> Option<Instant> {
        let (polled_at, is_waiting) = shared.take_polled();
        let now = now();
        if let Some(polled_at) = polled_at {
            // First with the poll's own time: the look may come after the limit although the poll did not.
            membership.polled(polled_at);
            membership.polled(now);
        }
        if is_waiting != self.is_waiting {
            self.is_waiting = is_waiting;
            membership.waiting(now, is_waiting);
        }
        membership.takes_part().then(|| after(now, self.pause))
    }

    /// Makes the next poll wake the group's task if the membership goes on only with a poll.
    pub(super) fn arm(&self, shared: &ConsumerShared, membership: &Membership) {
        let waits_for_poll = matches!(
            membership.state(),
            MembershipState::Expelled | MembershipState::Failed
        );
        shared.inner.lock().wake_group_task = waits_for_poll;
    }
}
