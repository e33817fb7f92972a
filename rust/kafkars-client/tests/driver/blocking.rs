//! Sending from a thread that waits.

use std::cell::Cell;
use std::time::{Duration, Instant};

use kafkars_client::config::ProducerConfig;
use kafkars_client::{Blocking, NotSent, ProduceError, ProduceRecord, Producer, Records};
use tokio::runtime::Handle;

use crate::{Scene, TEST_TIMEOUT, deadline};

/// A thread that may wait so many times, and is interrupted then.
struct Waits {
    handle: Handle,
    left: Cell<usize>,
}

impl Waits {
    fn new(scene: &Scene, left: usize) -> Self {
        Self {
            handle: scene.runtime.handle().clone(),
            left: Cell::new(left),
        }
    }
}

impl Blocking for Waits {
    type Interruption = &'static str;

    fn wait<F>(&self, future: F) -> Result<F::Output, Self::Interruption>
    where
        F: Future + Send,
        F::Output: Send,
    {
        let left = self.left.get().checked_sub(1).ok_or("a signal")?;
        self.left.set(left);
        let output = self
            .handle
            .block_on(async { tokio::time::timeout(TEST_TIMEOUT, future).await });
        Ok(output.expect("the engine keeps its own deadline"))
    }
}

/// Records of topic `t`, of some bytes each.
struct Column(Vec<Vec<u8>>);

impl Column {
    fn of(records: usize, bytes: usize) -> Self {
        Self(vec![vec![b'v'; bytes]; records])
    }
}

fn record(value: &[u8]) -> ProduceRecord<'_> {
    ProduceRecord {
        topic: "t",
        partition: Some(0),
        timestamp: None,
        key: None,
        value: Some(value),
        headers: &[],
    }
}

impl Records for Column {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn show(&self, index: usize, look: &mut dyn FnMut(&ProduceRecord<'_>)) {
        look(&record(&self.0[index]));
    }
}

/// A producer whose memory holds two records of 30,000 bytes, and keeps them until it is told to send.
fn small(scene: &Scene) -> Producer {
    scene.producer(ProducerConfig {
        buffer_memory: 70_000,
        max_request_size: 40_000,
        batch_size: 32_000,
        linger: Duration::from_secs(60),
        ..ProducerConfig::default()
    })
}

#[test]
fn a_record_waits_for_its_topic_on_the_thread_of_the_call() {
    let scene = Scene::with_topic(1, 1);
    let producer = scene.producer(ProducerConfig::default());
    let permit = producer.permit().expect("open");
    let again = || producer.try_send_permitted(&record(b"v"), permit);
    let waits = Waits::new(&scene, 10);
    let sent = producer.send_blocking(&waits, again(), again, permit, deadline());
    let delivery = sent.expect("sent");
    assert!(waits.left.get() < 10, "the topic was not known before");
    assert_eq!(scene.run(producer.flush(Some(deadline()))), 0);
    let stored = delivery.result().expect("flushed").expect("stored");
    assert_eq!(stored.offset, 0);
}

#[test]
fn an_interrupted_wait_sends_nothing() {
    let scene = Scene::with_topic(1, 1);
    let producer = scene.producer(ProducerConfig::default());
    let permit = producer.permit().expect("open");
    let again = || producer.try_send_permitted(&record(b"v"), permit);
    let waits = Waits::new(&scene, 0);
    let sent = producer.send_blocking(&waits, again(), again, permit, deadline());
    assert!(matches!(sent, Err(NotSent::Interrupted("a signal"))));
    assert_eq!(producer.unacknowledged(), 0);
}

#[test]
fn many_records_wait_for_room_as_often_as_they_must() {
    let scene = Scene::with_topic(1, 1);
    let producer = small(&scene);
    let permit = producer.permit().expect("open");
    let records = Column::of(9, 30_000);
    let (waits, mut taken) = (Waits::new(&scene, 100), Vec::new());
    producer
        .send_many_blocking(&waits, "t", &records, permit, deadline(), &mut taken)
        .expect("all are sent in time");
    assert_eq!(taken.len(), 9);
    assert_eq!(scene.run(producer.flush(Some(deadline()))), 0);
    let offsets = taken.iter().map(|each| match each.result() {
        Some(Ok(stored)) => stored.offset,
        other => panic!("not stored: {other:?}"),
    });
    assert_eq!(offsets.collect::<Vec<_>>(), (0..9).collect::<Vec<_>>());
}

#[test]
fn a_record_that_is_refused_keeps_all_of_its_call_from_being_sent() {
    let scene = Scene::with_topic(1, 1);
    let producer = scene.producer(ProducerConfig {
        max_request_size: 20_000,
        ..ProducerConfig::default()
    });
    let permit = producer.permit().expect("open");
    let mut records = Column::of(3, 10);
    records.0[1] = vec![b'v'; 30_000];
    let (waits, mut taken) = (Waits::new(&scene, 100), Vec::new());
    let stopped = producer
        .send_many_blocking(&waits, "t", &records, permit, deadline(), &mut taken)
        .expect_err("one is too large");
    assert_eq!((stopped.index, taken.len()), (1, 0));
    assert!(matches!(
        stopped.cause,
        NotSent::Refused(ProduceError::RecordTooLarge { .. })
    ));
    assert_eq!(producer.unacknowledged(), 0);
}

#[test]
fn a_deadline_says_which_record_found_no_room_and_keeps_those_before() {
    let scene = Scene::with_topic(1, 1);
    let producer = small(&scene);
    scene
        .run(producer.partitions_for("t", deadline()))
        .expect("known");
    let permit = producer.permit().expect("open");
    let (waits, mut taken) = (Waits::new(&scene, 100), Vec::new());
    let past = Instant::now();
    let stopped = producer
        .send_many_blocking(
            &waits,
            "t",
            &Column::of(9, 30_000),
            permit,
            past,
            &mut taken,
        )
        .expect_err("there is no room for nine");
    assert!(matches!(
        stopped.cause,
        NotSent::Refused(ProduceError::BufferFull { .. })
    ));
    assert_eq!(stopped.index, taken.len());
    assert!((1..9).contains(&taken.len()));
    assert_eq!(scene.run(producer.flush(Some(deadline()))), 0);
    assert!(
        taken
            .iter()
            .all(|each| matches!(each.result(), Some(Ok(_))))
    );
}
