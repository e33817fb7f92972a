//! Payloads that are text.

use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{Array, BinaryArray};
use arrow_schema::{ArrowError, DataType};

use super::decoder::{DecodedPayloads, PayloadDecoder, PoisonPayload};

/// Decodes UTF-8.
#[derive(Debug, Default)]
pub struct Utf8Payloads;

impl PayloadDecoder for Utf8Payloads {
    fn data_type(&self) -> &DataType {
        &DataType::Utf8
    }

    fn decode(&self, payloads: &BinaryArray) -> Result<DecodedPayloads, ArrowError> {
        let mut poison = Vec::new();
        let mut texts = StringBuilder::with_capacity(payloads.len(), payloads.value_data().len());
        for (row, payload) in payloads.iter().enumerate() {
            match payload.map(std::str::from_utf8) {
                None => texts.append_null(),
                Some(Ok(text)) => texts.append_value(text),
                Some(Err(problem)) => {
                    texts.append_null();
                    let reason = format!("it is no UTF-8: {problem}");
                    poison.push(PoisonPayload { row, reason });
                }
            }
        }
        let values = Arc::new(texts.finish());
        Ok(DecodedPayloads { values, poison })
    }
}
