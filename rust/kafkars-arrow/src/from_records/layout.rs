//! Which columns are made of records, and their Arrow types.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema, SchemaRef, TimeUnit};

/// A part of a record that becomes a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordColumn {
    /// The key as binary; null where the record has none.
    Key,
    /// The value as binary; null for a tombstone.
    Value,
    /// The topic's name, as a dictionary of text with int32 indices.
    Topic,
    /// The partition, int32.
    Partition,
    /// The offset, int64.
    Offset,
    /// Milliseconds since 1970 in UTC; null where the record has none.
    Timestamp,
    /// Who set the timestamp, int32: 0 the producer (CreateTime), 1 the broker (LogAppendTime).
    TimestampType,
    /// A list of structs of `key` (text) and `value` (binary, may be null).
    Headers,
}

impl RecordColumn {
    /// Every column, in the order of Spark's Kafka source.
    pub const ALL: [Self; 8] = [
        Self::Key,
        Self::Value,
        Self::Topic,
        Self::Partition,
        Self::Offset,
        Self::Timestamp,
        Self::TimestampType,
        Self::Headers,
    ];

    /// The column's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Value => "value",
            Self::Topic => "topic",
            Self::Partition => "partition",
            Self::Offset => "offset",
            Self::Timestamp => "timestamp",
            Self::TimestampType => "timestampType",
            Self::Headers => "headers",
        }
    }

    /// The column of this name.
    pub fn named(name: &str) -> Result<Self, UnknownColumn> {
        let mut all = Self::ALL.into_iter();
        all.find(|column| column.name() == name)
            .ok_or_else(|| UnknownColumn {
                name: name.to_owned(),
            })
    }

    fn field(self) -> Field {
        let (data_type, nullable) = match self {
            Self::Key | Self::Value => (DataType::Binary, true),
            Self::Topic => (
                DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
                false,
            ),
            Self::Partition | Self::TimestampType => (DataType::Int32, false),
            Self::Offset => (DataType::Int64, false),
            Self::Timestamp => (
                DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
                true,
            ),
            Self::Headers => (
                DataType::List(Arc::new(Field::new(
                    "item",
                    DataType::Struct(header_fields()),
                    false,
                ))),
                false,
            ),
        };
        Field::new(self.name(), data_type, nullable)
    }
}

/// The two fields of a header.
pub(super) fn header_fields() -> Fields {
    Fields::from(vec![
        Field::new("key", DataType::Utf8, false),
        Field::new("value", DataType::Binary, true),
    ])
}

/// A name that is no column of records.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is no column of records; there are {}", RecordColumn::ALL.map(RecordColumn::name).join(", "))]
pub struct UnknownColumn {
    /// The name.
    pub name: String,
}

/// The columns wanted, in their order.
#[derive(Debug, Clone)]
pub struct RecordLayout {
    columns: Vec<RecordColumn>,
    schema: SchemaRef,
}

impl RecordLayout {
    /// A layout of some columns, each once: a later mention of a column counts for nothing.
    pub fn new(named: &[RecordColumn]) -> Self {
        let mut columns: Vec<RecordColumn> = Vec::new();
        for column in named {
            if !columns.contains(column) {
                columns.push(*column);
            }
        }
        let fields: Vec<Field> = columns.iter().map(|column| column.field()).collect();
        Self {
            columns,
            schema: Arc::new(Schema::new(fields)),
        }
    }

    /// The columns, in their order.
    pub fn columns(&self) -> &[RecordColumn] {
        &self.columns
    }

    /// The Arrow schema of the columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    pub(super) fn has(&self, column: RecordColumn) -> bool {
        self.columns.contains(&column)
    }
}

impl Default for RecordLayout {
    fn default() -> Self {
        Self::new(&RecordColumn::ALL)
    }
}
