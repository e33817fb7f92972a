//! The memory limit of an accumulator: `buffer_memory`, and the line of records that wait for room.

use std::sync::atomic::Ordering;

use super::{Accumulator, AppendRefusal, less};
use crate::produce::partition_buffer::OutgoingBatch;

impl Accumulator {
    pub(super) fn reserve(&self, size: usize) -> Result<(), AppendRefusal> {
        let before = self.used.fetch_add(size, Ordering::Relaxed);
        let awaited = self.awaited.load(Ordering::Relaxed);
        // A record larger than `buffer_memory` is accepted when it is alone: it could never fit otherwise.
        if before + size + awaited > self.buffer_memory && before + awaited > 0 {
            self.used.fetch_sub(size, Ordering::Relaxed);
            return Err(AppendRefusal::NeedsRoom(size));
        }
        Ok(())
    }

    /// Returns true if a record of `size` bytes would fit now; for the one that is first in line, or for any other.
    pub fn has_room(&self, size: usize, is_first: bool) -> bool {
        let used = self.used.load(Ordering::Relaxed);
        let awaited = match is_first {
            true => 0,
            false => self.awaited.load(Ordering::Relaxed),
        };
        used + awaited == 0 || used + size + awaited <= self.buffer_memory
    }

    /// Takes the first place in line for room, unless it is taken. Without it a large record would never fit while
    /// small ones take whatever room there is. Ends by [`leave_line`](Self::leave_line).
    pub fn be_first_in_line(&self, size: usize) -> bool {
        let taken =
            self.awaited
                .compare_exchange(0, size.max(1), Ordering::AcqRel, Ordering::Relaxed);
        taken.is_ok()
    }

    /// Gives the first place up.
    pub fn leave_line(&self) {
        self.awaited.store(0, Ordering::Release);
    }

    /// Returns the bytes held by records that are not acknowledged.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns the number of records that are not acknowledged.
    pub fn unacknowledged(&self) -> usize {
        self.unacknowledged.load(Ordering::Relaxed)
    }

    /// Returns the memory of a batch that has ended.
    pub fn release(&self, batch: &OutgoingBatch) {
        less(&self.used, batch.reserved);
        // A batch that was purged under way got its outcome earlier, and was counted off then.
        if !batch.delivery.is_done() {
            less(&self.unacknowledged, batch.count as usize);
        }
    }

    /// Counts off records that have their outcome before their request is answered.
    pub(in crate::produce) fn count_off(&self, records: u32) {
        less(&self.unacknowledged, records as usize);
    }
}
