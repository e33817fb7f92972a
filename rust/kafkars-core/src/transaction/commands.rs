//! The calls of the application to transactions, and how they end.

use std::time::Instant;

use super::{
    GroupMetadata, OffsetStep, OffsetToCommit, OpenedAtCoordinator, Overdue, TransactionCall,
    TransactionCallId, TransactionCallOutcome, TransactionError, TransactionPhase, Transactions,
    Version,
};

impl Transactions {
    /// Gets a producer id, which fences earlier producers with the same transactional id and aborts what they left
    /// open.
    ///
    /// # Errors
    /// [`TransactionError::OutOfOrder`] when it was called before, or the error that ended the producer.
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
    /// [`TransactionError::OutOfOrder`] before `init` has ended or while a transaction is open, or the error that ended
    /// the producer.
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

    /// Checks that a record may be accepted now.
    ///
    /// # Errors
    /// [`TransactionError::OutOfOrder`] outside of a transaction, or what broke it.
    pub fn may_send(&self) -> Result<(), TransactionError> {
        match &self.phase {
            TransactionPhase::InTransaction => Ok(()),
            _ => Err(self.refuse(TransactionCall::Send)),
        }
    }

    /// Adds offsets of a consumer group to the transaction (KIP-447).
    ///
    /// # Errors
    /// [`TransactionError::OutOfOrder`] outside of a transaction, [`TransactionError::InvalidArgument`] for an empty
    /// group id or a negative offset, or the error that broke the transaction.
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
        let call_id = self.new_call_id();
        if offsets.is_empty() {
            self.outcomes.push(TransactionCallOutcome {
                call_id,
                result: Ok(()),
            });
        } else {
            self.offsets.push_back(OffsetStep {
                call_id,
                group,
                offsets,
                added: false,
                unknown_topic_since: None,
            });
        }
        Ok(call_id)
    }

    /// Commits the transaction: the records accepted so far and the offsets become visible together, once all of them
    /// are stored.
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

    /// Aborts the transaction: records not sent yet are dropped, the others are hidden from `read_committed` consumers.
    ///
    /// # Errors
    /// [`TransactionError::OutOfOrder`] outside of a transaction or after `commit`, or the error that ended the
    /// producer.
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
        let call_id = self.start(TransactionCall::Abort);
        match self.overdue {
            Overdue::Aborted => self.complete(),
            // An abort that the time limit has begun is from now on the one that the application asked for.
            Overdue::Aborting | Overdue::No => self.overdue = Overdue::No,
        }
        Ok(call_id)
    }

    /// Leaves the open transaction to end by itself: it is aborted now, or if it is being committed, when that fails.
    /// Returns true if the abort is under way.
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

    /// Starts a call that waits for the end of a transaction that was left; it ends at once if there is none.
    pub fn join_left(&mut self) -> TransactionCallId {
        match &self.phase {
            TransactionPhase::Committing if self.left => self.same_or_new(TransactionCall::Commit),
            TransactionPhase::Aborting(_) if self.left => self.same_or_new(TransactionCall::Abort),
            _ => {
                let call_id = self.new_call_id();
                self.outcomes.push(TransactionCallOutcome {
                    call_id,
                    result: Ok(()),
                });
                call_id
            }
        }
    }

    /// Starts a call that waits for the end of the commit under way, whichever call has begun it.
    ///
    /// # Errors
    /// [`TransactionError::OutOfOrder`] if no commit is under way, or the error that broke the transaction.
    pub fn join_commit(&mut self) -> Result<TransactionCallId, TransactionError> {
        match &self.phase {
            TransactionPhase::Committing => Ok(self.same_or_new(TransactionCall::Commit)),
            _ => Err(self.refuse(TransactionCall::Commit)),
        }
    }

    /// Closes the producer: every call under way ends with an error.
    pub fn close(&mut self) {
        // Without EndTxn the coordinator aborts what is open.
        if self.phase == TransactionPhase::Committing && self.ending {
            self.end_call(Err(TransactionError::OutcomeUnknown));
        }
        self.fail(TransactionError::Closed);
    }

    pub(super) fn start(&mut self, call: TransactionCall) -> TransactionCallId {
        let call_id = self.new_call_id();
        self.call = Some((call_id, call));
        self.failures = 0;
        self.last_error = None;
        self.not_before = None;
        call_id
    }

    fn same_or_new(&mut self, call: TransactionCall) -> TransactionCallId {
        match self.call {
            Some((call_id, _)) => call_id,
            None => self.start(call),
        }
    }

    /// Notes that a call has succeeded after its caller stopped waiting. Repeating the call, as the time-out's message
    /// advises, then succeeds at once; a new transaction ends that.
    pub fn nobody_heard(&mut self, call: TransactionCall) {
        if self.phase == TransactionPhase::Ready {
            self.unheard = Some(call);
        }
    }

    fn hear(&mut self) -> TransactionCallId {
        self.unheard = None;
        let call_id = self.new_call_id();
        self.outcomes.push(TransactionCallOutcome {
            call_id,
            result: Ok(()),
        });
        call_id
    }

    fn new_call_id(&mut self) -> TransactionCallId {
        self.last_call_id += 1;
        TransactionCallId(self.last_call_id)
    }

    pub(super) fn end_call(&mut self, result: Result<(), TransactionError>) {
        if let Some((call_id, _)) = self.call.take() {
            self.outcomes
                .push(TransactionCallOutcome { call_id, result });
        }
    }

    /// Ends the transaction, which was committed or aborted.
    pub(super) fn complete(&mut self) {
        self.partitions.clear();
        self.missing = 0;
        self.started = None;
        self.heard = OpenedAtCoordinator::Nothing;
        self.ending = false;
        // In the newer protocol the response to EndTxn has brought a new epoch.
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

    /// Breaks the open transaction: it can only be aborted from now on.
    pub(super) fn give_up_transaction(&mut self, error: TransactionError) {
        match &self.phase {
            TransactionPhase::InTransaction | TransactionPhase::Committing => {}
            // It is broken already, or none is open.
            _ => return,
        }
        if self.version == Version::One {
            // Sequence numbers of records that failed may be missing at the broker.
            self.renewal = true;
        }
        self.ending = false;
        self.drop_plans(&error);
        self.end_call(Err(error.clone()));
        self.phase = TransactionPhase::Abortable(error);
        self.abort_if_left();
    }

    /// Aborts a transaction that was left, because the application will not.
    pub(super) fn abort_if_left(&mut self) {
        if self.left {
            // The phase allows an abort, so this cannot fail.
            let _ = self.abort();
        }
    }

    /// Aborts a transaction that is open for too long, before the coordinator does.
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

    /// Ends the producer with a fatal error.
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
                call_id: step.call_id,
                result: Err(error.clone()),
            });
        }
    }

    /// The error of a call that the current phase does not allow.
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
