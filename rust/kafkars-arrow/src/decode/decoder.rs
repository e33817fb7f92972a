//! What a decoder of payloads is asked, and what it answers.

use arrow_array::{ArrayRef, BinaryArray};
use arrow_schema::{ArrowError, DataType};

/// A payload that could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoisonPayload {
    /// Its row in the array.
    pub row: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// The payloads of one array.
#[derive(Debug)]
pub struct DecodedPayloads {
    /// One value a row, null where the payload is null or poison.
    pub values: ArrayRef,
    /// What could not be decoded, by row.
    pub poison: Vec<PoisonPayload>,
}

/// What makes columns of payloads.
pub trait PayloadDecoder: Send + Sync {
    /// The type of what it makes.
    fn data_type(&self) -> &DataType;

    /// Decodes all payloads of an array.
    ///
    /// # Errors
    /// Fails where the result cannot be held by one Arrow array, never because of what a payload holds.
    fn decode(&self, payloads: &BinaryArray) -> Result<DecodedPayloads, ArrowError>;
}
