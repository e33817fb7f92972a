//! One partition as its leader sees it: log, producers, leadership, and who waits for news.

use kafkars_protocol::ErrorCode;

use crate::incoming::{IncomingBatch, Refusal};
use crate::log::Log;
use crate::producers::{Producers, Verdict};
use crate::topic_config::TopicConfig;
use crate::waiter::Waiters;

/// Leadership and content of one partition.
#[derive(Debug)]
pub(crate) struct Partition {
    pub(crate) leader: i32,
    pub(crate) leader_epoch: i32,
    pub(crate) replicas: Vec<i32>,
    /// The replicas that have everything: those whose nodes are alive, or the last that was.
    pub(crate) in_sync: Vec<i32>,
    pub(crate) log: Log,
    pub(crate) waiters: Waiters,
    producers: Producers,
    /// Leader epochs that have records, each with its first offset, in order.
    epochs: Vec<(i32, i64)>,
}

/// Where a batch ended up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) base_offset: i64,
    /// The time the broker put on the records, where the topic has log-append time.
    pub(crate) append_time: Option<i64>,
}

impl Partition {
    pub(crate) fn new(replicas: Vec<i32>, config: &TopicConfig) -> Self {
        Self {
            leader: replicas.first().copied().unwrap_or(-1),
            leader_epoch: 0,
            in_sync: replicas.clone(),
            replicas,
            log: Log::new(config.retention_bytes),
            waiters: Waiters::default(),
            producers: Producers::default(),
            epochs: Vec::new(),
        }
    }

    /// Appends a batch unless its producer has already had it appended.
    pub(crate) fn append(
        &mut self,
        batch: &IncomingBatch,
        config: &TopicConfig,
        now: i64,
    ) -> Result<Placed, Refusal> {
        let header = &batch.raw.header;
        match self.producers.judge(header) {
            Verdict::Append => {}
            Verdict::Duplicate(known) => {
                return Ok(Placed {
                    base_offset: known.base_offset,
                    append_time: known.append_time,
                });
            }
            Verdict::Refuse(code) => return Err(code.into()),
        }
        let append_time = config.log_append_time.then_some(now);
        let base_offset = match append_time {
            Some(now) => self.log.append(&batch.at(now)?, self.leader_epoch),
            None => self.log.append(batch, self.leader_epoch),
        };
        self.producers.remember(header, base_offset, append_time);
        if self
            .epochs
            .last()
            .is_none_or(|(epoch, _)| *epoch < self.leader_epoch)
        {
            self.epochs.push((self.leader_epoch, base_offset));
        }
        self.waiters.credit(batch.raw.bytes().len() as u64);
        Ok(Placed {
            base_offset,
            append_time,
        })
    }

    /// Judges the leader epoch that a client believes in (KIP-320); -1 is a client that does not say.
    pub(crate) fn check_epoch(&self, believed: i32) -> Result<(), ErrorCode> {
        match believed {
            -1 => Ok(()),
            epoch if epoch < self.leader_epoch => Err(ErrorCode::FencedLeaderEpoch),
            epoch if epoch > self.leader_epoch => Err(ErrorCode::UnknownLeaderEpoch),
            _ => Ok(()),
        }
    }

    /// The largest epoch up to `asked` that has records, and the offset where it ended; -1 and -1 when there is none.
    pub(crate) fn end_of_epoch(&self, asked: i32) -> (i32, i64) {
        if asked == self.leader_epoch {
            return (self.leader_epoch, self.log.end_offset());
        }
        if asked > self.leader_epoch || asked < 0 {
            return (-1, -1);
        }
        let after = self.epochs.partition_point(|(epoch, _)| *epoch <= asked);
        let end = self
            .epochs
            .get(after)
            .map_or(self.log.end_offset(), |(_, start)| *start);
        match after
            .checked_sub(1)
            .and_then(|index| self.epochs.get(index))
        {
            Some((epoch, _)) => (*epoch, end),
            // Nothing that old is left: Kafka answers the epoch asked for and the start of what there is.
            None => (
                asked,
                end.min(
                    self.epochs
                        .first()
                        .map_or(self.log.start_offset(), |(_, start)| *start),
                ),
            ),
        }
    }

    /// Gives the partition to another node, which starts a new leader epoch.
    pub(crate) fn move_to(&mut self, node: i32) {
        if !self.replicas.contains(&node) {
            // As after a reassignment: the new leader takes the place of the old one.
            let old = self.leader;
            self.replicas.retain(|replica| *replica != old);
            self.in_sync.retain(|replica| *replica != old);
            self.replicas.insert(0, node);
        }
        if !self.in_sync.contains(&node) {
            self.in_sync.push(node);
        }
        self.lead_by(node);
    }

    /// Starts a new leader epoch; whoever waits on the partition looks again.
    pub(crate) fn lead_by(&mut self, node: i32) {
        self.leader = node;
        self.leader_epoch += 1;
        self.waiters.wake();
    }
}
