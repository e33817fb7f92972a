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
    /// These are answered that their coordinator is loading.
    loading: BTreeSet<usize>,
    /// The coordinator is another broker each time that it is looked up.
    flips: bool,
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
            loading: BTreeSet::new(),
            flips: false,
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
            _ if self.loading.contains(&name) => Err(refusal(ErrorCode::CoordinatorLoadInProgress)),
            home if home == node && !self.flips => Ok(()),
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
            match &mut fake.homes.lock()[name] {
                home if fake.flips => {
                    *home = 4 - *home;
                    Ok(*home)
                }
                &mut NOBODY => Err(refusal(ErrorCode::CoordinatorNotAvailable)),
                node => Ok(*node),
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

#[tokio::test(start_paused = true)]
async fn what_a_coordinator_still_loads_holds_up_no_others_of_it() {
    let fake = Fake {
        loading: (0..400).step_by(2).collect(),
        ..Fake::new([1; 400])
    };
    let outcomes = fake.outcomes().await;
    let asked = fake.asked.lock();
    let healthy = asked.iter().filter(|(name, ..)| name % 2 == 1);
    let last = healthy.map(|(.., at)| *at).max().expect("some were asked");
    assert!(fake.deadline - last > LIMIT - Duration::from_secs(1));
    for (name, outcome) in outcomes.iter().enumerate() {
        match outcome {
            Ok(()) => assert_eq!(name % 2, 1),
            Err(error) => assert!(error.to_string().contains("LOAD_IN_PROGRESS"), "{error}"),
        }
    }
    assert_eq!(
        outcomes.iter().filter(|outcome| outcome.is_ok()).count(),
        200
    );
}

/// Two brokers that do not agree which of them coordinates a group.
#[tokio::test(start_paused = true)]
async fn a_coordinator_that_is_another_one_each_time_is_asked_with_pauses() {
    let fake = Fake {
        flips: true,
        ..Fake::new([1])
    };
    assert!(fake.outcomes().await[0].is_err());
    let asked = fake.asked.lock().len();
    assert!((5..30).contains(&asked), "{asked} questions");
}

#[tokio::test(start_paused = true)]
async fn names_behind_a_silent_coordinator_follow_it() {
    let fake = Fake::new([SILENT; 200]);
    let moving = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        fake.homes.lock().fill(3);
    };
    let (outcomes, ()) = tokio::join!(fake.outcomes(), moving);
    let failed: Vec<usize> = (0..200).filter(|name| outcomes[*name].is_err()).collect();
    assert_eq!(failed, [0], "the one that was under way");
    let asked = fake.asked.lock();
    let last = asked.last().expect("some were asked").2;
    assert!(fake.deadline - last > LIMIT - Duration::from_secs(3));
}
