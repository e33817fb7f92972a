//! The columns of an Arrow record batch, read as records.

use arrow_array::{ArrayRef, RecordBatch};
use kafkars_records::Header;

use crate::error::{ColumnError, Unfit};
use crate::headers::Headers;
use crate::numbers::NumberColumn;
use crate::payloads::Payloads;

/// The names of the columns for each part of a record. A part without a name is missing from every record.
#[derive(Debug, Clone, Default)]
pub struct ColumnNames {
    /// The column of values; nulls are tombstones.
    pub value: Option<String>,
    /// The column of keys.
    pub key: Option<String>,
    /// The column of headers.
    pub headers: Option<String>,
    /// The column of timestamps; where one is null the time of sending is used.
    pub timestamp: Option<String>,
    /// The column of partitions; where one is null the partitioner chooses.
    pub partition: Option<String>,
}

impl ColumnNames {
    /// The names that are given.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        let all = [
            &self.value,
            &self.key,
            &self.headers,
            &self.timestamp,
            &self.partition,
        ];
        all.into_iter().filter_map(Option::as_deref)
    }
}

/// The columns of one record batch, by part of a record.
#[derive(Debug, Clone)]
pub struct RecordColumns {
    rows: usize,
    value: Option<Payloads>,
    key: Option<Payloads>,
    headers: Option<Headers>,
    timestamp: Option<NumberColumn>,
    partition: Option<NumberColumn>,
}

impl RecordColumns {
    /// Finds the columns and checks their types and values. Errors count rows from `first_row`, the index of the
    /// batch's first row in its table.
    pub fn new(
        batch: &RecordBatch,
        names: &ColumnNames,
        first_row: usize,
    ) -> Result<Self, ColumnError> {
        let find = Finder { batch, first_row };
        let payloads = |array: &ArrayRef| Payloads::new(array).ok_or(Unfit::Type);
        Ok(Self {
            rows: batch.num_rows(),
            value: find.column("value", &names.value, payloads, Payloads::EXPECTED)?,
            key: find.column("key", &names.key, payloads, Payloads::EXPECTED)?,
            headers: find.column("headers", &names.headers, Headers::new, Headers::EXPECTED)?,
            timestamp: find.column(
                "timestamp",
                &names.timestamp,
                NumberColumn::milliseconds,
                NumberColumn::TIMESTAMPS,
            )?,
            partition: find.column(
                "partition",
                &names.partition,
                NumberColumn::partitions,
                NumberColumn::PARTITIONS,
            )?,
        })
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// The value of a record; `None` for a tombstone.
    #[inline]
    pub fn value(&self, row: usize) -> Option<&[u8]> {
        self.value.as_ref()?.get(row)
    }

    /// The key of a record.
    #[inline]
    pub fn key(&self, row: usize) -> Option<&[u8]> {
        self.key.as_ref()?.get(row)
    }

    /// The timestamp of a record in ms, if it has its own.
    #[inline]
    pub fn timestamp(&self, row: usize) -> Option<i64> {
        self.timestamp.as_ref()?.get(row)
    }

    /// The partition of a record, if it names one.
    #[inline]
    pub fn partition(&self, row: usize) -> Option<i32> {
        let named = self.partition.as_ref()?.get(row)?;
        i32::try_from(named).ok()
    }

    /// The headers of a record.
    pub fn headers(&self, row: usize) -> impl Iterator<Item = Header<'_>> {
        let headers = self.headers.iter();
        headers.flat_map(move |headers| headers.get(row))
    }

    /// True if there is a column of headers.
    #[inline]
    pub fn has_headers(&self) -> bool {
        self.headers.is_some()
    }
}

struct Finder<'a> {
    batch: &'a RecordBatch,
    first_row: usize,
}

impl Finder<'_> {
    fn column<T>(
        &self,
        role: &'static str,
        name: &Option<String>,
        read: impl Fn(&ArrayRef) -> Result<T, Unfit>,
        expected: &'static str,
    ) -> Result<Option<T>, ColumnError> {
        let Some(name) = name else {
            return Ok(None);
        };
        let array = self.array(role, name)?;
        let problem = match read(array) {
            Ok(column) => return Ok(Some(column)),
            Err(problem) => problem,
        };
        let name = name.clone();
        Err(match problem {
            Unfit::Type => ColumnError::Type {
                role,
                name,
                found: array.data_type().clone(),
                expected,
            },
            Unfit::Zone => ColumnError::Zone { role, name },
            Unfit::Range { row, value } => ColumnError::Range {
                role,
                name,
                row: self.first_row + row,
                value,
            },
            Unfit::Unit { row, value, unit } => ColumnError::Unit {
                role,
                name,
                row: self.first_row + row,
                value,
                unit,
            },
            Unfit::NullName { row } => ColumnError::NullName {
                role,
                name,
                row: self.first_row + row,
            },
        })
    }

    /// The only column with this name.
    fn array(&self, role: &'static str, name: &str) -> Result<&ArrayRef, ColumnError> {
        let fields = || self.batch.schema_ref().fields().iter();
        let mut found = fields()
            .zip(self.batch.columns())
            .filter(|(field, _)| field.name() == name)
            .map(|(_, array)| array);
        let name = || name.to_owned();
        match (found.next(), found.count()) {
            (Some(array), 0) => Ok(array),
            (Some(_), others) => Err(ColumnError::Ambiguous {
                role,
                name: name(),
                count: 1 + others,
            }),
            (None, _) => Err(ColumnError::Missing {
                role,
                name: name(),
                present: fields().map(|field| field.name().clone()).collect(),
            }),
        }
    }
}
