//! Reads columns of headers: a map, or a list of pairs, in each row.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::DataType;
use kafkars_records::Header;

use crate::error::Unfit;
use crate::payloads::Payloads;

/// A column of headers.
#[derive(Debug, Clone)]
pub(crate) struct Headers {
    offsets: OffsetBuffer<i32>,
    nulls: Option<NullBuffer>,
    names: Payloads,
    values: Payloads,
}

impl Headers {
    pub(crate) const EXPECTED: &str =
        "a map of text to binary or text, or a list of structs of two such fields,";

    /// Reads the column, if its type fits and every header has a key.
    pub(crate) fn new(array: &ArrayRef) -> Result<Self, Unfit> {
        let (offsets, items, names, values) = match array.data_type() {
            DataType::Map(..) => {
                let map = array.as_map();
                (map.offsets(), map.entries(), map.keys(), map.values())
            }
            DataType::List(item) if matches!(item.data_type(), DataType::Struct(_)) => {
                let list = array.as_list::<i32>();
                let items = list.values().as_struct();
                let [names, values] = items.columns() else {
                    return Err(Unfit::Type);
                };
                (list.offsets(), items, names, values)
            }
            _ => return Err(Unfit::Type),
        };
        let is_whole = items.null_count() == 0 && names.null_count() == 0;
        let texts = Payloads::new(names).filter(Payloads::is_text);
        let made = Self {
            offsets: offsets.clone(),
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
        let place = |at: usize| {
            let offset = self.offsets.get(at).copied().unwrap_or(0);
            usize::try_from(offset).unwrap_or(0)
        };
        match is_null {
            true => 0..0,
            false => place(row)..place(row + 1),
        }
    }

    pub(crate) fn get(&self, row: usize) -> impl Iterator<Item = Header<'_>> {
        self.range(row).map(|at| Header {
            key: self.names.text(at).unwrap_or_default(),
            value: self.values.get(at),
        })
    }
}
