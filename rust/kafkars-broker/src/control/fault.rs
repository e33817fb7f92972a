//! Faults on purpose: what is done to a request or to its answer.

use std::ops::Range;
use std::time::Duration;

use bytes::Bytes;
use kafkars_protocol::{ErrorCode, Frame, LENGTH_PREFIX};

/// Bytes of a correlation id, which stands behind the length prefix.
const CORRELATION_ID: usize = 4;

/// A fault on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultAction {
    /// The request is handled after a while, by the machine's clock; what follows on its connection waits too.
    Delay(Duration),
    /// The request is forgotten: no effect, no answer, and the connection stays open.
    Drop,
    /// The request has no effect, and its connection is closed.
    Disconnect,
    /// The request has its effect, but instead of the answer its connection is closed.
    DisconnectAfter,
    /// The request has no effect and is answered with this error, in every topic and partition it names.
    Error(ErrorCode),
    /// The request has its effect, and its answer is damaged on its way.
    Corrupt(Corruption),
}

/// The damage to an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Corruption {
    /// One byte is inverted: by its position after the length prefix, where 0 to 3 are the correlation id; beyond the
    /// end it is the last.
    FlipByte(usize),
    /// The length prefix says this instead of the length.
    Length(i32),
    /// Only so many bytes leave, length prefix included, then the connection is closed.
    Truncate(usize),
    /// The correlation id is that of no request.
    CorrelationId,
}

impl Corruption {
    /// Damages an answer: gives the bytes to send instead, and whether the connection is closed behind them. Nothing
    /// but the damage is copied: an answer may be megabytes of the log.
    pub(crate) fn apply(self, frame: Frame) -> (Vec<Bytes>, bool) {
        let length = frame.len();
        let segments = frame.into_segments();
        let damaged = match self {
            Self::FlipByte(position) => {
                let last = length.saturating_sub(1);
                let at = last.min(LENGTH_PREFIX.saturating_add(position));
                changed(segments, at..at + 1, |_, byte| byte ^ 0xff)
            }
            Self::Length(length) => {
                let prefix = length.to_be_bytes();
                changed(segments, 0..LENGTH_PREFIX, |index, _| prefix[index])
            }
            Self::Truncate(length) => cut(segments, length),
            Self::CorrelationId => {
                let id = LENGTH_PREFIX..LENGTH_PREFIX + CORRELATION_ID;
                changed(segments, id, |_, byte| byte ^ 0x55)
            }
        };
        (damaged, matches!(self, Self::Truncate(_)))
    }
}

/// Replaces the bytes of a range one by one, each by its place in the range and its value.
fn changed(
    segments: Vec<Bytes>,
    range: Range<usize>,
    replace: impl Fn(usize, u8) -> u8,
) -> Vec<Bytes> {
    let mut pieces = Vec::with_capacity(segments.len() + 2);
    let mut start = 0;
    for segment in segments {
        let end = start + segment.len();
        let (from, to) = (range.start.clamp(start, end), range.end.clamp(start, end));
        let replaced: Bytes = (from..to)
            .map(|at| replace(at - range.start, segment[at - start]))
            .collect();
        let (before, after) = (segment.slice(..from - start), segment.slice(to - start..));
        pieces.extend([before, replaced, after]);
        start = end;
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// Keeps the first bytes.
fn cut(segments: Vec<Bytes>, mut length: usize) -> Vec<Bytes> {
    let mut pieces = Vec::new();
    for mut segment in segments {
        segment.truncate(length);
        length -= segment.len();
        if !segment.is_empty() {
            pieces.push(segment);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;

    use super::*;

    fn segments() -> Vec<Bytes> {
        ["", "ab", "cde", "f"]
            .map(|text| Bytes::from_static(text.as_bytes()))
            .to_vec()
    }

    fn joined(pieces: &[Bytes]) -> BytesMut {
        pieces.iter().flatten().copied().collect()
    }

    #[test]
    fn a_change_goes_across_segments_and_leaves_no_empty_ones() {
        for start in 0..6 {
            for end in start..=6 {
                let pieces = changed(segments(), start..end, |index, _| index as u8);
                let mut expected = BytesMut::from("abcdef");
                for (index, byte) in expected[start..end].iter_mut().enumerate() {
                    *byte = index as u8;
                }
                assert_eq!(joined(&pieces), expected);
                assert!(pieces.iter().all(|piece| !piece.is_empty()));
            }
        }
        assert_eq!(joined(&changed(segments(), 9..10, |_, _| 0)), "abcdef");
    }

    #[test]
    fn what_is_not_changed_is_not_copied() {
        let whole = segments();
        let pieces = changed(whole.clone(), 3..4, |_, byte| !byte);
        assert_eq!(pieces[0].as_ptr(), whole[1].as_ptr());
        assert_eq!(
            pieces.last().map(|last| last.as_ptr()),
            Some(whole[3].as_ptr())
        );
    }

    #[test]
    fn a_cut_keeps_the_first_bytes() {
        for length in 0..=6 {
            assert_eq!(joined(&cut(segments(), length)), "abcdef"[..length]);
        }
        assert_eq!(joined(&cut(segments(), 100)), "abcdef");
    }
}
