//! Errors of decompression.

use std::fmt;

use super::codec::Codec;
use crate::RecordsError;

/// Why decompression failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecompressError {
    /// The output would exceed this limit.
    #[error("decompresses to more than {0} bytes")]
    TooLarge(usize),
    /// The input is not valid for the codec; with the codec's own message.
    #[error("{0}")]
    Corrupt(String),
}

impl DecompressError {
    pub(crate) fn of_batch(self, base_offset: i64, codec: Codec) -> RecordsError {
        match self {
            Self::TooLarge(limit) => RecordsError::DecompressedTooLarge {
                base_offset,
                codec,
                limit,
            },
            Self::Corrupt(cause) => RecordsError::Decompress {
                base_offset,
                codec,
                cause,
            },
        }
    }

    pub(super) fn corrupt(cause: impl fmt::Display) -> Self {
        Self::Corrupt(cause.to_string())
    }

    /// The error for an input that ends early.
    pub(super) fn cut_short() -> Self {
        Self::corrupt("the compressed bytes end early")
    }
}
