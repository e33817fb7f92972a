//! Calls that return once they have sent, or know that they cannot: their thread waits for topic and room as often as
//! it must.

use std::time::Instant;

use kafkars_core::produce::delivery::Delivery;

use super::blocking::{Blocking, NotSent, StoppedSend};
use super::{Producer, Records, SendError, SendPermit};

impl Producer {
    /// Waits for what a record needs whose first try said `sent`, and tries it `again`, until it is accepted or the
    /// deadline has come.
    ///
    /// # Errors
    /// The record is refused, the deadline has come, or the wait was interrupted.
    pub fn send_blocking<B: Blocking>(
        &self,
        blocking: &B,
        mut sent: Result<Delivery, SendError>,
        again: impl Fn() -> Result<Delivery, SendError>,
        permit: SendPermit,
        deadline: Instant,
    ) -> Result<Delivery, NotSent<B::Interruption>> {
        loop {
            match sent {
                Ok(delivery) => return Ok(delivery),
                Err(refusal) => self.wait_for(blocking, refusal, permit, deadline)?,
            }
            sent = again();
        }
    }

    /// Sends records of one topic in order, and appends their deliveries to `taken`. All are checked before the first
    /// is sent: where one is refused, none is sent. Where the deadline comes half way, those before it are sent.
    ///
    /// # Errors
    /// A record is refused, the deadline has come, or the wait was interrupted.
    pub fn send_many_blocking<B: Blocking>(
        &self,
        blocking: &B,
        topic: &str,
        records: &dyn Records,
        permit: SendPermit,
        deadline: Instant,
        taken: &mut Vec<Delivery>,
    ) -> Result<(), StoppedSend<B::Interruption>> {
        while let Err(stopped) = self.check_many(topic, records, Some(permit)) {
            self.wait_for(blocking, stopped.error, permit, deadline)
                .map_err(at(stopped.index))?;
        }
        let base = taken.len();
        loop {
            let start = taken.len() - base;
            let Err(stopped) = self.try_send_many(topic, records, start, Some(permit), taken)
            else {
                return Ok(());
            };
            self.wait_for(blocking, stopped.error, permit, deadline)
                .map_err(at(stopped.index))?;
        }
    }

    /// Waits for what a refused record needs. A record that waits in vain counts as one of its transaction that failed.
    fn wait_for<B: Blocking>(
        &self,
        blocking: &B,
        refusal: SendError,
        permit: SendPermit,
        deadline: Instant,
    ) -> Result<(), NotSent<B::Interruption>> {
        let failure = match refusal {
            SendError::Failed(failure) => failure,
            SendError::NotReady(wait) => {
                let ready = blocking.wait(self.ready(wait, deadline));
                match ready.map_err(NotSent::Interrupted)? {
                    Ok(()) => return Ok(()),
                    Err(failure) => failure,
                }
            }
        };
        self.waiting_refused(&failure, permit);
        Err(NotSent::Refused(failure))
    }
}

fn at<I>(index: usize) -> impl FnOnce(NotSent<I>) -> StoppedSend<I> {
    move |cause| StoppedSend { index, cause }
}
