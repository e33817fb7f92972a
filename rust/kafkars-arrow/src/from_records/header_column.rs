//! Builds the column of headers.

use std::sync::Arc;

use arrow_array::types::{BinaryType, Utf8Type};
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;
use kafkars_records::{Batch, RecordView};

use super::bytes_column::BytesColumn;
use super::layout::{ColumnTypes, header_fields, header_item};

/// The lists of headers: the end of each record's list, and the keys and values of all.
pub(super) struct HeaderColumn {
    types: ColumnTypes,
    ends: Vec<i32>,
    nulls: NullBufferBuilder,
    keys: BytesColumn,
    values: BytesColumn,
    count: i32,
}

impl HeaderColumn {
    pub(super) fn new(types: ColumnTypes) -> Self {
        Self {
            types,
            ends: vec![0],
            nulls: NullBufferBuilder::new(0),
            keys: BytesColumn::new(),
            values: BytesColumn::new(),
            count: 0,
        }
    }

    pub(super) fn reserve(&mut self, items: usize) {
        self.ends.reserve(items);
    }

    /// True if the headers of a record of `size` bytes fit. Keys that are not UTF-8 grow threefold at most.
    pub(super) fn has_room(&self, size: usize) -> bool {
        self.keys.has_room(size.saturating_mul(3)) && self.values.has_room(size)
    }

    pub(super) fn push(&mut self, batch: &Batch, view: &RecordView) {
        if view.header_count > 0 {
            for header in batch.headers(view) {
                self.keys.push(Some(header.key_text().as_bytes()));
                self.values.push(header.value.map(|span| batch.slice(span)));
                self.count = self.count.saturating_add(1);
            }
        }
        self.ends.push(self.count);
        let is_null = self.types == ColumnTypes::Spark && view.header_count == 0;
        self.nulls.append(!is_null);
    }

    pub(super) fn finish(mut self) -> Result<ArrayRef, ArrowError> {
        let fields = header_fields(self.types);
        let columns = vec![
            self.keys.finish::<Utf8Type>()?,
            self.values.finish::<BinaryType>()?,
        ];
        let pairs = StructArray::try_new(fields, columns, None)?;
        let ends = OffsetBuffer::new(ScalarBuffer::from(self.ends));
        Ok(Arc::new(ListArray::try_new(
            header_item(self.types),
            ends,
            Arc::new(pairs),
            self.nulls.finish(),
        )?))
    }
}
