//! The structures of Arrow's C data interface, and bounds for the numbers in them.

use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};

/// `struct ArrowSchema`, for reading.
#[repr(C)]
pub(super) struct RawSchema {
    pub(super) format: *const c_char,
    pub(super) name: *const c_char,
    pub(super) metadata: *const c_char,
    pub(super) flags: i64,
    pub(super) n_children: i64,
    pub(super) children: *const *const Self,
    pub(super) dictionary: *const Self,
    pub(super) release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

/// `struct ArrowArray`, for reading.
#[repr(C)]
pub(super) struct RawArray {
    pub(super) length: i64,
    pub(super) null_count: i64,
    pub(super) offset: i64,
    pub(super) n_buffers: i64,
    pub(super) n_children: i64,
    pub(super) buffers: *const *const c_void,
    pub(super) children: *const *const Self,
    pub(super) dictionary: *const Self,
    pub(super) release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

const _: () = assert!(size_of::<RawSchema>() == size_of::<FFI_ArrowSchema>());
const _: () = assert!(size_of::<RawArray>() == size_of::<FFI_ArrowArray>());

/// The most rows, columns and levels of a table; a larger number is taken for a fault.
pub(super) const MOST_ITEMS: usize = 1 << 40;
pub(super) const MOST_COLUMNS: usize = 1 << 16;

pub(super) type ImportResult<T> = Result<T, String>;

/// Turns a panic into an error. The checks leave no reason for one, but a later release of the Arrow crates might.
pub(super) fn guarded<T>(read: impl FnOnce() -> ImportResult<T>) -> ImportResult<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err("it is malformed".to_owned()))
}

pub(super) fn count(given: i64, what: &str, most: usize) -> ImportResult<usize> {
    match usize::try_from(given) {
        Ok(count) if count <= most => Ok(count),
        _ => Err(format!("{what} is {given}")),
    }
}
