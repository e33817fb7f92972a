// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! Every API that brokers answer to clients, and the versions spoken here.

use std::fmt;

use crate::VersionRange;

/// Which request a frame holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(i16)]
pub enum ApiKey {
    /// Versions 3 to 13.
    Produce = 0,
    /// Versions 4 to 18.
    Fetch = 1,
    /// Versions 1 to 11.
    ListOffsets = 2,
    /// Versions 0 to 13.
    Metadata = 3,
    /// Versions 2 to 10.
    OffsetCommit = 8,
    /// Versions 1 to 10.
    OffsetFetch = 9,
    /// Versions 0 to 6.
    FindCoordinator = 10,
    /// Versions 0 to 9.
    JoinGroup = 11,
    /// Versions 0 to 4.
    Heartbeat = 12,
    /// Versions 0 to 5.
    LeaveGroup = 13,
    /// Versions 0 to 5.
    SyncGroup = 14,
    /// Versions 0 to 6.
    DescribeGroups = 15,
    /// Versions 0 to 5.
    ListGroups = 16,
    /// Versions 0 to 1.
    SaslHandshake = 17,
    /// Versions 0 to 4.
    ApiVersions = 18,
    /// Versions 2 to 7.
    CreateTopics = 19,
    /// Versions 1 to 6.
    DeleteTopics = 20,
    /// Versions 0 to 2.
    DeleteRecords = 21,
    /// Versions 0 to 5.
    InitProducerId = 22,
    /// Versions 2 to 4.
    OffsetForLeaderEpoch = 23,
    /// Versions 0 to 5.
    AddPartitionsToTxn = 24,
    /// Versions 0 to 4.
    AddOffsetsToTxn = 25,
    /// Versions 0 to 5.
    EndTxn = 26,
    /// Versions 1 to 2.
    WriteTxnMarkers = 27,
    /// Versions 0 to 5.
    TxnOffsetCommit = 28,
    /// Versions 1 to 3.
    DescribeAcls = 29,
    /// Versions 1 to 3.
    CreateAcls = 30,
    /// Versions 1 to 3.
    DeleteAcls = 31,
    /// Versions 1 to 4.
    DescribeConfigs = 32,
    /// Versions 0 to 2.
    AlterConfigs = 33,
    /// Versions 1 to 2.
    AlterReplicaLogDirs = 34,
    /// Versions 1 to 5.
    DescribeLogDirs = 35,
    /// Versions 0 to 2.
    SaslAuthenticate = 36,
    /// Versions 0 to 3.
    CreatePartitions = 37,
    /// Versions 1 to 3.
    CreateDelegationToken = 38,
    /// Versions 1 to 2.
    RenewDelegationToken = 39,
    /// Versions 1 to 2.
    ExpireDelegationToken = 40,
    /// Versions 1 to 3.
    DescribeDelegationToken = 41,
    /// Versions 0 to 2.
    DeleteGroups = 42,
    /// Versions 0 to 2.
    ElectLeaders = 43,
    /// Versions 0 to 1.
    IncrementalAlterConfigs = 44,
    /// Versions 0 to 1.
    AlterPartitionReassignments = 45,
    /// Versions 0.
    ListPartitionReassignments = 46,
    /// Versions 0.
    OffsetDelete = 47,
    /// Versions 0 to 1.
    DescribeClientQuotas = 48,
    /// Versions 0 to 1.
    AlterClientQuotas = 49,
    /// Versions 0.
    DescribeUserScramCredentials = 50,
    /// Versions 0.
    AlterUserScramCredentials = 51,
    /// Versions 0 to 2.
    DescribeQuorum = 55,
    /// Versions 0 to 2.
    UpdateFeatures = 57,
    /// Versions 0 to 2.
    DescribeCluster = 60,
    /// Versions 0.
    DescribeProducers = 61,
    /// Versions 0.
    UnregisterBroker = 64,
    /// Versions 0.
    DescribeTransactions = 65,
    /// Versions 0 to 2.
    ListTransactions = 66,
    /// Versions 0 to 1.
    ConsumerGroupHeartbeat = 68,
    /// Versions 0 to 1.
    ConsumerGroupDescribe = 69,
    /// Versions 0.
    GetTelemetrySubscriptions = 71,
    /// Versions 0.
    PushTelemetry = 72,
    /// Versions 0 to 1.
    ListConfigResources = 74,
    /// Versions 0.
    DescribeTopicPartitions = 75,
    /// Versions 1.
    ShareGroupHeartbeat = 76,
    /// Versions 1.
    ShareGroupDescribe = 77,
    /// Versions 1 to 2.
    ShareFetch = 78,
    /// Versions 1 to 2.
    ShareAcknowledge = 79,
    /// Versions 0 to 1.
    AddRaftVoter = 80,
    /// Versions 0.
    RemoveRaftVoter = 81,
    /// Versions 0.
    InitializeShareGroupState = 83,
    /// Versions 0.
    ReadShareGroupState = 84,
    /// Versions 0 to 1.
    WriteShareGroupState = 85,
    /// Versions 0.
    DeleteShareGroupState = 86,
    /// Versions 0 to 1.
    ReadShareGroupStateSummary = 87,
    /// Versions 0.
    StreamsGroupHeartbeat = 88,
    /// Versions 0.
    StreamsGroupDescribe = 89,
    /// Versions 0 to 1.
    DescribeShareGroupOffsets = 90,
    /// Versions 0.
    AlterShareGroupOffsets = 91,
    /// Versions 0.
    DeleteShareGroupOffsets = 92,
}

impl ApiKey {
    /// Every API, lowest key first.
    pub const ALL: &[Self] = &[
        Self::Produce,
        Self::Fetch,
        Self::ListOffsets,
        Self::Metadata,
        Self::OffsetCommit,
        Self::OffsetFetch,
        Self::FindCoordinator,
        Self::JoinGroup,
        Self::Heartbeat,
        Self::LeaveGroup,
        Self::SyncGroup,
        Self::DescribeGroups,
        Self::ListGroups,
        Self::SaslHandshake,
        Self::ApiVersions,
        Self::CreateTopics,
        Self::DeleteTopics,
        Self::DeleteRecords,
        Self::InitProducerId,
        Self::OffsetForLeaderEpoch,
        Self::AddPartitionsToTxn,
        Self::AddOffsetsToTxn,
        Self::EndTxn,
        Self::WriteTxnMarkers,
        Self::TxnOffsetCommit,
        Self::DescribeAcls,
        Self::CreateAcls,
        Self::DeleteAcls,
        Self::DescribeConfigs,
        Self::AlterConfigs,
        Self::AlterReplicaLogDirs,
        Self::DescribeLogDirs,
        Self::SaslAuthenticate,
        Self::CreatePartitions,
        Self::CreateDelegationToken,
        Self::RenewDelegationToken,
        Self::ExpireDelegationToken,
        Self::DescribeDelegationToken,
        Self::DeleteGroups,
        Self::ElectLeaders,
        Self::IncrementalAlterConfigs,
        Self::AlterPartitionReassignments,
        Self::ListPartitionReassignments,
        Self::OffsetDelete,
        Self::DescribeClientQuotas,
        Self::AlterClientQuotas,
        Self::DescribeUserScramCredentials,
        Self::AlterUserScramCredentials,
        Self::DescribeQuorum,
        Self::UpdateFeatures,
        Self::DescribeCluster,
        Self::DescribeProducers,
        Self::UnregisterBroker,
        Self::DescribeTransactions,
        Self::ListTransactions,
        Self::ConsumerGroupHeartbeat,
        Self::ConsumerGroupDescribe,
        Self::GetTelemetrySubscriptions,
        Self::PushTelemetry,
        Self::ListConfigResources,
        Self::DescribeTopicPartitions,
        Self::ShareGroupHeartbeat,
        Self::ShareGroupDescribe,
        Self::ShareFetch,
        Self::ShareAcknowledge,
        Self::AddRaftVoter,
        Self::RemoveRaftVoter,
        Self::InitializeShareGroupState,
        Self::ReadShareGroupState,
        Self::WriteShareGroupState,
        Self::DeleteShareGroupState,
        Self::ReadShareGroupStateSummary,
        Self::StreamsGroupHeartbeat,
        Self::StreamsGroupDescribe,
        Self::DescribeShareGroupOffsets,
        Self::AlterShareGroupOffsets,
        Self::DeleteShareGroupOffsets,
    ];

    /// The number on the wire.
    #[must_use]
    pub const fn as_i16(self) -> i16 {
        self as i16
    }

    /// Kafka's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The versions that can be read and written here.
    #[must_use]
    pub const fn versions(self) -> VersionRange {
        let (_, min, max, _) = self.row();
        VersionRange { min, max }
    }

    /// True if requests of `version` have compact lengths and tagged fields; true also for versions newer than ours.
    #[must_use]
    pub const fn is_flexible(self, version: i16) -> bool {
        match self.row().3 {
            Some(first) => version >= first,
            None => false,
        }
    }

    /// True if answers in `version` have tagged fields in their header. Those to ApiVersions never have, because the
    /// client cannot know yet what the broker speaks.
    #[must_use]
    pub const fn has_flexible_response_header(self, version: i16) -> bool {
        self.is_flexible(version) && !matches!(self, Self::ApiVersions)
    }

    /// Name, lowest version, highest version, first flexible version.
    const fn row(self) -> (&'static str, i16, i16, Option<i16>) {
        match self {
            Self::Produce => ("Produce", 3, 13, Some(9)),
            Self::Fetch => ("Fetch", 4, 18, Some(12)),
            Self::ListOffsets => ("ListOffsets", 1, 11, Some(6)),
            Self::Metadata => ("Metadata", 0, 13, Some(9)),
            Self::OffsetCommit => ("OffsetCommit", 2, 10, Some(8)),
            Self::OffsetFetch => ("OffsetFetch", 1, 10, Some(6)),
            Self::FindCoordinator => ("FindCoordinator", 0, 6, Some(3)),
            Self::JoinGroup => ("JoinGroup", 0, 9, Some(6)),
            Self::Heartbeat => ("Heartbeat", 0, 4, Some(4)),
            Self::LeaveGroup => ("LeaveGroup", 0, 5, Some(4)),
            Self::SyncGroup => ("SyncGroup", 0, 5, Some(4)),
            Self::DescribeGroups => ("DescribeGroups", 0, 6, Some(5)),
            Self::ListGroups => ("ListGroups", 0, 5, Some(3)),
            Self::SaslHandshake => ("SaslHandshake", 0, 1, None),
            Self::ApiVersions => ("ApiVersions", 0, 4, Some(3)),
            Self::CreateTopics => ("CreateTopics", 2, 7, Some(5)),
            Self::DeleteTopics => ("DeleteTopics", 1, 6, Some(4)),
            Self::DeleteRecords => ("DeleteRecords", 0, 2, Some(2)),
            Self::InitProducerId => ("InitProducerId", 0, 5, Some(2)),
            Self::OffsetForLeaderEpoch => ("OffsetForLeaderEpoch", 2, 4, Some(4)),
            Self::AddPartitionsToTxn => ("AddPartitionsToTxn", 0, 5, Some(3)),
            Self::AddOffsetsToTxn => ("AddOffsetsToTxn", 0, 4, Some(3)),
            Self::EndTxn => ("EndTxn", 0, 5, Some(3)),
            Self::WriteTxnMarkers => ("WriteTxnMarkers", 1, 2, Some(1)),
            Self::TxnOffsetCommit => ("TxnOffsetCommit", 0, 5, Some(3)),
            Self::DescribeAcls => ("DescribeAcls", 1, 3, Some(2)),
            Self::CreateAcls => ("CreateAcls", 1, 3, Some(2)),
            Self::DeleteAcls => ("DeleteAcls", 1, 3, Some(2)),
            Self::DescribeConfigs => ("DescribeConfigs", 1, 4, Some(4)),
            Self::AlterConfigs => ("AlterConfigs", 0, 2, Some(2)),
            Self::AlterReplicaLogDirs => ("AlterReplicaLogDirs", 1, 2, Some(2)),
            Self::DescribeLogDirs => ("DescribeLogDirs", 1, 5, Some(2)),
            Self::SaslAuthenticate => ("SaslAuthenticate", 0, 2, Some(2)),
            Self::CreatePartitions => ("CreatePartitions", 0, 3, Some(2)),
            Self::CreateDelegationToken => ("CreateDelegationToken", 1, 3, Some(2)),
            Self::RenewDelegationToken => ("RenewDelegationToken", 1, 2, Some(2)),
            Self::ExpireDelegationToken => ("ExpireDelegationToken", 1, 2, Some(2)),
            Self::DescribeDelegationToken => ("DescribeDelegationToken", 1, 3, Some(2)),
            Self::DeleteGroups => ("DeleteGroups", 0, 2, Some(2)),
            Self::ElectLeaders => ("ElectLeaders", 0, 2, Some(2)),
            Self::IncrementalAlterConfigs => ("IncrementalAlterConfigs", 0, 1, Some(1)),
            Self::AlterPartitionReassignments => ("AlterPartitionReassignments", 0, 1, Some(0)),
            Self::ListPartitionReassignments => ("ListPartitionReassignments", 0, 0, Some(0)),
            Self::OffsetDelete => ("OffsetDelete", 0, 0, None),
            Self::DescribeClientQuotas => ("DescribeClientQuotas", 0, 1, Some(1)),
            Self::AlterClientQuotas => ("AlterClientQuotas", 0, 1, Some(1)),
            Self::DescribeUserScramCredentials => ("DescribeUserScramCredentials", 0, 0, Some(0)),
            Self::AlterUserScramCredentials => ("AlterUserScramCredentials", 0, 0, Some(0)),
            Self::DescribeQuorum => ("DescribeQuorum", 0, 2, Some(0)),
            Self::UpdateFeatures => ("UpdateFeatures", 0, 2, Some(0)),
            Self::DescribeCluster => ("DescribeCluster", 0, 2, Some(0)),
            Self::DescribeProducers => ("DescribeProducers", 0, 0, Some(0)),
            Self::UnregisterBroker => ("UnregisterBroker", 0, 0, Some(0)),
            Self::DescribeTransactions => ("DescribeTransactions", 0, 0, Some(0)),
            Self::ListTransactions => ("ListTransactions", 0, 2, Some(0)),
            Self::ConsumerGroupHeartbeat => ("ConsumerGroupHeartbeat", 0, 1, Some(0)),
            Self::ConsumerGroupDescribe => ("ConsumerGroupDescribe", 0, 1, Some(0)),
            Self::GetTelemetrySubscriptions => ("GetTelemetrySubscriptions", 0, 0, Some(0)),
            Self::PushTelemetry => ("PushTelemetry", 0, 0, Some(0)),
            Self::ListConfigResources => ("ListConfigResources", 0, 1, Some(0)),
            Self::DescribeTopicPartitions => ("DescribeTopicPartitions", 0, 0, Some(0)),
            Self::ShareGroupHeartbeat => ("ShareGroupHeartbeat", 1, 1, Some(1)),
            Self::ShareGroupDescribe => ("ShareGroupDescribe", 1, 1, Some(1)),
            Self::ShareFetch => ("ShareFetch", 1, 2, Some(1)),
            Self::ShareAcknowledge => ("ShareAcknowledge", 1, 2, Some(1)),
            Self::AddRaftVoter => ("AddRaftVoter", 0, 1, Some(0)),
            Self::RemoveRaftVoter => ("RemoveRaftVoter", 0, 0, Some(0)),
            Self::InitializeShareGroupState => ("InitializeShareGroupState", 0, 0, Some(0)),
            Self::ReadShareGroupState => ("ReadShareGroupState", 0, 0, Some(0)),
            Self::WriteShareGroupState => ("WriteShareGroupState", 0, 1, Some(0)),
            Self::DeleteShareGroupState => ("DeleteShareGroupState", 0, 0, Some(0)),
            Self::ReadShareGroupStateSummary => ("ReadShareGroupStateSummary", 0, 1, Some(0)),
            Self::StreamsGroupHeartbeat => ("StreamsGroupHeartbeat", 0, 0, Some(0)),
            Self::StreamsGroupDescribe => ("StreamsGroupDescribe", 0, 0, Some(0)),
            Self::DescribeShareGroupOffsets => ("DescribeShareGroupOffsets", 0, 1, Some(0)),
            Self::AlterShareGroupOffsets => ("AlterShareGroupOffsets", 0, 0, Some(0)),
            Self::DeleteShareGroupOffsets => ("DeleteShareGroupOffsets", 0, 0, Some(0)),
        }
    }
}

impl TryFrom<i16> for ApiKey {
    type Error = UnknownApiKey;

    fn try_from(number: i16) -> Result<Self, UnknownApiKey> {
        Ok(match number {
            0 => Self::Produce,
            1 => Self::Fetch,
            2 => Self::ListOffsets,
            3 => Self::Metadata,
            8 => Self::OffsetCommit,
            9 => Self::OffsetFetch,
            10 => Self::FindCoordinator,
            11 => Self::JoinGroup,
            12 => Self::Heartbeat,
            13 => Self::LeaveGroup,
            14 => Self::SyncGroup,
            15 => Self::DescribeGroups,
            16 => Self::ListGroups,
            17 => Self::SaslHandshake,
            18 => Self::ApiVersions,
            19 => Self::CreateTopics,
            20 => Self::DeleteTopics,
            21 => Self::DeleteRecords,
            22 => Self::InitProducerId,
            23 => Self::OffsetForLeaderEpoch,
            24 => Self::AddPartitionsToTxn,
            25 => Self::AddOffsetsToTxn,
            26 => Self::EndTxn,
            27 => Self::WriteTxnMarkers,
            28 => Self::TxnOffsetCommit,
            29 => Self::DescribeAcls,
            30 => Self::CreateAcls,
            31 => Self::DeleteAcls,
            32 => Self::DescribeConfigs,
            33 => Self::AlterConfigs,
            34 => Self::AlterReplicaLogDirs,
            35 => Self::DescribeLogDirs,
            36 => Self::SaslAuthenticate,
            37 => Self::CreatePartitions,
            38 => Self::CreateDelegationToken,
            39 => Self::RenewDelegationToken,
            40 => Self::ExpireDelegationToken,
            41 => Self::DescribeDelegationToken,
            42 => Self::DeleteGroups,
            43 => Self::ElectLeaders,
            44 => Self::IncrementalAlterConfigs,
            45 => Self::AlterPartitionReassignments,
            46 => Self::ListPartitionReassignments,
            47 => Self::OffsetDelete,
            48 => Self::DescribeClientQuotas,
            49 => Self::AlterClientQuotas,
            50 => Self::DescribeUserScramCredentials,
            51 => Self::AlterUserScramCredentials,
            55 => Self::DescribeQuorum,
            57 => Self::UpdateFeatures,
            60 => Self::DescribeCluster,
            61 => Self::DescribeProducers,
            64 => Self::UnregisterBroker,
            65 => Self::DescribeTransactions,
            66 => Self::ListTransactions,
            68 => Self::ConsumerGroupHeartbeat,
            69 => Self::ConsumerGroupDescribe,
            71 => Self::GetTelemetrySubscriptions,
            72 => Self::PushTelemetry,
            74 => Self::ListConfigResources,
            75 => Self::DescribeTopicPartitions,
            76 => Self::ShareGroupHeartbeat,
            77 => Self::ShareGroupDescribe,
            78 => Self::ShareFetch,
            79 => Self::ShareAcknowledge,
            80 => Self::AddRaftVoter,
            81 => Self::RemoveRaftVoter,
            83 => Self::InitializeShareGroupState,
            84 => Self::ReadShareGroupState,
            85 => Self::WriteShareGroupState,
            86 => Self::DeleteShareGroupState,
            87 => Self::ReadShareGroupStateSummary,
            88 => Self::StreamsGroupHeartbeat,
            89 => Self::StreamsGroupDescribe,
            90 => Self::DescribeShareGroupOffsets,
            91 => Self::AlterShareGroupOffsets,
            92 => Self::DeleteShareGroupOffsets,
            _ => return Err(UnknownApiKey(number)),
        })
    }
}

impl fmt::Display for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A key of no API that is spoken here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownApiKey(pub i16);

impl fmt::Display for UnknownApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "unknown API key {}", self.0)
    }
}

impl std::error::Error for UnknownApiKey {}
