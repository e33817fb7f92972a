//! Records that wait: for brokers that refuse the login, for partitions that are gone, and for a transaction.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::messages::add_partitions_to_txn::{
    AddPartitionsToTxnPartitionResult, AddPartitionsToTxnResponse, AddPartitionsToTxnTopicResult,
};
use kafkars_protocol::messages::find_coordinator::FindCoordinatorResponse;
use kafkars_protocol::messages::init_producer_id::InitProducerIdResponse;
use kafkars_protocol::{ErrorCode, Uuid};

use super::{RefusedLogin, Sender, View, Work};
use crate::backoff::Backoff;
use crate::cluster::{PartitionMetadata, TopicMetadata};
use crate::config::ProducerConfig;
use crate::error_kind::{SecurityError, SecurityProblem};
use crate::produce::accumulator::{Accumulator, ProduceRecord};
use crate::produce::delivery::Delivery;
use crate::produce::error::ProduceError;
use crate::transaction::{
    NoAnswer, TransactionConfig, TransactionRequest, TransactionResponse, Transactions,
};

const GRACE: Duration = Duration::from_secs(2);
const SECOND: Duration = Duration::from_secs(1);

/// Two partitions, whose leaders are never reached unless there are transactions, which have to be opened for them.
struct Waiting {
    accumulator: Arc<Accumulator>,
    sender: Sender,
    now: Instant,
    leaders: Leaders,
}

struct Leaders {
    of: [i32; 2],
    /// How many of the partitions the topic still has.
    count: i32,
    version: u64,
    are_connected: bool,
}

impl View for Leaders {
    fn metadata_version(&self) -> u64 {
        self.version
    }

    fn leader(&self, _: &str, partition: i32) -> Option<i32> {
        (!self.is_gone("t", partition)).then(|| self.of[partition as usize])
    }

    fn is_gone(&self, _: &str, partition: i32) -> bool {
        partition >= self.count
    }

    fn topic_id(&self, _: &str) -> Uuid {
        Uuid::ZERO
    }

    fn is_connected(&self, _: i32) -> bool {
        self.are_connected
    }
}

impl Waiting {
    fn new() -> Self {
        let mut waiting = Self::with(None);
        let identity = InitProducerIdResponse {
            producer_id: 1,
            ..InitProducerIdResponse::default()
        };
        let now = waiting.now;
        waiting.sender.identified(now, None, Ok(&identity));
        waiting
    }

    fn with(transactions: Option<Transactions>) -> Self {
        let config = ProducerConfig {
            linger: Duration::ZERO,
            delivery_timeout: Duration::from_secs(60),
            ..ProducerConfig::default()
        };
        let partition = |partition| PartitionMetadata {
            partition,
            error: None,
            leader: Some(1),
            leader_epoch: 0,
            replicas: Arc::default(),
            isr: Arc::default(),
            offline: Arc::default(),
        };
        let accumulator = Arc::new(Accumulator::new(&config, 1));
        accumulator.update_topic(&TopicMetadata {
            name: "t".into(),
            id: Uuid::ZERO,
            error: None,
            partitions: (0..2).map(partition).collect(),
            is_internal: false,
        });
        let backoff = Backoff::new(Duration::from_millis(5), Duration::from_millis(5));
        let config = config.check().expect("fits");
        let leaders = Leaders {
            of: [1, 1],
            count: 2,
            version: 1,
            are_connected: transactions.is_some(),
        };
        let sender = Sender::new(config, Arc::clone(&accumulator), backoff, 1, transactions);
        let now = Instant::now();
        Self {
            accumulator,
            sender,
            now,
            leaders,
        }
    }

    fn send(&mut self, partition: i32) -> Delivery {
        let delivery = self.append(partition);
        self.poll();
        delivery
    }

    fn append(&mut self, partition: i32) -> Delivery {
        let record = ProduceRecord {
            topic: "t",
            partition: Some(partition),
            timestamp: None,
            key: None,
            value: Some(b"v"),
            headers: &[],
        };
        let taken = self.accumulator.append(&record, || self.now, || 0);
        taken.expect("room").0
    }

    fn poll(&mut self) -> Work {
        let work = self.sender.poll(self.now, &self.leaders, false);
        for finished in self.sender.take_finished() {
            finished.batch.delivery.complete(finished.outcome);
        }
        work
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.poll();
    }

    /// Lets the broker refuse a login that has just begun.
    fn refuse(&mut self, node: i32) {
        self.refuse_began(node, self.now);
    }

    fn refuse_began(&mut self, node: i32, began: Instant) {
        let error = SecurityError {
            problem: SecurityProblem::Authentication,
            address: "node".into(),
            cause: "wrong password".into(),
        };
        let refused = RefusedLogin {
            error,
            began: Some(began),
            grace: Some(GRACE),
        };
        self.sender.login_refused(self.now, node, refused);
        self.poll();
    }

    fn lead(&mut self, of: [i32; 2]) {
        self.leaders.of = of;
        self.leaders.version += 1;
        self.poll();
    }

    /// The topic was made again.
    fn remake(&mut self, count: i32) {
        self.leaders.count = count;
        self.leaders.version += 1;
        self.poll();
    }
}

fn is_refused(delivery: &Delivery) -> bool {
    match delivery.result() {
        None => false,
        Some(Err(ProduceError::Security(_))) => true,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_record_fails_when_it_hears_of_a_refusal_after_its_grace() {
    let mut waiting = Waiting::new();
    let record = waiting.send(0);
    waiting.refuse(1);
    waiting.pass(GRACE - Duration::from_millis(1));
    waiting.refuse(1);
    assert!(!is_refused(&record));
    // Time alone fails nothing.
    waiting.pass(SECOND);
    assert!(!is_refused(&record));
    waiting.refuse(1);
    assert!(is_refused(&record));
    assert_eq!(waiting.accumulator.used(), 0);
}

#[test]
fn a_refusal_that_is_told_again_is_no_login() {
    let mut waiting = Waiting::new();
    let earlier = waiting.now;
    waiting.pass(SECOND);
    let record = waiting.send(0);
    waiting.refuse_began(1, earlier);
    waiting.pass(2 * GRACE);
    waiting.refuse_began(1, earlier);
    assert!(!is_refused(&record));
    waiting.refuse(1);
    assert!(is_refused(&record));
}

#[test]
fn what_nobody_waits_for_has_refused_nobody() {
    let mut waiting = Waiting::new();
    let first = waiting.send(0);
    waiting.refuse(1);
    waiting.pass(2 * GRACE);
    assert_eq!(waiting.sender.purge(true, true), 1);
    waiting.poll();
    assert!(matches!(
        first.result(),
        Some(Err(ProduceError::Purged { .. }))
    ));
    let second = waiting.send(0);
    // The broker is slow.
    waiting.pass(2 * GRACE);
    assert!(!is_refused(&second));
    waiting.refuse(1);
    assert!(!is_refused(&second), "it has heard of the first only now");
    waiting.pass(GRACE);
    waiting.refuse(1);
    assert!(is_refused(&second));
}

#[test]
fn a_leader_that_comes_back_is_waited_for_anew() {
    let mut waiting = Waiting::new();
    let (moving, staying) = (waiting.send(0), waiting.send(1));
    waiting.refuse(1);
    waiting.pass(SECOND);
    waiting.lead([2, 1]);
    waiting.pass(SECOND);
    waiting.lead([1, 1]);
    waiting.refuse(1);
    assert!(is_refused(&staying));
    assert!(!is_refused(&moving), "it has come just now");
    waiting.pass(GRACE);
    assert!(!is_refused(&moving));
    waiting.refuse(1);
    assert!(is_refused(&moving));
}

#[test]
fn a_later_record_does_not_share_the_grace_of_an_earlier() {
    let mut waiting = Waiting::new();
    let first = waiting.send(0);
    waiting.refuse(1);
    waiting.pass(GRACE);
    let second = waiting.send(0);
    waiting.refuse(1);
    assert!(is_refused(&first));
    assert!(!is_refused(&second));
    waiting.pass(GRACE);
    waiting.refuse(1);
    assert!(is_refused(&second));
}

#[test]
fn a_broker_that_lets_the_client_in_has_refused_nobody() {
    let mut waiting = Waiting::new();
    let record = waiting.send(0);
    waiting.refuse(1);
    waiting.pass(GRACE);
    waiting.sender.login_possible(1);
    waiting.refuse(1);
    assert!(!is_refused(&record));
    waiting.pass(GRACE);
    waiting.refuse(1);
    assert!(is_refused(&record));
}

#[test]
fn the_end_of_a_life_names_only_what_was_heard_in_it() {
    let mut waiting = Waiting::new();
    let heard = waiting.send(0);
    waiting.refuse(1);
    let unheard = waiting.send(1);
    waiting.pass(Duration::from_secs(60));
    assert!(is_refused(&heard));
    assert!(matches!(
        unheard.result(),
        Some(Err(ProduceError::DeliveryTimedOut { .. }))
    ));
}

fn is_lost(delivery: &Delivery) -> bool {
    match delivery.result() {
        None => false,
        Some(Err(ProduceError::Broker { code, .. })) => code == ErrorCode::UnknownTopicOrPartition,
        other => panic!("{other:?}"),
    }
}

const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

#[test]
fn a_partition_that_is_gone_is_waited_for_as_long_as_for_an_answer() {
    let mut waiting = Waiting::new();
    let (staying, going) = (waiting.send(0), waiting.send(1));
    waiting.pass(SECOND);
    waiting.remake(1);
    waiting.pass(REQUEST_TIMEOUT - SECOND);
    assert!(!is_lost(&going));
    waiting.pass(SECOND);
    assert!(is_lost(&going));
    assert!(staying.result().is_none());
    // What comes later has its own time.
    let later = waiting.send(1);
    waiting.pass(REQUEST_TIMEOUT - SECOND);
    assert!(!is_lost(&later));
    waiting.pass(SECOND);
    assert!(is_lost(&later));
}

#[test]
fn a_partition_that_comes_back_is_waited_for_as_any_other() {
    let mut waiting = Waiting::new();
    let record = waiting.send(1);
    waiting.remake(1);
    waiting.pass(REQUEST_TIMEOUT - SECOND);
    waiting.remake(2);
    waiting.pass(2 * SECOND);
    assert!(record.result().is_none());
    // One answer of a broker that lags behind loses nothing that has waited for long.
    waiting.remake(1);
    waiting.pass(Duration::ZERO);
    waiting.remake(2);
    waiting.pass(SECOND);
    assert!(record.result().is_none());
    waiting.remake(1);
    waiting.pass(Duration::from_secs(60) - REQUEST_TIMEOUT - 3 * SECOND);
    assert!(record.result().is_none());
    waiting.pass(SECOND);
    assert!(is_lost(&record), "delivery_timeout holds as well");
}

#[test]
fn what_may_be_stored_in_a_partition_that_is_gone_is_said_to() {
    let mut waiting = Waiting::new();
    waiting.leaders.are_connected = true;
    let record = waiting.append(1);
    let call = waiting.poll().requests.pop().expect("sent");
    let cut = NoAnswer::Indefinite {
        cause: "cut".into(),
        timed_out: false,
    };
    let now = waiting.now;
    (waiting.sender).attempt_failed(now, call.node, call.batches, &cut);
    waiting.remake(1);
    waiting.pass(SECOND);
    waiting.pass(REQUEST_TIMEOUT);
    assert!(is_lost(&record));
    let error = record.result().and_then(Result::err).expect("lost");
    assert!(error.to_string().ends_with("may be stored: cut"), "{error}");
}

/// A producer in a transaction of the older protocol: partitions are asked for at a coordinator, which has only some.
struct Asking {
    waiting: Waiting,
    /// How many partitions the topic has, which metadata may not say yet.
    count: i32,
    /// How often the coordinator said that it has no such partition.
    refusals: usize,
    metadata_was_asked_for: bool,
}

impl Asking {
    fn new() -> Self {
        let config = TransactionConfig {
            transactional_id: "tx".into(),
            transaction_timeout: Duration::from_secs(600),
            retry_backoff: Duration::from_millis(100),
            retry_backoff_max: SECOND,
            unknown_topic_limit: Duration::from_secs(30),
        };
        let mut asking = Self {
            waiting: Waiting::with(Some(Transactions::new(config, 1))),
            count: 2,
            refusals: 0,
            metadata_was_asked_for: false,
        };
        asking.transactions().init().expect("the first call");
        asking.turn();
        asking.transactions().begin().expect("initialized");
        asking
    }

    fn transactions(&mut self) -> &mut Transactions {
        self.waiting.sender.transactions().expect("transactional")
    }

    /// Answers the coordinator's requests until it waits for something else.
    fn turn(&mut self) {
        for _ in 0..10 {
            let work = self.waiting.poll();
            self.metadata_was_asked_for |= work.needs_metadata;
            let Some(dispatch) = work.coordinator else {
                return;
            };
            let answer = self.answer(&dispatch.request);
            let now = self.waiting.now;
            self.transactions().answered(now, Ok(answer));
        }
    }

    fn answer(&mut self, request: &TransactionRequest) -> TransactionResponse {
        match request {
            TransactionRequest::FindCoordinator(_) => {
                TransactionResponse::FindCoordinator(FindCoordinatorResponse::default())
            }
            TransactionRequest::InitProducerId(_) => TransactionResponse::InitProducerId {
                response: InitProducerIdResponse::default(),
                transaction_version: 0,
            },
            TransactionRequest::AddPartitions(request) => {
                let partitions = &request.v3_and_below_topics[0].partitions;
                let count = self.count;
                let refused = partitions.iter().any(|partition| *partition >= count);
                self.refusals += usize::from(refused);
                let code = |partition| match refused {
                    true if partition >= count => ErrorCode::UnknownTopicOrPartition,
                    true => ErrorCode::OperationNotAttempted,
                    false => ErrorCode::None,
                };
                let results =
                    partitions
                        .iter()
                        .map(|&partition_index| AddPartitionsToTxnPartitionResult {
                            partition_index,
                            partition_error_code: code(partition_index).code(),
                        });
                let topic = AddPartitionsToTxnTopicResult {
                    name: "t".into(),
                    results_by_partition: results.collect(),
                };
                TransactionResponse::AddPartitions(AddPartitionsToTxnResponse {
                    results_by_topic_v3_and_below: vec![topic],
                    ..AddPartitionsToTxnResponse::default()
                })
            }
            other => panic!("{other:?}"),
        }
    }

    fn pass(&mut self, time: Duration) {
        let until = self.waiting.now + time;
        while self.waiting.now < until {
            self.waiting.now += SECOND;
            self.turn();
        }
    }
}

#[test]
fn a_partition_that_is_gone_before_its_transaction_has_it_ends_that_transaction() {
    // Alone, and behind one that is there, which has its own code in the response.
    for partitions in [&[1][..], &[0, 1]] {
        let mut asking = Asking::new();
        // The topic was made again, and the producer has not heard of it.
        asking.count = 1;
        let records: Vec<Delivery> = partitions
            .iter()
            .map(|&partition| asking.waiting.append(partition))
            .collect();
        let going = records.last().expect("one is gone");
        assert!(!std::mem::take(&mut asking.metadata_was_asked_for));
        asking.turn();
        assert_eq!(asking.refusals, 1);
        asking.turn();
        assert!(
            asking.metadata_was_asked_for,
            "the coordinator knows better"
        );
        asking.waiting.leaders.count = 1;
        asking.waiting.leaders.version += 1;
        asking.pass(REQUEST_TIMEOUT);
        assert!(asking.refusals > 10);
        assert!(!is_lost(going));
        asking.pass(2 * SECOND);
        assert!(is_lost(going));
        assert!(asking.transactions().commit().is_err());
        asking.transactions().abort().expect("as it is to be");
    }
}
