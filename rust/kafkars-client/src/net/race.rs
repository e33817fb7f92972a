//! Tries several ways to the same result, overlapping.

use std::future::Future;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tokio::time::sleep;

/// When a known broker has not answered for this long, the next one is asked beside it.
pub(crate) const OVERTAKE_AFTER: Duration = Duration::from_secs(1);

/// At most this many known brokers are asked for the same at once: a large cluster is not tried to the last.
pub(crate) const KNOWN_TRIES: usize = 5;

/// Starts one try after the other: the next one when one has failed, or when none has succeeded for `stagger`. The
/// first success wins and ends the rest; without one, the causes are returned with the index of their try.
pub(crate) async fn first_success<T, E, F>(
    handle: &Handle,
    tries: Vec<F>,
    stagger: Duration,
) -> Result<T, Vec<(usize, E)>>
where
    F: Future<Output = Result<T, E>> + Send + 'static,
    T: Send + 'static,
    E: Send + 'static,
{
    let mut waiting = tries.into_iter().enumerate();
    let mut running = JoinSet::new();
    let mut causes = Vec::new();
    let mut start_next = true;
    loop {
        if start_next && let Some((number, attempt)) = waiting.next() {
            running.spawn_on(async move { (number, attempt.await) }, handle);
        }
        let more = waiting.len() > 0;
        start_next = tokio::select! {
            biased;
            done = running.join_next() => match done {
                None => return Err(causes),
                Some(Ok((_, Ok(answer)))) => return Ok(answer),
                Some(Ok((number, Err(cause)))) => {
                    causes.push((number, cause));
                    true
                }
                Some(Err(_)) => true, // the try was aborted
            },
            () = sleep(stagger), if more => true,
        };
    }
}
