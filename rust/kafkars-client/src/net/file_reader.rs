//! Reads files on threads of their own, because a file on a mount that hangs may never be read.
//!
//! The runtime's pool for blocking work also resolves host names for all clients of the process, so nothing that can
//! hang for ever may run there.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Weak};

use parking_lot::Mutex;
use tokio::sync::{Semaphore, oneshot};

/// Lets one thread read at a time. A caller may stop waiting, but a thread that hangs keeps its turn, so that no second
/// one hangs beside it however often the file is read.
#[derive(Debug, Clone)]
pub(crate) struct ReadingTurn(Arc<Semaphore>);

impl Default for ReadingTurn {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

impl ReadingTurn {
    /// Returns the one turn of a file, shared by all clients that read it.
    pub(crate) fn of(path: &Path) -> Self {
        static TURNS: LazyLock<Mutex<HashMap<PathBuf, Weak<Semaphore>>>> =
            LazyLock::new(Mutex::default);
        let mut turns = TURNS.lock();
        if let Some(turn) = turns.get(path).and_then(Weak::upgrade) {
            return Self(turn);
        }
        let turn = Self::default();
        turns.retain(|_, turn| turn.strong_count() > 0);
        turns.insert(path.to_owned(), Arc::downgrade(&turn.0));
        turn
    }

    /// Runs `work` on a thread and returns its result. There is no time limit: a caller gives up by dropping the
    /// future.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Arc<str>> {
        let ended = || Arc::from("the process is ending");
        let turn = Arc::clone(&self.0).acquire_owned().await;
        let turn = turn.map_err(|_| ended())?;
        let (sender, outcome) = oneshot::channel();
        let thread = std::thread::Builder::new().name("kafkars-files".to_owned());
        let started = thread.spawn(move || {
            let read = work();
            // Before the caller gets the result: if it reads again, it has a turn.
            drop(turn);
            // The caller may be gone.
            let _ = sender.send(read);
        });
        started.map_err(|error| Arc::from(format!("no thread could be started: {error}")))?;
        outcome.await.map_err(|_| ended())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    const LONG: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn a_file_that_hangs_costs_one_thread_however_often_it_is_tried() {
        let turn = ReadingTurn::of(Path::new("of one test"));
        let begun = Arc::new(AtomicUsize::new(0));
        let (go_on, gate) = mpsc::channel::<()>();
        let gate = Arc::new(Mutex::new(gate));
        for _ in 0..50 {
            let (begun, gate) = (Arc::clone(&begun), Arc::clone(&gate));
            let same = ReadingTurn::of(Path::new("of one test"));
            let read = same.read(move || {
                begun.fetch_add(1, Ordering::SeqCst);
                gate.lock().recv_timeout(LONG)
            });
            let in_time = tokio::time::timeout(Duration::from_millis(2), read).await;
            assert!(in_time.is_err());
        }
        assert!(begun.load(Ordering::SeqCst) <= 1);
        // Another file is read meanwhile.
        let other = ReadingTurn::of(Path::new("another of the same test"));
        assert_eq!(other.read(|| 7).await, Ok(7));
        go_on.send(()).expect("the first one waits");
        assert_eq!(turn.read(|| 8).await, Ok(8));
        assert_eq!(begun.load(Ordering::SeqCst), 1);
    }

    #[tokio::test]
    async fn a_panic_is_an_outcome() {
        let turn = ReadingTurn::default();
        assert!(turn.read(|| panic!("of the test")).await.is_err());
        assert_eq!(turn.read(|| 9).await, Ok(9));
    }
}
