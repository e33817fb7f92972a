//! Requests to which a broker owes a response, for messages about a silent broker.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kafkars_protocol::ApiKey;

/// The names of a broker in messages, and of the client that is connected to it.
#[derive(Debug, Clone)]
pub(crate) struct BrokerName {
    pub(crate) client: Arc<str>,
    pub(crate) address: Arc<str>,
    /// Its node id, once it is known.
    pub(crate) node: Arc<OnceLock<i32>>,
}

/// A request without a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// The broker's node id, if it is known.
    pub node: Option<i32>,
    /// The broker's `host:port`.
    pub address: Arc<str>,
    /// The API of the request.
    pub request: ApiKey,
    /// How long ago it was sent.
    pub waited: Duration,
    /// True if the broker has asked for a pause, in which nothing is sent (KIP-219).
    pub is_throttled: bool,
}

impl BrokerName {
    /// Describes a request to this broker that has no response.
    pub(crate) fn owes(&self, request: ApiKey, waited: Duration, is_throttled: bool) -> Unanswered {
        Unanswered {
            node: self.node.get().copied(),
            address: Arc::clone(&self.address),
            request,
            waited,
            is_throttled,
        }
    }
}

impl fmt::Display for Unanswered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.node {
            Some(node) => write!(formatter, "broker {node} ({})", self.address)?,
            None => write!(formatter, "the broker at {}", self.address)?,
        }
        let (request, waited) = (self.request.name(), self.waited.as_millis());
        write!(formatter, " has not answered {request} for {waited} ms: ")?;
        formatter.write_str(match self.is_throttled {
            true => "it has asked this client for a pause; look at its quotas",
            false => "look at its log and load, and whether the network between loses what is sent",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_broker_is_named_with_what_it_was_asked() {
        let name = BrokerName {
            client: "tests".into(),
            address: "broker:9092".into(),
            node: Arc::default(),
        };
        let owes = |is_throttled| {
            let waited = Duration::from_millis(1_500);
            name.owes(ApiKey::OffsetCommit, waited, is_throttled)
                .to_string()
        };
        let silent = "the broker at broker:9092 has not answered OffsetCommit for 1500 ms: ";
        assert!(owes(false).starts_with(silent), "{}", owes(false));
        name.node.set(2).expect("it is set once");
        let silent = "broker 2 (broker:9092) has not answered OffsetCommit for 1500 ms: ";
        assert!(owes(false).starts_with(silent), "{}", owes(false));
        assert!(owes(true).ends_with("look at its quotas"), "{}", owes(true));
    }
}
