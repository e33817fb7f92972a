//! Subscribing to topics as a member of the group.

use std::collections::BTreeSet;
use std::sync::Arc;

use kafkars_core::config::GroupProtocol;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::group::{GroupError, GroupMemberIdentity, member_id};
use kafkars_protocol::ErrorCode;

use super::command::{Command, SubscriptionRequest};
use super::handle::{GroupHandle, SubscriptionView};
use super::pattern::Pattern;
use crate::consumer::errors::invalid;
use crate::consumer::handle::Consumer;
use crate::{now, topic_name};

impl Consumer {
    /// Subscribes to these topics, instead of what was subscribed before: records of others are not handed out any
    /// more.
    ///
    /// # Errors
    /// [`FetchError::Topic`] for a name that no topic can have, [`FetchError::Closed`] after a close;
    /// [`FetchError::State`] without a topic, without a group, or while partitions are assigned by hand.
    pub fn subscribe(&self, topics: Vec<Arc<str>>) -> Result<(), FetchError> {
        if topics.is_empty() {
            return Err(invalid(
                "subscribe() needs at least one topic; unsubscribe() ends a subscription",
            ));
        }
        self.subscribe_topics(topics, false)
    }

    /// Subscribes to topics that a pattern of the caller's own has found, as [`Consumer::subscribe`] does; there may be
    /// none. Asking for one does not create it again after somebody has deleted it.
    ///
    /// # Errors
    /// As for [`Consumer::subscribe`].
    pub fn subscribe_found(&self, topics: Vec<Arc<str>>) -> Result<(), FetchError> {
        self.subscribe_topics(topics, true)
    }

    fn subscribe_topics(&self, topics: Vec<Arc<str>>, were_found: bool) -> Result<(), FetchError> {
        for topic in &topics {
            if !topic_name::is_valid(topic) {
                return Err(FetchError::Topic {
                    topic: Arc::clone(topic),
                    code: ErrorCode::InvalidTopicException,
                });
            }
        }
        let topics: BTreeSet<_> = topics.into_iter().collect();
        let view = SubscriptionView::Topics(topics.clone());
        self.request_subscription(view, SubscriptionRequest::Topics(topics), were_found)
    }

    /// Subscribes to all topics whose whole name matches, also those that are created later.
    ///
    /// # Errors
    /// As for [`Consumer::subscribe`]; also if the pattern is not a regular expression.
    pub fn subscribe_pattern(&self, pattern: &str) -> Result<(), FetchError> {
        let compiled = Pattern::new(pattern)?;
        let group = self.group("subscribe()")?;
        let request = match group.config.group_protocol {
            GroupProtocol::Classic => SubscriptionRequest::Local(compiled),
            GroupProtocol::Consumer => SubscriptionRequest::Remote(pattern.into()),
        };
        self.request_subscription(SubscriptionView::Pattern(pattern.into()), request, true)
    }

    fn request_subscription(
        &self,
        view: SubscriptionView,
        request: SubscriptionRequest,
        were_found: bool,
    ) -> Result<(), FetchError> {
        self.check_open()?;
        let group = self.group("subscribe()")?;
        let woken = {
            let mut inner = self.shared.inner.lock();
            if inner.assigned_by_hand && !inner.buffer.assignment().is_empty() {
                return Err(invalid(
                    "partitions are assigned by hand with assign(); call unassign() before subscribe()",
                ));
            }
            inner.assigned_by_hand = false;
            // The group takes the others away only after a rebalance.
            inner.buffer.want_only(match &view {
                SubscriptionView::Topics(topics) => Some(topics.clone()),
                SubscriptionView::Pattern(_) => None,
            });
            inner.take_woken()
        };
        self.shared.announce(woken);
        self.client().topics_were_found(were_found);
        {
            let mut status = group.status.lock();
            status.subscription = Some(view);
            status.end = None;
            status.subscribed_at.get_or_insert_with(now);
        }
        // What the task raises until it has taken the request is forgotten there.
        self.shared.forget_fatal();
        self.shared.note_request();
        group.tell(Command::Subscribe(request));
        Ok(())
    }

    /// The subscription, if there is one.
    pub fn subscription(&self) -> Option<SubscriptionView> {
        let group = self.shared.group.as_ref()?;
        group.status.lock().subscription.clone()
    }

    /// Makes the group rebalance without any other reason (KIP-568).
    ///
    /// # Errors
    /// [`FetchError::State`] without a group or a subscription, or with KIP-848's protocol; [`FetchError::Closed`]
    /// after a close.
    pub fn enforce_rebalance(&self, reason: String) -> Result<(), FetchError> {
        self.check_open()?;
        let group = self.group("enforce_rebalance()")?;
        if !group.is_subscribed() {
            return Err(invalid(
                "enforce_rebalance() needs a subscription; call subscribe() first",
            ));
        }
        if group.config.group_protocol == GroupProtocol::Consumer {
            return Err(invalid(
                "enforce_rebalance() is for group_protocol=\"classic\"; with \"consumer\" the coordinator decides (KIP-848)",
            ));
        }
        group.tell(Command::EnforceRebalance(reason));
        Ok(())
    }

    /// The group id, and this member's identity in the group now.
    ///
    /// # Errors
    /// [`FetchError::State`] without a group.
    pub fn group_identity(&self) -> Result<(Arc<str>, Option<GroupMemberIdentity>), FetchError> {
        let group = self.group("group_metadata()")?;
        let identity = group.status.lock().identity.clone();
        Ok((group.config.group_id.as_str().into(), identity))
    }

    /// The id with which this consumer joins its group, for as long as the coordinator gives it no other; `None` where
    /// the coordinator makes it.
    pub fn own_member_id(&self) -> Option<Arc<str>> {
        let group = self.shared.group.as_ref()?;
        let is_own = group.config.group_protocol == GroupProtocol::Consumer;
        is_own.then(|| member_id(group.seed))
    }

    /// True if there is a subscription.
    pub fn is_subscribed(&self) -> bool {
        self.shared.is_subscribed()
    }

    /// Why the membership has ended for good, once the event that says so was taken. Until the application subscribes
    /// again nothing will come of waiting.
    pub fn end_of_membership(&self) -> Option<GroupError> {
        let group = self.shared.group.as_ref()?;
        let end = group.status.lock().end.clone();
        end.filter(|_| !self.has_event())
    }

    pub(super) fn group(&self, call: &str) -> Result<&Arc<GroupHandle>, FetchError> {
        self.shared.group.as_ref().ok_or_else(|| {
            invalid(format!(
                "{call} needs a group; name it with group_id when making the consumer"
            ))
        })
    }
}
