//! Measures what a record costs the producer's core by the number of topics: appended, sent, answered and reported,
//! without sockets.
//!
//! `cargo run --release -p kafkars-core --example many_topics`
//!
//! Batches hold as many records whatever the number of topics, as only that can be compared. Records come in three
//! orders: `idle` sends to one topic while the others are merely known; `runs` sends a batch's worth to one topic
//! before the next one has its turn; `rotation` goes to another topic with every record, which costs the processor's
//! caches what it must.

#![expect(
    clippy::print_stdout,
    reason = "the figures are what this program is for"
)]

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use kafkars_core::backoff::Backoff;
use kafkars_core::cluster::{PartitionMetadata, TopicMetadata};
use kafkars_core::config::ProducerConfig;
use kafkars_core::produce::accumulator::{Accumulator, ProduceRecord};
use kafkars_core::produce::sender::{Sender, View};
use kafkars_protocol::Uuid;
use kafkars_protocol::messages::init_producer_id::InitProducerIdResponse;
use kafkars_protocol::messages::produce::{
    PartitionProduceResponse, ProduceRequest, ProduceResponse, TopicProduceResponse,
};

const RECORDS: usize = 2_000_000;
/// How many records are in a batch.
const RUN: usize = 50;
/// Records between two looks of the sender.
const BETWEEN_POLLS: usize = 1_000;
const ROUNDS: usize = 3;

#[derive(Debug, Clone, Copy)]
enum Order {
    Idle,
    Runs,
    Rotation,
}

struct Everywhere;

impl View for Everywhere {
    fn metadata_version(&self) -> u64 {
        1
    }

    fn leader(&self, topic: &str, _: i32) -> Option<i32> {
        Some(i32::from(topic.as_bytes()[topic.len() - 1] % 3))
    }

    fn topic_id(&self, _: &str) -> Uuid {
        Uuid::ZERO
    }

    fn is_connected(&self, _: i32) -> bool {
        true
    }
}

fn main() {
    let counts = [1, 10, 100, 1_000, 10_000];
    println!("ns of processor time per record, the lowest of {ROUNDS} rounds, interleaved");
    println!(
        "{:>16}  {}",
        "topics",
        counts.map(|count| format!("{count:>8}")).join("")
    );
    for order in [Order::Idle, Order::Runs, Order::Rotation] {
        let mut lowest = counts.map(|_| [f64::INFINITY; 2]);
        for _ in 0..ROUNDS {
            for (count, lowest) in counts.iter().zip(&mut lowest) {
                for (lowest, cost) in lowest.iter_mut().zip(cost(*count, order)) {
                    *lowest = lowest.min(cost);
                }
            }
        }
        let order = format!("{order:?}").to_lowercase();
        for (part, name) in ["taken", "sent"].iter().enumerate() {
            let costs = lowest.map(|cost| format!("{:>8.0}", cost[part]));
            println!("{:>16}  {}", format!("{order}, {name}"), costs.join(""));
        }
    }
}

/// Nanoseconds per record: for taking it, and for everything else.
fn cost(topics: usize, order: Order) -> [f64; 2] {
    let names: Vec<String> = (0..topics)
        .map(|topic| format!("topic-{topic:05}"))
        .collect();
    let value = [b'v'; 100];
    let record = |topic| ProduceRecord {
        topic,
        partition: Some(0),
        timestamp: Some(1_700_000_000_000),
        key: Some(b"key"),
        value: Some(&value),
        headers: &[],
    };
    let size = kafkars_records::BatchBuilder::record_size_bound(Some(b"key"), Some(&value), &[]);
    let config = ProducerConfig {
        batch_size: RUN * size,
        buffer_memory: 1 << 30,
        // Longer than a round: batches leave when they are full.
        linger: Duration::from_secs(60),
        ..ProducerConfig::default()
    };
    let (accumulator, mut sender) = producer(&names, config);
    // Buffers learn from a partition's first batch how much memory the next one will need.
    for name in &names {
        for _ in 0..RUN {
            let now = Instant::now();
            accumulator
                .append(&record(name), || now, || 0)
                .expect("room");
        }
    }
    turn(&mut sender, true);
    let started = processor_time();
    let mut planned = Duration::ZERO;
    for number in 0..RECORDS {
        let topic = match order {
            Order::Idle => 0,
            Order::Runs => number / RUN % topics,
            Order::Rotation => number % topics,
        };
        accumulator
            .append(&record(&names[topic]), Instant::now, || 0)
            .expect("room");
        if number % BETWEEN_POLLS == 0 {
            let began = processor_time();
            turn(&mut sender, false);
            planned += processor_time() - began;
        }
    }
    let began = processor_time();
    while accumulator.unacknowledged() > 0 {
        turn(&mut sender, true);
    }
    planned += processor_time() - began;
    let all = processor_time() - started;
    [all - planned, planned].map(|spent| spent.as_nanos() as f64 / RECORDS as f64)
}

/// The processor time of this thread, if the system tells it, so that other programs do not count.
fn processor_time() -> Duration {
    let statistics = std::fs::read_to_string("/proc/thread-self/schedstat");
    let nanos = statistics
        .ok()
        .and_then(|text| text.split(' ').next()?.parse().ok());
    nanos.map_or_else(wall_time, Duration::from_nanos)
}

fn wall_time() -> Duration {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    BEGAN.elapsed()
}

fn producer(names: &[String], config: ProducerConfig) -> (Arc<Accumulator>, Sender) {
    let accumulator = Arc::new(Accumulator::new(&config, 1));
    for name in names {
        accumulator.update_topic(&TopicMetadata {
            name: name.clone(),
            id: Uuid::ZERO,
            error: None,
            partitions: vec![PartitionMetadata {
                partition: 0,
                error: None,
                leader: Some(0),
                leader_epoch: 0,
                replicas: Arc::default(),
                isr: Arc::default(),
                offline: Arc::default(),
            }],
            is_internal: false,
        });
    }
    let config = config.check().expect("settings fit");
    let backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(1));
    let mut sender = Sender::new(config, Arc::clone(&accumulator), backoff, 1, None);
    let identity = InitProducerIdResponse {
        producer_id: 1,
        ..InitProducerIdResponse::default()
    };
    sender.identified(Instant::now(), None, Ok(&identity));
    (accumulator, sender)
}

/// Polls the sender, and acknowledges its requests at once.
fn turn(sender: &mut Sender, hurry: bool) {
    loop {
        let work = sender.poll(Instant::now(), &Everywhere, hurry);
        if work.requests.is_empty() {
            return;
        }
        for call in work.requests {
            let response = stored(&call.request);
            let (node, batches) = (call.node, call.batches);
            sender.answered(Instant::now(), node, batches, &response, &Everywhere);
        }
        for finished in sender.take_finished() {
            finished.batch.delivery.complete(finished.outcome);
        }
    }
}

fn stored(request: &ProduceRequest) -> ProduceResponse {
    let topics = request.topic_data.iter().map(|topic| TopicProduceResponse {
        name: topic.name.clone(),
        partition_responses: vec![PartitionProduceResponse::default()],
        ..TopicProduceResponse::default()
    });
    ProduceResponse {
        responses: topics.collect(),
        ..ProduceResponse::default()
    }
}
