//! What a send that has to wait is, to the producer that it waits for.

use std::time::Duration;

use kafkars_core::produce::delivery::Delivery;
use kafkars_core::produce::error::ProduceError;

use super::permit::SendPermit;
use super::send_error::SendError;

/// What waits: records for one topic.
pub trait PendingSend: Send + Sync {
    /// The topic.
    fn topic(&self) -> &str;
    /// How many records it is.
    fn count(&self) -> usize;
    /// How many bytes of memory it holds.
    fn size(&self) -> usize;
    /// False while the application has to choose the partition, for which the topic must be known.
    fn is_placed(&self) -> bool;
    /// The topic is known: the partition can be chosen. May be said more than once.
    fn topic_known(&self);
    /// Hands the records to the producer that they wait for.
    ///
    /// # Errors
    /// As [`super::Producer::try_send`].
    fn try_send(&self, permit: SendPermit) -> Result<Delivery, SendError>;
    /// For how long brokers may say that they do not know the topic, as librdkafka has it: then there is none, and
    /// until its deadline the send waits for whatever else is missing. Without, it waits for the topic until its
    /// deadline, and fails where no more can be hoped for: of a login, or of an address.
    fn propagation(&self) -> Option<Duration> {
        None
    }
    /// True if its failure is one of the open transaction. Otherwise whoever hears of it sees to that.
    fn fails_transaction(&self) -> bool {
        true
    }
    /// It waits no longer; said once, unless it was withdrawn.
    fn settled(&self, outcome: Result<Delivery, ProduceError>);
}
