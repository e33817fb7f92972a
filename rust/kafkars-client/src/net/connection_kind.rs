//! The kinds of connections to a broker.

/// Selects the connection that a request uses, so that a long poll never delays a heartbeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConnectionKind {
    /// Produce requests, and a consumer's quick requests to leaders: ListOffsets, OffsetForLeaderEpoch.
    Data,
    /// Fetch requests, which may wait at the broker.
    Fetch,
    /// Fetch requests for partitions that become fetchable while another one waits at the broker.
    FetchSecond,
    /// Groups, transactions, metadata, administration.
    Coordinator,
    /// JoinGroup and SyncGroup: the coordinator holds their responses back until other members have come.
    Membership,
}

impl ConnectionKind {
    pub(crate) const COUNT: usize = 5;

    pub(crate) fn index(self) -> usize {
        match self {
            Self::Data => 0,
            Self::Fetch => 1,
            Self::FetchSecond => 2,
            Self::Coordinator => 3,
            Self::Membership => 4,
        }
    }

    /// The name of the kind in the log.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Fetch => "fetch",
            Self::FetchSecond => "fetch-second",
            Self::Coordinator => "coordinator",
            Self::Membership => "membership",
        }
    }
}
