//! Subscriptions by name and by pattern, and topics that do not exist yet.

use std::sync::Arc;
use std::time::Instant;

use kafkars_core::group::Subscription;
use kafkars_protocol::Uuid;

use super::{Done, GroupTask, LocalPattern};
use crate::consumer::group::command::SubscriptionRequest;
use crate::consumer::group::event::ConsumerEvent;
use crate::consumer::group::exchange;
use crate::{after, now};

impl GroupTask {
    pub(super) fn subscribe(&mut self, now: Instant, request: SubscriptionRequest) {
        self.pattern = None;
        self.awaited = None;
        self.untold_since = None;
        self.membership.begin_anew();
        self.group.status.lock().end = None;
        self.shared.forget_fatal();
        self.commits
            .end_outside_by(after(now, self.group.config.request_timeout));
        let subscription = match request {
            SubscriptionRequest::Topics(topics) => {
                let names: Vec<&str> = topics.iter().map(|topic| &**topic).collect();
                // First, so that asking for them creates them.
                self.awaited = Some(self.shared.client.await_topics(topics.iter().cloned()));
                self.shared.client.want_topics(&names);
                self.untold_since = Some(now);
                Subscription::Topics(topics)
            }
            SubscriptionRequest::Remote(pattern) => Subscription::Pattern(pattern),
            SubscriptionRequest::Local(pattern) => {
                self.pattern = Some(LocalPattern {
                    pattern,
                    list_at: now,
                    is_listing: false,
                });
                return;
            }
        };
        self.join(now, subscription);
    }

    pub(super) fn join(&mut self, now: Instant, subscription: Subscription) {
        if let Err(error) = self.membership.subscribe(now, subscription) {
            self.shared.push_event(ConsumerEvent::Failed(error));
        }
    }

    /// Logs once for each subscription which of its topics do not exist: an application that reads the others, or none,
    /// would not find out. Returns when to look.
    pub(super) fn tell_unknown_topics(&mut self) -> Option<Instant> {
        let awaited = self.awaited.as_ref()?;
        let client = &self.shared.client;
        let look_at = after(
            self.untold_since?,
            client.config().topic_metadata_propagation_max,
        );
        if look_at > now() {
            return Some(look_at);
        }
        let unknown = client.unknown_among(awaited.names());
        if client.cluster().version > 0 {
            self.untold_since = None;
        }
        if !unknown.is_empty() {
            tracing::warn!(
                target: "kafkars::group",
                client = %client.name(),
                group = %self.group.config.group_id,
                topics = %unknown.join(", "),
                "subscribed topics do not exist; they are read once they are made"
            );
        }
        None
    }

    /// Lists the names of all topics if a pattern is due to be matched.
    pub(super) fn list_topics(&mut self) {
        let Some(pattern) = &mut self.pattern else {
            return;
        };
        if pattern.is_listing || pattern.list_at > now() {
            return;
        }
        pattern.is_listing = true;
        let client = self.shared.client.clone();
        pattern.list_at = after(now(), client.config().metadata_max_age);
        self.tasks.spawn(async move {
            let deadline = after(now(), client.config().request_timeout);
            let topics = client.topics(deadline).await;
            Done::Topics(topics.ok())
        });
    }

    pub(super) fn listed(&mut self, topics: Option<Vec<String>>) {
        let retry_at = after(now(), self.shared.client.config().retry_backoff_max);
        let Some(local) = &mut self.pattern else {
            return;
        };
        local.is_listing = false;
        let Some(topics) = topics else {
            local.list_at = retry_at;
            return;
        };
        let matching = local
            .pattern
            .select(topics.iter().map(String::as_str))
            .collect();
        self.join(now(), Subscription::Topics(matching));
    }

    /// Looks topics up, unless the same look-up is under way: the membership asks again until it knows them.
    pub(super) fn resolve(&mut self, names: Vec<Arc<str>>, ids: Vec<Uuid>) {
        if let Some((asked, task)) = self.resolving.take() {
            if asked == ids && names.is_empty() && !task.is_finished() {
                self.resolving = Some((asked, task));
                return;
            }
            task.abort();
        }
        let (client, wanted) = (self.shared.client.clone(), ids.clone());
        let task = self.tasks.spawn(async move {
            exchange::resolve(&client, names, wanted).await;
            Done::Resolved
        });
        self.resolving = Some((ids, task));
    }
}
