//! Requests and responses of transactions, step by step, with responses made by hand.

use std::time::{Duration, Instant};

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::add_offsets_to_txn::AddOffsetsToTxnResponse;
use kafkars_protocol::messages::add_partitions_to_txn::{
    AddPartitionsToTxnPartitionResult, AddPartitionsToTxnResponse, AddPartitionsToTxnTopicResult,
};
use kafkars_protocol::messages::end_txn::EndTxnResponse;
use kafkars_protocol::messages::find_coordinator::FindCoordinatorResponse;
use kafkars_protocol::messages::init_producer_id::InitProducerIdResponse;
use kafkars_protocol::messages::txn_offset_commit::{
    TxnOffsetCommitResponse, TxnOffsetCommitResponsePartition, TxnOffsetCommitResponseTopic,
};

use super::*;
use crate::error_kind::ErrorKind;

const TIMEOUT: Duration = Duration::from_secs(10);

/// The state machine with a coordinator that accepts every request unless told otherwise.
struct Talk {
    transactions: Transactions,
    now: Instant,
    level: i16,
    epoch: i16,
    log: Vec<String>,
    // The next answer to the named request.
    surprise: Option<(&'static str, Result<ErrorCode, NoAnswer>)>,
    // The answer to each of the named requests.
    refusal: Option<(&'static str, ErrorCode)>,
}

impl Talk {
    fn new(level: i16) -> Self {
        let config = TransactionConfig {
            transactional_id: "tx".into(),
            transaction_timeout: TIMEOUT,
            retry_backoff: Duration::from_millis(100),
            retry_backoff_max: Duration::from_secs(1),
            unknown_topic_limit: TIMEOUT / 2,
        };
        Self {
            transactions: Transactions::new(config, 1),
            now: Instant::now(),
            level,
            epoch: -1,
            log: Vec::new(),
            surprise: None,
            refusal: None,
        }
    }

    fn ready(level: i16) -> Self {
        let mut talk = Self::new(level);
        let call_id = talk.transactions.init().expect("first call");
        assert_eq!(talk.finish(call_id), Ok(()));
        talk.log.clear();
        talk
    }

    fn indefinite(cause: &str) -> Result<ErrorCode, NoAnswer> {
        Err(NoAnswer::Indefinite {
            cause: cause.into(),
            timed_out: false,
        })
    }

    /// Answers requests until the call has its outcome.
    fn finish(&mut self, call_id: TransactionCallId) -> Result<(), TransactionError> {
        for _ in 0..100 {
            let outcomes = self.transactions.take_outcomes();
            if let Some(outcome) = outcomes.into_iter().find(|found| found.call_id == call_id) {
                return outcome.result;
            }
            self.turn();
        }
        panic!("no outcome; requests: {:?}", self.log);
    }

    /// One request and its answer, or the next pause.
    fn turn(&mut self) {
        let Some(dispatch) = self.transactions.poll(self.now, true) else {
            if let Some(wake) = self.transactions.next_wake() {
                self.now = self.now.max(wake);
            }
            return;
        };
        let name = dispatch.request.api().name();
        self.log.push(match &dispatch.request {
            TransactionRequest::End(end) => {
                format!("{name} {} {}", end.committed, end.producer_epoch)
            }
            TransactionRequest::InitProducerId(init) => format!("{name} {}", init.producer_epoch),
            TransactionRequest::FindCoordinator(find) => format!("{name} {}", find.key),
            _ => name.to_owned(),
        });
        let code = match self.surprise.take_if(|(api, _)| *api == name) {
            Some((_, Err(no_answer))) => {
                self.transactions.answered(self.now, Err(no_answer));
                return;
            }
            Some((_, Ok(code))) => code,
            None => self
                .refusal
                .and_then(|(api, code)| (api == name).then_some(code))
                .unwrap_or(ErrorCode::None),
        };
        let answer = self.answer(&dispatch.request, code);
        self.transactions.answered(self.now, Ok(answer));
    }

    fn answer(&mut self, request: &TransactionRequest, code: ErrorCode) -> TransactionResponse {
        let error_code = code.code();
        match request {
            TransactionRequest::FindCoordinator(_) => {
                TransactionResponse::FindCoordinator(FindCoordinatorResponse {
                    error_code,
                    node_id: 7,
                    ..FindCoordinatorResponse::default()
                })
            }
            TransactionRequest::InitProducerId(_) => {
                self.epoch += 1;
                TransactionResponse::InitProducerId {
                    response: InitProducerIdResponse {
                        error_code,
                        producer_id: 1000,
                        producer_epoch: self.epoch,
                        ..InitProducerIdResponse::default()
                    },
                    transaction_version: self.level,
                }
            }
            TransactionRequest::AddPartitions(request) => {
                let topics = request.v3_and_below_topics.iter();
                let results = topics.map(|topic| AddPartitionsToTxnTopicResult {
                    name: topic.name.clone(),
                    results_by_partition: (topic.partitions.iter())
                        .map(|partition| AddPartitionsToTxnPartitionResult {
                            partition_index: *partition,
                            partition_error_code: error_code,
                        })
                        .collect(),
                });
                TransactionResponse::AddPartitions(AddPartitionsToTxnResponse {
                    results_by_topic_v3_and_below: results.collect(),
                    ..AddPartitionsToTxnResponse::default()
                })
            }
            TransactionRequest::AddOffsets(_) => {
                TransactionResponse::AddOffsets(AddOffsetsToTxnResponse {
                    error_code,
                    ..AddOffsetsToTxnResponse::default()
                })
            }
            TransactionRequest::CommitOffsets(_) => {
                TransactionResponse::CommitOffsets(TxnOffsetCommitResponse {
                    topics: vec![TxnOffsetCommitResponseTopic {
                        name: "in".into(),
                        partitions: vec![TxnOffsetCommitResponsePartition {
                            partition_index: 0,
                            error_code,
                        }],
                    }],
                    ..TxnOffsetCommitResponse::default()
                })
            }
            TransactionRequest::End(_) => {
                let bumps = self.level >= 2 && code == ErrorCode::None;
                self.epoch += i16::from(bumps);
                TransactionResponse::End(EndTxnResponse {
                    error_code,
                    producer_id: if bumps { 1000 } else { -1 },
                    producer_epoch: if bumps { self.epoch } else { -1 },
                    ..EndTxnResponse::default()
                })
            }
        }
    }

    /// Begins and gets one partition into the transaction, as the first batch would.
    fn begin_and_send(&mut self) {
        self.transactions.begin().expect("ready");
        for _ in 0..10 {
            if self.transactions.send_permission() == SendPermission::Open
                && self.transactions.admit(&"t".into(), 0)
            {
                self.transactions.departs(self.now);
                return;
            }
            self.turn();
        }
        panic!("not admitted; requests: {:?}", self.log);
    }

    fn one_offset() -> (GroupMetadata, OffsetToCommit) {
        let group = GroupMetadata {
            group_id: "g".into(),
            generation_id: 3,
            member_id: "m".into(),
            group_instance_id: None,
        };
        let offset = OffsetToCommit {
            topic: "in".into(),
            partition: 0,
            offset: 5,
            leader_epoch: -1,
            metadata: None,
        };
        (group, offset)
    }

    fn send_offsets(&mut self) -> Result<(), TransactionError> {
        let (group, offset) = Self::one_offset();
        let call_id = self.transactions.send_offsets(group, vec![offset])?;
        self.finish(call_id)
    }

    fn commit(&mut self) -> Result<(), TransactionError> {
        let call_id = self.transactions.commit()?;
        self.finish(call_id)
    }

    fn abort(&mut self) -> Result<(), TransactionError> {
        let call_id = self.transactions.abort()?;
        self.finish(call_id)
    }
}

#[test]
fn the_older_protocol_adds_partitions_and_groups_by_requests_of_their_own() {
    let mut talk = Talk::ready(0);
    talk.begin_and_send();
    talk.send_offsets().expect("stored");
    talk.commit().expect("committed");
    assert_eq!(
        talk.log,
        [
            "AddPartitionsToTxn",
            "AddOffsetsToTxn",
            "FindCoordinator g",
            "TxnOffsetCommit",
            "EndTxn true 0",
        ]
    );
    assert_eq!(
        talk.transactions.identity().map(|known| known.epoch),
        Some(0)
    );
    assert_eq!(talk.transactions.produce_max_version(), 11);
}

#[test]
fn the_newer_protocol_adds_nothing_and_takes_an_epoch_from_each_end() {
    let mut talk = Talk::ready(2);
    talk.begin_and_send();
    talk.send_offsets().expect("stored");
    talk.commit().expect("committed");
    talk.begin_and_send();
    talk.abort().expect("aborted");
    assert_eq!(
        talk.log,
        [
            "FindCoordinator g",
            "TxnOffsetCommit",
            "EndTxn true 0",
            "EndTxn false 1"
        ]
    );
    assert_eq!(
        talk.transactions.identity().map(|known| known.epoch),
        Some(2)
    );
}

#[test]
fn a_transaction_without_content_asks_nobody() {
    let mut talk = Talk::ready(0);
    talk.transactions.begin().expect("ready");
    talk.commit().expect("committed");
    talk.transactions.begin().expect("ready");
    talk.abort().expect("aborted");
    assert_eq!(talk.log, Vec::<String>::new());
}

#[test]
fn an_end_of_unknown_fate_is_repeated_and_then_the_epoch_changes_before_anything_else() {
    let mut talk = Talk::ready(0);
    talk.begin_and_send();
    talk.surprise = Some(("EndTxn", Talk::indefinite("cut")));
    talk.commit().expect("committed");
    talk.log.clear();
    talk.transactions.begin().expect("ready");
    assert_eq!(talk.transactions.send_permission(), SendPermission::Closed);
    talk.turn();
    assert_eq!(talk.log, ["InitProducerId 0"]);
    assert_eq!(talk.transactions.send_permission(), SendPermission::Open);
    assert_eq!(
        talk.transactions.identity().map(|known| known.epoch),
        Some(1)
    );
}

#[test]
fn a_renewal_of_unknown_fate_is_followed_by_another() {
    let mut talk = Talk::ready(0);
    talk.begin_and_send();
    talk.surprise = Some(("EndTxn", Talk::indefinite("cut")));
    talk.commit().expect("committed");
    talk.log.clear();
    talk.surprise = Some(("InitProducerId", Talk::indefinite("cut")));
    talk.begin_and_send();
    assert_eq!(
        talk.log,
        [
            "InitProducerId 0",
            "FindCoordinator tx",
            "InitProducerId 0",
            "InitProducerId 1",
            "AddPartitionsToTxn"
        ]
    );
}

#[test]
fn the_newer_protocol_needs_no_renewal_after_unknown_fates() {
    let mut talk = Talk::ready(2);
    talk.begin_and_send();
    talk.surprise = Some(("EndTxn", Talk::indefinite("cut")));
    talk.commit().expect("committed");
    assert_eq!(
        talk.log,
        ["EndTxn true 0", "FindCoordinator tx", "EndTxn true 0"]
    );
    talk.begin_and_send();
}

#[test]
fn a_failed_record_leaves_nothing_but_abort() {
    let mut talk = Talk::ready(0);
    talk.begin_and_send();
    let failed = ProduceError::Broker {
        code: ErrorCode::InvalidRecord,
        topic: "t".into(),
        partition: 0,
        message: None,
    };
    talk.transactions.record_failed(&failed);
    let error = talk.commit().expect_err("lost");
    assert!(error.is_abortable(), "{error}");
    assert_eq!(error.kind(), ErrorKind::Abortable);
    assert_eq!(talk.transactions.may_send(), Err(error));
    assert!(matches!(
        talk.transactions.send_permission(),
        SendPermission::RetriesOnly(_)
    ));
    talk.abort().expect("aborted");
    // Sequence numbers may be missing: the next transaction starts them over under a new epoch.
    talk.begin_and_send();
    assert_eq!(
        talk.log,
        [
            "AddPartitionsToTxn",
            "EndTxn false 0",
            "InitProducerId 0",
            "AddPartitionsToTxn"
        ]
    );
}

#[test]
fn fencing_is_fatal_and_says_what_happened() {
    for code in [ErrorCode::ProducerFenced, ErrorCode::InvalidProducerEpoch] {
        let mut talk = Talk::ready(0);
        talk.begin_and_send();
        talk.surprise = Some(("EndTxn", Ok(code)));
        let error = talk.commit().expect_err("fenced");
        assert!(error.is_fatal());
        assert!(error.to_string().contains(code.name()), "{error}");
        assert!(!error.to_string().contains("transaction_timeout_ms"));
        assert_eq!(talk.abort(), Err(error.clone()));
        assert_eq!(talk.transactions.begin(), Err(error.clone()));
        assert!(matches!(
            talk.transactions.send_permission(),
            SendPermission::Shut(_)
        ));
    }
}

#[test]
fn a_stale_epoch_on_a_partition_is_abortable() {
    let mut talk = Talk::ready(0);
    talk.begin_and_send();
    let refused = ProduceError::Broker {
        code: ErrorCode::InvalidProducerEpoch,
        topic: "t".into(),
        partition: 0,
        message: None,
    };
    talk.transactions.record_failed(&refused);
    assert!(talk.commit().expect_err("lost").is_abortable());
}

#[test]
fn a_transaction_that_takes_too_long_is_aborted_before_the_broker_does_it() {
    for level in [0, 2] {
        let mut talk = Talk::ready(level);
        talk.begin_and_send();
        assert_eq!(talk.transactions.next_wake(), Some(talk.now + TIMEOUT));
        talk.now += TIMEOUT - Duration::from_millis(1);
        talk.turn();
        assert_ne!(talk.log.last().map(String::as_str), Some("EndTxn false 0"));
        talk.now += Duration::from_millis(1);
        talk.turn();
        assert_eq!(talk.log.last().map(String::as_str), Some("EndTxn false 0"));
        let error = talk.commit().expect_err("too late");
        assert!(
            matches!(error, TransactionError::TimedOut { .. }),
            "{error}"
        );
        talk.abort().expect("nothing left to do");
        talk.begin_and_send();
        talk.commit().expect("goes on");
    }
}

#[test]
fn calls_out_of_order_are_refused_and_change_nothing() {
    let mut talk = Talk::new(2);
    let refused = |result: Result<TransactionCallId, TransactionError>| {
        let error = result.expect_err("out of order");
        assert!(
            matches!(error, TransactionError::OutOfOrder { .. }),
            "{error}"
        );
        assert_eq!(error.kind(), ErrorKind::Invalid);
    };
    refused(talk.transactions.commit());
    refused(talk.transactions.begin().map(|()| TransactionCallId(0)));
    let call_id = talk.transactions.init().expect("first call");
    assert_eq!(talk.transactions.init(), Ok(call_id));
    assert_eq!(talk.finish(call_id), Ok(()));
    refused(talk.transactions.init());
    refused(talk.transactions.abort());
    assert!(talk.transactions.may_send().is_err());
    talk.transactions.begin().expect("ready");
    refused(talk.transactions.begin().map(|()| TransactionCallId(0)));
    let call_id = talk.transactions.commit().expect("open");
    refused(talk.transactions.abort());
    assert_eq!(talk.finish(call_id), Ok(()));
}

#[test]
fn coordinators_that_move_load_or_are_busy_are_asked_again() {
    for code in [
        ErrorCode::NotCoordinator,
        ErrorCode::CoordinatorNotAvailable,
        ErrorCode::CoordinatorLoadInProgress,
        ErrorCode::ConcurrentTransactions,
    ] {
        for api in [
            "InitProducerId",
            "AddPartitionsToTxn",
            "TxnOffsetCommit",
            "EndTxn",
        ] {
            let mut talk = Talk::new(0);
            talk.surprise = Some((api, Ok(code)));
            let call_id = talk.transactions.init().expect("first call");
            assert_eq!(talk.finish(call_id), Ok(()));
            talk.begin_and_send();
            talk.send_offsets().expect("stored");
            talk.commit().expect("committed");
            assert!(talk.surprise.is_none());
        }
    }
}

#[test]
fn what_never_opened_at_the_coordinator_is_not_ended_there() {
    let unheard = [
        // The markers of the previous transaction are not written yet.
        Ok(ErrorCode::ConcurrentTransactions),
        Ok(ErrorCode::CoordinatorLoadInProgress),
        Ok(ErrorCode::TopicAuthorizationFailed),
        Err(NoAnswer::NotSent {
            cause: "no connection".into(),
        }),
    ];
    for surprise in unheard {
        let mut talk = Talk::ready(0);
        talk.begin_and_send();
        talk.commit().expect("committed");
        talk.log.clear();
        talk.transactions.begin().expect("ready");
        assert!(!talk.transactions.admit(&"t".into(), 0));
        talk.surprise = Some(("AddPartitionsToTxn", surprise.clone()));
        talk.turn();
        talk.abort().expect("aborted");
        assert_eq!(talk.log[0], "AddPartitionsToTxn");
        let ended = talk.log.iter().any(|request| request.starts_with("EndTxn"));
        assert!(!ended, "{surprise:?}: {:?}", talk.log);
        talk.begin_and_send();
        talk.commit().expect("committed");
    }
}

#[test]
fn what_may_have_opened_is_ended_and_a_coordinator_that_knows_of_nothing_agrees() {
    for surprise in [
        Talk::indefinite("cut"),
        Ok(ErrorCode::CoordinatorNotAvailable),
    ] {
        let mut talk = Talk::ready(0);
        talk.transactions.begin().expect("ready");
        assert!(!talk.transactions.admit(&"t".into(), 0));
        talk.surprise = Some(("AddPartitionsToTxn", surprise.clone()));
        talk.turn();
        talk.log.clear();
        talk.surprise = Some(("EndTxn", Ok(ErrorCode::InvalidTxnState)));
        talk.abort().expect("aborted");
        assert_eq!(talk.log.last().map(String::as_str), Some("EndTxn false 0"));
        talk.log.clear();
        talk.begin_and_send();
        // A request that is still on its way meets a newer epoch.
        assert_eq!(talk.log, ["InitProducerId 0", "AddPartitionsToTxn"]);
        talk.commit().expect("committed");
    }
    let mut talk = Talk::ready(0);
    talk.begin_and_send();
    talk.surprise = Some(("EndTxn", Ok(ErrorCode::InvalidTxnState)));
    assert!(talk.abort().expect_err("was open").is_fatal());
}

#[test]
fn a_lost_membership_is_abortable() {
    let mut talk = Talk::ready(2);
    talk.transactions.begin().expect("ready");
    talk.surprise = Some(("TxnOffsetCommit", Ok(ErrorCode::IllegalGeneration)));
    let error = talk.send_offsets().expect_err("moved on");
    assert!(error.is_abortable(), "{error}");
    talk.abort().expect("aborted");
}

#[test]
fn a_forgotten_producer_id_is_replaced_at_abort() {
    let mut talk = Talk::ready(0);
    talk.begin_and_send();
    talk.surprise = Some(("EndTxn", Ok(ErrorCode::InvalidProducerIdMapping)));
    assert!(talk.commit().expect_err("lost").is_abortable());
    talk.log.clear();
    talk.abort().expect("aborted");
    talk.begin_and_send();
    assert_eq!(talk.log, ["InitProducerId 0", "AddPartitionsToTxn"]);
}

#[test]
fn offsets_of_a_topic_that_is_gone_do_not_hold_up_a_commit_for_ever() {
    let mut talk = Talk::ready(2);
    talk.begin_and_send();
    talk.refusal = Some(("TxnOffsetCommit", ErrorCode::UnknownTopicOrPartition));
    let begun = talk.now;
    let refused = talk.send_offsets().expect_err("the topic is gone");
    assert!(
        talk.now - begun >= TIMEOUT / 2,
        "the topic may be about to come"
    );
    assert!(refused.is_abortable(), "{refused}");
    assert_eq!(talk.commit(), Err(refused));
    let abort = talk.transactions.abort().expect("open");
    assert_eq!(talk.finish(abort), Ok(()));
}

#[test]
fn a_commit_that_waits_for_offsets_of_a_topic_that_is_gone_ends_and_can_be_aborted() {
    let mut talk = Talk::ready(2);
    talk.begin_and_send();
    talk.refusal = Some(("TxnOffsetCommit", ErrorCode::UnknownTopicOrPartition));
    let (group, offset) = Talk::one_offset();
    let offsets = talk.transactions.send_offsets(group, vec![offset]);
    let refused = talk.commit().expect_err("the topic is gone");
    assert!(refused.is_abortable(), "{refused}");
    assert!(offsets.is_ok());
    let abort = talk.transactions.abort().expect("open");
    assert_eq!(talk.finish(abort), Ok(()));
}

#[test]
fn offsets_of_a_topic_that_comes_in_time_are_committed() {
    let mut talk = Talk::ready(2);
    for _ in 0..2 {
        talk.begin_and_send();
        talk.surprise = Some(("TxnOffsetCommit", Ok(ErrorCode::UnknownTopicOrPartition)));
        assert_eq!(talk.send_offsets(), Ok(()));
        assert_eq!(talk.commit(), Ok(()));
        // What was refused once long ago does not count.
        talk.now += TIMEOUT;
    }
}

#[test]
fn what_offsets_have_waited_for_ends_with_them() {
    let mut talk = Talk::ready(2);
    talk.begin_and_send();
    let (group, offset) = Talk::one_offset();
    let sent = talk.transactions.send_offsets(group, vec![offset]);
    assert!(sent.is_ok());
    talk.refusal = Some(("TxnOffsetCommit", ErrorCode::UnknownTopicOrPartition));
    while !talk.log.contains(&"TxnOffsetCommit".to_owned()) {
        talk.turn();
    }
    talk.refusal = None;
    talk.abort().expect("open");
    talk.now += TIMEOUT;
    talk.begin_and_send();
    talk.surprise = Some(("TxnOffsetCommit", Ok(ErrorCode::UnknownTopicOrPartition)));
    assert_eq!(talk.send_offsets(), Ok(()));
    assert_eq!(talk.commit(), Ok(()));
}

#[test]
fn an_abort_overtakes_offsets_that_wait() {
    let mut talk = Talk::ready(2);
    talk.begin_and_send();
    let (group, offset) = Talk::one_offset();
    let waiting = talk
        .transactions
        .send_offsets(group.clone(), vec![offset.clone()]);
    let abort = talk.transactions.abort().expect("open");
    let outcomes = talk.transactions.take_outcomes();
    assert_eq!(Ok(outcomes[0].call_id), waiting);
    assert!(matches!(
        outcomes[0].result,
        Err(TransactionError::Superseded { .. })
    ));
    assert_eq!(talk.finish(abort), Ok(()));
    talk.transactions.begin().expect("ready");
    let negative = OffsetToCommit {
        offset: -1,
        ..offset
    };
    let refused = talk.transactions.send_offsets(group, vec![negative]);
    assert!(matches!(
        refused,
        Err(TransactionError::InvalidArgument { .. })
    ));
}

#[test]
fn a_transaction_that_is_left_is_aborted_without_another_call() {
    for level in [1, 2] {
        let mut talk = Talk::ready(level);
        talk.begin_and_send();
        assert!(talk.transactions.leave());
        assert!(talk.transactions.is_left());
        let end = talk.transactions.join_left();
        assert_eq!(talk.finish(end), Ok(()));
        assert!(talk.log.iter().any(|each| each.starts_with("EndTxn false")));
        assert!(!talk.transactions.is_left());
        talk.begin_and_send();
        assert_eq!(talk.commit(), Ok(()));
    }
}

#[test]
fn a_commit_that_is_left_is_carried_out_and_aborted_where_it_fails() {
    for (level, fails) in [(1, false), (1, true), (2, false), (2, true)] {
        let mut talk = Talk::ready(level);
        talk.begin_and_send();
        let commit = talk.transactions.commit().expect("open");
        assert!(!talk.transactions.leave(), "it is not aborted");
        if fails {
            let lost = ProduceError::Purged { in_flight: false };
            talk.transactions.record_failed(&lost);
        }
        assert_eq!(talk.finish(commit).is_err(), fails);
        let end = talk.transactions.join_left();
        assert_eq!(talk.finish(end), Ok(()));
        let ending = format!("EndTxn {}", !fails);
        let ends: Vec<_> = (talk.log.iter())
            .filter(|each| each.starts_with("EndTxn"))
            .collect();
        assert!(ends.len() == 1 && ends[0].starts_with(&ending), "{ends:?}");
        assert_eq!(talk.transactions.begin(), Ok(()));
        assert_eq!(talk.transactions.number(), 2);
    }
}
