//! Builds an Arrow record batch from runs of records.

use std::sync::Arc;

use arrow_array::types::BinaryType;
use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, RecordBatchOptions};
use arrow_schema::ArrowError;
use kafkars_records::{Batch, RecordView, Span, TimestampType};

use super::bytes_column::BytesColumn;
use super::error::RecordColumnsError;
use super::header_column::HeaderColumn;
use super::layout::{RecordColumn, RecordLayout};
use super::timestamp_column::TimestampColumn;
use super::topic_column::TopicColumn;

/// Collects records as columns, those of its layout only.
pub struct RecordColumnsBuilder<'a> {
    layout: &'a RecordLayout,
    rows: usize,
    // How many records and bytes there is to be room for.
    expected: (usize, usize),
    key: Option<BytesColumn>,
    value: Option<BytesColumn>,
    headers: Option<HeaderColumn>,
    offsets: Option<Vec<i64>>,
    timestamps: Option<TimestampColumn>,
    // The same for all records of a run.
    topics: Option<TopicColumn>,
    partitions: Vec<i32>,
    timestamp_types: Vec<i32>,
}

impl<'a> RecordColumnsBuilder<'a> {
    /// Makes columns without rows.
    pub fn new(layout: &'a RecordLayout) -> Self {
        let has = |column| layout.has(column);
        let types = layout.types();
        Self {
            layout,
            rows: 0,
            expected: (0, 0),
            key: has(RecordColumn::Key).then(BytesColumn::new),
            value: has(RecordColumn::Value).then(BytesColumn::new),
            headers: has(RecordColumn::Headers).then(|| HeaderColumn::new(types)),
            offsets: has(RecordColumn::Offset).then(Vec::new),
            timestamps: has(RecordColumn::Timestamp).then(|| TimestampColumn::new(types)),
            topics: has(RecordColumn::Topic).then(|| TopicColumn::new(types)),
            partitions: Vec::new(),
            timestamp_types: Vec::new(),
        }
    }

    /// How many records were added so far.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Makes room for so many records of so many bytes in all. Without it a column grows by doubling, and is copied
    /// each time.
    pub fn reserve(&mut self, records: usize, bytes: usize) {
        let bytes = bytes.min(i32::MAX as usize);
        self.expected = (records, bytes);
        if let Some(value) = &mut self.value {
            value.reserve(records, bytes);
        }
        if let Some(headers) = &mut self.headers {
            headers.reserve(records);
        }
        if let Some(offsets) = &mut self.offsets {
            offsets.reserve(records);
        }
        if let Some(timestamps) = &mut self.timestamps {
            timestamps.reserve(records);
        }
        if self.layout.has(RecordColumn::Partition) {
            self.partitions.reserve(records);
        }
        if self.layout.has(RecordColumn::TimestampType) {
            self.timestamp_types.reserve(records);
        }
    }

    /// Makes room for keys and topics, supposing that all records have such as the first one has.
    fn reserve_like(&mut self, topic: &str, first: &RecordView) {
        let (records, bytes) = self.expected;
        if let Some(key) = &mut self.key {
            let size = first.key.map_or(0, Span::len);
            key.reserve(records, bytes.min(size.saturating_mul(records)));
        }
        if let Some(topics) = &mut self.topics {
            topics.reserve(topic, records);
        }
    }

    /// Adds up to `count` records of a batch, from position `start` on (see [`Batch::record_at`]). Returns how many
    /// were added and the position of the next one: fewer than `count` only if a column is full, which it is at 2 GiB;
    /// the rest has to go into another record batch. After an error the builder must not be used any more.
    pub fn append(
        &mut self,
        topic: &Arc<str>,
        partition: i32,
        batch: &Batch,
        start: u32,
        count: u32,
    ) -> Result<(u32, u32), RecordColumnsError> {
        if self.rows == 0 && count > 0 {
            self.reserve_like(topic, &batch.record_at(start));
        }
        let fitting = self
            .topics
            .as_ref()
            .map_or(usize::MAX, |topics| topics.room(topic));
        let fitting = count.min(u32::try_from(fitting).unwrap_or(u32::MAX));
        let rest = batch.data().len().saturating_sub(start as usize);
        let has_room_for_all = self.has_room(rest);
        let mut position = start;
        let mut added = 0;
        while added < fitting {
            let view = batch.record_at(position);
            let size = view.next.saturating_sub(position) as usize;
            if !has_room_for_all && !self.has_room(size) {
                break;
            }
            if !self.push(batch, &view) {
                return Err(RecordColumnsError::TimestampRange {
                    topic: Arc::clone(topic),
                    partition,
                    offset: view.offset,
                    timestamp: view.timestamp,
                });
            }
            position = view.next;
            added += 1;
        }
        self.append_run(
            topic,
            partition,
            batch.header.attributes.timestamp_type(),
            added,
        );
        Ok((added, position))
    }

    /// Returns the record batch of everything added.
    pub fn finish(mut self) -> Result<RecordBatch, ArrowError> {
        let columns: Result<Vec<ArrayRef>, ArrowError> = self
            .layout
            .columns()
            .iter()
            .map(|column| self.column(*column))
            .collect();
        // A batch without columns still has rows.
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        RecordBatch::try_new_with_options(Arc::clone(self.layout.schema()), columns?, &options)
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

    /// Adds a record. False if its timestamp does not fit the column's unit.
    #[inline]
    fn push(&mut self, batch: &Batch, view: &RecordView) -> bool {
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
        let timestamps = self.timestamps.as_mut();
        timestamps.is_none_or(|timestamps| timestamps.push(view.timestamp))
    }

    fn append_run(&mut self, topic: &Arc<str>, partition: i32, set_by: TimestampType, added: u32) {
        self.rows += added as usize;
        if let Some(topics) = &mut self.topics {
            topics.append_run(topic, added as usize);
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

    /// Takes the array of one column; a layout names each once.
    fn column(&mut self, column: RecordColumn) -> Result<ArrayRef, ArrowError> {
        Ok(match column {
            RecordColumn::Key => taken(&mut self.key)?.finish::<BinaryType>()?,
            RecordColumn::Value => taken(&mut self.value)?.finish::<BinaryType>()?,
            RecordColumn::Headers => taken(&mut self.headers)?.finish()?,
            RecordColumn::Offset => Arc::new(Int64Array::from(taken(&mut self.offsets)?)),
            RecordColumn::Timestamp => taken(&mut self.timestamps)?.finish()?,
            RecordColumn::Topic => taken(&mut self.topics)?.finish()?,
            RecordColumn::Partition => {
                Arc::new(Int32Array::from(std::mem::take(&mut self.partitions)))
            }
            RecordColumn::TimestampType => {
                Arc::new(Int32Array::from(std::mem::take(&mut self.timestamp_types)))
            }
        })
    }
}

/// Takes the content of a column.
fn taken<T>(column: &mut Option<T>) -> Result<T, ArrowError> {
    column
        .take()
        .ok_or_else(|| ArrowError::InvalidArgumentError("a column was named twice".to_owned()))
}
