//! A flag by which any thread tells a client that something waits to be run on the application's thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pyo3::prelude::*;

use crate::error;
use crate::runtime;

/// A flag that `poll()` looks at for every record, so looking must cost nothing.
#[pyclass(name = "PendingFlag", module = "kafkars._kafkars", frozen)]
pub(crate) struct PyPendingFlag(PendingFlag);

/// The flag as the runtime's threads hold it.
#[derive(Clone, Default)]
pub(crate) struct PendingFlag {
    is_set: Arc<AtomicBool>,
}

impl PendingFlag {
    /// Notes that something waits.
    pub(crate) fn set(&self) {
        self.is_set.store(true, Ordering::Release);
    }
}

impl PyPendingFlag {
    /// The flag itself, for threads that are not attached to the interpreter.
    pub(crate) fn handle(&self) -> PendingFlag {
        self.0.clone()
    }
}

#[pymethods]
impl PyPendingFlag {
    #[new]
    fn new() -> Self {
        Self(PendingFlag::default())
    }

    /// True if something waits.
    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::Acquire)
    }

    /// Whoever calls this runs what waits.
    pub(crate) fn clear(&self) {
        self.0.is_set.store(false, Ordering::Release);
    }

    /// Something waits, says any thread.
    pub(crate) fn set(&self) {
        self.0.set();
    }

    /// Sets it every `seconds` from now on, as long as somebody can see it.
    fn set_every(&self, seconds: f64) -> PyResult<()> {
        let Some(period) = Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|period| !period.is_zero())
        else {
            return Err(error::argument(format!(
                "seconds: expected a positive time, not {seconds}"
            )));
        };
        let is_set = Arc::downgrade(&self.0.is_set);
        runtime::handle()?.spawn(async move {
            let mut ticks = tokio::time::interval(period);
            ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            ticks.tick().await;
            loop {
                ticks.tick().await;
                match is_set.upgrade() {
                    Some(is_set) => is_set.store(true, Ordering::Release),
                    None => return,
                }
            }
        });
        Ok(())
    }
}
