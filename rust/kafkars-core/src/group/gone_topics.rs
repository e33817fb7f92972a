//! Subscribed topics that brokers do not know any more, as the leader of a group counts them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::cluster::Cluster;

/// How long brokers have to deny a topic until the group gives it up: one that has just started does not know every
/// topic yet, and is not worth two rebalances.
const DOUBTED: Duration = Duration::from_millis(2_500);

/// Since when brokers deny topics.
#[derive(Debug, Default)]
pub(super) struct GoneTopics(BTreeMap<Arc<str>, DeniedTopic>);

#[derive(Debug)]
struct DeniedTopic {
    gone_at: Instant,
    is_gone: bool,
}

impl GoneTopics {
    /// Takes over what metadata says of these topics, and of no others.
    pub(super) fn note<'a>(
        &mut self,
        cluster: &Cluster,
        topics: impl Iterator<Item = &'a Arc<str>>,
        now: Instant,
    ) {
        let mut before = std::mem::take(&mut self.0);
        let is_denied =
            |topic: &&Arc<str>| cluster.topic(topic).is_some_and(|topic| topic.is_denied());
        for topic in topics.filter(is_denied) {
            let denied = before.remove(topic).unwrap_or(DeniedTopic {
                gone_at: now + DOUBTED,
                is_gone: false,
            });
            self.0.insert(Arc::clone(topic), denied);
        }
        self.pass(now);
    }

    /// Counts topics as gone whose time is over. True if there are new ones.
    pub(super) fn pass(&mut self, now: Instant) -> bool {
        let due = |denied: &&mut DeniedTopic| !denied.is_gone && denied.gone_at <= now;
        let due: Vec<_> = self.0.values_mut().filter(due).collect();
        let has_new = !due.is_empty();
        due.into_iter().for_each(|denied| denied.is_gone = true);
        has_new
    }

    /// True if a topic counts as gone.
    pub(super) fn has(&self, topic: &str) -> bool {
        self.0.get(topic).is_some_and(|denied| denied.is_gone)
    }

    /// When the next one counts as gone.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        let doubted = self.0.values().filter(|denied| !denied.is_gone);
        doubted.map(|denied| denied.gone_at).min()
    }
}

#[cfg(test)]
mod tests {
    use kafkars_protocol::ErrorCode;
    use kafkars_protocol::messages::metadata::{MetadataResponse, MetadataResponseTopic};

    use super::*;
    use crate::cluster::Scope;

    fn told(before: &Cluster, code: ErrorCode) -> Cluster {
        let response = MetadataResponse {
            topics: vec![MetadataResponseTopic {
                name: Some("a".to_owned()),
                error_code: code.code(),
                ..MetadataResponseTopic::default()
            }],
            ..MetadataResponse::default()
        };
        before.merge(&response, 9, Scope::Named).expect("news")
    }

    #[test]
    fn a_topic_is_gone_when_brokers_have_denied_it_for_long_and_back_at_once() {
        let (mut gone, now) = (GoneTopics::default(), Instant::now());
        let topic: Arc<str> = "a".into();
        let there = told(&Cluster::default(), ErrorCode::None);
        let denied = told(&there, ErrorCode::UnknownTopicOrPartition);
        gone.note(&there, [&topic].into_iter(), now);
        assert_eq!(gone.wake_at(), None);
        gone.note(&denied, [&topic].into_iter(), now);
        assert_eq!(gone.wake_at(), Some(now + DOUBTED));
        assert!(!gone.pass(now + DOUBTED / 2) && !gone.has("a"));
        // Said again, it counts from the first time.
        gone.note(&denied, [&topic].into_iter(), now + DOUBTED / 2);
        assert!(gone.pass(now + DOUBTED) && gone.has("a"));
        assert!(!gone.pass(now + DOUBTED), "told once");
        assert_eq!(gone.wake_at(), None);
        gone.note(&there, [&topic].into_iter(), now + DOUBTED);
        assert!(!gone.has("a"));
        // What is not there for this client is another matter.
        let refused = told(&there, ErrorCode::TopicAuthorizationFailed);
        gone.note(&refused, [&topic].into_iter(), now);
        assert!(!gone.pass(now + DOUBTED * 2));
    }
}
