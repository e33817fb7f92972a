//! What the connections to a broker are for.

/// Which of a broker's connections a request travels on, so that a long poll never delays a heartbeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConnectionKind {
    /// Produce requests.
    Data,
    /// Fetch requests, which may wait at the broker.
    Fetch,
    /// A second one for fetches, so that the next can wait at the broker while the last still arrives.
    FetchSecond,
    /// Groups, transactions, metadata and whatever else is small.
    Coordinator,
    /// Joining a group: the coordinator holds these answers back while others join.
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

    /// What the connection is for, as the log says it.
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
