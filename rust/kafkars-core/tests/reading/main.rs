//! The reading oracle: seeded logs, read from every offset, must show what was written to them and nothing else.
//!
//! A log holds interleaved committed, aborted and open transactions of several producers, markers at batch boundaries,
//! holes left by compaction, a deleted prefix, message sets of magic 0 and 1 before batches, every codec. A model
//! broker answers fetches from it as Kafka does, or hostilely; the client's fetch buffer reads it as the driver would;
//! a model says what must be seen. `KAFKARS_SEEDS` sets how many logs are read (default 48); a failure names its seed,
//! and `KAFKARS_FIRST_SEED` starts from there.

mod broker;
mod chance;
mod commits;
mod defect;
mod fairness;
mod hostile;
mod log;
mod reader;
mod truncation;
mod truth;

use kafkars_core::config::IsolationLevel;

use broker::Manners;
use chance::Chance;
use defect::Defect;
use log::Log;
use reader::read;

/// How many histories of commits are played: they are quick, and their defects need several steps to show.
const OF_COMMITS: u64 = 1_000;

/// How many seeds it may take to notice a defect.
const CAUGHT_WITHIN: u64 = 48;

const ISOLATIONS: [IsolationLevel; 2] = [
    IsolationLevel::ReadUncommitted,
    IsolationLevel::ReadCommitted,
];

/// Bytes that a fetch asks for: less than any batch, a few batches, everything.
const FETCH_SIZES: [usize; 3] = [1, 300, 1 << 20];

fn setting(name: &str, default: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Plays every seed, and reports those that fail.
fn play(history: impl Fn(u64) -> Result<(), String>) {
    play_many(48, history);
}

/// The same with `count` seeds, unless `KAFKARS_SEEDS` is set.
fn play_many(count: u64, history: impl Fn(u64) -> Result<(), String>) {
    let first = setting("KAFKARS_FIRST_SEED", 0);
    let seeds = first..first + setting("KAFKARS_SEEDS", count);
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
    caught_within(CAUGHT_WITHIN, defect, history);
}

fn caught_within(
    seeds: u64,
    defect: Defect,
    history: impl Fn(u64, Option<Defect>) -> Result<(), String>,
) {
    let found = (0..seeds).any(|seed| history(seed, Some(defect)).is_err());
    assert!(found, "{defect:?} was not noticed");
}

/// Reads one log from every offset, in both isolation levels, at every fetch size.
fn every_offset(seed: u64, manners: Manners, defect: Option<Defect>) -> Result<(), String> {
    let mut chance = Chance::new(seed);
    let log = Log::generate(&mut chance);
    for from in log.start..=log.end {
        for isolation in ISOLATIONS {
            for fetch_size in FETCH_SIZES {
                let seen = read(
                    &log,
                    from,
                    isolation,
                    fetch_size,
                    manners,
                    &mut chance,
                    defect,
                );
                let expected = truth::readable(&log, from, isolation);
                let seen = seen.map_err(|error| {
                    format!("from {from}, {isolation:?}, {fetch_size} bytes: {error}")
                })?;
                if seen != expected {
                    return Err(format!(
                        "from {from}, {isolation:?}, {fetch_size} bytes: saw {seen:?}, expected {expected:?} of {log:#?}"
                    ));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn logs_read_from_every_offset_show_what_was_written() {
    play(|seed| every_offset(seed, Manners::Kafka, None));
}

#[test]
fn answers_that_repeat_or_go_back_show_the_same() {
    play(|seed| every_offset(seed, Manners::Repeats, None));
}

#[test]
fn malformed_batches_are_errors_that_say_where() {
    play(|seed| hostile::history(seed, None));
}

#[test]
fn partitions_are_read_whatever_becomes_of_the_others() {
    play(|seed| fairness::history(seed, None));
}

#[test]
fn what_is_in_hand_is_not_finished_whatever_becomes_of_the_log() {
    play(|seed| truncation::history(seed, None));
}

#[test]
fn commits_are_what_the_application_has_finished_and_said() {
    play_many(OF_COMMITS, |seed| commits::history(seed, None));
}

#[test]
fn planted_defects_are_noticed() {
    caught(Defect::MarkersEndNothing, |seed, defect| {
        every_offset(seed, Manners::Kafka, defect)
    });
    caught(Defect::AbortedAreShown, |seed, defect| {
        every_offset(seed, Manners::Kafka, defect)
    });
    caught(Defect::PositionIsTakenFromBatches, |seed, defect| {
        every_offset(seed, Manners::Repeats, defect)
    });
    caught(Defect::MalformedIsSkipped, hostile::history);
    caught(Defect::PausedUsesUpTheCredit, fairness::history);
    caught(Defect::DroppedIsNotFetchedAgain, fairness::history);
    caught(Defect::EpochStaysBehind, |seed, defect| {
        every_offset(seed, Manners::Kafka, defect)
    });
    caught(Defect::StaleRefusalCounts, fairness::history);
    caught(Defect::ErrorsOvertake, fairness::history);
    caught(Defect::TruncationFinishes, truncation::history);
    caught_within(OF_COMMITS, Defect::SeekFinishes, commits::history);
    caught_within(OF_COMMITS, Defect::LeftIsForgotten, commits::history);
    caught_within(OF_COMMITS, Defect::PositionsBeatCommits, commits::history);
    caught_within(OF_COMMITS, Defect::TopicsAreKnownByName, commits::history);
}
