//! Sends that wait in the engine.

use std::sync::Arc;

use kafkars_client::config::{ConsumerConfig, ProducerConfig};
use kafkars_client::{
    Delivery, PendingSend, ProduceError, ProduceRecord, Producer, SendError, SendPermit,
};
use tokio::sync::oneshot;

use crate::{Scene, at, deadline, values};

/// A record for topic `t` that waits, and what to do when it has its outcome.
struct TestSend<F> {
    producer: Producer,
    value: String,
    on_settled: F,
}

impl<F: Fn() + Send + Sync> PendingSend for TestSend<F> {
    fn topic(&self) -> &str {
        "t"
    }

    fn count(&self) -> usize {
        1
    }

    fn size(&self) -> usize {
        1
    }

    fn is_placed(&self) -> bool {
        true
    }

    fn topic_known(&self) {}

    fn try_send(&self, permit: SendPermit) -> Result<Delivery, SendError> {
        self.producer
            .try_send_permitted(&record(&self.value), permit)
    }

    fn settled(&self, outcome: Result<Delivery, ProduceError>) {
        outcome.expect("appended");
        (self.on_settled)();
    }
}

fn record(value: &str) -> ProduceRecord<'_> {
    ProduceRecord {
        topic: "t",
        partition: Some(0),
        timestamp: None,
        key: None,
        value: Some(value.as_bytes()),
        headers: &[],
    }
}

#[test]
fn later_sends_wait_until_the_sender_before_them_has_its_outcome() {
    let scene = Scene::with_topic(1, 1);
    let producer = scene.producer(ProducerConfig::default());
    let (done, told) = oneshot::channel();
    let (done, asks) = (parking_lot::Mutex::new(Some(done)), producer.clone());
    // Tells whether a later send could overtake it.
    let send = TestSend {
        producer: producer.clone(),
        value: "v".to_owned(),
        on_settled: move || {
            let done = done.lock().take().expect("settled once");
            let _ = done.send(asks.has_pending("t"));
        },
    };
    let permit = producer.permit().expect("open");
    producer.enqueue(Arc::new(send), permit, deadline());
    assert!(scene.run(told).expect("settled"), "later ones are behind");
    assert_eq!(scene.run(producer.flush(Some(deadline()))), 0);
    assert!(!producer.has_pending("t"), "nothing waits any more");
}

/// Several rounds, because the thread that sends and the task that empties the queue meet in other places each time.
#[test]
fn a_sender_in_a_tight_loop_overtakes_what_waits_in_order() {
    const SENDS: usize = 20_000;
    for _ in 0..5 {
        let scene = Scene::with_topic(1, 1);
        let producer = scene.producer(ProducerConfig::default());
        let order: Arc<parking_lot::Mutex<Vec<usize>>> = Arc::default();
        let mut queued = 0;
        for number in 0..SENDS {
            let is_free = !producer.has_pending("t") || producer.let_waiting_in("t", 4);
            let value = number.to_string();
            if is_free && producer.try_send(&record(&value)).is_ok() {
                order.lock().push(number);
                continue;
            }
            queued += 1;
            let order = Arc::clone(&order);
            let send = TestSend {
                producer: producer.clone(),
                value,
                on_settled: move || order.lock().push(number),
            };
            let permit = producer.permit().expect("open");
            producer.enqueue(Arc::new(send), permit, deadline());
        }
        assert!(queued > 0, "the topic is not known at first");
        assert_eq!(scene.run(producer.flush(Some(deadline()))), 0);
        assert!(order.lock().iter().copied().eq(0..SENDS), "told in order");
        let consumer = scene.consumer(ConsumerConfig::default());
        consumer
            .assign(vec![(at(0), None)])
            .expect("nothing is subscribed to");
        let log = scene.run(values(&consumer, SENDS));
        let sent = (0..SENDS).map(|number| number.to_string());
        assert!(log.into_iter().eq(sent), "stored in order");
    }
}
