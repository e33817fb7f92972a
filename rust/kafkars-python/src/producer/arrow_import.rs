//! What other libraries hand over through Arrow's C data interface, checked before it is read.
//!
//! The interface tells no sizes of buffers: they follow from lengths and offsets, which a faulty library may have got
//! wrong. So every number is compared with the others that speak of the same thing, a child is read as far as its
//! parent needs it and no further, and every array is validated in full. Columns that nobody asked for are not touched.
//! What cannot be seen is a number that agrees with all others and is larger than the memory behind it.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::array::make_array;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_buffer::Buffer;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema, SchemaRef};

/// `struct ArrowSchema`, for reading.
#[repr(C)]
struct RawSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *const *const Self,
    dictionary: *const Self,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

/// `struct ArrowArray`, for reading.
#[repr(C)]
struct RawArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *const *const Self,
    dictionary: *const Self,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

/// `struct ArrowArrayStream`.
#[repr(C)]
pub(super) struct RawStream {
    get_schema: Option<unsafe extern "C" fn(*mut Self, *mut FFI_ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Self, *mut FFI_ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Self) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Self)>,
    private_data: *mut c_void,
}

const _: () = assert!(size_of::<RawSchema>() == size_of::<FFI_ArrowSchema>());
const _: () = assert!(size_of::<RawArray>() == size_of::<FFI_ArrowArray>());

/// No table has more rows, columns or levels than this; more is a number that is not one.
const MOST_ITEMS: usize = 1 << 40;
const MOST_COLUMNS: usize = 1 << 16;
const MOST_LEVELS: usize = 64;
const LONGEST_TEXT: usize = 1 << 20;

type Checked<T> = Result<T, String>;

/// Reads a table's schema. Where its array is there as well, both must be of one shape before their children are
/// followed.
///
/// # Safety
/// `schema` must point to memory of an `ArrowSchema`, whatever it holds, and `array` be null or point to an
/// `ArrowArray`; pointers in them must be null or point to what the interface says.
pub(super) unsafe fn schema(
    schema: *const FFI_ArrowSchema,
    array: *const FFI_ArrowArray,
) -> Checked<SchemaRef> {
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

/// A record batch without rows.
pub(super) fn empty(schema: &SchemaRef) -> Checked<RecordBatch> {
    guarded(|| Ok(RecordBatch::new_empty(Arc::clone(schema))))
}

/// A record batch of the columns that `wanted` names.
pub(super) fn batch(
    array: FFI_ArrowArray,
    schema: &SchemaRef,
    wanted: &[&str],
) -> Checked<RecordBatch> {
    let owner = Arc::new(array);
    let raw: *const RawArray = Arc::as_ptr(&owner).cast();
    guarded(|| {
        let import = Import(&owner);
        // SAFETY: `owner` holds the structure, and its children as long as it is not released.
        let table = unsafe { import.node(raw, None, 1, schema.fields().len())? };
        if table.mask.is_some() && import.nulls(&table)? > 0 {
            return Err("rows that are null as a whole cannot be sent".to_owned());
        }
        let (mut fields, mut columns) = (Vec::<Arc<Field>>::new(), Vec::new());
        for (index, field) in schema.fields().iter().enumerate() {
            if !wanted.contains(&field.name().as_str()) {
                continue;
            }
            // SAFETY: `node` has counted the children.
            let child = unsafe { *table.raw.children.add(index) };
            let named = |problem| format!("column {:?}: {problem}", field.name());
            // SAFETY: as above.
            let column = unsafe { import.array(child, field.data_type(), Some(table.end)) };
            let column = column.map_err(named)?.slice(table.offset, table.length);
            let field = Field::new(field.name(), column.data_type().clone(), true);
            fields.push(Arc::new(field));
            columns.push(make_array(column));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(table.length));
        let made =
            RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options);
        made.map_err(|problem| problem.to_string())
    })
}

/// The checks below leave nothing to panic about; should a release of the Arrow crates disagree, it is an error as
/// well.
fn guarded<T>(read: impl FnOnce() -> Checked<T>) -> Checked<T> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err("it is malformed".to_owned()))
}

/// # Safety
/// As [`schema`].
unsafe fn check_schema(
    schema: *const RawSchema,
    array: *const RawArray,
    level: usize,
) -> Checked<()> {
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
unsafe fn text<'a>(text: *const c_char, what: &str) -> Checked<Option<&'a str>> {
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

fn count(given: i64, what: &str, most: usize) -> Checked<usize> {
    match usize::try_from(given) {
        Ok(count) if count <= most => Ok(count),
        _ => Err(format!("{what} is {given}")),
    }
}

/// Reads arrays that `0` keeps alive.
struct Import<'a>(&'a Arc<FFI_ArrowArray>);

/// The checked numbers of one array.
struct Node<'a> {
    raw: &'a RawArray,
    length: usize,
    offset: usize,
    /// Items before and in the array.
    end: usize,
    /// Whether all items are read that the array has.
    is_whole: bool,
    mask: Option<Buffer>,
}

impl<'a> Import<'a> {
    /// Checks what all arrays have. `needed` is how many items the parent needs.
    ///
    /// # Safety
    /// `raw` must be null or point to an array that the owner keeps alive.
    unsafe fn node(
        &self,
        raw: *const RawArray,
        needed: Option<usize>,
        buffers: usize,
        children: usize,
    ) -> Checked<Node<'a>> {
        // SAFETY: the caller's promise.
        let Some(raw) = (unsafe { raw.as_ref() }) else {
            return Err("the array is null".to_owned());
        };
        if raw.release.is_none() {
            return Err("the array was released".to_owned());
        }
        let has = count(raw.length, "length", MOST_ITEMS)?;
        let offset = count(raw.offset, "offset", MOST_ITEMS)?;
        let length = needed.unwrap_or(has);
        if has < length {
            return Err(format!(
                "an array has {has} items where {length} are needed"
            ));
        }
        if raw.null_count < -1 || raw.null_count > raw.length {
            return Err(format!("null_count is {} of {has} items", raw.null_count));
        }
        let found = count(raw.n_buffers, "n_buffers", MOST_COLUMNS)?;
        if found < buffers || (found > 0 && raw.buffers.is_null()) {
            return Err(format!(
                "an array has {found} buffers where {buffers} are needed"
            ));
        }
        let found = count(raw.n_children, "n_children", MOST_COLUMNS)?;
        if found != children || (found > 0 && raw.children.is_null()) {
            return Err(format!(
                "an array has {found} children where {children} are needed"
            ));
        }
        let mut node = Node {
            raw,
            length,
            offset,
            end: length + offset,
            is_whole: has == length,
            mask: None,
        };
        if buffers > 0 {
            // SAFETY: there is a first buffer, and it is the validity bitmap of as many items.
            node.mask = unsafe { self.buffer(raw, 0, node.end.div_ceil(8))? };
            if node.mask.is_none() && raw.null_count > 0 && node.end > 0 {
                return Err(format!(
                    "null_count is {} without a validity buffer",
                    raw.null_count
                ));
            }
        }
        Ok(node)
    }

    /// How many items are null.
    fn nulls(&self, node: &Node<'_>) -> Checked<usize> {
        let Some(mask) = &node.mask else {
            return Ok(0);
        };
        let valid = mask.count_set_bits_offset(node.offset, node.length);
        let nulls = node.length - valid;
        let said = node.raw.null_count;
        if node.is_whole && said >= 0 && usize::try_from(said) != Ok(nulls) {
            return Err(format!("null_count is {said}, and {nulls} items are null"));
        }
        Ok(nulls)
    }

    /// A buffer of `length` bytes; none where it is null.
    ///
    /// # Safety
    /// `index` must be below `raw.n_buffers`, and the buffer null or of at least that length.
    unsafe fn buffer(
        &self,
        raw: &RawArray,
        index: usize,
        length: usize,
    ) -> Checked<Option<Buffer>> {
        // SAFETY: the caller's promise.
        let pointer = unsafe { *raw.buffers.add(index) };
        let Some(pointer) = NonNull::new(pointer.cast_mut().cast::<u8>()) else {
            return Ok(None);
        };
        if length == 0 {
            return Ok(Some(Buffer::from_vec(Vec::<u8>::new())));
        }
        if isize::try_from(length).is_err() {
            return Err(format!("a buffer of {length} bytes"));
        }
        let owner: Arc<FFI_ArrowArray> = Arc::clone(self.0);
        // SAFETY: as above, and the owner keeps it alive.
        Ok(Some(unsafe {
            Buffer::from_custom_allocation(pointer, length, owner)
        }))
    }

    /// A buffer that may be missing only where it is empty.
    ///
    /// # Safety
    /// As [`Self::buffer`].
    unsafe fn data(&self, raw: &RawArray, index: usize, length: Option<usize>) -> Checked<Buffer> {
        let length = length.ok_or("a buffer is larger than memory")?;
        // SAFETY: the caller's promise.
        match unsafe { self.buffer(raw, index, length)? } {
            Some(buffer) => Ok(buffer),
            None if length == 0 => Ok(Buffer::from_vec(Vec::<u8>::new())),
            None => Err(format!(
                "buffer {index} is null where {length} bytes are needed"
            )),
        }
    }

    /// Offsets of `width` bytes each, and where the items end that they speak of.
    ///
    /// # Safety
    /// As [`Self::buffer`], for buffer 1 and one offset more than items.
    unsafe fn offsets(&self, node: &Node<'_>, width: usize) -> Checked<(Buffer, usize)> {
        if node.end == 0 {
            // Without items there may be no offset at all, or any.
            return Ok((Buffer::from_vec(vec![0u8; width]), 0));
        }
        // SAFETY: the caller's promise.
        let buffer = unsafe { self.data(node.raw, 1, (node.end + 1).checked_mul(width))? };
        let bytes = &buffer[node.end * width..];
        let last = match width {
            4 => bytes
                .first_chunk()
                .map(|bytes| i64::from(i32::from_le_bytes(*bytes))),
            _ => bytes.first_chunk().map(|bytes| i64::from_le_bytes(*bytes)),
        };
        let last = count(last.unwrap_or(-1), "the last offset", MOST_ITEMS)?;
        Ok((buffer, last))
    }

    /// An array, validated in full.
    ///
    /// # Safety
    /// `raw` must be null or point to an array that the owner keeps alive.
    unsafe fn array(
        &self,
        raw: *const RawArray,
        data_type: &DataType,
        needed: Option<usize>,
    ) -> Checked<ArrayData> {
        // A map is laid out as a list of pairs, whose nullability libraries do not agree about.
        let list = match data_type {
            DataType::Map(item, _) => Some(DataType::List(Arc::clone(item))),
            _ => None,
        };
        let data_type = list.as_ref().unwrap_or(data_type);
        let (buffers, children) = match data_type {
            DataType::Null => (0, 0),
            DataType::Binary | DataType::Utf8 | DataType::LargeBinary | DataType::LargeUtf8 => {
                (3, 0)
            }
            DataType::BinaryView | DataType::Utf8View => (3, 0),
            DataType::List(_) => (2, 1),
            DataType::Struct(fields) => (1, fields.len()),
            _ => (2, 0),
        };
        // SAFETY: the caller's promise, for all that follows; `node` has counted buffers and children.
        let node = unsafe { self.node(raw, needed, buffers, children)? };
        let raw = node.raw;
        let mut data = Vec::new();
        let mut parts = Vec::new();
        // SAFETY: as above.
        unsafe {
            match data_type {
                DataType::Null => return Ok(ArrayData::new_null(data_type, node.end)),
                DataType::Binary | DataType::Utf8 => {
                    let (offsets, last) = self.offsets(&node, 4)?;
                    data = vec![offsets, self.data(raw, 2, Some(last))?];
                }
                DataType::LargeBinary | DataType::LargeUtf8 => {
                    let (offsets, last) = self.offsets(&node, 8)?;
                    data = vec![offsets, self.data(raw, 2, Some(last))?];
                }
                DataType::BinaryView | DataType::Utf8View => {
                    data.push(self.data(raw, 1, node.end.checked_mul(16))?);
                    data.append(&mut self.view_data(raw)?);
                }
                DataType::List(item) => {
                    let (offsets, last) = self.offsets(&node, 4)?;
                    data.push(offsets);
                    parts.push(self.array(*raw.children, item.data_type(), Some(last))?);
                }
                DataType::Struct(fields) => {
                    for (index, field) in fields.iter().enumerate() {
                        let child = *raw.children.add(index);
                        parts.push(self.array(child, field.data_type(), Some(node.end))?);
                    }
                }
                DataType::FixedSizeBinary(width) => {
                    let width = count(i64::from(*width), "the width", MOST_ITEMS)?;
                    data.push(self.data(raw, 1, node.end.checked_mul(width))?);
                }
                other => {
                    let width = other.primitive_width();
                    let width = width.ok_or_else(|| format!("{other} cannot be sent"))?;
                    data.push(self.data(raw, 1, node.end.checked_mul(width))?);
                }
            }
        }
        self.nulls(&node)?;
        // The items before the offset belong to it, so that a parent's offset counts from the same place.
        let built = ArrayData::builder(data_type.clone())
            .len(node.length)
            .offset(node.offset)
            .null_bit_buffer(node.mask)
            .buffers(data)
            .child_data(parts)
            .align_buffers(true)
            .build();
        built.map_err(|problem| problem.to_string())
    }

    /// The data buffers of a view array, whose lengths are in its last buffer.
    ///
    /// # Safety
    /// `raw` must be a view array with at least three buffers.
    unsafe fn view_data(&self, raw: &RawArray) -> Checked<Vec<Buffer>> {
        let last = count(raw.n_buffers, "n_buffers", MOST_COLUMNS)? - 1;
        let many = last - 2;
        // SAFETY: the caller's promise.
        let lengths = unsafe { self.data(raw, last, many.checked_mul(8))? };
        let lengths = lengths.chunks_exact(8).map(|bytes| {
            let length = bytes
                .first_chunk()
                .map_or(-1, |bytes| i64::from_le_bytes(*bytes));
            count(length, "the length of a buffer", MOST_ITEMS)
        });
        let buffers = lengths.enumerate().map(|(index, length)| {
            // SAFETY: as above.
            unsafe { self.data(raw, 2 + index, Some(length?)) }
        });
        buffers.collect()
    }
}

/// A stream of record batches, taken over from its capsule.
pub(super) struct Stream {
    raw: Box<RawStream>,
    pub(super) schema: SchemaRef,
}

// SAFETY: the interface lets a stream be used from any thread, one at a time, and it is used through `&mut`.
unsafe impl Send for Stream {}

impl Stream {
    /// Takes the stream over and asks for its schema.
    ///
    /// # Safety
    /// `stream` must point to an `ArrowArrayStream` whose functions are null or the interface's.
    pub(super) unsafe fn open(stream: *mut RawStream) -> Checked<Self> {
        // SAFETY: the caller's promise, here and below.
        let taken = unsafe { std::ptr::read(stream) };
        if taken.release.is_none() {
            return Err("the stream was released".to_owned());
        }
        // What stays is marked as released: the capsule's destructor leaves it alone.
        // SAFETY: as above.
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
    pub(super) fn next(&mut self, wanted: &[&str]) -> Checked<Option<RecordBatch>> {
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

impl Drop for Stream {
    fn drop(&mut self) {
        if let Some(release) = self.raw.release.take() {
            self.raw.release = Some(release);
            // SAFETY: it is not released yet, and is not used any more.
            unsafe { release(&raw mut *self.raw) };
        }
    }
}
