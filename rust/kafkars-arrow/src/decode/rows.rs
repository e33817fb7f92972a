//! Decodes many payloads with a decoder that reads them one after the other and is unusable after a failure.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BinaryArray, make_array, new_null_array};
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType};

use super::decoder::{DecodedPayloads, PoisonPayload};

/// The most payloads that are decoded together: JSON is kept as a tree of values, ten times as large as its text.
const TOGETHER: usize = 1_024;

/// The most characters of a reason, which may quote a long payload.
const LONGEST_REASON: usize = 300;

/// Why some payloads were not decoded.
#[derive(Debug)]
pub(super) struct RefusedPayloads {
    /// The index of the payload that failed; `None` if it is not known which of them did.
    pub(super) payload: Option<usize>,
    pub(super) reason: String,
}

/// Decodes all of the payloads, or none; the function on which [`Decoding`] is built.
pub(super) type DecodeAll<'a> = &'a dyn Fn(&[&[u8]]) -> Result<ArrayRef, RefusedPayloads>;

/// The result for an array of payloads while it is being built.
pub(super) struct Decoding<'a> {
    payloads: &'a BinaryArray,
    data_type: &'a DataType,
    parts: Vec<ArrayRef>,
    // By row of the array: the part and the row in it, or `None` for null.
    places: Vec<Option<(usize, usize)>>,
    poison: Vec<PoisonPayload>,
}

impl<'a> Decoding<'a> {
    pub(super) fn new(payloads: &'a BinaryArray, data_type: &'a DataType) -> Self {
        Self {
            payloads,
            data_type,
            parts: Vec::new(),
            places: vec![None; payloads.len()],
            poison: Vec::new(),
        }
    }

    /// Notes that a payload cannot be decoded.
    pub(super) fn refuse(&mut self, row: usize, mut reason: String) {
        if let Some((at, _)) = reason.char_indices().nth(LONGEST_REASON) {
            reason.truncate(at);
        }
        self.poison.push(PoisonPayload { row, reason });
    }

    /// Decodes the payloads of some rows, each without its first `skipped` bytes. Payloads that were decoded together
    /// with one that failed are decoded again: once if the decoder says which failed, otherwise as often as the rows
    /// can be halved.
    pub(super) fn decode(&mut self, rows: &[usize], skipped: usize, decode_all: DecodeAll<'_>) {
        let mut waiting: Vec<&[usize]> = rows.chunks(TOGETHER).rev().collect();
        while let Some(rows) = waiting.pop() {
            let payloads: Vec<&[u8]> = rows
                .iter()
                .map(|&row| self.payloads.value(row).get(skipped..).unwrap_or_default())
                .collect();
            match decode_all(&payloads) {
                Ok(part) if part.len() == rows.len() => {
                    for (index, &row) in rows.iter().enumerate() {
                        self.places[row] = Some((self.parts.len(), index));
                    }
                    self.parts.push(part);
                }
                Ok(part) => waiting.extend(self.halves(
                    rows,
                    format!("it holds {} values, where one is expected", part.len()),
                )),
                Err(RefusedPayloads {
                    payload: Some(index),
                    reason,
                }) if index < rows.len() => {
                    self.refuse(rows[index], reason);
                    let (before, after) = (&rows[..index], &rows[index + 1..]);
                    waiting.extend([after, before].into_iter().filter(|rows| !rows.is_empty()));
                }
                Err(RefusedPayloads { reason, .. }) => waiting.extend(self.halves(rows, reason)),
            }
        }
    }

    fn halves<'r>(&mut self, rows: &'r [usize], reason: String) -> Vec<&'r [usize]> {
        match rows {
            [] => Vec::new(),
            &[row] => {
                self.refuse(row, reason);
                Vec::new()
            }
            _ => {
                let (first, second) = rows.split_at(rows.len() / 2);
                vec![second, first]
            }
        }
    }

    /// Returns the values in the order of the rows.
    pub(super) fn finish(mut self) -> Result<DecodedPayloads, ArrowError> {
        self.poison.sort_by_key(|poison| poison.row);
        let values = match self.parts.as_slice() {
            [part] if self.is_in_order() => Arc::clone(part),
            [] => new_null_array(self.data_type, self.places.len()),
            _ => self.gathered()?,
        };
        let poison = self.poison;
        Ok(DecodedPayloads { values, poison })
    }

    /// Copies the values of the parts in the order of the rows; rows that are adjacent in a part are copied together.
    fn gathered(&self) -> Result<ArrayRef, ArrowError> {
        let parts: Vec<_> = self.parts.iter().map(|part| part.to_data()).collect();
        let mut rows = MutableArrayData::new(parts.iter().collect(), true, self.places.len());
        let mut left = self.places.as_slice();
        while let [first, ..] = left {
            let follows = |(index, place): (usize, &Option<(usize, usize)>)| match (first, place) {
                (Some((part, row)), Some((other, at))) => part == other && *at == row + index,
                (None, None) => true,
                _ => false,
            };
            let many = left
                .iter()
                .enumerate()
                .take_while(|&each| follows(each))
                .count();
            match first {
                Some((part, row)) => rows.try_extend(*part, *row, row + many)?,
                None => rows.try_extend_nulls(many)?,
            }
            left = &left[many..];
        }
        Ok(make_array(rows.freeze()))
    }

    /// True if the parts one after the other are the result.
    fn is_in_order(&self) -> bool {
        let mut places = self.places.iter();
        let each = self.parts.iter().enumerate();
        each.flat_map(|(part, values)| (0..values.len()).map(move |row| Some((part, row))))
            .all(|place| places.next() == Some(&place))
            && places.next().is_none()
    }
}
