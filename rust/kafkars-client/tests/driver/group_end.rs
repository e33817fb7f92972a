//! The end of a member whose coordinator does not answer.

use std::time::Duration;

use kafkars_broker::{FaultAction, Intercept};
use kafkars_client::ConsumerEvent;
use kafkars_client::config::{ConsumerConfig, GroupConfig};

use crate::Scene;

/// A closed consumer waits up to five seconds for its coordinator, without being busy, although the next automatic
/// commit would be due.
#[test]
fn a_last_goodbye_without_an_answer_is_waited_for_asleep() {
    let scene = Scene::with_topic(1, 1);
    let group = GroupConfig {
        group_id: "g".to_owned(),
        auto_commit_interval: Duration::from_millis(100),
        ..GroupConfig::default()
    };
    let consumer = scene.consumer(ConsumerConfig {
        group: Some(group.check().expect("settings fit")),
        ..ConsumerConfig::default()
    });
    consumer.subscribe(vec!["t".into()]).expect("valid");
    while !matches!(consumer.next_event(true), Some(ConsumerEvent::Change(_))) {
        assert!(
            consumer.wait_event(Duration::from_secs(10), || false),
            "assigned"
        );
    }
    scene.broker.intercept(Intercept::any(FaultAction::Drop));
    consumer.close();
    let metrics = scene.runtime.metrics();
    let before = metrics.worker_total_busy_duration(0);
    scene.run(async { tokio::time::sleep(Duration::from_secs(2)).await });
    let busy = metrics.worker_total_busy_duration(0) - before;
    assert!(busy < Duration::from_millis(1_200), "busy for {busy:?}");
}
