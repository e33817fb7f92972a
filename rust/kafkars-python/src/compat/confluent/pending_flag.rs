//! Tells a client of this face that something waits to be run on the application's thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pyo3::prelude::*;

use crate::error;
use crate::runtime;

/// A flag that `poll()` looks at for every record, so looking must cost nothing.
#[pyclass(name = "PendingFlag", module = "kafkars._kafkars", frozen)]
pub(crate) struct PyPendingFlag(PendingFlag);

/// The same for the runtime's threads.
#[derive(Clone, Default)]
pub(crate) struct PendingFlag {
    rung: Arc<AtomicBool>,
}

impl PendingFlag {
    /// Rings.
    pub(crate) fn ring(&self) {
        self.rung.store(true, Ordering::Release);
    }
}

impl PyPendingFlag {
    /// Whether it was rung since it was answered.
    #[inline]
    pub(crate) fn is_rung(&self) -> bool {
        self.0.rung.load(Ordering::Acquire)
    }

    /// For threads without interpreter.
    pub(crate) fn handle(&self) -> PendingFlag {
        self.0.clone()
    }

    /// Whoever calls this does what it was rung for.
    pub(crate) fn answer(&self) {
        self.0.rung.store(false, Ordering::Release);
    }
}

#[pymethods]
impl PyPendingFlag {
    #[new]
    fn new() -> Self {
        Self(PendingFlag::default())
    }

    /// Rings, from any thread.
    pub(crate) fn ring(&self) {
        self.0.ring();
    }

    /// Rings every `seconds` from now on, as long as there is somebody to hear it.
    fn every(&self, seconds: f64) -> PyResult<()> {
        let Some(period) = Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|period| !period.is_zero())
        else {
            return Err(error::argument(format!(
                "seconds: expected a positive time, not {seconds}"
            )));
        };
        let rung = Arc::downgrade(&self.0.rung);
        runtime::handle()?.spawn(async move {
            let mut ticks = tokio::time::interval(period);
            ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            ticks.tick().await;
            loop {
                ticks.tick().await;
                match rung.upgrade() {
                    Some(rung) => rung.store(true, Ordering::Release),
                    None => return,
                }
            }
        });
        Ok(())
    }
}
