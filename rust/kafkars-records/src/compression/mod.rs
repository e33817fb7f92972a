//! Codecs and their levels. One codec per file; every decompressor stops at a limit instead of trusting a stated size.

mod gzip;
mod lz4;
mod snappy;
mod zstd;

use std::{fmt, io, ops::RangeInclusive};

use crate::RecordsError;

/// How the records of a batch are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Codec {
    /// Not at all.
    #[default]
    None,
    /// Deflate in a gzip wrapper.
    Gzip,
    /// Snappy in the framing of the Java library.
    Snappy,
    /// LZ4 frames.
    Lz4,
    /// Zstandard; brokers take it since Kafka 2.1 (produce requests v7, fetch requests v10).
    Zstd,
}

impl Codec {
    /// The codec of an id in a batch's attributes.
    pub fn from_id(id: u8) -> Option<Self> {
        [Self::None, Self::Gzip, Self::Snappy, Self::Lz4, Self::Zstd]
            .into_iter()
            .find(|codec| codec.id() == id)
    }

    /// Its id in a batch's attributes.
    pub fn id(self) -> u8 {
        match self {
            Self::None => 0,
            Self::Gzip => 1,
            Self::Snappy => 2,
            Self::Lz4 => 3,
            Self::Zstd => 4,
        }
    }

    /// Its name in Kafka's `compression.type`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Snappy => "snappy",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        }
    }

    /// The codec of a name in Kafka's `compression.type`.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::None, Self::Gzip, Self::Snappy, Self::Lz4, Self::Zstd]
            .into_iter()
            .find(|codec| codec.name() == name)
    }

    /// The levels Kafka allows (KIP-390); `None` for a codec without levels.
    pub fn levels(self) -> Option<RangeInclusive<i32>> {
        match self {
            Self::None | Self::Snappy => None,
            Self::Gzip => Some(1..=9),
            Self::Lz4 => Some(1..=17),
            Self::Zstd => Some(-131_072..=22),
        }
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A codec and a level that fit together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Compression {
    codec: Codec,
    level: Option<i32>,
}

impl Compression {
    /// No compression.
    pub const NONE: Self = Self {
        codec: Codec::None,
        level: None,
    };

    /// `codec` at `level`; without a level, at the codec's default (gzip 6, zstd 3).
    ///
    /// Levels of LZ4 are checked and then change nothing: there is one compressor, about as strong as level 1 of the C
    /// library. What it writes is LZ4 that any reader reads.
    pub fn new(codec: Codec, level: Option<i32>) -> Result<Self, LevelError> {
        match level {
            Some(level) if !codec.levels().is_some_and(|levels| levels.contains(&level)) => {
                Err(LevelError { codec, level })
            }
            _ => Ok(Self { codec, level }),
        }
    }

    /// The codec.
    pub fn codec(self) -> Codec {
        self.codec
    }

    /// The level asked for.
    pub fn level(self) -> Option<i32> {
        self.level
    }
}

impl From<Codec> for Compression {
    /// The codec at its default level.
    fn from(codec: Codec) -> Self {
        Self { codec, level: None }
    }
}

/// A level the codec does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelError {
    /// The codec.
    pub codec: Codec,
    /// The level asked for.
    pub level: i32,
}

impl std::error::Error for LevelError {}

impl fmt::Display for LevelError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { codec, level } = self;
        match codec.levels() {
            Some(levels) => {
                write!(
                    formatter,
                    "{codec} has no compression level {level}: it takes {} to {}",
                    levels.start(),
                    levels.end()
                )
            }
            None => write!(
                formatter,
                "{codec} takes no compression level, but {level} was asked for"
            ),
        }
    }
}

/// Why decompression stopped.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecompressError {
    /// The output would exceed this limit.
    #[error("decompresses to more than {0} bytes")]
    TooLarge(usize),
    /// The input is not what the codec writes; in the codec's words.
    #[error("{0}")]
    Corrupt(String),
}

impl DecompressError {
    /// The same, of a batch.
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

    fn corrupt(cause: impl fmt::Display) -> Self {
        Self::Corrupt(cause.to_string())
    }

    /// The input ends before the codec is done.
    fn cut_short() -> Self {
        Self::corrupt("the compressed bytes end early")
    }
}

/// Compresses `input` into a buffer that starts with `reserved` zero bytes, where the caller writes its header.
pub(crate) fn compress(
    compression: Compression,
    input: &[u8],
    reserved: usize,
) -> io::Result<Vec<u8>> {
    let mut output = vec![0; reserved];
    match compression.codec {
        Codec::None => output.extend_from_slice(input),
        Codec::Gzip => gzip::compress(input, compression.level, &mut output)?,
        Codec::Snappy => snappy::compress(input, &mut output)?,
        Codec::Lz4 => lz4::compress(input, &mut output)?,
        Codec::Zstd => zstd::compress(input, compression.level, &mut output)?,
    }
    Ok(output)
}

/// Decompresses `input`, which stands outside of any batch, to at most `limit` bytes.
pub fn decompress(codec: Codec, input: &[u8], limit: usize) -> Result<Vec<u8>, DecompressError> {
    match codec {
        Codec::None if input.len() > limit => Err(DecompressError::TooLarge(limit)),
        Codec::None => Ok(input.to_vec()),
        Codec::Gzip => gzip::decompress(input, limit),
        Codec::Snappy => snappy::decompress(input, limit),
        Codec::Lz4 => lz4::decompress(input, limit),
        Codec::Zstd => zstd::decompress(input, limit),
    }
}

/// `output` without spare room, where that is a good part of it: batches are kept, and counted by their length.
pub(crate) fn trimmed(mut output: Vec<u8>) -> Vec<u8> {
    if output.capacity() - output.len() > output.len() / 4 {
        output.shrink_to_fit();
    }
    output
}

/// Makes a compressed LZ4 frame one that readers of magic 0 take.
pub(crate) fn break_lz4_check(frame: &mut [u8]) {
    lz4::break_check(frame);
}

/// An output buffer to start with: what batches usually decompress to, within the limit.
fn first_guess(input: &[u8], limit: usize) -> Vec<u8> {
    const USUAL_RATIO: usize = 4;
    Vec::with_capacity(input.len().saturating_mul(USUAL_RATIO).min(limit))
}

/// Makes room behind a full `output`, doubling it up to one byte over the limit: that byte tells "exactly the limit"
/// from "more than the limit".
fn make_room(output: &mut Vec<u8>, limit: usize) -> Result<(), DecompressError> {
    const LEAST: usize = 16 << 10;
    if output.len() > limit {
        return Err(DecompressError::TooLarge(limit));
    }
    if output.len() == output.capacity() {
        output.reserve_exact(output.len().max(LEAST).min(limit - output.len() + 1));
    }
    Ok(())
}
