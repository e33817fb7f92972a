//! Errors of tables that cannot be sent.

use arrow_schema::DataType;

/// Why a column cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ColumnError {
    /// There is no column with this name.
    #[error("{role}: there is no column {name:?}; the table has {}", present.join(", "))]
    Missing {
        /// The part of a record that the column is for.
        role: &'static str,
        /// The column's name.
        name: String,
        /// The names of the columns that there are.
        present: Vec<String>,
    },
    /// There are several columns with this name.
    #[error(
        "{role}: the table has {count} columns named {name:?}; which one is meant cannot be told, so rename or drop the others"
    )]
    Ambiguous {
        /// The part of a record that the column is for.
        role: &'static str,
        /// The columns' name.
        name: String,
        /// How many there are.
        count: usize,
    },
    /// The type of the column cannot be used.
    #[error("{role}: column {name:?} has type {found}; {expected} can be sent, so cast it first")]
    Type {
        /// The part of a record that the column is for.
        role: &'static str,
        /// The column's name.
        name: String,
        /// The column's type.
        found: DataType,
        /// The types that can be used.
        expected: &'static str,
    },
    /// The timestamps have no time zone.
    #[error(
        "{role}: column {name:?} has no time zone, so its times name no moments; give it the zone that they are in, such \
         as UTC (pyarrow.compute.assume_timezone, dt.tz_localize of pandas, dt.replace_time_zone of polars)"
    )]
    Zone {
        /// The part of a record that the column is for.
        role: &'static str,
        /// The column's name.
        name: String,
    },
    /// A number is out of range.
    #[error("{role}: {value} in row {row} of column {name:?} is out of range")]
    Range {
        /// The part of a record that the column is for.
        role: &'static str,
        /// The column's name.
        name: String,
        /// The row of the table.
        row: usize,
        /// The number, in the column's unit.
        value: i128,
    },
    /// A timestamp seems to have another unit than milliseconds.
    #[error(
        "{role}: {value} in row {row} of column {name:?} looks like {unit}; a column of whole numbers is in ms, so divide \
         it, or cast it to a timestamp of its unit"
    )]
    Unit {
        /// The part of a record that the column is for.
        role: &'static str,
        /// The column's name.
        name: String,
        /// The row of the table.
        row: usize,
        /// The number.
        value: i64,
        /// The unit that it seems to have.
        unit: &'static str,
    },
    /// The key of a header is null, which Kafka does not allow.
    #[error(
        "{role}: row {row} of column {name:?} has a header whose name is null; a header needs a name"
    )]
    NullName {
        /// The part of a record that the column is for.
        role: &'static str,
        /// The column's name.
        name: String,
        /// The row of the table.
        row: usize,
    },
}

impl ColumnError {
    /// The row of the table; `None` if the error concerns the whole column.
    pub fn row(&self) -> Option<usize> {
        match self {
            Self::Range { row, .. } | Self::Unit { row, .. } | Self::NullName { row, .. } => {
                Some(*row)
            }
            Self::Missing { .. }
            | Self::Ambiguous { .. }
            | Self::Type { .. }
            | Self::Zone { .. } => None,
        }
    }
}

/// Why an array cannot be used as a column for its part of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// The type cannot be used.
    Type,
    /// The timestamps have no time zone.
    Zone,
    /// A number is out of range.
    Range {
        /// The row of the array.
        row: usize,
        /// The number.
        value: i128,
    },
    /// A timestamp seems to have another unit.
    Unit {
        /// The row of the array.
        row: usize,
        /// The number.
        value: i64,
        /// The unit that it seems to have.
        unit: &'static str,
    },
    /// The key of a header is null.
    NullName {
        /// The row of the array.
        row: usize,
    },
}
