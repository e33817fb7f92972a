//! Zstandard. Contexts are kept per thread, because making one costs more than a small batch.

use std::{
    cell::RefCell,
    io::{self, Cursor},
};

use zstd::{
    bulk::Compressor,
    zstd_safe::{
        DCtx, InBuffer, OutBuffer, ResetDirective, compress_bound, get_error_name,
        get_frame_content_size,
    },
};

use super::decompress_error::DecompressError;
use super::output::{first_guess, make_room};

const DEFAULT_LEVEL: i32 = 3;
/// A context that has grown beyond this is not kept: high levels and huge windows take hundreds of megabytes.
const MOST_KEPT: usize = 16 << 20;

thread_local! {
    static COMPRESSOR: RefCell<Option<(i32, Compressor<'static>)>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<DCtx<'static>>> = const { RefCell::new(None) };
}

/// Compresses `input` and appends the result to `output`.
pub(super) fn compress(input: &[u8], level: Option<i32>, output: &mut Vec<u8>) -> io::Result<()> {
    let level = level.unwrap_or(DEFAULT_LEVEL);
    let (_, mut compressor) = match COMPRESSOR.take() {
        Some((kept_level, compressor)) if kept_level == level => (level, compressor),
        Some((_, mut compressor)) => {
            compressor.set_compression_level(level)?;
            (level, compressor)
        }
        None => (level, Compressor::new(level)?),
    };
    let start = output.len();
    output.reserve_exact(compress_bound(input.len()));
    let mut cursor = Cursor::new(output);
    cursor.set_position(start as u64);
    compressor.compress_to_buffer(input, &mut cursor)?;
    if compressor.context_mut().sizeof() <= MOST_KEPT {
        COMPRESSOR.set(Some((level, compressor)));
    }
    Ok(())
}

/// Decompresses `input` to at most `limit` bytes.
pub(super) fn decompress(input: &[u8], limit: usize) -> Result<Vec<u8>, DecompressError> {
    let mut context = match DECOMPRESSOR.take() {
        Some(context) => context,
        None => DCtx::try_create()
            .ok_or_else(|| DecompressError::corrupt("no memory for a decompression context"))?,
    };
    let output = decompress_with(&mut context, input, limit)?;
    if context.sizeof() <= MOST_KEPT {
        DECOMPRESSOR.set(Some(context));
    }
    Ok(output)
}

fn decompress_with(
    context: &mut DCtx<'static>,
    input: &[u8],
    limit: usize,
) -> Result<Vec<u8>, DecompressError> {
    if let Some(size) = plausible_size(input, limit) {
        // Decompressing in one call copies through no window. If the stated size is wrong, or a second frame follows,
        // the streaming call below reports or handles it.
        let mut output = Vec::with_capacity(size);
        if context.decompress(&mut output, input).is_ok() {
            return Ok(output);
        }
    }
    stream(context, input, limit)
}

/// The size that the first frame states, if it is plausible enough to reserve memory for.
fn plausible_size(input: &[u8], limit: usize) -> Option<usize> {
    const ALWAYS: usize = 1 << 20;
    const USUAL_RATIO: usize = 64;
    let stated = usize::try_from(get_frame_content_size(input).ok()??).ok()?;
    let plausible = ALWAYS.max(input.len().saturating_mul(USUAL_RATIO));
    (stated <= plausible.min(limit)).then_some(stated)
}

/// Decompresses piece by piece, and grows the output as needed.
fn stream(
    context: &mut DCtx<'static>,
    input: &[u8],
    limit: usize,
) -> Result<Vec<u8>, DecompressError> {
    let corrupt = |code| DecompressError::corrupt(get_error_name(code));
    context
        .reset(ResetDirective::SessionOnly)
        .map_err(corrupt)?;
    let mut output = first_guess(input, limit);
    let mut source = InBuffer::around(input);
    loop {
        make_room(&mut output, limit)?;
        let start = output.len();
        let mut target = OutBuffer::around_pos(&mut output, start);
        let wanted = context
            .decompress_stream(&mut target, &mut source)
            .map_err(corrupt)?;
        if output.len() > limit {
            return Err(DecompressError::TooLarge(limit));
        }
        let all_read = source.pos() == input.len();
        if all_read && wanted == 0 {
            return Ok(output);
        }
        if all_read && output.len() < output.capacity() {
            return Err(DecompressError::cut_short());
        }
    }
}
