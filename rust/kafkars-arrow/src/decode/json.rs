//! Payloads that are one JSON object each.

use arrow_array::{Array, ArrayRef, BinaryArray};
use arrow_schema::{ArrowError, DataType, Fields};
use serde_json::Value;

use super::decoder::{DecodedPayloads, PayloadDecoder};
use super::json_columns::{Cell, Misfit, column, is_known};
use super::json_members;
use super::rows::{Decoding, RefusedPayloads};

/// Decodes JSON objects into a struct. Members that the schema does not name are ignored, and missing ones are null.
#[derive(Debug)]
pub struct JsonPayloads {
    data_type: DataType,
}

impl JsonPayloads {
    /// Makes a decoder for objects with these members.
    ///
    /// # Errors
    /// Fails if JSON has no values for one of the types.
    pub fn new(members: Fields) -> Result<Self, ArrowError> {
        let data_type = DataType::Struct(members);
        match is_known(&data_type) {
            Ok(()) => Ok(Self { data_type }),
            Err(unknown) => Err(ArrowError::SchemaError(format!(
                "JSON has no values for {unknown}"
            ))),
        }
    }

    fn decode_all(&self, payloads: &[&[u8]]) -> Result<ArrayRef, RefusedPayloads> {
        let mut values = Vec::with_capacity(payloads.len());
        for (index, payload) in payloads.iter().enumerate() {
            let refused = |reason: String| RefusedPayloads {
                payload: Some(index),
                reason,
            };
            match json_members::from_slice(payload, &self.data_type) {
                Ok(value @ Value::Object(_)) => values.push(value),
                Ok(_) => return Err(refused("it is no JSON object".to_owned())),
                Err(problem) => return Err(refused(format!("it is no JSON: {problem}"))),
            }
        }
        let cells: Vec<Cell<'_>> = values.iter().map(Some).enumerate().collect();
        column(&cells, &self.data_type).map_err(|problem| match problem {
            Misfit::Payload { index, reason } => RefusedPayloads {
                payload: Some(index),
                reason,
            },
            Misfit::Arrow(problem) => RefusedPayloads {
                payload: None,
                reason: problem.to_string(),
            },
        })
    }
}

impl PayloadDecoder for JsonPayloads {
    fn data_type(&self) -> &DataType {
        &self.data_type
    }

    fn decode(&self, payloads: &BinaryArray) -> Result<DecodedPayloads, ArrowError> {
        let rows: Vec<usize> = (0..payloads.len())
            .filter(|&row| payloads.is_valid(row))
            .collect();
        let mut decoding = Decoding::new(payloads, &self.data_type);
        decoding.decode(&rows, 0, &|payloads| self.decode_all(payloads));
        decoding.finish()
    }
}
