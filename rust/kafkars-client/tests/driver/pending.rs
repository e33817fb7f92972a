//! Sends that wait in the engine.

use std::sync::{Arc, OnceLock};

use kafkars_client::config::ProducerConfig;
use kafkars_client::{
    Delivery, PendingSend, ProduceError, ProduceRecord, Producer, SendError, SendPermit,
};
use tokio::sync::oneshot;

use crate::{Scene, deadline};

/// A send that looks, when it gets its outcome, whether a later one could overtake it.
struct Looking {
    producer: Producer,
    is_behind: OnceLock<bool>,
    done: parking_lot::Mutex<Option<oneshot::Sender<()>>>,
}

impl PendingSend for Looking {
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
        let record = ProduceRecord {
            topic: "t",
            partition: Some(0),
            timestamp: None,
            key: None,
            value: Some(b"v"),
            headers: &[],
        };
        self.producer.try_send_permitted(&record, permit)
    }

    fn settled(&self, outcome: Result<Delivery, ProduceError>) {
        outcome.expect("appended");
        self.is_behind
            .set(self.producer.has_pending("t"))
            .expect("settled once");
        if let Some(done) = self.done.lock().take() {
            let _ = done.send(());
        }
    }
}

#[test]
fn later_sends_wait_until_the_sender_before_them_has_its_outcome() {
    let scene = Scene::with_topic(1, 1);
    let producer = scene.producer(ProducerConfig::default());
    let (done, told) = oneshot::channel();
    let send = Arc::new(Looking {
        producer: producer.clone(),
        is_behind: OnceLock::new(),
        done: parking_lot::Mutex::new(Some(done)),
    });
    let permit = producer.permit().expect("open");
    producer.enqueue(send.clone(), permit, deadline());
    scene.run(told).expect("settled");
    assert_eq!(send.is_behind.get(), Some(&true));
    assert_eq!(scene.run(producer.flush(Some(deadline()))), 0);
    assert!(!producer.has_pending("t"), "nothing waits any more");
}
