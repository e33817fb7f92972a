//! Reads columns of headers: a map, or a list of pairs, in each row.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field};
use kafkars_records::Header;

use crate::error::Unfit;
use crate::payloads::Payloads;

fn is_struct(item: &Field) -> bool {
    matches!(item.data_type(), DataType::Struct(_))
}

/// Where each row's headers are in the items.
#[derive(Debug, Clone)]
enum ListStarts {
    Short(OffsetBuffer<i32>),
    Long(OffsetBuffer<i64>),
    /// Each row has this many.
    Fixed(usize),
}

impl ListStarts {
    /// The index of the first header of a row.
    fn first(&self, row: usize) -> usize {
        match self {
            Self::Short(offsets) => offsets.get(row).and_then(|at| usize::try_from(*at).ok()),
            Self::Long(offsets) => offsets.get(row).and_then(|at| usize::try_from(*at).ok()),
            Self::Fixed(count) => row.checked_mul(*count),
        }
        .unwrap_or(0)
    }
}

/// A column of headers.
#[derive(Debug, Clone)]
pub(crate) struct Headers {
    offsets: ListStarts,
    nulls: Option<NullBuffer>,
    names: Payloads,
    values: Payloads,
}

impl Headers {
    pub(crate) const EXPECTED: &str =
        "a map of text to binary or text, or a list of structs of two such fields,";

    /// Reads the column, if its type fits and every header has a key.
    pub(crate) fn new(array: &ArrayRef) -> Result<Self, Unfit> {
        let (offsets, items) = match array.data_type() {
            DataType::Map(..) => {
                let map = array.as_map();
                (ListStarts::Short(map.offsets().clone()), map.entries())
            }
            DataType::List(item) if is_struct(item) => {
                let list = array.as_list::<i32>();
                let offsets = ListStarts::Short(list.offsets().clone());
                (offsets, list.values().as_struct())
            }
            DataType::LargeList(item) if is_struct(item) => {
                let list = array.as_list::<i64>();
                let offsets = ListStarts::Long(list.offsets().clone());
                (offsets, list.values().as_struct())
            }
            DataType::FixedSizeList(item, count) if is_struct(item) => {
                let count = usize::try_from(*count).map_err(|_| Unfit::Type)?;
                let list = array.as_fixed_size_list();
                (ListStarts::Fixed(count), list.values().as_struct())
            }
            _ => return Err(Unfit::Type),
        };
        let [names, values] = items.columns() else {
            return Err(Unfit::Type);
        };
        let is_whole = items.null_count() == 0 && names.null_count() == 0;
        let texts = Payloads::new(names).filter(Payloads::is_text);
        let made = Self {
            offsets,
            nulls: array.nulls().cloned(),
            names: texts.ok_or(Unfit::Type)?,
            values: Payloads::new(values).ok_or(Unfit::Type)?,
        };
        if !is_whole {
            // Items between the ranges of rows, and those of null rows, belong to no row.
            let is_named = |at: usize| items.is_valid(at) && names.is_valid(at);
            let unnamed = (0..array.len()).find(|row| !made.range(*row).all(is_named));
            if let Some(row) = unnamed {
                return Err(Unfit::NullName { row });
            }
        }
        Ok(made)
    }

    /// The range of a row's headers in the items.
    fn range(&self, row: usize) -> Range<usize> {
        let is_null = self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        match is_null {
            true => 0..0,
            false => self.offsets.first(row)..self.offsets.first(row + 1),
        }
    }

    pub(crate) fn get(&self, row: usize) -> impl Iterator<Item = Header<'_>> {
        self.range(row).map(|at| Header {
            key: self.names.text(at).unwrap_or_default(),
            value: self.values.get(at),
        })
    }
}
