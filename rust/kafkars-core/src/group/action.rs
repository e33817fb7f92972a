//! What a membership asks its driver to do, and how the driver answers.

use std::sync::Arc;
use std::time::Duration;

use kafkars_protocol::messages::consumer_group_heartbeat::{
    ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse,
};
use kafkars_protocol::messages::heartbeat::{HeartbeatRequest, HeartbeatResponse};
use kafkars_protocol::messages::join_group::{JoinGroupRequest, JoinGroupResponse};
use kafkars_protocol::messages::leave_group::{
    LeaveGroupRequest, LeaveGroupResponse, MemberIdentity,
};
use kafkars_protocol::messages::sync_group::{SyncGroupRequest, SyncGroupResponse};
use kafkars_protocol::{ErrorCode, Uuid};

use super::assignor::{Assignment, Assignor, GroupView};

/// One thing for the driver to do now.
#[derive(Debug, Clone)]
pub enum Action {
    /// Ask any broker for the group's coordinator; answer with [`super::Membership::coordinator_answered`].
    FindCoordinator,
    /// Send a request to the coordinator; answer with [`super::Membership::answered`] or [`super::Membership::failed`].
    Send(GroupCall),
    /// Make these topics known, by name or (Metadata since version 12) by identifier, and report the cluster with
    /// [`super::Membership::cluster_changed`]. May come again for the same topics.
    ResolveTopics {
        /// Topics wanted by name.
        names: Vec<Arc<str>>,
        /// Topics wanted by identifier.
        ids: Vec<Uuid>,
    },
    /// Run an assignor, on any thread; answer with [`super::Membership::assignor_finished`].
    Assign(AssignorWork),
}

/// Identifies a request within its membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(pub u64);

/// A request for the coordinator.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupCall {
    /// For the answer.
    pub id: RequestId,
    /// The coordinator's node id.
    pub node: i32,
    /// What to send.
    pub request: GroupRequest,
    /// How long to wait for the answer.
    pub timeout: Duration,
    /// Whether the coordinator may hold the answer back while others join. A broker answers one connection in order, so
    /// such a request must not share one with heartbeats and commits.
    pub held_back: bool,
}

/// The requests of membership. Every field is set that the newest version has; those a broker's version lacks are
/// either dropped when encoding or make it fail, and then the broker cannot do what was asked (report
/// [`RequestFailure::Unsupported`]).
#[derive(Debug, Clone, PartialEq)]
pub enum GroupRequest {
    /// Classic protocol: joins the next generation.
    JoinGroup(JoinGroupRequest),
    /// Classic protocol: fetches the assignment; the leader's request carries it.
    SyncGroup(SyncGroupRequest),
    /// Classic protocol: keeps the session alive.
    Heartbeat(HeartbeatRequest),
    /// Classic protocol: leaves the group.
    LeaveGroup(LeaveGroup),
    /// Consumer protocol: joins, reports changes, keeps the session alive, leaves.
    ConsumerGroupHeartbeat(ConsumerGroupHeartbeatRequest),
}

impl GroupRequest {
    /// Kafka's name of the request.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::JoinGroup(_) => "JoinGroup",
            Self::SyncGroup(_) => "SyncGroup",
            Self::Heartbeat(_) => "Heartbeat",
            Self::LeaveGroup(_) => "LeaveGroup",
            Self::ConsumerGroupHeartbeat(_) => "ConsumerGroupHeartbeat",
        }
    }
}

/// LeaveGroup, whose shape changed with version 3.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaveGroup {
    /// The group.
    pub group_id: String,
    /// The id of the member that leaves.
    pub member_id: String,
    /// `group_instance_id` of a static member.
    pub group_instance_id: Option<String>,
    /// Why, for the broker's log (KIP-800).
    pub reason: Option<String>,
}

impl LeaveGroup {
    /// The request as `version` has it.
    #[must_use]
    pub fn build(&self, version: i16) -> LeaveGroupRequest {
        if version < 3 {
            return LeaveGroupRequest {
                group_id: self.group_id.clone(),
                member_id: self.member_id.clone(),
                members: Vec::new(),
            };
        }
        LeaveGroupRequest {
            group_id: self.group_id.clone(),
            member_id: String::new(),
            members: vec![MemberIdentity {
                member_id: self.member_id.clone(),
                group_instance_id: self.group_instance_id.clone(),
                reason: self.reason.clone(),
            }],
        }
    }
}

/// The responses to [`GroupRequest`].
#[derive(Debug, Clone, PartialEq)]
pub enum GroupResponse {
    /// To JoinGroup.
    JoinGroup(JoinGroupResponse),
    /// To SyncGroup.
    SyncGroup(SyncGroupResponse),
    /// To Heartbeat.
    Heartbeat(HeartbeatResponse),
    /// To LeaveGroup.
    LeaveGroup(LeaveGroupResponse),
    /// To ConsumerGroupHeartbeat.
    ConsumerGroupHeartbeat(ConsumerGroupHeartbeatResponse),
}

/// Why a request has no usable answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestFailure {
    /// Connection refused or lost, no answer in time: the coordinator may or may not have acted.
    Retriable(Arc<str>),
    /// The broker lacks the API, or a version of it that can say what was asked.
    Unsupported(Arc<str>),
    /// The request cannot be encoded, its answer not be decoded, or the client is closed.
    Permanent(Arc<str>),
    /// A broker's error code and message, where there is no response to hand over (FindCoordinator).
    Refused(ErrorCode, Option<Arc<str>>),
}

/// An assignor to run, and its input.
#[derive(Debug, Clone)]
pub struct AssignorWork {
    /// For the answer.
    pub id: RequestId,
    /// The assignor that the group chose.
    pub assignor: Arc<dyn Assignor>,
    /// The group.
    pub view: GroupView,
}

impl AssignorWork {
    /// Runs the assignor, here and now.
    pub fn run(&self) -> AssignorOutcome {
        self.assignor.assign(&self.view)
    }
}

/// The result of an assignor: partitions for each member, or a text that says what went wrong.
pub type AssignorOutcome = Result<Assignment, Arc<str>>;
