//! One history: trouble, healing, then a quiet join and a quiet leave.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use kafkars_core::backoff::Random;
use kafkars_core::config::{GroupProtocol, TopicPartition};
use kafkars_core::group::MembershipState;
use kafkars_core::group::assignor::{Assignor, by_name};
use kafkars_protocol::Uuid;

use crate::classic_coordinator::ClassicCoordinator;
use crate::consumer_coordinator::{ConsumerCoordinator, ServerAssignor};
use crate::coordinator::Coordinator;
use crate::defects::Defect;
use crate::trace;
use crate::world::{HEARTBEAT, MAX_POLL, SESSION, World};

/// Protocol and strategy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setup {
    Classic(&'static str),
    /// Some members offer `cooperative-sticky` only and some `range` before it: a group on its way from eager to
    /// cooperative.
    Upgrade,
    /// With the coordinator's assignor.
    Consumer(ServerAssignor),
}

const TROUBLE: Duration = Duration::from_secs(60);
/// Requests that trouble has swallowed are given up by then.
const CLEARING: Duration = Duration::from_secs(25);
/// Every session and rebalance that trouble left behind has ended by then.
const HEALING: Duration = Duration::from_secs(60);
const QUIET: Duration = Duration::from_secs(15);
const MOST_MEMBERS: usize = 6;

/// Runs the history of `seed`; tells what was wrong with it.
pub(crate) fn run(setup: Setup, seed: u64, defect: Option<Defect>) -> Result<(), String> {
    let mut history = History::new(setup, seed, defect);
    history.trouble()?;
    history.heal()?;
    history.quiet_join()?;
    history.quiet_leave()?;
    history.finish()
}

/// The application of a member commits by hand.
fn member_commits(world: &mut World, place: usize) {
    let now = world.now;
    if let Some(member) = world.members.get_mut(place).and_then(Option::as_mut)
        && !member.is_frozen(now)
    {
        member.commit(now);
    }
}

struct History {
    setup: Setup,
    world: World,
    random: Random,
    with_instances: bool,
}

impl History {
    fn new(setup: Setup, seed: u64, defect: Option<Defect>) -> Self {
        let mut random = Random::new(seed.wrapping_mul(2_654_435_761).wrapping_add(17));
        let mut below = |bound: u64| random.next() % bound;
        let topics: BTreeMap<String, (Uuid, i32)> = [("orders", 1u8), ("payments", 2)]
            .into_iter()
            .map(|(name, id)| {
                let count = 2 + below(7) as i32;
                (name.to_owned(), (Uuid([id; 16]), count))
            })
            .collect();
        let with_instances = !matches!(setup, Setup::Consumer(_)) && below(3) == 0;
        let coordinator: Box<dyn Coordinator> = match setup {
            Setup::Classic(_) | Setup::Upgrade => Box::new(ClassicCoordinator::new()),
            Setup::Consumer(assignor) => Box::new(ConsumerCoordinator::new(
                topics.clone(),
                assignor,
                SESSION,
                HEARTBEAT,
            )),
        };
        let mut world = World::new(seed, topics, coordinator, defect);
        world.some_read_by_hand = true;
        Self {
            setup,
            world,
            random,
            with_instances,
        }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.random.next() % bound
    }

    fn join(&mut self, place: usize) {
        let (protocol, assignors) = match self.setup {
            Setup::Classic(name) => {
                let assignor = by_name(name).expect("built in");
                let assignor: Arc<dyn Assignor> = match self.world.defect {
                    Some(defect) => defect.spoil_assignor(assignor),
                    None => assignor,
                };
                (GroupProtocol::Classic, vec![assignor])
            }
            Setup::Upgrade => {
                let names: &[&str] = match self.below(2) {
                    0 => &["cooperative-sticky"],
                    _ => &["range", "cooperative-sticky"],
                };
                let assignors = names.iter().map(|name| by_name(name).expect("built in"));
                (GroupProtocol::Classic, assignors.collect())
            }
            Setup::Consumer(_) => (GroupProtocol::Consumer, Vec::new()),
        };
        let instance = self.with_instances.then(|| format!("instance-{place}"));
        self.world.join(place, protocol, assignors, instance);
    }

    /// Everything that can go wrong does.
    fn trouble(&mut self) -> Result<(), String> {
        for place in 0..2 + self.below(3) as usize {
            self.join(place);
        }
        self.world.network.faulty = true;
        let ends_at = self.world.now + TROUBLE;
        while self.world.now < ends_at {
            let pause = Duration::from_millis(200 + self.below(2000));
            let until = (self.world.now + pause).min(ends_at);
            self.world.run(until, |_| true)?;
            self.produce();
            self.mischief();
        }
        Ok(())
    }

    fn produce(&mut self) {
        let places: Vec<TopicPartition> = self.world.ends.keys().cloned().collect();
        for place in places {
            let more = self.below(4) as i64;
            *self.world.ends.entry(place).or_default() += more;
        }
    }

    fn mischief(&mut self) {
        let place = self.below(MOST_MEMBERS as u64) as usize;
        let now = self.world.now;
        let kind = self.below(10);
        let spell = Duration::from_millis(500 + self.below(20_000));
        let Some(member) = self.world.members.get_mut(place).and_then(Option::as_mut) else {
            if kind < 5 {
                self.join(place);
            }
            return;
        };
        let process = member.process;
        trace::line(now, || format!("mischief {kind} to {place} for {spell:?}"));
        if self.below(2) == 0 {
            member_commits(&mut self.world, place);
        }
        let Some(member) = self.world.members.get_mut(place).and_then(Option::as_mut) else {
            return;
        };
        match kind {
            0 => self.world.members[place] = None, // killed
            1 => member.leave(now),
            2 | 3 => member.busy_until = Some(now + spell),
            4 => member.frozen_until = Some(now + spell),
            5 => {
                self.world.network.cut_off.insert(process);
            }
            6 | 7 => self.world.network.cut_off.clear(),
            8 => self.world.move_coordinator(),
            _ => {}
        }
    }

    /// Ends the trouble: within a bound every member is in the group and every partition has an owner.
    fn heal(&mut self) -> Result<(), String> {
        self.world.network.faulty = false;
        self.world.network.cut_off.clear();
        let now = self.world.now;
        for member in self.world.members.iter_mut().flatten() {
            member.frozen_until = member.frozen_until.map(|until| until.min(now));
            member.busy_until = None;
        }
        let until = now + CLEARING;
        while self.world.now < until {
            self.watch_over();
            let next = self.world.now + Duration::from_secs(1);
            self.world.run(next, |_| true)?;
        }
        self.settle(HEALING, "after healing")?;
        self.quiet("after healing")
    }

    /// Starts processes for those that have failed, and when too few are left, as a supervisor does. An instance id
    /// that an earlier process of the same place used a moment ago may fence its successor: its last request can arrive
    /// late, and a new coordinator may know the earlier one only.
    fn watch_over(&mut self) {
        for place in 0..self.world.members.len() {
            let member = self.world.members[place].as_ref();
            if member.is_some_and(|member| member.membership.state() == MembershipState::Failed) {
                self.join(place);
            }
        }
        while self.world.members.iter().flatten().count() < 2 {
            let free = self.world.members.iter().position(Option::is_none);
            self.join(free.unwrap_or(self.world.members.len()));
        }
    }

    fn settle(&mut self, limit: Duration, when: &str) -> Result<(), String> {
        let until = self.world.now + limit;
        self.world.run(until, |world| !world.is_settled())?;
        if self.world.is_settled() {
            return Ok(());
        }
        let states = self.world.members.iter().flatten().map(|member| {
            let (state, held) = (member.membership.state(), member.held.len());
            format!(
                "{}: {state:?}, {held} held, {:?}",
                member.process.place, member.failure
            )
        });
        let states: Vec<String> = states.collect();
        Err(format!("not settled {when}: {}", states.join("; ")))
    }

    /// Nothing changes as long as nothing happens, except that work gets done.
    fn quiet(&mut self, when: &str) -> Result<(), String> {
        self.forget_changes();
        self.produce();
        let until = self.world.now + QUIET + MAX_POLL;
        self.world.run(until, |_| true)?;
        let changed = self
            .world
            .members
            .iter()
            .flatten()
            .find(|member| member.lost > 0 || !member.revoked.is_empty());
        if let Some(member) = changed {
            return Err(format!(
                "{when} member {} lost {} and gave up {:?} for no reason",
                member.process.place, member.lost, member.revoked
            ));
        }
        if !self.world.is_settled() {
            return Err(format!("{when} the group did not stay settled"));
        }
        if !self.world.is_done() {
            return Err(format!("{when} not everything was read and committed"));
        }
        Ok(())
    }

    fn forget_changes(&mut self) {
        for member in self.world.members.iter_mut().flatten() {
            member.lost = 0;
            member.revoked.clear();
        }
    }

    fn owners(&self) -> BTreeMap<TopicPartition, usize> {
        let held = self.world.members.iter().flatten().flat_map(|member| {
            let owner = member.process.place;
            member
                .held
                .iter()
                .map(move |partition| (partition.clone(), owner))
        });
        held.collect()
    }

    /// A member more: it gets its share, and nothing else moves.
    fn quiet_join(&mut self) -> Result<(), String> {
        self.forget_changes();
        let before = self.owners();
        let place = self.world.members.len();
        self.join(place);
        let settled_at = self.world.now + Duration::from_secs(1);
        self.world.run(settled_at, |_| true)?;
        self.settle(SESSION + MAX_POLL, "after a member joined")?;
        let after = self.owners();
        let share = after.len() / self.world.members.iter().flatten().count();
        let moved = before
            .iter()
            .filter(|(partition, owner)| after[*partition] != **owner);
        let moved = moved.count();
        if self.is_sticky() && moved > share + 1 {
            return Err(format!("{moved} partitions moved for a share of {share}"));
        }
        self.check_kept(&after, "a member joined")?;
        self.check_balance(&after)?;
        self.quiet("after a member joined")
    }

    /// A member less: its partitions go to others, and nothing else moves.
    fn quiet_leave(&mut self) -> Result<(), String> {
        self.forget_changes();
        let before = self.owners();
        let now = self.world.now;
        let mut gone = 0;
        if let Some(member) = self.world.members.iter_mut().flatten().next() {
            gone = member.process.place;
            member.leave(now);
        }
        let settled_at = self.world.now + Duration::from_secs(1);
        self.world.run(settled_at, |_| true)?;
        self.settle(SESSION + MAX_POLL, "after a member left")?;
        let after = self.owners();
        let moved = before
            .iter()
            .filter(|(partition, owner)| **owner != gone && after[*partition] != **owner)
            .count();
        if self.is_sticky() && moved > 0 {
            return Err(format!(
                "{moved} partitions moved though their owner stayed"
            ));
        }
        self.check_kept(&after, "a member left")?;
        self.check_balance(&after)?;
        self.quiet("after a member left")
    }

    /// Cooperative members give up only what goes to somebody else.
    fn check_kept(
        &self,
        after: &BTreeMap<TopicPartition, usize>,
        when: &str,
    ) -> Result<(), String> {
        let is_cooperative = matches!(
            self.setup,
            Setup::Consumer(_) | Setup::Classic("cooperative-sticky")
        );
        for member in self
            .world
            .members
            .iter()
            .flatten()
            .filter(|_| is_cooperative)
        {
            let place = member.process.place;
            let kept: BTreeSet<&TopicPartition> = member
                .revoked
                .iter()
                .filter(|partition| after.get(*partition) == Some(&place))
                .collect();
            if !kept.is_empty() || member.lost > 0 {
                return Err(format!(
                    "when {when}, member {place} stopped reading {kept:?} and lost {}, for nothing",
                    member.lost
                ));
            }
        }
        Ok(())
    }

    fn check_balance(&self, after: &BTreeMap<TopicPartition, usize>) -> Result<(), String> {
        if !self.is_sticky() && self.setup != Setup::Classic("roundrobin") {
            return Ok(()); // even per topic only
        }
        let sizes = self.world.members.iter().flatten().map(|member| {
            after
                .values()
                .filter(|owner| **owner == member.process.place)
                .count()
        });
        let sizes: Vec<usize> = sizes.collect();
        match (sizes.iter().max(), sizes.iter().min()) {
            (Some(most), Some(least)) if most - least > 1 => Err(format!("uneven: {sizes:?}")),
            _ => Ok(()),
        }
    }

    fn is_sticky(&self) -> bool {
        !matches!(
            self.setup,
            Setup::Classic("range" | "roundrobin")
                | Setup::Upgrade
                | Setup::Consumer(ServerAssignor::Range)
        )
    }

    fn finish(&mut self) -> Result<(), String> {
        self.produce();
        let until = self.world.now + QUIET;
        self.world.run(until, |world| !world.is_done())?;
        match self.world.is_done() {
            true => Ok(()),
            false => Err("records were left over".to_owned()),
        }
    }
}
