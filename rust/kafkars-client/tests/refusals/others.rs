//! Failures other than refused requests: a broker that lacks an API, a topic that is created later.

use std::future::Future;

use kafkars_client::{FetchError, FetchPosition};
use kafkars_protocol::{ApiKey, ErrorCode};

use crate::peer::{Fault, Refusal};
use crate::scene::{Scene, TEST_TIMEOUT, at, ready};

pub(crate) fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime starts");
    runtime.block_on(async {
        tokio::time::timeout(TEST_TIMEOUT, test)
            .await
            .expect("the test ends in time");
    });
}

#[test]
fn a_broker_without_fetch_is_an_error_that_names_partition_and_broker() {
    run(async {
        let scene = Scene::start(Some(ApiKey::Fetch)).await;
        scene
            .consumer
            .assign(vec![(at(0), Some(FetchPosition::at(0)))])
            .expect("valid");
        ready(&scene.consumer).await;
        let error = scene.consumer.try_next().expect_err("it cannot be read");
        assert!(
            matches!(&error, FetchError::Unsupported { partition, node: 1, .. } if *partition == at(0)),
            "{error:?}"
        );
        assert!(error.to_string().contains("Fetch"), "{error}");
        let troubles = scene.consumer.health().troubles;
        assert_eq!(
            troubles.first().map(|trouble| &trouble.partition),
            Some(&at(0))
        );
    });
}

#[test]
fn a_position_that_cannot_be_found_is_an_error_at_once() {
    run(async {
        let scene = Scene::start(None).await;
        let code = ErrorCode::TopicAuthorizationFailed;
        scene.broker.refuse(Fault {
            api: ApiKey::ListOffsets,
            refusal: Refusal::Partition(code.code()),
            times: usize::MAX,
        });
        scene.consumer.assign(vec![(at(0), None)]).expect("valid");
        // Twice, since a caller that got the error may ask again. A call that waited for its deadline would exceed the
        // test's time.
        for _ in 0..2 {
            let deadline = std::time::Instant::now() + TEST_TIMEOUT * 2;
            let position = scene.consumer.position_or_fetch(&at(0), deadline).await;
            assert!(
                matches!(&position, Err(FetchError::Broker { code: told, .. }) if *told == code),
                "{position:?}"
            );
        }
        scene.broker.relent();
        let deadline = std::time::Instant::now() + TEST_TIMEOUT * 2;
        let mut position = scene.consumer.position_or_fetch(&at(0), deadline).await;
        if position.is_err() {
            // One more request may have been refused before the broker relented.
            position = scene.consumer.position_or_fetch(&at(0), deadline).await;
        }
        assert_eq!(position, Ok(10));
    });
}

#[test]
fn a_position_in_a_topic_that_is_not_there_is_an_error_before_the_deadline() {
    run(async {
        let scene = Scene::start(None).await;
        scene.broker.set_exists(false);
        let partitions = vec![(at(0), None), (at(1), None)];
        scene.consumer.assign(partitions).expect("valid");
        for partition in [at(0), at(1)] {
            let deadline = std::time::Instant::now() + TEST_TIMEOUT * 2;
            let position = scene.consumer.position_or_fetch(&partition, deadline).await;
            assert!(
                matches!(&position, Err(FetchError::Topic { .. })),
                "{position:?}"
            );
        }
    });
}

#[test]
fn a_seek_is_kept_until_the_topic_is_there() {
    run(async {
        let scene = Scene::start(None).await;
        scene.broker.set_exists(false);
        scene.consumer.assign(vec![(at(0), None)]).expect("valid");
        scene
            .consumer
            .seek_to_timestamp(&[at(0)], 6)
            .expect("assigned");
        // Twice, so that the error was taken once.
        for _ in 0..2 {
            ready(&scene.consumer).await;
            let error = scene.consumer.try_next().expect_err("there is no topic");
            let code = ErrorCode::UnknownTopicOrPartition;
            assert!(
                matches!(&error, FetchError::Topic { code: told, .. } if *told == code),
                "{error:?}"
            );
        }
        scene.broker.set_exists(true);
        scene.expect(0, 6..10).await;
    });
}

#[test]
fn a_seek_is_kept_through_a_pause_and_through_another_seek() {
    run(async {
        let scene = Scene::start(None).await;
        scene.read_first().await;
        let consumer = &scene.consumer;
        consumer.seek_to_end(&[at(0)]).expect("assigned");
        consumer.seek_to_timestamp(&[at(0)], 6).expect("assigned");
        consumer.pause(&[at(0)]).expect("assigned");
        let deadline = std::time::Instant::now() + TEST_TIMEOUT;
        let position = consumer.position_or_fetch(&at(0), deadline).await;
        assert_eq!(position, Ok(6), "a paused partition finds its position");
        consumer.resume(&[at(0)]).expect("assigned");
        scene.expect(0, 6..10).await;
    });
}
