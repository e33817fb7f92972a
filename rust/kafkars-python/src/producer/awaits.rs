//! What the caller of an asynchronous send awaits: the delivery or the admission.

use kafkars_client::Delivery;
use pyo3::prelude::*;

use crate::aio::PyFuture;
use crate::metadata::ReportFunction;

/// What the caller awaits.
#[derive(Clone, Copy)]
pub(crate) enum Awaits {
    /// The record's metadata.
    Delivery,
    /// Room for the record, and then a future of its metadata.
    Admission,
}

impl Awaits {
    /// The future of a record that is in a batch already.
    #[inline]
    pub(super) fn delivery(
        self,
        py: Python<'_>,
        delivery: Delivery,
        report: ReportFunction,
    ) -> PyResult<PyFuture> {
        let future = PyFuture::delivery(delivery, report);
        match self {
            Self::Delivery => Ok(future),
            Self::Admission => Ok(PyFuture::ready(future.into_object(py)?.into_any().unbind())),
        }
    }
}
