//! The trait of payload decoders, and their result.

use arrow_array::{ArrayRef, BinaryArray};
use arrow_schema::{ArrowError, DataType};

/// A payload that cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoisonPayload {
    /// Its row in the array.
    pub row: usize,
    /// Why it cannot be decoded.
    pub reason: String,
}

/// The decoded payloads of one array.
#[derive(Debug)]
pub struct DecodedPayloads {
    /// One value for each row; null if the payload is null or cannot be decoded.
    pub values: ArrayRef,
    /// The payloads that cannot be decoded, by row.
    pub poison: Vec<PoisonPayload>,
}

/// Decodes payloads into a column.
pub trait PayloadDecoder: Send + Sync {
    /// The type of the column.
    fn data_type(&self) -> &DataType;

    /// Decodes all payloads of an array.
    ///
    /// # Errors
    /// Fails if one Arrow array cannot hold the result, never because of the content of a payload.
    fn decode(&self, payloads: &BinaryArray) -> Result<DecodedPayloads, ArrowError>;
}
