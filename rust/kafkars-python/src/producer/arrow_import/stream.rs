//! A stream of record batches, as a capsule hands it over.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_schema::{Schema, SchemaRef};

use super::array::batch;
use super::layout::ImportResult;
use super::schema::schema;

/// `struct ArrowArrayStream`.
#[repr(C)]
pub(in crate::producer) struct RawStream {
    get_schema: Option<unsafe extern "C" fn(*mut Self, *mut FFI_ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Self, *mut FFI_ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Self) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

/// A stream of record batches, taken over from its capsule.
pub(in crate::producer) struct ImportedStream {
    raw: Box<RawStream>,
    pub(in crate::producer) schema: SchemaRef,
}

// SAFETY: the interface lets a stream be used from any thread, one at a time, and it is used through `&mut`.
unsafe impl Send for ImportedStream {}

impl ImportedStream {
    /// Takes the stream over and asks for its schema.
    ///
    /// # Safety
    /// `stream` must point to an `ArrowArrayStream` whose functions are null or the interface's.
    pub(in crate::producer) unsafe fn open(stream: *mut RawStream) -> ImportResult<Self> {
        // SAFETY: the caller's promise, here and below.
        let taken = unsafe { std::ptr::read(stream) };
        if taken.release.is_none() {
            return Err("the stream was released".to_owned());
        }
        // The original is marked as released, so that the capsule's destructor leaves it alone. SAFETY: as above.
        unsafe { (*stream).release = None };
        let mut made = Self {
            raw: Box::new(taken),
            schema: Arc::new(Schema::empty()),
        };
        let (Some(ask), Some(_)) = (made.raw.get_schema, made.raw.get_next) else {
            return Err("the stream has no function for its schema or its next batch".to_owned());
        };
        let mut found = FFI_ArrowSchema::empty();
        // SAFETY: as above.
        let code = unsafe { ask(&raw mut *made.raw, &raw mut found) };
        if code != 0 {
            return Err(made.failure(code));
        }
        // SAFETY: the stream has filled it.
        made.schema = unsafe { schema(&raw const found, std::ptr::null())? };
        Ok(made)
    }

    /// The next batch; none at the end.
    pub(in crate::producer) fn next(
        &mut self,
        wanted: &[&str],
    ) -> ImportResult<Option<RecordBatch>> {
        let Some(ask) = self.raw.get_next else {
            return Ok(None);
        };
        let mut found = FFI_ArrowArray::empty();
        // SAFETY: the promise of whoever opened the stream.
        let code = unsafe { ask(&raw mut *self.raw, &raw mut found) };
        if code != 0 {
            return Err(self.failure(code));
        }
        if found.is_released() {
            return Ok(None);
        }
        batch(found, &self.schema, wanted).map(Some)
    }

    fn failure(&mut self, code: c_int) -> String {
        let told = self.raw.get_last_error.and_then(|ask| {
            // SAFETY: the promise of whoever opened the stream.
            let told = NonNull::new(unsafe { ask(&raw mut *self.raw) }.cast_mut())?;
            // SAFETY: as above; the text is valid until the next call.
            let told = unsafe { CStr::from_ptr(told.as_ptr()) };
            Some(told.to_string_lossy().into_owned())
        });
        format!(
            "the stream failed: {}",
            told.unwrap_or_else(|| format!("error {code}"))
        )
    }
}

impl Drop for ImportedStream {
    fn drop(&mut self) {
        if let Some(release) = self.raw.release.take() {
            self.raw.release = Some(release);
            // SAFETY: it is not released yet, and is not used any more.
            unsafe { release(&raw mut *self.raw) };
        }
    }
}
