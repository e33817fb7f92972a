//! One handler per API, and what all of them share: who asks, and what a handler has to say.

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

use kafkars_protocol::{ErrorCode, Request};

use crate::cluster::RunningCluster;
use crate::groups::member_identity::MemberClient;
use crate::security::sasl::Directory;
use crate::security::sasl::session::LoginStep;
use crate::security::session::LoginSession;

pub(crate) mod dispatch;
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
mod repeated;
mod share_requests;
mod voters;

pub(crate) use hints::Hints;

/// The sender of a request, and the node that it was sent to.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    pub(crate) cluster: Arc<RunningCluster>,
    pub(crate) node: i32,
    /// The listener that the request came to, by its place among all: answers name the addresses of this one.
    pub(crate) listener: usize,
    pub(crate) connection: u64,
    pub(crate) address: IpAddr,
    /// The client's login; none at a plain listener, where everybody is anonymous.
    pub(crate) session: Option<Arc<LoginSession>>,
    /// The user who has made this request, where access control asks.
    pub(crate) user: Option<Arc<str>>,
    /// The client id of this request.
    pub(crate) client_id: Option<String>,
}

impl Peer {
    /// Takes a message of the mechanism that was agreed on; none where none was. The error is what the client is told.
    pub(crate) fn authenticate(&self, message: &[u8]) -> Option<Result<LoginStep, String>> {
        let session = self.session.as_ref().filter(|it| it.is_exchanging())?;
        let state = self.cluster.state();
        let directory = Directory {
            passwords: &self.cluster.passwords,
            scram: &state.scram,
            now: self.cluster.now(),
        };
        session.authenticate(message, &directory)
    }

    /// The client's name, as quotas know it.
    fn client_name(&self) -> &str {
        self.client_id.as_deref().unwrap_or_default()
    }

    /// The client, as members of groups are described.
    fn client(&self) -> MemberClient {
        MemberClient {
            id: self.client_id.clone().unwrap_or_default(),
            host: format!("/{}", self.address),
        }
    }
}

/// The outcome of a handler.
pub(crate) enum Handled<M> {
    Now(M),
    Silence,
    Disconnect,
    Later(Pin<Box<dyn Future<Output = M> + Send>>),
}

/// A request that this broker serves.
pub(crate) trait Serve: Request + Send + 'static {
    /// Handles the request.
    fn serve(self, peer: &Peer, version: i16) -> Handled<Self::Response>;

    /// The answer with this error in every place the request is about. It is what a fault on purpose answers.
    fn refuse(&self, peer: &Peer, version: i16, code: ErrorCode) -> Self::Response;

    /// True if the client waits for an answer; where it does not, an error closes the connection.
    fn expects_answer(&self) -> bool {
        true
    }
}

/// The parts of a request that need leave in a cluster with access control.
pub(crate) trait RequestGuard: Serve {
    /// The code that the whole request is refused with, if it is.
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
