//! The one Tokio runtime of the process, and the one way to wait for it from synchronous Python.
//!
//! A runtime belongs to the process that made it: after `fork()` its threads are missing in the child, and whatever
//! they were doing stays half done there. So the child forgets the runtime without touching it, every call of a client
//! made before the fork raises `ForkedClientError`, and a client made in the child starts another runtime.

use std::future::Future;
use std::pin::pin;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use kafkars_client::Blocking;
use pyo3::prelude::*;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::{error, log};

/// How long a wait stays detached from the interpreter before it looks for signals.
const SLICE: Duration = Duration::from_millis(50);

/// The environment variable with the number of I/O threads.
const WORKERS_VARIABLE: &str = "KAFKARS_WORKER_THREADS";

/// The runtime of this process, leaked on purpose: it lives until the process ends.
static CURRENT: AtomicPtr<Runtime> = AtomicPtr::new(std::ptr::null_mut());

/// How many forks there were between the process that loaded this module first and this one.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// The process a client was made in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ForkGuard(u32);

impl ForkGuard {
    /// A guard for this process.
    pub(crate) fn here() -> Self {
        watch_forks();
        Self(FORKS.load(Ordering::Relaxed))
    }

    /// True if the process that runs now is a fork of the one the client was made in.
    #[inline]
    pub(crate) fn is_elsewhere(self) -> bool {
        self.0 != FORKS.load(Ordering::Relaxed)
    }

    /// Fails in a fork of the process the client was made in.
    #[inline]
    pub(crate) fn check(self) -> PyResult<()> {
        if self.is_elsewhere() {
            return Err(error::forked());
        }
        Ok(())
    }
}

/// The runtime of this process, made by the first call.
pub(crate) fn handle() -> PyResult<Handle> {
    if let Some(runtime) = current() {
        return Ok(runtime.handle().clone());
    }
    watch_forks();
    let made = Box::into_raw(Box::new(build()?));
    match CURRENT.compare_exchange(
        std::ptr::null_mut(),
        made,
        Ordering::AcqRel,
        Ordering::Acquire,
    ) {
        // SAFETY: `made` came from `Box::into_raw` and is only ever read from now on.
        Ok(_) => Ok(unsafe { &*made }.handle().clone()),
        Err(_) => {
            // SAFETY: another thread was first, so nobody else has seen this pointer.
            unsafe { Box::from_raw(made) }.shutdown_background();
            handle()
        }
    }
}

fn current() -> Option<&'static Runtime> {
    // SAFETY: a pointer stored in CURRENT is never freed.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }
}

fn build() -> PyResult<Runtime> {
    let workers = match std::env::var(WORKERS_VARIABLE) {
        Err(_) => 1,
        Ok(text) => match text.parse::<usize>() {
            Ok(count @ 1..=64) => count,
            _ => {
                return Err(error::config(format!(
                    "{WORKERS_VARIABLE}: expected 1 to 64 threads, not {text:?}"
                )));
            }
        },
    };
    Builder::new_multi_thread()
        .worker_threads(workers)
        .max_blocking_threads(16)
        .thread_name("kafkars-io")
        .enable_all()
        .build()
        .map_err(|cause| error::runtime(&cause))
}

/// Registers a handler for forks, once.
fn watch_forks() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        #[cfg(unix)]
        // SAFETY: the handler only stores to atomics, which is allowed between fork and exec.
        unsafe {
            libc::pthread_atfork(None, None, Some(in_child));
        }
    });
}

#[cfg(unix)]
extern "C" fn in_child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    CURRENT.store(std::ptr::null_mut(), Ordering::Release);
    log::forget_queue();
}

/// Runs a future to its end with the interpreter detached. A signal handler that raises (Ctrl+C) drops the future.
pub(crate) fn block_on<F>(py: Python<'_>, future: F) -> PyResult<F::Output>
where
    F: Future + Send,
    F::Output: Send,
{
    block_on_with(py, future, |_| Ok(()))
}

/// The thread of a synchronous call: it waits with the interpreter detached, and signals interrupt it.
pub(crate) struct Detached<'py>(pub(crate) Python<'py>);

impl Blocking for Detached<'_> {
    type Interruption = PyErr;

    fn wait<F>(&self, future: F) -> PyResult<F::Output>
    where
        F: Future + Send,
        F::Output: Send,
    {
        block_on(self.0, future)
    }
}

/// As [`block_on`], and calls `meanwhile` in the interpreter after every slice.
pub(crate) fn block_on_with<F>(
    py: Python<'_>,
    future: F,
    mut meanwhile: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<F::Output>
where
    F: Future + Send,
    F::Output: Send,
{
    let handle = handle()?;
    let mut future = pin!(future);
    loop {
        let slice = py.detach(|| {
            handle.block_on(async { tokio::time::timeout(SLICE, future.as_mut()).await.ok() })
        });
        if let Some(output) = slice {
            return Ok(output);
        }
        py.check_signals()?;
        meanwhile(py)?;
    }
}

/// How long a wait for `deadline` may stay detached from the interpreter now.
pub(crate) fn slice(deadline: Option<Instant>) -> Duration {
    deadline.map_or(SLICE, |deadline| {
        let left = deadline.saturating_duration_since(Instant::now());
        left.min(SLICE)
    })
}

/// Waits with the interpreter detached until `ready` (which blocks for at most the time it is given) says so, or until
/// `timeout` has passed. Returns what `ready` said last.
pub(crate) fn wait(
    py: Python<'_>,
    timeout: Option<Duration>,
    mut ready: impl FnMut(Duration) -> bool + Send,
) -> PyResult<bool> {
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    loop {
        if py.detach(|| ready(slice(deadline))) {
            return Ok(true);
        }
        py.check_signals()?;
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Ok(false);
        }
    }
}
