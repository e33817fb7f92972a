//! One handler per API, and the way from a frame to its answer.

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use kafkars_protocol::{
    ApiKey, ErrorCode, Message, Reader, Request, RequestHeader, decode_request_header,
    encode_response,
};

use crate::api_table::for_each_served_api;
use crate::cluster::Cluster;
use crate::control::fault::Action;
use crate::control::requests::SeenRequest;
use crate::features;
use crate::groups::Client;
use crate::quotas::Limited;
use crate::security::sasl::Directory;
use crate::security::sasl::session::{Gate, Step};
use crate::security::session::Session;
use crate::storage;
use crate::versions;

mod guard;

mod alter_settings;
mod api_00_produce;
mod api_01_fetch;
mod api_02_list_offsets;
mod api_03_metadata;
mod api_08_offset_commit;
mod api_09_offset_fetch;
mod api_10_find_coordinator;
mod api_11_join_group;
mod api_12_heartbeat;
mod api_13_leave_group;
mod api_14_sync_group;
mod api_15_describe_groups;
mod api_16_list_groups;
mod api_17_sasl_handshake;
mod api_18_api_versions;
mod api_19_create_topics;
mod api_20_delete_topics;
mod api_21_delete_records;
mod api_22_init_producer_id;
mod api_23_offset_for_leader_epoch;
mod api_24_add_partitions_to_txn;
mod api_25_add_offsets_to_txn;
mod api_26_end_txn;
mod api_27_write_txn_markers;
mod api_28_txn_offset_commit;
mod api_29_describe_acls;
mod api_30_create_acls;
mod api_31_delete_acls;
mod api_32_describe_configs;
mod api_33_alter_configs;
mod api_34_alter_replica_log_dirs;
mod api_35_describe_log_dirs;
mod api_36_sasl_authenticate;
mod api_37_create_partitions;
mod api_38_create_delegation_token;
mod api_39_renew_delegation_token;
mod api_40_expire_delegation_token;
mod api_41_describe_delegation_token;
mod api_42_delete_groups;
mod api_43_elect_leaders;
mod api_44_incremental_alter_configs;
mod api_45_alter_partition_reassignments;
mod api_46_list_partition_reassignments;
mod api_47_offset_delete;
mod api_48_describe_client_quotas;
mod api_49_alter_client_quotas;
mod api_50_describe_user_scram_credentials;
mod api_51_alter_user_scram_credentials;
mod api_55_describe_quorum;
mod api_57_update_features;
mod api_60_describe_cluster;
mod api_61_describe_producers;
mod api_64_unregister_broker;
mod api_65_describe_transactions;
mod api_66_list_transactions;
mod api_68_consumer_group_heartbeat;
mod api_69_consumer_group_describe;
mod api_74_list_config_resources;
mod api_75_describe_topic_partitions;
mod api_76_share_group_heartbeat;
mod api_77_share_group_describe;
mod api_78_share_fetch;
mod api_79_share_acknowledge;
mod api_80_add_raft_voter;
mod api_81_remove_raft_voter;
mod api_90_describe_share_group_offsets;
mod api_91_alter_share_group_offsets;
mod api_92_delete_share_group_offsets;
mod coordination;
mod hints;
mod mutations;
mod operations;
pub(crate) mod outcome;
mod voters;

pub(crate) use hints::Hints;
use outcome::{ConnectionEnd, Outcome};

/// Who sent a request, and to which node.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) cluster: Arc<Cluster>,
    pub(crate) node: i32,
    /// The listener that it came to, by its place among all: answers name the addresses of this one.
    pub(crate) listener: usize,
    pub(crate) connection: u64,
    pub(crate) address: IpAddr,
    /// Who it is; none at a plain listener, where everybody is anonymous.
    pub(crate) session: Option<Arc<Session>>,
    /// The name of who has made this request, where that decides anything.
    pub(crate) user: Option<Arc<str>>,
    /// What the client of this request calls itself.
    pub(crate) client_id: Option<String>,
}

impl Peer {
    /// Takes a message of the mechanism that was agreed on; none where none was. The error is what the client is told.
    pub(crate) fn authenticate(&self, message: &[u8]) -> Option<Result<Step, String>> {
        let session = self.session.as_ref().filter(|it| it.is_exchanging())?;
        let state = self.cluster.state();
        let directory = Directory {
            passwords: &self.cluster.passwords,
            scram: &state.scram,
            now: self.cluster.now(),
        };
        session.authenticate(message, &directory)
    }

    /// As quotas know it.
    fn client_name(&self) -> &str {
        self.client_id.as_deref().unwrap_or_default()
    }

    /// As members of groups are described.
    fn client(&self) -> Client {
        Client {
            id: self.client_id.clone().unwrap_or_default(),
            host: format!("/{}", self.address),
        }
    }
}

/// What a handler makes of a request.
pub(crate) enum Handled<M> {
    Now(M),
    Silence,
    Disconnect,
    Later(Pin<Box<dyn Future<Output = M> + Send>>),
}

/// A request that this broker serves.
pub(crate) trait Serve: Request + Send + 'static {
    /// Handles it.
    fn serve(self, peer: &Peer, version: i16) -> Handled<Self::Response>;

    /// The answer with this error in every place the request is about. It is what a fault on purpose answers.
    fn refuse(&self, peer: &Peer, version: i16, code: ErrorCode) -> Self::Response;

    /// Whether the client waits for an answer; where it does not, an error closes the connection.
    fn expects_answer(&self) -> bool {
        true
    }
}

/// What of a request needs leave.
pub(crate) trait Guard: Serve {
    /// Why the whole request is refused.
    fn refusal(&self, _peer: &Peer) -> Option<ErrorCode> {
        None
    }

    /// The answer to a request that is refused as a whole.
    fn answer_refused(&self, peer: &Peer, version: i16) -> Option<Self::Response> {
        let code = self.refusal(peer)?;
        Some(self.refuse(peer, version, code))
    }

    /// Takes what its client may not do out of the request, each part with the code it is refused with.
    fn take_denied(&mut self, _peer: &Peer, _version: i16) -> Vec<(Self, ErrorCode)> {
        Vec::new()
    }

    /// Puts the answer for a refused part beside that for the rest.
    fn merge(_answer: &mut Self::Response, _refused: Self::Response) {}

    /// Takes out of an answer what its client may not know of.
    fn conceal(_answer: &mut Self::Response, _peer: &Peer) {}
}

macro_rules! dispatcher {
    ($($api:ident $module:ident $request:ident,)*) => {
        /// Calls a generic function with the request type of an API.
        fn call(api: ApiKey, call: RequestCall, reader: Reader) -> Result<Outcome, ConnectionEnd> {
            match api {
                $(ApiKey::$api => call.run::<kafkars_protocol::messages::$module::$request>(reader),)*
                _ => Ok(Outcome::Disconnect),
            }
        }
    };
}

for_each_served_api!(dispatcher);

/// Handles one frame, the length prefix not included.
pub(crate) fn dispatch(peer: &Peer, frame: Bytes) -> Result<Outcome, ConnectionEnd> {
    let size = frame.len();
    let mut reader = Reader::new(frame.clone());
    let mut header = decode_request_header(&mut reader)?;
    let gate = match &peer.session {
        None => Gate::Open,
        Some(session) => {
            let (config, version) = (&peer.cluster.config, header.api_version);
            let is_served = versions::is_served(config, header.api_key, version);
            session.admit(header.api_key, is_served, peer.cluster.now())
        }
    };
    let action = peer.cluster.control.observe(SeenRequest {
        node: peer.node,
        connection: peer.connection,
        api: header.api_key,
        version: header.api_version,
        correlation_id: header.correlation_id,
        client_id: header.client_id.clone(),
        size,
        time: peer.cluster.now(),
        action: None,
        body: (!holds_secret(header.api_key)).then(|| frame.slice(reader.position().min(size)..)),
    });
    drop(frame);
    if gate == Gate::Closed {
        tracing::info!(
            node = peer.node,
            connection = peer.connection,
            api = header.api_key.name(),
            "closed a connection: this request does not go before a login, or came after its end"
        );
        return Ok(Outcome::Disconnect);
    }
    let peer = Peer {
        client_id: header.client_id.take(),
        user: match (&peer.cluster.authorizer, &peer.session) {
            (Some(_), Some(session)) => session.user(),
            _ => None,
        },
        ..peer.clone()
    };
    let refusal = match gate {
        Gate::Refused(code) => Some(code),
        _ => not_controller(&peer, header.api_key).or_else(|| not_on(&peer, header.api_key)),
    };
    let mut call = RequestCall {
        peer,
        header,
        size,
        refusal,
    };
    match action {
        None => call.answer(reader),
        Some(Action::Drop) => Ok(Outcome::Silence),
        Some(Action::Disconnect) => Ok(Outcome::Disconnect),
        Some(Action::Error(code)) => {
            call.refusal = Some(code);
            call.answer(reader)
        }
        Some(Action::DisconnectAfter) => {
            Ok(after(call.answer(reader)?, |_| Ok(Outcome::Disconnect)))
        }
        Some(Action::Corrupt(corruption)) => Ok(after(call.answer(reader)?, move |outcome| {
            let frame = match outcome {
                Outcome::Reply(frame)
                | Outcome::Throttled {
                    frame: Some(frame), ..
                } => frame,
                other => return Ok(other),
            };
            let (segments, cut) = corruption.apply(frame);
            Ok(Outcome::Damaged { segments, cut })
        })),
        Some(Action::Delay(delay)) => Ok(Outcome::Later(Box::pin(async move {
            tokio::time::sleep(delay).await;
            match call.answer(reader)? {
                Outcome::Later(later) => later.await,
                outcome => Ok(outcome),
            }
        }))),
    }
}

/// Whether the body is not kept for tests to look at.
fn holds_secret(api: ApiKey) -> bool {
    matches!(
        api,
        ApiKey::SaslAuthenticate | ApiKey::AlterUserScramCredentials
    )
}

/// Puts what a request has changed where it outlasts the process. False when that fails: then there is no answer.
fn keep(cluster: &Cluster, api: ApiKey) -> bool {
    if cluster.config.user.data_dir.is_none() {
        return true;
    }
    let mut state = cluster.state();
    let saved = if state.unsaved || storage::is_change(api) {
        cluster.save(&mut state)
    } else if storage::is_commit(api) {
        cluster.save_commits(&mut state)
    } else {
        return true;
    };
    if let Err(error) = &saved {
        tracing::error!(%error, api = api.name(), "a change cannot be written to the data directory");
    }
    saved.is_ok()
}

/// The refusal of what this node has to leave to the controller.
fn not_controller(peer: &Peer, api: ApiKey) -> Option<ErrorCode> {
    let refused = versions::is_for_controller(api)
        && peer.cluster.config.release.has_zookeeper()
        && peer.cluster.controller() != peer.node;
    refused.then_some(ErrorCode::NotController)
}

/// The refusal of what belongs to a feature that the cluster is at level 0 of.
fn not_on(peer: &Peer, api: ApiKey) -> Option<ErrorCode> {
    let feature = features::that_allows(api)?;
    let is_on = peer.cluster.state().features.is_on(feature);
    (!is_on).then_some(ErrorCode::UnsupportedVersion)
}

/// Changes an outcome once it is there.
fn after(
    outcome: Outcome,
    change: impl FnOnce(Outcome) -> Result<Outcome, ConnectionEnd> + Send + 'static,
) -> Outcome {
    match outcome {
        Outcome::Later(later) => Outcome::Later(Box::pin(async move { change(later.await?) })),
        outcome => change(outcome).unwrap_or(Outcome::Disconnect),
    }
}

/// One request on its way to its handler.
struct RequestCall {
    peer: Peer,
    header: RequestHeader,
    /// Bytes of the request, header included.
    size: usize,
    refusal: Option<ErrorCode>,
}

impl RequestCall {
    /// A version that is not offered ends the connection, as in Kafka; only `ApiVersions` has an answer for it
    /// (KIP-511).
    fn answer(self, reader: Reader) -> Result<Outcome, ConnectionEnd> {
        let RequestHeader {
            api_key,
            api_version,
            correlation_id,
            ..
        } = self.header;
        if versions::is_served(&self.peer.cluster.config, api_key, api_version) {
            return call(api_key, self, reader);
        }
        if api_key == ApiKey::ApiVersions {
            let response = api_18_api_versions::unsupported(&self.peer);
            return Ok(Outcome::Reply(encode_response(
                api_key,
                0,
                correlation_id,
                &response,
            )?));
        }
        tracing::info!(
            node = self.peer.node,
            api = api_key.name(),
            version = api_version,
            release = self.peer.cluster.config.release.name(),
            "this version is not served"
        );
        Ok(Outcome::Disconnect)
    }

    fn run<R: Guard<Response: Send>>(self, mut reader: Reader) -> Result<Outcome, ConnectionEnd> {
        let RequestHeader {
            api_version,
            correlation_id,
            ..
        } = self.header;
        let started = Instant::now();
        let request = R::decode(&mut reader, api_version)?;
        // The frame's buffer can be used again once nothing holds a part of it.
        drop(reader);
        let answer = match self.refusal {
            Some(_) if !request.expects_answer() => Handled::Disconnect,
            Some(code) => Handled::Now(request.refuse(&self.peer, api_version, code)),
            None => guard::serve(request, &self.peer, api_version),
        };
        let Self { peer, size, .. } = self;
        let pause_ms = pause(&peer, R::API_KEY, size, started.elapsed());
        let reply = move |mut response: R::Response| -> Result<Outcome, ConnectionEnd> {
            if !keep(&peer.cluster, R::API_KEY) {
                return Ok(Outcome::Disconnect);
            }
            let pause_ms = pause_ms.max(response.throttle_time_ms());
            response.set_throttle_time_ms(pause_ms);
            let frame = encode_response(R::API_KEY, api_version, correlation_id, &response)?;
            Ok(match pause_ms {
                1.. => Outcome::Throttled {
                    frame: Some(frame),
                    pause_ms,
                },
                _ => Outcome::Reply(frame),
            })
        };
        match answer {
            Handled::Now(response) => reply(response),
            Handled::Silence if pause_ms > 0 => Ok(Outcome::Throttled {
                frame: None,
                pause_ms,
            }),
            Handled::Silence => Ok(Outcome::Silence),
            Handled::Disconnect => Ok(Outcome::Disconnect),
            Handled::Later(later) => {
                Ok(Outcome::Later(Box::pin(async move { reply(later.await) })))
            }
        }
    }
}

/// How long a client has to pause for a request that kept the thread busy for so long, and for what it brought.
fn pause(peer: &Peer, api: ApiKey, size: usize, busy: Duration) -> i32 {
    let quotas = &peer.cluster.quotas;
    if !quotas.are_set() {
        return 0;
    }
    let now = peer.cluster.now();
    let client = peer.client_name();
    let for_time = quotas.charge_time(client, busy, now);
    if api != ApiKey::Produce {
        return for_time;
    }
    for_time.max(quotas.charge(Limited::Produce, client, size as f64, now))
}
