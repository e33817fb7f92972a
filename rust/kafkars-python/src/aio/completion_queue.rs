//! The way from runtime threads to one event loop.

use std::io::{PipeReader, PipeWriter, Read, Write, pipe};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::{Condvar, Mutex};

/// Names what somebody waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CompletionKey {
    /// A produced batch, by address. Those who wait hold the batch, so the address is not given to another one.
    Batch(usize),
    /// Records of one consumer, or one call.
    Operation(u64),
}

impl CompletionKey {
    /// A key nobody else has.
    pub(crate) fn unique() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self::Operation(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// Keys of what has happened, and of which the loop has not been told yet.
pub(crate) struct CompletionQueue {
    // Guards the keys; never held while the bell is rung.
    happened: Mutex<Vec<CompletionKey>>,
    /// The bell was rung and the loop has not come yet: a burst of events costs one ring.
    rung: AtomicBool,
    bell: LoopWaker,
}

/// How a loop is woken from another thread.
enum LoopWaker {
    /// A byte in a pipe that the loop watches wakes it. At most one byte is ever in it, so neither end can block. Both
    /// ends live as long as the completion queue: writing never meets a closed pipe.
    Pipe(PipeReader, PipeWriter),
    /// A thread that calls into the interpreter, for loops that watch no files.
    WakerThread(Arc<WakerThread>),
}

/// What a completion queue and its helper thread share.
#[derive(Default)]
pub(crate) struct WakerThread {
    // Guards the two wishes below.
    wish: Mutex<WakerRequest>,
    changed: Condvar,
}

#[derive(Default)]
struct WakerRequest {
    ring: bool,
    end: bool,
}

impl CompletionQueue {
    /// A completion queue with a pipe, and the descriptor the loop has to watch.
    #[cfg(unix)]
    pub(crate) fn watched() -> std::io::Result<(Arc<Self>, i32)> {
        use std::os::fd::AsRawFd;
        let (reader, writer) = pipe()?;
        let descriptor = reader.as_raw_fd();
        Ok((
            Arc::new(Self::new(LoopWaker::Pipe(reader, writer))),
            descriptor,
        ))
    }

    /// A completion queue for loops that watch no files; [`WakerThread::serve`] must run on a thread of its own.
    pub(crate) fn helped() -> (Arc<Self>, Arc<WakerThread>) {
        let helper = Arc::<WakerThread>::default();
        (
            Arc::new(Self::new(LoopWaker::WakerThread(Arc::clone(&helper)))),
            helper,
        )
    }

    fn new(bell: LoopWaker) -> Self {
        Self {
            happened: Mutex::new(Vec::new()),
            rung: AtomicBool::new(false),
            bell,
        }
    }

    /// Tells the loop that `key` has happened. Quick, and without the interpreter.
    pub(crate) fn push(&self, key: CompletionKey) {
        self.happened.lock().push(key);
        self.ring();
    }

    /// Makes the loop come again.
    pub(crate) fn ring(&self) {
        if self.rung.swap(true, Ordering::AcqRel) {
            return;
        }
        match &self.bell {
            // A pipe with room and a reader takes a byte; there is nobody to tell if it did not.
            LoopWaker::Pipe(_, writer) => drop((&*writer).write_all(&[1])),
            LoopWaker::WakerThread(helper) => helper.tell(|wish| wish.ring = true),
        }
    }

    /// What has happened since the last call. The bell is reset first, so what comes meanwhile rings again.
    pub(crate) fn take(&self) -> Vec<CompletionKey> {
        if self.rung.load(Ordering::Acquire) {
            if let LoopWaker::Pipe(reader, _) = &self.bell {
                // The byte is there or about to be: whoever set `rung` writes it next.
                drop((&*reader).read(&mut [0]));
            }
            self.rung.store(false, Ordering::Release);
        }
        std::mem::take(&mut *self.happened.lock())
    }
}

impl Drop for CompletionQueue {
    fn drop(&mut self) {
        if let LoopWaker::WakerThread(helper) = &self.bell {
            helper.tell(|wish| wish.end = true);
        }
    }
}

impl WakerThread {
    fn tell(&self, change: impl FnOnce(&mut WakerRequest)) {
        change(&mut self.wish.lock());
        self.changed.notify_one();
    }

    /// Calls `wake` for each ring until the completion_queue is gone or `wake` says that the loop is.
    pub(crate) fn serve(&self, mut wake: impl FnMut() -> bool) {
        loop {
            {
                let mut wish = self.wish.lock();
                while !wish.ring && !wish.end {
                    self.changed.wait(&mut wish);
                }
                if wish.end {
                    return;
                }
                wish.ring = false;
            }
            if !wake() {
                return;
            }
        }
    }
}
