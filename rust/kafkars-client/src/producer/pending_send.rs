//! The trait of a send that has to wait before its records can be appended.

use std::time::Duration;

use kafkars_core::produce::delivery::Delivery;
use kafkars_core::produce::error::ProduceError;

use super::permit::SendPermit;
use super::send_error::SendError;

/// Records for one topic that wait.
pub trait PendingSend: Send + Sync {
    /// The topic.
    fn topic(&self) -> &str;
    /// How many records there are.
    fn count(&self) -> usize;
    /// How many bytes of memory they hold.
    fn size(&self) -> usize;
    /// False as long as the application has to choose the partition, for which the topic must be known.
    fn is_placed(&self) -> bool;
    /// Tells that the topic is known, so that the partition can be chosen. May be called more than once.
    fn topic_known(&self);
    /// Appends the records to batches of the producer.
    ///
    /// # Errors
    /// As [`super::Producer::try_send`].
    fn try_send(&self, permit: SendPermit) -> Result<Delivery, SendError>;
    /// How long brokers may say that the topic does not exist before the send fails; librdkafka has such a limit. With
    /// it, the send waits until its deadline for anything else. Without, it waits for the topic until its deadline, and
    /// fails earlier if there is no hope: because of a login or an address.
    fn propagation(&self) -> Option<Duration> {
        None
    }
    /// True if its failure fails the open transaction. Otherwise whoever gets the failure sees to that.
    fn fails_transaction(&self) -> bool {
        true
    }
    /// Reports the outcome. Called once, unless the send was withdrawn.
    fn settled(&self, outcome: Result<Delivery, ProduceError>);
}
