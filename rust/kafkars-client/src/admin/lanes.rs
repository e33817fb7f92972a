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
use std::time::Instant;

use super::routing::not_coordinator;
use crate::client::{Retries, TryFailure};
use crate::error::ClientError;
use crate::first_ended::first_ended;
use crate::now;

/// Finding a coordinator has no effect, and is no more than a small request.
const LOOKUPS_AT_ONCE: usize = 100;

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
    under_way: Vec<(usize, StepUnderWay<'a>)>,
    /// How many of them look up a coordinator.
    lookups: usize,
    names: Vec<Progress>,
}

/// The names of one coordinator, which are asked about one after the other.
struct CoordinatorLane {
    names: VecDeque<usize>,
    is_busy: bool,
    rests_until: Instant,
    /// What the last question that failed was, and why.
    failure: Option<(usize, Arc<str>)>,
}

struct Progress {
    retries: Retries,
    /// What the tries so far have met.
    cause: Option<Arc<str>>,
    /// The broker that was asked about it last, in vain.
    asked: Option<i32>,
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
            asked: None,
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
            if !lane.is_busy
                && lane.rests_until <= now
                && let Some(name) = lane.names.pop_front()
            {
                lane.is_busy = true;
                self.names[name].retries.begin();
                let step = self.questions.ask(name, node);
                let step = Box::pin(async move { StepOutcome::Answered(node, step.await) });
                self.under_way.push((name, step));
            }
        }
        let waiting = self.lanes.values();
        let waiting = waiting.filter(|lane| !lane.is_busy && !lane.names.is_empty());
        let next = waiting.map(|lane| lane.rests_until).chain(
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
                return;
            }
        };
        // Others that were behind it have moved too, or some of them.
        if let Some(earlier) = self.names[name].asked.take_if(|asked| *asked != node)
            && let Some(lane) = self.lanes.get_mut(&earlier)
        {
            let now = now();
            lane.rests_until = now;
            self.to_find
                .extend(lane.names.drain(..).map(|name| (now, name)));
        }
        let lane = self.lanes.entry(node).or_insert_with(|| CoordinatorLane {
            names: VecDeque::new(),
            is_busy: false,
            rests_until: now(),
            failure: None,
        });
        lane.names.push_back(name);
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
        let (mut rest, mut failure) = (None, None);
        if let Some(met) = met {
            self.questions.failed();
            rest = self.again(name, met, |questions| questions.asking(name));
            failure = self.names[name].cause.clone();
        }
        if let Some(lane) = self.lanes.get_mut(&node) {
            lane.is_busy = false;
            lane.failure = failure.map(|cause| (name, cause));
            lane.rests_until = rest.unwrap_or(lane.rests_until);
        }
        if rest.is_some() {
            // It may have another coordinator by now, which is not kept from answering.
            self.names[name].asked = Some(node);
            self.to_find.insert((now(), name));
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
            progress.outcome = Some(Err(ClientError::TimedOut {
                operation: operation(self.questions).into(),
                waited: progress.retries.waited(),
                cause,
            }));
        }
        pause.map(|pause| now() + pause)
    }

    /// The outcomes, once there is no time left for names that have none.
    fn into_outcomes(mut self) -> Vec<Result<(), ClientError>> {
        for (_, name) in std::mem::take(&mut self.to_find) {
            self.too_late(
                name,
                self.questions.finding(name),
                "no time was left to ask".into(),
            );
        }
        for lane in std::mem::take(&mut self.lanes).into_values() {
            let kept_by = |(before, cause): (usize, Arc<str>)| {
                let before = self.questions.asking(before);
                format!("no time was left behind {before}: {cause}").into()
            };
            let cause: Arc<str> = lane
                .failure
                .map_or_else(|| "no time was left to ask".into(), kept_by);
            for name in lane.names {
                self.too_late(name, self.questions.asking(name), Arc::clone(&cause));
            }
        }
        let outcomes = self.names.into_iter();
        outcomes
            .map(|each| each.outcome.unwrap_or(Err(ClientError::Closed)))
            .collect()
    }

    /// Ends a name whose time is over while it waited. What it has met itself says more than what it waited behind.
    fn too_late(&mut self, name: usize, operation: String, cause: Arc<str>) {
        let progress = &mut self.names[name];
        progress.outcome = Some(Err(ClientError::TimedOut {
            operation: operation.into(),
            waited: progress.retries.waited(),
            cause: progress.cause.take().unwrap_or(cause),
        }));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::time::Duration;

    use kafkars_core::backoff::{Backoff, Random};
    use kafkars_protocol::ErrorCode;
    use parking_lot::Mutex;

    use super::*;
    use crate::error::AttemptError;

    const LIMIT: Duration = Duration::from_secs(10);
    const ROUND_TRIP: Duration = Duration::from_millis(1);
    const NOBODY: i32 = -1;
    const SILENT: i32 = 2;

    /// A cluster whose brokers answer in a millisecond, but for a silent one.
    struct Fake {
        /// The coordinator of each name.
        homes: Mutex<Vec<i32>>,
        /// What was asked, of whom, and when.
        asked: Mutex<Vec<(usize, i32, Instant)>>,
        under_way: Mutex<HashMap<i32, usize>>,
        /// The answers that get lost: the first of each of these names.
        lost: Mutex<BTreeSet<usize>>,
        /// All names move to the last broker once so many were asked about.
        moves_after: usize,
        deadline: Instant,
    }

    impl Fake {
        fn new(homes: impl IntoIterator<Item = i32>) -> Self {
            Self {
                homes: Mutex::new(homes.into_iter().collect()),
                asked: Mutex::default(),
                under_way: Mutex::default(),
                lost: Mutex::default(),
                moves_after: usize::MAX,
                deadline: now() + LIMIT,
            }
        }

        async fn outcomes(&self) -> Vec<Result<(), ClientError>> {
            let names = self.homes.lock().len();
            ask_each(&self, names, self.deadline).await
        }

        async fn answer(&self, name: usize, node: i32) -> Result<(), ClientError> {
            self.asked.lock().push((name, node, now()));
            let others = std::mem::replace(self.under_way.lock().entry(node).or_default(), 1);
            assert_eq!(others, 0, "two questions at once at broker {node}");
            if node == SILENT {
                tokio::time::sleep_until(self.deadline.into()).await;
            } else {
                tokio::time::sleep(ROUND_TRIP).await;
            }
            self.under_way.lock().insert(node, 0);
            if self.asked.lock().len() == self.moves_after {
                self.homes.lock().fill(9);
            }
            if node == SILENT || self.lost.lock().remove(&name) {
                let lost = AttemptError::Disconnected("lost".into());
                return Err(ClientError::Attempt(lost));
            }
            match self.homes.lock()[name] {
                home if home == node => Ok(()),
                _ => Err(refusal(ErrorCode::NotCoordinator)),
            }
        }
    }

    fn refusal(code: ErrorCode) -> ClientError {
        ClientError::Broker {
            code,
            topic: None,
            partition: None,
            subject: None,
            message: None,
        }
    }

    impl<'a> Questions<'a> for &'a Fake {
        fn find(&self, name: usize) -> LaneStep<'a, i32> {
            let fake = *self;
            Box::pin(async move {
                tokio::time::sleep(ROUND_TRIP).await;
                match fake.homes.lock()[name] {
                    NOBODY => Err(refusal(ErrorCode::CoordinatorNotAvailable)),
                    node => Ok(node),
                }
            })
        }

        fn ask(&self, name: usize, node: i32) -> LaneStep<'a, ()> {
            Box::pin((*self).answer(name, node))
        }

        fn retries(&self) -> Retries {
            let backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(1));
            Retries::new(backoff, Random::new(1), 3 * LIMIT, self.deadline)
        }

        fn finding(&self, name: usize) -> String {
            format!("finding {name}")
        }

        fn asking(&self, name: usize) -> String {
            format!("asking {name}")
        }

        fn failed(&self) {}
    }

    #[tokio::test(start_paused = true)]
    async fn each_name_is_asked_about_once() {
        let fake = Fake::new((0..1_000).map(|name| [1, 3, 4][name % 3]));
        let began = now();
        assert!(fake.outcomes().await.iter().all(Result::is_ok));
        assert_eq!(fake.asked.lock().len(), 1_000);
        assert!(now() - began < Duration::from_secs(1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_coordinator_holds_up_only_its_own_names() {
        let fake = Fake::new((0..300).map(|name| [SILENT, 1, 3][name % 3]));
        let outcomes = fake.outcomes().await;
        for (name, outcome) in outcomes.iter().enumerate() {
            assert_eq!(outcome.is_err(), name % 3 == 0, "{name}: {outcome:?}");
        }
        let asked = fake.asked.lock();
        assert!(asked.iter().all(|(.., at)| *at < fake.deadline));
        assert_eq!(
            asked.iter().filter(|(_, node, _)| *node == SILENT).count(),
            1
        );
        let error = outcomes[3].clone().expect_err("not asked").to_string();
        let words = [
            "asking 3 not done within 10000 ms",
            "behind asking 0",
            "lost",
        ];
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }

    #[tokio::test(start_paused = true)]
    async fn names_whose_coordinator_is_never_found_hold_up_no_others() {
        let fake = Fake::new((0..500).map(|name| if name < 400 { NOBODY } else { 1 }));
        let outcomes = fake.outcomes().await;
        assert!(outcomes[400..].iter().all(Result::is_ok));
        let asked = fake.asked.lock();
        let last = asked.last().expect("some were asked about").2;
        assert!(
            fake.deadline - last > LIMIT / 2,
            "{:?}",
            fake.deadline - last
        );
        for outcome in &outcomes[..400] {
            let error = outcome
                .clone()
                .expect_err("nobody coordinates it")
                .to_string();
            assert!(error.starts_with("finding") && error.contains("COORDINATOR_NOT_AVAILABLE"));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn names_that_have_moved_are_followed() {
        let fake = Fake {
            moves_after: 10,
            ..Fake::new([1; 500])
        };
        let began = now();
        assert!(fake.outcomes().await.iter().all(Result::is_ok));
        assert!(now() - began < Duration::from_secs(1));
        let asked = fake.asked.lock();
        assert!(asked.len() < 515, "{} questions", asked.len());
    }

    #[tokio::test(start_paused = true)]
    async fn a_lost_answer_is_no_other_ones() {
        let fake = Fake::new([1; 50]);
        fake.lost.lock().insert(7);
        assert!(fake.outcomes().await.iter().all(Result::is_ok));
        let mut asked: Vec<usize> = fake.asked.lock().iter().map(|(name, ..)| *name).collect();
        asked.sort_unstable();
        let mut expected: Vec<usize> = (0..50).chain([7]).collect();
        expected.sort_unstable();
        assert_eq!(asked, expected);
    }

    #[tokio::test(start_paused = true)]
    async fn no_names_and_no_time_end_at_once() {
        assert!(Fake::new([]).outcomes().await.is_empty());
        let fake = Fake {
            deadline: now(),
            ..Fake::new([1])
        };
        let error = fake
            .outcomes()
            .await
            .remove(0)
            .expect_err("no time")
            .to_string();
        assert!(error.contains("no time was left to ask"), "{error}");
        assert!(fake.asked.lock().is_empty());
    }
}
