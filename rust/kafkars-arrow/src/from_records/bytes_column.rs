//! Builds a binary column.

use std::sync::Arc;

use arrow_array::{ArrayRef, GenericByteArray, types::ByteArrayType};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;

use super::memory;

/// The bytes of all items one after the other, the ends of the items, and which of them are null.
pub(super) struct BytesColumn {
    data: Vec<u8>,
    ends: Vec<i32>,
    nulls: NullBufferBuilder,
}

impl BytesColumn {
    pub(super) fn new() -> Self {
        Self {
            data: Vec::new(),
            ends: vec![0],
            nulls: NullBufferBuilder::new(0),
        }
    }

    pub(super) fn reserve(&mut self, items: usize, bytes: usize) {
        self.ends.reserve(items);
        if self.data.capacity() == 0 {
            self.data = memory::with_room(bytes);
        } else {
            self.data.reserve(bytes);
        }
    }

    /// True if `more` bytes fit: an Arrow array of this type holds at most 2 GiB.
    pub(super) fn has_room(&self, more: usize) -> bool {
        let length = self.data.len().checked_add(more);
        length.is_some_and(|length| i32::try_from(length).is_ok())
    }

    /// Adds an item. The caller has checked [`BytesColumn::has_room`].
    #[inline]
    pub(super) fn push(&mut self, item: Option<&[u8]>) {
        match item {
            Some(bytes) => {
                self.data.extend_from_slice(bytes);
                self.nulls.append_non_null();
            }
            None => self.nulls.append_null(),
        }
        self.ends
            .push(i32::try_from(self.data.len()).unwrap_or(i32::MAX));
    }

    /// How many more items of `size` bytes fit.
    pub(super) fn room(&self, size: usize) -> usize {
        let bytes = (i32::MAX as usize).saturating_sub(self.data.len());
        bytes.checked_div(size).unwrap_or(usize::MAX)
    }

    /// Adds the same item `count` times. The caller has checked [`BytesColumn::room`].
    pub(super) fn push_repeated(&mut self, item: &[u8], count: usize) {
        self.reserve(count, item.len().saturating_mul(count));
        for _ in 0..count {
            self.push(Some(item));
        }
    }

    /// Returns the array of all items. Fails if text is not UTF-8.
    pub(super) fn finish<T: ByteArrayType<Offset = i32>>(mut self) -> Result<ArrayRef, ArrowError> {
        let array = GenericByteArray::<T>::try_new(
            OffsetBuffer::new(ScalarBuffer::from(self.ends)),
            memory::into_buffer(self.data),
            self.nulls.finish(),
        )?;
        Ok(Arc::new(array))
    }
}
