//! ConsumerGroupHeartbeat requests: everything when joining and after a failure, otherwise only changes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::Uuid;
use kafkars_protocol::messages::consumer_group_heartbeat::ConsumerGroupHeartbeatRequest;

use super::reported_state::ReportedState;
use super::{Beat, ConsumerMembership, JOINING, MemberPhase};
use crate::group::action::GroupRequest;
use crate::group::common::Common;
use crate::group::error::GroupError;

impl ConsumerMembership {
    /// Sends a heartbeat when one is due; a change to report makes it due at once.
    pub(super) fn try_heartbeat(&mut self, common: &mut Common, now: Instant) {
        if self.in_flight.is_some() || self.next_at.is_none_or(|at| at > now) {
            return;
        }
        if self.epoch == JOINING
            && (!matches!(self.phase, MemberPhase::Active) || !common.may_join())
        {
            return;
        }
        let Some(node) = common.coordinator(now) else {
            return;
        };
        let Some(permit) = self.pace.permit(now) else {
            return;
        };
        let told = self.to_tell(common);
        let request = self.request(common, &told);
        let tells_owned = request.topic_partitions.is_some();
        let timeout = common
            .config
            .request_timeout
            .min(common.config.session_timeout);
        let request = GroupRequest::ConsumerGroupHeartbeat(request);
        let id = common.send(permit, node, request, timeout, false);
        self.in_flight = Some(Beat {
            id,
            sent_at: now,
            told,
            tells_owned,
        });
        // The response sets the interval that the coordinator wants.
        self.next_at = Some(now + common.config.heartbeat_interval);
    }

    /// The state that the coordinator should know. Partitions being revoked count as owned.
    pub(super) fn to_tell(&self, common: &Common) -> ReportedState {
        let subscription = match self.phase {
            // The application has unsubscribed already; the coordinator learns of it by the last heartbeat.
            MemberPhase::Leaving(_) => self
                .told
                .as_ref()
                .and_then(|told| told.subscription().cloned()),
            _ => common.subscription.clone(),
        };
        let ids: BTreeMap<&Arc<str>, Uuid> =
            self.names.iter().map(|(id, name)| (name, *id)).collect();
        let mut owned: BTreeMap<Uuid, Vec<i32>> = BTreeMap::new();
        for partition in common.ownership.owned() {
            if let Some(id) = ids.get(&partition.topic) {
                owned.entry(*id).or_default().push(partition.partition);
            }
        }
        ReportedState::new(subscription, owned)
    }

    /// True if there is a change that the coordinator does not know of, so that a heartbeat should be sent early.
    pub(super) fn has_changes(&self, common: &Common) -> bool {
        self.told.as_ref() != Some(&self.to_tell(common))
    }

    fn request(&self, common: &Common, told: &ReportedState) -> ConsumerGroupHeartbeatRequest {
        let mut request = ConsumerGroupHeartbeatRequest {
            group_id: common.group.to_string(),
            member_id: self.member_id.to_string(),
            member_epoch: self.epoch,
            instance_id: common.instance.as_deref().map(str::to_owned),
            ..ConsumerGroupHeartbeatRequest::default()
        };
        let known = self.told.as_ref();
        if known.is_none() {
            request.rack_id.clone_from(&common.config.client_rack);
            request.rebalance_timeout_ms =
                i32::try_from(common.config.rebalance_timeout().as_millis()).unwrap_or(i32::MAX);
            request
                .server_assignor
                .clone_from(&common.config.group_remote_assignor);
        }
        told.add_changes_since(known, &mut request);
        request
    }

    /// Until when the coordinator waits for partitions that are being given up.
    pub(super) fn rebalance_ends_at(&self, common: &Common) -> Option<Instant> {
        let since = self.calm_at.filter(|_| self.is_releasing)?;
        Some(since + common.config.rebalance_timeout())
    }

    /// Ends the session when the session timeout has passed without a response, or partitions were not given up within
    /// the rebalance timeout: others may own them by then.
    pub(super) fn end_session(&mut self, common: &mut Common, now: Instant) {
        let group = Arc::clone(&common.group);
        let has_passed = |at: &Instant| *at <= now;
        let rebalance_ends_at = self.rebalance_ends_at(common);
        let error = if let Some(ends_at) = self.session_ends_at.filter(has_passed) {
            let limit = common.config.session_timeout;
            GroupError::SessionExpired {
                group,
                limit,
                measured: limit + (now - ends_at),
                cause: Arc::clone(&common.last_cause),
            }
        } else if let Some(ends_at) = rebalance_ends_at.filter(has_passed) {
            let limit = common.config.rebalance_timeout();
            GroupError::RebalanceTimeout {
                group,
                limit,
                measured: limit + (now - ends_at),
            }
        } else {
            return;
        };
        self.forget_place();
        common.lose(error);
        self.next_at = Some(now);
    }
}
