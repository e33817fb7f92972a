//! Every request of a producer is refused with every code, once and for ten seconds, or its connection breaks before or
//! after it took effect, or its answer comes late: the producer goes on by itself, tells what became of each record and
//! call, names the refusal, and asks no faster than its pauses allow.

use std::time::Duration;

use kafkars_core::config::ProducerConfig;
use kafkars_core::produce::delivery::Delivery;
use kafkars_core::transaction::{
    GroupMetadata, OffsetToCommit, TransactionCallId, TransactionError,
};
use kafkars_protocol::{ApiKey, ErrorCode};

use crate::client;
use crate::defect::Defect;
use crate::world::{MILLI, Micros, SECOND, World};

/// What a request meets at the broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// It is refused, without effect.
    Code(ErrorCode),
    /// The connection breaks when it arrives.
    CutBefore,
    /// It takes effect, and the connection breaks.
    CutAfter,
    /// It takes effect, and the answer comes so much later.
    Late(Micros),
}

/// Which requests meet something, when and how often.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Refusal {
    api: ApiKey,
    way: Way,
    left: u32,
}

/// A case to play.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    /// The level of `transaction.version`; `None` for a producer without transactions.
    pub(crate) level: Option<i16>,
    pub(crate) api: ApiKey,
    pub(crate) way: Way,
    pub(crate) once: bool,
}

impl Case {
    /// True for a code that Kafka documents for requests of producers or does not know, and for every other way.
    pub(crate) fn is_documented(&self) -> bool {
        match self.way {
            Way::Code(code) => DOCUMENTED.contains(&code) || matches!(code, ErrorCode::Unknown(_)),
            _ => true,
        }
    }
}

/// What the requests of producers are refused with, after Kafka's protocol and its client's handlers.
const DOCUMENTED: [ErrorCode; 36] = [
    ErrorCode::UnknownServerError,
    ErrorCode::CorruptMessage,
    ErrorCode::UnknownTopicOrPartition,
    ErrorCode::LeaderNotAvailable,
    ErrorCode::NotLeaderOrFollower,
    ErrorCode::RequestTimedOut,
    ErrorCode::MessageTooLarge,
    ErrorCode::NetworkException,
    ErrorCode::CoordinatorLoadInProgress,
    ErrorCode::CoordinatorNotAvailable,
    ErrorCode::NotCoordinator,
    ErrorCode::InvalidTopicException,
    ErrorCode::RecordListTooLarge,
    ErrorCode::NotEnoughReplicas,
    ErrorCode::NotEnoughReplicasAfterAppend,
    ErrorCode::InvalidRequiredAcks,
    ErrorCode::IllegalGeneration,
    ErrorCode::UnknownMemberId,
    ErrorCode::TopicAuthorizationFailed,
    ErrorCode::GroupAuthorizationFailed,
    ErrorCode::ClusterAuthorizationFailed,
    ErrorCode::InvalidTimestamp,
    ErrorCode::UnsupportedVersion,
    ErrorCode::UnsupportedForMessageFormat,
    ErrorCode::OutOfOrderSequenceNumber,
    ErrorCode::DuplicateSequenceNumber,
    ErrorCode::InvalidProducerEpoch,
    ErrorCode::InvalidTxnState,
    ErrorCode::InvalidProducerIdMapping,
    ErrorCode::ConcurrentTransactions,
    ErrorCode::TransactionalIdAuthorizationFailed,
    ErrorCode::OperationNotAttempted,
    ErrorCode::KafkaStorageError,
    ErrorCode::UnknownProducerId,
    ErrorCode::ProducerFenced,
    ErrorCode::TransactionAbortable,
];

const FROM: Micros = 2 * SECOND;
const UNTIL: Micros = 12 * SECOND;
const END: Micros = 22 * SECOND;
/// When the application begins a record or a transaction.
const STEP: Micros = 100 * MILLI;
const DELIVERY_TIMEOUT: Duration = Duration::from_secs(3);
/// A call or record whose time is over is reported within this.
const SLACK: Micros = 20 * MILLI;
/// Requests of one kind within ten seconds: by the application's own steps, or by pauses that grow from 20 to 200 ms.
const MOST: usize = 170;
/// The same in any one second.
const MOST_A_SECOND: usize = 25;

/// What a request that arrives now meets.
pub(crate) fn meet(world: &mut World, api: ApiKey) -> Option<Way> {
    let within = (FROM..UNTIL).contains(&world.now);
    let refusal = world.refusal.as_mut()?;
    if !within || refusal.api != api || refusal.left == 0 {
        return None;
    }
    refusal.left -= 1;
    Some(refusal.way)
}

/// Every case: each request, each code and an unknown one, and the other ways.
pub(crate) fn cases() -> Vec<Case> {
    use ApiKey::{
        AddOffsetsToTxn, AddPartitionsToTxn, EndTxn, FindCoordinator, InitProducerId, Produce,
        TxnOffsetCommit,
    };
    let plain: &[ApiKey] = &[Produce, InitProducerId];
    let older: &[ApiKey] = &[
        Produce,
        InitProducerId,
        FindCoordinator,
        AddPartitionsToTxn,
        AddOffsetsToTxn,
        TxnOffsetCommit,
        EndTxn,
    ];
    let newer: &[ApiKey] = &[
        Produce,
        InitProducerId,
        FindCoordinator,
        TxnOffsetCommit,
        EndTxn,
    ];
    let codes = ErrorCode::ALL
        .iter()
        .copied()
        .chain([ErrorCode::Unknown(9_999)]);
    let refused = codes.filter(|code| *code != ErrorCode::None).map(Way::Code);
    let others = [
        Way::CutBefore,
        Way::CutAfter,
        Way::Late(300 * MILLI),
        // The client has given it up by then.
        Way::Late(1_500 * MILLI),
    ];
    let ways: Vec<Way> = others.into_iter().chain(refused).collect();
    let mut cases = Vec::new();
    for (level, apis) in [(None, plain), (Some(1), older), (Some(2), newer)] {
        for &api in apis {
            for &way in &ways {
                for once in [true, false] {
                    cases.push(Case {
                        level,
                        api,
                        way,
                        once,
                    });
                }
            }
        }
    }
    cases
}

/// Plays one case and tells what went wrong.
pub(crate) fn history(seed: u64, case: Case, defect: Option<Defect>) -> Result<(), String> {
    let mut world = World::new(seed, case.level.unwrap_or(2), defect);
    world.stormy = false;
    world.refusal = Some(Refusal {
        api: case.api,
        way: case.way,
        left: if case.once { 1 } else { u32::MAX },
    });
    match case.level {
        None => plain(&mut world, case),
        Some(_) => transactional(&mut world),
    }
    world.run(END);
    check_pace(&mut world, case);
    for id in 0..world.clients.len() {
        let accumulator = &world.clients[id].accumulator;
        let (left, memory) = (accumulator.unacknowledged(), accumulator.used());
        if left > 0 || memory > 0 {
            world.violated(format!("{left} records and {memory} bytes are left"));
        }
    }
    match world.violations.first() {
        None => Ok(()),
        Some(violation) => Err(format!("{case:?}: {violation}")),
    }
}

fn config() -> ProducerConfig {
    ProducerConfig {
        linger: Duration::ZERO,
        request_timeout: Duration::from_millis(800),
        delivery_timeout: DELIVERY_TIMEOUT,
        ..ProducerConfig::default()
    }
}

fn check_pace(world: &mut World, case: Case) {
    let mut times: Vec<Micros> = Vec::new();
    for api in [
        ApiKey::Produce,
        ApiKey::InitProducerId,
        ApiKey::FindCoordinator,
        ApiKey::AddPartitionsToTxn,
        ApiKey::AddOffsetsToTxn,
        ApiKey::TxnOffsetCommit,
        ApiKey::EndTxn,
    ] {
        times.clear();
        let requests = world.requests.iter();
        let within = requests.filter(|(at, of)| *of == api && (FROM..UNTIL).contains(at));
        times.extend(within.map(|(at, _)| *at));
        let busiest = (0..times.len())
            .map(|at| times[at..].partition_point(|time| *time < times[at] + SECOND))
            .max();
        let busiest = busiest.unwrap_or(0);
        if times.len() > MOST || busiest > MOST_A_SECOND {
            world.violated(format!(
                "{} of {api:?} in ten seconds, {busiest} in one, while {:?} meets {:?}",
                times.len(),
                case.api,
                case.way
            ));
        }
    }
}

/// A record at each step, each with its outcome in time.
fn plain(world: &mut World, case: Case) {
    let id = client::add(world, config(), None);
    // Where the producer id is what is refused, the first record asks for it then.
    let first = match case.api {
        ApiKey::InitProducerId => FROM,
        _ => STEP,
    };
    for number in 0.. {
        let at = first + number * STEP;
        if at > END - SECOND - DELIVERY_TIMEOUT.as_micros() as u64 {
            break;
        }
        world.at(at, move |world| send(world, id, case, number));
    }
}

fn send(world: &mut World, id: usize, case: Case, value: u64) {
    let Some(delivery) = world.produce(id, 0, value) else {
        return world.violated(format!("record {value} was not taken"));
    };
    let sent = world.now;
    let life = DELIVERY_TIMEOUT.as_micros() as u64 + SLACK;
    world.after(life, move |world| {
        check_outcome(world, &delivery, case, sent)
    });
}

fn check_outcome(world: &mut World, delivery: &Delivery, case: Case, sent: Micros) {
    match delivery.result() {
        None => world.violated(format!(
            "a record sent at {sent} has no outcome at {}",
            world.now
        )),
        Some(Ok(_)) => {}
        Some(Err(error)) if sent > UNTIL + SECOND => {
            world.violated(format!("a record sent at {sent} failed: {error}"));
        }
        Some(Err(error)) => {
            let text = error.to_string();
            let named = match case.way {
                Way::Code(code) => text.contains(code.name()),
                _ => true,
            };
            let api = case.api == ApiKey::InitProducerId && !text.contains("InitProducerId");
            if !named || api {
                world.violated(format!("the error names no cause: {text}"));
            }
        }
    }
}

/// One transaction after the other, and a new producer where one has come to its end.
fn transactional(world: &mut World) {
    start(world);
    world.at(END - MILLI, |world| {
        if !world.finished {
            world.violated("no transaction was committed after the refusals".to_owned());
        }
    });
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Init,
    Fill,
    Offsets,
    Commit,
    Abort,
}

fn start(world: &mut World) {
    let id = client::add(world, config(), Some(Duration::from_secs(20)));
    call(world, id, Call::Init);
}

fn call(world: &mut World, id: usize, what: Call) {
    if world.now > END - 4 * SECOND && what == Call::Fill {
        return;
    }
    world.next_value += 1;
    let value = world.next_value;
    let transactions = world.clients[id].transactions();
    let called = match what {
        Call::Init => transactions.init().map(Some),
        Call::Fill => transactions.begin().map(|()| None),
        Call::Offsets => transactions
            .send_offsets(group(), vec![input(value)])
            .map(Some),
        Call::Commit => transactions.commit().map(Some),
        Call::Abort => transactions.abort().map(Some),
    };
    if what == Call::Fill && called.is_ok() {
        world.produce(id, 0, value);
    }
    world.poll_soon(id);
    match called {
        Ok(Some(call_id)) => wait(world, id, what, call_id, world.now),
        Ok(None) => ended(world, id, what, Ok(())),
        Err(error) => ended(world, id, what, Err(error)),
    }
}

fn wait(world: &mut World, id: usize, what: Call, call_id: TransactionCallId, since: Micros) {
    match world.clients[id].outcomes.remove(&call_id) {
        Some(result) => ended(world, id, what, result),
        None if world.now > since + UNTIL - FROM + 3 * SECOND => {
            world.violated(format!("{what:?} has not ended"));
        }
        None => world.after(MILLI, move |world| wait(world, id, what, call_id, since)),
    }
}

fn ended(world: &mut World, id: usize, what: Call, result: Result<(), TransactionError>) {
    let next = match (what, result) {
        (_, Err(error)) if error.is_fatal() => {
            world.clients[id].stopped = true;
            return world.after(STEP, start);
        }
        (_, Err(_)) => Call::Abort,
        (Call::Init | Call::Abort, Ok(())) => Call::Fill,
        (Call::Fill, Ok(())) => Call::Offsets,
        (Call::Offsets, Ok(())) => Call::Commit,
        (Call::Commit, Ok(())) => {
            world.finished |= world.now > UNTIL + SECOND;
            Call::Fill
        }
    };
    let pause = match next {
        Call::Fill => STEP,
        Call::Abort if what == Call::Abort => STEP,
        _ => MILLI,
    };
    world.after(pause, move |world| call(world, id, next));
}

fn group() -> GroupMetadata {
    GroupMetadata {
        group_id: "group".into(),
        generation_id: 1,
        member_id: "member".into(),
        group_instance_id: None,
    }
}

fn input(offset: u64) -> OffsetToCommit {
    OffsetToCommit {
        topic: "input".into(),
        partition: 0,
        offset: offset as i64,
        leader_epoch: -1,
        metadata: None,
    }
}
