//! Fetch, versions 4 to 18.
//!
//! Kept: long polls by `min_bytes` and `max_wait_ms`; `max_bytes` of the request and of each partition, where the first
//! batch is answered whatever its size; incremental sessions (version 7, KIP-227); leader epochs (9, KIP-320) and
//! diverging epochs (12, KIP-595); topic ids (13, KIP-516); leader hints (16, KIP-951).
//!
//! A client that is over its quota gets nothing but the time to pause (KIP-219).
//!
//! Readers of committed records get none from the last stable offset on, and the aborted transactions to leave out
//! (KIP-98).
//!
//! Skipped: fetches by followers are answered like those of consumers; no replica is ever preferred. `max_wait_ms` has
//! no upper bound, as in Kafka.

use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::fetch::{
    FetchRequest, FetchResponse, FetchableTopicResponse, NodeEndpoint, PartitionData,
};

use super::{Handled, Peer, Serve};
use crate::fetch_round::{self, FetchRound, Limits};
use crate::quotas::Limited;
use crate::security::AclOperation;
use crate::sessions::{FetchPlan, SessionFields, SessionTarget};
use crate::state::ClusterState;
use crate::topic::TopicKey;
use crate::waiter::FetchWaiter;

/// First version that names topics by id.
const TOPIC_IDS_SINCE: i16 = 13;
/// First version that tells where the leader is.
const HINTS_SINCE: i16 = 16;
const READ_COMMITTED: i8 = 1;
/// First version with sessions.
const SESSIONS_SINCE: i16 = 7;

impl Serve for FetchRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<FetchResponse> {
        let max_bytes = usize::try_from(self.max_bytes)
            .unwrap_or(0)
            .min(peer.cluster.config.user.fetch_max_bytes)
            .min(peer.cluster.quotas.most_to_fetch(peer.client_name()));
        let limits = Limits {
            node: peer.node,
            min_bytes: u64::try_from(self.min_bytes)
                .unwrap_or(0)
                .min(max_bytes as u64),
            max_bytes,
            read_committed: self.isolation_level == READ_COMMITTED,
            hints: version >= HINTS_SINCE,
        };
        let wait = i64::from(self.max_wait_ms.max(0));
        let request = session_request(self, version);
        let mut state = peer.cluster.state();
        let sessions = state.sessions(peer.node);
        let plan = match sessions.plan(request, peer.cluster.now()) {
            Ok(plan) => plan,
            Err(code) => return Handled::Now(session_failure(code)),
        };
        let round = read(peer, &mut state, &plan, limits);
        if round.is_enough(limits) || wait == 0 {
            return Handled::Now(respond(peer, &mut state, &plan, round));
        }
        let poll = FetchPoll::register(peer, &mut state, plan, limits, &round);
        drop(state);
        Handled::Later(Box::pin(poll.run(peer.cluster.now().saturating_add(wait))))
    }

    /// Errors of sessions are errors of the whole answer; all others are told for each partition, also for those that
    /// only the session names.
    fn refuse(&self, peer: &Peer, version: i16, code: ErrorCode) -> FetchResponse {
        if matches!(
            code,
            ErrorCode::FetchSessionIdNotFound
                | ErrorCode::InvalidFetchSessionEpoch
                | ErrorCode::FetchSessionTopicIdError
        ) {
            return session_failure(code);
        }
        let request = session_request(self.clone(), version);
        let mut state = peer.cluster.state();
        let sessions = state.sessions(peer.node);
        match sessions.plan(request, peer.cluster.now()) {
            Ok(plan) => {
                let round = fetch_round::fail(&plan.targets, code);
                respond(peer, &mut state, &plan, round)
            }
            Err(code) => session_failure(code),
        }
    }
}

/// A fetch that waits. While it exists its waiter stands in the list of every partition it reads.
struct FetchPoll {
    peer: Peer,
    plan: FetchPlan,
    limits: Limits,
    waiter: Arc<FetchWaiter>,
}

impl FetchPoll {
    fn register(
        peer: &Peer,
        state: &mut ClusterState,
        plan: FetchPlan,
        limits: Limits,
        round: &FetchRound,
    ) -> Self {
        let waiter = FetchWaiter::new(limits.min_bytes.saturating_sub(round.available));
        add(state, &plan.targets, &waiter);
        Self {
            peer: peer.clone(),
            plan,
            limits,
            waiter,
        }
    }

    async fn run(mut self, deadline: i64) -> FetchResponse {
        let cluster = Arc::clone(&self.peer.cluster);
        let mut expiry = pin!(cluster.clock.until_or_elapsed(deadline));
        loop {
            let expired = tokio::select! {
                biased;
                () = self.waiter.woken() => false,
                () = &mut expiry => true,
            };
            let mut state = cluster.state();
            let round = read(&self.peer, &mut state, &self.plan, self.limits);
            if expired || round.is_enough(self.limits) {
                return respond(&self.peer, &mut state, &self.plan, round);
            }
            remove(&mut state, &self.plan.targets, &self.waiter);
            self.waiter = FetchWaiter::new(self.limits.min_bytes.saturating_sub(round.available));
            add(&mut state, &self.plan.targets, &self.waiter);
        }
    }
}

impl Drop for FetchPoll {
    fn drop(&mut self) {
        remove(
            &mut self.peer.cluster.state(),
            &self.plan.targets,
            &self.waiter,
        );
    }
}

fn add(state: &mut ClusterState, targets: &[SessionTarget], waiter: &Arc<FetchWaiter>) {
    for target in targets {
        if let Ok(partition) = state.find_partition(&target.topic, target.partition) {
            partition.waiters.add(waiter);
        }
    }
}

fn remove(state: &mut ClusterState, targets: &[SessionTarget], waiter: &Arc<FetchWaiter>) {
    for target in targets {
        if let Ok(partition) = state.find_partition(&target.topic, target.partition) {
            partition.waiters.remove(waiter);
        }
    }
}

fn session_request(request: FetchRequest, version: i16) -> SessionFields {
    let by_id = version >= TOPIC_IDS_SINCE;
    let key = |name: String, id| {
        if by_id {
            TopicKey::Id(id)
        } else {
            TopicKey::Name(name)
        }
    };
    let mut targets = Vec::new();
    for topic in request.topics {
        let key = key(topic.topic, topic.topic_id);
        targets.extend(topic.partitions.into_iter().map(|data| SessionTarget {
            topic: key.clone(),
            partition: data.partition,
            current_leader_epoch: data.current_leader_epoch,
            fetch_offset: data.fetch_offset,
            last_fetched_epoch: data.last_fetched_epoch,
            max_bytes: data.partition_max_bytes,
        }));
    }
    let mut forgotten = Vec::new();
    for topic in request.forgotten_topics_data {
        let key = key(topic.topic, topic.topic_id);
        forgotten.extend(
            topic
                .partitions
                .into_iter()
                .map(|partition| (key.clone(), partition)),
        );
    }
    let (id, epoch) = if version >= SESSIONS_SINCE {
        (request.session_id, request.session_epoch)
    } else {
        (0, -1)
    };
    SessionFields {
        id,
        epoch,
        by_id,
        targets,
        forgotten,
    }
}

fn size_of_records(data: &PartitionData) -> usize {
    data.records.as_ref().map_or(0, Bytes::len)
}

fn session_failure(code: ErrorCode) -> FetchResponse {
    FetchResponse {
        error_code: code.code(),
        ..FetchResponse::default()
    }
}

/// Reads what the client may read.
fn read(peer: &Peer, state: &mut ClusterState, plan: &FetchPlan, limits: Limits) -> FetchRound {
    let may_read = |topic: &str| peer.may_topic(AclOperation::Read, topic);
    let is_guarded = peer.cluster.authorizer.is_some();
    let may_read: Option<&dyn Fn(&str) -> bool> = is_guarded.then_some(&may_read);
    fetch_round::read(state, &plan.targets, limits, may_read)
}

/// Puts the partitions that were read under their topics, and leaves out of an incremental answer what has no news.
fn respond(
    peer: &Peer,
    state: &mut ClusterState,
    plan: &FetchPlan,
    round: FetchRound,
) -> FetchResponse {
    let bytes: usize = round.partitions.iter().map(size_of_records).sum();
    let (quotas, now) = (&peer.cluster.quotas, peer.cluster.now());
    let throttle_time_ms = quotas.offer(Limited::Fetch, peer.client_name(), bytes as f64, now);
    if throttle_time_ms > 0 {
        // What is too much is not answered at all; the client asks for it again after its pause.
        return FetchResponse {
            throttle_time_ms,
            session_id: plan.session_id,
            ..FetchResponse::default()
        };
    }
    let mut responses: Vec<FetchableTopicResponse> = Vec::new();
    let mut previous: Option<&TopicKey> = None;
    for (target, data) in plan.targets.iter().zip(round.partitions) {
        let sessions = state.sessions(peer.node);
        let told = plan.session_id == 0 || sessions.tell(plan.session_id, target, &data);
        if plan.incremental && !told {
            continue;
        }
        match responses.last_mut() {
            Some(topic) if previous == Some(&target.topic) => topic.partitions.push(data),
            _ => {
                let (topic, topic_id) = match &target.topic {
                    TopicKey::Name(name) => (name.clone(), kafkars_protocol::Uuid::ZERO),
                    TopicKey::Id(id) => (String::new(), *id),
                };
                responses.push(FetchableTopicResponse {
                    topic,
                    topic_id,
                    partitions: vec![data],
                });
            }
        }
        previous = Some(&target.topic);
    }
    let endpoint = |node_id, host, port| NodeEndpoint {
        node_id,
        host,
        port,
        rack: None,
    };
    let hints = &round.hints;
    FetchResponse {
        session_id: plan.session_id,
        responses,
        node_endpoints: hints.endpoints(&peer.cluster, peer.listener, endpoint),
        ..FetchResponse::default()
    }
}
