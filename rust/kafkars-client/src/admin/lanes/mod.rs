//! In what order many groups or transactional ids are asked about, which their coordinators answer.
//!
//! The coordinator of each name is found, then asked, and found anew where it is another one by now. Many are looked up
//! at once, but no more than one question is under way at a coordinator: many would fail together where one answer is
//! late or lost, and what had its effect by then (a deletion) would be asked for again. A coordinator that cannot be
//! found, or does not answer, holds up only what it alone can answer.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::routing::not_coordinator;
use crate::client::{LONG, Retries, TryFailure};
use crate::error::ClientError;
use crate::first_ended::first_ended;
use crate::now;

/// Finding a coordinator has no effect, and is no more than a small request.
const LOOKUPS_AT_ONCE: usize = 100;

/// The names that wait for a coordinator are not looked up anew more often than this.
const EMPTIED_EVERY: Duration = Duration::from_millis(100);

/// One step towards the answer about a name.
pub(super) type LaneStep<'a, T> = Pin<Box<dyn Future<Output = Result<T, ClientError>> + Send + 'a>>;

/// What is done with a name, which is given by its place.
pub(super) trait Questions<'a>: Sync {
    /// Looks its coordinator up, once.
    fn find(&self, name: usize) -> LaneStep<'a, i32>;

    /// Asks this broker about it, once.
    fn ask(&self, name: usize, node: i32) -> LaneStep<'a, ()>;

    /// The tries of a call that starts now.
    fn retries(&self) -> Retries;

    /// Names the search for its coordinator, in errors.
    fn finding(&self, name: usize) -> String;

    /// Names the question, in errors.
    fn asking(&self, name: usize) -> String;

    /// Hears that a coordinator did not answer, or is none.
    fn failed(&self);
}

/// Asks about each of the names until all have an answer or the deadline has passed.
pub(super) async fn ask_each(
    questions: &dyn Questions<'_>,
    names: usize,
    deadline: Instant,
) -> Vec<Result<(), ClientError>> {
    let begin = now();
    let lanes = CoordinatorLanes {
        questions,
        deadline,
        to_find: (0..names).map(|name| (begin, name)).collect(),
        lanes: BTreeMap::new(),
        not_found: None,
        under_way: Vec::new(),
        lookups: 0,
        names: (0..names).map(|_| Progress::new(questions)).collect(),
    };
    lanes.run().await
}

type StepUnderWay<'a> = Pin<Box<dyn Future<Output = StepOutcome> + Send + 'a>>;

struct CoordinatorLanes<'q, 'a> {
    questions: &'q dyn Questions<'a>,
    deadline: Instant,
    /// Names whose coordinator is to be looked up, and from when on.
    to_find: BTreeSet<(Instant, usize)>,
    lanes: BTreeMap<i32, CoordinatorLane>,
    /// The last name whose coordinator was not found, and why.
    not_found: Option<(usize, Arc<str>)>,
    under_way: Vec<(usize, StepUnderWay<'a>)>,
    /// How many of them look up a coordinator.
    lookups: usize,
    names: Vec<Progress>,
}

/// The names of one coordinator, which are asked about one after the other.
struct CoordinatorLane {
    names: VecDeque<usize>,
    /// Since when a question is under way, or names behind it were looked for elsewhere last.
    busy_since: Option<Instant>,
    rests_until: Instant,
    /// When the names that wait in it were looked up anew.
    emptied_at: Option<Instant>,
    /// The name that was asked about last, in vain, and why.
    failure: Option<(usize, Arc<str>)>,
}

struct Progress {
    retries: Retries,
    /// What the tries so far have met.
    cause: Option<Arc<str>>,
    /// What has kept it from being tried.
    kept_by: Option<Arc<str>>,
    /// The broker that was its coordinator last, and when it may be asked again.
    asked: Option<(i32, Instant)>,
    has_moved: bool,
    outcome: Option<Result<(), ClientError>>,
}

/// How a step has ended.
enum StepOutcome {
    Found(Result<i32, ClientError>),
    Answered(i32, Result<(), ClientError>),
}

impl Progress {
    fn new(questions: &dyn Questions<'_>) -> Self {
        Self {
            retries: questions.retries(),
            cause: None,
            kept_by: None,
            asked: None,
            has_moved: false,
            outcome: None,
        }
    }
}

impl CoordinatorLanes<'_, '_> {
    async fn run(mut self) -> Vec<Result<(), ClientError>> {
        loop {
            let next = self.start();
            if next.is_none() && self.under_way.is_empty() {
                return self.into_outcomes();
            }
            let wakes_at = next.unwrap_or(self.deadline);
            tokio::select! {
                biased;
                (name, ended) = first_ended(&mut self.under_way), if !self.under_way.is_empty() => {
                    match ended {
                        StepOutcome::Found(found) => self.found(name, found),
                        StepOutcome::Answered(node, answered) => self.answered(name, node, answered),
                    }
                }
                () = tokio::time::sleep_until(wakes_at.into()), if next.is_some() => {}
            }
        }
    }

    /// Starts what can be started now. Returns when there will be more to start; none if there will not.
    fn start(&mut self) -> Option<Instant> {
        let now = now();
        if now >= self.deadline {
            return None;
        }
        while self.lookups < LOOKUPS_AT_ONCE
            && let Some(&(at, name)) = self.to_find.first()
            && at <= now
        {
            self.to_find.pop_first();
            self.lookups += 1;
            self.names[name].retries.begin();
            let step = self.questions.find(name);
            let step = Box::pin(async move { StepOutcome::Found(step.await) });
            self.under_way.push((name, step));
        }
        for (&node, lane) in &mut self.lanes {
            // Whether one that is silent is still the coordinator is asked of one name: if not, the others follow.
            if lane.busy_since.is_some_and(|since| now - since >= LONG)
                && let Some(name) = lane.names.pop_front()
            {
                lane.busy_since = Some(now);
                self.names[name].asked = Some((node, now));
                self.to_find.insert((now, name));
            }
            if lane.busy_since.is_none()
                && lane.rests_until <= now
                && let Some(name) = lane.names.pop_front()
            {
                lane.busy_since = Some(now);
                self.names[name].retries.begin();
                let step = self.questions.ask(name, node);
                let step = Box::pin(async move { StepOutcome::Answered(node, step.await) });
                self.under_way.push((name, step));
            }
        }
        let waiting = self.lanes.values();
        let waiting = waiting.filter(|lane| !lane.names.is_empty());
        let next = waiting.map(|lane| match lane.busy_since {
            Some(since) => since + LONG,
            None => lane.rests_until,
        });
        let next = next.chain(
            self.to_find
                .first()
                .map(|(at, _)| *at)
                .filter(|_| self.lookups < LOOKUPS_AT_ONCE),
        );
        next.min().map(|next| next.min(self.deadline))
    }

    fn found(&mut self, name: usize, found: Result<i32, ClientError>) {
        self.lookups -= 1;
        let node = match found {
            Ok(node) => node,
            Err(error) => {
                let met = match error {
                    ClientError::TimedOut { cause, .. } => TryFailure::NoAnswer(cause),
                    ClientError::Broker { code, .. } if code.retriable() => {
                        TryFailure::Refusal(code.explained().into())
                    }
                    error => {
                        self.names[name].outcome = Some(Err(error));
                        return;
                    }
                };
                let at = self.again(name, met, |questions| questions.finding(name));
                self.to_find.extend(at.map(|at| (at, name)));
                self.not_found = self.names[name].cause.clone().map(|cause| (name, cause));
                return;
            }
        };
        match self.names[name].asked.take() {
            Some((earlier, again_at)) if earlier == node && again_at > now() => {
                self.names[name].asked = Some((earlier, again_at));
                self.to_find.insert((again_at, name));
                return;
            }
            Some((earlier, _)) if earlier != node => self.has_moved(name, earlier),
            _ => {}
        }
        let lane = self.lanes.entry(node).or_insert_with(|| CoordinatorLane {
            names: VecDeque::new(),
            busy_since: None,
            rests_until: now(),
            emptied_at: None,
            failure: None,
        });
        lane.names.push_back(name);
    }

    /// Notes that a name has another coordinator than it had. Others that were behind it have moved too, or some of
    /// them: they are looked up again.
    fn has_moved(&mut self, name: usize, from: i32) {
        self.names[name].has_moved = true;
        let Some(lane) = self.lanes.get_mut(&from) else {
            return;
        };
        let now = now();
        lane.rests_until = now;
        if lane.emptied_at.is_some_and(|at| now - at < EMPTIED_EVERY) {
            return;
        }
        lane.emptied_at = Some(now);
        let kept_by = lane
            .failure
            .as_ref()
            .map(|failure| behind(self.questions, failure));
        for name in lane.names.drain(..) {
            let progress = &mut self.names[name];
            progress.kept_by.clone_from(&kept_by);
            self.to_find.insert((now, name));
        }
    }

    fn answered(&mut self, name: usize, node: i32, answered: Result<(), ClientError>) {
        let met = match answered {
            Err(ClientError::Attempt(error)) if error.retriable() => {
                Some(TryFailure::NoAnswer(error.to_string().into()))
            }
            Err(ClientError::Broker { code, .. }) if not_coordinator([code.code()]).is_some() => {
                Some(TryFailure::Refusal(code.explained().into()))
            }
            answered => {
                self.names[name].outcome = Some(answered);
                None
            }
        };
        let Some(lane) = self.lanes.get_mut(&node) else {
            return;
        };
        lane.busy_since = None;
        lane.failure = None;
        let Some(met) = met else {
            return;
        };
        self.questions.failed();
        let is_silent = matches!(met, TryFailure::NoAnswer(_));
        let again_at = self.again(name, met, |questions| questions.asking(name));
        let progress = &mut self.names[name];
        if let Some(lane) = self.lanes.get_mut(&node) {
            lane.failure = progress.cause.clone().map(|cause| (name, cause));
            // One that refuses may well answer about others.
            lane.rests_until = again_at.filter(|_| is_silent).unwrap_or(lane.rests_until);
        }
        if let Some(again_at) = again_at {
            // It may have another coordinator by now, which is asked at once. But not each time: two that do not agree
            // which of them it is would be asked without end.
            let look_up_at = if progress.has_moved { again_at } else { now() };
            progress.asked = Some((node, again_at));
            self.to_find.insert((look_up_at, name));
        }
    }

    /// Notes what a try has met. Returns when the next one is due; none if there is no time for it.
    fn again(
        &mut self,
        name: usize,
        met: TryFailure,
        operation: impl FnOnce(&dyn Questions<'_>) -> String,
    ) -> Option<Instant> {
        let progress = &mut self.names[name];
        let cause = progress.retries.cause(met, progress.cause.take());
        progress.cause = Some(Arc::clone(&cause));
        let pause = progress.retries.pause();
        if pause.is_none() {
            let late = progress.retries.late(operation(self.questions), cause);
            progress.outcome = Some(Err(late));
        }
        pause.map(|pause| now() + pause)
    }

    /// The outcomes, once there is no time left for names that have none.
    fn into_outcomes(mut self) -> Vec<Result<(), ClientError>> {
        let not_found = self.not_found.take().map(|(before, cause)| {
            let before = self.questions.finding(before);
            Arc::from(format!("no time was left behind {before}: {cause}"))
        });
        for (_, name) in std::mem::take(&mut self.to_find) {
            let own = self.names[name].cause.take();
            let cause = own.or_else(|| not_found.clone());
            self.too_late(name, self.questions.finding(name), cause);
        }
        for lane in std::mem::take(&mut self.lanes).into_values() {
            let kept_by = |failure| behind(self.questions, &failure);
            let kept_by = lane.failure.map(kept_by);
            for name in lane.names {
                // It was there as long as the last question, whatever it has met before.
                let own = self.names[name].cause.take();
                let cause = kept_by.clone().or(own);
                self.too_late(name, self.questions.asking(name), cause);
            }
        }
        let outcomes = self.names.into_iter();
        outcomes
            .map(|each| each.outcome.unwrap_or(Err(ClientError::Closed)))
            .collect()
    }

    /// Ends a name whose time is over while it waited.
    fn too_late(&mut self, name: usize, operation: String, cause: Option<Arc<str>>) {
        let progress = &mut self.names[name];
        let cause = cause.or(progress.kept_by.take());
        let cause = cause.unwrap_or_else(|| "no time was left to ask".into());
        progress.outcome = Some(Err(progress.retries.late(operation, cause)));
    }
}

/// Says what has kept names from being asked about.
fn behind(questions: &dyn Questions<'_>, (name, cause): &(usize, Arc<str>)) -> Arc<str> {
    let before = questions.asking(*name);
    format!("no time was left behind {before}: {cause}").into()
}

#[cfg(test)]
mod tests;
