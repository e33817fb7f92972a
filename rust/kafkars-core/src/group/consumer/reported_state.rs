//! What the coordinator knows of a member, so that a heartbeat tells only what is new.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use kafkars_protocol::Uuid;
use kafkars_protocol::messages::consumer_group_heartbeat::{
    ConsumerGroupHeartbeatRequest, TopicPartitions,
};

use crate::group::member::Subscription;

/// The subscription and the owned partitions that the coordinator knows of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportedState {
    subscription: Option<Subscription>,
    /// `None`: to be told again.
    owned: Option<BTreeMap<Uuid, Vec<i32>>>,
}

impl ReportedState {
    pub(super) fn new(subscription: Option<Subscription>, owned: BTreeMap<Uuid, Vec<i32>>) -> Self {
        Self {
            subscription,
            owned: Some(owned),
        }
    }

    pub(super) fn subscription(&self) -> Option<&Subscription> {
        self.subscription.as_ref()
    }

    /// Makes the next heartbeat report the owned partitions even if they have not changed. Called when an assignment
    /// came in response to a heartbeat without them: the coordinator may wait for a partition that the member never
    /// knew it had, because a response was lost.
    pub(super) fn tell_owned_again(&mut self) {
        self.owned = None;
    }

    /// Puts into a heartbeat what differs from `known`, or everything if the coordinator knows nothing.
    pub(super) fn add_changes_since(
        &self,
        known: Option<&Self>,
        request: &mut ConsumerGroupHeartbeatRequest,
    ) {
        if known.is_none_or(|known| known.subscription != self.subscription) {
            let before = known.and_then(Self::subscription);
            subscribe(request, before, self.subscription());
        }
        if known.is_none_or(|known| known.owned != self.owned) {
            let owned = self.owned.iter().flatten();
            let owned = owned.map(|(id, partitions)| TopicPartitions {
                topic_id: *id,
                partitions: partitions.clone(),
            });
            request.topic_partitions = Some(owned.collect());
        }
    }
}

/// Sets the fields of a subscription. Names are taken back by an empty value when a pattern replaces them, and a
/// pattern likewise.
fn subscribe(
    request: &mut ConsumerGroupHeartbeatRequest,
    before: Option<&Subscription>,
    subscription: Option<&Subscription>,
) {
    let names =
        |topics: &BTreeSet<Arc<str>>| topics.iter().map(|topic| topic.to_string()).collect();
    match subscription {
        Some(Subscription::Topics(topics)) => {
            request.subscribed_topic_names = Some(names(topics));
            if matches!(before, Some(Subscription::Pattern(_))) {
                request.subscribed_topic_regex = Some(String::new());
            }
        }
        Some(Subscription::Pattern(pattern)) => {
            request.subscribed_topic_regex = Some(pattern.to_string());
            if matches!(before, Some(Subscription::Topics(_))) {
                request.subscribed_topic_names = Some(Vec::new());
            }
        }
        None => request.subscribed_topic_names = Some(Vec::new()),
    }
}
