//! Gzip: deflate with a header and a checksum of its own. Several members in a row are one stream, as in Java's reader.

use std::{cell::RefCell, io};

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use super::{DecompressError, first_guess, make_room};

const DEFAULT_LEVEL: i32 = 6;
/// The largest window deflate has: 32 KiB.
const WINDOW_BITS: u8 = 15;

thread_local! {
    /// The compressor of this thread and its level. Its 260 KiB of tables cost more to set up than a small batch to compress.
    static COMPRESSOR: RefCell<Option<(u32, Compress)>> = const { RefCell::new(None) };
}

/// Appends `input`, compressed, to `output`.
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
pub(super) fn decompress(mut input: &[u8], limit: usize) -> Result<Vec<u8>, DecompressError> {
    let mut output = first_guess(input, limit);
    loop {
        input = inflate_member(input, &mut output, limit)?;
        if input.is_empty() {
            return Ok(output);
        }
    }
}

/// Appends one member to `output` and returns the input behind it.
fn inflate_member<'a>(
    input: &'a [u8],
    output: &mut Vec<u8>,
    limit: usize,
) -> Result<&'a [u8], DecompressError> {
    let mut decompressor = Decompress::new_gzip(WINDOW_BITS);
    loop {
        make_room(output, limit)?;
        let before = (decompressor.total_in(), output.len());
        let rest = input.get(before.0 as usize..).unwrap_or_default();
        let status = decompressor
            .decompress_vec(rest, output, FlushDecompress::None)
            .map_err(DecompressError::corrupt)?;
        if output.len() > limit {
            return Err(DecompressError::TooLarge(limit));
        }
        if status == Status::StreamEnd {
            return Ok(input
                .get(decompressor.total_in() as usize..)
                .unwrap_or_default());
        }
        // With room in the output, only more input could help.
        if (decompressor.total_in(), output.len()) == before {
            return Err(DecompressError::cut_short());
        }
    }
}
