//! The APIs that are served: the one list of them.

use kafkars_protocol::{ApiKey, DecodeError, Describe, DescribedValue, Message, Reader};

/// Calls a macro with every API that is served: its key, the module and the type of its request.
macro_rules! for_each_served_api {
    ($macro:ident) => {
        $macro! {
            Produce produce ProduceRequest,
            Fetch fetch FetchRequest,
            ListOffsets list_offsets ListOffsetsRequest,
            Metadata metadata MetadataRequest,
            OffsetCommit offset_commit OffsetCommitRequest,
            OffsetFetch offset_fetch OffsetFetchRequest,
            FindCoordinator find_coordinator FindCoordinatorRequest,
            JoinGroup join_group JoinGroupRequest,
            Heartbeat heartbeat HeartbeatRequest,
            LeaveGroup leave_group LeaveGroupRequest,
            SyncGroup sync_group SyncGroupRequest,
            DescribeGroups describe_groups DescribeGroupsRequest,
            ListGroups list_groups ListGroupsRequest,
            SaslHandshake sasl_handshake SaslHandshakeRequest,
            ApiVersions api_versions ApiVersionsRequest,
            CreateTopics create_topics CreateTopicsRequest,
            DeleteTopics delete_topics DeleteTopicsRequest,
            DeleteRecords delete_records DeleteRecordsRequest,
            InitProducerId init_producer_id InitProducerIdRequest,
            OffsetForLeaderEpoch offset_for_leader_epoch OffsetForLeaderEpochRequest,
            AddPartitionsToTxn add_partitions_to_txn AddPartitionsToTxnRequest,
            AddOffsetsToTxn add_offsets_to_txn AddOffsetsToTxnRequest,
            EndTxn end_txn EndTxnRequest,
            WriteTxnMarkers write_txn_markers WriteTxnMarkersRequest,
            TxnOffsetCommit txn_offset_commit TxnOffsetCommitRequest,
            DescribeAcls describe_acls DescribeAclsRequest,
            CreateAcls create_acls CreateAclsRequest,
            DeleteAcls delete_acls DeleteAclsRequest,
            DescribeConfigs describe_configs DescribeConfigsRequest,
            AlterConfigs alter_configs AlterConfigsRequest,
            AlterReplicaLogDirs alter_replica_log_dirs AlterReplicaLogDirsRequest,
            DescribeLogDirs describe_log_dirs DescribeLogDirsRequest,
            SaslAuthenticate sasl_authenticate SaslAuthenticateRequest,
            CreatePartitions create_partitions CreatePartitionsRequest,
            CreateDelegationToken create_delegation_token CreateDelegationTokenRequest,
            RenewDelegationToken renew_delegation_token RenewDelegationTokenRequest,
            ExpireDelegationToken expire_delegation_token ExpireDelegationTokenRequest,
            DescribeDelegationToken describe_delegation_token DescribeDelegationTokenRequest,
            DeleteGroups delete_groups DeleteGroupsRequest,
            ElectLeaders elect_leaders ElectLeadersRequest,
            IncrementalAlterConfigs incremental_alter_configs IncrementalAlterConfigsRequest,
            AlterPartitionReassignments alter_partition_reassignments AlterPartitionReassignmentsRequest,
            ListPartitionReassignments list_partition_reassignments ListPartitionReassignmentsRequest,
            OffsetDelete offset_delete OffsetDeleteRequest,
            DescribeClientQuotas describe_client_quotas DescribeClientQuotasRequest,
            AlterClientQuotas alter_client_quotas AlterClientQuotasRequest,
            DescribeUserScramCredentials describe_user_scram_credentials DescribeUserScramCredentialsRequest,
            AlterUserScramCredentials alter_user_scram_credentials AlterUserScramCredentialsRequest,
            DescribeQuorum describe_quorum DescribeQuorumRequest,
            UpdateFeatures update_features UpdateFeaturesRequest,
            DescribeCluster describe_cluster DescribeClusterRequest,
            DescribeProducers describe_producers DescribeProducersRequest,
            UnregisterBroker unregister_broker UnregisterBrokerRequest,
            DescribeTransactions describe_transactions DescribeTransactionsRequest,
            ListTransactions list_transactions ListTransactionsRequest,
            ConsumerGroupHeartbeat consumer_group_heartbeat ConsumerGroupHeartbeatRequest,
            ConsumerGroupDescribe consumer_group_describe ConsumerGroupDescribeRequest,
            ListConfigResources list_config_resources ListConfigResourcesRequest,
            DescribeTopicPartitions describe_topic_partitions DescribeTopicPartitionsRequest,
            ShareGroupHeartbeat share_group_heartbeat ShareGroupHeartbeatRequest,
            ShareGroupDescribe share_group_describe ShareGroupDescribeRequest,
            ShareFetch share_fetch ShareFetchRequest,
            ShareAcknowledge share_acknowledge ShareAcknowledgeRequest,
            AddRaftVoter add_raft_voter AddRaftVoterRequest,
            RemoveRaftVoter remove_raft_voter RemoveRaftVoterRequest,
            DescribeShareGroupOffsets describe_share_group_offsets DescribeShareGroupOffsetsRequest,
            AlterShareGroupOffsets alter_share_group_offsets AlterShareGroupOffsetsRequest,
            DeleteShareGroupOffsets delete_share_group_offsets DeleteShareGroupOffsetsRequest,
        }
    };
}
pub(crate) use for_each_served_api;

macro_rules! table {
    ($($api:ident $module:ident $request:ident,)*) => {
        /// The APIs that are served, lowest key first.
        pub(crate) const SERVED: &[ApiKey] = &[$(ApiKey::$api),*];

        /// The fields of a request; none when the API is not served.
        pub(crate) fn describe(api: ApiKey, version: i16, mut reader: Reader) -> Option<Result<DescribedValue, DecodeError>> {
            let reader = &mut reader;
            Some(match api {
                $(ApiKey::$api => kafkars_protocol::messages::$module::$request::decode(reader, version).map(|request| request.describe()),)*
                _ => return None,
            })
        }
    };
}

for_each_served_api!(table);
