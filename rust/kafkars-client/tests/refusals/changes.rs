//! An application that changes all the time what is fetched: no connection is closed because of it, and none is waited
//! for.

use std::time::{Duration, Instant};

use kafkars_client::FetchPosition;
use kafkars_protocol::ApiKey;

use crate::others::run;
use crate::scene::{Scene, TEST_TIMEOUT, at, ready};

/// How many records are read one by one.
const RECORDS: usize = 400;
/// How long a request may wait at the broker beside another one while changes go on: the next change waits behind it.
const SHORT: Duration = Duration::from_millis(10);

/// Checks the waits of requests at the broker, which are the same on any machine; how long the changes took depends on
/// its other work, and is printed with `KAFKARS_REFUSAL_FIGURES`.
#[expect(clippy::print_stderr, reason = "figures for whoever asks for them")]
fn judge(what: &str, mut times: Vec<Duration>, scene: &Scene, before: usize) {
    times.sort_unstable();
    let (half, late) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    let mut waits = scene.broker.waits_beside();
    waits.sort_unstable();
    let reconnects = scene.broker.connections() - before;
    if std::env::var("KAFKARS_REFUSAL_FIGURES").is_ok() {
        let (count, longest) = (waits.len(), waits.last());
        eprintln!(
            "FIGURE {what}: p50 {half:?}, p99 {late:?}, {reconnects} connections, {count} beside others: {longest:?}"
        );
    }
    assert!(reconnects <= 1, "{reconnects} connections for {what}");
    let count = waits.len();
    assert!(count >= RECORDS / 4, "{what}: {count} beside others");
    // If the machine stalls between two changes, nothing changes for a while.
    let most = waits[count * 9 / 10];
    assert!(most <= SHORT, "{what}: nine of ten wait {most:?} or less");
}

#[test]
fn seeking_for_every_record_cuts_no_connection() {
    run(async {
        let scene = Scene::start(None).await;
        scene.read_first().await;
        let before = scene.broker.connections();
        let mut times = Vec::new();
        for number in 0..RECORDS {
            let offset = (number % 10) as i64;
            let started = Instant::now();
            scene
                .consumer
                .seek(&at(0), FetchPosition::at(offset))
                .expect("assigned");
            assert_eq!(scene.next().await, format!("0-{offset}"));
            times.push(started.elapsed());
        }
        judge("seek per record", times, &scene, before);
    });
}

#[test]
fn pausing_and_resuming_for_every_record_cuts_no_connection() {
    run(async {
        let scene = Scene::start(None).await;
        scene.read_first().await;
        let before = scene.broker.connections();
        let mut times = Vec::new();
        for number in 0..RECORDS {
            // The partitions take turns: one is read while the other is paused.
            let (read, other) = (at((number % 2) as i32), at(1 - (number % 2) as i32));
            let started = Instant::now();
            scene
                .consumer
                .pause(std::slice::from_ref(&other))
                .expect("assigned");
            scene
                .consumer
                .resume(std::slice::from_ref(&read))
                .expect("assigned");
            let offset = (number / 2 % 10) as i64;
            scene
                .consumer
                .seek(&read, FetchPosition::at(offset))
                .expect("assigned");
            assert_eq!(scene.next().await, format!("{}-{offset}", read.partition));
            times.push(started.elapsed());
        }
        judge("pause, resume and seek per record", times, &scene, before);
    });
}

#[test]
fn a_connection_that_is_not_answered_holds_up_no_other() {
    run(async {
        let scene = Scene::start(None).await;
        scene.read_first().await;
        scene.broker.greet_nobody();
        // This needs the second connection, because a request waits at the broker on the first.
        scene.consumer.resume(&[at(1)]).expect("assigned");
        let started = Instant::now();
        scene.expect(1, 0..10).await;
        scene.broker.append();
        let mut seen = vec![scene.next().await, scene.next().await];
        seen.sort_unstable();
        assert!(
            seen.iter()
                .all(|value| value.ends_with("-10") || value.ends_with("-11")),
            "{seen:?}"
        );
        assert!(
            started.elapsed() < Duration::from_secs(8),
            "{:?}",
            started.elapsed()
        );
    });
}

#[test]
fn once_nothing_changes_one_request_waits_at_the_broker() {
    run(async {
        let scene = Scene::start(None).await;
        scene.read_first().await;
        scene.consumer.resume(&[at(1)]).expect("assigned");
        scene.expect(1, 0..10).await;
        // The last change is more than a second ago by then, so both partitions share one request.
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        let began = Instant::now();
        scene.broker.relent();
        tokio::time::sleep(Duration::from_secs(1)).await;
        let asked = scene.broker.relent();
        // Each waits for 100 ms.
        let most = began.elapsed().as_millis() / 100 + 2;
        let fetches = asked.get(&ApiKey::Fetch).copied().unwrap_or(0);
        assert!((1..=most).contains(&(fetches as u128)), "{asked:?}");
        assert_eq!(asked.len(), 1, "{asked:?}");
    });
}

#[test]
fn asking_in_vain_for_one_partition_leaves_a_full_one_to_be_read_on() {
    run(async {
        // The first answer fills the buffer.
        let scene = Scene::holding(None, 1).await;
        let positions = vec![
            (at(0), Some(FetchPosition::at(0))),
            (at(1), Some(FetchPosition::at(0))),
        ];
        scene.consumer.assign(positions).expect("valid");
        scene.consumer.pause(&[at(1)]).expect("assigned");
        ready(&scene.consumer).await;
        // Time for the fetcher to meet the full buffer, and then to look which partitions it may ask for all the same.
        let look = Duration::from_millis(200);
        tokio::time::sleep(look).await;
        let taken = scene.consumer.try_take_of(10, Some(&[at(1)]));
        assert!(taken.is_ok_and(|slices| slices.is_empty()), "it is paused");
        tokio::time::sleep(look).await;
        scene.broker.append();
        let reading = tokio::time::timeout(TEST_TIMEOUT / 3, scene.expect(0, 0..15));
        reading.await.expect("what comes after the full buffer");
    });
}
