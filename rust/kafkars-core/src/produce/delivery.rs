//! Delivery reports: one shared outcome per batch, one small handle per record.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use crate::produce::error::ProduceError;

/// The broker's acknowledgement of a stored batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchAck {
    /// Offset of the first record, or -1 where the broker did not tell (acks=0).
    pub base_offset: i64,
    /// Broker's time in ms where the topic uses log-append time, otherwise -1.
    pub log_append_time: i64,
}

/// How a batch ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchOutcome {
    /// Stored (or, with acks=0, written to the socket).
    Acknowledged(BatchAck),
    /// Not known to be stored.
    Failed(ProduceError),
    /// Too large for the topic and sent as several; each entry starts at the record of this index.
    Split(Vec<(u32, Arc<BatchDelivery>)>),
}

type Waiter = Box<dyn FnOnce() + Send>;

type Unheard = Box<dyn FnOnce() + Send>;

/// The outcome that all records of a batch share. Records hold it by reference and an index, so reporting costs nothing
/// per record until its outcome is asked for.
pub struct BatchDelivery {
    topic: Arc<str>,
    partition: i32,
    outcome: OnceLock<BatchOutcome>,
    // Callbacks that wait for `outcome`; emptied when it is set.
    waiters: Mutex<Vec<Waiter>>,
    // True once a caller has got an error from here.
    told: AtomicBool,
    // What is run if no caller has.
    unheard: Mutex<Option<Unheard>>,
}

impl BatchDelivery {
    /// Creates the outcome of a batch, still open.
    pub fn new(topic: Arc<str>, partition: i32) -> Self {
        Self {
            topic,
            partition,
            outcome: OnceLock::new(),
            waiters: Mutex::new(Vec::new()),
            told: AtomicBool::new(false),
            unheard: Mutex::new(None),
        }
    }

    /// Sets what is run when the batch has failed and is dropped before a caller got its error. Only the first call
    /// counts.
    pub fn if_unheard(&self, tell: impl FnOnce() + Send + 'static) {
        self.unheard.lock().get_or_insert_with(|| Box::new(tell));
    }

    /// Runs that now, at the end of the program, unless a caller has got the error.
    pub fn tell_unheard(&self) {
        if self.told.load(Ordering::Relaxed) {
            return;
        }
        let unheard = self.unheard.lock().take();
        if let Some(tell) = unheard {
            tell();
        }
    }

    /// The batch's topic.
    pub fn topic(&self) -> &Arc<str> {
        &self.topic
    }

    /// The batch's partition.
    pub fn partition(&self) -> i32 {
        self.partition
    }

    /// Returns true if every record of the batch has its outcome.
    pub fn is_done(&self) -> bool {
        match self.outcome.get() {
            None => false,
            Some(BatchOutcome::Split(parts)) => parts.iter().all(|(_, part)| part.is_done()),
            Some(_) => true,
        }
    }

    /// Runs `waiter` once when the batch is done, at once if it already is. It runs on the thread that completes the
    /// batch and must be quick.
    pub fn on_done(&self, waiter: impl FnOnce() + Send + 'static) {
        let mut waiters = self.waiters.lock();
        match self.outcome.get() {
            None => waiters.push(Box::new(waiter)),
            Some(BatchOutcome::Split(parts)) => {
                drop(waiters);
                on_all_done(parts, Box::new(waiter));
            }
            Some(_) => {
                drop(waiters);
                waiter();
            }
        }
    }

    /// Sets the outcome and runs the waiters. Only the first outcome counts.
    pub fn complete(&self, outcome: BatchOutcome) {
        let waiters = {
            let mut waiters = self.waiters.lock();
            if self.outcome.set(outcome).is_err() {
                return;
            }
            std::mem::take(&mut *waiters)
        };
        match self.outcome.get() {
            Some(BatchOutcome::Split(parts)) => {
                for waiter in waiters {
                    on_all_done(parts, waiter);
                }
            }
            _ => waiters.into_iter().for_each(|waiter| waiter()),
        }
    }

    #[inline]
    fn record(&self, index: u32) -> Option<Result<(i64, i64), ProduceError>> {
        match self.outcome.get()? {
            BatchOutcome::Acknowledged(ack) if ack.base_offset < 0 => {
                Some(Ok((-1, ack.log_append_time)))
            }
            // An offset that overflows counts as unknown.
            BatchOutcome::Acknowledged(ack) => Some(Ok((
                ack.base_offset.checked_add(i64::from(index)).unwrap_or(-1),
                ack.log_append_time,
            ))),
            BatchOutcome::Failed(error) => Some(Err(error.clone())),
            BatchOutcome::Split(parts) => {
                let at = parts
                    .partition_point(|(start, _)| *start <= index)
                    .checked_sub(1)?;
                let (start, part) = parts.get(at)?;
                part.record(index - start)
            }
        }
    }

    /// Notes that a caller has got the error of a record.
    fn tell(&self, index: u32) {
        match self.outcome.get() {
            Some(BatchOutcome::Split(parts)) => {
                let begun = parts.partition_point(|(start, _)| *start <= index);
                if let Some((start, part)) = begun.checked_sub(1).and_then(|at| parts.get(at)) {
                    part.tell(index - start);
                }
            }
            _ => self.told.store(true, Ordering::Relaxed),
        }
    }
}

impl Drop for BatchDelivery {
    fn drop(&mut self) {
        self.tell_unheard();
    }
}

impl fmt::Debug for BatchDelivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchDelivery")
            .field("topic", &self.topic)
            .field("partition", &self.partition)
            .field("outcome", &self.outcome.get())
            .finish_non_exhaustive()
    }
}

impl PartialEq for BatchDelivery {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for BatchDelivery {}

/// Runs `waiter` when the last of `parts` is done, by waiting for one part after the other.
fn on_all_done(parts: &[(u32, Arc<BatchDelivery>)], waiter: Waiter) {
    let Some((first, rest)) = parts.split_first() else {
        waiter();
        return;
    };
    let rest = rest.to_vec();
    first.1.on_done(move || on_all_done(&rest, waiter));
}

/// Where one record was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordMetadata {
    /// The topic.
    pub topic: Arc<str>,
    /// The partition chosen.
    pub partition: i32,
    /// The record's offset, or -1 with acks=0.
    pub offset: i64,
    /// Milliseconds since 1970: the record's own time, or the broker's where `log_append_time`.
    pub timestamp: i64,
    /// Whether the broker set the timestamp.
    pub log_append_time: bool,
    /// Bytes of the key, or -1 without one.
    pub serialized_key_size: i32,
    /// Bytes of the value, or -1 for a tombstone.
    pub serialized_value_size: i32,
}

/// What only the broker tells of a stored record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredAt {
    /// As in [`RecordMetadata`].
    pub offset: i64,
    /// As in [`RecordMetadata`].
    pub timestamp: i64,
    /// As in [`RecordMetadata`].
    pub log_append_time: bool,
}

/// One record's place in one batch.
#[derive(Debug, Clone)]
pub struct Delivery {
    pub(crate) batch: Arc<BatchDelivery>,
    pub(crate) index: u32,
    pub(crate) key_size: i32,
    pub(crate) value_size: i32,
    pub(crate) timestamp: i64,
}

impl Delivery {
    /// Returns the batch whose outcome decides.
    pub fn batch(&self) -> &Arc<BatchDelivery> {
        &self.batch
    }

    /// The record's place in the batch.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Returns true if [`Delivery::result`] has an answer.
    pub fn is_done(&self) -> bool {
        self.batch.record(self.index).is_some()
    }

    /// Returns the record's outcome; `None` while it is under way.
    pub fn result(&self) -> Option<Result<RecordMetadata, ProduceError>> {
        let outcome = self.stored_at()?;
        Some(outcome.map(|stored| RecordMetadata {
            topic: Arc::clone(&self.batch.topic),
            partition: self.batch.partition,
            offset: stored.offset,
            timestamp: stored.timestamp,
            log_append_time: stored.log_append_time,
            serialized_key_size: self.key_size,
            serialized_value_size: self.value_size,
        }))
    }

    /// As [`Delivery::result`], for callers that know the record.
    #[inline]
    pub fn stored_at(&self) -> Option<Result<StoredAt, ProduceError>> {
        let outcome = self.batch.record(self.index)?;
        if outcome.is_err() {
            self.batch.tell(self.index);
        }
        Some(outcome.map(|(offset, log_append_time)| StoredAt {
            offset,
            timestamp: if log_append_time >= 0 {
                log_append_time
            } else {
                self.timestamp
            },
            log_append_time: log_append_time >= 0,
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    fn delivery(batch: &Arc<BatchDelivery>, index: u32) -> Delivery {
        Delivery {
            batch: Arc::clone(batch),
            index,
            key_size: 1,
            value_size: 2,
            timestamp: 42,
        }
    }

    fn acknowledged(base_offset: i64) -> BatchOutcome {
        BatchOutcome::Acknowledged(BatchAck {
            base_offset,
            log_append_time: -1,
        })
    }

    #[test]
    fn records_get_consecutive_offsets() {
        let batch = Arc::new(BatchDelivery::new("t".into(), 3));
        let record = delivery(&batch, 4);
        assert!(record.result().is_none());
        batch.complete(acknowledged(100));
        let metadata = record.result().expect("done").expect("stored");
        assert_eq!((metadata.offset, metadata.timestamp), (104, 42));
    }

    #[test]
    fn waiters_run_once_before_or_after_completion() {
        let batch = Arc::new(BatchDelivery::new("t".into(), 0));
        let runs = Arc::new(AtomicUsize::new(0));
        let count = |runs: &Arc<AtomicUsize>| {
            let runs = Arc::clone(runs);
            move || {
                runs.fetch_add(1, Ordering::Relaxed);
            }
        };
        batch.on_done(count(&runs));
        batch.complete(acknowledged(0));
        batch.complete(BatchOutcome::Failed(ProduceError::Closed));
        batch.on_done(count(&runs));
        assert_eq!(runs.load(Ordering::Relaxed), 2);
        assert!(delivery(&batch, 0).result().expect("done").is_ok());
    }

    #[test]
    fn a_failure_is_unheard_unless_somebody_got_the_error_of_one_of_its_records() {
        for (is_split, asks) in [(false, false), (false, true), (true, false), (true, true)] {
            let runs = Arc::new(AtomicUsize::new(0));
            let batch = Arc::new(BatchDelivery::new("t".into(), 0));
            let record = delivery(&batch, 11);
            let failed = match is_split {
                false => Arc::clone(&batch),
                true => {
                    let part = Arc::new(BatchDelivery::new("t".into(), 0));
                    let parts = vec![(0, Arc::clone(&part)), (20, Arc::clone(&part))];
                    batch.complete(BatchOutcome::Split(parts));
                    part
                }
            };
            let seen = Arc::clone(&runs);
            failed.if_unheard(move || {
                seen.fetch_add(1, Ordering::Relaxed);
            });
            failed.complete(BatchOutcome::Failed(ProduceError::Closed));
            assert!(record.is_done());
            if asks {
                assert!(record.result().expect("done").is_err());
            }
            drop((batch, failed));
            assert_eq!(runs.load(Ordering::Relaxed), 0);
            drop(record);
            assert_eq!(runs.load(Ordering::Relaxed), usize::from(!asks));
        }
    }

    #[test]
    fn a_split_batch_is_done_with_its_last_part() {
        let batch = Arc::new(BatchDelivery::new("t".into(), 0));
        let parts: Vec<_> = [0, 10]
            .map(|start| (start, Arc::new(BatchDelivery::new("t".into(), 0))))
            .into();
        let runs = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&runs);
        batch.on_done(move || {
            seen.fetch_add(1, Ordering::Relaxed);
        });
        batch.complete(BatchOutcome::Split(parts.clone()));
        parts[1].1.complete(acknowledged(500));
        assert!(!batch.is_done());
        assert_eq!(runs.load(Ordering::Relaxed), 0);
        parts[0]
            .1
            .complete(BatchOutcome::Failed(ProduceError::Closed));
        assert!(batch.is_done());
        assert_eq!(runs.load(Ordering::Relaxed), 1);
        assert!(delivery(&batch, 9).result().expect("done").is_err());
        let moved = delivery(&batch, 12)
            .result()
            .expect("done")
            .expect("stored");
        assert_eq!(moved.offset, 502);
    }
}
