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
        /// The row of the batch.
        row: usize,
        /// The number.
        value: i64,
    },
}
