//! The accumulator driven as senders and the network drive it, on a clock of the test's own.

use std::collections::VecDeque;
use std::time::Duration;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::init_producer_id::InitProducerIdResponse;
use kafkars_protocol::messages::produce::{
    PartitionProduceResponse, ProduceResponse, TopicProduceResponse,
};
use proptest::prelude::*;

mod causes;

use super::*;
use crate::backoff::Backoff;
use crate::cluster::PartitionMetadata;
use crate::cluster::TopicMetadata;
use crate::config::Acks;
use crate::produce::delivery::BatchOutcome;
use crate::produce::partition_buffer::BatchContent;
use crate::produce::sender::{InFlightBatch, Sender, View, Work};
use crate::transaction::NoAnswer;

struct Driver {
    accumulator: Arc<Accumulator>,
    config: ProducerConfig,
    sender: Sender,
    now: Instant,
    world: World,
}

/// Three nodes that lead partitions in turn.
struct World {
    connected: bool,
}

impl View for World {
    fn metadata_version(&self) -> u64 {
        1
    }

    fn leader(&self, _: &str, partition: i32) -> Option<i32> {
        Some(partition % 3)
    }

    fn topic_id(&self, _: &str) -> Uuid {
        Uuid::ZERO
    }

    fn is_connected(&self, _: i32) -> bool {
        self.connected
    }
}

fn topic(partitions: i32) -> TopicMetadata {
    let partition = |partition| PartitionMetadata {
        partition,
        error: None,
        leader: Some(partition % 3),
        leader_epoch: 0,
        replicas: Arc::default(),
        isr: Arc::default(),
        offline: Arc::default(),
    };
    TopicMetadata {
        name: "t".into(),
        id: Uuid::ZERO,
        error: None,
        partitions: (0..partitions).map(partition).collect(),
        is_internal: false,
    }
}

impl Driver {
    fn new(config: ProducerConfig, partitions: i32) -> Self {
        let accumulator = Arc::new(Accumulator::new(&config, 1));
        accumulator.update_topic(&topic(partitions));
        let now = Instant::now();
        let mut sender = Self::unidentified(&config, &accumulator);
        let identity = InitProducerIdResponse {
            producer_id: 1,
            ..InitProducerIdResponse::default()
        };
        sender.identified(now, None, Ok(&identity));
        Self {
            accumulator,
            config,
            sender,
            now,
            world: World { connected: true },
        }
    }

    fn unidentified(config: &ProducerConfig, accumulator: &Arc<Accumulator>) -> Sender {
        let backoff = Backoff::new(Duration::from_millis(5), Duration::from_millis(5));
        let checked = config.clone().check().expect("fits");
        Sender::new(checked, Arc::clone(accumulator), backoff, 1, None)
    }

    fn send(&self, partition: i32, value: &[u8]) -> Result<(Delivery, bool), AppendRefusal> {
        let record = ProduceRecord {
            topic: "t",
            partition: Some(partition),
            timestamp: None,
            key: None,
            value: Some(value),
            headers: &[],
        };
        self.accumulator.append(&record, || self.now, || 0)
    }

    fn poll(&mut self, flush_requested: bool) -> Work {
        self.sender.poll(self.now, &self.world, flush_requested)
    }

    /// The batches that are sent, each by itself so that each can have its own outcome.
    fn batches(&mut self, flush_requested: bool) -> Vec<InFlightBatch> {
        let requests = self.poll(flush_requested).requests;
        requests
            .into_iter()
            .flat_map(|request| request.batches)
            .collect()
    }

    fn acknowledge(&mut self, in_flight: InFlightBatch, base_offset: i64) {
        self.answer(in_flight, 0, base_offset);
    }

    fn answer(&mut self, in_flight: InFlightBatch, error_code: i16, base_offset: i64) {
        let node = in_flight.buffer.partition() % 3;
        let answer = PartitionProduceResponse {
            index: in_flight.buffer.partition(),
            error_code,
            base_offset,
            ..PartitionProduceResponse::default()
        };
        let response = ProduceResponse {
            responses: vec![TopicProduceResponse {
                name: in_flight.buffer.topic().as_ref().to_owned(),
                partition_responses: vec![answer],
                ..TopicProduceResponse::default()
            }],
            ..ProduceResponse::default()
        };
        let batches = vec![in_flight];
        (self.sender).answered(self.now, node, batches, &response, &self.world);
        self.report();
    }

    fn put_back(&mut self, in_flight: InFlightBatch) {
        let node = in_flight.buffer.partition() % 3;
        let lost = NoAnswer::Indefinite {
            cause: "cut".into(),
            timed_out: false,
        };
        (self.sender).attempt_failed(self.now, node, vec![in_flight], &lost);
        self.report();
    }

    /// Stores a first record, after which batches of the partition may follow one another without waiting.
    fn prove(&mut self, partition: i32) {
        self.send(partition, b"first").expect("room");
        let first = self.batches(true).remove(0);
        self.acknowledge(first, 0);
    }

    fn report(&mut self) {
        for finished in self.sender.take_finished() {
            finished.batch.delivery.complete(finished.outcome);
        }
    }
}

fn config() -> ProducerConfig {
    ProducerConfig {
        linger: Duration::from_millis(10),
        batch_size: 1_000,
        buffer_memory: 100_000,
        max_request_size: 5_000,
        ..ProducerConfig::default()
    }
}

#[test]
fn unknown_topics_ask_for_metadata_first() {
    let accumulator = Accumulator::new(&config(), 1);
    let record = ProduceRecord {
        topic: "new",
        partition: None,
        timestamp: None,
        key: None,
        value: None,
        headers: &[],
    };
    let refusal = accumulator.append(&record, Instant::now, || 0).err();
    assert_eq!(refusal, Some(AppendRefusal::NeedsMetadata("new".into())));
}

#[test]
fn open_batches_leave_after_linger_or_when_forced() {
    let mut driver = Driver::new(config(), 1);
    driver.prove(0);
    driver.send(0, b"v").expect("room");
    let work = driver.poll(false);
    assert!(work.requests.is_empty());
    assert_eq!(work.wake_at, Some(driver.now + Duration::from_millis(10)));
    driver.now += Duration::from_millis(10);
    assert_eq!(driver.batches(false).len(), 1);
    driver.send(0, b"w").expect("room");
    assert_eq!(driver.batches(true).len(), 1);
}

#[test]
fn full_batches_leave_at_once() {
    let mut driver = Driver::new(config(), 1);
    for _ in 0..12 {
        driver.send(0, &[7; 90]).expect("room");
    }
    let batches = driver.batches(false);
    assert_eq!(batches.len(), 1);
    assert!(batches[0].batch.content.len() <= 1_000);
}

#[test]
fn the_sender_is_woken_for_new_and_full_batches_only() {
    let driver = Driver::new(config(), 1);
    let woken: Vec<bool> = (0..20)
        .map(|_| driver.send(0, &[7; 90]).expect("room").1)
        .collect();
    assert!(woken[0]);
    assert_eq!(woken.iter().filter(|woken| **woken).count(), 3);
}

#[test]
fn memory_is_bounded_and_given_back() {
    let mut driver = Driver::new(
        ProducerConfig {
            buffer_memory: 5_000,
            ..config()
        },
        1,
    );
    let mut sent = 0;
    let refusal = loop {
        match driver.send(0, &[7; 500]) {
            Ok(_) => sent += 1,
            Err(refusal) => break refusal,
        }
    };
    assert!(matches!(refusal, AppendRefusal::NeedsRoom(_)));
    assert_eq!(sent, 9);
    for (index, in_flight) in driver.batches(true).into_iter().enumerate() {
        driver.acknowledge(in_flight, index as i64);
    }
    assert!(driver.send(0, &[7; 500]).is_ok());
}

#[test]
fn limits_of_a_single_record_are_told_at_once() {
    let driver = Driver::new(config(), 2);
    assert!(matches!(
        driver.send(0, &[0; 6_000]),
        Err(AppendRefusal::Failed(ProduceError::RecordTooLarge {
            limit: 5_000,
            ..
        }))
    ));
    for partition in [-1, 2] {
        let refusal = driver.send(partition, b"v").err();
        assert!(matches!(
            refusal,
            Some(AppendRefusal::Failed(ProduceError::InvalidPartition {
                count: 2,
                ..
            }))
        ));
    }
    assert_eq!(driver.accumulator.used(), 0);
}

#[test]
fn a_request_holds_one_batch_of_a_partition_and_not_too_many_bytes() {
    let mut driver = Driver::new(config(), 9);
    for partition in 0..9 {
        for _ in 0..25 {
            driver.send(partition, &[7; 90]).expect("room");
        }
    }
    for request in driver.poll(true).requests {
        let batches = request.batches;
        let mut partitions: Vec<i32> = batches
            .iter()
            .map(|batch| batch.buffer.partition())
            .collect();
        let bytes: usize = batches.iter().map(|batch| batch.batch.content.len()).sum();
        partitions.sort_unstable();
        partitions.dedup();
        assert_eq!(partitions.len(), batches.len());
        assert!(bytes <= 5_000, "{bytes} bytes");
    }
}

#[test]
fn a_node_without_room_gets_nothing() {
    let mut driver = Driver::new(config(), 1);
    driver.send(0, b"v").expect("room");
    driver.world.connected = false;
    assert!(driver.batches(true).is_empty());
}

#[test]
fn every_hurry_ends_lingering_not_only_the_first() {
    let mut driver = Driver::new(config(), 1);
    driver.prove(0);
    for offset in 1..4 {
        driver.send(0, b"v").expect("room");
        assert!(driver.poll(false).requests.is_empty(), "it lingers");
        let mut batches = driver.batches(true);
        assert_eq!(batches.len(), 1, "a flush_requested sends it");
        driver.acknowledge(batches.remove(0), offset);
    }
}

#[test]
fn batches_that_wait_too_long_expire_again_and_again() {
    let mut driver = Driver::new(config(), 1);
    driver.world.connected = false;
    for _ in 0..3 {
        let (delivery, _) = driver.send(0, b"v").expect("room");
        let ends_at = driver.now + driver.config.delivery_timeout;
        // Once before the end, for a warning in the log.
        let wakes: Vec<Instant> = std::iter::from_fn(|| {
            let wake_at = driver.poll(true).wake_at?;
            driver.now = wake_at;
            Some(wake_at)
        })
        .take(4)
        .collect();
        assert!(wakes.len() < 4 && wakes.last() == Some(&ends_at));
        let expired = driver.sender.take_finished();
        assert_eq!(expired.len(), 1);
        assert!(Arc::ptr_eq(&expired[0].batch.delivery, delivery.batch()));
        assert!(driver.poll(true).unconnected.is_empty());
    }
    assert_eq!(driver.accumulator.used(), 0);
}

/// Settings of a producer that sends each batch at most `retries` more times.
fn counted(retries: u32) -> ProducerConfig {
    ProducerConfig {
        retries,
        enable_idempotence: false,
        ..config()
    }
}

#[test]
fn a_batch_is_sent_again_as_often_as_retries_allows() {
    let refusal = ErrorCode::NotEnoughReplicas;
    for retries in [0, 2] {
        let mut driver = Driver::new(counted(retries), 1);
        let (delivery, _) = driver.send(0, b"v").expect("room");
        for _ in 0..=retries {
            assert!(delivery.result().is_none());
            let sent = driver.batches(true).remove(0);
            driver.answer(sent, refusal.code(), -1);
            driver.now += Duration::from_secs(1);
        }
        let error = delivery.result().expect("ended").expect_err("refused");
        let ProduceError::RetriesExhausted { code, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(*code, refusal);
        let text = error.to_string();
        assert!(text.contains(&format!("retries={retries} ")), "{text}");
        assert!(driver.batches(true).is_empty());
        assert_eq!(driver.accumulator.used(), 0);
    }
}

#[test]
fn a_refused_identity_is_asked_for_again_by_later_records() {
    let mut driver = Driver::new(config(), 1);
    driver.sender = Driver::unidentified(&driver.config, &driver.accumulator);
    let refusal = InitProducerIdResponse {
        error_code: ErrorCode::ClusterAuthorizationFailed.code(),
        ..InitProducerIdResponse::default()
    };
    for _ in 0..2 {
        driver.send(0, b"v").expect("room");
        assert!(driver.poll(true).needs_identity);
        driver.sender.identified(driver.now, None, Ok(&refusal));
        driver.poll(true);
        assert_eq!(driver.sender.take_finished().len(), 1);
        // A record fails at once while the refusal is recent.
        driver.send(0, b"v").expect("room");
        assert!(!driver.poll(true).needs_identity);
        assert_eq!(driver.sender.take_finished().len(), 1);
        driver.now += Duration::from_secs(1);
    }
    driver.send(0, b"v").expect("room");
    assert!(driver.poll(true).needs_identity);
    let identity = InitProducerIdResponse {
        producer_id: 1,
        ..InitProducerIdResponse::default()
    };
    driver.sender.identified(driver.now, None, Ok(&identity));
    assert_eq!(driver.batches(true).len(), 1);
}

#[test]
fn keys_go_to_the_partitions_that_a_topic_made_again_has() {
    let accumulator = Accumulator::new(&config(), 1);
    let made = |partitions, id| TopicMetadata {
        id: Uuid([id; 16]),
        ..topic(partitions)
    };
    let partitions = |accumulator: &Accumulator| {
        let mut seen: Vec<i32> = (0..100u8)
            .map(|key| {
                let record = ProduceRecord {
                    topic: "t",
                    partition: None,
                    timestamp: None,
                    key: Some(&[key]),
                    value: None,
                    headers: &[],
                };
                let taken = accumulator.append(&record, Instant::now, || 0);
                taken.expect("room").0.batch().partition()
            })
            .collect();
        seen.sort_unstable();
        seen.dedup();
        seen
    };
    for (count, id) in [(4, 1), (2, 2), (3, 3), (1, 4)] {
        accumulator.update_topic(&made(count, id));
        assert_eq!(partitions(&accumulator), (0..count).collect::<Vec<_>>());
    }
    // Records accepted before are still there, also for partitions that are gone.
    let held: u32 = accumulator.take_all().iter().map(|batch| batch.count).sum();
    assert_eq!(held, 400);
}

const LONGER_THAN_A_STAY: Duration = Duration::from_millis(11);

#[test]
fn few_records_without_key_are_spread_by_time_and_many_by_bytes() {
    let mut driver = Driver::new(
        ProducerConfig {
            batch_size: 1 << 20,
            buffer_memory: 10 << 20,
            ..config()
        },
        8,
    );
    let send = |driver: &Driver, size: usize| {
        let value = vec![0; size];
        let record = ProduceRecord {
            topic: "t",
            partition: None,
            timestamp: None,
            key: None,
            value: Some(&value),
            headers: &[],
        };
        let taken = driver.accumulator.append(&record, || driver.now, || 0);
        taken.expect("room").0.batch().partition()
    };
    // Each record is sent before the next one comes, and some time is between them.
    let mut few: Vec<i32> = (0..40)
        .map(|offset| {
            let partition = send(&driver, 10);
            let in_flight = driver.batches(true).remove(0);
            driver.acknowledge(in_flight, offset);
            driver.now += LONGER_THAN_A_STAY;
            partition
        })
        .collect();
    few.sort_unstable();
    few.dedup();
    assert!(few.len() > 5, "only {few:?}");
    // Without time between them the records stay on one partition, although each was sent.
    let quick: Vec<i32> = (40..60)
        .map(|offset| {
            let partition = send(&driver, 10);
            let in_flight = driver.batches(true).remove(0);
            driver.acknowledge(in_flight, offset);
            partition
        })
        .collect();
    assert!(
        quick.chunk_by(|one, next| one == next).count() <= 2,
        "{quick:?}"
    );
    // None is sent: 64 records of a little more than a KiB are the most that one partition gets in a row.
    let many: Vec<i32> = (0..640).map(|_| send(&driver, 1 << 10)).collect();
    let stays = many.chunk_by(|one, next| one == next);
    let longest = stays.map(<[i32]>::len).max();
    assert!(longest >= Some(60), "{longest:?}");
    assert!(many.iter().any(|partition| *partition != many[0]));
}

#[test]
fn what_is_put_back_leaves_again_in_order_and_after_what_is_under_way() {
    let mut driver = Driver::new(config(), 1);
    driver.prove(0);
    for _ in 0..25 {
        driver.send(0, &[7; 90]).expect("room");
    }
    let mut flying: VecDeque<InFlightBatch> = driver.batches(true).into();
    assert_eq!(flying.len(), 3);
    let first = flying.pop_front().expect("three");
    let ordinal = first.batch.ordinal;
    driver.put_back(first);
    driver.now += Duration::from_millis(10);
    assert!(
        driver.batches(true).is_empty(),
        "later batches are still under way"
    );
    let second = flying.pop_front().expect("two");
    driver.put_back(second);
    driver.now += Duration::from_millis(10);
    let third = flying.pop_front().expect("one");
    driver.acknowledge(third, 20);
    // Batches that a broker may have are sent again one by one, under their old numbers.
    let mut again = driver.batches(true);
    assert_eq!(again.len(), 1);
    let first = again.remove(0);
    assert_eq!(first.batch.ordinal, ordinal);
    assert_eq!(first.batch.sequence.map(|sequence| sequence.base), Some(1));
    driver.acknowledge(first, 1);
    let again = driver.batches(true);
    assert_eq!(again.len(), 1);
    assert_eq!(again[0].batch.ordinal, ordinal + (1 << 32));
}

#[test]
fn the_first_batch_of_a_partition_goes_alone() {
    let mut driver = Driver::new(config(), 1);
    for _ in 0..25 {
        driver.send(0, &[7; 90]).expect("room");
    }
    let mut first = driver.batches(true);
    assert_eq!(
        first.len(),
        1,
        "a broker that knows nothing takes any number"
    );
    driver.acknowledge(first.remove(0), 0);
    assert_eq!(driver.batches(true).len(), 2);
}

#[test]
fn a_split_batch_keeps_its_records_order_and_numbers() {
    let mut driver = Driver::new(config(), 1);
    driver.prove(0);
    let sent: Vec<Delivery> = (0..7u8)
        .map(|value| driver.send(0, &[value; 20]).expect("room").0)
        .collect();
    let whole = driver.batches(true).remove(0);
    driver.answer(whole, ErrorCode::MessageTooLarge.code(), -1);
    let mut next_offset = 100;
    let mut next_sequence = 1;
    for _ in 0..2 {
        let in_flight = driver.batches(true).remove(0);
        let BatchContent::Sealed(sealed) = &in_flight.batch.content else {
            panic!("just sealed");
        };
        assert_eq!(sealed.record_count, in_flight.batch.count);
        assert_eq!(
            in_flight.batch.sequence.map(|sequence| sequence.base),
            Some(next_sequence)
        );
        next_sequence += in_flight.batch.count as i32;
        let count = i64::from(in_flight.batch.count);
        driver.acknowledge(in_flight, next_offset);
        next_offset += count;
    }
    let offsets: Vec<i64> = sent
        .iter()
        .map(|delivery| delivery.result().expect("done").expect("stored").offset)
        .collect();
    assert_eq!(offsets, (100..107).collect::<Vec<_>>());
    assert_eq!(driver.accumulator.used(), 0);
    assert_eq!(driver.accumulator.unacknowledged(), 0);
}

proptest! {
    /// Whatever is sent, refused and retried: each record is acknowledged once, per partition in the order of sending,
    /// and all memory comes back.
    #[test]
    fn histories_lose_and_reorder_nothing(
        sends in prop::collection::vec((0..3i32, 1..400usize), 1..200),
        fates in prop::collection::vec(0..4u8, 600),
        max_in_flight in 1..5usize,
    ) {
        let mut driver = Driver::new(ProducerConfig { acks: Acks::All, max_in_flight, ..config() }, 3);
        let mut deliveries: Vec<Vec<Delivery>> = vec![Vec::new(); 3];
        let mut fates = fates.into_iter().cycle();
        let mut logs = [0i64; 3];
        // The broker takes a batch only with the number that follows.
        let mut expected = [0i32; 3];
        let mut sends = sends.into_iter();
        let mut flying: VecDeque<InFlightBatch> = VecDeque::new();
        loop {
            let batch: Vec<_> = sends.by_ref().take(20).collect();
            for (partition, size) in &batch {
                let (delivery, _) = driver.send(*partition, &vec![1; *size]).expect("room");
                deliveries[*partition as usize].push(delivery);
            }
            driver.now += Duration::from_millis(20);
            flying.extend(driver.batches(batch.is_empty()));
            while let Some(in_flight) = flying.pop_front() {
                let place = in_flight.buffer.partition() as usize;
                let number = in_flight.batch.sequence.expect("numbered").base;
                if number == expected[place] && fates.next() != Some(0) {
                    expected[place] += in_flight.batch.count as i32;
                    let base = logs[place];
                    logs[place] += i64::from(in_flight.batch.count);
                    driver.acknowledge(in_flight, base);
                } else {
                    driver.put_back(in_flight);
                }
            }
            if batch.is_empty() && driver.accumulator.unacknowledged() == 0 {
                break;
            }
        }
        for deliveries in &deliveries {
            for (index, delivery) in deliveries.iter().enumerate() {
                let offset = delivery.result().expect("done").expect("stored").offset;
                prop_assert_eq!(offset, index as i64);
            }
        }
        prop_assert_eq!(driver.accumulator.used(), 0);
    }
}
