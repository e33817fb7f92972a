//! ShareFetch, versions 1 and 2 (KIP-932).
//!
//! Kept: sessions; acknowledgements that come along; long polls that end when something can be given out, be it new,
//! released, or held for too long; `max_records`, as a limit or as a wish (version 2, KIP-1206); renewed locks (version
//! 2, KIP-1222).
//!
//! Differs: any record ends the wait, whatever `min_bytes` says.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;

use kafkars_protocol::messages::share_fetch::{
    FetchTopic, LeaderIdAndEpoch, NodeEndpoint, PartitionData, ShareFetchRequest,
    ShareFetchResponse, ShareFetchableTopicResponse,
};
use kafkars_protocol::{ErrorCode, Uuid};

use super::share_requests::{carry_out, check_read, leader, session_key};
use super::{Handled, Hints, Peer, Serve};
use crate::shares::fetching::{Fetching, fetch};
use crate::shares::{CLOSING, Changes, OPENING, ShareLimits, SharedLog, parse};
use crate::state::ClusterState;
use crate::topic::TopicIdPartition;
use crate::waiter::FetchWaiter;

/// `share_acquire_mode` in which `max_records` is a limit.
const RECORD_LIMIT: i8 = 1;

impl Serve for ShareFetchRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<ShareFetchResponse> {
        let wait = i64::from(self.max_wait_ms.max(0));
        let mut state = peer.cluster.state();
        let mut poll = match ShareFetchPoll::begin(self, peer, &mut state) {
            Ok(poll) => poll,
            Err(code) => return Handled::Now(failure(code)),
        };
        if poll.look(&mut state) || wait == 0 {
            return Handled::Now(poll.respond(&mut state));
        }
        poll.listen(&mut state);
        drop(state);
        Handled::Later(Box::pin(poll.run(peer.cluster.now().saturating_add(wait))))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> ShareFetchResponse {
        let topic = |topic: &FetchTopic| ShareFetchableTopicResponse {
            topic_id: topic.topic_id,
            partitions: topic
                .partitions
                .iter()
                .map(|partition| PartitionData {
                    partition_index: partition.partition_index,
                    error_code: code.code(),
                    error_message: Some(code.description().to_owned()),
                    ..PartitionData::default()
                })
                .collect(),
        };
        match code {
            // The one error that a fault on purpose and Kafka tell of single topics.
            ErrorCode::TopicAuthorizationFailed => ShareFetchResponse {
                responses: self.topics.iter().map(topic).collect(),
                ..ShareFetchResponse::default()
            },
            code => failure(code),
        }
    }
}

/// A fetch until it is answered. While it waits, its waiter stands in the list of every partition it reads.
struct ShareFetchPoll {
    peer: Peer,
    fetching: Fetching,
    /// The partitions that are still to be read; none when the session was closed or locks were renewed.
    partitions: Vec<TopicIdPartition>,
    /// True if every partition is part of the answer, as in a session's first.
    tells_all: bool,
    acknowledged: BTreeMap<TopicIdPartition, Result<(), ErrorCode>>,
    found: BTreeMap<TopicIdPartition, PartitionData>,
    waiter: Option<Arc<FetchWaiter>>,
}

impl ShareFetchPoll {
    /// Takes the acknowledgements and what the request changes of its session.
    fn begin(
        request: ShareFetchRequest,
        peer: &Peer,
        state: &mut ClusterState,
    ) -> Result<Self, ErrorCode> {
        let key = session_key(
            peer,
            request.group_id.as_deref(),
            request.member_id.as_deref(),
        )?;
        let epoch = request.share_session_epoch;
        let wants = [
            request.max_wait_ms,
            request.min_bytes,
            request.max_bytes,
            request.max_records,
        ];
        if request.is_renew_ack && wants.iter().any(|wanted| *wanted > 0) {
            return Err(ErrorCode::InvalidRequest);
        }
        let mut changes = Changes::default();
        let mut said = Vec::new();
        for topic in request.topics {
            for data in topic.partitions {
                let partition = (topic.topic_id, data.partition_index);
                changes.added.push(partition);
                if !data.acknowledgement_batches.is_empty() {
                    let batches = data.acknowledgement_batches.into_iter();
                    let batches = batches.map(|batch| {
                        (
                            batch.first_offset,
                            batch.last_offset,
                            batch.acknowledge_types,
                        )
                    });
                    said.push((partition, parse(batches, request.is_renew_ack)));
                }
            }
        }
        if epoch == OPENING && !said.is_empty() {
            return Err(ErrorCode::InvalidRequest);
        }
        for topic in request.forgotten_topics_data {
            let partitions = topic.partitions.iter();
            changes
                .forgotten
                .extend(partitions.map(|index| (topic.topic_id, *index)));
        }
        let sessions = &mut state.shares.sessions;
        let mut partitions = sessions.take(&key, epoch, peer.connection, changes)?;
        let acknowledged = said.into_iter().map(|(partition, said)| {
            let done = carry_out(peer, state, &key, partition, said);
            (partition, done)
        });
        let acknowledged = acknowledged.collect();
        if epoch == CLOSING {
            state.release_shared(&key, &partitions);
        }
        if epoch == CLOSING || request.is_renew_ack {
            partitions.clear();
        }
        let max_bytes = usize::try_from(request.max_bytes).unwrap_or(0);
        Ok(Self {
            peer: peer.clone(),
            fetching: Fetching {
                key,
                max_bytes: max_bytes.min(peer.cluster.config.user.fetch_max_bytes),
                max_records: i64::from(request.max_records),
                batch_size: i64::from(request.batch_size),
                exact: request.share_acquire_mode == RECORD_LIMIT,
            },
            partitions,
            tells_all: epoch == OPENING,
            acknowledged,
            found: BTreeMap::new(),
            waiter: None,
        })
    }

    /// Takes what there is; returns true if there is no reason to wait.
    fn look(&mut self, state: &mut ClusterState) -> bool {
        let now = self.peer.cluster.now();
        let mut is_enough = self.partitions.is_empty() || !self.acknowledged.is_empty();
        for partition in &self.partitions {
            let found = check_read(&self.peer, state, *partition).and_then(|()| {
                fetch(
                    state.shared_log(*partition)?,
                    &mut self.fetching,
                    *partition,
                    now,
                )
            });
            let data = match found {
                Ok(data) => data,
                Err(code) => PartitionData {
                    partition_index: partition.1,
                    error_code: code.code(),
                    error_message: Some(code.description().to_owned()),
                    ..PartitionData::default()
                },
            };
            is_enough |= is_news(&data);
            self.found.insert(*partition, data);
        }
        is_enough
    }

    fn listen(&mut self, state: &mut ClusterState) {
        self.stop_listening(state);
        let waiter = FetchWaiter::new(1);
        for partition in &self.partitions {
            if let Ok(SharedLog { log, .. }) = state.shared_log(*partition) {
                log.waiters.add(&waiter);
            }
        }
        self.waiter = Some(waiter);
    }

    fn stop_listening(&mut self, state: &mut ClusterState) {
        let Some(waiter) = self.waiter.take() else {
            return;
        };
        for partition in &self.partitions {
            if let Ok(SharedLog { log, .. }) = state.shared_log(*partition) {
                log.waiters.remove(&waiter);
            }
        }
    }

    async fn run(mut self, deadline: i64) -> ShareFetchResponse {
        let cluster = Arc::clone(&self.peer.cluster);
        let mut expiry = pin!(cluster.clock.until_or_elapsed(deadline));
        loop {
            let unlocked = self.next_unlock(&mut cluster.state());
            let Some(waiter) = self.waiter.clone() else {
                return self.respond(&mut cluster.state());
            };
            let expired = tokio::select! {
                biased;
                () = waiter.woken() => false,
                () = &mut expiry => true,
                () = cluster.clock.until(unlocked) => false,
            };
            let mut state = cluster.state();
            if self.look(&mut state) || expired {
                return self.respond(&mut state);
            }
            self.listen(&mut state);
        }
    }

    /// The time when a member will have had one of the records for too long.
    fn next_unlock(&self, state: &mut ClusterState) -> i64 {
        let (_, group, _) = &self.fetching.key;
        let partitions = self.partitions.iter();
        let deadlines =
            partitions.filter_map(|partition| state.shares.find(group, *partition)?.deadline());
        deadlines.min().unwrap_or(i64::MAX)
    }

    fn respond(&mut self, state: &mut ClusterState) -> ShareFetchResponse {
        let mut responses: BTreeMap<Uuid, Vec<PartitionData>> = BTreeMap::new();
        let mut hints = Hints::default();
        let mut found = std::mem::take(&mut self.found);
        for (partition, done) in std::mem::take(&mut self.acknowledged) {
            let data = found.entry(partition).or_insert_with(|| PartitionData {
                partition_index: partition.1,
                ..PartitionData::default()
            });
            let code = done.err();
            data.acknowledge_error_code = code.map_or(0, ErrorCode::code);
            data.acknowledge_error_message = code.map(|code| code.description().to_owned());
            responses.entry(partition.0).or_default();
            self.tell(state, partition, data, &mut hints);
            let data = std::mem::take(data);
            found.remove(&partition);
            responses.entry(partition.0).or_default().push(data);
        }
        for (partition, mut data) in found {
            if self.tells_all || is_news(&data) {
                self.tell(state, partition, &mut data, &mut hints);
                responses.entry(partition.0).or_default().push(data);
            }
        }
        let (_, group, _) = &self.fetching.key;
        let lock_ms = ShareLimits::of(&state.groups.configs, group).lock_ms;
        let topic = |(topic_id, partitions)| ShareFetchableTopicResponse {
            topic_id,
            partitions,
        };
        let endpoint = |node_id, host, port| NodeEndpoint {
            node_id,
            host,
            port,
            rack: None,
        };
        let Peer {
            cluster, listener, ..
        } = &self.peer;
        ShareFetchResponse {
            acquisition_lock_timeout_ms: i32::try_from(lock_ms).unwrap_or(i32::MAX),
            responses: responses.into_iter().map(topic).collect(),
            node_endpoints: hints.endpoints(cluster, *listener, endpoint),
            ..ShareFetchResponse::default()
        }
    }

    /// Adds the leader of a partition that was asked for elsewhere to its answer.
    fn tell(
        &self,
        state: &mut ClusterState,
        partition: TopicIdPartition,
        data: &mut PartitionData,
        hints: &mut Hints,
    ) {
        let code = ErrorCode::NotLeaderOrFollower.code();
        if (data.error_code == code || data.acknowledge_error_code == code)
            && let Some((leader_id, leader_epoch)) = leader(state, partition, hints)
        {
            data.current_leader = LeaderIdAndEpoch {
                leader_id,
                leader_epoch,
            };
        }
    }
}

impl Drop for ShareFetchPoll {
    fn drop(&mut self) {
        if self.waiter.is_some() {
            let cluster = Arc::clone(&self.peer.cluster);
            self.stop_listening(&mut cluster.state());
        }
    }
}

fn is_news(data: &PartitionData) -> bool {
    data.error_code != 0 || !data.acquired_records.is_empty()
}

fn failure(code: ErrorCode) -> ShareFetchResponse {
    ShareFetchResponse {
        error_code: code.code(),
        ..ShareFetchResponse::default()
    }
}
