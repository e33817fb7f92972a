//! Gzip. Several members in a row are one stream, as in Java's reader.

use std::{cell::RefCell, io};

use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status};

use super::decompress_error::DecompressError;

const DEFAULT_LEVEL: i32 = 6;
/// Deflate's largest window, 32 KiB, as a power of two.
const WINDOW_BITS: u8 = 15;
/// Batches usually decompress to at most this many times their size.
const USUAL_RATIO: usize = 4;
/// The least number of bytes by which the output grows.
const LEAST_ROOM: usize = 16 << 10;

/// The only compression method of gzip.
const DEFLATE: u8 = 8;
/// Flags of a member's header: which fields follow its fixed part.
const HEADER_CRC: u8 = 0x02;
const EXTRA: u8 = 0x04;
const NAME: u8 = 0x08;
const COMMENT: u8 = 0x10;
const RESERVED: u8 = 0xe0;

thread_local! {
    /// The compressor of this thread and its level. Its 260 KiB of tables take longer to set up than a small batch
    /// takes to compress.
    static COMPRESSOR: RefCell<Option<(u32, Compress)>> = const { RefCell::new(None) };
}

/// Compresses `input` and appends the result to `output`.
pub(super) fn compress(input: &[u8], level: Option<i32>, output: &mut Vec<u8>) -> io::Result<()> {
    let level = level.unwrap_or(DEFAULT_LEVEL).unsigned_abs();
    COMPRESSOR.with_borrow_mut(|kept| {
        if kept
            .as_ref()
            .is_none_or(|(kept_level, _)| *kept_level != level)
        {
            *kept = Some((
                level,
                Compress::new_gzip(Compression::new(level), WINDOW_BITS),
            ));
        }
        let Some((_, compressor)) = kept else {
            return Ok(());
        };
        compressor.reset();
        deflate(compressor, input, output)
    })
}

fn deflate(compressor: &mut Compress, input: &[u8], output: &mut Vec<u8>) -> io::Result<()> {
    output.reserve(input.len() / 2 + 64);
    loop {
        let rest = input
            .get(compressor.total_in() as usize..)
            .unwrap_or_default();
        match compressor.compress_vec(rest, output, FlushCompress::Finish)? {
            Status::StreamEnd => return Ok(()),
            Status::Ok | Status::BufError => output.reserve(output.len().max(1024)),
        }
    }
}

/// Decompresses `input` to at most `limit` bytes.
///
/// Headers and trailers are read here, and only the deflate streams by the library, because one decompressor can then
/// serve any number of members: the cost of each is that of its own bytes, however large the output has grown.
pub(super) fn decompress(mut input: &[u8], limit: usize) -> Result<Vec<u8>, DecompressError> {
    let mut output = GzipOutput::new(input.len(), limit);
    let mut inflater = Decompress::new(false);
    loop {
        let body = skip_header(input)?;
        let start = output.filled;
        let trailer = inflate(&mut inflater, body, &mut output)?;
        input = check_trailer(trailer, &output.bytes[start..output.filled])?;
        if input.is_empty() {
            output.bytes.truncate(output.filled);
            return Ok(output.bytes);
        }
        inflater.reset(false);
    }
}

/// The output so far. The library demands initialised memory, so `bytes` is longer than the filled part, and each byte
/// is zeroed once.
struct GzipOutput {
    bytes: Vec<u8>,
    filled: usize,
    limit: usize,
}

impl GzipOutput {
    fn new(input: usize, limit: usize) -> Self {
        let guess = input.saturating_mul(USUAL_RATIO).min(limit);
        Self {
            bytes: vec![0; guess],
            filled: 0,
            limit,
        }
    }

    /// The free bytes after the filled ones: at least one, and up to one byte over the limit, which tells "exactly the
    /// limit" from "more than the limit".
    fn room(&mut self) -> Result<&mut [u8], DecompressError> {
        if self.filled > self.limit {
            return Err(DecompressError::TooLarge(self.limit));
        }
        if self.filled == self.bytes.len() {
            let more = self
                .filled
                .max(LEAST_ROOM)
                .min(self.limit - self.filled + 1);
            self.bytes.reserve_exact(more);
            self.bytes.resize(self.filled + more, 0);
        }
        Ok(&mut self.bytes[self.filled..])
    }
}

/// Decompresses the deflate stream at the start of `input`, appends the result to `output`, and returns the rest of the
/// input.
fn inflate<'a>(
    inflater: &mut Decompress,
    input: &'a [u8],
    output: &mut GzipOutput,
) -> Result<&'a [u8], DecompressError> {
    loop {
        let (read, written) = (inflater.total_in(), inflater.total_out());
        let rest = input.get(read as usize..).unwrap_or_default();
        let status = inflater
            .decompress(rest, output.room()?, FlushDecompress::None)
            .map_err(DecompressError::corrupt)?;
        output.filled += (inflater.total_out() - written) as usize;
        if output.filled > output.limit {
            return Err(DecompressError::TooLarge(output.limit));
        }
        if status == Status::StreamEnd {
            let end = inflater.total_in() as usize;
            return Ok(input.get(end..).unwrap_or_default());
        }
        // The output has room, so only more input could help.
        if (inflater.total_in(), inflater.total_out()) == (read, written) {
            return Err(DecompressError::cut_short());
        }
    }
}

/// Returns the input after the header of a member (RFC 1952, section 2.3).
fn skip_header(input: &[u8]) -> Result<&[u8], DecompressError> {
    let (fixed, mut rest) = input
        .split_first_chunk::<10>()
        .ok_or_else(DecompressError::cut_short)?;
    let [0x1f, 0x8b, DEFLATE, flags, ..] = *fixed else {
        return Err(DecompressError::corrupt("no gzip member starts here"));
    };
    if flags & RESERVED != 0 {
        return Err(DecompressError::corrupt("the member has an unknown flag"));
    }
    if flags & EXTRA != 0 {
        let (length, after) = rest
            .split_first_chunk()
            .ok_or_else(DecompressError::cut_short)?;
        let length = usize::from(u16::from_le_bytes(*length));
        rest = after.get(length..).ok_or_else(DecompressError::cut_short)?;
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            let end = rest.iter().position(|&byte| byte == 0);
            let end = end.ok_or_else(DecompressError::cut_short)?;
            rest = &rest[end + 1..];
        }
    }
    if flags & HEADER_CRC != 0 {
        let (stated, after) = rest
            .split_first_chunk()
            .ok_or_else(DecompressError::cut_short)?;
        let mut crc = Crc::new();
        crc.update(&input[..input.len() - rest.len()]);
        if crc.sum() as u16 != u16::from_le_bytes(*stated) {
            return Err(DecompressError::corrupt(
                "the header of a member does not match its checksum",
            ));
        }
        rest = after;
    }
    Ok(rest)
}

/// Compares the trailer of a member with its content, and returns the input after it.
fn check_trailer<'a>(input: &'a [u8], content: &[u8]) -> Result<&'a [u8], DecompressError> {
    let (crc, rest) = input
        .split_first_chunk()
        .ok_or_else(DecompressError::cut_short)?;
    let (length, rest) = rest
        .split_first_chunk()
        .ok_or_else(DecompressError::cut_short)?;
    let mut found = Crc::new();
    found.update(content);
    if found.sum() != u32::from_le_bytes(*crc)
        || content.len() as u32 != u32::from_le_bytes(*length)
    {
        return Err(DecompressError::corrupt(
            "the content of a member does not match its checksum",
        ));
    }
    Ok(rest)
}
