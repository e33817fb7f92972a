//! Opens fetched batches: checks and decompresses them, and hands them over to the application.
//!
//! Small batches are opened by the task that received them: the application waits, and waking another thread would take
//! longer. Everything else is opened on a thread of the runtime that serves no sockets, at most one per consumer. The
//! core decides how much may be opened, by how much the application has not taken yet. When the application has taken
//! much of what was ready, its call starts that thread itself: no task is woken for it.

use std::sync::Arc;

use kafkars_core::fetch::buffer::FetchTarget;
use kafkars_records::ReadLimits;

use super::shared::ConsumerShared;

/// A partition's share of a response is opened on the spot if it has at most this many bytes, before and after
/// decompression.
const SMALL: usize = 16 << 10;
/// How many bytes of opened batches are handed over together: with a small buffer, and with a large one.
const PIECE: (usize, usize) = (256 << 10, 1 << 20);

/// Opens waiting batches whenever the application has made room. Runs until the consumer is closed.
pub(super) async fn run(shared: Arc<ConsumerShared>) {
    let mut changed = shared.changed.subscribe();
    // A consumer may be closed before this task has run at all.
    while !shared.is_closed() && changed.changed().await.is_ok() {
        start(&shared);
    }
}

/// Opens what these partitions have just received, if it is small; the rest is left to another thread.
pub(super) fn open(shared: &Arc<ConsumerShared>, targets: &[FetchTarget]) {
    let limits = limits(shared);
    let mut is_large = false;
    for target in targets {
        loop {
            let task = shared.inner.lock().buffer.start_opening_of(target);
            let Some(mut task) = task else {
                break;
            };
            let (parts, outcome) = task.opening.open_small(&limits, SMALL);
            shared.update(|buffer| buffer.opened(task, parts));
            if outcome.is_err() {
                is_large = true;
                break;
            }
        }
    }
    if is_large {
        start(shared);
    }
    tell_of_credit(shared);
}

/// Wakes the fetchers that found no credit, if there is some now: opened batches may be smaller than fetched ones,
/// because brokers cut the last batch off, and control batches are dropped. Wakes them also when opening has caught up.
fn tell_of_credit(shared: &ConsumerShared) {
    let mut inner = shared.inner.lock();
    let has_caught_up = inner.buffer.has_caught_up();
    let is_waited_for = inner.starved || inner.left_out;
    if is_waited_for && inner.buffer.has_credit() {
        inner.starved = false;
        inner.left_out = false;
    } else if !has_caught_up {
        return;
    }
    drop(inner);
    shared.touch();
}

/// Starts the thread that opens batches, unless it runs or has nothing to do.
pub(super) fn start(shared: &Arc<ConsumerShared>) {
    {
        let mut inner = shared.inner.lock();
        if inner.is_opening || !inner.buffer.can_open() {
            return;
        }
        inner.is_opening = true;
    }
    let opener = Arc::clone(shared);
    shared
        .client
        .handle()
        .spawn_blocking(move || drain(&opener));
}

/// Opens batches until none is left or no more may be opened for now.
fn drain(shared: &ConsumerShared) {
    let limits = limits(shared);
    let piece = (shared.config.fetch_buffer_bytes / 32).clamp(PIECE.0, PIECE.1);
    loop {
        let task = {
            let mut inner = shared.inner.lock();
            let task = inner.buffer.start_opening();
            inner.is_opening = task.is_some();
            task
        };
        let Some(mut task) = task else {
            return;
        };
        let parts = task.opening.open(&limits, piece);
        shared.update(|buffer| buffer.opened(task, parts));
        tell_of_credit(shared);
    }
}

fn limits(shared: &ConsumerShared) -> ReadLimits {
    ReadLimits {
        max_decompressed: shared.config.max_decompressed_batch,
    }
}
