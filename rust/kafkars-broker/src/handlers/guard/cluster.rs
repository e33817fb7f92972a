//! Requests about the cluster, which are refused as a whole, and those that everybody may make.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::add_raft_voter::AddRaftVoterRequest;
use kafkars_protocol::messages::alter_client_quotas::AlterClientQuotasRequest;
use kafkars_protocol::messages::alter_partition_reassignments::AlterPartitionReassignmentsRequest;
use kafkars_protocol::messages::alter_replica_log_dirs::AlterReplicaLogDirsRequest;
use kafkars_protocol::messages::alter_user_scram_credentials::AlterUserScramCredentialsRequest;
use kafkars_protocol::messages::api_versions::ApiVersionsRequest;
use kafkars_protocol::messages::create_acls::CreateAclsRequest;
use kafkars_protocol::messages::create_delegation_token::CreateDelegationTokenRequest;
use kafkars_protocol::messages::delete_acls::DeleteAclsRequest;
use kafkars_protocol::messages::describe_acls::DescribeAclsRequest;
use kafkars_protocol::messages::describe_client_quotas::DescribeClientQuotasRequest;
use kafkars_protocol::messages::describe_cluster::{
    DescribeClusterRequest, DescribeClusterResponse,
};
use kafkars_protocol::messages::describe_delegation_token::DescribeDelegationTokenRequest;
use kafkars_protocol::messages::describe_log_dirs::DescribeLogDirsRequest;
use kafkars_protocol::messages::describe_quorum::DescribeQuorumRequest;
use kafkars_protocol::messages::describe_user_scram_credentials::DescribeUserScramCredentialsRequest;
use kafkars_protocol::messages::elect_leaders::ElectLeadersRequest;
use kafkars_protocol::messages::expire_delegation_token::ExpireDelegationTokenRequest;
use kafkars_protocol::messages::list_config_resources::ListConfigResourcesRequest;
use kafkars_protocol::messages::list_partition_reassignments::ListPartitionReassignmentsRequest;
use kafkars_protocol::messages::remove_raft_voter::RemoveRaftVoterRequest;
use kafkars_protocol::messages::renew_delegation_token::RenewDelegationTokenRequest;
use kafkars_protocol::messages::sasl_authenticate::SaslAuthenticateRequest;
use kafkars_protocol::messages::sasl_handshake::SaslHandshakeRequest;
use kafkars_protocol::messages::unregister_broker::UnregisterBrokerRequest;
use kafkars_protocol::messages::update_features::UpdateFeaturesRequest;

use super::unless;
use crate::handlers::{Peer, RequestGuard};
use crate::security::acl::AclOperation::{Alter, AlterConfigs, Describe, DescribeConfigs};
use crate::security::acl::{CLUSTER, ResourceType};

/// A request that needs leave to do one thing with the cluster.
macro_rules! of_the_cluster {
    ($($operation:ident: $($request:ident),+;)+) => {
        $($(impl RequestGuard for $request {
            fn refusal(&self, peer: &Peer) -> Option<ErrorCode> {
                unless(peer.may_cluster($operation), ErrorCode::ClusterAuthorizationFailed)
            }
        })+)+
    };
}

of_the_cluster! {
    Alter: CreateAclsRequest, DeleteAclsRequest, AlterReplicaLogDirsRequest, ElectLeadersRequest,
        AlterPartitionReassignmentsRequest, AlterUserScramCredentialsRequest, UpdateFeaturesRequest,
        UnregisterBrokerRequest, AddRaftVoterRequest, RemoveRaftVoterRequest;
    Describe: DescribeAclsRequest, DescribeLogDirsRequest, ListPartitionReassignmentsRequest,
        DescribeUserScramCredentialsRequest, DescribeQuorumRequest;
    AlterConfigs: AlterClientQuotasRequest;
    DescribeConfigs: DescribeClientQuotasRequest, ListConfigResourcesRequest;
}

macro_rules! of_everybody {
    ($($request:ident),+) => {
        $(impl RequestGuard for $request {})+
    };
}

of_everybody!(
    ApiVersionsRequest,
    SaslHandshakeRequest,
    SaslAuthenticateRequest,
    CreateDelegationTokenRequest,
    RenewDelegationTokenRequest,
    ExpireDelegationTokenRequest,
    DescribeDelegationTokenRequest
);

impl RequestGuard for DescribeClusterRequest {
    fn conceal(answer: &mut DescribeClusterResponse, peer: &Peer) {
        let operations = answer.cluster_authorized_operations;
        answer.cluster_authorized_operations = if peer.may_cluster(Describe) {
            peer.allowed(operations, ResourceType::Cluster, CLUSTER)
        } else {
            operations.min(0)
        };
    }
}
