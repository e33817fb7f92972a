//! Incremental fetch sessions (KIP-227): requests after the first one name only what has changed.

use std::collections::{HashMap, HashSet};

use kafkars_protocol::{ErrorCode, Uuid};

use crate::config::TopicPartition;

/// What a request says about a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionPartition {
    /// The topic's id; zero where the broker has none.
    pub topic_id: Uuid,
    /// The offset to fetch from.
    pub offset: i64,
    /// The leader epoch from metadata, or -1.
    pub leader_epoch: i32,
    /// Epoch of the last record read, or -1.
    pub last_epoch: i32,
}

/// The state of one connection's session.
#[derive(Debug, Default)]
pub struct FetchSession {
    id: i32,
    epoch: i32,
    sent: HashMap<TopicPartition, SessionPartition>,
}

/// The session fields of the next request.
#[derive(Debug, PartialEq, Eq)]
pub struct SessionRequest {
    /// The session's id; 0 for none.
    pub session_id: i32,
    /// The session's epoch: 0 opens a session (and closes the one named), -1 means a request outside of any.
    pub session_epoch: i32,
    /// Partitions that are new or have changed.
    pub changed: Vec<(TopicPartition, SessionPartition)>,
    /// Partitions the broker should forget, with the id they were known under.
    pub forgotten: Vec<(TopicPartition, Uuid)>,
}

impl FetchSession {
    /// Creates a session that is not open yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The request that asks for exactly `wanted`.
    pub fn request(&mut self, wanted: Vec<(TopicPartition, SessionPartition)>) -> SessionRequest {
        // A topic was deleted and created again: the broker needs a full request then.
        let recreated = wanted.iter().any(|(partition, new)| {
            self.sent
                .get(partition)
                .is_some_and(|old| old.topic_id != new.topic_id)
        });
        if recreated || self.epoch == 0 {
            return self.full_request(wanted);
        }
        let names: HashSet<&TopicPartition> =
            wanted.iter().map(|(partition, _)| partition).collect();
        let forgotten: Vec<_> = self
            .sent
            .iter()
            .filter(|(partition, _)| !names.contains(partition))
            .map(|(partition, sent)| (partition.clone(), sent.topic_id))
            .collect();
        for (partition, _) in &forgotten {
            self.sent.remove(partition);
        }
        let changed: Vec<_> = wanted
            .into_iter()
            .filter(|(partition, new)| {
                self.sent.insert(partition.clone(), *new).as_ref() != Some(new)
            })
            .collect();
        SessionRequest {
            session_id: self.id,
            session_epoch: self.epoch,
            changed,
            forgotten,
        }
    }

    fn full_request(&mut self, wanted: Vec<(TopicPartition, SessionPartition)>) -> SessionRequest {
        self.sent = wanted.iter().cloned().collect();
        self.epoch = 0;
        SessionRequest {
            session_id: self.id,
            session_epoch: 0,
            changed: wanted,
            forgotten: Vec::new(),
        }
    }

    /// True if the next request names the partition only where something about it changes, and so does the response.
    pub fn has(&self, partition: &TopicPartition) -> bool {
        self.epoch != 0 && self.sent.contains_key(partition)
    }

    /// Lets the next request ask for everything anew: whoever asks now has not heard what was said before.
    pub fn renew(&mut self) {
        self.epoch = 0;
    }

    /// Takes over the session's state from a response. True if the response's partitions count.
    pub fn response(&mut self, error: ErrorCode, session_id: i32) -> bool {
        match error {
            ErrorCode::None => {
                self.id = session_id;
                // Epochs count 1, 2, … and skip 0 when they wrap, which would open a session.
                self.epoch = match (session_id, self.epoch) {
                    (0, _) => 0,
                    (_, i32::MAX) => 1,
                    (_, epoch) => epoch + 1,
                };
                true
            }
            _ => {
                let unknown = error == ErrorCode::FetchSessionIdNotFound;
                self.id = if unknown { 0 } else { self.id };
                self.epoch = 0;
                false
            }
        }
    }

    /// Closes the session after a request without a response: the broker may or may not have counted it, so the next
    /// one opens a new session.
    pub fn lost(&mut self) {
        *self = Self::default();
    }

    /// The name of the topic with this id in the session, for responses that name topics by id.
    pub fn topic_name(&self, topic_id: Uuid) -> Option<&std::sync::Arc<str>> {
        let mut sent = self.sent.iter();
        sent.find(|(_, sent)| sent.topic_id == topic_id)
            .map(|(partition, _)| &partition.topic)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(offsets: &[(i32, i64)]) -> Vec<(TopicPartition, SessionPartition)> {
        let entry = |&(partition, offset): &(i32, i64)| {
            (
                TopicPartition {
                    topic: "t".into(),
                    partition,
                },
                SessionPartition {
                    topic_id: Uuid::default(),
                    offset,
                    leader_epoch: 1,
                    last_epoch: -1,
                },
            )
        };
        offsets.iter().map(entry).collect()
    }

    fn numbers(request: &SessionRequest) -> Vec<i32> {
        let mut numbers: Vec<_> = request
            .changed
            .iter()
            .map(|(partition, _)| partition.partition)
            .collect();
        numbers.sort_unstable();
        numbers
    }

    #[test]
    fn only_changes_travel_once_a_session_is_open() {
        let mut session = FetchSession::new();
        let full = session.request(wanted(&[(0, 5), (1, 5)]));
        assert_eq!((full.session_id, full.session_epoch), (0, 0));
        assert_eq!(numbers(&full), [0, 1]);
        assert!(session.response(ErrorCode::None, 77));

        let next = session.request(wanted(&[(0, 9), (1, 5)]));
        assert_eq!((next.session_id, next.session_epoch), (77, 1));
        assert_eq!(numbers(&next), [0]);
        assert!(next.forgotten.is_empty());
        assert!(session.response(ErrorCode::None, 77));

        let less = session.request(wanted(&[(1, 5)]));
        assert_eq!(less.session_epoch, 2);
        assert!(less.changed.is_empty());
        assert_eq!(less.forgotten.len(), 1);
    }

    #[test]
    fn a_broker_without_sessions_gets_full_requests() {
        let mut session = FetchSession::new();
        for _ in 0..2 {
            let request = session.request(wanted(&[(0, 5)]));
            assert_eq!((request.session_id, request.session_epoch), (0, 0));
            assert_eq!(numbers(&request), [0]);
            assert!(session.response(ErrorCode::None, 0));
        }
    }

    #[test]
    fn a_refused_session_is_opened_anew() {
        let mut session = FetchSession::new();
        session.request(wanted(&[(0, 5)]));
        session.response(ErrorCode::None, 77);
        session.request(wanted(&[(0, 6)]));
        assert!(!session.response(ErrorCode::InvalidFetchSessionEpoch, 0));
        let request = session.request(wanted(&[(0, 6)]));
        assert_eq!((request.session_id, request.session_epoch), (77, 0));
        assert_eq!(numbers(&request), [0]);
    }

    #[test]
    fn a_session_that_is_renewed_is_told_everything_again() {
        let mut session = FetchSession::new();
        let (partition, _) = wanted(&[(0, 5)]).remove(0);
        session.request(wanted(&[(0, 5)]));
        assert!(!session.has(&partition), "it is not open yet");
        session.response(ErrorCode::None, 77);
        assert!(session.has(&partition));
        session.renew();
        let request = session.request(wanted(&[(0, 5)]));
        assert_eq!((request.session_id, request.session_epoch), (77, 0));
        assert_eq!(numbers(&request), [0]);
        assert!(!session.has(&partition), "it is opened anew");
    }

    #[test]
    fn a_recreated_topic_opens_the_session_anew() {
        let mut session = FetchSession::new();
        session.request(wanted(&[(0, 5)]));
        session.response(ErrorCode::None, 77);
        let mut again = wanted(&[(0, 0)]);
        again[0].1.topic_id = Uuid([9; 16]);
        assert_eq!(session.request(again).session_epoch, 0);
    }
}
