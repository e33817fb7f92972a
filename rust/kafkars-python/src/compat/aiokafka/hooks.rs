//! Methods that aiokafka calls for every record, `_serialize()` and `_partition()`, which programs may replace.

#[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED)))]
use std::sync::atomic::{AtomicU32, Ordering};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::imports::AIOKAFKA_HOOKS;

/// Tells whether a producer has the library's own methods, so that a record need not go by them.
#[derive(Default)]
pub(super) struct Hooks {
    /// The version of the class that had the library's own when they were looked up last. The interpreter gives a
    /// class another one when the class or one of those that it derives from changes, and never gives one twice.
    #[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED)))]
    version: AtomicU32,
}

impl Hooks {
    /// True if neither a class nor the object itself, whose `attributes` are given, has put others in their place.
    #[inline]
    pub(super) fn are_own(
        &self,
        producer: &Bound<'_, PyAny>,
        attributes: &Bound<'_, PyDict>,
    ) -> PyResult<bool> {
        let py = producer.py();
        Ok(self.are_own_of(&producer.get_type())?
            && !attributes.contains(intern!(py, "_serialize"))?
            && !attributes.contains(intern!(py, "_partition"))?)
    }

    #[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED)))]
    #[inline]
    fn are_own_of(&self, class: &Bound<'_, PyType>) -> PyResult<bool> {
        // 0 is no version.
        let known = self.version.load(Ordering::Relaxed);
        if known != 0 && known == version_of(class) {
            return Ok(true);
        }
        let are_own = look_up(class)?;
        if are_own {
            self.version.store(version_of(class), Ordering::Relaxed);
        }
        Ok(are_own)
    }

    /// Looks them up each time: this interpreter does not show versions of classes.
    #[cfg(any(Py_LIMITED_API, Py_GIL_DISABLED))]
    fn are_own_of(&self, class: &Bound<'_, PyType>) -> PyResult<bool> {
        look_up(class)
    }
}

/// 0 where the class has none at the moment, as after a change.
#[cfg(not(any(Py_LIMITED_API, Py_GIL_DISABLED)))]
#[inline]
fn version_of(class: &Bound<'_, PyType>) -> u32 {
    // SAFETY: the class is alive, and attached, so nobody changes it meanwhile.
    unsafe {
        let class = class.as_type_ptr();
        match (*class).tp_flags & pyo3::ffi::Py_TPFLAGS_VALID_VERSION_TAG {
            0 => 0,
            _ => (*class).tp_version_tag,
        }
    }
}

#[cold]
fn look_up(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let py = class.py();
    let (serialize, partition): (Bound<'_, PyAny>, Bound<'_, PyAny>) =
        AIOKAFKA_HOOKS.get(py)?.extract()?;
    Ok(class.getattr(intern!(py, "_serialize"))?.is(&serialize)
        && class.getattr(intern!(py, "_partition"))?.is(&partition))
}
