//! One request of one member is refused once, by every code, while nothing happens, one more joins, one leaves or comes
//! back, or the coordinator moves: a moment later the group is at rest with all its members. A member that loses its
//! place by a refusal would hold up the others until its session expires.

use std::collections::BTreeMap;
use std::time::Duration;

use kafkars_core::config::GroupProtocol;
use kafkars_core::group::MembershipState;
use kafkars_core::group::assignor::by_name;
use kafkars_protocol::{ErrorCode, Uuid};

use crate::classic_coordinator::ClassicCoordinator;
use crate::consumer_coordinator::{ConsumerCoordinator, ServerAssignor};
use crate::coordinator::Coordinator;
use crate::defects::{DEFECTS_UNDER_ONE_REFUSAL, Defect};
use crate::history::Setup;
use crate::refusals::{BACK_WITHIN, apis, codes, is_final};
use crate::trouble::{Api, Fate, Trouble};
use crate::world::{HEARTBEAT, SESSION, World};

/// Within what time the group is at rest after a refusal: a few pauses, and two rebalances that members notice by their
/// heartbeats. Much less than a session.
const AT_REST_WITHIN: Duration = Duration::from_secs(7);
/// By then the request was made that is refused.
const REFUSED_WITHIN: Duration = Duration::from_secs(3);
/// Each of the first requests of a kind is refused once: that of the leader, and those of others.
const SPARED: u32 = 3;

/// What happens meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Occasion {
    Quiet,
    /// One more joins.
    Join,
    /// One leaves; with an instance id it comes back.
    Leave,
    Move,
}

const OCCASIONS: [Occasion; 4] = [
    Occasion::Quiet,
    Occasion::Join,
    Occasion::Leave,
    Occasion::Move,
];

/// A group, and the refusal that it meets.
#[derive(Debug, Clone, Copy)]
struct Case {
    setup: Setup,
    with_instances: bool,
    occasion: Occasion,
    api: Api,
    code: ErrorCode,
    spared: u32,
}

impl Case {
    /// True if the refusal is a false statement that a member has to believe: that its place is gone, or another
    /// member's, or that there is none for it.
    fn is_lie(self) -> bool {
        match self.code {
            code if is_final(self.api, code) => true,
            ErrorCode::UnknownMemberId => {
                !matches!(self.setup, Setup::Consumer(_)) || self.is_end()
            }
            ErrorCode::GroupIdNotFound => self.is_end(),
            ErrorCode::FencedInstanceId => self.with_instances,
            _ => false,
        }
    }

    /// True if the refused request may be one that leaves the group.
    fn is_end(self) -> bool {
        self.api == Api::LeaveGroup
            || self.api == Api::ConsumerGroupHeartbeat && self.occasion == Occasion::Leave
    }

    fn world(self, defect: Option<Defect>) -> World {
        let topics: BTreeMap<String, (Uuid, i32)> = [("orders", 1u8, 5), ("payments", 2, 3)]
            .into_iter()
            .map(|(name, id, count)| (name.to_owned(), (Uuid([id; 16]), count)))
            .collect();
        let coordinator: Box<dyn Coordinator> = match self.setup {
            Setup::Consumer(assignor) => Box::new(ConsumerCoordinator::new(
                topics.clone(),
                assignor,
                SESSION,
                HEARTBEAT,
            )),
            Setup::Classic(_) | Setup::Upgrade => Box::new(ClassicCoordinator::new()),
        };
        World::new(u64::from(self.spared), topics, coordinator, defect)
    }

    fn join(self, world: &mut World, place: usize) {
        let (protocol, assignors) = match self.setup {
            Setup::Classic(name) => {
                let assignor = by_name(name).expect("built in");
                (GroupProtocol::Classic, vec![assignor])
            }
            Setup::Upgrade | Setup::Consumer(_) => (GroupProtocol::Consumer, Vec::new()),
        };
        let instance = self.with_instances.then(|| format!("instance-{place}"));
        world.join(place, protocol, assignors, instance);
    }

    /// Runs the case. Returns true if a request was refused.
    fn run(self, defect: Option<Defect>) -> Result<bool, String> {
        let mut world = self.world(defect);
        for place in 0..3 {
            self.join(&mut world, place);
        }
        let until = world.now + BACK_WITHIN;
        world.run(until, |world| !world.is_settled())?;
        if !world.is_settled() {
            return Err("the group does not form".to_owned());
        }
        let refused = Trouble {
            api: self.api,
            fate: Fate::Refused(self.code),
            once: true,
        };
        // Something to read and to commit.
        produce(&mut world);
        world.troubles.begin_after(self.spared, refused);
        self.occur(&mut world)?;
        let until = world.now + REFUSED_WITHIN;
        world.run(until, |world| !world.troubles.has_hit())?;
        if !world.troubles.has_hit() {
            return Ok(false);
        }
        // The refusal is on its way.
        let until = world.now + Duration::from_millis(100);
        world.run(until, |_| true)?;
        let within = match self.is_lie() {
            true => SESSION + AT_REST_WITHIN,
            false => AT_REST_WITHIN,
        };
        let until = world.now + within;
        while world.now < until && !world.is_settled() {
            self.restart_fenced(&mut world);
            let next = (world.now + HEARTBEAT).min(until);
            world.run(next, |world| !world.is_settled())?;
        }
        if !world.is_settled() {
            return Err(format!("not at rest: {}", states(&world)));
        }
        self.go_on(&mut world).map(|()| true)
    }

    fn occur(self, world: &mut World) -> Result<(), String> {
        let now = world.now;
        match self.occasion {
            Occasion::Quiet => {}
            Occasion::Join => self.join(world, 3),
            Occasion::Move => world.move_coordinator(),
            Occasion::Leave => {
                if let Some(member) = world.members[1].as_mut() {
                    member.leave(now);
                }
                if self.with_instances {
                    let until = now + REFUSED_WITHIN;
                    world.run(until, |world| world.members[1].is_some())?;
                    self.join(world, 1);
                }
            }
        }
        Ok(())
    }

    /// Restarts members that stay out because they were told that another process has their instance id, or that they
    /// are refused for good.
    fn restart_fenced(self, world: &mut World) {
        for place in 0..world.members.len() {
            let member = world.members[place].as_ref();
            let is_out = member.is_some_and(|member| {
                member.membership.state() == MembershipState::Failed && self.is_lie()
            });
            if is_out && (self.with_instances || is_final(self.api, self.code)) {
                self.join(world, place);
            }
        }
    }

    /// Records that come now are read and committed.
    fn go_on(self, world: &mut World) -> Result<(), String> {
        produce(world);
        let until = world.now + AT_REST_WITHIN;
        world.run(until, |world| !world.is_done())?;
        match world.is_done() && world.is_settled() {
            true => Ok(()),
            false => Err(format!("records are left: {}", states(world))),
        }
    }
}

fn produce(world: &mut World) {
    for end in world.ends.values_mut() {
        *end += 2;
    }
}

fn states(world: &World) -> String {
    let members = world.members.iter().flatten();
    let states = members.map(|member| {
        let (state, held) = (member.membership.state(), member.held.len());
        format!("{state:?} with {held}, {:?}", member.failure)
    });
    states.collect::<Vec<_>>().join("; ")
}

fn cases(setup: Setup, with_instances: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for api in apis(setup) {
        for code in codes(*api) {
            for occasion in OCCASIONS {
                for spared in 0..SPARED {
                    cases.push(Case {
                        setup,
                        with_instances,
                        occasion,
                        api: *api,
                        code: *code,
                        spared,
                    });
                }
            }
        }
    }
    cases
}

/// Every case; with `KAFKARS_FIGURES` prints how many there were.
#[expect(
    clippy::print_stderr,
    reason = "only when asked for by KAFKARS_FIGURES"
)]
fn hold(setup: Setup, with_instances: bool) {
    let cases = cases(setup, with_instances);
    let mut met: BTreeMap<Api, u32> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in &cases {
        match case.run(None) {
            Ok(has_met) => *met.entry(case.api).or_default() += u32::from(has_met),
            Err(violation) => wrong.push(format!("{case:?}: {violation}")),
        }
    }
    if std::env::var_os("KAFKARS_FIGURES").is_some() {
        eprintln!("{setup:?}: {} cases, met {met:?}", cases.len());
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
    // Static members send no LeaveGroup to a classic coordinator.
    for api in apis(setup)
        .iter()
        .filter(|api| **api != Api::LeaveGroup || !with_instances)
    {
        assert!(
            met.get(api).is_some_and(|met| *met > 0),
            "{api:?} was never refused"
        );
    }
}

#[test]
fn one_refusal_of_range() {
    hold(Setup::Classic("range"), false);
}

#[test]
fn one_refusal_of_cooperative_sticky() {
    hold(Setup::Classic("cooperative-sticky"), false);
}

#[test]
fn one_refusal_of_range_with_instances() {
    hold(Setup::Classic("range"), true);
}

#[test]
fn one_refusal_of_the_consumer_protocol() {
    hold(Setup::Consumer(ServerAssignor::Uniform), false);
}

#[test]
fn one_refusal_of_the_consumer_protocol_with_instances() {
    hold(Setup::Consumer(ServerAssignor::Uniform), true);
}

#[test]
fn every_planted_defect_is_caught_by_one_refusal() {
    let mut unnoticed = Vec::new();
    for defect in DEFECTS_UNDER_ONE_REFUSAL {
        for setup in defect.shows_in() {
            let shows = |with_instances| {
                let unknown = |case: &Case| case.code == ErrorCode::Unknown(9999);
                let cases = cases(*setup, with_instances).into_iter().filter(unknown);
                cases
                    .map(|case| case.run(Some(*defect)))
                    .any(|outcome| outcome.is_err())
            };
            if !shows(false) {
                unnoticed.push((defect, setup));
            }
        }
    }
    assert!(unnoticed.is_empty(), "unnoticed: {unnoticed:?}");
}
