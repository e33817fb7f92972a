//! Memory of columns that their readers have let go, for the next columns: a page from the system costs more than
//! filling it.

use std::collections::VecDeque;
use std::sync::Mutex;

use arrow_buffer::Buffer;
use bytes::Bytes;

/// Smaller pieces are left to the allocator, which has them at hand.
const LEAST: usize = 64 << 10;
/// How much the process keeps at most, for all consumers: what a few record batches need.
const MOST: usize = 16 << 20;

static FREE: Mutex<Pieces> = Mutex::new(Pieces::new());

/// Pieces that nobody uses, the longest unused first.
struct Pieces {
    pieces: VecDeque<Vec<u8>>,
    bytes: usize,
}

impl Pieces {
    const fn new() -> Self {
        Self {
            pieces: VecDeque::new(),
            bytes: 0,
        }
    }

    /// The smallest piece with room for `bytes`, unless more than half of it would be left over: columns may be kept
    /// for long. Of equals the one that was used last, which the processor's caches may still have.
    fn take(&mut self, bytes: usize) -> Option<Vec<u8>> {
        let most = bytes.saturating_mul(2);
        let places = self.pieces.iter().enumerate().rev();
        let (place, _) = places
            .filter(|(_, piece)| (bytes..=most).contains(&piece.capacity()))
            .min_by_key(|(_, piece)| piece.capacity())?;
        let piece = self.pieces.remove(place)?;
        self.bytes -= piece.capacity();
        Some(piece)
    }

    /// Keeps a piece, and lets go of others if that is too much.
    fn put(&mut self, mut piece: Vec<u8>) {
        piece.clear();
        self.bytes += piece.capacity();
        self.pieces.push_back(piece);
        while self.bytes > MOST
            && let Some(oldest) = self.pieces.pop_front()
        {
            self.bytes -= oldest.capacity();
        }
    }
}

/// An empty vector with room for `bytes`.
pub(super) fn with_room(bytes: usize) -> Vec<u8> {
    if !(LEAST..=MOST).contains(&bytes) {
        return Vec::with_capacity(bytes);
    }
    // Whoever has the lock is done in an instant; but after a fork, it may be in nobody's hands.
    let kept = FREE.try_lock().ok().and_then(|mut free| free.take(bytes));
    // A little more than is needed: the next column may be a little larger.
    kept.unwrap_or_else(|| {
        Vec::with_capacity(bytes.next_multiple_of(bytes.next_power_of_two() / 8))
    })
}

/// A buffer of `data`, whose memory is kept when the last reader has let it go.
pub(super) fn into_buffer(data: Vec<u8>) -> Buffer {
    if (LEAST..=MOST).contains(&data.capacity()) {
        Bytes::from_owner(PieceInUse(data)).into()
    } else {
        Buffer::from_vec(data)
    }
}

/// Bytes of a column, as long as there are readers.
struct PieceInUse(Vec<u8>);

impl AsRef<[u8]> for PieceInUse {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for PieceInUse {
    fn drop(&mut self) {
        if let Ok(mut free) = FREE.try_lock() {
            free.put(std::mem::take(&mut self.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_back_for_the_next_column_and_not_before() {
        // A size that no other test has.
        let size = 5 << 20;
        let mut first = with_room(size);
        first.extend_from_slice(b"abc");
        let place = first.as_ptr();
        let buffer = into_buffer(first);
        let part = buffer.slice(1);
        drop(buffer);
        let other = with_room(size);
        assert_ne!(other.as_ptr(), place);
        assert_eq!(part.as_slice(), b"bc");
        drop(part);
        let again = with_room(size - 5);
        assert_eq!((again.as_ptr(), again.len()), (place, 0));
        assert_eq!(again.capacity(), size);
    }

    #[test]
    fn what_is_kept_has_a_limit_and_the_oldest_goes_first() {
        let mut kept = Pieces::new();
        for size in [1, 2, 4, 8] {
            kept.put(Vec::with_capacity(size << 20));
        }
        assert_eq!((kept.pieces.len(), kept.bytes), (4, 15 << 20));
        kept.put(Vec::with_capacity(2 << 20));
        assert_eq!(kept.bytes, MOST);
        let sizes = kept.pieces.iter().map(|piece| piece.capacity() >> 20);
        assert_eq!(sizes.collect::<Vec<_>>(), [2, 4, 8, 2]);
        assert!(kept.take(8 << 20).is_some());
        assert_eq!(kept.bytes, 8 << 20);
    }

    #[test]
    fn a_column_takes_the_smallest_piece_and_none_that_is_much_too_large() {
        let mut kept = Pieces::new();
        for size in [3 << 20, 2 << 20, 5 << 20] {
            kept.put(Vec::with_capacity(size));
        }
        let capacity = |piece: Option<Vec<u8>>| piece.map(|piece| piece.capacity());
        assert_eq!(capacity(kept.take((1 << 20) - 1)), None);
        assert_eq!(capacity(kept.take((2 << 20) - 1)), Some(2 << 20));
        assert_eq!(capacity(kept.take((2 << 20) + 1)), Some(3 << 20));
        assert_eq!(capacity(kept.take((5 << 20) + 1)), None);
        assert_eq!(capacity(kept.take(4 << 20)), Some(5 << 20));
    }
}
