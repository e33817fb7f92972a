//! Tests: a partition that is held back for a moment is always looked at again.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_broker::{BrokerConfig, EmbeddedBroker, NewTopic};
use kafkars_core::cluster::Cluster;
use kafkars_core::config::{AutoOffsetReset, ClientConfig, ConsumerConfig, TopicPartition};
use kafkars_core::fetch::buffer::FetchBuffer;
use kafkars_core::fetch::position::FetchPosition;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use super::broker_fetcher::BrokerFetcher;
use super::manager::Manager;
use super::shared::ConsumerShared;
use super::truncation;
use crate::client::Client;
use crate::now;

const TEST_TIMEOUT: Duration = Duration::from_secs(20);
const NODE: i32 = 1;

/// A consumer without tasks of its own, which reads a topic with one partition.
struct Scene {
    shared: Arc<ConsumerShared>,
    cluster: Arc<Cluster>,
}

impl Scene {
    async fn start(broker: &EmbeddedBroker) -> Self {
        let config = ClientConfig {
            bootstrap_servers: vec![broker.bootstrap_servers()],
            ..ClientConfig::default()
        };
        let config = config.check().expect("settings fit");
        let client = Client::new(config, Handle::current());
        let topic = client.topic("t", now() + TEST_TIMEOUT).await;
        let topic = topic.expect("the broker has it");
        let cluster = client.cluster();
        let leader = cluster.leader("t", 0).expect("the broker leads it");
        let mut buffer = FetchBuffer::new(AutoOffsetReset::Latest, 1 << 20);
        let read_under = FetchPosition {
            offset: 0,
            leader_epoch: leader.epoch,
        };
        let partition = TopicPartition {
            topic: "t".into(),
            partition: 0,
        };
        buffer.assign(vec![(partition, Some(read_under))]);
        buffer.note_topics(|_| Some(topic.id));
        let config = ConsumerConfig::default().check().expect("settings fit");
        let shared = Arc::new(ConsumerShared::new(client, config, buffer, None));
        Self { shared, cluster }
    }

    fn elect(&self) {
        let leader = self.cluster.leader("t", 0).expect("the broker leads it");
        let client = &self.shared.client;
        client.apply_leader_hint("t", 0, leader.node, leader.epoch + 1, []);
    }

    fn refuse(&self, now: Instant) {
        let mut inner = self.shared.inner.lock();
        let cursor = inner.buffer.cursors().next();
        let (id, epoch) = cursor.map(|(id, of)| (id, of.epoch)).expect("assigned");
        let (operation, cause) = ("epoch check", "not now");
        inner.buffer.refused(id, epoch, now, operation, cause);
    }
}

fn run<T: Future<Output = ()>>(test: impl FnOnce(Scene) -> T) {
    let broker = EmbeddedBroker::start(BrokerConfig {
        topics: vec![NewTopic::new("t", 1)],
        ..BrokerConfig::default()
    });
    let broker = broker.expect("a broker starts");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime starts");
    runtime.block_on(async { test(Scene::start(&broker).await).await });
}

#[test]
fn a_pause_that_ends_while_the_manager_looks_is_no_reason_to_sleep() {
    run(async |scene| {
        let began = now().checked_sub(Duration::from_secs(60)).expect("late");
        scene.elect();
        scene.refuse(began);
        // The clock has gone far past the end of the pause, which began at this moment.
        let mut manager = Manager::new(scene.shared);
        let wake_at = manager.look(began).expect("it looks again");
        assert!(began < wake_at && wake_at < now(), "{wake_at:?}");
    });
}

#[test]
fn a_partition_given_back_after_an_election_is_checked() {
    run(async |scene| {
        let node = scene
            .cluster
            .leader("t", 0)
            .map_or(NODE, |leader| leader.node);
        let fetcher = BrokerFetcher::new(Arc::clone(&scene.shared), node);
        let (targets, _) = fetcher.take_targets(&scene.cluster, now());
        assert_eq!(targets.len(), 1);
        scene.elect();
        // The manager looks while the fetcher holds the partition, which it does not ask for after all.
        let mut tasks = JoinSet::new();
        truncation::look(&scene.shared, &mut tasks, now());
        assert!(tasks.is_empty());
        let mut changed = scene.shared.changed.subscribe();
        fetcher.give_back(&targets);
        assert!(changed.has_changed().expect("the consumer lives"));
        changed.mark_unchanged();
        truncation::look(&scene.shared, &mut tasks, now());
        assert_eq!(tasks.len(), 1);
    });
}

#[test]
fn a_fetcher_that_meets_an_unchecked_partition_wakes_the_manager() {
    run(async |scene| {
        let node = scene
            .cluster
            .leader("t", 0)
            .map_or(NODE, |leader| leader.node);
        let mut fetcher = BrokerFetcher::new(Arc::clone(&scene.shared), node);
        scene.elect();
        assert_eq!(fetcher.dispatch(), None);
        let mut wanted = pin!(scene.shared.manager_wanted.notified());
        assert!(wanted.as_mut().enable());
    });
}
