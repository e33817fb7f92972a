//! The requests of a commit queue, and their answers.

use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::offset_commit::OffsetCommitResponse;

use super::outcome::CommitId;
use super::refused::{error_action_for, failed_with, refused_with};
use super::{Commit, CommitQueue, InFlightCommit};
use crate::cluster::Cluster;
use crate::group::action::{RequestFailure, RequestId};
use crate::group::commit::error::CommitError;
use crate::group::commit::error_action::CommitErrorAction;
use crate::group::commit::request::{CommitCall, OffsetsToSend, answers, build};
use crate::group::commit::unknown_topic::UnknownTopic;
use crate::group::membership::Membership;

impl CommitQueue {
    /// The request to send now, if there is one and it may leave.
    pub fn next_request(
        &mut self,
        now: Instant,
        membership: &mut Membership,
        cluster: &Cluster,
    ) -> Option<CommitCall> {
        self.end_late(now);
        self.end_unknown(membership, cluster);
        self.give_up_lost(now, membership);
        self.end_refused(membership);
        self.tell(now, membership);
        let is_paused = self.retry_at.is_some_and(|at| at > now);
        let may_go_on = self.is_held && membership.takes_commits();
        if self.in_flight.is_some() || is_paused && !may_go_on {
            return None;
        }
        self.is_held = false;
        self.end_stale(membership);
        self.tell(now, membership);
        // Commits made before the subscription are sent first, and the member joins after them.
        let outside = self.newest_outside.filter(|_| membership.takes_part());
        let newest = outside.or(self.newest())?;
        let offsets = self.newest_offsets(newest, cluster);
        let identity = membership.identity().filter(|_| outside.is_none());
        if identity.is_none() && membership.stays() && outside.is_none() {
            self.hold(now); // the member is joining, and will have an identity then
            return None;
        }
        let Some(node) = membership.coordinator(now) else {
            self.note_cause("the coordinator is being searched for", None);
            self.hold(now);
            return None;
        };
        let instance = identity
            .as_ref()
            .and_then(|identity| identity.instance.clone());
        let (request, max_version) = build(
            membership.group(),
            identity.as_ref(),
            instance.as_deref(),
            &offsets,
        );
        if self.failures == 0 {
            self.note_cause("the coordinator has not answered yet", None);
        }
        self.keep_all();
        self.next += 1;
        let id = RequestId(self.next);
        self.in_flight = Some(InFlightCommit {
            id,
            node,
            identity,
            request: request.clone(),
            newest,
        });
        Some(CommitCall {
            id,
            node,
            request,
            max_version,
            timeout: self.request_timeout,
        })
    }

    /// Gives up the request under way if its broker is not taken for the coordinator any more, because heartbeats found
    /// it silent or moved. The commits are sent again to the next coordinator; if that is the same broker, it handles
    /// both requests in the order in which they were sent.
    pub(super) fn give_up_lost(&mut self, now: Instant, membership: &Membership) {
        let is_lost = |in_flight: &mut InFlightCommit| !membership.is_coordinator(in_flight.node);
        if self.in_flight.take_if(is_lost).is_some() {
            self.note_cause(
                "the coordinator is silent, or not the coordinator any more",
                None,
            );
            self.failures = self.failures.saturating_add(1);
            self.pause(now);
        }
    }

    /// Takes the response to a request.
    pub fn answered(
        &mut self,
        now: Instant,
        membership: &mut Membership,
        id: RequestId,
        response: &OffsetCommitResponse,
    ) {
        let Some(in_flight) = self.in_flight.take_if(|in_flight| in_flight.id == id) else {
            return;
        };
        let answers = answers(&in_flight.request, response);
        let mut worst = CommitErrorAction::Done;
        let group = Arc::clone(membership.group());
        let judge = |code: ErrorCode| error_action_for(in_flight.identity.as_ref(), code);
        let sent = self.waiting.iter_mut();
        for commit in sent.take_while(|commit| commit.id <= in_flight.newest) {
            let Commit { open, error, .. } = commit;
            open.retain(|partition, open| {
                // A partition that the response leaves out is sent again.
                let place = (partition.clone(), open.offset.topic_id);
                let code = answers.get(&place).copied();
                match code.filter(|code| code.unknown_topic()) {
                    Some(code) => {
                        open.unknown = Some(UnknownTopic::again(open.unknown, code));
                        self.has_unknown = true;
                        self.doubted.insert(Arc::clone(&partition.topic));
                    }
                    None => open.unknown = None,
                }
                let error_action = code.map_or(CommitErrorAction::Retry, judge);
                worst = worst.max_with(error_action);
                if code == Some(ErrorCode::OffsetMetadataTooLarge)
                    && open.fall_back(partition, &in_flight.request)
                {
                    return true;
                }
                if error_action == CommitErrorAction::Refused {
                    let code = code.unwrap_or(ErrorCode::UnknownServerError);
                    let identity = in_flight.identity.as_ref();
                    let refused = refused_with(&group, identity, code, partition);
                    CommitError::note(error, refused);
                }
                !matches!(
                    error_action,
                    CommitErrorAction::Done | CommitErrorAction::Refused
                )
            });
        }
        if let Some(code) = answers.values().find(|code| **code != ErrorCode::None) {
            self.note_cause(code.name(), Some(*code));
        }
        if worst == CommitErrorAction::Done {
            membership.coordinator_served();
        }
        if worst == CommitErrorAction::FindCoordinator {
            membership.coordinator_lost(now, in_flight.node);
        }
        if let Some(identity) = &in_flight.identity {
            let refused = answers.values().find(|code| {
                matches!(
                    judge(**code),
                    CommitErrorAction::Stale | CommitErrorAction::Rebalancing
                )
            });
            if let Some(code) = refused {
                membership.identity_refused(now, identity, *code);
            }
        }
        match worst {
            CommitErrorAction::Done | CommitErrorAction::Refused => self.failures = 0,
            CommitErrorAction::Retry
            | CommitErrorAction::FindCoordinator
            | CommitErrorAction::Rebalancing
            | CommitErrorAction::Stale => {
                self.failures = self.failures.saturating_add(1);
                self.pause(now);
            }
        }
        self.finish(|commit| commit.open.is_empty());
        self.tell(now, membership);
    }

    /// Takes the failure of a request that has no usable response.
    pub fn failed(
        &mut self,
        now: Instant,
        membership: &mut Membership,
        id: RequestId,
        failure: RequestFailure,
    ) {
        let Some(in_flight) = self.in_flight.take_if(|in_flight| in_flight.id == id) else {
            return;
        };
        if let RequestFailure::Retriable(cause) = failure {
            self.note_cause(cause, None);
            membership.coordinator_lost(now, in_flight.node);
            self.failures = self.failures.saturating_add(1);
            return self.pause(now);
        }
        let error = failed_with(membership.group(), failure);
        self.end_all(&error, |commit| commit.id <= in_flight.newest);
        self.tell(now, membership);
    }

    /// The newest offset of each partition in the commits up to `newest`. An offset without a topic id gets the one
    /// known now, and keeps it.
    pub(super) fn newest_offsets(&mut self, newest: CommitId, cluster: &Cluster) -> OffsetsToSend {
        let mut offsets = OffsetsToSend::new();
        let leaving = self.waiting.iter_mut();
        for commit in leaving.take_while(|commit| commit.id <= newest) {
            for (partition, open) in &mut commit.open {
                if open.offset.topic_id.is_zero()
                    && let Some(topic) = cluster.topic(&partition.topic)
                {
                    open.offset.topic_id = topic.id;
                }
                let place = (partition.clone(), open.offset.topic_id);
                offsets.insert(place, open.offset.clone());
            }
        }
        offsets
    }

    /// Waits for the membership. It may be asked again and again meanwhile, with many commits that wait.
    fn hold(&mut self, now: Instant) {
        self.pause(now);
        self.is_held = true;
    }

    pub(super) fn pause(&mut self, now: Instant) {
        let random = self.random.next();
        self.retry_at = Some(now + self.backoff.delay(self.failures.max(1), random));
    }
}
