//! Sessions know what each member of a share group fetches from a node: the member says it in full once, then only what
//! changes.

use std::collections::{BTreeMap, BTreeSet};

use crate::topic::TopicIdPartition;
use kafkars_protocol::ErrorCode;

/// Sessions that may be open at once, on all nodes together (`group.share.max.share.sessions`).
const MAX_SESSIONS: usize = 2000;
/// Partitions that a session may name, which Kafka does not limit.
const MAX_PARTITIONS: usize = 2000;
/// The epoch of a request that opens a session.
pub(crate) const OPENING: i32 = 0;
/// The epoch of a request that closes one.
pub(crate) const CLOSING: i32 = -1;

/// The node, the group and the member.
pub(crate) type SessionKey = (i32, String, String);

/// All sessions.
#[derive(Debug, Default)]
pub(crate) struct ShareSessions(BTreeMap<SessionKey, ShareSession>);

#[derive(Debug)]
struct ShareSession {
    connection: u64,
    epoch: i32,
    partitions: Vec<TopicIdPartition>,
}

/// Changes that a request makes to its session.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) added: Vec<TopicIdPartition>,
    pub(crate) forgotten: Vec<TopicIdPartition>,
}

impl ShareSessions {
    /// Opens, goes on with or closes a session, and gives the partitions that it names.
    pub(crate) fn take(
        &mut self,
        key: &SessionKey,
        epoch: i32,
        connection: u64,
        changes: Changes,
    ) -> Result<Vec<TopicIdPartition>, ErrorCode> {
        if epoch == OPENING {
            self.0.remove(key);
            if self.0.len() >= MAX_SESSIONS {
                return Err(ErrorCode::ShareSessionLimitReached);
            }
            let session = ShareSession {
                connection,
                epoch: 1,
                partitions: Vec::new(),
            };
            self.0.insert(key.clone(), session);
            return self.change(key, changes);
        }
        let session = self.0.get_mut(key).ok_or(ErrorCode::ShareSessionNotFound)?;
        if epoch == CLOSING {
            let closed = self.0.remove(key);
            return Ok(closed.map_or(Vec::new(), |session| session.partitions));
        }
        if session.epoch != epoch {
            return Err(ErrorCode::InvalidShareSessionEpoch);
        }
        session.epoch = epoch.checked_add(1).unwrap_or(1);
        self.change(key, changes)
    }

    fn change(
        &mut self,
        key: &SessionKey,
        changes: Changes,
    ) -> Result<Vec<TopicIdPartition>, ErrorCode> {
        let session = self.0.get_mut(key).ok_or(ErrorCode::ShareSessionNotFound)?;
        let mut known: BTreeSet<TopicIdPartition> = session.partitions.iter().copied().collect();
        for partition in changes.added {
            if known.insert(partition) {
                session.partitions.push(partition);
            }
            if known.len() > MAX_PARTITIONS {
                self.0.remove(key);
                return Err(ErrorCode::InvalidRequest);
            }
        }
        let forgotten: BTreeSet<TopicIdPartition> = changes.forgotten.into_iter().collect();
        session
            .partitions
            .retain(|partition| !forgotten.contains(partition));
        // Each in its turn comes first.
        if !session.partitions.is_empty() {
            session.partitions.rotate_left(1);
        }
        Ok(session.partitions.clone())
    }

    /// Closes the sessions of a connection that is gone.
    pub(crate) fn close_connection(
        &mut self,
        connection: u64,
    ) -> Vec<(SessionKey, Vec<TopicIdPartition>)> {
        let of = |(_, session): &(&SessionKey, &ShareSession)| session.connection == connection;
        let keys: Vec<SessionKey> = self
            .0
            .iter()
            .filter(of)
            .map(|(key, _)| key.clone())
            .collect();
        keys.into_iter()
            .filter_map(|key| {
                let session = self.0.remove(&key)?;
                Some((key, session.partitions))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use kafkars_protocol::Uuid;

    use super::*;

    fn key() -> SessionKey {
        (1, "g".to_owned(), "m".to_owned())
    }

    fn adding(indexes: &[i32]) -> Changes {
        Changes {
            added: indexes.iter().map(|index| (Uuid::ZERO, *index)).collect(),
            forgotten: Vec::new(),
        }
    }

    fn sorted(partitions: Result<Vec<TopicIdPartition>, ErrorCode>) -> Result<Vec<i32>, ErrorCode> {
        let mut indexes: Vec<i32> = partitions?.into_iter().map(|(_, index)| index).collect();
        indexes.sort_unstable();
        Ok(indexes)
    }

    #[test]
    fn a_session_remembers_what_is_fetched() {
        let mut sessions = ShareSessions::default();
        let mut take = |epoch, changes| sorted(sessions.take(&key(), epoch, 7, changes));
        assert_eq!(take(1, adding(&[])), Err(ErrorCode::ShareSessionNotFound));
        assert_eq!(take(OPENING, adding(&[0, 1])), Ok(vec![0, 1]));
        assert_eq!(take(1, adding(&[2])), Ok(vec![0, 1, 2]));
        assert_eq!(
            take(1, adding(&[])),
            Err(ErrorCode::InvalidShareSessionEpoch)
        );
        let forgetting = Changes {
            forgotten: vec![(Uuid::ZERO, 0)],
            ..Changes::default()
        };
        assert_eq!(take(2, forgetting), Ok(vec![1, 2]));
        assert_eq!(take(CLOSING, adding(&[])), Ok(vec![1, 2]));
        assert_eq!(take(3, adding(&[])), Err(ErrorCode::ShareSessionNotFound));
    }

    #[test]
    fn a_session_goes_with_its_connection() {
        let mut sessions = ShareSessions::default();
        sessions.take(&key(), OPENING, 7, adding(&[0])).unwrap();
        assert!(sessions.close_connection(8).is_empty());
        assert_eq!(
            sessions.close_connection(7),
            [(key(), vec![(Uuid::ZERO, 0)])]
        );
    }

    #[test]
    fn partitions_of_a_session_are_limited() {
        let mut sessions = ShareSessions::default();
        let all: Vec<i32> = (0..=MAX_PARTITIONS as i32).collect();
        let fits = adding(&all[1..]);
        assert!(sessions.take(&key(), OPENING, 7, fits).is_ok());
        assert_eq!(
            sessions.take(&key(), OPENING, 7, adding(&all)),
            Err(ErrorCode::InvalidRequest)
        );
        let gone = sessions.take(&key(), 1, 7, adding(&[]));
        assert_eq!(gone, Err(ErrorCode::ShareSessionNotFound));
    }

    #[test]
    fn sessions_are_limited() {
        let mut sessions = ShareSessions::default();
        for number in 0..MAX_SESSIONS {
            let key = (1, "g".to_owned(), number.to_string());
            sessions.take(&key, OPENING, 7, adding(&[0])).unwrap();
        }
        assert_eq!(
            sessions.take(&key(), OPENING, 7, adding(&[0])),
            Err(ErrorCode::ShareSessionLimitReached)
        );
    }
}
