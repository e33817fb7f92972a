//! The locked state that the users of a connection and its task share.

use std::collections::VecDeque;
use std::task::Waker;
use std::time::{Duration, Instant};

use bytes::Bytes;
use kafkars_protocol::{ApiKey, Frame};
use tokio::sync::oneshot;

use super::super::outbox::Outbox;
use super::super::transport::WriteHalf;
use crate::after;
use crate::error::AttemptError;
use crate::now;

pub(crate) struct ConnectionState {
    /// `None` while somebody writes, and after the end.
    pub(crate) writer: Option<WriteHalf>,
    pub(crate) outbox: Outbox,
    /// Requests that are held back while the connection authenticates again.
    pub(crate) held: Option<Vec<(Frame, Option<Pending>)>>,
    /// The socket took no more: only the connection's task, which the socket will wake, may try again.
    pub(crate) is_blocked: bool,
    /// Requests without a response, in the order in which they were queued for writing.
    pub(crate) pending: VecDeque<Pending>,
    pub(crate) muted_until: Option<Instant>,
    /// When the connection's task wakes by itself; `None` before it first ran.
    pub(crate) armed_until: Option<Instant>,
    pub(crate) last_used: Instant,
    /// The login waits for its credentials, which is no idleness.
    pub(crate) awaits_credentials: bool,
    pub(crate) failure: Option<AttemptError>,
    pub(crate) task_waker: Option<Waker>,
    /// Notified when the socket has taken everything.
    flushed: Vec<oneshot::Sender<()>>,
}

/// A request that waits for its response.
pub(crate) struct Pending {
    pub(crate) api: ApiKey,
    pub(crate) correlation: i32,
    pub(crate) sent_at: Instant,
    /// Without a response by then the connection is given up. Pauses that the broker asks for move it.
    pub(crate) expires_at: Instant,
    /// The caller gets an error by then at the latest, whatever pause the broker asks for.
    pub(crate) answer_by: Instant,
    pub(crate) slot: ResponseReceiver,
}

pub(crate) enum ResponseReceiver {
    /// A task that awaits it.
    Task(oneshot::Sender<Result<Bytes, AttemptError>>),
    /// A function that runs where the response is received.
    Function(Box<dyn FnOnce(Result<Bytes, AttemptError>) + Send>),
    /// Nobody: the caller was told that it took too long.
    Nobody,
}

impl ConnectionState {
    pub(crate) fn new(writer: WriteHalf, now: Instant) -> Self {
        Self {
            writer: Some(writer),
            outbox: Outbox::default(),
            held: None,
            is_blocked: false,
            pending: VecDeque::new(),
            muted_until: None,
            armed_until: None,
            last_used: now,
            awaits_credentials: false,
            failure: None,
            task_waker: None,
            flushed: Vec::new(),
        }
    }

    pub(crate) fn is_muted(&self) -> bool {
        self.muted_until.is_some()
    }

    /// Queues the slot of a request, and wakes the connection's task only if it would sleep past the request's time.
    /// Requests have the same time limit, so that happens about once in that time, not once a request.
    pub(crate) fn expect(&mut self, mut pending: Pending) {
        self.last_used = pending.sent_at;
        if let Some(muted_until) = self.muted_until {
            let muted_for = muted_until.saturating_duration_since(pending.sent_at);
            pending.lengthen(muted_for);
        }
        let event = pending.next_event();
        self.pending.push_back(pending);
        if self
            .armed_until
            .is_some_and(|armed_until| event < armed_until)
        {
            self.armed_until = None;
            self.wake_task();
        }
    }

    /// Notes that a request leaves that has no response.
    pub(crate) fn use_now(&mut self) {
        self.last_used = now();
    }

    /// Notes that a response came. If it was the last, and the connection would be idle for long before the timer
    /// rings, which was set for the request, the timer is set again. The clock is read only then.
    pub(crate) fn rest(&mut self, max_idle: Duration) {
        let idle_at = after(self.last_used, max_idle);
        let is_armed_for_later = self.armed_until.is_none_or(|until| idle_at < until);
        if self.pending.is_empty() && is_armed_for_later {
            self.last_used = now();
            self.armed_until = None;
        }
    }

    /// Sends nothing for a while. The broker holds back responses as long, so no request expires because of that.
    pub(crate) fn mute(&mut self, now: Instant, pause: Duration) {
        let until = now + pause;
        self.muted_until = Some(self.muted_until.map_or(until, |already| already.max(until)));
        for pending in &mut self.pending {
            pending.lengthen(pause);
        }
        self.armed_until = None;
        self.wake_task();
    }

    /// Returns a receiver that ends when the socket has taken everything queued so far; `None` if it already has. An
    /// error from it means that the connection has ended.
    pub(crate) fn when_flushed(&mut self) -> Option<oneshot::Receiver<()>> {
        if self.is_flushed() && self.writer.is_some() {
            return None;
        }
        let (sender, receiver) = oneshot::channel();
        if self.failure.is_none() {
            self.flushed.push(sender);
        }
        Some(receiver)
    }

    /// A TLS stream keeps bytes that the socket did not take: then the outbox is empty, and the connection is blocked.
    pub(crate) fn is_flushed(&self) -> bool {
        self.outbox.is_empty() && !self.is_blocked && self.held.is_none()
    }

    /// Notifies those who wait for the socket to take everything, if it has. To be called once the writer has put its
    /// outbox back.
    pub(crate) fn tell_flushed(&mut self) {
        if self.is_flushed() {
            for waiter in self.flushed.drain(..) {
                // The caller may be gone.
                let _ = waiter.send(());
            }
        }
    }

    /// Drops those who wait for a flush: the connection has ended.
    pub(crate) fn forget_flushed(&mut self) {
        self.flushed.clear();
    }

    pub(crate) fn wake_task(&mut self) {
        if let Some(waker) = self.task_waker.take() {
            waker.wake();
        }
    }

    /// When something is due without a byte moving.
    pub(crate) fn next_event(&self, max_idle: Duration) -> Instant {
        let idle_at = match self.awaits_credentials {
            true => after(self.last_used, Duration::MAX),
            false => after(self.last_used, max_idle),
        };
        let expiry = self.pending.iter().map(Pending::next_event).min();
        // A connection with requests in flight is not idle.
        let event = expiry.unwrap_or(idle_at);
        self.muted_until
            .map_or(event, |muted_until| muted_until.min(event))
    }
}

impl Pending {
    /// Moves the expiry because of a pause. A request with a function is sent again elsewhere, so nothing of it may
    /// leave after its time: the connection ends with it. That of a task goes on, because a new connection would only
    /// evade the pause.
    fn lengthen(&mut self, pause: Duration) {
        let lengthened = after(self.expires_at, pause);
        self.expires_at = match self.slot {
            ResponseReceiver::Function(_) => lengthened.min(self.answer_by.max(self.expires_at)),
            ResponseReceiver::Task(_) | ResponseReceiver::Nobody => lengthened,
        };
    }

    /// When time alone does something to this request.
    fn next_event(&self) -> Instant {
        match self.slot {
            ResponseReceiver::Nobody => self.expires_at,
            ResponseReceiver::Task(_) | ResponseReceiver::Function(_) => {
                self.expires_at.min(self.answer_by)
            }
        }
    }

    /// True if the caller's time is over while the connection may live on.
    pub(crate) fn is_due(&self, now: Instant) -> bool {
        self.answer_by <= now && !matches!(self.slot, ResponseReceiver::Nobody)
    }

    /// Takes the slot in order to answer it; the request keeps its place in the order.
    pub(crate) fn take_slot(&mut self) -> Self {
        Self {
            slot: std::mem::replace(&mut self.slot, ResponseReceiver::Nobody),
            ..*self
        }
    }

    /// Hands over the response, which is thrown away if the caller is gone.
    pub(crate) fn answer(self, answer: Result<Bytes, AttemptError>) {
        match self.slot {
            ResponseReceiver::Task(task) => drop(task.send(answer)),
            ResponseReceiver::Function(function) => function(answer),
            ResponseReceiver::Nobody => {}
        }
    }
}
