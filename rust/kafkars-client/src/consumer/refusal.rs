//! Failures that keep a consumer from its records: the cluster is not reached, or does not let it in.

use std::collections::HashMap;

use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::error::FetchError;

use super::errors::unreachable;
use super::handle::Consumer;
use crate::error::ClientError;
use crate::net::ConnectionKind;

impl Consumer {
    /// Returns the error to raise from a read that found nothing: no later try can reach a cluster, a handshake fails,
    /// or the cluster has been silent for longer than `stuck_timeout_ms`. An outage is no failure of a read, whether or
    /// not a broker was ever reached: it ends by itself, and is logged.
    pub fn read_failure(&self) -> Option<FetchError> {
        match self.refusal_of_reads() {
            Some(failure) if failure.is_hopeless() || failure.security().is_some() => {
                Some(unreachable("first contact", &failure))
            }
            _ => self.stuck(),
        }
    }

    /// Returns why the cluster was never reached, or that it has been silent for longer than `stuck_timeout_ms`.
    pub fn trouble(&self) -> Option<FetchError> {
        match self.refusal_of_reads() {
            Some(failure) => Some(unreachable("first contact", &failure)),
            None => self.stuck(),
        }
    }

    /// Returns the handshake that fails between this consumer and its brokers, or why its membership has ended for
    /// good, for a poll that waits.
    pub fn refusal(&self) -> Option<FetchError> {
        if let Some(end) = self.end_of_membership() {
            return Some(FetchError::Group(end));
        }
        let refusal = self.refusal_of_reads()?.security();
        refusal.map(FetchError::Security)
    }

    /// Returns why the cluster was never reached, or the handshake that keeps this consumer from its records: with a
    /// leader of an assigned partition, with the coordinator of its group, or with every broker.
    fn refusal_of_reads(&self) -> Option<ClientError> {
        let client = &self.shared.client;
        let cluster = client.cluster();
        if cluster.version == 0 || !client.is_distrusted() {
            return client.bootstrap_failure();
        }
        let mut needs: HashMap<i32, ConnectionKind> = HashMap::new();
        {
            let inner = self.shared.inner.lock();
            for (_, cursor) in inner.buffer.cursors().filter(|(_, cursor)| !cursor.paused) {
                let TopicPartition { topic, partition } = &cursor.partition;
                let leader = cluster.leader(topic, *partition).map(|leader| leader.node);
                let follower = cursor.preferred_replica.map(|(follower, _)| follower);
                let Some(node) = follower.or(leader) else {
                    continue;
                };
                match cursor.position() {
                    Some(_) => _ = needs.entry(node).or_insert(ConnectionKind::Fetch),
                    None => _ = needs.insert(node, ConnectionKind::Data),
                }
            }
        }
        let coordinator = self
            .shared
            .group
            .as_ref()
            .and_then(|group| group.coordinator());
        if let Some(coordinator) = coordinator {
            needs
                .entry(coordinator)
                .or_insert(ConnectionKind::Coordinator);
        }
        client.refusal_of_reads(|node| needs.get(&node).copied())
    }
}
