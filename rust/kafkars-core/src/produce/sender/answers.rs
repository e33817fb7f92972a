//! What happens to batches after a try: they were stored, are tried again, split, or fail.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::produce::ProduceResponse;

use super::{InFlightBatch, Sender, View};
use crate::backoff::Backoff;
use crate::produce::delivery::{BatchAck, BatchOutcome};
use crate::produce::error::ProduceError;
use crate::produce::outcome::{ProduceOutcome, judge};
use crate::produce::request::Answers;
use crate::produce::split::split;
use crate::transaction::NoAnswer;

/// `CONCURRENT_TRANSACTIONS` ends as soon as the markers of the previous transaction are written.
const MARKERS: Duration = Duration::from_millis(20);

/// What a try to send a batch has met.
struct Met {
    code: ErrorCode,
    cause: Arc<str>,
    /// Whether a broker has said so.
    is_answer: bool,
    /// Whether the time of a record ended before a broker can be said to be silent.
    is_short: bool,
}

impl Met {
    fn answer(code: ErrorCode, cause: impl Into<Arc<str>>) -> Self {
        Self {
            code,
            cause: cause.into(),
            is_answer: true,
            is_short: false,
        }
    }
}

impl Sender {
    /// Takes a node's response to a Produce request.
    pub fn answered(
        &mut self,
        now: Instant,
        node: i32,
        batches: Vec<InFlightBatch>,
        response: &ProduceResponse,
        view: &dyn View,
    ) {
        self.landed(node);
        let answers = Answers::new(response);
        for in_flight in batches {
            let (topic, partition) = (in_flight.buffer.topic(), in_flight.buffer.partition());
            let Some(answer) = answers.find(topic, in_flight.topic_id, partition) else {
                let cause = "the response left this partition out";
                let met = Met::answer(ErrorCode::UnknownServerError, cause);
                self.needs_metadata = true;
                self.retry(now, in_flight, met, self.backoff);
                continue;
            };
            let has_earlier = in_flight.buffer.lock().has_earlier(in_flight.batch.ordinal);
            let transactional = self.transactions.is_some();
            match judge(&in_flight.batch, answer, has_earlier, transactional) {
                ProduceOutcome::Stored(ack) => {
                    let is_same_topic = in_flight.topic_id == view.topic_id(topic);
                    self.stored(in_flight, ack, is_same_topic);
                }
                ProduceOutcome::Retry {
                    code,
                    cause,
                    refresh,
                    soon,
                } => {
                    self.needs_metadata |= refresh;
                    let backoff = if soon {
                        self.backoff.beginning_at(MARKERS)
                    } else {
                        self.backoff
                    };
                    self.retry(now, in_flight, Met::answer(code, cause), backoff);
                }
                ProduceOutcome::Restart { code, new_id } => {
                    let cause: Arc<str> = code.name().into();
                    let refused = in_flight.batch.sequence.map(|sequence| sequence.identity);
                    self.identity.next_epoch(refused, new_id);
                    let has_gap = {
                        let mut state = in_flight.buffer.lock();
                        state.restart();
                        state.has_gap()
                    };
                    // Kafka keeps no place for what it has refused: after every failure that is so.
                    if has_gap {
                        tracing::info!(target: "kafkars::producer", client = %self.client, %topic, partition, %cause, "numbering starts over behind records that were not stored, whose failure was reported; nothing else is lost or doubled");
                    } else {
                        tracing::warn!(target: "kafkars::producer", client = %self.client, %topic, partition, %cause, "the broker has lost an idempotent producer's numbers; numbering starts over, nothing is lost or doubled");
                    }
                    self.retry(now, in_flight, Met::answer(code, cause), self.backoff);
                }
                ProduceOutcome::Split(error) => self.split(in_flight, error),
                ProduceOutcome::Failed(error) => {
                    self.arrived(in_flight, BatchOutcome::Failed(error))
                }
            }
        }
    }

    /// Notes why a broker cannot be reached, in the batches that wait for it.
    pub fn unreachable(&mut self, node: i32, cause: &str) {
        self.needs_metadata = true;
        let cause: Arc<str> = format!("broker {node}: {cause}").into();
        if let Some(queue) = self.queues.nodes.get(&node) {
            for buffer in &queue.ready {
                buffer.lock().blame(&cause, None);
            }
        }
    }

    /// Notes that a request got no response, or could not be sent.
    pub fn attempt_failed(
        &mut self,
        now: Instant,
        node: i32,
        batches: Vec<InFlightBatch>,
        no_answer: &NoAnswer,
    ) {
        self.landed(node);
        let (cause, code) = match no_answer {
            NoAnswer::Indefinite { cause, timed_out } => {
                if let Some(transactions) = &mut self.transactions {
                    transactions.produce_lost();
                }
                let code = match timed_out {
                    true => ErrorCode::RequestTimedOut,
                    false => ErrorCode::NetworkException,
                };
                (cause, Some(code))
            }
            NoAnswer::NotSent { cause } => (cause, None),
            NoAnswer::Impossible { cause } => {
                for in_flight in batches {
                    self.impossible(in_flight, cause);
                }
                return;
            }
        };
        let sent_at = batches.first().map_or(now, |in_flight| in_flight.sent_at);
        // A request waits as long as its oldest record may, which can be a few milliseconds.
        let is_short = code == Some(ErrorCode::RequestTimedOut)
            && now - sent_at < self.config.request_timeout / 2;
        if is_short {
            self.needs_metadata = true;
        } else {
            self.unreachable(node, cause);
        }
        for mut in_flight in batches {
            let cause = Arc::clone(cause);
            match code {
                Some(code) => {
                    let met = Met {
                        code,
                        cause,
                        is_answer: false,
                        is_short,
                    };
                    self.retry(now, in_flight, met, self.backoff);
                }
                // What has not left may leave as often as ever.
                None => {
                    in_flight.batch.last_code = None;
                    self.wait_again(now, in_flight, cause, false, self.backoff);
                }
            }
        }
    }

    /// Ends the batches of a request with acks=0: no response comes, so all that can be known is that it was written to
    /// the socket.
    pub fn written(&mut self, node: i32, batches: Vec<InFlightBatch>) {
        self.landed(node);
        for in_flight in batches {
            let unknown = BatchAck {
                base_offset: -1,
                log_append_time: -1,
            };
            self.stored(in_flight, unknown, false);
        }
    }

    fn landed(&mut self, node: i32) {
        if let Some(node) = self.queues.nodes.get_mut(&node) {
            node.in_flight = node.in_flight.saturating_sub(1);
        }
    }

    /// Ends a batch that was stored. Unless the topic was created again meanwhile, its log knows the producer from now
    /// on.
    fn stored(&mut self, in_flight: InFlightBatch, ack: BatchAck, is_same_topic: bool) {
        {
            let batch = &in_flight.batch;
            let mut state = in_flight.buffer.lock();
            state.count_stored(batch);
            state.membership.reported = false;
            if let Some(sequence) = batch.sequence.filter(|_| is_same_topic) {
                state.proven(sequence);
            }
        }
        self.arrived(in_flight, BatchOutcome::Acknowledged(ack));
    }

    /// Ends a batch that was under way with its outcome.
    pub(super) fn arrived(&mut self, in_flight: InFlightBatch, outcome: BatchOutcome) {
        let InFlightBatch { buffer, batch, .. } = in_flight;
        let waits = {
            let mut state = buffer.lock();
            state.landed(batch.ordinal);
            if let BatchOutcome::Failed(_) = &outcome {
                state.give_up(&batch);
            }
            state.oldest().is_some()
        };
        if waits {
            self.touched.push(buffer);
        }
        self.finish(batch, outcome);
    }

    /// Sends a batch again that was sent and not stored, as often as `retries` allows.
    fn retry(&mut self, now: Instant, mut in_flight: InFlightBatch, met: Met, backoff: Backoff) {
        // The silence of a moment takes nothing back of what was met before.
        let before = in_flight.batch.last_code.filter(|_| met.is_short);
        let is_nothing = before.is_some();
        let retries = self.config.retries;
        if in_flight.batch.attempts >= retries && !in_flight.batch.delivery.is_done() {
            let (code, is_answer) = match before {
                // Whether a broker has said so or nobody answered is not kept.
                Some(code @ (ErrorCode::RequestTimedOut | ErrorCode::NetworkException)) => {
                    (code, false)
                }
                Some(code) => (code, true),
                None => (met.code, met.is_answer),
            };
            let cause = in_flight.batch.last_cause.take();
            let error = ProduceError::RetriesExhausted {
                topic: Arc::clone(in_flight.buffer.topic()),
                partition: in_flight.buffer.partition(),
                retries,
                code,
                is_answer,
                cause: cause.filter(|_| is_nothing).unwrap_or(met.cause),
            };
            return self.arrived(in_flight, BatchOutcome::Failed(error));
        }
        in_flight.batch.attempts += 1;
        if !is_nothing {
            in_flight.batch.last_code = Some(met.code);
        }
        self.wait_again(now, in_flight, met.cause, is_nothing, backoff);
    }

    /// Puts a batch back in its place, to be sent after a pause, or gives it up if its time ends before. If this try
    /// `is_nothing`, what the batch has met before stays its cause.
    fn wait_again(
        &mut self,
        now: Instant,
        in_flight: InFlightBatch,
        cause: Arc<str>,
        is_nothing: bool,
        backoff: Backoff,
    ) {
        if in_flight.batch.delivery.is_done() {
            return self.purged(in_flight);
        }
        let InFlightBatch {
            buffer, mut batch, ..
        } = in_flight;
        let end = batch.created + self.config.delivery_timeout;
        let left = end.saturating_duration_since(now);
        let pause = backoff.delay_within(left, batch.attempts.max(1), self.random.next());
        tracing::debug!(
            target: "kafkars::producer",
            client = %self.client,
            topic = %buffer.topic(),
            partition = buffer.partition(),
            attempt = batch.attempts,
            %cause,
            "a batch was not stored and is sent again"
        );
        let (cause, other) = match batch.last_cause.take() {
            Some(before) if is_nothing => (before, Some(("after", cause))),
            Some(before) if before != cause => (cause, Some(("before", before))),
            _ => (cause, None),
        };
        let mut state = buffer.lock();
        state.blame(&cause, batch.last_code);
        match pause {
            Some(pause) => {
                batch.last_cause = Some(cause);
                self.retries += 1;
                state.put_back(batch, now + pause);
                drop(state);
            }
            None => {
                state.landed(batch.ordinal);
                drop(state);
                // One try alone may say little: the last one may have had no time for a response.
                batch.last_cause = Some(match other {
                    Some((when, other)) => format!("{cause}; {when} that: {other}").into(),
                    None => cause,
                });
                self.expire(batch, None, "no broker took it".into());
            }
        }
        self.touched.push(buffer);
    }

    fn split(&mut self, in_flight: InFlightBatch, error: ProduceError) {
        if in_flight.batch.delivery.is_done() {
            return self.purged(in_flight);
        }
        let InFlightBatch {
            buffer,
            batch,
            topic_id,
            sent_at,
        } = in_flight;
        let ordinal = batch.ordinal;
        tracing::info!(
            target: "kafkars::producer",
            client = %self.client,
            topic = %buffer.topic(),
            partition = buffer.partition(),
            records = batch.count,
            "a batch was too large for its topic and goes out in two"
        );
        match split(batch) {
            Ok(parts) => {
                buffer.lock().put_back_parts(ordinal, parts);
                self.touched.push(buffer);
            }
            Err(whole) => {
                let batch = whole.0;
                let in_flight = InFlightBatch {
                    buffer,
                    batch,
                    topic_id,
                    sent_at,
                };
                self.arrived(in_flight, BatchOutcome::Failed(error));
            }
        }
    }

    pub(super) fn impossible(&mut self, in_flight: InFlightBatch, cause: &str) {
        let error = ProduceError::Impossible {
            topic: Arc::clone(in_flight.buffer.topic()),
            cause: cause.into(),
        };
        self.arrived(in_flight, BatchOutcome::Failed(error));
    }
}
