//! Questions to several brokers at the same time.

use std::future::{Future, poll_fn};
use std::task::Poll;

/// Waits for all of the calls, and returns what they come to in the same order.
///
/// Each step looks at every call that is under way: they should be few, as brokers are. A library's join of many would
/// be made anew for each kind of question, and take more room in the wheel than all the rest of what asks.
pub(super) async fn all<F: Future>(calls: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    outcomes(calls, |_| false).await
}

/// The same of calls that fail as a whole: the first failure ends the others.
pub(super) async fn all_succeed<T, E, F>(calls: impl IntoIterator<Item = F>) -> Result<Vec<T>, E>
where
    F: Future<Output = Result<T, E>>,
{
    let outcomes = outcomes(calls, Result::is_err).await;
    outcomes.into_iter().collect()
}

/// What the calls have come to that have ended when all have, or one whose outcome `ends` the others.
async fn outcomes<F: Future>(
    calls: impl IntoIterator<Item = F>,
    ends: fn(&F::Output) -> bool,
) -> Vec<F::Output> {
    let mut calls: Vec<_> = calls
        .into_iter()
        .map(|call| (Box::pin(call), None))
        .collect();
    poll_fn(|context| {
        let mut is_over = true;
        for (call, outcome) in &mut calls {
            if outcome.is_some() {
                continue;
            }
            match call.as_mut().poll(context) {
                Poll::Ready(ended) if ends(&ended) => {
                    *outcome = Some(ended);
                    return Poll::Ready(());
                }
                Poll::Ready(ended) => *outcome = Some(ended),
                Poll::Pending => is_over = false,
            }
        }
        if is_over {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    calls
        .into_iter()
        .filter_map(|(_, outcome)| outcome)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    async fn after(milliseconds: u64, outcome: Result<u64, u64>) -> Result<u64, u64> {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        outcome
    }

    #[tokio::test(start_paused = true)]
    async fn outcomes_are_in_the_order_of_the_calls() {
        let calls = [30, 10, 20].map(|time| after(time, Ok(time)));
        assert_eq!(all(calls).await, [Ok(30), Ok(10), Ok(20)]);
        assert!(all::<std::future::Ready<()>>([]).await.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_failure_ends_the_others() {
        let calls = [after(30, Err(30)), after(10, Ok(10)), after(20, Err(20))];
        assert_eq!(all_succeed(calls).await, Err(20));
        let calls = [30, 10].map(|time| after(time, Ok(time)));
        assert_eq!(all_succeed(calls).await, Ok(vec![30, 10]));
    }
}
