//! Producers and consumers over real sockets, against the embedded broker with faults that the test orders.

mod blocking;
mod fetch;
mod group_end;
mod pending;
mod produce;

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_broker::{BrokerConfig, EmbeddedBroker, NewTopic};
use kafkars_client::config::{
    AutoOffsetReset, ClientConfig, ConsumerConfig, ProducerConfig, TopicPartition,
};
use kafkars_client::{Client, Consumer, Delivery, ProduceRecord, Producer, SendError};
use tokio::runtime::{Handle, Runtime};

/// Time limit of each step of a test.
const TEST_TIMEOUT: Duration = Duration::from_secs(20);

fn deadline() -> Instant {
    Instant::now() + TEST_TIMEOUT
}

/// An embedded broker, and a runtime for the clients that is shut down with the test.
struct Scene {
    broker: EmbeddedBroker,
    runtime: Runtime,
}

impl Scene {
    fn new() -> Self {
        Self::with(BrokerConfig::default())
    }

    fn with(config: BrokerConfig) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime starts");
        Self {
            broker: EmbeddedBroker::start(config).expect("a broker starts"),
            runtime,
        }
    }

    /// A broker with a topic `t`.
    fn with_topic(partitions: i32, nodes: u16) -> Self {
        Self::with(BrokerConfig {
            nodes,
            topics: vec![NewTopic::new("t", partitions)],
            ..BrokerConfig::default()
        })
    }

    fn run<T>(&self, test: impl Future<Output = T>) -> T {
        self.runtime.block_on(async {
            tokio::time::timeout(TEST_TIMEOUT, test)
                .await
                .expect("the test ends in time")
        })
    }

    fn client(&self) -> Client {
        self.client_with(ClientConfig::default())
    }

    fn client_with(&self, config: ClientConfig) -> Client {
        let servers = self.broker.bootstrap_servers();
        let config = ClientConfig {
            bootstrap_servers: servers.split(',').map(str::to_owned).collect(),
            retry_backoff: Duration::from_millis(5),
            reconnect_backoff: Duration::from_millis(5),
            ..config
        };
        client(config, self.runtime.handle())
    }

    fn producer(&self, config: ProducerConfig) -> Producer {
        Producer::new(self.client(), config.check().expect("settings fit"))
    }

    fn consumer(&self, config: ConsumerConfig) -> Consumer {
        let config = ConsumerConfig {
            auto_offset_reset: AutoOffsetReset::Earliest,
            ..config
        };
        Consumer::new(self.client(), config.check().expect("settings fit"))
    }
}

fn client(config: ClientConfig, handle: &Handle) -> Client {
    Client::new(config.check().expect("settings fit"), handle.clone())
}

fn at(partition: i32) -> TopicPartition {
    TopicPartition {
        topic: Arc::from("t"),
        partition,
    }
}

/// Sends a record to topic `t`, and waits if the producer is not ready for it.
async fn send(
    producer: &Producer,
    partition: Option<i32>,
    value: &[u8],
) -> Result<Delivery, kafkars_client::ProduceError> {
    let record = ProduceRecord {
        topic: "t",
        partition,
        timestamp: None,
        key: None,
        value: Some(value),
        headers: &[],
    };
    loop {
        match producer.try_send(&record) {
            Ok(delivery) => return Ok(delivery),
            Err(SendError::NotReady(wait)) => {
                let until = Instant::now() + producer.max_block();
                producer.ready(wait, until).await?;
            }
            Err(SendError::Failed(error)) => return Err(error),
        }
    }
}

/// The values of the next `count` records, in the order in which they come.
async fn values(consumer: &Consumer, count: usize) -> Vec<String> {
    let mut values = Vec::new();
    while values.len() < count {
        match consumer.try_next().expect("no read error") {
            Some(taken) => {
                let span = taken.view.value.expect("a value");
                let value = taken.batch.batch.slice(span);
                values.push(String::from_utf8_lossy(value).into_owned());
            }
            None => ready(consumer).await,
        }
    }
    values
}

async fn ready(consumer: &Consumer) {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    consumer.on_ready(Box::new(move || {
        let _ = sender.send(());
    }));
    receiver.await.expect("the consumer lives");
}
