//! What becomes of one kind of request for a while: refused, cut, late, or answered with nonsense; and how many there
//! were.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use kafkars_core::group::{GroupRequest, GroupResponse};
use kafkars_protocol::messages::consumer_group_heartbeat::{Assignment, TopicPartitions};
use kafkars_protocol::{ErrorCode, Uuid};

use crate::network::{Process, Request};

/// A kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Api {
    FindCoordinator,
    JoinGroup,
    SyncGroup,
    Heartbeat,
    LeaveGroup,
    ConsumerGroupHeartbeat,
    OffsetCommit,
    /// Metadata of topics that are known by identifier, or not at all.
    TopicLookup,
}

impl Api {
    pub(crate) fn of(request: &Request) -> Self {
        match request {
            Request::Group(GroupRequest::JoinGroup(_)) => Self::JoinGroup,
            Request::Group(GroupRequest::SyncGroup(_)) => Self::SyncGroup,
            Request::Group(GroupRequest::Heartbeat(_)) => Self::Heartbeat,
            Request::Group(GroupRequest::LeaveGroup(_)) => Self::LeaveGroup,
            Request::Group(GroupRequest::ConsumerGroupHeartbeat(_)) => Self::ConsumerGroupHeartbeat,
            Request::Commit(_) => Self::OffsetCommit,
        }
    }
}

/// What becomes of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It has no effect and is answered with this.
    Refused(ErrorCode),
    /// Its connection breaks before it has an effect.
    CutBefore,
    /// Its connection breaks after it had its effect.
    CutAfter,
    /// It has its effect, and the answer never comes, though the connection lives.
    Lost,
    /// It has its effect, and the answer takes so long.
    Late(Duration),
    /// It has its effect, and the answer is nonsense in this way.
    Garbled(Garbage),
}

/// Nonsense that a coordinator may pass on, or make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Garbage {
    /// Bytes of another member (its subscription, or what a leader assigned) that nobody can read.
    Bytes,
    /// A subscription or an assignment that is cut short.
    Short,
    /// Topics that nobody subscribes to, or with identifiers that no broker knows.
    Unwanted,
    /// Partitions with negative numbers.
    Negative,
    /// Nothing at all, and something, by turns.
    Flapping,
    /// A generation, epoch or member id that nobody has.
    Nobody,
}

pub(crate) const GARBAGE: [Garbage; 6] = [
    Garbage::Bytes,
    Garbage::Short,
    Garbage::Unwanted,
    Garbage::Negative,
    Garbage::Flapping,
    Garbage::Nobody,
];

/// Trouble with one kind of request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trouble {
    pub(crate) api: Api,
    pub(crate) fate: Fate,
    /// Only the first of them, or all.
    pub(crate) once: bool,
}

/// Judges requests, and counts them.
#[derive(Default)]
pub(crate) struct Troubles {
    trouble: Option<Trouble>,
    hits: u32,
    /// How many requests are spared first.
    spared: u32,
    counts: BTreeMap<(Process, Api), u32>,
}

impl Troubles {
    pub(crate) fn begin(&mut self, trouble: Trouble) {
        *self = Self {
            trouble: Some(trouble),
            ..Self::default()
        };
    }

    /// The same, from the request after `spared` others of its kind on.
    pub(crate) fn begin_after(&mut self, spared: u32, trouble: Trouble) {
        self.begin(trouble);
        self.spared = spared;
    }

    pub(crate) fn end(&mut self) {
        self.trouble = None;
    }

    /// The busiest sender of one kind of request since the trouble began.
    pub(crate) fn busiest(&self) -> Option<(Process, Api, u32)> {
        let busiest = self.counts.iter().max_by_key(|(_, count)| **count);
        busiest.map(|((process, api), count)| (*process, *api, *count))
    }

    pub(crate) fn has_hit(&self) -> bool {
        self.hits > 0
    }

    /// A request arrives.
    pub(crate) fn judge(&mut self, from: Process, api: Api) -> Option<Fate> {
        *self.counts.entry((from, api)).or_default() += 1;
        let trouble = self.trouble.filter(|trouble| trouble.api == api)?;
        if trouble.once && self.hits > 0 {
            return None;
        }
        if self.spared > 0 {
            self.spared -= 1;
            return None;
        }
        self.hits += 1;
        Some(trouble.fate)
    }
}

impl Garbage {
    /// Spoils an answer. `turn` differs from answer to answer.
    pub(crate) fn spoil(self, turn: u64, response: &mut GroupResponse) {
        match response {
            GroupResponse::JoinGroup(response) => {
                if self == Self::Nobody {
                    response.generation_id = -1;
                }
                // The last one's: the leader itself is among the others at least half of the time.
                if let Some(member) = response.members.last_mut() {
                    member.metadata = self.bytes(turn, &member.metadata);
                }
            }
            GroupResponse::SyncGroup(response) => {
                response.assignment = self.bytes(turn, &response.assignment);
                if self == Self::Nobody {
                    response.protocol_name = Some("nobody's".to_owned());
                }
            }
            GroupResponse::ConsumerGroupHeartbeat(response) => {
                let topic = |id: u8, partition: i32| TopicPartitions {
                    topic_id: Uuid([id; 16]),
                    partitions: vec![partition],
                };
                let topics = match self {
                    Self::Unwanted => vec![topic(77, 0)],
                    Self::Negative => vec![topic(1, -3)],
                    Self::Flapping if turn.is_multiple_of(2) => vec![],
                    Self::Bytes | Self::Short | Self::Flapping => return,
                    Self::Nobody => {
                        response.member_epoch = -1;
                        return;
                    }
                };
                response.assignment = Some(Assignment {
                    topic_partitions: topics,
                });
            }
            GroupResponse::Heartbeat(_) | GroupResponse::LeaveGroup(_) => {}
        }
    }

    fn bytes(self, turn: u64, right: &Bytes) -> Bytes {
        match self {
            Self::Bytes => Bytes::from_static(&[0xff; 9]),
            Self::Short => right.slice(..right.len() / 2),
            // Version 0, one topic, one partition, no user data.
            Self::Unwanted => assigned(b"nobodys", 0),
            Self::Negative => assigned(b"orders", -3),
            Self::Flapping if turn.is_multiple_of(2) => Bytes::new(),
            Self::Flapping | Self::Nobody => right.clone(),
        }
    }
}

fn assigned(topic: &[u8], partition: i32) -> Bytes {
    let mut bytes = vec![0, 0, 0, 0, 0, 1, 0, topic.len() as u8];
    bytes.extend(topic);
    bytes.extend([0, 0, 0, 1]);
    bytes.extend(partition.to_be_bytes());
    bytes.extend([0xff; 4]);
    bytes.into()
}
