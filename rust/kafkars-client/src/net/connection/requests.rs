//! Requests of a connection: encoding them, sending them at once or queueing them, decoding their responses.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use bytes::Bytes;
use kafkars_protocol::{ApiKey, Frame, Message, Request, decode_response, encode_request};
use tokio::sync::oneshot;

use super::state::{Pending, ResponseReceiver};
use super::{Connection, NO_CORRELATION, NO_TIMER, Terms};
use crate::error::AttemptError;
use crate::net::throttle;
use crate::{after, now};

impl Connection {
    /// Sends a request in the highest version that both sides support. The request is written or queued when this
    /// returns; the response is awaited separately, and the future may be dropped. After `deadline` it fails with
    /// [`AttemptError::TimedOut`]; if that is not before `request_timeout`, the connection is then given up, because
    /// responses come in order.
    ///
    /// # Errors
    /// [`AttemptError::Unsupported`] if no version is common, [`AttemptError::Encode`] if the request cannot be
    /// encoded; otherwise why the connection has ended. The future fails if there is no response that can be read.
    pub fn start<R: Request>(
        &self,
        request: &R,
        deadline: Instant,
    ) -> Result<impl Future<Output = Result<R::Response, AttemptError>> + Send + use<R>, AttemptError>
    {
        let version = self.versions().highest::<R>()?;
        self.start_version(request, version, deadline)
    }

    /// As [`Connection::start`], in a version chosen by the caller.
    ///
    /// # Errors
    /// As for [`Connection::start`].
    pub fn start_version<R: Request>(
        &self,
        request: &R,
        version: i16,
        deadline: Instant,
    ) -> Result<impl Future<Output = Result<R::Response, AttemptError>> + Send + use<R>, AttemptError>
    {
        let answer = self.start_raw(request, version, deadline)?;
        let connection = self.clone();
        Ok(async move {
            let frame = answer.await?;
            connection.decode::<R>(frame, version)
        })
    }

    /// As [`Connection::start`], without a task that waits: `then` gets the response where it is received, so it must
    /// be quick. It is called exactly once, from within this call if the request cannot be sent. Only for a deadline
    /// for which [`Connection::keeps`] is true.
    pub(crate) fn start_then<R: Request>(
        &self,
        request: &R,
        terms: Terms,
        then: impl FnOnce(Result<R::Response, AttemptError>) + Send + 'static,
    ) {
        let version = self.versions().highest_up_to::<R>(terms.max_version);
        let encoded = version.and_then(|version| {
            let (correlation, frame) = self.encode(request, version)?;
            Ok((version, correlation, frame))
        });
        let (version, correlation, frame) = match encoded {
            Ok(encoded) => encoded,
            Err(error) => return then(Err(error)),
        };
        let connection = self.clone();
        let decode = move |answer: Result<Bytes, _>| {
            then(answer.and_then(|frame| connection.decode::<R>(frame, version)))
        };
        let pending = Pending {
            api: R::API_KEY,
            correlation,
            sent_at: now(),
            expires_at: terms.deadline,
            answer_by: terms.latest,
            slot: ResponseReceiver::Function(Box::new(decode)),
        };
        // `then` got any error through the slot.
        drop(self.submit(R::API_KEY, frame, Some(pending)));
    }

    /// True if the connection itself ends a request that is started now at `deadline`, so that it needs no timer.
    pub(crate) fn keeps(&self, deadline: Instant) -> bool {
        !self.needs_timer(now(), deadline)
    }

    /// True if a deadline needs a timer. Most deadlines are the request timeout, counted from a moment earlier: those
    /// need none.
    pub(super) fn needs_timer(&self, sent_at: Instant, deadline: Instant) -> bool {
        let times_out_at = after(sent_at, self.shared.settings.request_timeout);
        times_out_at.saturating_duration_since(deadline) > NO_TIMER
    }

    /// Sends a request that the broker does not answer. The future ends when the socket has taken it: otherwise a
    /// sender would not notice that the broker is slower than itself. If that is not before `deadline`, the connection
    /// is given up.
    ///
    /// # Errors
    /// As for [`Connection::start`]; the future fails if the connection ends before the socket has taken the request.
    pub fn start_oneway<R: Request>(
        &self,
        request: &R,
        deadline: Instant,
    ) -> Result<impl Future<Output = Result<(), AttemptError>> + Send + use<R>, AttemptError> {
        let version = self.versions().highest::<R>()?;
        self.submit(R::API_KEY, self.encode(request, version)?.1, None)?;
        let flushed = self.shared.state.lock().when_flushed();
        let connection = self.clone();
        Ok(async move {
            let started = now();
            let lost = match flushed {
                None => false,
                Some(flushed) => match tokio::time::timeout_at(deadline.into(), flushed).await {
                    Ok(flushed) => flushed.is_err(),
                    Err(_) => {
                        let shared = &connection.shared;
                        connection.close(&shared.timed_out(R::API_KEY, started, false));
                        true
                    }
                },
            };
            match &connection.shared.state.lock().failure {
                Some(failure) if lost => Err(failure.clone()),
                _ => Ok(()),
            }
        })
    }

    /// Sends a request and returns its response undecoded.
    pub(crate) fn start_raw<R: Request>(
        &self,
        request: &R,
        version: i16,
        deadline: Instant,
    ) -> Result<impl Future<Output = Result<Bytes, AttemptError>> + Send + use<R>, AttemptError>
    {
        let (correlation, frame) = self.encode(request, version)?;
        self.start_frame(R::API_KEY, correlation, frame, deadline)
    }

    pub(super) fn start_frame(
        &self,
        api: ApiKey,
        correlation: i32,
        frame: Frame,
        deadline: Instant,
    ) -> Result<impl Future<Output = Result<Bytes, AttemptError>> + Send + use<>, AttemptError>
    {
        let (slot, answer) = oneshot::channel();
        let sent_at = now();
        let times_out_at = after(sent_at, self.shared.settings.request_timeout);
        let ends_early = self.needs_timer(sent_at, deadline);
        let pending = Pending {
            api,
            correlation,
            sent_at,
            expires_at: if ends_early { times_out_at } else { deadline },
            answer_by: if ends_early { times_out_at } else { deadline },
            slot: ResponseReceiver::Task(slot),
        };
        self.submit(api, frame, Some(pending))?;
        let shared = Arc::clone(&self.shared);
        Ok(async move {
            let closed = |_| Err(AttemptError::Closed);
            if !ends_early {
                return answer.await.unwrap_or_else(closed);
            }
            match tokio::time::timeout_at(deadline.into(), answer).await {
                Ok(answer) => answer.unwrap_or_else(closed),
                Err(_) => {
                    let counters = &shared.settings.counters;
                    counters.add(|each| &each.requests_timed_out, 1);
                    let is_throttled = shared.state.lock().is_muted();
                    Err(shared.timed_out(api, sent_at, is_throttled))
                }
            }
        })
    }

    /// Sends bytes without a header; the response has none either.
    pub(in crate::net) fn start_token(
        &self,
        token: Bytes,
        deadline: Instant,
    ) -> Result<impl Future<Output = Result<Bytes, AttemptError>> + Send + use<>, AttemptError>
    {
        let frame = Frame::of_token(token)
            .ok_or_else(|| AttemptError::Protocol("the token is too long".into()))?;
        self.start_frame(ApiKey::SaslAuthenticate, NO_CORRELATION, frame, deadline)
    }

    /// Decodes a response and notes the pause that it asks for.
    pub(crate) fn decode<R: Request>(
        &self,
        frame: Bytes,
        version: i16,
    ) -> Result<R::Response, AttemptError> {
        match decode_response::<R>(frame, version) {
            Ok((_, response)) => {
                self.pause(&response);
                Ok(response)
            }
            Err(error) => {
                tracing::error!(
                    target: "kafkars::net",
                    client = %self.shared.settings.broker.client,
                    broker = %self.shared.settings.broker.address,
                    api = R::API_KEY.name(),
                    version,
                    %error,
                    "an answer cannot be decoded; the connection is closed"
                );
                let error = AttemptError::Decode(error);
                self.shared.fail_others(R::API_KEY, &error, |_| false); // its own slot is free
                Err(error)
            }
        }
    }

    pub(super) fn encode<R: Request>(
        &self,
        request: &R,
        version: i16,
    ) -> Result<(i32, Frame), AttemptError> {
        let correlation = self.shared.correlation.fetch_add(1, Ordering::Relaxed) & i32::MAX;
        let client_id = &self.shared.settings.client_id;
        let frame = encode_request(request, version, correlation, Some(client_id))
            .map_err(AttemptError::Encode)?;
        tracing::trace!(
            target: "kafkars::net",
            client = %self.shared.settings.broker.client,
            broker = %self.shared.settings.broker.address,
            api = R::API_KEY.name(),
            version,
            correlation,
            bytes = frame.len(),
            "a request is sent"
        );
        Ok((correlation, frame))
    }

    pub(super) fn submit(
        &self,
        api: ApiKey,
        frame: Frame,
        pending: Option<Pending>,
    ) -> Result<(), AttemptError> {
        let shared = &self.shared;
        let counters = &shared.settings.counters;
        let mut state = shared.state.lock();
        if let Some(failure) = state.failure.clone() {
            drop(state);
            if let Some(pending) = pending {
                pending.answer(Err(failure.clone()));
            }
            return Err(failure);
        }
        let sent_at = pending.as_ref().map_or_else(now, |pending| pending.sent_at);
        counters.sent(api, sent_at);
        if pending.is_some() {
            counters.add(|each| &each.requests_in_flight, 1);
        }
        if !matches!(api, ApiKey::SaslHandshake | ApiKey::SaslAuthenticate)
            && let Some(held) = &mut state.held
        {
            held.push((frame, pending));
            return Ok(());
        }
        match pending {
            Some(pending) => state.expect(pending),
            None => state.use_now(),
        }
        state.outbox.push(frame);
        if state.is_muted() || state.is_blocked {
            return Ok(()); // the connection's task writes when it may
        }
        let Some(mut writer) = state.writer.take() else {
            return Ok(()); // the current writer writes it too
        };
        loop {
            let mut outbox = std::mem::take(&mut state.outbox);
            drop(state);
            let mut written = 0;
            let mut context = Context::from_waker(Waker::noop());
            let result = outbox.poll_write(&mut writer, &mut context, &mut written);
            counters.add(|each| &each.bytes_sent, written);
            state = shared.state.lock();
            if state.failure.is_some() {
                return Ok(()); // the slot has got the error
            }
            outbox.append(std::mem::take(&mut state.outbox));
            state.outbox = outbox;
            match result {
                Poll::Ready(Ok(())) if !state.outbox.is_empty() && !state.is_muted() => {}
                Poll::Ready(Ok(())) => {
                    state.writer = Some(writer);
                    state.tell_flushed();
                    return Ok(());
                }
                Poll::Pending => {
                    state.writer = Some(writer);
                    state.is_blocked = true;
                    state.wake_task();
                    return Ok(());
                }
                Poll::Ready(Err(error)) => {
                    drop(state);
                    shared.fail(&AttemptError::from_io(&error));
                    // A request in flight gets the error through its slot, like all others.
                    return Ok(());
                }
            }
        }
    }

    pub(super) fn pause<M: Message>(&self, response: &M) {
        let pause = throttle::pause(response);
        if pause.is_zero() {
            return;
        }
        tracing::debug!(
            target: "kafkars::net",
            client = %self.shared.settings.broker.client,
            broker = %self.shared.settings.broker.address,
            pause_ms = pause.as_millis() as u64,
            "the broker asks for a pause: a quota is used up"
        );
        self.shared.settings.counters.throttled(pause);
        self.shared.state.lock().mute(now(), pause);
    }
}
