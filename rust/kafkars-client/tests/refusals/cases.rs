//! The test cases: which requests are refused, with which codes, how often; and the pace of retries that is allowed.

use std::time::Duration;

use kafkars_client::FetchError;
use kafkars_protocol::{ApiKey, ErrorCode};
use tokio::task::JoinSet;

use crate::peer::{Fault, Refusal};
use crate::scene::{Outcome, Scene, SeekTarget, TEST_TIMEOUT};

/// A code that Kafka does not have.
const UNKNOWN: i16 = 9_999;
/// Partition codes of Fetch, as Kafka documents them.
const FETCH: &[i16] = &[
    -1, 1, 2, 3, 6, 9, 29, 56, 74, 75, 76, 78, 100, 103, 106, 109, UNKNOWN,
];
/// Top-level codes of Fetch: sessions, authorization, requests that the broker does not accept.
const WHOLE_FETCH: &[i16] = &[-1, 3, 7, 29, 31, 35, 42, 70, 71, 100, 106, UNKNOWN];
const LIST_OFFSETS: &[i16] = &[-1, 3, 5, 6, 9, 29, 43, 56, 74, 75, 78, UNKNOWN];
const EPOCHS: &[i16] = &[-1, 3, 6, 9, 29, 56, 74, 75, UNKNOWN];
const METADATA: &[i16] = &[-1, 3, 5, 9, 29, 100, UNKNOWN];
const WHOLE_METADATA: &[i16] = &[-1, 129, UNKNOWN];

/// The node ids that a refusing broker names as a replica: its own, which leads the consumer in a circle, and one that
/// metadata does not have.
const BROKER: i32 = 1;
const NOWHERE: i32 = 9;

/// How many cases run at the same time.
const ABREAST: usize = 24;

#[derive(Debug, Clone, Copy)]
struct Case {
    fault: Fault,
    target: SeekTarget,
}

/// How long a lasting refusal lasts: 1.5 s, or the milliseconds in `KAFKARS_REFUSAL_MS`.
fn window() -> Duration {
    let given = std::env::var("KAFKARS_REFUSAL_MS").ok();
    let given = given.and_then(|value| value.parse().ok());
    Duration::from_millis(given.unwrap_or(1_500))
}

fn cases(times: usize) -> Vec<Case> {
    let mut cases = Vec::new();
    let kinds: [(ApiKey, &[i16], &[i16]); 4] = [
        (ApiKey::Fetch, FETCH, WHOLE_FETCH),
        (ApiKey::ListOffsets, LIST_OFFSETS, &[]),
        (ApiKey::OffsetForLeaderEpoch, EPOCHS, &[]),
        (ApiKey::Metadata, METADATA, WHOLE_METADATA),
    ];
    for (api, partition, whole) in kinds {
        let mut refusals = vec![Refusal::CutBefore, Refusal::CutAfter];
        refusals.extend(partition.iter().map(|code| Refusal::Partition(*code)));
        refusals.extend(whole.iter().map(|code| Refusal::Whole(*code)));
        if matches!(api, ApiKey::Fetch | ApiKey::ListOffsets) {
            refusals.push(Refusal::Empty);
        }
        if api == ApiKey::Fetch {
            refusals.push(Refusal::Backwards);
            refusals.extend([NOWHERE, BROKER].map(Refusal::Elsewhere));
        }
        for refusal in refusals {
            // A seek to an offset needs no look-up; the other seeks do.
            let targets = match api {
                ApiKey::ListOffsets => &SeekTarget::ALL[1..],
                _ => &SeekTarget::ALL[..1],
            };
            let fault = Fault {
                api,
                refusal,
                times,
            };
            cases.extend(targets.iter().map(|target| Case {
                fault,
                target: *target,
            }));
        }
    }
    cases
}

/// Runs all cases, and reports every one that failed.
fn run(cases: Vec<Case>, window: Duration) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime starts");
    let total = cases.len();
    let failed: Vec<String> = runtime.block_on(async {
        let mut left = cases.into_iter();
        let mut running = JoinSet::new();
        let mut failed = Vec::new();
        loop {
            while running.len() < ABREAST
                && let Some(case) = left.next()
            {
                running.spawn(async move {
                    let judged = tokio::spawn(async move {
                        let scene = Scene::start(None).await;
                        scene.read_first().await;
                        let outcome = scene.refused(case.fault, case.target, window).await;
                        judge(&case, &outcome)
                    });
                    let limit = window + TEST_TIMEOUT * 2;
                    let problem = match tokio::time::timeout(limit, judged).await {
                        Err(_) => Some("took too long".to_owned()),
                        Ok(Err(panic)) => Some(panic_of(panic)),
                        Ok(Ok(problem)) => problem,
                    };
                    problem.map(|problem| format!("{case:?}: {problem}"))
                });
            }
            match running.join_next().await {
                Some(problem) => failed.extend(problem.expect("cases are caught")),
                None => return failed,
            }
        }
    });
    assert!(
        failed.is_empty(),
        "{} of {total} cases:\n{}",
        failed.len(),
        failed.join("\n")
    );
}

fn panic_of(error: tokio::task::JoinError) -> String {
    let panic = error.into_panic();
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
        .unwrap_or_else(|| "panicked".to_owned())
}

/// Returns what is wrong with the outcome of a case. With `KAFKARS_REFUSAL_FIGURES` the pace of lasting refusals is
/// printed.
#[expect(clippy::print_stderr, reason = "figures for whoever asks for them")]
fn judge(case: &Case, outcome: &Outcome) -> Option<String> {
    let seconds = outcome.window.as_secs_f64();
    for (api, count) in &outcome.asked {
        // Pauses between retries are 100, 200, 400, 800 and then 1,000 ms, less a fifth; requests that are not refused
        // may follow those that are.
        let most = match *api == case.fault.api {
            // Where the broker should wait, the consumer waits instead, for at most `fetch_max_wait`.
            true if case.fault.refusal == Refusal::Empty => 10.0 + 22.0 * seconds,
            true => 10.0 + 2.5 * seconds,
            false => 14.0 + 12.0 * seconds,
        };
        if std::env::var("KAFKARS_REFUSAL_FIGURES").is_ok() && case.fault.times == usize::MAX {
            eprintln!(
                "FIGURE {:?} {:?} {:?}: {} {:.1}/s",
                case.fault.api,
                case.fault.refusal,
                case.target,
                api.name(),
                *count as f64 / seconds
            );
        }
        if *count as f64 > most {
            return Some(format!(
                "{} was sent {count} times in {seconds:.1} s, at most {most:.0} are allowed",
                api.name()
            ));
        }
    }
    if case.fault.times != usize::MAX {
        return None;
    }
    let is_told = outcome.asked.contains_key(&ApiKey::Metadata);
    if case.fault.refusal == Refusal::Elsewhere(NOWHERE) && !is_told {
        return Some("nobody was asked where the unknown node is".to_owned());
    }
    if outcome.raised.is_empty() && outcome.troubles.is_empty() && !is_kept_quiet(case) {
        return Some("nothing is raised, and health() knows of no trouble".to_owned());
    }
    let code = match case.fault.refusal {
        Refusal::Partition(code) | Refusal::Whole(code) => ErrorCode::from_i16(code),
        Refusal::CutBefore
        | Refusal::CutAfter
        | Refusal::Empty
        | Refusal::Backwards
        | Refusal::Elsewhere(_) => {
            return None;
        }
    };
    let is_reset = code == ErrorCode::OffsetOutOfRange;
    // An error for which the broker has no code is retried as well, as Java's consumer does.
    let is_read = case.fault.api != ApiKey::Metadata;
    let is_quiet = code == ErrorCode::UnknownServerError && is_read;
    let passes = code.retriable() || code.invalid_metadata() || is_reset || is_quiet;
    let is_heard = outcome.raised.iter().any(|error| {
        matches!(error, FetchError::Broker { code: raised, .. } | FetchError::Topic { code: raised, .. } if *raised == code)
    });
    // Metadata that is refused as a whole is asked for from another broker.
    let is_whole_metadata =
        matches!(case.fault.refusal, Refusal::Whole(_)) && case.fault.api == ApiKey::Metadata;
    if is_quiet && (is_heard || outcome.troubles.is_empty()) {
        return Some(format!(
            "{code:?} was raised ({:?}) or is no trouble in health() ({:?})",
            outcome.raised, outcome.troubles
        ));
    }
    if !passes && !is_heard && !is_whole_metadata {
        return Some(format!("{code:?} was not raised, but {:?}", outcome.raised));
    }
    None
}

/// True if no error is expected: an empty answer is none, and missing metadata is reported where the partitions are
/// read.
fn is_kept_quiet(case: &Case) -> bool {
    case.fault.refusal == Refusal::Empty || case.fault.api == ApiKey::Metadata
}

#[test]
fn a_request_refused_once_is_made_again_and_nothing_is_forgotten() {
    run(cases(1), Duration::ZERO);
}

#[test]
fn requests_refused_for_long_keep_their_pace_and_nothing_is_forgotten() {
    run(cases(usize::MAX), window());
}
