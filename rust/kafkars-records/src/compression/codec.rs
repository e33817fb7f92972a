//! Compression codecs, their ids and names in Kafka, and their levels.

use std::fmt;
use std::ops::RangeInclusive;

/// The codec that compresses the records of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Codec {
    /// No compression.
    #[default]
    None,
    /// Gzip (deflate).
    Gzip,
    /// Snappy in the framing of snappy-java.
    Snappy,
    /// LZ4 frames.
    Lz4,
    /// Zstandard; brokers support it since Kafka 2.1 (Produce version 7, Fetch version 10).
    Zstd,
}

impl Codec {
    /// The codec with this id in a batch's attributes.
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

    /// The codec with this name in Kafka's `compression.type`.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::None, Self::Gzip, Self::Snappy, Self::Lz4, Self::Zstd]
            .into_iter()
            .find(|codec| codec.name() == name)
    }

    /// The levels that Kafka allows (KIP-390); `None` for a codec without levels.
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

/// A codec with a level that is valid for it.
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

    /// Makes a compression with `codec` at `level`; without a level, at the codec's default (gzip 6, zstd 3).
    ///
    /// The level of LZ4 is checked, but has no effect: there is one compressor, about as strong as level 1 of the C
    /// library. Any reader of LZ4 reads its output.
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

    /// The level, if one was given.
    pub fn level(self) -> Option<i32> {
        self.level
    }
}

impl From<Codec> for Compression {
    /// Compresses with the codec at its default level.
    fn from(codec: Codec) -> Self {
        Self { codec, level: None }
    }
}

/// A level that the codec does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LevelError {
    /// The codec.
    pub codec: Codec,
    /// The level.
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
