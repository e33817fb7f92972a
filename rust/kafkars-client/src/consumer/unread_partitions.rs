//! Partitions with a position about which no broker can be asked: their topic has none of the number as far as is
//! known, or nobody leads them. Those without position are looked up, and that tells why it fails.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::config::TopicPartition;

use super::offsets::leader_of;
use super::shared::ConsumerShared;

/// How often metadata is asked for a partition that its topic does not have: it may have been added since.
const PAUSE: Duration = Duration::from_secs(1);
/// After how many of these pauses the application is told, and told again.
const TOLD_EVERY: u32 = 2;

const NO_LEADER: &str = "no broker leads the partition";

/// The topics that metadata knows without an assigned partition.
#[derive(Default)]
pub(super) struct UnreadPartitions {
    asked: HashMap<Arc<str>, LackingTopic>,
}

struct LackingTopic {
    times: u32,
    again_at: Instant,
}

impl UnreadPartitions {
    /// Asks for metadata of topics that lack a partition, and notes what cannot be read. Returns when to look again.
    pub(super) fn look(
        &mut self,
        shared: &ConsumerShared,
        assigned: &[TopicPartition],
        now: Instant,
    ) -> Option<Instant> {
        let cluster = shared.client.cluster();
        let known = assigned.iter().filter_map(|at| {
            let topic = cluster.topic(&at.topic)?;
            topic.error.is_none().then_some((at, topic))
        });
        let mut leaderless = Vec::new();
        let mut lacking = Vec::new();
        for (at, topic) in known {
            match leader_of(topic, at) {
                Ok(Some(_)) => {}
                Ok(None) => leaderless.push(at),
                Err(error) => lacking.push((at, error)),
            }
        }
        let times = self.ask_all(shared, lacking.iter().map(|(at, _)| &at.topic), now);
        let noted = lacking.into_iter().filter_map(|(at, error)| {
            // The first time nobody has looked whether the partition was added.
            let times = times.get(&at.topic).filter(|times| **times > 1)?;
            Some((at, error, times % TOLD_EVERY == 1))
        });
        let lacking: Vec<_> = noted.collect();
        if !leaderless.is_empty() || !lacking.is_empty() {
            let is_by_hand = !shared.is_subscribed();
            shared.update(|buffer| {
                for at in leaderless {
                    buffer.unreachable(at, now, &NO_LEADER.into(), None);
                }
                for (at, error, is_due) in lacking {
                    let cause = error.to_string().into();
                    let told = (is_by_hand && is_due).then_some(error);
                    buffer.unreachable(at, now, &cause, told);
                }
            });
            shared.report_troubles();
        }
        self.asked.values().map(|asked| asked.again_at).min()
    }

    /// Asks for metadata of these topics and forgets all others. Returns how often that was done for each of those
    /// whose time it is.
    fn ask_all<'a>(
        &mut self,
        shared: &ConsumerShared,
        topics: impl Iterator<Item = &'a Arc<str>>,
        now: Instant,
    ) -> HashMap<&'a Arc<str>, u32> {
        let topics: HashSet<&Arc<str>> = topics.collect();
        self.asked.retain(|topic, _| topics.contains(topic));
        topics
            .into_iter()
            .filter_map(|topic| Some((topic, self.ask(shared, topic, now)?)))
            .collect()
    }

    /// Asks for metadata of a topic, if it is time. Returns how often that was done.
    fn ask(&mut self, shared: &ConsumerShared, topic: &Arc<str>, now: Instant) -> Option<u32> {
        let asked = self.asked.entry(Arc::clone(topic)).or_insert(LackingTopic {
            times: 0,
            again_at: now,
        });
        if asked.again_at > now {
            return None;
        }
        asked.again_at = now + PAUSE;
        asked.times = asked.times.saturating_add(1);
        shared.client.refresh_topics(&[topic]);
        Some(asked.times)
    }
}
