//! Callbacks of synchronous deliveries: noted when added, run on the thread that calls `poll()`, `flush()` or `close()`.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kafkars_client::{BatchDelivery, Delivery};
use parking_lot::{Condvar, Mutex};
use pyo3::prelude::*;

use super::delivery::PyDeliveryFuture;
use super::interceptors::Interceptors;

/// The callbacks of one producer.
#[derive(Default)]
pub(crate) struct Callbacks {
    // Guards callbacks of batches under way, by the batch's address; the entry keeps the batch, and so the address.
    waiting: Mutex<HashMap<usize, Group>>,
    // Guards callbacks whose turn has come.
    due: Mutex<VecDeque<Call>>,
    news: Arc<News>,
}

struct Group {
    calls: Vec<Call>,
    _batch: Arc<BatchDelivery>,
}

enum Call {
    Callback {
        function: Py<PyAny>,
        future: Py<PyDeliveryFuture>,
    },
    Acknowledgement {
        delivery: Delivery,
        interceptors: Arc<Interceptors>,
    },
}

impl Call {
    fn run(self, py: Python<'_>) -> PyResult<()> {
        match self {
            Self::Callback { function, future } => function.call1(py, (future,)).map(drop),
            Self::Acknowledgement {
                delivery,
                interceptors,
            } => interceptors.delivered(py, &delivery),
        }
    }
}

/// What the runtime's threads tell: addresses of finished batches.
#[derive(Default)]
struct News {
    /// There may be something in `finished` or `due`.
    any: AtomicBool,
    // Guards the addresses.
    finished: Mutex<Vec<usize>>,
    changed: Condvar,
}

impl Callbacks {
    /// Notes a callback for a future that is not done.
    pub(crate) fn add(
        &self,
        batch: &Arc<BatchDelivery>,
        function: Py<PyAny>,
        future: Py<PyDeliveryFuture>,
    ) {
        self.note(batch, Call::Callback { function, future });
    }

    /// Notes that interceptors are to be told of a delivery.
    pub(super) fn acknowledge(
        &self,
        batch: &Arc<BatchDelivery>,
        delivery: Delivery,
        interceptors: Arc<Interceptors>,
    ) {
        let call = Call::Acknowledgement {
            delivery,
            interceptors,
        };
        self.note(batch, call);
    }

    fn note(&self, batch: &Arc<BatchDelivery>, call: Call) {
        let address = Arc::as_ptr(batch) as usize;
        match self.waiting.lock().entry(address) {
            Entry::Occupied(entry) => {
                entry.into_mut().calls.push(call);
                return;
            }
            Entry::Vacant(entry) => {
                entry.insert(Group {
                    calls: vec![call],
                    _batch: Arc::clone(batch),
                });
            }
        }
        let news = Arc::clone(&self.news);
        batch.on_done(move || news.tell(address));
    }

    /// Runs the callbacks whose turn has come. The exception of one reaches the caller; the rest keep their turn.
    #[inline]
    pub(crate) fn serve(&self, py: Python<'_>) -> PyResult<usize> {
        // Looked at with every result: most of the time a plain load is all it takes.
        if !self.news.any.load(Ordering::Relaxed) || !self.news.any.swap(false, Ordering::AcqRel) {
            return Ok(0);
        }
        self.run_due(py)
    }

    fn run_due(&self, py: Python<'_>) -> PyResult<usize> {
        let finished = std::mem::take(&mut *self.news.finished.lock());
        for address in finished {
            let group = self.waiting.lock().remove(&address);
            self.due
                .lock()
                .extend(group.into_iter().flat_map(|group| group.calls));
        }
        let mut served = 0;
        loop {
            let Some(call) = self.due.lock().pop_front() else {
                return Ok(served);
            };
            if let Err(error) = call.run(py) {
                self.news.any.store(true, Ordering::Release);
                return Err(error);
            }
            served += 1;
        }
    }

    /// Whether any callback has not run.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.lock().is_empty() && self.due.lock().is_empty()
    }

    /// Blocks this thread until there may be something to run, at most for `timeout`.
    pub(crate) fn wait(&self, timeout: Duration) -> bool {
        let mut finished = self.news.finished.lock();
        if self.news.any.load(Ordering::Acquire) {
            return true;
        }
        self.news.changed.wait_for(&mut finished, timeout);
        self.news.any.load(Ordering::Acquire)
    }
}

impl News {
    fn tell(&self, address: usize) {
        let mut finished = self.finished.lock();
        finished.push(address);
        self.any.store(true, Ordering::Release);
        self.changed.notify_all();
    }
}
