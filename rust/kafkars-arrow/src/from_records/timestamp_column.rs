//! Builds the column of timestamps.

use std::sync::Arc;

use arrow_array::{ArrayRef, TimestampMicrosecondArray, TimestampMillisecondArray};
use arrow_buffer::{NullBufferBuilder, ScalarBuffer};
use arrow_schema::ArrowError;

use super::layout::ColumnTypes;

/// The timestamps, in milliseconds, or in microseconds for Spark.
pub(super) struct TimestampColumn {
    types: ColumnTypes,
    values: Vec<i64>,
    nulls: NullBufferBuilder,
}

impl TimestampColumn {
    pub(super) fn new(types: ColumnTypes) -> Self {
        Self {
            types,
            values: Vec::new(),
            nulls: NullBufferBuilder::new(0),
        }
    }

    pub(super) fn reserve(&mut self, items: usize) {
        self.values.reserve(items);
    }

    /// Adds a timestamp in ms. False if it does not fit the column's unit; then nothing is added.
    #[inline]
    #[must_use]
    pub(super) fn push(&mut self, milliseconds: i64) -> bool {
        match self.types {
            ColumnTypes::Native => {
                self.values.push(milliseconds);
                // -1 means that the record has no timestamp, as those of message format 0.
                self.nulls.append(milliseconds >= 0);
            }
            ColumnTypes::Spark => {
                let Some(microseconds) = milliseconds.checked_mul(1_000) else {
                    return false;
                };
                self.values.push(microseconds);
                self.nulls.append_non_null();
            }
        }
        true
    }

    pub(super) fn finish(mut self) -> Result<ArrayRef, ArrowError> {
        let (values, nulls) = (ScalarBuffer::from(self.values), self.nulls.finish());
        Ok(match self.types {
            ColumnTypes::Native => {
                let array = TimestampMillisecondArray::try_new(values, nulls)?;
                Arc::new(array.with_timezone("UTC"))
            }
            ColumnTypes::Spark => {
                let array = TimestampMicrosecondArray::try_new(values, nulls)?;
                Arc::new(array.with_timezone("UTC"))
            }
        })
    }
}
