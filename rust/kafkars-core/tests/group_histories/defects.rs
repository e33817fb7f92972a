//! Defects planted into a member from outside: its requests, its answers, its strategy or its driver are spoilt as a
//! defect inside would spoil them. Every one must be caught by the invariants.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use kafkars_core::group::assignor::{
    Assignment, Assignor, GroupView, LastAssignment, MemberAssignment,
};
use kafkars_core::group::{GroupRequest, GroupResponse};
use kafkars_protocol::ErrorCode;

use crate::consumer_coordinator::ServerAssignor;
use crate::history::Setup;

/// How many histories it may take to notice a defect.
pub(crate) const CAUGHT_WITHIN: u64 = 128;

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Defect {
    /// Revocations are acknowledged and the partitions read on.
    RevocationsAreIgnored,
    /// Lost partitions are read on.
    LossesAreIgnored,
    /// Automatic commits count records that are still worked on.
    UnfinishedRecordsAreCommitted,
    /// Commits carry no generation, and the coordinator takes them.
    CommitsWithoutGeneration,
    /// An older commit arrives after a newer one.
    LateCommitsArriveFirst,
    /// Heartbeats are not sent.
    HeartbeatsAreNotSent,
    /// The membership is not told that the application polls.
    PollsAreNotNoted,
    /// REBALANCE_IN_PROGRESS is ignored.
    RebalancesAreNotNoticed,
    /// UNKNOWN_MEMBER_ID and the like are ignored.
    ExpulsionIsNotNoticed,
    /// The id that the coordinator gives is not used.
    MemberIdsAreNotUsed,
    /// NOT_COORDINATOR is taken for COORDINATOR_LOAD_IN_PROGRESS.
    MovesAreNotNoticed,
    /// The leader gives a partition to two members.
    PartitionsAreAssignedTwice,
    /// The leader leaves a partition out.
    PartitionsAreForgotten,
    /// The strategy ignores who had what.
    NothingSticks,
    /// A cooperative strategy gives partitions away before they are free.
    PartitionsAreGivenAwayTooEarly,
    /// After a failure the next heartbeat tells only what is new (KIP-848).
    NothingIsToldAgain,
    /// The coordinator is never told that partitions were given up (KIP-848).
    RevocationsAreNotTold,
    /// Topics that were looked up once in vain are not looked up again.
    LookUpsAreNotRepeated,
    /// A consumer that ends forgets the commits that wait.
    CommitsAreForgottenAtTheEnd,
    /// Commits from before the subscription are sent with the member id.
    CommitsBecomeTheMembers,
    /// Partitions are given up although a commit of them waits.
    RevocationsOvertakeCommits,
    /// Refused requests are sent again at once.
    NobodyWaits,
    /// The leader fails when it cannot read what one member wants.
    OneMemberStopsAll,
    /// A member that has met an unexpected error joins as if nobody knew it.
    IdsAreForgotten,
    /// A member that has met an unexpected error does not give its place up (KIP-848).
    OldPlacesAreKept,
    /// A leave that is refused counts as one that succeeded.
    GoodbyesAreNotRepeated,
}

/// All of them.
pub(crate) const DEFECTS: &[Defect] = &[
    Defect::RevocationsAreIgnored,
    Defect::LossesAreIgnored,
    Defect::UnfinishedRecordsAreCommitted,
    Defect::CommitsWithoutGeneration,
    Defect::LateCommitsArriveFirst,
    Defect::HeartbeatsAreNotSent,
    Defect::PollsAreNotNoted,
    Defect::RebalancesAreNotNoticed,
    Defect::ExpulsionIsNotNoticed,
    Defect::MemberIdsAreNotUsed,
    Defect::MovesAreNotNoticed,
    Defect::PartitionsAreAssignedTwice,
    Defect::PartitionsAreForgotten,
    Defect::NothingSticks,
    Defect::PartitionsAreGivenAwayTooEarly,
    Defect::NothingIsToldAgain,
    Defect::RevocationsAreNotTold,
    Defect::LookUpsAreNotRepeated,
    Defect::CommitsAreForgottenAtTheEnd,
    Defect::CommitsBecomeTheMembers,
];

/// Those that show where requests are refused for long.
pub(crate) const DEFECTS_UNDER_REFUSALS: &[Defect] = &[
    Defect::LookUpsAreNotRepeated,
    Defect::CommitsAreForgottenAtTheEnd,
    Defect::RevocationsOvertakeCommits,
    Defect::NobodyWaits,
    Defect::OneMemberStopsAll,
];

/// Those that show where one request is refused once.
pub(crate) const DEFECTS_UNDER_ONE_REFUSAL: &[Defect] = &[
    Defect::IdsAreForgotten,
    Defect::OldPlacesAreKept,
    Defect::GoodbyesAreNotRepeated,
];

const UNIFORM: Setup = Setup::Consumer(ServerAssignor::Uniform);
const EAGER: Setup = Setup::Classic("range");
const STICKY: Setup = Setup::Classic("sticky");
const COOPERATIVE: Setup = Setup::Classic("cooperative-sticky");

impl Defect {
    /// Where it makes a difference.
    pub(crate) fn shows_in(self) -> &'static [Setup] {
        match self {
            Self::RevocationsAreIgnored
            | Self::LossesAreIgnored
            | Self::UnfinishedRecordsAreCommitted
            | Self::LateCommitsArriveFirst
            | Self::PollsAreNotNoted
            | Self::MovesAreNotNoticed
            | Self::HeartbeatsAreNotSent => &[EAGER, COOPERATIVE, UNIFORM],
            // A classic member that keeps partitions notices by its own timers, or when it joins again.
            Self::ExpulsionIsNotNoticed => &[UNIFORM],
            Self::CommitsWithoutGeneration => &[EAGER],
            Self::RebalancesAreNotNoticed
            | Self::MemberIdsAreNotUsed
            | Self::PartitionsAreAssignedTwice
            | Self::PartitionsAreForgotten => &[EAGER, COOPERATIVE],
            Self::NothingSticks => &[STICKY, COOPERATIVE],
            Self::PartitionsAreGivenAwayTooEarly => &[COOPERATIVE],
            Self::NothingIsToldAgain
            | Self::RevocationsAreNotTold
            | Self::LookUpsAreNotRepeated => &[UNIFORM],
            Self::CommitsAreForgottenAtTheEnd
            | Self::CommitsBecomeTheMembers
            | Self::RevocationsOvertakeCommits
            | Self::NobodyWaits => &[EAGER, COOPERATIVE, UNIFORM],
            Self::OneMemberStopsAll | Self::IdsAreForgotten => &[EAGER, COOPERATIVE],
            Self::OldPlacesAreKept => &[UNIFORM],
            Self::GoodbyesAreNotRepeated => &[EAGER, COOPERATIVE, UNIFORM],
        }
    }

    /// Spoils a request; false: it is not sent at all.
    pub(crate) fn mangle_request(self, request: &mut GroupRequest) -> bool {
        match (self, request) {
            (Self::HeartbeatsAreNotSent, GroupRequest::Heartbeat(_)) => return false,
            (Self::HeartbeatsAreNotSent, GroupRequest::ConsumerGroupHeartbeat(request)) => {
                return request.member_epoch <= 0;
            }
            (Self::PartitionsAreAssignedTwice, GroupRequest::SyncGroup(request)) => {
                let first = request
                    .assignments
                    .first()
                    .map(|one| one.assignment.clone());
                if let (Some(first), Some(last)) = (first, request.assignments.last_mut()) {
                    last.assignment = first;
                }
            }
            (Self::NothingIsToldAgain, GroupRequest::ConsumerGroupHeartbeat(request))
                if request.member_epoch > 0 && request.rebalance_timeout_ms >= 0 =>
            {
                request.rebalance_timeout_ms = -1;
                request.subscribed_topic_names = None;
                request.topic_partitions = None;
            }
            (Self::RevocationsAreNotTold, GroupRequest::ConsumerGroupHeartbeat(request))
                if request.member_epoch > 0 =>
            {
                request.topic_partitions = None;
            }
            _ => {}
        }
        true
    }

    /// Spoils an answer.
    pub(crate) fn mangle_response(self, response: &mut GroupResponse) {
        let code = match response {
            GroupResponse::JoinGroup(response) => {
                if self == Self::MemberIdsAreNotUsed
                    && response.error_code == ErrorCode::MemberIdRequired.code()
                {
                    response.member_id.clear();
                }
                &mut response.error_code
            }
            GroupResponse::SyncGroup(response) => &mut response.error_code,
            GroupResponse::Heartbeat(response) => &mut response.error_code,
            GroupResponse::LeaveGroup(response) => &mut response.error_code,
            GroupResponse::ConsumerGroupHeartbeat(response) => {
                if self == Self::ExpulsionIsNotNoticed && response.error_code != 0 {
                    response.member_epoch = 1;
                }
                &mut response.error_code
            }
        };
        let said = ErrorCode::from_i16(*code);
        let heard = match (self, said) {
            (Self::RebalancesAreNotNoticed, ErrorCode::RebalanceInProgress) => ErrorCode::None,
            (
                Self::ExpulsionIsNotNoticed,
                ErrorCode::UnknownMemberId
                | ErrorCode::IllegalGeneration
                | ErrorCode::FencedMemberEpoch,
            ) => ErrorCode::None,
            (Self::MovesAreNotNoticed, ErrorCode::NotCoordinator) => {
                ErrorCode::CoordinatorLoadInProgress
            }
            (_, said) => said,
        };
        let is_heartbeat = matches!(response_kind(response), Kind::Heartbeat);
        if heard != said && (is_heartbeat || self == Self::MovesAreNotNoticed) {
            set_code(response, heard);
        }
    }

    /// Spoils an answer to a member that leaves.
    pub(crate) fn mangle_goodbye(self, response: &mut GroupResponse) {
        let is_goodbye = matches!(
            response,
            GroupResponse::LeaveGroup(_) | GroupResponse::ConsumerGroupHeartbeat(_)
        );
        if self == Self::GoodbyesAreNotRepeated && is_goodbye {
            set_code(response, ErrorCode::None);
        }
    }

    /// Spoils the leader's strategy.
    pub(crate) fn spoil_assignor(self, assignor: Arc<dyn Assignor>) -> Arc<dyn Assignor> {
        match self {
            Self::PartitionsAreForgotten
            | Self::NothingSticks
            | Self::PartitionsAreGivenAwayTooEarly
            | Self::OneMemberStopsAll => Arc::new(Spoilt {
                assignor,
                defect: self,
            }),
            _ => assignor,
        }
    }
}

enum Kind {
    Heartbeat,
    Other,
}

fn response_kind(response: &GroupResponse) -> Kind {
    match response {
        GroupResponse::Heartbeat(_) | GroupResponse::ConsumerGroupHeartbeat(_) => Kind::Heartbeat,
        _ => Kind::Other,
    }
}

fn set_code(response: &mut GroupResponse, code: ErrorCode) {
    let code = code.code();
    match response {
        GroupResponse::JoinGroup(response) => response.error_code = code,
        GroupResponse::SyncGroup(response) => response.error_code = code,
        GroupResponse::Heartbeat(response) => response.error_code = code,
        GroupResponse::LeaveGroup(response) => response.error_code = code,
        GroupResponse::ConsumerGroupHeartbeat(response) => response.error_code = code,
    }
}

/// A strategy with a defect.
#[derive(Debug)]
struct Spoilt {
    assignor: Arc<dyn Assignor>,
    defect: Defect,
}

impl Assignor for Spoilt {
    fn name(&self) -> &str {
        self.assignor.name()
    }

    fn is_cooperative(&self) -> bool {
        self.assignor.is_cooperative()
    }

    fn user_data(&self, last: &LastAssignment) -> Option<Bytes> {
        self.assignor.user_data(last)
    }

    fn assign(&self, group: &GroupView) -> Result<Assignment, Arc<str>> {
        match self.defect {
            Defect::PartitionsAreForgotten => {
                let mut assignment = self.assignor.assign(group)?;
                if let Some(first) = assignment
                    .values_mut()
                    .find(|one| !one.partitions.is_empty())
                {
                    first.partitions.pop();
                }
                Ok(assignment)
            }
            Defect::OneMemberStopsAll => {
                if group
                    .members
                    .values()
                    .any(|member| member.topics.is_empty())
                {
                    return Err("a member wants nothing".into());
                }
                self.assignor.assign(group)
            }
            Defect::NothingSticks => {
                let mut forgetful = group.clone();
                for member in forgetful.members.values_mut() {
                    member.owned.clear();
                    member.user_data = None;
                }
                let fresh = self.assignor.assign(&forgetful)?;
                Ok(reversed(fresh))
            }
            _ => {
                let mut early = group.clone();
                for member in early.members.values_mut() {
                    member.owned.clear();
                }
                self.assignor.assign(&early)
            }
        }
    }
}

/// Everybody gets what the opposite member would have got.
fn reversed(assignment: Assignment) -> Assignment {
    let lists: Vec<MemberAssignment> = assignment.values().rev().cloned().collect();
    let members: Vec<Arc<str>> = assignment.into_keys().collect();
    members.into_iter().zip(lists).collect::<BTreeMap<_, _>>()
}
