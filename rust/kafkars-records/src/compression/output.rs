//! Output buffers of decompressors.

use super::decompress_error::DecompressError;

/// Makes an output buffer of the size that batches usually decompress to, within the limit.
pub(super) fn first_guess(input: &[u8], limit: usize) -> Vec<u8> {
    const USUAL_RATIO: usize = 4;
    Vec::with_capacity(input.len().saturating_mul(USUAL_RATIO).min(limit))
}

/// Makes room after a full `output` by doubling it, up to one byte over the limit: that byte tells "exactly the limit"
/// from "more than the limit".
pub(super) fn make_room(output: &mut Vec<u8>, limit: usize) -> Result<(), DecompressError> {
    const LEAST: usize = 16 << 10;
    if output.len() > limit {
        return Err(DecompressError::TooLarge(limit));
    }
    if output.len() == output.capacity() {
        output.reserve_exact(output.len().max(LEAST).min(limit - output.len() + 1));
    }
    Ok(())
}

/// Returns `output` without its spare room if there is much: batches are kept, and are counted by their length.
pub(crate) fn trimmed(mut output: Vec<u8>) -> Vec<u8> {
    if output.capacity() - output.len() > output.len() / 4 {
        output.shrink_to_fit();
    }
    output
}
