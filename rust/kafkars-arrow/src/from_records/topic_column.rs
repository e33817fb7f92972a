//! Builds the column of topics.

use std::sync::Arc;

use arrow_array::types::{Int32Type, Utf8Type};
use arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray};
use arrow_schema::ArrowError;

use super::bytes_column::BytesColumn;
use super::layout::ColumnTypes;

/// The topic of every record.
pub(super) enum TopicColumn {
    Dictionary {
        names: Vec<Arc<str>>,
        indices: Vec<i32>,
    },
    Text(BytesColumn),
}

impl TopicColumn {
    pub(super) fn new(types: ColumnTypes) -> Self {
        match types {
            ColumnTypes::Native => Self::Dictionary {
                names: Vec::new(),
                indices: Vec::new(),
            },
            ColumnTypes::Spark => Self::Text(BytesColumn::new()),
        }
    }

    /// Makes room for so many records of a topic.
    pub(super) fn reserve(&mut self, topic: &str, records: usize) {
        match self {
            Self::Dictionary { indices, .. } => indices.reserve(records),
            Self::Text(column) => {
                let bytes = topic.len().saturating_mul(records);
                column.reserve(records, bytes.min(i32::MAX as usize));
            }
        }
    }

    /// How many more records of a topic fit.
    pub(super) fn room(&self, topic: &str) -> usize {
        match self {
            Self::Dictionary { .. } => usize::MAX,
            Self::Text(column) => column.room(topic.len()),
        }
    }

    /// Adds `count` records of one topic.
    pub(super) fn append_run(&mut self, topic: &Arc<str>, count: usize) {
        match self {
            Self::Dictionary { names, indices } => {
                let index = index_of(names, topic);
                indices.resize(indices.len() + count, index);
            }
            Self::Text(column) => column.push_repeated(topic.as_bytes(), count),
        }
    }

    pub(super) fn finish(self) -> Result<ArrayRef, ArrowError> {
        match self {
            Self::Dictionary { names, indices } => {
                let names = StringArray::from_iter_values(names.iter());
                let indices = Int32Array::from(indices);
                let array = DictionaryArray::<Int32Type>::try_new(indices, Arc::new(names))?;
                Ok(Arc::new(array))
            }
            Self::Text(column) => column.finish::<Utf8Type>(),
        }
    }
}

/// The index of a topic in the dictionary. Runs of one topic are often adjacent, so the last entries are compared
/// first.
fn index_of(names: &mut Vec<Arc<str>>, topic: &Arc<str>) -> i32 {
    let found = names.iter().rposition(|known| known == topic);
    let index = found.unwrap_or_else(|| {
        names.push(Arc::clone(topic));
        names.len() - 1
    });
    i32::try_from(index).unwrap_or(i32::MAX)
}
