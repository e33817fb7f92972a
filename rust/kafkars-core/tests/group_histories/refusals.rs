//! Every request that a membership makes, in trouble of every kind, once and for ten seconds: members go on by
//! themselves, forget nothing, and keep their pace; one that leaves meanwhile gets the outcome of every commit that it
//! has made.

use std::collections::BTreeMap;
use std::time::Duration;

use kafkars_core::config::GroupProtocol;
use kafkars_core::group::assignor::by_name;
use kafkars_protocol::{ErrorCode, Uuid};

use crate::classic_coordinator::ClassicCoordinator;
use crate::consumer_coordinator::{ConsumerCoordinator, ServerAssignor};
use crate::coordinator::Coordinator;
use crate::defects::{DEFECTS_UNDER_REFUSALS, Defect};
use crate::history::Setup;
use crate::member::Member;
use crate::trouble::{Api, Fate, GARBAGE, Garbage, Trouble};
use crate::world::{HEARTBEAT, SESSION, World};

/// How long trouble lasts.
const FOR_LONG: Duration = Duration::from_secs(10);
/// Within what time all members are back afterwards: sessions, rebalances and the longest pause have passed.
pub(crate) const BACK_WITHIN: Duration = Duration::from_secs(45);
/// Most requests of one kind that one member sends in ten seconds of trouble. A heartbeat and a commit are due every
/// second, and with KIP-848 a join that fails is followed by a last heartbeat.
const MOST_REQUESTS: u32 = 40;

/// The error codes that Kafka documents for each request, and one that does not exist.
pub(crate) fn codes(api: Api) -> &'static [ErrorCode] {
    use ErrorCode as E;
    match api {
        Api::FindCoordinator => &[
            E::CoordinatorNotAvailable,
            E::CoordinatorLoadInProgress,
            E::GroupAuthorizationFailed,
            E::InvalidGroupId,
            E::UnknownServerError,
            E::Unknown(9999),
        ],
        Api::JoinGroup => &[
            E::CoordinatorNotAvailable,
            E::CoordinatorLoadInProgress,
            E::NotCoordinator,
            E::GroupAuthorizationFailed,
            E::InvalidGroupId,
            E::InconsistentGroupProtocol,
            E::UnknownMemberId,
            E::InvalidSessionTimeout,
            E::RebalanceInProgress,
            E::GroupMaxSizeReached,
            E::MemberIdRequired,
            E::FencedInstanceId,
            E::UnknownServerError,
            E::Unknown(9999),
        ],
        Api::SyncGroup => &[
            E::CoordinatorNotAvailable,
            E::CoordinatorLoadInProgress,
            E::NotCoordinator,
            E::GroupAuthorizationFailed,
            E::IllegalGeneration,
            E::UnknownMemberId,
            E::RebalanceInProgress,
            E::InconsistentGroupProtocol,
            E::FencedInstanceId,
            E::UnknownServerError,
            E::Unknown(9999),
        ],
        Api::Heartbeat => &[
            E::CoordinatorNotAvailable,
            E::CoordinatorLoadInProgress,
            E::NotCoordinator,
            E::GroupAuthorizationFailed,
            E::IllegalGeneration,
            E::UnknownMemberId,
            E::RebalanceInProgress,
            E::FencedInstanceId,
            E::Unknown(9999),
        ],
        Api::LeaveGroup => &[
            E::CoordinatorNotAvailable,
            E::CoordinatorLoadInProgress,
            E::NotCoordinator,
            E::GroupAuthorizationFailed,
            E::UnknownMemberId,
            E::FencedInstanceId,
            E::Unknown(9999),
        ],
        Api::ConsumerGroupHeartbeat => &[
            E::CoordinatorNotAvailable,
            E::CoordinatorLoadInProgress,
            E::NotCoordinator,
            E::GroupAuthorizationFailed,
            E::InvalidRequest,
            E::UnknownMemberId,
            E::FencedMemberEpoch,
            E::UnsupportedAssignor,
            E::UnreleasedInstanceId,
            E::GroupMaxSizeReached,
            E::InvalidRegularExpression,
            E::TopicAuthorizationFailed,
            E::GroupIdNotFound,
            E::FencedInstanceId,
            E::Unknown(9999),
        ],
        Api::OffsetCommit => &[
            E::CoordinatorNotAvailable,
            E::CoordinatorLoadInProgress,
            E::NotCoordinator,
            E::GroupAuthorizationFailed,
            E::TopicAuthorizationFailed,
            E::IllegalGeneration,
            E::UnknownMemberId,
            E::RebalanceInProgress,
            E::OffsetMetadataTooLarge,
            E::InvalidCommitOffsetSize,
            E::UnknownTopicOrPartition,
            E::FencedInstanceId,
            E::StaleMemberEpoch,
            E::FencedMemberEpoch,
            E::RequestTimedOut,
            E::Unknown(9999),
        ],
        // To a look-up every refusal is the same.
        Api::TopicLookup => &[E::UnknownTopicId, E::LeaderNotAvailable],
    }
}

/// True if members of KIP-848 stay out when they are told this, until the application subscribes again.
pub(crate) fn is_final(api: Api, code: ErrorCode) -> bool {
    api == Api::ConsumerGroupHeartbeat
        && matches!(
            code,
            ErrorCode::GroupAuthorizationFailed
                | ErrorCode::UnsupportedAssignor
                | ErrorCode::GroupMaxSizeReached
                | ErrorCode::InvalidRegularExpression
                | ErrorCode::GroupIdNotFound
        )
}

/// True if members of KIP-848 stay out when they are told this twice.
fn is_final_when_repeated(api: Api, code: ErrorCode) -> bool {
    api == Api::ConsumerGroupHeartbeat
        && matches!(
            code,
            ErrorCode::InvalidRequest
                | ErrorCode::UnreleasedInstanceId
                | ErrorCode::FencedInstanceId
                | ErrorCode::Unknown(_)
        )
}

/// True if a member is told something false that it has to believe.
fn is_lie(trouble: Trouble) -> bool {
    match trouble.fate {
        Fate::Refused(code) => {
            is_final(trouble.api, code)
                || !trouble.once && is_final_when_repeated(trouble.api, code)
        }
        Fate::Garbled(Garbage::Flapping) => true,
        Fate::Garbled(Garbage::Unwanted) => trouble.api == Api::ConsumerGroupHeartbeat,
        _ => false,
    }
}

/// True if only one member sends nonsense, which must not harm the others.
fn is_of_one_member(trouble: Trouble) -> bool {
    let fate = trouble.fate;
    trouble.api == Api::JoinGroup && matches!(fate, Fate::Garbled(Garbage::Bytes | Garbage::Short))
}

pub(crate) fn apis(setup: Setup) -> &'static [Api] {
    match setup {
        Setup::Consumer(_) => &[
            Api::FindCoordinator,
            Api::ConsumerGroupHeartbeat,
            Api::OffsetCommit,
            Api::TopicLookup,
        ],
        Setup::Classic(_) | Setup::Upgrade => &[
            Api::FindCoordinator,
            Api::JoinGroup,
            Api::SyncGroup,
            Api::Heartbeat,
            Api::LeaveGroup,
            Api::OffsetCommit,
        ],
    }
}

/// Every kind of trouble that one setup can be in.
fn troubles(setup: Setup) -> Vec<Trouble> {
    let mut troubles = Vec::new();
    for api in apis(setup) {
        let mut fates: Vec<Fate> = codes(*api)
            .iter()
            .map(|code| Fate::Refused(*code))
            .collect();
        fates.extend([
            Fate::CutBefore,
            Fate::CutAfter,
            Fate::Lost,
            Fate::Late(Duration::from_secs(3)),
            Fate::Late(Duration::from_secs(20)),
        ]);
        if matches!(
            api,
            Api::JoinGroup | Api::SyncGroup | Api::ConsumerGroupHeartbeat
        ) {
            fates.extend(GARBAGE.map(Fate::Garbled));
        }
        for fate in fates {
            let both = [true, false].map(|once| Trouble {
                api: *api,
                fate,
                once,
            });
            troubles.extend(both);
        }
    }
    troubles
}

struct Case {
    setup: Setup,
    world: World,
}

/// What a case has shown.
struct Shown {
    busiest: Option<(Api, u32)>,
    commits: u64,
}

impl Case {
    fn new(setup: Setup, seed: u64, defect: Option<Defect>) -> Self {
        let topics: BTreeMap<String, (Uuid, i32)> = [("orders", 1u8, 5), ("payments", 2, 3)]
            .into_iter()
            .map(|(name, id, count)| (name.to_owned(), (Uuid([id; 16]), count)))
            .collect();
        let coordinator: Box<dyn Coordinator> = match setup {
            Setup::Consumer(assignor) => Box::new(ConsumerCoordinator::new(
                topics.clone(),
                assignor,
                SESSION,
                HEARTBEAT,
            )),
            Setup::Classic(_) | Setup::Upgrade => Box::new(ClassicCoordinator::new()),
        };
        Self {
            setup,
            world: World::new(seed, topics, coordinator, defect),
        }
    }

    fn join(&mut self, place: usize) {
        let (protocol, assignors) = match self.setup {
            Setup::Classic(name) => {
                let assignor = by_name(name).expect("built in");
                let assignor = match self.world.defect {
                    Some(defect) => defect.spoil_assignor(assignor),
                    None => assignor,
                };
                (GroupProtocol::Classic, vec![assignor])
            }
            Setup::Upgrade | Setup::Consumer(_) => (GroupProtocol::Consumer, Vec::new()),
        };
        self.world.join(place, protocol, assignors, None);
    }

    fn produce(&mut self) {
        for end in self.world.ends.values_mut() {
            *end += 2;
        }
    }

    /// Runs for a while, in which records arrive.
    fn pass(&mut self, time: Duration) -> Result<(), String> {
        let ends_at = self.world.now + time;
        while self.world.now < ends_at {
            self.produce();
            let until = (self.world.now + Duration::from_secs(1)).min(ends_at);
            self.world.run(until, |_| true)?;
        }
        Ok(())
    }

    fn run(mut self, trouble: Trouble) -> Result<Shown, String> {
        self.join(0);
        self.join(1);
        let until = self.world.now + BACK_WITHIN;
        self.world.run(until, |world| !world.is_settled())?;
        self.world.troubles.begin(trouble);
        self.pass(Duration::from_millis(500))?;
        // One comes, one goes, and the coordinator moves: every request is made meanwhile.
        self.join(2);
        self.pass(FOR_LONG * 3 / 10)?;
        let now = self.world.now;
        if let Some(member) = self.world.members[1].as_mut() {
            member.leave(now);
        }
        self.pass(FOR_LONG * 3 / 10)?;
        self.world.move_coordinator();
        self.pass(FOR_LONG * 4 / 10)?;
        let busiest = self.world.troubles.busiest();
        if let Some((process, api, count)) = busiest
            && count > MOST_REQUESTS
        {
            return Err(format!(
                "{process:?} has sent {count} of {api:?} in ten seconds"
            ));
        }
        // A leave without a response takes longer than that; accepted commits do not.
        if let Some(member) = self.world.members[1].take() {
            self.world.promises.left(&member)?;
        }
        let holds = |member: &Member| !member.held.is_empty();
        let reads = self.world.members.iter().flatten().any(holds);
        if is_of_one_member(trouble) && !reads {
            return Err("one member has stopped all".to_owned());
        }
        if !self.world.troubles.has_hit() {
            return Err("the trouble has met nobody".to_owned());
        }
        self.world.troubles.end();
        self.go_on(trouble)?;
        Ok(Shown {
            busiest: busiest.map(|(_, api, count)| (api, count)),
            commits: self.world.promises.made,
        })
    }

    /// After the trouble everything goes on by itself.
    fn go_on(&mut self, trouble: Trouble) -> Result<(), String> {
        // A member cannot tell a wrong assignment from a right one, so other members start anew.
        if is_lie(trouble) {
            let now = self.world.now;
            for member in self.world.members.iter_mut().flatten() {
                member.leave(now);
            }
            self.pass(SESSION * 2)?;
            self.join(0);
            self.join(1);
        }
        let until = self.world.now + BACK_WITHIN;
        self.world
            .run(until, |world| !(world.is_settled() && world.is_done()))?;
        if !self.world.is_settled() {
            let members = self.world.members.iter().flatten();
            let states = members.map(|member| {
                let (state, held) = (member.membership.state(), member.held.len());
                format!("{:?} with {held}, {:?}", state, member.failure)
            });
            let states: Vec<String> = states.collect();
            return Err(format!("nobody went on: {}", states.join("; ")));
        }
        if !self.world.is_done() {
            return Err("records were forgotten".to_owned());
        }
        // What waited in the trouble has ended.
        self.pass(FOR_LONG)?;
        // All members leave, with a slow coordinator: what they have finished must be committed.
        self.world.troubles.begin(Trouble {
            api: Api::OffsetCommit,
            fate: Fate::Late(Duration::from_secs(1)),
            once: false,
        });
        // One commit is under way, and the next waits behind it.
        let now = self.world.now;
        for member in self.world.members.iter_mut().flatten() {
            member.commit(now);
        }
        self.world.run(now + Duration::from_millis(30), |_| true)?;
        let now = self.world.now;
        for member in self.world.members.iter_mut().flatten() {
            member.leave(now);
        }
        let failed = self.world.promises.failed;
        let before = self.world.members.iter().flatten();
        let before: u64 = before.map(|member| member.made.failed()).sum();
        self.pass(Duration::from_secs(10))?;
        if let Some(member) = self.world.members.iter().flatten().next() {
            return Err(format!("{:?} does not end", member.process));
        }
        match self.world.promises.failed - failed - before {
            0 => Ok(()),
            lost => Err(format!(
                "{lost} commits made just before the end were not made"
            )),
        }
    }
}

pub(crate) fn seeds() -> u64 {
    let asked = std::env::var("KAFKARS_SEEDS").ok();
    asked.and_then(|text| text.parse().ok()).unwrap_or(48) / 48
}

/// Every kind of trouble; with `KAFKARS_FIGURES` prints how busy members were.
#[expect(
    clippy::print_stderr,
    reason = "only when asked for by KAFKARS_FIGURES"
)]
fn hold(setup: Setup) {
    let prints = std::env::var_os("KAFKARS_FIGURES").is_some();
    let (mut cases, mut commits, mut wrong) = (0, 0, Vec::new());
    for seed in 0..seeds().max(1) {
        for trouble in troubles(setup) {
            cases += 1;
            match Case::new(setup, seed, None).run(trouble) {
                Ok(shown) => {
                    commits += shown.commits;
                    if prints {
                        eprintln!("{setup:?} {trouble:?}: {:?}", shown.busiest);
                    }
                }
                Err(violation) => wrong.push(format!("seed {seed}, {trouble:?}: {violation}")),
            }
        }
    }
    if prints {
        eprintln!("{setup:?}: {cases} cases, {commits} commits");
    }
    assert!(wrong.is_empty(), "{setup:?}:\n{}", wrong.join("\n"));
    assert!(commits > cases, "commits are made in every case");
}

#[test]
fn refusals_of_range() {
    hold(Setup::Classic("range"));
}

#[test]
fn refusals_of_cooperative_sticky() {
    hold(Setup::Classic("cooperative-sticky"));
}

#[test]
fn refusals_of_the_consumer_protocol() {
    hold(Setup::Consumer(ServerAssignor::Uniform));
}

/// The trouble in which each defect shows; in all of it.
fn shows(defect: Defect, setup: Setup) -> Vec<Trouble> {
    let long = false;
    let trouble = |api, fate, once| Trouble { api, fate, once };
    match defect {
        Defect::LookUpsAreNotRepeated => {
            let refused = Fate::Refused(ErrorCode::UnknownTopicId);
            vec![
                trouble(Api::TopicLookup, refused, true),
                trouble(Api::TopicLookup, Fate::CutBefore, long),
            ]
        }
        Defect::OneMemberStopsAll => {
            vec![trouble(Api::JoinGroup, Fate::Garbled(Garbage::Bytes), long)]
        }
        Defect::NobodyWaits => match setup {
            Setup::Consumer(_) => vec![
                trouble(
                    Api::ConsumerGroupHeartbeat,
                    Fate::Refused(ErrorCode::CoordinatorLoadInProgress),
                    long,
                ),
                trouble(
                    Api::ConsumerGroupHeartbeat,
                    Fate::Refused(ErrorCode::UnknownMemberId),
                    long,
                ),
                trouble(
                    Api::OffsetCommit,
                    Fate::Refused(ErrorCode::RequestTimedOut),
                    long,
                ),
            ],
            _ => vec![
                trouble(
                    Api::JoinGroup,
                    Fate::Refused(ErrorCode::UnknownMemberId),
                    long,
                ),
                trouble(
                    Api::SyncGroup,
                    Fate::Refused(ErrorCode::RebalanceInProgress),
                    long,
                ),
                trouble(Api::SyncGroup, Fate::Garbled(Garbage::Unwanted), long),
                trouble(
                    Api::FindCoordinator,
                    Fate::Refused(ErrorCode::CoordinatorNotAvailable),
                    long,
                ),
            ],
        },
        _ => vec![trouble(
            Api::OffsetCommit,
            Fate::Refused(ErrorCode::CoordinatorLoadInProgress),
            long,
        )],
    }
}

#[test]
fn every_planted_defect_is_caught_by_refusals() {
    let mut unnoticed = Vec::new();
    for defect in DEFECTS_UNDER_REFUSALS {
        for setup in defect.shows_in() {
            for trouble in shows(*defect, *setup) {
                let planted = Case::new(*setup, 0, Some(*defect)).run(trouble);
                if planted.is_ok() {
                    unnoticed.push((defect, setup, trouble));
                }
            }
        }
    }
    assert!(unnoticed.is_empty(), "unnoticed: {unnoticed:#?}");
}
