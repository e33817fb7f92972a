//! The columns of an imported table: every number of an array is compared with the others, and the array is validated
//! in full.

use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::array::make_array;
use arrow_array::ffi::FFI_ArrowArray;
use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_buffer::Buffer;
use arrow_buffer::bit_util::get_bit;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use super::layout::{ImportResult, MOST_COLUMNS, MOST_ITEMS, RawArray, count, guarded};

/// A record batch without rows.
pub(in crate::producer) fn empty(schema: &SchemaRef) -> ImportResult<RecordBatch> {
    guarded(|| Ok(RecordBatch::new_empty(Arc::clone(schema))))
}

/// A record batch of the columns that `wanted` names.
pub(in crate::producer) fn batch(
    array: FFI_ArrowArray,
    schema: &SchemaRef,
    wanted: &[&str],
) -> ImportResult<RecordBatch> {
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

/// Reads arrays that `0` keeps alive.
struct Import<'a>(&'a Arc<FFI_ArrowArray>);

/// One array whose numbers are checked.
struct ArrayNode<'a> {
    raw: &'a RawArray,
    length: usize,
    offset: usize,
    /// How many items there are before and in the array.
    end: usize,
    /// Whether all items of the array are read.
    is_whole: bool,
    mask: Option<Buffer>,
}

impl<'a> Import<'a> {
    /// Checks the numbers that all arrays have. `needed` is how many items the parent needs.
    ///
    /// # Safety
    /// `raw` must be null or point to an array that the owner keeps alive.
    unsafe fn node(
        &self,
        raw: *const RawArray,
        needed: Option<usize>,
        buffers: usize,
        children: usize,
    ) -> ImportResult<ArrayNode<'a>> {
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
        let mut node = ArrayNode {
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
    fn nulls(&self, node: &ArrayNode<'_>) -> ImportResult<usize> {
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

    /// A buffer of `length` bytes; `None` if it is null.
    ///
    /// # Safety
    /// `index` must be below `raw.n_buffers`, and the buffer null or of at least that length.
    unsafe fn buffer(
        &self,
        raw: &RawArray,
        index: usize,
        length: usize,
    ) -> ImportResult<Option<Buffer>> {
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
    unsafe fn data(
        &self,
        raw: &RawArray,
        index: usize,
        length: Option<usize>,
    ) -> ImportResult<Buffer> {
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

    /// Offsets of `width` bytes each, and the end of the items that they refer to.
    ///
    /// # Safety
    /// As [`Self::buffer`], for buffer 1 and one offset more than items.
    unsafe fn offsets(&self, node: &ArrayNode<'_>, width: usize) -> ImportResult<(Buffer, usize)> {
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
    ) -> ImportResult<ArrayData> {
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
            DataType::List(_) | DataType::LargeList(_) => (2, 1),
            DataType::FixedSizeList(..) => (1, 1),
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
                DataType::LargeList(item) => {
                    let (offsets, last) = self.offsets(&node, 8)?;
                    data.push(offsets);
                    parts.push(self.array(*raw.children, item.data_type(), Some(last))?);
                }
                DataType::FixedSizeList(item, width) => {
                    let width = count(i64::from(*width), "the width", MOST_ITEMS)?;
                    let items = node.end.checked_mul(width);
                    let items = items.ok_or("a list is larger than memory")?;
                    parts.push(self.array(*raw.children, item.data_type(), Some(items))?);
                }
                DataType::Dictionary(index, item) => {
                    let width = index.primitive_width();
                    let width = width.ok_or_else(|| format!("{index} is no index"))?;
                    let indices = self.data(raw, 1, node.end.checked_mul(width))?;
                    let items = items_named(&node, &indices, index, width)?;
                    data.push(indices);
                    parts.push(self.array(raw.dictionary, item, Some(items))?);
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
    unsafe fn view_data(&self, raw: &RawArray) -> ImportResult<Vec<Buffer>> {
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

/// How many items of a dictionary the rows need: its own length cannot be compared with anything.
fn items_named(
    node: &ArrayNode<'_>,
    indices: &Buffer,
    index: &DataType,
    width: usize,
) -> ImportResult<usize> {
    let is_null = |row: usize| {
        let mask = node.mask.as_deref();
        mask.is_some_and(|mask| !get_bit(mask, row))
    };
    let mut items = 0;
    let rows = indices.chunks_exact(width).enumerate().skip(node.offset);
    for (_, bytes) in rows.filter(|(row, _)| !is_null(*row)) {
        let mut wide = [0; 8];
        wide[..width].copy_from_slice(bytes);
        let is_negative = index.is_signed_integer() && bytes[width - 1] >= 0x80;
        let named = u64::from_le_bytes(wide);
        match usize::try_from(named) {
            Ok(named) if !is_negative && named < MOST_ITEMS => items = items.max(named + 1),
            _ => {
                return Err(
                    "a row names a category before the first, or far beyond the last".to_owned(),
                );
            }
        }
    }
    Ok(items)
}
