//! What the responses of coordinators lead to.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::init_producer_id::InitProducerIdResponse;

use super::error_action::{ErrorAction, Finding, is_without_effect, judge, judge_offset, worst};
use super::step::CoordinatorStep;
use super::{
    FindCoordinator, NoAnswer, OpenedAtCoordinator, TransactionCallOutcome, TransactionError,
    TransactionPhase, TransactionResponse, Transactions, Version,
};
use crate::backoff::Backoff;
use crate::produce::sequence::ProducerIdentity;

/// `CONCURRENT_TRANSACTIONS` ends as soon as the markers of the previous transaction are written, which takes
/// milliseconds. So its first pause is short: the usual one would delay many transactions that follow another.
const MARKERS: Duration = Duration::from_millis(20);

impl Transactions {
    /// Takes the response to the request that [`Transactions::poll`] returned, or why there is none.
    pub fn answered(&mut self, now: Instant, answer: Result<TransactionResponse, NoAnswer>) {
        // None after the producer failed or was closed meanwhile.
        let Some(step) = self.in_flight.take() else {
            return;
        };
        let response = match answer {
            Ok(response) => response,
            Err(no_answer) => return self.unanswered(now, step, no_answer),
        };
        let finding = match &response {
            TransactionResponse::FindCoordinator(response) => {
                let (code, message, node) = FindCoordinator::answer(response);
                let finding = judge(code, message);
                if finding.0 == ErrorAction::Done {
                    self.found(step, node);
                }
                finding
            }
            TransactionResponse::InitProducerId { response, .. } => {
                judge(response.error_code, self.timeout_hint(response.error_code))
            }
            TransactionResponse::AddPartitions(response) => {
                let topics = response.results_by_topic_v3_and_below.iter();
                let codes = topics.flat_map(|topic| {
                    let partitions = topic.results_by_partition.iter();
                    partitions.map(|partition| {
                        let place = format!("{}-{}", topic.name, partition.partition_index);
                        judge(partition.partition_error_code, Some(place.into()))
                    })
                });
                worst(codes)
            }
            TransactionResponse::AddOffsets(response) => judge(response.error_code, self.group()),
            TransactionResponse::CommitOffsets(response) => {
                let codes = response.topics.iter().flat_map(|topic| {
                    let partitions = topic.partitions.iter();
                    partitions.map(|partition| {
                        let place = format!("{}-{}", topic.name, partition.partition_index);
                        judge_offset(partition.error_code, place)
                    })
                });
                worst(codes)
            }
            TransactionResponse::End(response) => judge(response.error_code, None),
        };
        self.act(now, step, finding, &response);
    }

    fn act(
        &mut self,
        now: Instant,
        step: CoordinatorStep,
        finding: Finding,
        response: &TransactionResponse,
    ) {
        let (error_action, code, message) = self.without_topic(now, step, finding);
        match error_action {
            ErrorAction::Done => {}
            _ if is_without_effect(error_action, code) => self.not_opened(step),
            _ => self.perhaps_opened(step),
        }
        if error_action != ErrorAction::Done {
            let about = message
                .as_deref()
                .map_or_else(String::new, |about| format!(" ({about})"));
            let asking = self.asking(step);
            self.last_error =
                Some(format!("{asking}: {}: {}{about}", code.name(), code.description()).into());
        }
        self.partitions_in_doubt |=
            step == CoordinatorStep::AddPartitions && code == ErrorCode::UnknownTopicOrPartition;
        match error_action {
            ErrorAction::Done => {
                // A coordinator that is found may refuse again, so only its own responses end the back-off.
                if !step.is_search() {
                    self.last_error = None;
                    self.failures = 0;
                }
                self.done(step, response);
            }
            ErrorAction::Again => self.pause(now),
            ErrorAction::Concurrent => {
                self.pause_by(now, self.backoff.beginning_at(MARKERS));
            }
            ErrorAction::Elsewhere => {
                self.forget(step);
                self.pause(now);
            }
            ErrorAction::Fenced => {
                let elapsed = self.started.map(|started| now - started);
                self.fail(TransactionError::Fenced {
                    transactional_id: Arc::clone(&self.config.transactional_id),
                    code,
                    elapsed,
                    limit: self.config.transaction_timeout,
                    init_lost: self.init_lost,
                });
            }
            ErrorAction::Abortable | ErrorAction::MappingLost => {
                self.mapping_lost |= error_action == ErrorAction::MappingLost;
                self.abortable(now, step, code, message);
            }
            // The transaction was never open at the coordinator; a request to open it that is still on its way will
            // meet a newer epoch.
            ErrorAction::Fatal
                if code == ErrorCode::InvalidTxnState
                    && step == (CoordinatorStep::End { committed: false })
                    && self.heard == OpenedAtCoordinator::Perhaps =>
            {
                self.renewal = true;
                self.complete();
            }
            ErrorAction::Fatal => {
                let error = self.refused(step.api().name(), code, message, true);
                self.fail(error);
            }
        }
    }

    /// Ends the tries to commit offsets of a topic that nobody knows: it may be about to come, but one that is gone
    /// would keep a transaction from both its commit and its abort.
    fn without_topic(&mut self, now: Instant, step: CoordinatorStep, finding: Finding) -> Finding {
        if step != CoordinatorStep::CommitOffsets {
            return finding;
        }
        // An abort may have dropped the offsets meanwhile.
        let Some(offsets) = self.offsets.front_mut() else {
            return finding;
        };
        let (error_action, code, message) = finding;
        if (error_action, code) != (ErrorAction::Again, ErrorCode::UnknownTopicOrPartition) {
            offsets.unknown_topic_since = None;
            return (error_action, code, message);
        }
        let since = *offsets.unknown_topic_since.get_or_insert(now);
        let error_action = match now - since < self.config.unknown_topic_limit {
            true => error_action,
            false => ErrorAction::Abortable,
        };
        (error_action, code, message)
    }

    /// Notes that a request had no effect. If it was the one that would have opened the transaction, EndTxn is not
    /// needed. That happens when an abort follows at once on a record whose partition was refused because the markers
    /// of the previous transaction were not written.
    fn not_opened(&mut self, step: CoordinatorStep) {
        if step.opens() && self.heard == OpenedAtCoordinator::Asked {
            self.heard = OpenedAtCoordinator::Nothing;
            self.started = None;
        }
    }

    fn perhaps_opened(&mut self, step: CoordinatorStep) {
        if step.opens() && self.heard == OpenedAtCoordinator::Asked {
            self.heard = OpenedAtCoordinator::Perhaps;
        }
    }

    fn done(&mut self, step: CoordinatorStep, response: &TransactionResponse) {
        match (step, response) {
            (
                CoordinatorStep::Init,
                TransactionResponse::InitProducerId {
                    response,
                    transaction_version,
                },
            ) => self.initialized(response, *transaction_version),
            (CoordinatorStep::AddPartitions, _) => {
                self.heard = OpenedAtCoordinator::Surely;
                self.asked_are_added();
            }
            (CoordinatorStep::AddOffsets, _) => {
                self.heard = OpenedAtCoordinator::Surely;
                if let Some(offsets) = self.offsets.front_mut() {
                    offsets.added = true;
                }
            }
            // An abort may have dropped the offsets meanwhile, and reported their outcome.
            (CoordinatorStep::CommitOffsets, _) => {
                if let Some(step) = self.offsets.pop_front() {
                    self.outcomes.push(TransactionCallOutcome {
                        call_id: step.call_id,
                        result: Ok(()),
                    });
                }
            }
            (CoordinatorStep::End { .. }, TransactionResponse::End(response)) => {
                // Since version 5 the response to EndTxn has the next epoch, or a new producer id when epochs have run
                // out (KIP-890).
                if self.version == Version::Two && response.producer_id >= 0 {
                    self.identity = Some(ProducerIdentity {
                        id: response.producer_id,
                        epoch: response.producer_epoch,
                    });
                }
                self.complete();
            }
            // `found` has handled FindCoordinator; any other pair would be a response to another request.
            _ => {}
        }
    }

    fn initialized(&mut self, response: &InitProducerIdResponse, transaction_version: i16) {
        self.identity = Some(ProducerIdentity {
            id: response.producer_id,
            epoch: response.producer_epoch,
        });
        self.version = if transaction_version >= 2 {
            Version::Two
        } else {
            Version::One
        };
        // Once the epoch has moved on again, the coordinator refuses the request that was lost.
        self.renewal = std::mem::take(&mut self.renewal_lost);
        self.mapping_lost = false;
        if self.phase == TransactionPhase::Initializing {
            self.phase = TransactionPhase::Ready;
            self.end_call(Ok(()));
        }
    }

    fn found(&mut self, step: CoordinatorStep, node: i32) {
        match step {
            CoordinatorStep::FindCoordinator => self.coordinator = Some(node),
            CoordinatorStep::FindGroupCoordinator => {
                let group = self.offsets.front().map(|step| &step.group.group_id);
                self.group_coordinator = group.map(|group| (Arc::clone(group), node));
            }
            _ => {}
        }
    }

    fn unanswered(&mut self, now: Instant, step: CoordinatorStep, no_answer: NoAnswer) {
        let asking = self.asking(step);
        match no_answer {
            NoAnswer::Indefinite { cause, .. } => {
                self.last_error = Some(format!("{asking}: {cause}").into());
                self.init_lost |= step == CoordinatorStep::Init && self.identity.is_none();
                self.indefinite |= !(step.is_search() || step == CoordinatorStep::Init);
                self.renewal_lost |=
                    step == CoordinatorStep::Init && self.phase != TransactionPhase::Initializing;
                self.perhaps_opened(step);
            }
            NoAnswer::NotSent { cause } => {
                self.last_error = Some(format!("{asking}: {cause}").into());
                self.not_opened(step);
            }
            NoAnswer::Impossible { cause } => {
                let cause = format!("{asking}: {cause}").into();
                return self.fail(TransactionError::Impossible { cause });
            }
        }
        self.forget(step);
        self.pause(now);
    }

    fn abortable(
        &mut self,
        now: Instant,
        step: CoordinatorStep,
        code: ErrorCode,
        message: Option<Arc<str>>,
    ) {
        let error = self.refused(step.api().name(), code, message, false);
        match (&self.phase, step) {
            (TransactionPhase::Initializing | TransactionPhase::Ready, _)
            | (_, CoordinatorStep::Init) => {
                // There is no transaction to abort.
                let error = self.refused(step.api().name(), code, None, true);
                self.fail(error);
            }
            // When the producer id is unknown to the coordinator, EndTxn is skipped at the next poll.
            (TransactionPhase::Aborting(_), CoordinatorStep::End { .. }) if self.mapping_lost => {}
            (TransactionPhase::Aborting(_), CoordinatorStep::End { .. }) => {
                self.end_call(Err(error.clone()));
                self.phase = TransactionPhase::Abortable(error);
                self.abort_if_left();
                // Without a pause, a transaction that was left would be ended again and again at a broker that refuses
                // each time.
                self.pause(now);
            }
            // The transaction is being aborted already. The pause limits requests to a broker that refuses each time.
            (TransactionPhase::Aborting(_) | TransactionPhase::Abortable(_), _) => self.pause(now),
            _ => self.give_up_transaction(error),
        }
    }

    fn forget(&mut self, step: CoordinatorStep) {
        match step {
            CoordinatorStep::FindCoordinator | CoordinatorStep::FindGroupCoordinator => {}
            CoordinatorStep::CommitOffsets => self.group_coordinator = None,
            CoordinatorStep::Init
            | CoordinatorStep::AddPartitions
            | CoordinatorStep::AddOffsets
            | CoordinatorStep::End { .. } => {
                self.coordinator = None;
            }
        }
    }

    fn pause(&mut self, now: Instant) {
        self.pause_by(now, self.backoff);
    }

    fn pause_by(&mut self, now: Instant, backoff: Backoff) {
        self.failures = self.failures.saturating_add(1);
        self.not_before = Some(now + backoff.delay(self.failures, self.random.next()));
    }

    fn group(&self) -> Option<Arc<str>> {
        let step = self.offsets.front()?;
        Some(format!("group {:?}", step.group.group_id).into())
    }

    fn timeout_hint(&self, code: i16) -> Option<Arc<str>> {
        let wrong = ErrorCode::from_i16(code) == ErrorCode::InvalidTransactionTimeout;
        wrong.then(|| {
            format!(
                "transaction_timeout_ms={} is above the broker's transaction.max.timeout.ms; lower it",
                self.config.transaction_timeout.as_millis()
            )
            .into()
        })
    }

    pub(super) fn refused(
        &self,
        api: &'static str,
        code: ErrorCode,
        message: Option<Arc<str>>,
        fatal: bool,
    ) -> TransactionError {
        TransactionError::Refused {
            api,
            code,
            message: message.map(|message| format!("{message}: {}", code.description()).into()),
            fatal,
        }
    }

    /// True for error codes of Produce responses that end the producer, not only the transaction.
    pub(super) fn is_fatal_for_records(&self, code: ErrorCode) -> bool {
        matches!(
            code,
            ErrorCode::ProducerFenced
                | ErrorCode::TransactionalIdAuthorizationFailed
                | ErrorCode::ClusterAuthorizationFailed
        )
    }
}
