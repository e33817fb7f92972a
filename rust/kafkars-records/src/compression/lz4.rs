//! LZ4. Frames are read and written here, so that blocks are copied nowhere between the batch and its buffer; the
//! `lz4_flex` crate handles the blocks themselves.
//!
//! There is one compressor, about as strong as level 1 of the C library. Levels 1 to 17 are accepted, because brokers
//! and configurations know them, and have no effect: the output is larger than that of the high-compression levels (3
//! and up) of the C library.

use std::io;

use lz4_flex::block::{
    CompressTable, DecompressError as BlockError, compress_into_with_table, decompress_into,
    decompress_into_with_dict, get_maximum_output_size,
};
use twox_hash::XxHash32;

use super::decompress_error::DecompressError;

const MAGIC: [u8; 4] = 0x184d_2204_u32.to_le_bytes();

/// Version 1, independent blocks of at most 64 KiB, no checksums, and the header checksum of this descriptor: what
/// Kafka's Java client writes, and all that it reads.
const DESCRIPTOR: [u8; 3] = [0x60, 0x40, 0x82];
/// The header checksum of that descriptor if the magic is wrongly included, see [`break_check`].
const BROKEN_CHECK: u8 = 0x1a;
const BLOCK: usize = 64 << 10;
/// Blocks usually decompress to at most this many times their size.
const USUAL_RATIO: usize = 6;
/// How far a linked block refers back.
const WINDOW: usize = 64 << 10;
/// The bit in a block's length that marks the block as not compressed.
const STORED: u32 = 1 << 31;

/// Compresses `input` and appends the result to `output`.
pub(super) fn compress(input: &[u8], output: &mut Vec<u8>) -> io::Result<()> {
    output.extend_from_slice(&MAGIC);
    output.extend_from_slice(&DESCRIPTOR);
    let mut table = CompressTable::default();
    for block in input.chunks(BLOCK) {
        let length_at = output.len();
        let start = length_at + 4;
        output.resize(start + get_maximum_output_size(block.len()), 0);
        let length = compress_into_with_table(block, &mut output[start..], &mut table)
            .map_err(io::Error::other)?;
        let mark = if length < block.len() {
            output.truncate(start + length);
            length as u32
        } else {
            output.truncate(start);
            output.extend_from_slice(block);
            block.len() as u32 | STORED
        };
        output[length_at..start].copy_from_slice(&mark.to_le_bytes());
    }
    output.extend_from_slice(&[0; 4]);
    Ok(())
}

/// Decompresses frames to at most `limit` bytes.
pub(super) fn decompress(mut input: &[u8], limit: usize) -> Result<Vec<u8>, DecompressError> {
    let mut output = Lz4Output {
        bytes: Vec::new(),
        filled: 0,
        limit,
    };
    loop {
        input = decompress_frame(input, &mut output)?;
        if input.is_empty() {
            break;
        }
    }
    output.bytes.truncate(output.filled);
    Ok(output.bytes)
}

/// The output so far. `bytes` is longer than the filled part, so that each byte is zeroed once, however many small
/// blocks a frame with a large block size has.
struct Lz4Output {
    bytes: Vec<u8>,
    filled: usize,
    limit: usize,
}

impl Lz4Output {
    /// The filled part, and room after it for `most` bytes, or as many as the limit allows.
    fn split(&mut self, most: usize) -> (&mut [u8], &mut [u8]) {
        let end = self.filled.saturating_add(most).min(self.limit);
        if end > self.bytes.len() {
            // Grown by doubling, but never past the limit.
            if end > self.bytes.capacity() {
                let wanted = end
                    .max(self.bytes.capacity().saturating_mul(2))
                    .min(self.limit);
                self.bytes.reserve_exact(wanted - self.bytes.len());
            }
            self.bytes.resize(end, 0);
        }
        self.bytes[..end].split_at_mut(self.filled)
    }
}

/// The descriptor of a frame.
struct Descriptor {
    linked: bool,
    block_checksums: bool,
    content_size: Option<u64>,
    content_checksum: bool,
    most_per_block: usize,
}

/// Decompresses one frame, appends the result to `output`, and returns the rest of the input.
fn decompress_frame<'a>(
    input: &'a [u8],
    output: &mut Lz4Output,
) -> Result<&'a [u8], DecompressError> {
    let (descriptor, mut rest) = parse_descriptor(input)?;
    let start = output.filled;
    loop {
        let mark = u32::from_le_bytes(*take(&mut rest)?);
        if mark == 0 {
            break;
        }
        let length = (mark & !STORED) as usize;
        if length > descriptor.most_per_block {
            return Err(DecompressError::corrupt(
                "a block is larger than its frame allows",
            ));
        }
        let (block, after) = rest
            .split_at_checked(length)
            .ok_or_else(DecompressError::cut_short)?;
        rest = after;
        if descriptor.block_checksums
            && XxHash32::oneshot(0, block) != u32::from_le_bytes(*take(&mut rest)?)
        {
            return Err(DecompressError::corrupt(
                "a block does not match its checksum",
            ));
        }
        decompress_block(block, mark & STORED != 0, start, &descriptor, output)?;
    }
    let content = &output.bytes[start..output.filled];
    if descriptor.content_checksum
        && XxHash32::oneshot(0, content) != u32::from_le_bytes(*take(&mut rest)?)
    {
        return Err(DecompressError::corrupt(
            "the content does not match its checksum",
        ));
    }
    if descriptor
        .content_size
        .is_some_and(|size| size != content.len() as u64)
    {
        return Err(DecompressError::corrupt(
            "the content does not have the size its frame states",
        ));
    }
    Ok(rest)
}

fn decompress_block(
    block: &[u8],
    stored: bool,
    frame_start: usize,
    descriptor: &Descriptor,
    output: &mut Lz4Output,
) -> Result<(), DecompressError> {
    let limit = output.limit;
    if stored {
        let (_, room) = output.split(block.len());
        room.get_mut(..block.len())
            .ok_or(DecompressError::TooLarge(limit))?
            .copy_from_slice(block);
        output.filled += block.len();
        return Ok(());
    }
    // The size of a block is not known before it is decompressed, and room has to be zeroed: first there is as much as
    // blocks usually take, then as much as this one can. A byte of a block decompresses to at most 255 bytes.
    let most = descriptor
        .most_per_block
        .min(block.len().saturating_mul(255));
    let usual = most.min(block.len().saturating_mul(USUAL_RATIO));
    for wanted in [usual, most] {
        let limited = wanted > limit - output.filled;
        let (before, room) = output.split(wanted);
        let result = if descriptor.linked {
            let window_start = frame_start.max(before.len().saturating_sub(WINDOW));
            decompress_into_with_dict(block, room, &before[window_start..])
        } else {
            decompress_into(block, room)
        };
        match result {
            Ok(length) => {
                output.filled += length;
                return Ok(());
            }
            Err(BlockError::OutputTooSmall { .. }) if limited => {
                return Err(DecompressError::TooLarge(limit));
            }
            Err(BlockError::OutputTooSmall { .. }) if wanted < most => {}
            Err(other) => return Err(DecompressError::corrupt(other)),
        }
    }
    Err(DecompressError::corrupt(
        "a block is larger than its frame allows",
    ))
}

/// Reads the magic and the descriptor of a frame.
fn parse_descriptor(input: &[u8]) -> Result<(Descriptor, &[u8]), DecompressError> {
    let mut rest = input;
    if *take::<4>(&mut rest)? != MAGIC {
        return Err(DecompressError::corrupt("no LZ4 frame starts here"));
    }
    let [flags, block_size] = *take(&mut rest)?;
    let has = |bit: u8| flags & bit != 0;
    if flags >> 6 != 1 || has(0x02) || block_size & 0x8f != 0 {
        return Err(DecompressError::corrupt(
            "the frame has an unknown version or flag",
        ));
    }
    if has(0x01) {
        return Err(DecompressError::corrupt("the frame needs a dictionary"));
    }
    let most_per_block = match block_size >> 4 {
        4 => 64 << 10,
        5 => 256 << 10,
        6 => 1 << 20,
        7 => 4 << 20,
        _ => {
            return Err(DecompressError::corrupt(
                "the frame has an unknown block size",
            ));
        }
    };
    let content_size = if has(0x08) {
        Some(u64::from_le_bytes(*take(&mut rest)?))
    } else {
        None
    };

    let descriptor_end = input.len() - rest.len();
    let [check] = *take(&mut rest)?;
    let checks =
        |from: usize| (XxHash32::oneshot(0, &input[from..descriptor_end]) >> 8) as u8 == check;
    // Kafka's clients before 0.10 included the magic. Their frames are recognised by the checksum and not by the
    // message format, because brokers have copied such frames into newer formats.
    if !checks(MAGIC.len()) && !checks(0) {
        return Err(DecompressError::corrupt(
            "the frame header does not match its checksum",
        ));
    }
    let descriptor = Descriptor {
        linked: !has(0x20),
        block_checksums: has(0x10),
        content_size,
        content_checksum: has(0x04),
        most_per_block,
    };
    Ok((descriptor, rest))
}

/// Takes `N` bytes off the front.
fn take<'a, const N: usize>(rest: &mut &'a [u8]) -> Result<&'a [u8; N], DecompressError> {
    let (bytes, after) = rest
        .split_first_chunk()
        .ok_or_else(DecompressError::cut_short)?;
    *rest = after;
    Ok(bytes)
}

/// Replaces the header checksum of a frame just written by the wrong one that readers of magic 0 expect, which includes
/// the magic.
pub(super) fn break_check(frame: &mut [u8]) {
    const CHECK_AT: usize = MAGIC.len() + DESCRIPTOR.len() - 1;
    if let Some(check) = frame.get_mut(CHECK_AT) {
        *check = BROKEN_CHECK;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_check_bytes_are_those_of_the_descriptor_written() {
        let header = [&MAGIC[..], &DESCRIPTOR[..2]].concat();
        assert_eq!(
            (XxHash32::oneshot(0, &header[4..]) >> 8) as u8,
            DESCRIPTOR[2]
        );
        assert_eq!((XxHash32::oneshot(0, &header) >> 8) as u8, BROKEN_CHECK);
    }
}
