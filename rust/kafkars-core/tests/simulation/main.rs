//! Seeded histories of producing and of transactions: the core's sender and transactions on a simulated clock and
//! network, against a model of the brokers.
//!
//! A storm of lost, late and repeated requests, moved leaders and coordinators, replicas that lag; then calm, in which
//! everything must end. No acknowledged record is lost or doubled, order holds per partition, no aborted record is
//! read, no transaction is torn. `KAFKARS_SEEDS` sets how many histories are played (default 48); a failure names its
//! seed, and `KAFKARS_FIRST_SEED` starts from there.

mod client;
mod cluster;
mod coordinator;
mod defect;
mod network;
mod produce;
mod refusal;
mod shapes;
mod transact;
mod world;

use defect::Defect;
use refusal::Case;
use shapes::Shape;

fn setting(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Plays histories, and reports every seed that fails.
fn play(history: impl Fn(u64) -> Result<(), String>) {
    let first = setting("KAFKARS_FIRST_SEED", 0);
    let seeds = first..first + setting("KAFKARS_SEEDS", 48);
    let failed: Vec<String> = seeds
        .filter_map(|seed| {
            history(seed)
                .err()
                .map(|error| format!("seed {seed}: {error}"))
        })
        .collect();
    assert!(
        failed.is_empty(),
        "{} histories failed: {:#?}",
        failed.len(),
        &failed[..failed.len().min(10)]
    );
}

/// A defect must show within the seeds that every test run plays.
fn caught(defect: Defect, history: impl Fn(u64, Option<Defect>) -> Result<(), String>) {
    let found = (0..48).any(|seed| history(seed, Some(defect)).is_err());
    assert!(found, "{defect:?} was not noticed");
}

#[test]
fn histories_without_numbers() {
    play(|seed| produce::history(seed, false, None));
}

#[test]
fn idempotent_histories() {
    play(|seed| produce::history(seed, true, None));
}

#[test]
fn transaction_histories_of_the_older_protocol() {
    play(|seed| transact::history(seed, 1, None));
}

#[test]
fn transaction_histories_of_the_newer_protocol() {
    play(|seed| transact::history(seed, 2, None));
}

#[test]
fn transaction_histories_with_records_taken_back() {
    play(|seed| transact::purging_history(seed, 1));
    play(|seed| transact::purging_history(seed, 2));
}

#[test]
fn transaction_histories_of_producers_closed_in_their_commits() {
    play(|seed| transact::closing_history(seed, 1, None));
    play(|seed| transact::closing_history(seed, 2, None));
}

#[test]
fn defects_of_closing_are_noticed() {
    for level in [1, 2] {
        caught(Defect::CutIsAborted, |seed, defect| {
            transact::closing_history(seed, level, defect)
        });
    }
}

#[test]
fn defects_of_producing_are_noticed() {
    for defect in [
        Defect::Unnumbered,
        Defect::RetryUnderNewEpoch,
        Defect::RetryWithWrongNumber,
        Defect::LostIsStored,
        Defect::AfterAppendIsStored,
        Defect::NotLeaderIsStored,
        Defect::RefusedIsForgotten,
        Defect::OffsetsShifted,
        Defect::DuplicateIsGap,
    ] {
        caught(defect, |seed, defect| produce::history(seed, true, defect));
    }
}

#[test]
fn defects_of_the_older_protocol_are_noticed() {
    for defect in [
        Defect::NoRenewal,
        Defect::EndsUndrained,
        Defect::PartitionsNotAdded,
        Defect::OffsetsNotSent,
        Defect::AbortCommits,
        Defect::CommitAborts,
        Defect::LostEndIsDone,
        Defect::FencedGoesOn,
    ] {
        caught(defect, |seed, defect| transact::history(seed, 1, defect));
    }
}

#[test]
fn defects_of_the_newer_protocol_are_noticed() {
    for defect in [
        Defect::EndsUndrained,
        Defect::OffsetsNotSent,
        Defect::AbortCommits,
        Defect::LostEndIsDone,
        Defect::EpochNotTaken,
        Defect::FencedGoesOn,
    ] {
        caught(defect, |seed, defect| transact::history(seed, 2, defect));
    }
}

/// The worlds that change shape.
const SHAPES: [Shape; 7] = [
    shape(false, false, false),
    shape(true, false, false),
    shape(false, true, true),
    shape(true, true, true),
    shape(true, false, true),
    guarded(shape(false, false, false)),
    guarded(shape(true, true, true)),
];

const fn shape(numbered: bool, by_id: bool, remakes: bool) -> Shape {
    Shape {
        numbered,
        by_id,
        remakes,
        guarded: false,
    }
}

const fn guarded(shape: Shape) -> Shape {
    Shape {
        guarded: true,
        ..shape
    }
}

#[test]
fn histories_in_worlds_that_change_shape() {
    for shape in SHAPES {
        play(|seed| shapes::history(seed, shape, None));
    }
}

#[test]
fn defects_in_worlds_that_change_shape_are_noticed() {
    for (defect, shape) in [
        (Defect::OvertakesAtLeaders, SHAPES[0]),
        (Defect::NeverShrinks, SHAPES[3]),
        (Defect::TodaysId, SHAPES[3]),
        (Defect::NoTimers, SHAPES[1]),
        (Defect::RefusalIsNoConnection, SHAPES[5]),
        (Defect::RefusalIsNoConnection, SHAPES[6]),
        (Defect::RefusalIsKept, SHAPES[5]),
        (Defect::RefusalIsKept, SHAPES[6]),
    ] {
        caught(defect, |seed, defect| shapes::history(seed, shape, defect));
    }
}

/// Cases of refusals: the soak plays all of them, other runs those of the codes that Kafka documents for the
/// requests of producers.
fn refusals() -> Vec<Case> {
    let all = refusal::cases();
    match setting("KAFKARS_SEEDS", 48) {
        ..1_000 => all.into_iter().filter(Case::is_documented).collect(),
        _ => all,
    }
}

fn play_refusals(level: Option<i16>) {
    let failed: Vec<String> = refusals()
        .into_iter()
        .filter(|case| case.level == level)
        .filter_map(|case| refusal::history(1, case, None).err())
        .collect();
    assert!(
        failed.is_empty(),
        "{} cases failed: {:#?}",
        failed.len(),
        &failed[..failed.len().min(10)]
    );
}

#[test]
fn refused_requests_without_transactions() {
    play_refusals(None);
}

#[test]
fn refused_requests_of_the_older_protocol() {
    play_refusals(Some(1));
}

#[test]
fn refused_requests_of_the_newer_protocol() {
    play_refusals(Some(2));
}

#[test]
fn defects_under_refusals_are_noticed() {
    for defect in [
        Defect::NoPause,
        Defect::NoTimers,
        Defect::IdentityForgotten,
        Defect::RenewalChangesNothing,
    ] {
        let found = refusals()
            .into_iter()
            .any(|case| refusal::history(1, case, Some(defect)).is_err());
        assert!(found, "{defect:?} was not noticed");
    }
}
