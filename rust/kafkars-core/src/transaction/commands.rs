//! The application's calls, and how they end.

use std::time::Instant;

use super::{
    GroupMetadata, OffsetStep, OffsetToCommit, OpenedAtCoordinator, Overdue, TransactionCall,
    TransactionCallId, TransactionCallOutcome, TransactionError, TransactionPhase, Transactions,
    Version,
};

impl Transactions {
    /// Gets a producer id, fencing earlier producers with the same transactional id and aborting what they left open.
    ///
    /// # Errors
    /// [`TransactionError::OutOfOrder`] when it was called before, or what ended the producer.
    pub fn init(&mut self) -> Result<TransactionCallId, TransactionError> {
        match &self.phase {
            TransactionPhase::Uninitialized => {
                self.phase = TransactionPhase::Initializing;
                Ok(self.start(TransactionCall::Init))
            }
            TransactionPhase::Initializing => Ok(self.same_or_new(TransactionCall::Init)),
            TransactionPhase::Ready if self.unheard == Some(TransactionCall::Init) => {
                Ok(self.hear())
            }
            _ => Err(self.refuse(TransactionCall::Init)),
        }
    }

    /// Opens a transaction. Nothing is sent yet.
    ///
    /// # Errors
    /// [`TransactionError::OutOfOrder`] before `init` has ended or while a transaction is open, or what ended the
    /// producer.
    pub fn begin(&mut self) -> Result<(), TransactionError> {
        match &self.phase {
            TransactionPhase::Ready => {
                self.phase = TransactionPhase::InTransaction;
                self.left = false;
                self.unheard = None;
                self.begun += 1;
                Ok(())
            }
            _ => Err(self.refuse(TransactionCall::Begin)),
        }
    }

    /// Whether a record may be taken now.
    ///
    /// # Errors
    /// [`TransactionError::OutOfOrder`] outside of a transaction, or what broke it.
    pub fn may_send(&self) -> Result<(), TransactionError> {
        match &self.phase {
            TransactionPhase::InTransaction => Ok(()),
            _ => Err(self.refuse(TransactionCall::Send)),
        }
    }

    /// Makes a group's positions part of the transaction (KIP-447).
    ///
    /// # Errors
    /// [`TransactionError::OutOfOrder`] outside of a transaction, [`TransactionError::InvalidArgument`] for an empty
    /// group id or a negative offset, or what broke the transaction.
    pub fn send_offsets(
        &mut self,
        group: GroupMetadata,
        offsets: Vec<OffsetToCommit>,
    ) -> Result<TransactionCallId, TransactionError> {
        if self.phase != TransactionPhase::InTransaction {
            return Err(self.refuse(TransactionCall::SendOffsets));
        }
        let invalid = |problem: String| TransactionError::InvalidArgument {
            call: TransactionCall::SendOffsets,
            problem: problem.into(),
        };
        if group.group_id.is_empty() {
            return Err(invalid("the group id is empty".to_owned()));
        }
        if let Some(negative) = offsets.iter().find(|offset| offset.offset < 0) {
            return Err(invalid(format!(
                "offset {} of {}-{} is negative",
                negative.offset, negative.topic, negative.partition
            )));
        }
        let ticket = self.ticket();
        if offsets.is_empty() {
            self.outcomes.push(TransactionCallOutcome {
                ticket,
                result: Ok(()),
            });
        } else {
            self.offsets.push_back(OffsetStep {
                ticket,
                group,
                offsets,
                added: false,
            });
        }
        Ok(ticket)
    }

    /// Commits: the records taken so far and the offsets become visible together, once all of them are stored.
    ///
    /// # Errors
    /// [`TransactionError::OutOfOrder`] outside of a transaction, or what broke it.
    pub fn commit(&mut self) -> Result<TransactionCallId, TransactionError> {
        match &self.phase {
            TransactionPhase::InTransaction => {
                self.phase = TransactionPhase::Committing;
                Ok(self.start(TransactionCall::Commit))
            }
            TransactionPhase::Committing => Ok(self.same_or_new(TransactionCall::Commit)),
            TransactionPhase::Ready if self.unheard == Some(TransactionCall::Commit) => {
                Ok(self.hear())
            }
            _ => Err(self.refuse(TransactionCall::Commit)),
        }
    }

    /// Aborts: records not sent yet are dropped, the others will not be read with `read_committed`.
    ///
    /// # Errors
    /// [`TransactionError::OutOfOrder`] outside of a transaction or after `commit`, or what ended the producer.
    pub fn abort(&mut self) -> Result<TransactionCallId, TransactionError> {
        let reason = match &self.phase {
            TransactionPhase::InTransaction => None,
            TransactionPhase::Abortable(error) => Some(error.clone()),
            TransactionPhase::Aborting(_) => return Ok(self.same_or_new(TransactionCall::Abort)),
            TransactionPhase::Ready if self.unheard == Some(TransactionCall::Abort) => {
                return Ok(self.hear());
            }
            _ => return Err(self.refuse(TransactionCall::Abort)),
        };
        self.phase = TransactionPhase::Aborting(reason);
        self.drop_plans(&TransactionError::Superseded {
            call: TransactionCall::SendOffsets,
        });
        let ticket = self.start(TransactionCall::Abort);
        match self.overdue {
            Overdue::Aborted => self.complete(),
            // What the clock began is from now on what the application asked for.
            Overdue::Aborting | Overdue::No => self.overdue = Overdue::No,
        }
        Ok(ticket)
    }

    /// Leaves the open transaction to end by itself: it is aborted, now or, where it is being committed, should that
    /// fail. Returns whether the abort is under way.
    pub fn leave(&mut self) -> bool {
        match &self.phase {
            TransactionPhase::InTransaction | TransactionPhase::Abortable(_) => {
                self.left = true;
                self.abort().is_ok()
            }
            TransactionPhase::Committing => {
                self.left = true;
                false
            }
            TransactionPhase::Aborting(_) => {
                self.left = true;
                true
            }
            TransactionPhase::Uninitialized
            | TransactionPhase::Initializing
            | TransactionPhase::Ready
            | TransactionPhase::Fatal(_) => false,
        }
    }

    /// Waits for the end of a transaction that was left; ends at once where there is none.
    pub fn join_left(&mut self) -> TransactionCallId {
        match &self.phase {
            TransactionPhase::Committing if self.left => self.same_or_new(TransactionCall::Commit),
            TransactionPhase::Aborting(_) if self.left => self.same_or_new(TransactionCall::Abort),
            _ => {
                let ticket = self.ticket();
                self.outcomes.push(TransactionCallOutcome {
                    ticket,
                    result: Ok(()),
                });
                ticket
            }
        }
    }

    /// Waits for the end of a commit under way, whoever has begun it.
    ///
    /// # Errors
    /// No commit is under way.
    pub fn join_commit(&mut self) -> Result<TransactionCallId, TransactionError> {
        match &self.phase {
            TransactionPhase::Committing => Ok(self.same_or_new(TransactionCall::Commit)),
            _ => Err(self.refuse(TransactionCall::Commit)),
        }
    }

    /// The producer closes: every call under way ends.
    pub fn close(&mut self) {
        // Without EndTxn the coordinator aborts what is open.
        if self.phase == TransactionPhase::Committing && self.ending {
            self.end_call(Err(TransactionError::OutcomeUnknown));
        }
        self.fail(TransactionError::Closed);
    }

    pub(super) fn start(&mut self, call: TransactionCall) -> TransactionCallId {
        let ticket = self.ticket();
        self.call = Some((ticket, call));
        self.failures = 0;
        self.last_error = None;
        self.not_before = None;
        ticket
    }

    fn same_or_new(&mut self, call: TransactionCall) -> TransactionCallId {
        match self.call {
            Some((ticket, _)) => ticket,
            None => self.start(call),
        }
    }

    /// A call has succeeded after its caller stopped waiting. Who makes it again, as the time-out says, hears of that;
    /// a new transaction forgets it.
    pub fn nobody_heard(&mut self, call: TransactionCall) {
        if self.phase == TransactionPhase::Ready {
            self.unheard = Some(call);
        }
    }

    fn hear(&mut self) -> TransactionCallId {
        self.unheard = None;
        let ticket = self.ticket();
        self.outcomes.push(TransactionCallOutcome {
            ticket,
            result: Ok(()),
        });
        ticket
    }

    fn ticket(&mut self) -> TransactionCallId {
        self.next_ticket += 1;
        TransactionCallId(self.next_ticket)
    }

    pub(super) fn end_call(&mut self, result: Result<(), TransactionError>) {
        if let Some((ticket, _)) = self.call.take() {
            self.outcomes
                .push(TransactionCallOutcome { ticket, result });
        }
    }

    /// The transaction has ended as it should.
    pub(super) fn complete(&mut self) {
        self.partitions.clear();
        self.missing = 0;
        self.started = None;
        self.heard = OpenedAtCoordinator::Nothing;
        self.ending = false;
        // Under the newer protocol the end itself brought a new epoch.
        if self.indefinite && self.version == Version::One {
            self.renewal = true;
        }
        self.indefinite = false;
        if self.overdue == Overdue::Aborting {
            self.overdue = Overdue::Aborted;
            return;
        }
        self.overdue = Overdue::No;
        self.phase = TransactionPhase::Ready;
        self.end_call(Ok(()));
    }

    /// The open transaction cannot be committed any more.
    pub(super) fn give_up_transaction(&mut self, error: TransactionError) {
        match &self.phase {
            TransactionPhase::InTransaction | TransactionPhase::Committing => {}
            // Nothing new where it is lost already or nothing is open.
            _ => return,
        }
        if self.version == Version::One {
            // Numbers may be missing where records failed.
            self.renewal = true;
        }
        self.ending = false;
        self.drop_plans(&error);
        self.end_call(Err(error.clone()));
        self.phase = TransactionPhase::Abortable(error);
        self.abort_if_left();
    }

    /// Nobody will abort what was left.
    pub(super) fn abort_if_left(&mut self) {
        if self.left {
            // The phase allows it.
            let _ = self.abort();
        }
    }

    /// The transaction is open for too long: aborts it before the coordinator does.
    pub(super) fn watch_clock(&mut self, now: Instant) {
        if self.time_limit().is_none_or(|limit| now < limit) {
            return;
        }
        let measured = self.started.map_or_else(Default::default, |at| now - at);
        self.give_up_transaction(TransactionError::TimedOut {
            limit: self.config.transaction_timeout,
            measured,
        });
        if matches!(self.phase, TransactionPhase::Abortable(_)) {
            self.overdue = Overdue::Aborting;
        }
    }

    /// Nothing can go on any more.
    pub(super) fn fail(&mut self, error: TransactionError) {
        if matches!(self.phase, TransactionPhase::Fatal(_)) {
            return;
        }
        self.drop_plans(&error);
        self.end_call(Err(error.clone()));
        self.in_flight = None;
        self.phase = TransactionPhase::Fatal(error);
    }

    fn drop_plans(&mut self, error: &TransactionError) {
        for step in self.offsets.drain(..) {
            self.outcomes.push(TransactionCallOutcome {
                ticket: step.ticket,
                result: Err(error.clone()),
            });
        }
    }

    /// Why a call cannot be served where the producer stands.
    fn refuse(&self, call: TransactionCall) -> TransactionError {
        let (state, advice) = match &self.phase {
            TransactionPhase::Fatal(error) => return error.clone(),
            TransactionPhase::Abortable(error)
                if call != TransactionCall::Init && call != TransactionCall::Begin =>
            {
                return error.clone();
            }
            TransactionPhase::Abortable(_) => (
                "the transaction failed and is not aborted yet",
                "call abort_transaction() first",
            ),
            TransactionPhase::Uninitialized => (
                "init_transactions() was not called",
                "call init_transactions() once, before anything else",
            ),
            TransactionPhase::Initializing => (
                "init_transactions() has not ended",
                "call init_transactions() again to wait for it",
            ),
            TransactionPhase::Ready if call == TransactionCall::Init => (
                "the producer is initialised already",
                "call begin_transaction()",
            ),
            TransactionPhase::Ready => ("no transaction is open", "call begin_transaction() first"),
            TransactionPhase::InTransaction => (
                "a transaction is open",
                "commit or abort it before the next one",
            ),
            TransactionPhase::Committing => return TransactionError::committing(call),
            TransactionPhase::Aborting(_) => (
                "abort_transaction() has not ended",
                "call abort_transaction() again to wait for it",
            ),
        };
        TransactionError::OutOfOrder {
            call,
            state,
            advice,
        }
    }
}
