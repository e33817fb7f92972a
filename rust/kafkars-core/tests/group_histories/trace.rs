//! What happens in a history, for people who look for the reason of a failure.

use std::cell::RefCell;
use std::time::Instant;

thread_local! {
    static SINCE: RefCell<Option<Instant>> = const { RefCell::new(None) };
}

/// The one history to run, from `KAFKARS_SEED`.
pub(crate) fn only_seed() -> Option<u64> {
    std::env::var("KAFKARS_SEED").ok()?.parse().ok()
}

/// Starts the clock of the lines that follow, if they are wanted.
pub(crate) fn start(now: Instant) {
    if only_seed().is_some() {
        SINCE.set(Some(now));
    }
}

/// Prints a line. `words` runs only when lines are wanted.
#[expect(clippy::print_stderr, reason = "only when asked for by KAFKARS_SEED")]
pub(crate) fn line(now: Instant, words: impl FnOnce() -> String) {
    SINCE.with_borrow(|since| {
        if let Some(since) = since {
            eprintln!("{:9.3} {}", (now - *since).as_secs_f64(), words());
        }
    });
}
