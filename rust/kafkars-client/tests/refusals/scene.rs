//! A consumer of one refusing broker, and what is expected of it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_client::config::{AutoOffsetReset, ClientConfig, ConsumerConfig, TopicPartition};
use kafkars_client::{Client, Consumer, FetchError, FetchPosition, PartitionTrouble};
use kafkars_protocol::{ApiKey, ErrorCode};

use crate::peer::{Broker, Fault, Refusal, TOPIC};

/// Time limit of each step of a test.
pub(crate) const TEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Where the application seeks while its requests are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SeekTarget {
    /// To offset 4.
    Offset,
    /// To the first record.
    Beginning,
    /// To the first record with timestamp 6 or a later one.
    Time,
    /// To the end, so that only later records come.
    End,
}

impl SeekTarget {
    pub(crate) const ALL: [Self; 4] = [Self::Offset, Self::Beginning, Self::Time, Self::End];

    fn ask(self, consumer: &Consumer, partition: TopicPartition) {
        let partitions = [partition];
        let asked = match self {
            Self::Offset => consumer.seek(&partitions[0], FetchPosition::at(4)),
            Self::Beginning => consumer.seek_to_beginning(&partitions),
            Self::Time => consumer.seek_to_timestamp(&partitions, 6),
            Self::End => consumer.seek_to_end(&partitions),
        };
        asked.expect("it is assigned");
    }

    /// The first offset that is read after the seek, if the log had `end` records.
    fn first(self, end: i64) -> i64 {
        match self {
            Self::Offset => 4,
            Self::Beginning => 0,
            Self::Time => 6,
            Self::End => end,
        }
    }
}

/// The outcome of a scene.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) asked: HashMap<ApiKey, usize>,
    pub(crate) raised: Vec<FetchError>,
    /// What `health()` reported at the end.
    pub(crate) troubles: Vec<PartitionTrouble>,
    pub(crate) window: Duration,
}

pub(crate) struct Scene {
    pub(crate) broker: Broker,
    pub(crate) consumer: Consumer,
}

pub(crate) fn at(partition: i32) -> TopicPartition {
    TopicPartition {
        topic: Arc::from(TOPIC),
        partition,
    }
}

impl Scene {
    /// Starts a consumer whose `auto_offset_reset` is the end, so that it shows if it forgets a seek.
    pub(crate) async fn start(without: Option<ApiKey>) -> Self {
        Self::holding(without, ConsumerConfig::default().fetch_buffer_bytes).await
    }

    /// As [`Scene::start`], with so many bytes of room for fetched data.
    pub(crate) async fn holding(without: Option<ApiKey>, fetch_buffer_bytes: usize) -> Self {
        let broker = Broker::start(without).await;
        let config = ClientConfig {
            bootstrap_servers: vec![broker.address.to_string()],
            ..ClientConfig::default()
        };
        let client = Client::new(
            config.check().expect("settings fit"),
            tokio::runtime::Handle::current(),
        );
        let config = ConsumerConfig {
            auto_offset_reset: AutoOffsetReset::Latest,
            fetch_max_wait: Duration::from_millis(100),
            fetch_buffer_bytes,
            ..ConsumerConfig::default()
        };
        let consumer = Consumer::new(client, config.check().expect("settings fit"));
        Self { broker, consumer }
    }

    /// Reads partition 0 from its first record, with partition 1 paused at its first.
    pub(crate) async fn read_first(&self) {
        let positions = vec![
            (at(0), Some(FetchPosition::at(0))),
            (at(1), Some(FetchPosition::at(0))),
        ];
        self.consumer.assign(positions).expect("valid");
        self.consumer.pause(&[at(1)]).expect("assigned");
        self.expect(0, 0..10).await;
    }

    /// Refuses requests while the application seeks, then no longer: the seek takes effect.
    pub(crate) async fn refused(
        &self,
        fault: Fault,
        target: SeekTarget,
        window: Duration,
    ) -> Outcome {
        self.broker.refuse(fault);
        if fault.api == ApiKey::OffsetForLeaderEpoch || fault.api == ApiKey::Metadata {
            // A newer leader epoch makes the consumer send both requests.
            self.broker.elect();
        } else {
            target.ask(&self.consumer, at(0));
        }
        // On a machine that stands still the first request may come late: only from then on can anything be raised.
        let asked = self.broker.was_asked(fault.api);
        drop(tokio::time::timeout(TEST_TIMEOUT, asked).await);
        let started = Instant::now();
        let raised = match fault.times {
            usize::MAX => self.poll_for(window).await,
            _ => {
                self.broker.used_up().await;
                Vec::new()
            }
        };
        let window = started.elapsed();
        let troubles = self.consumer.health().troubles;
        let asked = self.broker.relent();
        if fault.refusal == Refusal::Partition(ErrorCode::OffsetOutOfRange.code()) {
            // The broker said that the offset does not exist, so `auto_offset_reset` was applied.
            self.settled(10).await;
            target.ask(&self.consumer, at(0));
        }
        let (first, end) = match fault.api {
            ApiKey::OffsetForLeaderEpoch | ApiKey::Metadata => (10, 15),
            _ if target == SeekTarget::End => {
                self.settled(10).await;
                self.broker.elect();
                (10, 15)
            }
            _ => (target.first(10), 10),
        };
        self.expect(0, first..end).await;
        // The paused partition is still paused, and loses no record.
        assert_eq!(self.consumer.paused(), [at(1)]);
        self.consumer.resume(&[at(1)]).expect("assigned");
        self.expect(1, 0..end).await;
        self.consumer.close();
        Outcome {
            asked,
            raised,
            troubles,
            window,
        }
    }

    /// Polls as an application does that goes on after errors, and returns those. No record may come.
    async fn poll_for(&self, window: Duration) -> Vec<FetchError> {
        let until = tokio::time::Instant::now() + window;
        let mut raised = Vec::new();
        while tokio::time::timeout_at(until, ready(&self.consumer))
            .await
            .is_ok()
        {
            match self.consumer.try_next() {
                Err(error) => raised.push(error),
                Ok(taken) => assert!(taken.is_none(), "a record, though all was refused"),
            }
        }
        raised
    }

    /// Waits until the position of partition 0 is `offset`, polling as an application does that goes on after errors.
    async fn settled(&self, offset: i64) {
        let settling = async {
            while self.consumer.position(&at(0)) != Ok(Some(offset)) {
                drop(self.consumer.try_next());
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let done = tokio::time::timeout(TEST_TIMEOUT, settling).await;
        done.unwrap_or_else(|_| panic!("the position does not come to {offset}"));
    }

    /// Reads exactly these records, in order. Errors of earlier refusals may still come first.
    pub(crate) async fn expect(&self, partition: i32, offsets: std::ops::Range<i64>) {
        let reading = async {
            for offset in offsets.clone() {
                let wanted = format!("{partition}-{offset}");
                assert_eq!(self.next().await, wanted, "of {offsets:?}");
            }
        };
        let done = tokio::time::timeout(TEST_TIMEOUT, reading).await;
        done.unwrap_or_else(|_| panic!("{partition}: {offsets:?} did not come"));
    }

    pub(crate) async fn next(&self) -> String {
        loop {
            match self.consumer.try_next() {
                Ok(Some(taken)) => {
                    let value = taken.batch.batch.slice(taken.view.value.expect("a value"));
                    return String::from_utf8_lossy(value).into_owned();
                }
                Ok(None) => ready(&self.consumer).await,
                Err(_) => {}
            }
        }
    }
}

pub(crate) async fn ready(consumer: &Consumer) {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    consumer.on_ready(Box::new(move || {
        let _ = sender.send(());
    }));
    receiver.await.expect("the consumer lives");
}
