//! Incremental fetch sessions (KIP-227): a client names its partitions once, then only what changes.

use std::collections::HashMap;
use std::mem::replace;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::fetch::{EpochEndOffset, PartitionData};

use crate::topic::TopicKey;

/// Sessions of one node; Kafka's `max.incremental.fetch.session.cache.slots`.
const SLOTS: usize = 1000;
/// Partitions of one session; who asks for more fetches without one. Kafka has no such limit.
const PARTITIONS: usize = 100_000;
/// The time that a session is safe from a newcomer; Kafka's `min.incremental.fetch.session.eviction.ms`.
const SAFE_FOR_MS: i64 = 120_000;

/// The epoch of a fetch that asks for a new session.
const INITIAL_EPOCH: i32 = 0;
/// The epoch of a fetch that wants no session, and closes the one it names.
const FINAL_EPOCH: i32 = -1;

/// The fetch sessions of one node.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    by_id: HashMap<i32, IncrementalSession>,
    last_id: i32,
}

#[derive(Debug)]
struct IncrementalSession {
    /// The epoch the next request must have.
    epoch: i32,
    used: i64,
    by_id: bool,
    partitions: HashMap<(TopicKey, i32), SessionMember>,
    next_order: u64,
}

#[derive(Debug)]
struct SessionMember {
    target: SessionTarget,
    /// Partitions that have just had their turn go behind the others, so that none starves under `max_bytes`.
    order: u64,
    /// High watermark and log start as the client was told last; a change makes the partition part of the answer.
    told: Option<(i64, i64)>,
}

/// The part of a fetch that is about one partition.
#[derive(Debug, Clone)]
pub(crate) struct SessionTarget {
    pub(crate) topic: TopicKey,
    pub(crate) partition: i32,
    pub(crate) current_leader_epoch: i32,
    pub(crate) fetch_offset: i64,
    pub(crate) last_fetched_epoch: i32,
    pub(crate) max_bytes: i32,
}

/// The partitions that one request reads, once its session has been looked up.
#[derive(Debug)]
pub(crate) struct FetchPlan {
    /// The session's id, 0 when there is no session.
    pub(crate) session_id: i32,
    /// True if partitions without news are left out of the answer.
    pub(crate) incremental: bool,
    pub(crate) targets: Vec<SessionTarget>,
}

/// The session part of a fetch request.
#[derive(Debug)]
pub(crate) struct SessionFields {
    pub(crate) id: i32,
    pub(crate) epoch: i32,
    /// True if topics are named by id (since version 13).
    pub(crate) by_id: bool,
    pub(crate) targets: Vec<SessionTarget>,
    pub(crate) forgotten: Vec<(TopicKey, i32)>,
}

impl Sessions {
    /// Finds what is to be read: all that the request names, or what its session knows with the request's changes.
    pub(crate) fn plan(
        &mut self,
        request: SessionFields,
        now: i64,
    ) -> Result<FetchPlan, ErrorCode> {
        match request.epoch {
            INITIAL_EPOCH | FINAL_EPOCH => {
                self.by_id.remove(&request.id);
                let wanted = request.epoch == INITIAL_EPOCH && !request.targets.is_empty();
                let session_id = if wanted { self.open(&request, now) } else { 0 };
                Ok(FetchPlan {
                    session_id,
                    incremental: false,
                    targets: request.targets,
                })
            }
            _ => self.continue_session(request, now),
        }
    }

    /// True if an incremental answer must contain what was found in a partition; notes that the client now knows it.
    ///
    /// An error is always told, and when it is over so is the state of the partition.
    pub(crate) fn tell(&mut self, id: i32, target: &SessionTarget, found: &PartitionData) -> bool {
        let Some(session) = self.by_id.get_mut(&id) else {
            return true;
        };
        let order = session.next_order;
        let key = (target.topic.clone(), target.partition);
        let Some(member) = session.partitions.get_mut(&key) else {
            return true;
        };
        let has_records = found
            .records
            .as_ref()
            .is_some_and(|records| !records.is_empty());
        if has_records {
            member.order = order;
            session.next_order += 1;
        }
        let state = (found.high_watermark, found.log_start_offset);
        let known = replace(&mut member.told, (found.error_code == 0).then_some(state));
        let diverges = found.diverging_epoch != EpochEndOffset::default();
        has_records || diverges || found.error_code != 0 || known != Some(state)
    }

    /// Makes a session, if there is room or one that has been idle for long. 0: the client goes on without.
    fn open(&mut self, request: &SessionFields, now: i64) -> i32 {
        if request.targets.len() > PARTITIONS {
            return 0;
        }
        if self.by_id.len() >= SLOTS {
            let oldest = self
                .by_id
                .iter()
                .min_by_key(|(_, session)| session.used)
                .map(|(id, session)| (*id, session.used));
            match oldest {
                Some((id, used)) if now.saturating_sub(used) >= SAFE_FOR_MS => {
                    drop(self.by_id.remove(&id))
                }
                _ => return 0,
            }
        }
        loop {
            self.last_id = self.last_id.checked_add(1).unwrap_or(1);
            if !self.by_id.contains_key(&self.last_id) {
                break;
            }
        }
        let mut session = IncrementalSession {
            epoch: 1,
            used: now,
            by_id: request.by_id,
            partitions: HashMap::new(),
            next_order: 0,
        };
        session.update(&request.targets);
        self.by_id.insert(self.last_id, session);
        self.last_id
    }

    fn continue_session(
        &mut self,
        request: SessionFields,
        now: i64,
    ) -> Result<FetchPlan, ErrorCode> {
        let session = self
            .by_id
            .get_mut(&request.id)
            .ok_or(ErrorCode::FetchSessionIdNotFound)?;
        if session.epoch != request.epoch {
            return Err(ErrorCode::InvalidFetchSessionEpoch);
        }
        if session.by_id != request.by_id
            && !(request.targets.is_empty() && request.forgotten.is_empty())
        {
            return Err(ErrorCode::FetchSessionTopicIdError);
        }
        if session
            .partitions
            .len()
            .saturating_add(request.targets.len())
            > PARTITIONS * 2
        {
            self.by_id.remove(&request.id);
            return Err(ErrorCode::FetchSessionIdNotFound);
        }
        session.epoch = session.epoch.checked_add(1).unwrap_or(1);
        session.used = now;
        session.update(&request.targets);
        for gone in &request.forgotten {
            session.partitions.remove(gone);
        }
        if session.partitions.is_empty() {
            self.by_id.remove(&request.id);
            return Ok(FetchPlan {
                session_id: 0,
                incremental: false,
                targets: Vec::new(),
            });
        }
        Ok(FetchPlan {
            session_id: request.id,
            incremental: true,
            targets: session.targets(),
        })
    }
}

impl IncrementalSession {
    fn update(&mut self, targets: &[SessionTarget]) {
        for target in targets {
            let key = (target.topic.clone(), target.partition);
            if let Some(member) = self.partitions.get_mut(&key) {
                member.target = target.clone();
                continue;
            }
            self.partitions.insert(
                key,
                SessionMember {
                    target: target.clone(),
                    order: self.next_order,
                    told: None,
                },
            );
            self.next_order += 1;
        }
    }

    fn targets(&self) -> Vec<SessionTarget> {
        let mut members: Vec<&SessionMember> = self.partitions.values().collect();
        members.sort_unstable_by_key(|member| member.order);
        members
            .into_iter()
            .map(|member| member.target.clone())
            .collect()
    }
}
