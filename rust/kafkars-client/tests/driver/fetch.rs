//! Consumers on the embedded broker.

use std::time::{Duration, Instant};

use kafkars_broker::{BrokerConfig, FaultAction, Intercept};
use kafkars_client::config::{AutoOffsetReset, ConsumerConfig, ProducerConfig};
use kafkars_client::{FetchError, FetchPosition};
use kafkars_protocol::{ApiKey, ErrorCode};
use kafkars_records::Codec;

use crate::{Scene, at, deadline, ready, send, values};

fn fill(scene: &Scene, partition: i32, numbers: std::ops::Range<i32>) {
    let producer = scene.producer(ProducerConfig::default());
    scene.run(async {
        for number in numbers {
            let value = number.to_string();
            send(&producer, Some(partition), value.as_bytes())
                .await
                .expect("taken");
        }
        assert_eq!(producer.flush(Some(deadline())).await, 0);
    });
}

fn numbers(range: std::ops::Range<i32>) -> Vec<String> {
    range.map(|number| number.to_string()).collect()
}

#[test]
fn records_of_all_partitions_arrive_in_their_order() {
    let scene = Scene::with_topic(3, 3);
    for partition in 0..3 {
        fill(&scene, partition, partition * 100..partition * 100 + 100);
    }
    let consumer = scene.consumer(ConsumerConfig::default());
    consumer
        .assign((0..3).map(|number| (at(number), None)).collect())
        .expect("valid");
    let mut read = scene.run(values(&consumer, 300));
    let in_order = |from: i32| {
        let mut part = read.iter().filter_map(|value| value.parse::<i32>().ok());
        numbers(from..from + 100)
            .iter()
            .all(|number| part.any(|read| read.to_string() == *number))
    };
    assert!(in_order(0) && in_order(100) && in_order(200));
    read.sort_by_key(|value| value.parse::<i32>().ok());
    assert_eq!(read, numbers(0..300));
}

#[test]
fn new_records_arrive_during_a_long_poll() {
    let scene = Scene::with_topic(1, 1);
    let consumer = scene.consumer(ConsumerConfig {
        fetch_max_wait: Duration::from_secs(60),
        ..ConsumerConfig::default()
    });
    consumer
        .assign(vec![(at(0), Some(FetchPosition::at(0)))])
        .expect("valid");
    fill(&scene, 0, 0..1);
    assert_eq!(scene.run(values(&consumer, 1)), ["0"]);
    let started = Instant::now();
    fill(&scene, 0, 1..2);
    assert_eq!(scene.run(values(&consumer, 1)), ["1"]);
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_seek_during_a_long_poll_does_not_wait_for_it() {
    let scene = Scene::with_topic(2, 1);
    fill(&scene, 0, 0..10);
    let consumer = scene.consumer(ConsumerConfig {
        fetch_max_wait: Duration::from_secs(60),
        ..ConsumerConfig::default()
    });
    consumer
        .assign(vec![(at(0), None), (at(1), None)])
        .expect("valid");
    assert_eq!(scene.run(values(&consumer, 10)).len(), 10);
    let started = Instant::now();
    for offset in [4, 9, 0, 7] {
        consumer
            .seek(&at(0), FetchPosition::at(i64::from(offset)))
            .expect("assigned");
        let count = 10 - offset as usize;
        assert_eq!(scene.run(values(&consumer, count)), numbers(offset..10));
        // The fetcher has to start the long poll that follows.
        assert!(!consumer.wait_ready(Duration::from_millis(20)));
    }
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[test]
fn paused_partitions_are_silent_until_resumed() {
    let scene = Scene::with_topic(2, 1);
    fill(&scene, 0, 0..5);
    fill(&scene, 1, 100..105);
    let consumer = scene.consumer(ConsumerConfig::default());
    consumer
        .assign(vec![(at(0), None), (at(1), None)])
        .expect("valid");
    consumer.pause(&[at(0)]).expect("assigned");
    assert_eq!(scene.run(values(&consumer, 5)), numbers(100..105));
    assert_eq!(consumer.paused(), [at(0)]);
    consumer.resume(&[at(0)]).expect("assigned");
    assert_eq!(scene.run(values(&consumer, 5)), numbers(0..5));
}

#[test]
fn a_small_buffer_still_reads_everything() {
    let scene = Scene::with_topic(1, 1);
    fill(&scene, 0, 0..5_000);
    let consumer = scene.consumer(ConsumerConfig {
        fetch_buffer_bytes: 1,
        max_partition_fetch_bytes: 1_000,
        ..ConsumerConfig::default()
    });
    consumer.assign(vec![(at(0), None)]).expect("valid");
    assert_eq!(scene.run(values(&consumer, 5_000)), numbers(0..5_000));
}

/// The answers are larger than any of the buffers, compressed and not, and taken in every way, with pauses: whoever
/// opens batches is always woken.
#[test]
fn large_answers_are_opened_to_the_end_whatever_the_buffer_holds() {
    const COUNT: usize = 300;
    let scene = Scene::with_topic(2, 1);
    for (partition, codec) in [(0, Codec::Lz4), (1, Codec::None)] {
        let producer = scene.producer(ProducerConfig {
            compression: codec.into(),
            ..ProducerConfig::default()
        });
        scene.run(async {
            for number in 0..COUNT {
                let value = format!("{number:->2000}");
                send(&producer, Some(partition), value.as_bytes())
                    .await
                    .expect("taken");
            }
            assert_eq!(producer.flush(Some(deadline())).await, 0);
        });
    }
    for fetch_buffer_bytes in [1, 40_000, 200_000, 32 << 20] {
        for most in [1, 7, 100_000] {
            let consumer = scene.consumer(ConsumerConfig {
                fetch_buffer_bytes,
                max_partition_fetch_bytes: 100_000,
                ..ConsumerConfig::default()
            });
            consumer
                .assign(vec![(at(0), None), (at(1), None)])
                .expect("valid");
            let mut seen = [0, 0];
            for turn in 0.. {
                if seen == [COUNT, COUNT] {
                    break;
                }
                // One of the partitions is paused now and then, for a few rounds.
                let (paused, is_begin) = (at(turn / 40 % 2), turn % 40 == 0);
                if is_begin {
                    consumer.pause(&[paused]).expect("assigned");
                } else if turn % 40 == 5 {
                    consumer.resume(&[paused]).expect("assigned");
                }
                if seen.contains(&COUNT) {
                    consumer.resume(&[at(0), at(1)]).expect("assigned");
                }
                let wait = Duration::from_secs(10);
                assert!(
                    consumer.wait_ready(wait),
                    "{seen:?} were read with {fetch_buffer_bytes} bytes of buffer, {most} at once"
                );
                for slice in consumer.try_take(most).expect("every batch is whole") {
                    let partition = slice.batch.partition as usize;
                    for view in slice
                        .batch
                        .batch
                        .walk_from(slice.start)
                        .take(slice.count as usize)
                    {
                        assert_eq!(view.offset, seen[partition] as i64);
                        seen[partition] += 1;
                    }
                }
            }
            consumer.close();
        }
    }
}

/// For an application that takes nothing, little is opened, and one response and the next wait behind it. When it goes
/// on, all records come.
#[test]
fn a_slow_application_finds_little_opened_and_then_everything() {
    const COUNT: i64 = 60;
    const ANSWER: usize = 400_000;
    let scene = Scene::with_topic(1, 1);
    let producer = scene.producer(ProducerConfig {
        compression: Codec::Lz4.into(),
        batch_size: 300_000,
        ..ProducerConfig::default()
    });
    scene.run(async {
        let mut state = 1u32;
        for _ in 0..COUNT {
            let noise = std::iter::repeat_with(|| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            });
            let value: Vec<u8> = noise.take(150_000).collect();
            send(&producer, Some(0), &value).await.expect("taken");
        }
        assert_eq!(producer.flush(Some(deadline())).await, 0);
    });
    let consumer = scene.consumer(ConsumerConfig {
        max_partition_fetch_bytes: ANSWER as i32,
        ..ConsumerConfig::default()
    });
    consumer.assign(vec![(at(0), None)]).expect("valid");
    let mut seen = 0;
    while seen < COUNT {
        assert!(
            consumer.wait_ready(Duration::from_secs(10)),
            "{seen} of {COUNT} came"
        );
        let (buffered, ..) = consumer.memory_usage();
        // The bound is 2 MiB, the rest of the piece that exceeded them, and two responses.
        assert!(buffered < (3 << 20) + 4 * ANSWER, "{buffered} bytes wait");
        for slice in consumer.try_take(1).expect("every batch is whole") {
            seen += i64::from(slice.count);
        }
    }
    consumer.close();
}

#[test]
fn faults_of_fetching_lose_and_double_nothing() {
    for action in [
        FaultAction::Error(ErrorCode::NotLeaderOrFollower),
        FaultAction::Error(ErrorCode::FetchSessionIdNotFound),
        FaultAction::Disconnect,
    ] {
        let scene = Scene::with_topic(1, 1);
        fill(&scene, 0, 0..1_000);
        let fault = Intercept::new(ApiKey::Fetch, action).times(3);
        scene.broker.intercept(fault);
        let consumer = scene.consumer(ConsumerConfig {
            max_partition_fetch_bytes: 1_000,
            ..ConsumerConfig::default()
        });
        consumer.assign(vec![(at(0), None)]).expect("valid");
        assert_eq!(scene.run(values(&consumer, 1_000)), numbers(0..1_000));
    }
}

#[test]
fn a_moved_leader_is_followed() {
    let scene = Scene::with_topic(1, 3);
    let consumer = scene.consumer(ConsumerConfig::default());
    consumer
        .assign(vec![(at(0), Some(FetchPosition::at(0)))])
        .expect("valid");
    for (round, node) in [2, 3, 1].into_iter().enumerate() {
        let from = round as i32 * 10;
        scene.broker.move_leader("t", 0, node).expect("exists");
        fill(&scene, 0, from..from + 10);
        assert_eq!(scene.run(values(&consumer, 10)), numbers(from..from + 10));
    }
}

#[test]
fn positions_are_found_by_policy_by_time_and_by_end() {
    let scene = Scene::with_topic(1, 1);
    fill(&scene, 0, 0..10);
    let consumer = scene.consumer(ConsumerConfig::default());
    consumer.assign(vec![(at(0), None)]).expect("valid");
    let position = || scene.run(consumer.position_or_fetch(&at(0), deadline()));
    assert_eq!(position(), Ok(0));
    consumer.seek_to_end(&[]).expect("assigned");
    assert_eq!(position(), Ok(10));
    consumer.seek_to_timestamp(&[at(0)], 0).expect("assigned");
    assert_eq!(position(), Ok(0));
    consumer
        .seek_to_timestamp(&[at(0)], i64::MAX - 1)
        .expect("assigned");
    assert_eq!(position(), Ok(10));
    let ends = scene.run(consumer.end_offsets(vec![at(0)], deadline()));
    assert_eq!(ends, Ok(vec![(at(0), 10)]));
    let starts = scene.run(consumer.beginning_offsets(vec![at(0)], deadline()));
    assert_eq!(starts, Ok(vec![(at(0), 0)]));
}

#[test]
fn lag_counts_down_to_zero() {
    let scene = Scene::with_topic(1, 1);
    fill(&scene, 0, 0..10);
    let consumer = scene.consumer(ConsumerConfig::default());
    consumer.assign(vec![(at(0), None)]).expect("valid");
    scene.run(values(&consumer, 4));
    assert_eq!(consumer.lag(&at(0)), Ok(Some(6)));
    scene.run(values(&consumer, 6));
    assert_eq!(consumer.lag(&at(0)), Ok(Some(0)));
    assert_eq!(consumer.watermarks(&at(0)), Ok(Some((0, 10))));
}

#[test]
fn an_offset_outside_the_log_starts_over_or_raises() {
    let scene = Scene::with_topic(1, 1);
    fill(&scene, 0, 0..10);
    let consumer = scene.consumer(ConsumerConfig::default());
    consumer
        .assign(vec![(at(0), Some(FetchPosition::at(999)))])
        .expect("valid");
    assert_eq!(scene.run(values(&consumer, 10)), numbers(0..10));

    let strict = ConsumerConfig {
        auto_offset_reset: AutoOffsetReset::None,
        ..ConsumerConfig::default()
    };
    let strict = kafkars_client::Consumer::new(scene.client(), strict.check().expect("fits"));
    strict
        .assign(vec![(at(0), Some(FetchPosition::at(999)))])
        .expect("valid");
    scene.run(ready(&strict));
    assert!(matches!(
        strict.try_next(),
        Err(FetchError::OffsetOutOfRange { offset: 999, .. })
    ));
    strict.assign(vec![]).expect("valid");
    strict.assign(vec![(at(0), None)]).expect("valid");
    scene.run(ready(&strict));
    assert!(matches!(
        strict.try_next(),
        Err(FetchError::NoOffset { .. })
    ));
}

#[test]
fn a_topic_that_does_not_exist_is_reported() {
    let scene = Scene::with(BrokerConfig {
        auto_create_topics: false,
        ..BrokerConfig::default()
    });
    let consumer = scene.consumer(ConsumerConfig::default());
    consumer.assign(vec![(at(0), None)]).expect("valid");
    scene.run(ready(&consumer));
    assert!(matches!(
        consumer.try_next(),
        Err(FetchError::Topic {
            code: ErrorCode::UnknownTopicOrPartition,
            ..
        })
    ));
}

#[test]
fn closing_wakes_who_waits_and_leaves_no_task() {
    let scene = Scene::with_topic(1, 1);
    let consumer = scene.consumer(ConsumerConfig::default());
    consumer.assign(vec![(at(0), None)]).expect("valid");
    scene.run(async {
        let waiting = tokio::spawn({
            let consumer = consumer.clone();
            async move { ready(&consumer).await }
        });
        consumer.close();
        waiting.await.expect("woken");
        consumer.client().close().await;
    });
    assert!(matches!(consumer.try_next(), Err(FetchError::Closed)));
    let metrics = scene.runtime.metrics();
    let started = Instant::now();
    while metrics.num_alive_tasks() > 0 {
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "tasks are left"
        );
        std::thread::yield_now();
    }
}
