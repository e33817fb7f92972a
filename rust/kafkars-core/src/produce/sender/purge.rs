//! Purging records, as the application asks.

use super::{InFlightBatch, Sender};
use crate::produce::delivery::BatchOutcome;
use crate::produce::error::ProduceError;

impl Sender {
    /// Fails records: with `in_queue` those that were never sent, with `in_flight` those that were sent and are not
    /// acknowledged yet, which a broker may store nevertheless. Returns how many there were. A transaction that they
    /// belong to has to be aborted.
    ///
    /// Records in a request are reported at once, but keep their memory and sequence numbers until the request is
    /// answered: only then is it known which number comes next, and only then may a transaction end.
    pub fn purge(&mut self, in_queue: bool, in_flight: bool) -> usize {
        let mut count = 0;
        for buffer in self.accumulator.buffers() {
            let (unsent, tried, flying) = {
                let mut state = buffer.lock();
                let mut take = |wanted, tried| match wanted {
                    true => state.take_purged(tried),
                    false => Vec::new(),
                };
                let (unsent, tried) = (take(in_queue, false), take(in_flight, true));
                let flying: Vec<_> = match in_flight {
                    true => state
                        .flying()
                        .map(|(d, count)| (d.clone(), count))
                        .collect(),
                    false => Vec::new(),
                };
                (unsent, tried, flying)
            };
            for (batches, sent) in [(unsent, false), (tried, true)] {
                for batch in batches {
                    count += batch.count as usize;
                    self.finish(batch, failed(sent));
                }
            }
            for (delivery, records) in flying {
                count += records as usize;
                self.accumulator.count_off(records);
                self.purged += 1;
                if let Some(transactions) = &mut self.transactions {
                    transactions.record_failed(&ProduceError::Purged { in_flight: true });
                }
                delivery.complete(failed(true));
            }
        }
        count
    }

    /// Ends a batch that was purged while under way, rather than trying it again.
    pub(super) fn purged(&mut self, in_flight: InFlightBatch) {
        self.arrived(in_flight, failed(true));
    }
}

fn failed(in_flight: bool) -> BatchOutcome {
    BatchOutcome::Failed(ProduceError::Purged { in_flight })
}
