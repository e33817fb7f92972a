//! The completion queue of one event loop, which runtime threads write to.

use std::io::{PipeReader, PipeWriter, Read, Write, pipe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Condvar, Mutex};

/// Names an event that a future waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CompletionKey {
    /// The delivery of a batch, by address. Waiters hold the batch, so the address is not used again meanwhile.
    Batch(usize),
    /// Records of one consumer, or the outcome of one call.
    Operation(u64),
}

impl CompletionKey {
    /// Returns a key that is used nowhere else.
    pub(crate) fn unique() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self::Operation(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// One of the two ways to wake a loop. The callback of a reader cannot run again before it has returned, in a loop that
/// a task has entered again (as `nest_asyncio` lets it) either: its context is in use. So while the callback of one way
/// wakes tasks, the loop is woken by the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lane {
    First,
    Second,
}

/// The keys of events that the loop has not been told of yet.
pub(crate) struct CompletionQueue {
    // Guards the keys; never held while the loop is woken.
    happened: Mutex<Vec<CompletionKey>>,
    /// Whether the loop was woken and has not come yet, so that a burst of events wakes it once. Changed with the
    /// waker's lock only, together with the pipes: it is set exactly while a byte is there.
    was_signalled: AtomicBool,
    // Guards what wakes the loop; none once that is gone. Events that nobody waits for any more may still be to come.
    waker: Mutex<Option<LoopWaker>>,
}

/// How a loop is woken from another thread.
enum LoopWaker {
    /// A byte in one of the pipes that the loop watches. At most one byte is ever in both, so no end can block. All
    /// ends go together, so no pipe is closed when it is written to.
    Pipes(Box<WakerPipes>),
    /// A thread that calls into the interpreter, for loops that cannot watch files.
    WakerThread(Arc<WakerThread>),
}

struct WakerPipes {
    first: (PipeReader, PipeWriter),
    second: (PipeReader, PipeWriter),
    /// Which one wakes the loop.
    lane: Lane,
    /// Where the byte is, if there is one.
    signalled: Option<Lane>,
}

impl WakerPipes {
    fn of(&self, lane: Lane) -> &(PipeReader, PipeWriter) {
        match lane {
            Lane::First => &self.first,
            Lane::Second => &self.second,
        }
    }

    fn signal(&mut self) {
        self.signalled = Some(self.lane);
        // This cannot fail: the pipe has room and a reader.
        drop((&self.of(self.lane).1).write_all(&[1]));
    }

    fn clear(&mut self) {
        if let Some(lane) = self.signalled.take() {
            drop((&self.of(lane).0).read(&mut [0]));
        }
    }
}

/// The state that a completion queue and its waker thread share.
#[derive(Default)]
pub(crate) struct WakerThread {
    // Guards the request.
    request: Mutex<WakerRequest>,
    changed: Condvar,
}

#[derive(Default)]
struct WakerRequest {
    ring: bool,
    end: bool,
}

impl CompletionQueue {
    /// Creates a completion queue with a pipe for each lane; the loop has to watch both.
    #[cfg(unix)]
    pub(crate) fn watched() -> std::io::Result<Arc<Self>> {
        let pipes = WakerPipes {
            first: pipe()?,
            second: pipe()?,
            lane: Lane::First,
            signalled: None,
        };
        Ok(Arc::new(Self::new(LoopWaker::Pipes(Box::new(pipes)))))
    }

    /// The descriptor that the loop has to watch for a lane; none where there is no pipe, or not any more.
    #[cfg(unix)]
    pub(crate) fn descriptor(&self, lane: Lane) -> Option<i32> {
        use std::os::fd::AsRawFd;
        match &*self.waker.lock() {
            Some(LoopWaker::Pipes(pipes)) => Some(pipes.of(lane).0.as_raw_fd()),
            Some(LoopWaker::WakerThread(_)) | None => None,
        }
    }

    /// Creates a completion queue for loops that cannot watch files; [`WakerThread::serve`] must run on a thread of its
    /// own.
    pub(crate) fn helped() -> (Arc<Self>, Arc<WakerThread>) {
        let helper = Arc::<WakerThread>::default();
        (
            Arc::new(Self::new(LoopWaker::WakerThread(Arc::clone(&helper)))),
            helper,
        )
    }

    fn new(waker: LoopWaker) -> Self {
        Self {
            happened: Mutex::new(Vec::new()),
            was_signalled: AtomicBool::new(false),
            waker: Mutex::new(Some(waker)),
        }
    }

    /// Tells the loop that the event of `key` has happened. Quick, and without the interpreter.
    pub(crate) fn push(&self, key: CompletionKey) {
        self.happened.lock().push(key);
        self.wake();
    }

    /// Wakes the loop, unless it was woken and has not come yet.
    pub(crate) fn wake(&self) {
        if self.was_signalled.load(Ordering::Acquire) {
            return;
        }
        let mut waker = self.waker.lock();
        if self.was_signalled.swap(true, Ordering::AcqRel) {
            return;
        }
        match &mut *waker {
            Some(LoopWaker::Pipes(pipes)) => pipes.signal(),
            Some(LoopWaker::WakerThread(helper)) => helper.tell(|request| request.ring = true),
            None => {}
        }
    }

    /// Gives up the pipe or the thread, because the loop is gone. Clients that serve several loops may keep the queue
    /// for longer.
    pub(crate) fn close(&self) {
        if let Some(LoopWaker::WakerThread(helper)) = self.waker.lock().take() {
            helper.tell(|request| request.end = true);
        }
    }

    /// Takes the keys since the last call. `was_signalled` is reset first, so that events that come meanwhile wake the
    /// loop again, by `lane`. May be called without having been woken, as by a loop that runs within another.
    pub(crate) fn take(&self, lane: Lane) -> Vec<CompletionKey> {
        {
            let mut waker = self.waker.lock();
            if let Some(LoopWaker::Pipes(pipes)) = &mut *waker {
                pipes.clear();
                pipes.lane = lane;
            }
            self.was_signalled.store(false, Ordering::Release);
        }
        std::mem::take(&mut *self.happened.lock())
    }
}

impl Drop for CompletionQueue {
    fn drop(&mut self) {
        self.close();
    }
}

impl WakerThread {
    fn tell(&self, change: impl FnOnce(&mut WakerRequest)) {
        change(&mut self.request.lock());
        self.changed.notify_one();
    }

    /// Calls `wake` for each request until the completion queue is gone or `wake` says that the loop is.
    pub(crate) fn serve(&self, mut wake: impl FnMut() -> bool) {
        loop {
            {
                let mut request = self.request.lock();
                while !request.ring && !request.end {
                    self.changed.wait(&mut request);
                }
                if request.end {
                    return;
                }
                request.ring = false;
            }
            if !wake() {
                return;
            }
        }
    }
}
