//! Waits for the first of several calls.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// Waits until one of the calls has ended, and takes it out. Each step polls every call, so they should be few.
pub(crate) async fn first_ended<K, F: Future + Unpin>(calls: &mut Vec<(K, F)>) -> (K, F::Output) {
    poll_fn(|context| {
        let mut polled = calls.iter_mut().enumerate();
        let ended = polled.find_map(|(index, (_, call))| match Pin::new(call).poll(context) {
            Poll::Ready(outcome) => Some((index, outcome)),
            Poll::Pending => None,
        });
        match ended {
            Some((index, outcome)) => Poll::Ready((calls.remove(index).0, outcome)),
            None => Poll::Pending,
        }
    })
    .await
}
