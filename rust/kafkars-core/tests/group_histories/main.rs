//! Histories of groups on a simulated clock: members join, leave, pause, are cut off; requests are delayed, lost, or
//! carried out without an answer; the coordinator moves. Each history comes from one number, and the same number gives
//! the same history.
//!
//! `KAFKARS_SEEDS` says how many histories each combination of protocol and strategy gets (48 when it is not set);
//! `KAFKARS_SEED` runs that one history only and prints what happens in it.

mod classic_coordinator;
mod consumer_coordinator;
mod coordinator;
mod defects;
mod history;
mod invariants;
mod member;
mod network;
mod one_refusal;
mod progress;
mod promises;
mod refusals;
mod trace;
mod trouble;
mod world;

use consumer_coordinator::ServerAssignor;
use defects::{CAUGHT_WITHIN, DEFECTS};
use history::{Setup, run};

fn seeds() -> u64 {
    let asked = std::env::var("KAFKARS_SEEDS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(48)
}

fn hold(setup: Setup) {
    let seeds = trace::only_seed().map_or(0..seeds(), |seed| seed..seed + 1);
    for seed in seeds {
        if let Err(violation) = run(setup, seed, None) {
            panic!("{setup:?}, seed {seed}: {violation}");
        }
    }
}

#[test]
fn histories_of_range() {
    hold(Setup::Classic("range"));
}

#[test]
fn histories_of_round_robin() {
    hold(Setup::Classic("roundrobin"));
}

#[test]
fn histories_of_sticky() {
    hold(Setup::Classic("sticky"));
}

#[test]
fn histories_of_cooperative_sticky() {
    hold(Setup::Classic("cooperative-sticky"));
}

#[test]
fn histories_of_an_upgrade_to_cooperative_sticky() {
    hold(Setup::Upgrade);
}

#[test]
fn histories_of_the_consumer_protocol_with_uniform() {
    hold(Setup::Consumer(ServerAssignor::Uniform));
}

#[test]
fn histories_of_the_consumer_protocol_with_range() {
    hold(Setup::Consumer(ServerAssignor::Range));
}

#[test]
fn every_planted_defect_is_caught() {
    let mut unnoticed = Vec::new();
    for defect in DEFECTS {
        for setup in defect.shows_in() {
            let caught = (0..CAUGHT_WITHIN).any(|seed| run(*setup, seed, Some(*defect)).is_err());
            if !caught {
                unnoticed.push((defect, setup));
            }
        }
    }
    assert!(
        unnoticed.is_empty(),
        "unnoticed in {CAUGHT_WITHIN} histories: {unnoticed:?}"
    );
}
