//! Sends that found no room in `buffer_memory`, or whose topic is not known yet. They wait here in order, one queue for
//! each topic, and are appended without the caller. Every send has a number: a flush, a commit or a close waits for
//! those that waited when it was called, not for later ones.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use kafkars_core::backoff::{Backoff, Random};
use kafkars_core::produce::delivery::Delivery;
use kafkars_core::produce::error::ProduceError;
use kafkars_protocol::ErrorCode;
use tokio::sync::Notify;

use super::pending_send::PendingSend;
use super::pending_sends::{PendingId, QueuedSend};
use super::permit::SendPermit;
use super::{Producer, SendError, SendWait};
use crate::now;
use crate::random_seed::random_seed;

/// What became of the first send of a queue.
enum First {
    /// It was let in, or has failed.
    Left,
    /// It waits for what it needs, until the earliest deadline in the queue.
    Waits(Need, Instant, Arc<Notify>),
    /// There is none.
    None,
}

enum Need {
    Placement,
    /// What [`Producer::ready`] waits for; at most for the given time while brokers say that the topic does not exist.
    Producer(SendWait, Option<Duration>),
}

impl Producer {
    /// Queues a send, which waits until the deadline at most. Then it fails with the last failure met.
    pub fn enqueue(
        &self,
        send: Arc<dyn PendingSend>,
        permit: SendPermit,
        deadline: Instant,
    ) -> PendingId {
        let pending = &self.pending;
        pending.open.fetch_add(1, Ordering::AcqRel);
        pending.records.fetch_add(send.count(), Ordering::AcqRel);
        pending.bytes.fetch_add(send.size(), Ordering::Relaxed);
        let mut state = pending.state.lock();
        state.next += 1;
        let number = state.next;
        state.unsettled.insert(number);
        let known = state.queues.get_key_value(send.topic());
        let topic = known.map_or_else(|| send.topic().into(), |(topic, _)| Arc::clone(topic));
        let is_new = known.is_none();
        let queue = state.queues.entry(Arc::clone(&topic)).or_default();
        let since = now();
        let is_earliest = queue.deadlines.insert((deadline, number))
            && queue.deadlines.first() == Some(&(deadline, number));
        queue.sends.insert(
            number,
            QueuedSend {
                send,
                permit,
                since,
                deadline,
            },
        );
        if is_earliest {
            queue.changed.notify_one();
        }
        drop(state);
        if is_new {
            let (producer, topic) = (self.clone(), Arc::clone(&topic));
            let handle = self.shared().client.handle();
            handle.spawn(async move { producer.drain(&topic).await });
        }
        PendingId { topic, number }
    }

    /// Takes a send back whose outcome nobody wants. False if it does not wait any more.
    pub fn withdraw(&self, id: &PendingId) -> bool {
        let taken = self.pending.take(id);
        if let Some(waiting) = &taken {
            self.pending.uncount(waiting);
            self.pending.settle(id.number, None);
        }
        taken.is_some()
    }

    /// Fails a send that cannot be sent after all, so that an open transaction cannot be committed any more. The caller
    /// reports the outcome. False if it does not wait any more.
    pub fn refuse_pending(&self, id: &PendingId, failure: &ProduceError) -> bool {
        let taken = self.pending.take(id);
        if let Some(waiting) = &taken {
            self.shared().count_failed(waiting.send.count(), failure);
            self.waiting_refused(failure, waiting.permit);
            self.pending.uncount(waiting);
            self.pending.settle(id.number, None);
        }
        taken.is_some()
    }

    /// Notes that the partition of a waiting send was chosen; or that it could not be, because the topic is gone again.
    pub fn placed(&self, id: &PendingId) {
        if let Some(queue) = self.pending.state.lock().queues.get_mut(&id.topic) {
            let waiting = queue.sends.get(&id.number);
            if waiting.is_some_and(|waiting| !waiting.send.is_placed()) {
                queue.told = 0;
            }
            queue.changed.notify_one();
        }
    }

    /// True if a send for this topic waits, so that later ones must wait behind it; also until its sender has got the
    /// outcome, so that senders hear of their records in the order of the log.
    #[inline]
    pub fn has_pending(&self, topic: &str) -> bool {
        self.pending.is_open() && self.pending.state.lock().queues.contains_key(topic)
    }

    /// Lets in up to `most` sends that wait for this topic, in order, on this thread, unless the first one waits for
    /// something. True if none waits any more.
    ///
    /// A program that sends in a tight loop from its start fills the queue as fast as a task can empty it; so it lends
    /// a hand. Whoever calls this must hold no lock that [`PendingSend::settled`] of its sends takes.
    pub fn let_waiting_in(&self, topic: &str, most: usize) -> bool {
        let _turn = self.pending.turn.lock();
        if self.pending.waits(topic) {
            return false;
        }
        for _ in 0..most {
            match self.let_first_in(topic) {
                First::Left => {}
                First::None => return true,
                First::Waits(..) => return false,
            }
        }
        false
    }

    /// True if a later send for this topic would wait behind one that waits for room.
    pub fn waits_for_room(&self, topic: &str) -> bool {
        let queues = &self.pending.state.lock().queues;
        queues.get(topic).is_some_and(|queue| queue.waits_for_room)
    }

    /// Notes that a send was queued because it found no room.
    pub fn found_no_room(&self, id: &PendingId) {
        if let Some(queue) = self.pending.state.lock().queues.get_mut(&id.topic) {
            let first = queue.sends.first_key_value().map(|(first, _)| *first);
            // Otherwise it has been appended by now.
            queue.waits_for_room |= first == Some(id.number);
        }
    }

    /// Bytes of memory that waiting sends hold; they are not part of `buffer_memory`.
    pub fn pending_bytes(&self) -> usize {
        self.pending.bytes.load(Ordering::Relaxed)
    }

    /// Fails all waiting sends. Returns how many records they were.
    pub(super) fn give_up_pending(&self, failure: &ProduceError) -> usize {
        let mut given_up = Vec::new();
        {
            let mut state = self.pending.state.lock();
            for queue in state.queues.values_mut() {
                queue.deadlines.clear();
                given_up.extend(std::mem::take(&mut queue.sends));
                // The task ends the queue.
                queue.changed.notify_one();
            }
        }
        given_up.sort_unstable_by_key(|(number, _)| *number);
        let count = given_up.iter().map(|(_, waiting)| waiting.send.count());
        let count = count.sum();
        for (number, waiting) in given_up {
            self.leave(number, &waiting, Err(failure.clone()));
        }
        count
    }

    /// Sends what waits for one topic, in order, until the queue is empty.
    async fn drain(&self, topic: &str) {
        loop {
            let Some((need, until, changed)) = self.let_in(topic) else {
                return;
            };
            let ready = async {
                match need {
                    Need::Producer(wait, Some(propagation)) if !wait.is_for_room() => {
                        self.propagated(&wait, until, propagation).await
                    }
                    Need::Producer(wait, _) => self.ready(wait, until).await,
                    Need::Placement => self.wait_for_placement(topic, until).await,
                }
            };
            tokio::select! {
                biased;
                outcome = ready => if let Err(failure) = outcome {
                    self.fail_due(topic, until, &failure);
                },
                () = changed.notified() => {}
            }
        }
    }

    /// Sends what can be sent from the head of a queue. Returns what the first send waits for, or removes the queue if
    /// there is none.
    fn let_in(&self, topic: &str) -> Option<(Need, Instant, Arc<Notify>)> {
        self.pending.set_waits(topic, false);
        loop {
            let _turn = self.pending.turn.lock();
            match self.let_first_in(topic) {
                First::Left => {}
                First::Waits(need, until, changed) => {
                    self.pending.set_waits(topic, true);
                    return Some((need, until, changed));
                }
                First::None => {
                    if self.pending.end_empty(topic) {
                        return None;
                    }
                }
            }
        }
    }

    /// Sends the first send of a queue, if it can be sent. The caller has the turn.
    fn let_first_in(&self, topic: &str) -> First {
        let mut state = self.pending.state.lock();
        let Some(queue) = state.queues.get_mut(topic) else {
            return First::None;
        };
        queue.waits_for_room = false;
        let (Some((&number, first)), Some(&(until, _))) =
            (queue.sends.first_key_value(), queue.deadlines.first())
        else {
            return First::None;
        };
        if !first.send.is_placed() {
            return First::Waits(Need::Placement, until, Arc::clone(&queue.changed));
        }
        let outcome = match first.send.try_send(first.permit) {
            Ok(delivery) => Ok(delivery),
            Err(SendError::Failed(failure)) => Err(failure),
            Err(SendError::NotReady(wait)) => {
                let is_for_room = wait.is_for_room();
                let need = Need::Producer(wait, first.send.propagation());
                queue.waits_for_room = is_for_room;
                return First::Waits(need, until, Arc::clone(&queue.changed));
            }
        };
        let Some(first) = queue.remove(number) else {
            return First::None;
        };
        if queue.sends.is_empty() {
            // The task ends the queue.
            queue.changed.notify_one();
        }
        drop(state);
        self.leave(number, &first, outcome);
        First::Left
    }

    /// Waits until the topic is known; fails when brokers have said for `propagation` that it does not exist.
    async fn propagated(
        &self,
        wait: &SendWait,
        until: Instant,
        propagation: Duration,
    ) -> Result<(), ProduceError> {
        let config = self.client().config();
        let pause = Backoff::new(config.reconnect_backoff, config.reconnect_backoff_max);
        let mut random = Random::new(random_seed());
        let mut failures = 0;
        loop {
            let limit = until.min(now() + propagation);
            let Err(failure) = self.ready(wait.clone(), limit).await else {
                return Ok(());
            };
            if is_refusal(&failure) || now() >= until {
                return Err(failure);
            }
            failures += 1;
            let again = now() + pause.delay(failures, random.next());
            tokio::time::sleep_until(again.min(until).into()).await;
        }
    }

    /// Waits until the topic is known, tells the unplaced sends so, and then waits until a partition was chosen.
    async fn wait_for_placement(&self, topic: &str, until: Instant) -> Result<(), ProduceError> {
        self.partitions_for(topic, until).await?;
        // Each send is told once, however often the first one of the queue changes.
        let unplaced: Vec<_> = {
            let mut state = self.pending.state.lock();
            let Some(queue) = state.queues.get_mut(topic) else {
                return Ok(());
            };
            let untold = queue.sends.range(queue.told + 1..);
            let unplaced = untold.filter(|(_, waiting)| !waiting.send.is_placed());
            let unplaced = unplaced
                .map(|(_, waiting)| Arc::clone(&waiting.send))
                .collect();
            let last = queue.sends.last_key_value().map(|(last, _)| *last);
            queue.told = last.map_or(queue.told, |last| last.max(queue.told));
            unplaced
        };
        for send in unplaced {
            send.topic_known();
        }
        tokio::time::sleep_until(until.into()).await;
        Err(ProduceError::Impossible {
            topic: topic.into(),
            cause: "the partition was not chosen in time; does the event loop run?".into(),
        })
    }

    /// Fails sends after waiting for the head of the queue has failed: after `until` those whose deadline has passed.
    /// Before `until` the failure is a refusal, of the topic or the login, and concerns all sends for this topic.
    fn fail_due(&self, topic: &str, until: Instant, failure: &ProduceError) {
        let now = now();
        let is_refusal = now < until;
        let mut failed = Vec::new();
        if let Some(queue) = self.pending.state.lock().queues.get_mut(topic) {
            while let Some(&(deadline, number)) = queue.deadlines.first()
                && (is_refusal || deadline <= now)
            {
                queue.deadlines.pop_first();
                failed.extend(queue.sends.remove(&number).map(|waiting| (number, waiting)));
            }
        }
        failed.sort_unstable_by_key(|(number, _)| *number);
        for (number, waiting) in failed {
            let failure = after_waiting(failure, now.saturating_duration_since(waiting.since));
            self.leave(number, &waiting, Err(failure));
        }
    }

    fn leave(&self, number: u64, waiting: &QueuedSend, outcome: Result<Delivery, ProduceError>) {
        if let Err(failure) = &outcome {
            self.shared().count_failed(waiting.send.count(), failure);
            // Before it counts as gone, because a commit waits for that.
            if waiting.send.fails_transaction() {
                self.waiting_refused(failure, waiting.permit);
            }
        }
        let batch = outcome.as_ref().ok().map(Delivery::batch).cloned();
        // Before its sender gets the outcome; a flush goes on only after that.
        self.pending.uncount(waiting);
        waiting.send.settled(outcome);
        self.pending.settle(number, batch);
    }
}

/// True if brokers have answered, and the answer is that this client has no such topic.
fn is_refusal(failure: &ProduceError) -> bool {
    match failure {
        ProduceError::Topic { .. } | ProduceError::Impossible { .. } | ProduceError::Closed => true,
        ProduceError::MetadataTimedOut { answer, .. } => {
            answer.is_some_and(ErrorCode::unknown_topic)
        }
        _ => false,
    }
}

/// The failure of a try, with the time that the send has waited in all.
fn after_waiting(failure: &ProduceError, waited: Duration) -> ProduceError {
    let mut failure = failure.clone();
    if let ProduceError::MetadataTimedOut { waited: of_try, .. }
    | ProduceError::BufferFull { waited: of_try, .. } = &mut failure
    {
        *of_try = waited.max(*of_try);
    }
    failure
}
