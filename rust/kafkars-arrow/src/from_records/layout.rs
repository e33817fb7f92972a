//! Which columns are made of records, and their Arrow types.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef, TimeUnit};

/// The Arrow types of the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColumnTypes {
    /// The closest types: topics as a dictionary, timestamps in Kafka's milliseconds, nullable only where something can
    /// be missing.
    #[default]
    Native,
    /// The types of Spark's Kafka source: topics as plain text, timestamps in microseconds, every field nullable, and
    /// null instead of an empty list of headers. Spark compares schemas exactly.
    Spark,
}

impl ColumnTypes {
    /// The names of the variants.
    pub const NAMES: [(&'static str, Self); 2] = [("native", Self::Native), ("spark", Self::Spark)];

    /// The variant with this name.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::NAMES.into_iter();
        all.find(|(known, _)| *known == name)
            .map(|(_, types)| types)
    }
}

/// A part of a record that becomes a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordColumn {
    /// The key as binary; null where the record has none.
    Key,
    /// The value as binary; null for a tombstone.
    Value,
    /// The topic's name, as a dictionary of text with int32 indices; for Spark as text.
    Topic,
    /// The partition, int32.
    Partition,
    /// The offset, int64.
    Offset,
    /// The timestamp in ms since 1970 in UTC; null if the record has none. For Spark in microseconds, and -1 ms if
    /// there is none, as in its own source.
    Timestamp,
    /// The timestamp type, int32: 0 for CreateTime (the producer's), 1 for LogAppendTime (the broker's).
    TimestampType,
    /// The headers, a list of structs of `key` (text) and `value` (binary, may be null). For Spark null instead of an
    /// empty list.
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

    /// The column with this name.
    pub fn named(name: &str) -> Result<Self, UnknownColumn> {
        let mut all = Self::ALL.into_iter();
        all.find(|column| column.name() == name)
            .ok_or_else(|| UnknownColumn {
                name: name.to_owned(),
            })
    }

    fn field(self, types: ColumnTypes) -> Field {
        let for_spark = types == ColumnTypes::Spark;
        let (data_type, nullable) = match self {
            Self::Key | Self::Value => (DataType::Binary, true),
            Self::Topic if for_spark => (DataType::Utf8, true),
            Self::Topic => (
                DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
                false,
            ),
            Self::Partition | Self::TimestampType => (DataType::Int32, false),
            Self::Offset => (DataType::Int64, false),
            Self::Timestamp => {
                let unit = match types {
                    ColumnTypes::Native => TimeUnit::Millisecond,
                    ColumnTypes::Spark => TimeUnit::Microsecond,
                };
                (DataType::Timestamp(unit, Some("UTC".into())), true)
            }
            Self::Headers => (DataType::List(header_item(types)), false),
        };
        Field::new(self.name(), data_type, nullable || for_spark)
    }
}

/// The Arrow field of one header in a list.
pub(super) fn header_item(types: ColumnTypes) -> FieldRef {
    let item = DataType::Struct(header_fields(types));
    Arc::new(match types {
        ColumnTypes::Native => Field::new("item", item, false),
        ColumnTypes::Spark => Field::new("element", item, true),
    })
}

/// The two fields of a header.
pub(super) fn header_fields(types: ColumnTypes) -> Fields {
    Fields::from(vec![
        Field::new("key", DataType::Utf8, types == ColumnTypes::Spark),
        Field::new("value", DataType::Binary, true),
    ])
}

/// A name that is not one of a record's columns.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is no column of records; there are {}", RecordColumn::ALL.map(RecordColumn::name).join(", "))]
pub struct UnknownColumn {
    /// The name.
    pub name: String,
}

/// The columns to build, in their order.
#[derive(Debug, Clone)]
pub struct RecordLayout {
    columns: Vec<RecordColumn>,
    types: ColumnTypes,
    schema: SchemaRef,
}

impl RecordLayout {
    /// Makes a layout of some columns; a column named again is ignored.
    pub fn new(named: &[RecordColumn], types: ColumnTypes) -> Self {
        let mut columns: Vec<RecordColumn> = Vec::new();
        for column in named {
            if !columns.contains(column) {
                columns.push(*column);
            }
        }
        let fields: Vec<Field> = columns.iter().map(|column| column.field(types)).collect();
        Self {
            columns,
            types,
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

    pub(super) fn types(&self) -> ColumnTypes {
        self.types
    }

    pub(super) fn has(&self, column: RecordColumn) -> bool {
        self.columns.contains(&column)
    }
}

impl Default for RecordLayout {
    fn default() -> Self {
        Self::new(&RecordColumn::ALL, ColumnTypes::default())
    }
}
