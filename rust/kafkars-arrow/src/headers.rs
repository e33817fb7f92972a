//! Columns of headers: a map, or a list of pairs, in each row.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::DataType;
use kafkars_records::Header;

use crate::payloads::Payloads;

/// One column of headers.
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

    /// The column, where its type fits.
    pub(crate) fn new(array: &ArrayRef) -> Option<Self> {
        let (offsets, names, values) = match array.data_type() {
            DataType::Map(..) => {
                let map = array.as_map();
                (map.offsets(), map.keys().clone(), map.values().clone())
            }
            DataType::List(item) if matches!(item.data_type(), DataType::Struct(_)) => {
                let list = array.as_list::<i32>();
                let [names, values] = list.values().as_struct().columns() else {
                    return None;
                };
                (list.offsets(), names.clone(), values.clone())
            }
            _ => return None,
        };
        let names = Payloads::new(&names).filter(Payloads::is_text)?;
        Some(Self {
            offsets: offsets.clone(),
            nulls: array.nulls().cloned(),
            names,
            values: Payloads::new(&values)?,
        })
    }

    /// The headers of one row. A header without name has an empty one.
    pub(crate) fn get(&self, row: usize) -> impl Iterator<Item = Header<'_>> {
        let is_null = self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        let place = |at: usize| {
            let offset = self.offsets.get(at).copied().unwrap_or(0);
            usize::try_from(offset).unwrap_or(0)
        };
        let range = match is_null {
            true => 0..0,
            false => place(row)..place(row + 1),
        };
        range.map(|at| Header {
            key: self.names.text(at).unwrap_or_default(),
            value: self.values.get(at),
        })
    }
}
