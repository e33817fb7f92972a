//! Why a table cannot be sent.

use arrow_schema::DataType;

/// What is wrong with a column.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ColumnError {
    /// There is none of this name.
    #[error("{role}: there is no column {name:?}; the table has {}", present.join(", "))]
    Missing {
        /// What it is wanted for.
        role: &'static str,
        /// Its name.
        name: String,
        /// The names there are.
        present: Vec<String>,
    },
    /// There are several of this name.
    #[error(
        "{role}: the table has {count} columns named {name:?}; which one is meant cannot be told, so rename or drop the others"
    )]
    Ambiguous {
        /// What it is wanted for.
        role: &'static str,
        /// Their name.
        name: String,
        /// How many there are.
        count: usize,
    },
    /// Its type cannot be used.
    #[error("{role}: column {name:?} has type {found}; {expected} can be sent, so cast it first")]
    Type {
        /// What it is wanted for.
        role: &'static str,
        /// Its name.
        name: String,
        /// Its type.
        found: DataType,
        /// The types that can be used.
        expected: &'static str,
    },
    /// A number is too large.
    #[error("{role}: {value} in row {row} of column {name:?} is out of range")]
    Range {
        /// What it is wanted for.
        role: &'static str,
        /// The column's name.
        name: String,
        /// The row of the table.
        row: usize,
        /// The number, in the column's unit.
        value: i128,
    },
    /// A timestamp is in another unit than milliseconds.
    #[error(
        "{role}: {value} in row {row} of column {name:?} looks like {unit}; a column of whole numbers is in ms, so divide \
         it, or cast it to a timestamp of its unit"
    )]
    Unit {
        /// What it is wanted for.
        role: &'static str,
        /// The column's name.
        name: String,
        /// The row of the table.
        row: usize,
        /// The number.
        value: i64,
        /// The unit it seems to be in.
        unit: &'static str,
    },
    /// A header has no name, which Kafka does not know.
    #[error(
        "{role}: row {row} of column {name:?} has a header whose name is null; a header needs a name"
    )]
    NullName {
        /// What it is wanted for.
        role: &'static str,
        /// The column's name.
        name: String,
        /// The row of the table.
        row: usize,
    },
}

impl ColumnError {
    /// The row of the table that it is about; none where it is about the column.
    pub fn row(&self) -> Option<usize> {
        match self {
            Self::Range { row, .. } | Self::Unit { row, .. } | Self::NullName { row, .. } => {
                Some(*row)
            }
            Self::Missing { .. } | Self::Ambiguous { .. } | Self::Type { .. } => None,
        }
    }
}

/// Why an array cannot be the column it is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// Its type cannot be used.
    Type,
    /// A number is out of range.
    Range {
        /// The row of the array.
        row: usize,
        /// The number.
        value: i128,
    },
    /// A timestamp is in another unit.
    Unit {
        /// The row of the array.
        row: usize,
        /// The number.
        value: i64,
        /// The unit it seems to be in.
        unit: &'static str,
    },
    /// A header has no name.
    NullName {
        /// The row of the array.
        row: usize,
    },
}
