//! The task of one connection: it receives responses, writes what the socket would not take at once, and keeps time.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use kafkars_protocol::peek_correlation_id;
use tokio::time::Sleep;

use super::connection::shared::ConnectionShared;
use super::frame_reader::{FrameReader, ReadError};
use super::transport::ReadHalf;
use crate::error::AttemptError;
use crate::now;

/// A future that ends when the connection does.
pub(crate) struct ConnectionTask {
    shared: Arc<ConnectionShared>,
    reader: FrameReader<ReadHalf>,
    received: u64,
    alarm: Pin<Box<Sleep>>,
}

impl ConnectionTask {
    pub(super) fn new(shared: Arc<ConnectionShared>, reader: FrameReader<ReadHalf>) -> Self {
        Self {
            shared,
            reader,
            received: 0,
            alarm: Box::pin(tokio::time::sleep_until(now().into())),
        }
    }

    /// Receives until there is nothing more to receive for now.
    fn receive(&mut self, context: &mut Context<'_>) -> Result<(), AttemptError> {
        self.reader.expect_tokens(self.shared.expects_tokens());
        let result = loop {
            match self.reader.poll_frame(context) {
                Poll::Pending => break Ok(()),
                Poll::Ready(Ok(frame)) => {
                    if let Err(error) = self.dispatch(frame) {
                        break Err(error);
                    }
                }
                Poll::Ready(Err(ReadError::Frame(error))) => break Err(error.into()),
                Poll::Ready(Err(ReadError::Io(error))) => break Err(AttemptError::from_io(&error)),
                Poll::Ready(Err(ReadError::End)) => {
                    break Err(AttemptError::Disconnected("end of stream".into()));
                }
            }
        };
        let received = self.reader.received();
        let counters = &self.shared.settings.counters;
        counters.add(
            |each| &each.bytes_received,
            (received - self.received) as usize,
        );
        self.received = received;
        result
    }

    /// Passes a response to the oldest slot, because brokers respond in the order of requests.
    fn dispatch(&self, frame: Bytes) -> Result<(), AttemptError> {
        let correlation = match self.shared.expects_tokens() {
            true => None, // a token has none, and there is one at a time
            false => Some(peek_correlation_id(&frame).map_err(AttemptError::Decode)?),
        };
        let pending = {
            let mut state = self.shared.lock();
            match state.pending.front() {
                Some(oldest)
                    if correlation.is_none_or(|answered| answered == oldest.correlation) =>
                {
                    let answered = state.pending.pop_front();
                    state.rest(self.shared.settings.max_idle);
                    answered
                }
                Some(oldest) => {
                    let expected = oldest.correlation;
                    let text = format!(
                        "answer {} came where {expected} was due",
                        named(correlation)
                    );
                    return Err(AttemptError::Protocol(text.into()));
                }
                None => {
                    let text = format!("answer {} came without a request", named(correlation));
                    return Err(AttemptError::Protocol(text.into()));
                }
            }
        };
        let counters = &self.shared.settings.counters;
        counters.answered(pending.as_ref().map(|pending| pending.sent_at));
        if let Some(pending) = pending {
            pending.answer(Ok(frame));
        }
        Ok(())
    }

    /// Writes what is left and sets the timer. Ready when the connection is over.
    fn attend(&mut self, context: &mut Context<'_>) -> Poll<Result<(), AttemptError>> {
        loop {
            let alarm_rang = self.alarm.as_mut().poll(context).is_ready();
            let mut state = self.shared.lock();
            if state.failure.is_some() {
                return Poll::Ready(Ok(()));
            }
            let is_known = |waker: &std::task::Waker| waker.will_wake(context.waker());
            if !state.task_waker.as_ref().is_some_and(is_known) {
                state.task_waker = Some(context.waker().clone());
            }
            if alarm_rang || state.armed_until.is_none() {
                let now = now();
                if state.muted_until.is_some_and(|until| until <= now) {
                    state.muted_until = None;
                }
                if state
                    .pending
                    .iter()
                    .any(|pending| pending.expires_at <= now)
                {
                    drop(state);
                    self.shared.expire(now);
                    return Poll::Ready(Ok(()));
                }
                if state.pending.iter().any(|pending| pending.is_due(now)) {
                    drop(state);
                    self.shared.answer_due(now);
                    continue;
                }
                if !state.is_flushed() {
                    state.last_used = now;
                }
                let event = state.next_event(self.shared.settings.max_idle);
                if event <= now {
                    drop(state);
                    match self.shared.fail_idle(now) {
                        true => return Poll::Ready(Ok(())),
                        false => continue,
                    }
                }
                state.armed_until = Some(event);
                drop(state);
                self.alarm.as_mut().reset(event.into());
                continue; // polls the timer once more, so that it wakes this task
            }
            drop(state);
            return match self.write(context) {
                Err(error) => Poll::Ready(Err(error)),
                Ok(()) => Poll::Pending,
            };
        }
    }

    fn write(&self, context: &mut Context<'_>) -> Result<(), AttemptError> {
        let mut state = self.shared.lock();
        while (state.is_blocked || !state.outbox.is_empty()) && !state.is_muted() {
            let Some(mut writer) = state.writer.take() else {
                return Ok(()); // the current writer writes it too, or wakes this task
            };
            let mut outbox = std::mem::take(&mut state.outbox);
            drop(state);
            let mut written = 0;
            let result = outbox.poll_write(&mut writer, context, &mut written);
            self.shared
                .settings
                .counters
                .add(|each| &each.bytes_sent, written);
            state = self.shared.lock();
            if state.failure.is_some() {
                return Ok(()); // the next poll ends this task
            }
            outbox.append(std::mem::take(&mut state.outbox));
            state.outbox = outbox;
            state.writer = Some(writer);
            state.is_blocked = result.is_pending();
            match result {
                Poll::Pending => return Ok(()),
                Poll::Ready(Ok(())) => state.tell_flushed(),
                Poll::Ready(Err(error)) => return Err(AttemptError::from_io(&error)),
            }
        }
        Ok(())
    }
}

impl Future for ConnectionTask {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let task = &mut *self;
        let result = match task.receive(context) {
            Err(error) => Err(error),
            Ok(()) => match task.attend(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(result) => result,
            },
        };
        match result {
            Err(error @ AttemptError::FrameTooLarge { .. }) => task.shared.fail_oldest(&error),
            Err(error) => task.shared.fail(&error),
            Ok(()) => {}
        }
        Poll::Ready(())
    }
}

fn named(correlation: Option<i32>) -> String {
    correlation.map_or_else(
        || "without a number".to_owned(),
        |number| number.to_string(),
    )
}

/// Fails the requests in flight, also when the runtime is shut down: nobody else would.
impl Drop for ConnectionTask {
    fn drop(&mut self) {
        self.shared.fail(&AttemptError::Closed);
    }
}
