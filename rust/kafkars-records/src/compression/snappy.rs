//! Snappy. Kafka's Java client writes the framing of the snappy-java library ("xerial"): a header, then blocks with
//! their lengths. Some other clients write one bare block. Both are read; the framing is written.

use std::io;

use snap::raw::{Decoder, Encoder, decompress_len, max_compress_len};

use super::decompress_error::DecompressError;

/// The magic of the framing, its version, and the oldest version that can read it; both are 1.
const FRAMING: [u8; 16] = *b"\x82SNAPPY\x00\x00\x00\x00\x01\x00\x00\x00\x01";
const MAGIC: &[u8] = FRAMING.split_at(8).0;
/// Input bytes in one block: as many as snappy-java uses, so that its readers' buffers fit.
const BLOCK: usize = 32 << 10;

/// Compresses `input` and appends the result to `output`.
pub(super) fn compress(input: &[u8], output: &mut Vec<u8>) -> io::Result<()> {
    output.extend_from_slice(&FRAMING);
    let mut encoder = Encoder::new();
    for block in input.chunks(BLOCK) {
        let length_at = output.len();
        let start = length_at + 4;
        output.resize(start + max_compress_len(block.len()), 0);
        let length = encoder.compress(block, &mut output[start..])?;
        output[length_at..start].copy_from_slice(&(length as u32).to_be_bytes());
        output.truncate(start + length);
    }
    Ok(())
}

/// Decompresses `input`, framed or bare, to at most `limit` bytes.
pub(super) fn decompress(input: &[u8], limit: usize) -> Result<Vec<u8>, DecompressError> {
    let mut output = Vec::new();
    let Some(versions_and_blocks) = input.strip_prefix(MAGIC) else {
        decompress_block(input, &mut output, limit)?;
        return Ok(output);
    };
    let mut rest = versions_and_blocks
        .get(FRAMING.len() - MAGIC.len()..)
        .ok_or_else(DecompressError::cut_short)?;
    while !rest.is_empty() {
        let (length, after) = rest
            .split_first_chunk()
            .ok_or_else(DecompressError::cut_short)?;
        let length = u32::from_be_bytes(*length) as usize;
        let (block, after) = after
            .split_at_checked(length)
            .ok_or_else(DecompressError::cut_short)?;
        decompress_block(block, &mut output, limit)?;
        rest = after;
    }
    Ok(output)
}

/// Decompresses one block and appends the result to `output`. The block states its decompressed size, which is believed
/// only as far as its length allows: three bytes decompress to at most 64.
fn decompress_block(
    block: &[u8],
    output: &mut Vec<u8>,
    limit: usize,
) -> Result<(), DecompressError> {
    const MOST_PER_BYTE: usize = 22;
    let stated = decompress_len(block).map_err(DecompressError::corrupt)?;
    let start = output.len();
    if stated > limit - start {
        return Err(DecompressError::TooLarge(limit));
    }
    if stated > block.len().saturating_mul(MOST_PER_BYTE) {
        return Err(DecompressError::corrupt(
            "a block states more bytes than it can hold",
        ));
    }
    output.resize(start + stated, 0);
    Decoder::new()
        .decompress(block, &mut output[start..])
        .map_err(DecompressError::corrupt)?;
    Ok(())
}
