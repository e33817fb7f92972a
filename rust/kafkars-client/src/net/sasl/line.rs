//! Work that may block for long, without using up the threads that everything else shares.

use std::sync::Arc;

use tokio::sync::{Mutex, oneshot};

/// A line of work: one piece at a time, each on a thread of its own.
#[derive(Debug, Default)]
pub(super) struct Line(Arc<Mutex<()>>);

impl Line {
    /// The same line.
    pub(super) fn share(&self) -> Self {
        Self(Arc::clone(&self.0))
    }

    /// Does the work once all that was asked for earlier is done. Work that was begun is done even if nobody waits for
    /// it.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Arc<str>> {
        let turn = Arc::clone(&self.0).lock_owned().await;
        let (sender, outcome) = oneshot::channel();
        let thread = std::thread::Builder::new().name("kafkars-kerberos".to_owned());
        let spawned = thread.spawn(move || {
            // Also when it panics.
            let _turn = turn;
            // Who has given up hears nothing.
            let _ = sender.send(work());
        });
        if let Err(error) = spawned {
            return Err(format!("no thread could be started for it: {error}").into());
        }
        outcome.await.map_err(|_| "it panicked".into())
    }
}
