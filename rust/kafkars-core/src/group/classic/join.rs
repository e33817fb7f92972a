//! JoinGroup: from the decision to join again to a new generation.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::join_group::{
    JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse,
};

use super::{ClassicMembership, JoinPhase};
use crate::group::action::GroupRequest;
use crate::group::assignor::MemberView;
use crate::group::common::Common;
use crate::group::embedded;
use crate::group::error::GroupError;

/// The protocol type of consumer groups, the same in all Kafka clients.
pub(super) const PROTOCOL_TYPE: &str = "consumer";

/// How much longer than the rebalance timeout a response is waited for: the coordinator answers when everybody has
/// joined or that timeout is over, and the way there and back takes time too.
const JOIN_GRACE: Duration = Duration::from_secs(5);

impl ClassicMembership {
    /// Revokes what must be given up before JoinGroup: everything, or topics that are not subscribed to any more if the
    /// member is cooperative.
    pub(super) fn prepare(&mut self, common: &mut Common) {
        let topics = common.topics();
        let is_cooperative = self.is_cooperative;
        if common.revoke_to_join(|owned| !is_cooperative || !topics.contains(&owned.topic)) {
            self.gave_up_in = Some((Arc::clone(&self.member.id), self.member.generation));
        }
        self.phase = JoinPhase::Preparing;
    }

    pub(super) fn try_join(&mut self, common: &mut Common, now: Instant) {
        if !common.may_join() {
            return;
        }
        let Some(node) = common.coordinator(now) else {
            return;
        };
        let Some(permit) = self.pace.permit(now) else {
            return;
        };
        let protocols = match self.protocols(common) {
            Ok(protocols) => protocols,
            Err(error) => return self.fail(common, now, error),
        };
        let (permit, for_sync) = permit.round();
        self.sync_permit = Some(for_sync);
        self.joined_topics = common.topics();
        self.claimed = common.ownership.owned().cloned().collect();
        let reason = self.rejoin.take();
        let request = JoinGroupRequest {
            group_id: common.group.to_string(),
            session_timeout_ms: milliseconds(common.config.session_timeout),
            rebalance_timeout_ms: milliseconds(common.config.rebalance_timeout()),
            member_id: self.member.id.to_string(),
            group_instance_id: common.instance.as_deref().map(str::to_owned),
            protocol_type: PROTOCOL_TYPE.to_owned(),
            protocols,
            reason: reason.map(|reason| reason.to_string()),
        };
        let timeout = common
            .config
            .request_timeout
            .max(common.config.rebalance_timeout() + JOIN_GRACE);
        let id = common.send(
            permit,
            node,
            GroupRequest::JoinGroup(request),
            timeout,
            true,
        );
        self.phase = JoinPhase::Joining(id, now);
    }

    fn protocols(&self, common: &Common) -> Result<Vec<JoinGroupRequestProtocol>, GroupError> {
        let owned: Vec<_> = common.ownership.owned().cloned().collect();
        let protocols = self.assignors.iter().map(|assignor| {
            let member = MemberView {
                instance: None,
                topics: common.topics(),
                user_data: assignor.user_data(&self.last),
                owned: owned.clone(),
                generation: self.last.generation,
                rack: common.config.client_rack.as_deref().map(Arc::from),
            };
            let metadata = embedded::encode_subscription(&member);
            Ok(JoinGroupRequestProtocol {
                name: assignor.name().to_owned(),
                metadata: metadata.map_err(|cause| GroupError::Failed {
                    group: Arc::clone(&common.group),
                    operation: "JoinGroup",
                    cause: cause.to_string().into(),
                })?,
            })
        });
        protocols.collect()
    }

    pub(super) fn join_answered(
        &mut self,
        common: &mut Common,
        now: Instant,
        sent_at: Instant,
        response: JoinGroupResponse,
    ) {
        let Err(code) = ErrorCode::check(response.error_code) else {
            return self.joined(common, now, sent_at, response);
        };
        match code {
            ErrorCode::MemberIdRequired => {
                // A response without an id does not take away the one that the member has: the coordinator may know it.
                if !response.member_id.is_empty() {
                    self.member.id = response.member_id.into();
                }
                self.phase = JoinPhase::Preparing;
                self.request_rejoin("the coordinator gave a member id");
                self.try_join(common, now);
            }
            ErrorCode::UnknownMemberId | ErrorCode::IllegalGeneration => {
                self.fenced(common, code);
                self.join_failed(now);
            }
            ErrorCode::NotCoordinator | ErrorCode::CoordinatorNotAvailable => {
                self.coordinator_moved(common, now, code);
                self.join_failed(now);
            }
            ErrorCode::InconsistentGroupProtocol => {
                let error = self.inconsistent(common);
                self.fail(common, now, error);
            }
            code if code.retriable() || code == ErrorCode::RebalanceInProgress => {
                common.last_cause = code.name().into();
                self.join_failed(now);
            }
            code => {
                let error = common.refusal("JoinGroup", code, None);
                self.fail(common, now, error);
            }
        }
    }

    /// Tries again after a pause.
    pub(super) fn join_failed(&mut self, now: Instant) {
        self.pace.failed(now);
        self.request_rejoin("the last try to join failed");
        self.phase = JoinPhase::Preparing;
    }

    fn joined(
        &mut self,
        common: &mut Common,
        now: Instant,
        sent_at: Instant,
        response: JoinGroupResponse,
    ) {
        // The coordinator has added the member, even if the checks below fail.
        if !response.member_id.is_empty() {
            self.member.id = response.member_id.as_str().into();
        }
        let known = |name: &str| {
            let mut names = self.assignors.iter().map(|assignor| assignor.name());
            names.any(|known| known == name)
        };
        let is_ours = response
            .protocol_type
            .as_deref()
            .is_none_or(|name| name == PROTOCOL_TYPE);
        let Some(strategy) = response.protocol_name.filter(|name| is_ours && known(name)) else {
            let error = self.inconsistent(common);
            return self.fail(common, now, error);
        };
        if response.member_id.is_empty() || response.generation_id < 0 {
            common.last_cause = "the coordinator took nobody in".into();
            return self.join_failed(now);
        }
        self.member.generation = response.generation_id;
        self.member.strategy = Some(strategy.into());
        self.session.start(common, now, sent_at);
        common.heard(now);
        self.watched = None;
        if *response.leader != *self.member.id {
            return self.send_sync(common, now, Vec::new());
        }
        self.elect(common, now, response.members, response.skip_assignment);
    }

    pub(super) fn inconsistent(&self, common: &Common) -> GroupError {
        GroupError::InconsistentProtocol {
            group: Arc::clone(&common.group),
            offered: self
                .assignors
                .iter()
                .map(|assignor| assignor.name().into())
                .collect(),
        }
    }

    /// Handles NOT_COORDINATOR and COORDINATOR_NOT_AVAILABLE: the coordinator has to be found again.
    pub(super) fn coordinator_moved(&mut self, common: &mut Common, now: Instant, code: ErrorCode) {
        common.last_cause = code.name().into();
        if let Some(node) = common.coordinator.node() {
            common.coordinator_lost(now, node);
        }
    }
}

/// A duration as an int32 of milliseconds, which every checked setting fits into.
pub(super) fn milliseconds(time: Duration) -> i32 {
    i32::try_from(time.as_millis()).unwrap_or(i32::MAX)
}
