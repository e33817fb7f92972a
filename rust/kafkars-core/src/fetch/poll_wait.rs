//! How long a fetch may wait at the broker.
//!
//! A broker answers the requests of one connection in order, so a changed set of partitions (a seek, a resume) waits
//! behind the fetch that waits there already. With two connections one is free for changes: only one of the two fetches
//! may wait for long, the other comes back soon, the sooner the more recent the last change is. When both are about to
//! come back, one request takes the partitions of both. No connection is ever closed for the sake of a change.

use std::time::{Duration, Instant};

/// When nothing has changed for this long, a request that is the only one under way waits as long as the settings
/// allow.
const CALM: Duration = Duration::from_secs(1);
/// Until then it waits this long, so that it can soon take the partitions of the other.
const RESTLESS: Duration = Duration::from_millis(50);
/// The least and, while there are changes, the most that the request waits which comes back soon.
const SHORT: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(10));
/// A request that is due within this is worth waiting for, once there was no change for [`RESTLESS`].
const DUE: Duration = Duration::from_millis(3);

/// What to do with partitions that may be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PollWait {
    /// Send a request that waits at most this long at the broker.
    Send(Duration),
    /// Send nothing until this moment: the other request is about to come back, and one request can then take all
    /// partitions.
    Hold(Instant),
}

impl PollWait {
    /// Decides for a request at `now`. `changed_at` is when the set of partitions changed last, `other_ends_at` when
    /// the wait of the other request under way ends, and `longest` the setting.
    #[must_use]
    pub fn choose(
        now: Instant,
        changed_at: Option<Instant>,
        other_ends_at: Option<Instant>,
        longest: Duration,
    ) -> Self {
        let quiet = changed_at.map_or(Duration::MAX, |at| now.saturating_duration_since(at));
        let Some(ends_at) = other_ends_at else {
            return match quiet >= CALM {
                true => Self::Send(longest),
                false => Self::Send(longest.min(RESTLESS)),
            };
        };
        let left = ends_at.saturating_duration_since(now);
        if quiet >= RESTLESS && left <= DUE && now < ends_at + DUE {
            return Self::Hold(ends_at + DUE);
        }
        // A hundredth of the quiet time, so that even beside a wait of many seconds there are few requests.
        let short = (quiet / 4).clamp(SHORT.0, SHORT.1).max(quiet / 100);
        let short = match left.is_zero() {
            true => short,
            false => short.min(left.max(SHORT.0)),
        };
        Self::Send(short.min(longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONGEST: Duration = Duration::from_millis(500);

    fn milliseconds(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn a_calm_consumer_has_one_request_that_waits_as_long_as_it_may() {
        let now = Instant::now();
        assert_eq!(
            PollWait::choose(now, None, None, LONGEST),
            PollWait::Send(LONGEST)
        );
        let earlier = now.checked_sub(CALM);
        assert_eq!(
            PollWait::choose(now, earlier, None, LONGEST),
            PollWait::Send(LONGEST)
        );
    }

    #[test]
    fn beside_a_long_wait_the_other_one_is_short() {
        let now = Instant::now();
        let (just_now, long) = (Some(now), Some(now + LONGEST));
        assert_eq!(
            PollWait::choose(now, just_now, long, LONGEST),
            PollWait::Send(milliseconds(1))
        );
        let before = now.checked_sub(milliseconds(900));
        assert_eq!(
            PollWait::choose(now, before, long, LONGEST),
            PollWait::Send(milliseconds(10))
        );
    }

    #[test]
    fn a_request_is_held_for_one_that_is_due_but_not_for_one_that_is_late() {
        let now = Instant::now();
        let before = now.checked_sub(milliseconds(100));
        let due = now + milliseconds(2);
        assert_eq!(
            PollWait::choose(now, before, Some(due), LONGEST),
            PollWait::Hold(due + DUE)
        );
        let late = now + milliseconds(5);
        assert!(matches!(
            PollWait::choose(late, before, Some(due), LONGEST),
            PollWait::Send(_)
        ));
        // Never while the application changes its partitions all the time.
        assert!(matches!(
            PollWait::choose(now, Some(now), Some(due), LONGEST),
            PollWait::Send(_)
        ));
    }

    /// Plays both requests without any record, from one change on. Returns the requests until one is left, and the
    /// longest time in which a second change would have had to wait for a free connection, as a part of the time since
    /// the first.
    fn after_a_change(longest: Duration) -> (u32, f64) {
        let start = Instant::now();
        let mut ends: [Option<Instant>; 2] = [Some(start + longest), None];
        let (mut now, mut requests, mut worst) = (start, 0, 0f64);
        loop {
            ends = ends.map(|end| end.filter(|end| *end > now));
            let free = (0..2).find(|index| ends[*index].is_none());
            if requests > 0 && ends.iter().all(Option::is_none) {
                return (requests, worst);
            }
            if let Some(index) = free {
                let other = ends[1 - index];
                if let PollWait::Send(wait) = PollWait::choose(now, Some(start), other, longest) {
                    ends[index] = Some(now + wait.max(milliseconds(1)));
                    requests += 1;
                }
            }
            if let [Some(first), Some(second)] = ends {
                let waits = first.min(second).saturating_duration_since(now);
                let since = now.saturating_duration_since(start).max(milliseconds(4));
                worst = worst.max(waits.as_secs_f64() / since.as_secs_f64());
            }
            now += milliseconds(1);
        }
    }

    #[test]
    fn after_a_change_few_requests_keep_a_connection_free_until_both_are_one() {
        for (longest, most) in [(500, 60), (10_000, 350), (60_000, 550)] {
            let (requests, worst) = after_a_change(milliseconds(longest));
            assert!(requests <= most, "{requests} requests in {longest} ms");
            assert!(
                worst <= 0.3,
                "a change waits {worst} of the time since the last"
            );
        }
    }
}
