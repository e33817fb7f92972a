//! Producers on the embedded broker.

use std::pin::pin;
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use kafkars_broker::{BrokerConfig, Corruption, FaultAction, Intercept};
use kafkars_client::config::{Acks, ProducerConfig};
use kafkars_client::{ProduceError, ProduceRecord, SendError};
use kafkars_protocol::{ApiKey, ErrorCode};
use kafkars_records::{Codec, Compression};

use crate::{Scene, TEST_TIMEOUT, at, deadline, send, values};

fn quick() -> ProducerConfig {
    ProducerConfig {
        linger: Duration::ZERO,
        ..ProducerConfig::default()
    }
}

async fn send_numbers(producer: &kafkars_client::Producer, count: usize) -> Vec<i64> {
    let mut deliveries = Vec::new();
    for number in 0..count {
        let value = number.to_string();
        deliveries.push(
            send(producer, Some(0), value.as_bytes())
                .await
                .expect("taken"),
        );
    }
    assert_eq!(producer.flush(Some(deadline())).await, 0);
    let results = deliveries
        .iter()
        .map(|delivery| delivery.result().expect("flushed"));
    results
        .map(|result| result.expect("stored").offset)
        .collect()
}

#[test]
fn flushed_records_have_consecutive_offsets() {
    let scene = Scene::with_topic(1, 1);
    let producer = scene.producer(ProducerConfig::default());
    let offsets = scene.run(send_numbers(&producer, 1_000));
    assert_eq!(offsets, (0..1_000).collect::<Vec<_>>());
    assert_eq!(producer.metrics().records_sent, 1_000);
}

/// The result of a call, if it has one without waiting.
fn at_once<T>(call: impl Future<Output = T>) -> Option<T> {
    match pin!(call).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => Some(answer),
        Poll::Pending => None,
    }
}

/// A flush repeated without pause meets the moment in which a batch is finished and not reported yet.
#[test]
fn a_flush_that_counts_nothing_has_seen_every_delivery_done() {
    let scene = Scene::with_topic(1, 1);
    let producer = scene.producer(quick());
    let runtime = scene.runtime.handle().clone();
    for _ in 0..1_000 {
        let until = deadline();
        let delivery = scene
            .run(send(&producer, Some(0), b"value"))
            .expect("taken");
        let _timers = runtime.enter();
        while at_once(producer.flush(Some(Instant::now()))) != Some(0) {
            assert!(Instant::now() < until, "the record is not stored");
        }
        assert!(delivery.is_done());
    }
}

/// The only I/O thread is kept busy, so the record can only have been sent on the thread of the caller.
#[test]
fn a_record_that_nothing_holds_up_leaves_without_the_runtime() {
    let scene = Scene::with_topic(1, 1);
    let producer = scene.producer(quick());
    scene.run(send_numbers(&producer, 1));
    let (busy, is_busy) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    scene.runtime.spawn(async move {
        busy.send(()).expect("the test waits");
        // Without a release the test has failed already.
        let _ = released.recv_timeout(TEST_TIMEOUT);
    });
    is_busy.recv_timeout(TEST_TIMEOUT).expect("the task runs");
    let record = ProduceRecord {
        topic: "t",
        partition: Some(0),
        timestamp: None,
        key: None,
        value: Some(b"express"),
        headers: &[],
    };
    let delivery = producer.try_send(&record).expect("taken");
    let until = deadline();
    while scene.broker.offsets("t", 0).expect("exists") != (0, 2) {
        assert!(Instant::now() < until, "the record has not left");
        std::thread::yield_now();
    }
    assert!(!delivery.is_done());
    release.send(()).expect("the task waits");
    assert_eq!(scene.run(producer.flush(Some(deadline()))), 0);
    assert_eq!(
        delivery.result().expect("flushed").expect("stored").offset,
        1
    );
}

#[test]
fn a_topic_is_created_by_the_first_record() {
    let scene = Scene::new();
    let producer = scene.producer(quick());
    assert_eq!(scene.run(send_numbers(&producer, 1)), [0]);
}

#[test]
fn every_codec_and_acks_reaches_the_reader_in_order() {
    for codec in [
        Codec::None,
        Codec::Gzip,
        Codec::Snappy,
        Codec::Lz4,
        Codec::Zstd,
    ] {
        for acks in [Acks::None, Acks::Leader, Acks::All] {
            let scene = Scene::with_topic(1, 1);
            let producer = scene.producer(ProducerConfig {
                acks,
                enable_idempotence: acks == Acks::All,
                compression: Compression::from(codec),
                ..quick()
            });
            let consumer = scene.consumer(Default::default());
            consumer.assign(vec![(at(0), None)]).expect("valid");
            let offsets = scene.run(send_numbers(&producer, 200));
            if acks == Acks::None {
                assert_eq!(offsets, vec![-1; 200]);
            }
            let read = scene.run(values(&consumer, 200));
            let sent: Vec<String> = (0..200).map(|number: i32| number.to_string()).collect();
            assert_eq!(read, sent, "{codec:?} {acks:?}");
        }
    }
}

#[test]
fn retriable_errors_lose_double_and_reorder_nothing() {
    for action in [
        FaultAction::Error(ErrorCode::NotLeaderOrFollower),
        FaultAction::Error(ErrorCode::NotEnoughReplicas),
        FaultAction::Disconnect,
        FaultAction::DisconnectAfter,
    ] {
        let scene = Scene::with_topic(1, 1);
        let producer = scene.producer(quick());
        scene.run(send_numbers(&producer, 1));
        let fault = Intercept::new(ApiKey::Produce, action).times(3);
        scene.broker.intercept(fault);
        let offsets = scene.run(send_numbers(&producer, 500));
        assert_eq!(offsets, (1..=500).collect::<Vec<_>>());
        assert_eq!(scene.broker.offsets("t", 0).expect("exists"), (0, 501));
        assert!(producer.metrics().retries > 0);
    }
}

#[test]
fn a_moved_leader_is_followed() {
    let scene = Scene::with_topic(1, 3);
    let producer = scene.producer(quick());
    for node in [2, 3, 1] {
        scene.broker.move_leader("t", 0, node).expect("exists");
        scene.run(send_numbers(&producer, 20));
    }
    assert_eq!(scene.broker.offsets("t", 0).expect("exists"), (0, 60));
}

#[test]
fn a_batch_too_large_for_its_topic_goes_out_in_parts() {
    let scene = Scene::with(BrokerConfig {
        topic_defaults: vec![("max.message.bytes".into(), "2000".into())],
        ..BrokerConfig::default()
    });
    let producer = scene.producer(ProducerConfig::default());
    let offsets = scene.run(async {
        let mut deliveries = Vec::new();
        for _ in 0..50 {
            deliveries.push(send(&producer, Some(0), &[7; 400]).await.expect("taken"));
        }
        assert_eq!(producer.flush(Some(deadline())).await, 0);
        let results = deliveries
            .iter()
            .map(|delivery| delivery.result().expect("flushed"));
        results
            .map(|result| result.expect("stored").offset)
            .collect::<Vec<_>>()
    });
    assert_eq!(offsets, (0..50).collect::<Vec<_>>());
    let metrics = producer.metrics();
    assert_eq!((metrics.records_sent, metrics.records_failed), (50, 0));
    assert_eq!(producer.take_failed(), 0);
}

#[test]
fn a_record_too_large_for_its_topic_fails_alone_and_says_why() {
    let scene = Scene::with(BrokerConfig {
        topic_defaults: vec![("max.message.bytes".into(), "2000".into())],
        ..BrokerConfig::default()
    });
    let producer = scene.producer(quick());
    scene.run(async {
        let large = send(&producer, Some(0), &[7; 4_000]).await.expect("taken");
        producer.flush(Some(deadline())).await;
        let error = large.result().expect("flushed").expect_err("too large");
        assert!(matches!(
            error,
            ProduceError::Broker {
                code: ErrorCode::MessageTooLarge,
                ..
            }
        ));
        assert!(error.to_string().contains("max.message.bytes"), "{error}");
        assert_eq!((producer.take_failed(), producer.take_failed()), (1, 0));
        let small = send(&producer, Some(0), b"v").await.expect("taken");
        producer.flush(Some(deadline())).await;
        assert!(small.result().expect("flushed").is_ok());
    });
}

#[test]
fn a_silent_broker_ends_in_a_delivery_timeout() {
    let scene = Scene::with_topic(1, 1);
    let producer = scene.producer(ProducerConfig {
        request_timeout: Duration::from_secs(1),
        delivery_timeout: Duration::from_secs(3),
        ..quick()
    });
    scene.run(send_numbers(&producer, 1));
    scene
        .broker
        .intercept(Intercept::new(ApiKey::Produce, FaultAction::Drop));
    let started = Instant::now();
    let error = scene.run(async {
        let delivery = send(&producer, Some(0), b"v").await.expect("taken");
        producer.flush(Some(deadline())).await;
        delivery
            .result()
            .expect("flushed")
            .expect_err("nobody answers")
    });
    assert!(
        matches!(error, ProduceError::DeliveryTimedOut { .. }),
        "{error}"
    );
    assert!(started.elapsed() < TEST_TIMEOUT / 2);
}

/// Offset of `throttle_time_ms` in the response to one record for one partition.
const THROTTLE: usize = 57;

#[test]
fn a_broker_that_asks_for_hours_of_patience_gets_the_delivery_timeout() {
    let scene = Scene::with_topic(1, 1);
    let producer = scene.producer(ProducerConfig {
        delivery_timeout: Duration::from_millis(2_500),
        request_timeout: Duration::from_secs(2),
        ..quick()
    });
    let fault = Intercept::new(
        ApiKey::Produce,
        FaultAction::Corrupt(Corruption::FlipByte(THROTTLE + 1)),
    );
    scene.broker.intercept(fault.times(1));
    let started = Instant::now();
    let error = scene.run(async {
        let first = send(&producer, Some(0), b"v").await.expect("taken");
        producer.flush(Some(deadline())).await;
        first.result().expect("flushed").expect("stored");
        let second = send(&producer, Some(0), b"v").await.expect("taken");
        producer.flush(Some(deadline())).await;
        let outcome = second.result().expect("flushed");
        outcome.expect_err("nothing may be sent")
    });
    assert!(
        matches!(error, ProduceError::DeliveryTimedOut { .. }),
        "{error}"
    );
    assert!(producer.client().metrics().throttle_time_ms >= 300_000);
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn answers_that_cannot_be_understood_lose_double_and_reorder_nothing() {
    // The corruptions: the number of topics, the number of partitions, impossible lengths, half a response, another
    // request's id.
    for corruption in [
        Corruption::FlipByte(5),
        Corruption::FlipByte(22),
        Corruption::Length(i32::MAX),
        Corruption::Length(-1),
        Corruption::Truncate(20),
        Corruption::CorrelationId,
    ] {
        let scene = Scene::with_topic(1, 1);
        let producer = scene.producer(quick());
        scene.run(send_numbers(&producer, 1));
        let fault = Intercept::new(ApiKey::Produce, FaultAction::Corrupt(corruption)).times(3);
        scene.broker.intercept(fault);
        let offsets = scene.run(send_numbers(&producer, 500));
        assert_eq!(offsets, (1..=500).collect::<Vec<_>>(), "{corruption:?}");
        assert_eq!(scene.broker.offsets("t", 0).expect("exists"), (0, 501));
        assert!(producer.metrics().retries > 0);
    }
}

#[test]
fn a_full_buffer_refuses_then_waits_then_gives_up() {
    let scene = Scene::with_topic(1, 1);
    let producer = scene.producer(ProducerConfig {
        buffer_memory: 10_000,
        max_request_size: 5_000,
        max_block: Duration::from_secs(2),
        ..quick()
    });
    scene.run(send_numbers(&producer, 1));
    let stuck = scene
        .broker
        .intercept(Intercept::new(ApiKey::Produce, FaultAction::Drop));
    let error = scene.run(async {
        loop {
            if let Err(error) = send(&producer, Some(0), &[0; 1_000]).await {
                return error;
            }
        }
    });
    assert!(matches!(error, ProduceError::BufferFull { .. }), "{error}");
    assert!(scene.broker.remove_intercept(stuck));
}

#[test]
fn bad_records_are_refused_at_the_call() {
    let scene = Scene::with_topic(2, 1);
    let producer = scene.producer(quick());
    scene.run(send_numbers(&producer, 1));
    let record = ProduceRecord {
        topic: "t",
        partition: Some(2),
        timestamp: None,
        key: None,
        value: None,
        headers: &[],
    };
    let refused = |record: &ProduceRecord<'_>| match producer.try_send(record) {
        Err(SendError::Failed(error)) => error,
        other => panic!("not refused: {other:?}"),
    };
    assert!(matches!(
        refused(&record),
        ProduceError::InvalidPartition { .. }
    ));
    let early = ProduceRecord {
        timestamp: Some(-1),
        partition: None,
        ..record
    };
    assert!(matches!(
        refused(&early),
        ProduceError::InvalidTimestamp { .. }
    ));
    assert_eq!(producer.unacknowledged(), 0);
}

#[test]
fn closing_sends_what_is_left_and_refuses_more() {
    let scene = Scene::with_topic(1, 1);
    let producer = scene.producer(ProducerConfig {
        linger: Duration::from_secs(10),
        ..ProducerConfig::default()
    });
    scene.run(async {
        let delivery = send(&producer, Some(0), b"v").await.expect("taken");
        assert_eq!(producer.close(deadline()).await, 0);
        assert!(delivery.result().expect("closed").is_ok());
        let refused = send(&producer, Some(0), b"v").await.expect_err("closed");
        assert_eq!(refused, ProduceError::Closed);
    });
}

#[test]
fn closing_with_a_silent_broker_ends_at_the_deadline_and_reports_what_was_lost() {
    let scene = Scene::with_topic(1, 1);
    let producer = scene.producer(quick());
    scene.run(send_numbers(&producer, 1));
    scene
        .broker
        .intercept(Intercept::new(ApiKey::Produce, FaultAction::Drop));
    let started = Instant::now();
    scene.run(async {
        let delivery = send(&producer, Some(0), b"v").await.expect("taken");
        let left = producer
            .close(Instant::now() + Duration::from_millis(200))
            .await;
        assert_eq!(left, 1);
        let outcome = delivery.result().expect("closed");
        assert_eq!(outcome.expect_err("given up"), ProduceError::Closed);
    });
    assert!(started.elapsed() < TEST_TIMEOUT / 2);
}

#[test]
fn an_unknown_topic_fails_at_the_deadline_with_its_cause() {
    let scene = Scene::with(BrokerConfig {
        auto_create_topics: false,
        ..BrokerConfig::default()
    });
    let producer = scene.producer(ProducerConfig {
        max_block: Duration::from_secs(2),
        ..quick()
    });
    let error = scene.run(async { send(&producer, None, b"v").await.expect_err("no topic") });
    assert!(
        error.to_string().contains("UNKNOWN_TOPIC_OR_PARTITION"),
        "{error}"
    );
}
