//! Runs work that may block for long, on threads of its own.

use std::sync::Arc;

use tokio::sync::{Mutex, oneshot};

/// A queue of work: one piece at a time, each on a thread of its own.
#[derive(Debug, Default)]
pub(super) struct BlockingQueue(Arc<Mutex<()>>);

impl BlockingQueue {
    /// Returns another handle of this queue.
    pub(super) fn share(&self) -> Self {
        Self(Arc::clone(&self.0))
    }

    /// Runs `work` after all that was queued earlier. Work that has begun is completed even if the caller is gone.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Arc<str>> {
        let turn = Arc::clone(&self.0).lock_owned().await;
        let (sender, outcome) = oneshot::channel();
        let thread = std::thread::Builder::new().name("kafkars-kerberos".to_owned());
        let spawned = thread.spawn(move || {
            // Held also if the work panics.
            let _turn = turn;
            // The caller may be gone.
            let _ = sender.send(work());
        });
        if let Err(error) = spawned {
            return Err(format!("no thread could be started for it: {error}").into());
        }
        outcome.await.map_err(|_| "it panicked".into())
    }
}
