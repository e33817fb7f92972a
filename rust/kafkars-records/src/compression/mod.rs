//! Compression, one codec per file. Every decompressor stops at a limit instead of trusting a stated size.

mod codec;
mod decompress_error;
mod gzip;
mod lz4;
mod output;
mod snappy;
mod zstd;

use std::io;

pub use self::codec::{Codec, Compression, LevelError};
pub use self::decompress_error::DecompressError;
pub(crate) use self::output::trimmed;

/// Compresses `input` into a buffer that starts with `reserved` zero bytes, where the caller writes a header.
pub(crate) fn compress(
    compression: Compression,
    input: &[u8],
    reserved: usize,
) -> io::Result<Vec<u8>> {
    let mut output = vec![0; reserved];
    match compression.codec() {
        Codec::None => output.extend_from_slice(input),
        Codec::Gzip => gzip::compress(input, compression.level(), &mut output)?,
        Codec::Snappy => snappy::compress(input, &mut output)?,
        Codec::Lz4 => lz4::compress(input, &mut output)?,
        Codec::Zstd => zstd::compress(input, compression.level(), &mut output)?,
    }
    Ok(output)
}

/// Decompresses `input`, which is not part of a batch, to at most `limit` bytes.
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

/// Gives a compressed LZ4 frame the header checksum that readers of magic 0 expect.
pub(crate) fn break_lz4_check(frame: &mut [u8]) {
    lz4::break_check(frame);
}
