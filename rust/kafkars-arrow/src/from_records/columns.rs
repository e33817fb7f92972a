//! Columns under construction: runs of records are added, a record batch comes out.

use std::sync::Arc;

use arrow_array::types::{BinaryType, Int32Type};
use arrow_array::{
    ArrayRef, DictionaryArray, Int32Array, Int64Array, RecordBatch, RecordBatchOptions,
    StringArray, TimestampMillisecondArray,
};
use arrow_buffer::{NullBufferBuilder, ScalarBuffer};
use arrow_schema::ArrowError;
use kafkars_records::{Batch, RecordView, TimestampType};

use super::bytes_column::BytesColumn;
use super::header_column::HeaderColumn;
use super::layout::{RecordColumn, RecordLayout};

/// Collects records as columns. Only the columns of the layout are built.
pub struct RecordColumnsBuilder<'a> {
    layout: &'a RecordLayout,
    rows: usize,
    key: Option<BytesColumn>,
    value: Option<BytesColumn>,
    headers: Option<HeaderColumn>,
    offsets: Option<Vec<i64>>,
    timestamps: Option<Timestamps>,
    // Of all records of a run alike.
    topics: Vec<Arc<str>>,
    topic_indices: Vec<i32>,
    partitions: Vec<i32>,
    timestamp_types: Vec<i32>,
}

struct Timestamps {
    values: Vec<i64>,
    nulls: NullBufferBuilder,
}

impl<'a> RecordColumnsBuilder<'a> {
    /// Columns without rows.
    pub fn new(layout: &'a RecordLayout) -> Self {
        let has = |column| layout.has(column);
        Self {
            layout,
            rows: 0,
            key: has(RecordColumn::Key).then(BytesColumn::new),
            value: has(RecordColumn::Value).then(BytesColumn::new),
            headers: has(RecordColumn::Headers).then(HeaderColumn::new),
            offsets: has(RecordColumn::Offset).then(Vec::new),
            timestamps: has(RecordColumn::Timestamp).then(|| Timestamps {
                values: Vec::new(),
                nulls: NullBufferBuilder::new(0),
            }),
            topics: Vec::new(),
            topic_indices: Vec::new(),
            partitions: Vec::new(),
            timestamp_types: Vec::new(),
        }
    }

    /// Records added so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Adds up to `count` records of a batch, from the byte position `start` on, as [`Batch::record_at`] takes it. Returns
    /// how many were added and where the next one stands: fewer than `count` only if a column is full, which is at 2 GiB
    /// of bytes; the rest belongs to another record batch.
    pub fn append(
        &mut self,
        topic: &Arc<str>,
        partition: i32,
        batch: &Batch,
        start: u32,
        count: u32,
    ) -> (u32, u32) {
        self.reserve(batch, start, count);
        let mut position = start;
        let mut added = 0;
        while added < count {
            let view = batch.record_at(position);
            let size = view.next.saturating_sub(position) as usize;
            if !self.has_room(size) {
                break;
            }
            self.push(batch, &view);
            position = view.next;
            added += 1;
        }
        self.append_run(
            topic,
            partition,
            batch.header.attributes.timestamp_type(),
            added,
        );
        (added, position)
    }

    /// The record batch of everything added.
    pub fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        let columns: Result<Vec<ArrayRef>, ArrowError> = self
            .layout
            .columns()
            .iter()
            .map(|column| self.column(*column))
            .collect();
        // Without any column a batch still has rows.
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        RecordBatch::try_new_with_options(Arc::clone(self.layout.schema()), columns?, &options)
    }

    fn reserve(&mut self, batch: &Batch, start: u32, count: u32) {
        let items = count as usize;
        let bytes = batch.data().len().saturating_sub(start as usize);
        if let Some(key) = &mut self.key {
            key.reserve(items, 0);
        }
        if let Some(value) = &mut self.value {
            value.reserve(items, bytes);
        }
        if let Some(headers) = &mut self.headers {
            headers.reserve(items);
        }
        if let Some(offsets) = &mut self.offsets {
            offsets.reserve(items);
        }
        if let Some(timestamps) = &mut self.timestamps {
            timestamps.values.reserve(items);
        }
    }

    fn has_room(&self, size: usize) -> bool {
        let bytes = [&self.key, &self.value].into_iter().flatten();
        bytes.into_iter().all(|column| column.has_room(size))
            && self
                .headers
                .as_ref()
                .is_none_or(|headers| headers.has_room(size))
            && i32::try_from(self.rows).is_ok()
    }

    #[inline]
    fn push(&mut self, batch: &Batch, view: &RecordView) {
        if let Some(key) = &mut self.key {
            key.push(view.key.map(|span| batch.slice(span)));
        }
        if let Some(value) = &mut self.value {
            value.push(view.value.map(|span| batch.slice(span)));
        }
        if let Some(headers) = &mut self.headers {
            headers.push(batch, view);
        }
        if let Some(offsets) = &mut self.offsets {
            offsets.push(view.offset);
        }
        if let Some(Timestamps { values, nulls }) = &mut self.timestamps {
            values.push(view.timestamp);
            // A record of a time before timestamps has -1.
            nulls.append(view.timestamp >= 0);
        }
    }

    fn append_run(&mut self, topic: &Arc<str>, partition: i32, set_by: TimestampType, added: u32) {
        self.rows += added as usize;
        if self.layout.has(RecordColumn::Topic) {
            let index = self.topic_index(topic);
            self.topic_indices.resize(self.rows, index);
        }
        if self.layout.has(RecordColumn::Partition) {
            self.partitions.resize(self.rows, partition);
        }
        if self.layout.has(RecordColumn::TimestampType) {
            let number = match set_by {
                TimestampType::CreateTime => 0,
                TimestampType::LogAppendTime => 1,
            };
            self.timestamp_types.resize(self.rows, number);
        }
    }

    /// Place of a topic in the dictionary. Runs of one topic follow each other, so the last one is looked at first.
    fn topic_index(&mut self, topic: &Arc<str>) -> i32 {
        let found = self.topics.iter().rposition(|known| known == topic);
        let index = found.unwrap_or_else(|| {
            self.topics.push(Arc::clone(topic));
            self.topics.len() - 1
        });
        i32::try_from(index).unwrap_or(i32::MAX)
    }

    /// The array of one column, moved out: a layout names each once.
    fn column(&mut self, column: RecordColumn) -> Result<ArrayRef, ArrowError> {
        Ok(match column {
            RecordColumn::Key => taken(&mut self.key)?.finish::<BinaryType>()?,
            RecordColumn::Value => taken(&mut self.value)?.finish::<BinaryType>()?,
            RecordColumn::Headers => taken(&mut self.headers)?.finish()?,
            RecordColumn::Offset => Arc::new(Int64Array::from(taken(&mut self.offsets)?)),
            RecordColumn::Timestamp => {
                let Timestamps { values, mut nulls } = taken(&mut self.timestamps)?;
                let array =
                    TimestampMillisecondArray::try_new(ScalarBuffer::from(values), nulls.finish())?;
                Arc::new(array.with_timezone("UTC"))
            }
            RecordColumn::Topic => {
                let names = StringArray::from_iter_values(self.topics.iter());
                let indices = Int32Array::from(std::mem::take(&mut self.topic_indices));
                Arc::new(DictionaryArray::<Int32Type>::try_new(
                    indices,
                    Arc::new(names),
                )?)
            }
            RecordColumn::Partition => {
                Arc::new(Int32Array::from(std::mem::take(&mut self.partitions)))
            }
            RecordColumn::TimestampType => {
                Arc::new(Int32Array::from(std::mem::take(&mut self.timestamp_types)))
            }
        })
    }
}

/// A column's content.
fn taken<T>(column: &mut Option<T>) -> Result<T, ArrowError> {
    column
        .take()
        .ok_or_else(|| ArrowError::InvalidArgumentError("a column was named twice".to_owned()))
}
