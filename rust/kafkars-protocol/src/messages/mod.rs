// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! Kafka's messages: one module per API, request and response together.

pub mod add_offsets_to_txn;
pub mod add_partitions_to_txn;
pub mod add_raft_voter;
pub mod alter_client_quotas;
pub mod alter_configs;
pub mod alter_partition_reassignments;
pub mod alter_replica_log_dirs;
pub mod alter_share_group_offsets;
pub mod alter_user_scram_credentials;
pub mod api_versions;
pub mod consumer_group_describe;
pub mod consumer_group_heartbeat;
pub mod consumer_protocol_assignment;
pub mod consumer_protocol_subscription;
pub mod create_acls;
pub mod create_delegation_token;
pub mod create_partitions;
pub mod create_topics;
pub mod delete_acls;
pub mod delete_groups;
pub mod delete_records;
pub mod delete_share_group_offsets;
pub mod delete_share_group_state;
pub mod delete_topics;
pub mod describe_acls;
pub mod describe_client_quotas;
pub mod describe_cluster;
pub mod describe_configs;
pub mod describe_delegation_token;
pub mod describe_groups;
pub mod describe_log_dirs;
pub mod describe_producers;
pub mod describe_quorum;
pub mod describe_share_group_offsets;
pub mod describe_topic_partitions;
pub mod describe_transactions;
pub mod describe_user_scram_credentials;
pub mod elect_leaders;
pub mod end_txn;
pub mod expire_delegation_token;
pub mod fetch;
pub mod find_coordinator;
pub mod get_telemetry_subscriptions;
pub mod heartbeat;
pub mod incremental_alter_configs;
pub mod init_producer_id;
pub mod initialize_share_group_state;
pub mod join_group;
pub mod leave_group;
pub mod list_config_resources;
pub mod list_groups;
pub mod list_offsets;
pub mod list_partition_reassignments;
pub mod list_transactions;
pub mod metadata;
pub mod offset_commit;
pub mod offset_delete;
pub mod offset_fetch;
pub mod offset_for_leader_epoch;
pub mod produce;
pub mod push_telemetry;
pub mod read_share_group_state;
pub mod read_share_group_state_summary;
pub mod remove_raft_voter;
pub mod renew_delegation_token;
pub mod sasl_authenticate;
pub mod sasl_handshake;
pub mod share_acknowledge;
pub mod share_fetch;
pub mod share_group_describe;
pub mod share_group_heartbeat;
pub mod streams_group_describe;
pub mod streams_group_heartbeat;
pub mod sync_group;
pub mod txn_offset_commit;
pub mod unregister_broker;
pub mod update_features;
pub mod write_share_group_state;
pub mod write_txn_markers;

/// Calls `$each!(module, Message)` for every message, requests before responses, for tests that go over all.
#[doc(hidden)]
#[macro_export]
macro_rules! for_each_message {
    ($each:ident) => {
        $each!(produce, ProduceRequest);
        $each!(produce, ProduceResponse);
        $each!(fetch, FetchRequest);
        $each!(fetch, FetchResponse);
        $each!(list_offsets, ListOffsetsRequest);
        $each!(list_offsets, ListOffsetsResponse);
        $each!(metadata, MetadataRequest);
        $each!(metadata, MetadataResponse);
        $each!(offset_commit, OffsetCommitRequest);
        $each!(offset_commit, OffsetCommitResponse);
        $each!(offset_fetch, OffsetFetchRequest);
        $each!(offset_fetch, OffsetFetchResponse);
        $each!(find_coordinator, FindCoordinatorRequest);
        $each!(find_coordinator, FindCoordinatorResponse);
        $each!(join_group, JoinGroupRequest);
        $each!(join_group, JoinGroupResponse);
        $each!(heartbeat, HeartbeatRequest);
        $each!(heartbeat, HeartbeatResponse);
        $each!(leave_group, LeaveGroupRequest);
        $each!(leave_group, LeaveGroupResponse);
        $each!(sync_group, SyncGroupRequest);
        $each!(sync_group, SyncGroupResponse);
        $each!(describe_groups, DescribeGroupsRequest);
        $each!(describe_groups, DescribeGroupsResponse);
        $each!(list_groups, ListGroupsRequest);
        $each!(list_groups, ListGroupsResponse);
        $each!(sasl_handshake, SaslHandshakeRequest);
        $each!(sasl_handshake, SaslHandshakeResponse);
        $each!(api_versions, ApiVersionsRequest);
        $each!(api_versions, ApiVersionsResponse);
        $each!(create_topics, CreateTopicsRequest);
        $each!(create_topics, CreateTopicsResponse);
        $each!(delete_topics, DeleteTopicsRequest);
        $each!(delete_topics, DeleteTopicsResponse);
        $each!(delete_records, DeleteRecordsRequest);
        $each!(delete_records, DeleteRecordsResponse);
        $each!(init_producer_id, InitProducerIdRequest);
        $each!(init_producer_id, InitProducerIdResponse);
        $each!(offset_for_leader_epoch, OffsetForLeaderEpochRequest);
        $each!(offset_for_leader_epoch, OffsetForLeaderEpochResponse);
        $each!(add_partitions_to_txn, AddPartitionsToTxnRequest);
        $each!(add_partitions_to_txn, AddPartitionsToTxnResponse);
        $each!(add_offsets_to_txn, AddOffsetsToTxnRequest);
        $each!(add_offsets_to_txn, AddOffsetsToTxnResponse);
        $each!(end_txn, EndTxnRequest);
        $each!(end_txn, EndTxnResponse);
        $each!(write_txn_markers, WriteTxnMarkersRequest);
        $each!(write_txn_markers, WriteTxnMarkersResponse);
        $each!(txn_offset_commit, TxnOffsetCommitRequest);
        $each!(txn_offset_commit, TxnOffsetCommitResponse);
        $each!(describe_acls, DescribeAclsRequest);
        $each!(describe_acls, DescribeAclsResponse);
        $each!(create_acls, CreateAclsRequest);
        $each!(create_acls, CreateAclsResponse);
        $each!(delete_acls, DeleteAclsRequest);
        $each!(delete_acls, DeleteAclsResponse);
        $each!(describe_configs, DescribeConfigsRequest);
        $each!(describe_configs, DescribeConfigsResponse);
        $each!(alter_configs, AlterConfigsRequest);
        $each!(alter_configs, AlterConfigsResponse);
        $each!(alter_replica_log_dirs, AlterReplicaLogDirsRequest);
        $each!(alter_replica_log_dirs, AlterReplicaLogDirsResponse);
        $each!(describe_log_dirs, DescribeLogDirsRequest);
        $each!(describe_log_dirs, DescribeLogDirsResponse);
        $each!(sasl_authenticate, SaslAuthenticateRequest);
        $each!(sasl_authenticate, SaslAuthenticateResponse);
        $each!(create_partitions, CreatePartitionsRequest);
        $each!(create_partitions, CreatePartitionsResponse);
        $each!(create_delegation_token, CreateDelegationTokenRequest);
        $each!(create_delegation_token, CreateDelegationTokenResponse);
        $each!(renew_delegation_token, RenewDelegationTokenRequest);
        $each!(renew_delegation_token, RenewDelegationTokenResponse);
        $each!(expire_delegation_token, ExpireDelegationTokenRequest);
        $each!(expire_delegation_token, ExpireDelegationTokenResponse);
        $each!(describe_delegation_token, DescribeDelegationTokenRequest);
        $each!(describe_delegation_token, DescribeDelegationTokenResponse);
        $each!(delete_groups, DeleteGroupsRequest);
        $each!(delete_groups, DeleteGroupsResponse);
        $each!(elect_leaders, ElectLeadersRequest);
        $each!(elect_leaders, ElectLeadersResponse);
        $each!(incremental_alter_configs, IncrementalAlterConfigsRequest);
        $each!(incremental_alter_configs, IncrementalAlterConfigsResponse);
        $each!(
            alter_partition_reassignments,
            AlterPartitionReassignmentsRequest
        );
        $each!(
            alter_partition_reassignments,
            AlterPartitionReassignmentsResponse
        );
        $each!(
            list_partition_reassignments,
            ListPartitionReassignmentsRequest
        );
        $each!(
            list_partition_reassignments,
            ListPartitionReassignmentsResponse
        );
        $each!(offset_delete, OffsetDeleteRequest);
        $each!(offset_delete, OffsetDeleteResponse);
        $each!(describe_client_quotas, DescribeClientQuotasRequest);
        $each!(describe_client_quotas, DescribeClientQuotasResponse);
        $each!(alter_client_quotas, AlterClientQuotasRequest);
        $each!(alter_client_quotas, AlterClientQuotasResponse);
        $each!(
            describe_user_scram_credentials,
            DescribeUserScramCredentialsRequest
        );
        $each!(
            describe_user_scram_credentials,
            DescribeUserScramCredentialsResponse
        );
        $each!(
            alter_user_scram_credentials,
            AlterUserScramCredentialsRequest
        );
        $each!(
            alter_user_scram_credentials,
            AlterUserScramCredentialsResponse
        );
        $each!(describe_quorum, DescribeQuorumRequest);
        $each!(describe_quorum, DescribeQuorumResponse);
        $each!(update_features, UpdateFeaturesRequest);
        $each!(update_features, UpdateFeaturesResponse);
        $each!(describe_cluster, DescribeClusterRequest);
        $each!(describe_cluster, DescribeClusterResponse);
        $each!(describe_producers, DescribeProducersRequest);
        $each!(describe_producers, DescribeProducersResponse);
        $each!(unregister_broker, UnregisterBrokerRequest);
        $each!(unregister_broker, UnregisterBrokerResponse);
        $each!(describe_transactions, DescribeTransactionsRequest);
        $each!(describe_transactions, DescribeTransactionsResponse);
        $each!(list_transactions, ListTransactionsRequest);
        $each!(list_transactions, ListTransactionsResponse);
        $each!(consumer_group_heartbeat, ConsumerGroupHeartbeatRequest);
        $each!(consumer_group_heartbeat, ConsumerGroupHeartbeatResponse);
        $each!(consumer_group_describe, ConsumerGroupDescribeRequest);
        $each!(consumer_group_describe, ConsumerGroupDescribeResponse);
        $each!(
            get_telemetry_subscriptions,
            GetTelemetrySubscriptionsRequest
        );
        $each!(
            get_telemetry_subscriptions,
            GetTelemetrySubscriptionsResponse
        );
        $each!(push_telemetry, PushTelemetryRequest);
        $each!(push_telemetry, PushTelemetryResponse);
        $each!(list_config_resources, ListConfigResourcesRequest);
        $each!(list_config_resources, ListConfigResourcesResponse);
        $each!(describe_topic_partitions, DescribeTopicPartitionsRequest);
        $each!(describe_topic_partitions, DescribeTopicPartitionsResponse);
        $each!(share_group_heartbeat, ShareGroupHeartbeatRequest);
        $each!(share_group_heartbeat, ShareGroupHeartbeatResponse);
        $each!(share_group_describe, ShareGroupDescribeRequest);
        $each!(share_group_describe, ShareGroupDescribeResponse);
        $each!(share_fetch, ShareFetchRequest);
        $each!(share_fetch, ShareFetchResponse);
        $each!(share_acknowledge, ShareAcknowledgeRequest);
        $each!(share_acknowledge, ShareAcknowledgeResponse);
        $each!(add_raft_voter, AddRaftVoterRequest);
        $each!(add_raft_voter, AddRaftVoterResponse);
        $each!(remove_raft_voter, RemoveRaftVoterRequest);
        $each!(remove_raft_voter, RemoveRaftVoterResponse);
        $each!(
            initialize_share_group_state,
            InitializeShareGroupStateRequest
        );
        $each!(
            initialize_share_group_state,
            InitializeShareGroupStateResponse
        );
        $each!(read_share_group_state, ReadShareGroupStateRequest);
        $each!(read_share_group_state, ReadShareGroupStateResponse);
        $each!(write_share_group_state, WriteShareGroupStateRequest);
        $each!(write_share_group_state, WriteShareGroupStateResponse);
        $each!(delete_share_group_state, DeleteShareGroupStateRequest);
        $each!(delete_share_group_state, DeleteShareGroupStateResponse);
        $each!(
            read_share_group_state_summary,
            ReadShareGroupStateSummaryRequest
        );
        $each!(
            read_share_group_state_summary,
            ReadShareGroupStateSummaryResponse
        );
        $each!(streams_group_heartbeat, StreamsGroupHeartbeatRequest);
        $each!(streams_group_heartbeat, StreamsGroupHeartbeatResponse);
        $each!(streams_group_describe, StreamsGroupDescribeRequest);
        $each!(streams_group_describe, StreamsGroupDescribeResponse);
        $each!(
            describe_share_group_offsets,
            DescribeShareGroupOffsetsRequest
        );
        $each!(
            describe_share_group_offsets,
            DescribeShareGroupOffsetsResponse
        );
        $each!(alter_share_group_offsets, AlterShareGroupOffsetsRequest);
        $each!(alter_share_group_offsets, AlterShareGroupOffsetsResponse);
        $each!(delete_share_group_offsets, DeleteShareGroupOffsetsRequest);
        $each!(delete_share_group_offsets, DeleteShareGroupOffsetsResponse);
        $each!(consumer_protocol_subscription, ConsumerProtocolSubscription);
        $each!(consumer_protocol_assignment, ConsumerProtocolAssignment);
    };
}
