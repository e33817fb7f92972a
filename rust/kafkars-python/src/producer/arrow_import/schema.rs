//! A table's schema, checked before its children are followed.

use std::ffi::{CStr, c_char};
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_schema::{DataType, Schema, SchemaRef};

use super::layout::{ImportResult, MOST_COLUMNS, RawArray, RawSchema, count, guarded};

const MOST_LEVELS: usize = 64;
const LONGEST_TEXT: usize = 1 << 20;

/// Reads a table's schema. Where its array is there as well, both must be of one shape before their children are
/// followed.
///
/// # Safety
/// `schema` must point to memory of an `ArrowSchema`, whatever it holds, and `array` be null or point to an
/// `ArrowArray`; pointers in them must be null or point to what the interface says.
pub(in crate::producer) unsafe fn schema(
    schema: *const FFI_ArrowSchema,
    array: *const FFI_ArrowArray,
) -> ImportResult<SchemaRef> {
    // SAFETY: the caller's promise; the layouts are the interface's.
    unsafe { check_schema(schema.cast(), array.cast(), 0)? };
    let read = || {
        // SAFETY: as above.
        let data_type = DataType::try_from(unsafe { &*schema });
        data_type.map_err(|problem| problem.to_string())
    };
    match guarded(read)? {
        DataType::Struct(fields) => Ok(Arc::new(Schema::new(fields))),
        other => Err(format!("expected a record batch, not an array of {other}")),
    }
}

/// # Safety
/// As [`schema`].
unsafe fn check_schema(
    schema: *const RawSchema,
    array: *const RawArray,
    level: usize,
) -> ImportResult<()> {
    if level > MOST_LEVELS {
        return Err(format!(
            "the schema is nested more than {MOST_LEVELS} levels deep"
        ));
    }
    // SAFETY: the caller's promise, for all that follows.
    let Some(schema) = (unsafe { schema.as_ref() }) else {
        return Err("the schema has a child that is null".to_owned());
    };
    if schema.release.is_none() {
        return Err("the schema was released".to_owned());
    }
    // SAFETY: as above.
    let format = unsafe { text(schema.format, "format")? };
    let Some(format) = format else {
        return Err("the schema has no format".to_owned());
    };
    if format.contains(":-") {
        return Err(format!("the schema has a negative width: {format:?}"));
    }
    // SAFETY: as above.
    unsafe { text(schema.name, "name")? };
    let children = count(schema.n_children, "n_children of the schema", MOST_COLUMNS)?;
    if children > 0 && schema.children.is_null() {
        return Err(format!("the schema says {children} children and has none"));
    }
    let expected = match format.as_bytes() {
        [b'+', b'l' | b'L' | b'm' | b'w', ..] | [b'+', b'v', ..] => Some(1),
        [b'+', b'r', ..] => Some(2),
        [b'+', ..] => None,
        _ => Some(0),
    };
    if expected.is_some_and(|expected| expected != children) {
        return Err(format!(
            "the schema has {children} children under format {format:?}"
        ));
    }
    // SAFETY: as above.
    let array = unsafe { array.as_ref() };
    if let Some(array) = array {
        if array.release.is_none() {
            return Err("the array was released".to_owned());
        }
        if array.n_children != schema.n_children || (children > 0 && array.children.is_null()) {
            return Err(format!(
                "the schema has {children} children, and the array {}",
                array.n_children
            ));
        }
    }
    for index in 0..children {
        // SAFETY: as above; both have so many.
        unsafe {
            let child = array.map_or(std::ptr::null(), |array| *array.children.add(index));
            check_schema(*schema.children.add(index), child, level + 1)?;
        }
    }
    if !schema.dictionary.is_null() {
        // SAFETY: as above.
        unsafe { check_schema(schema.dictionary, std::ptr::null(), level + 1)? };
    }
    Ok(())
}

/// # Safety
/// `text` must be null or point to text that ends with a zero.
unsafe fn text<'a>(text: *const c_char, what: &str) -> ImportResult<Option<&'a str>> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise; no more than the limit is read.
    let length = unsafe { libc::strnlen(text, LONGEST_TEXT) };
    if length == LONGEST_TEXT {
        return Err(format!("the schema has a {what} without an end"));
    }
    // SAFETY: it ends within the limit.
    let found = unsafe { CStr::from_ptr(text) }.to_str();
    found
        .map(Some)
        .map_err(|_| format!("the schema has a {what} that is not UTF-8"))
}
