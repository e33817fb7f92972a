//! The controller's work when a node is lost or comes back: leaders, replicas in sync and leader epochs change.
//!
//! As in KRaft: a node that is lost leaves the replicas in sync of every partition, except where it is the last of
//! them; a partition it led goes to the first replica that is in sync and alive, under a new epoch, or else has no
//! leader (-1) until one comes back. All nodes share one log, so a replica is in sync as soon as its node is back, and
//! nothing is ever lost; also `unclean.leader.election.enable` then only means that a partition gets its leader
//! earlier.

use kafkars_protocol::ErrorCode;

use crate::cluster::RunningCluster;
use crate::nodes::{CoordinatorType, EmbeddedNode};
use crate::partition::Partition;
use crate::state::ClusterState;

/// The leader of a partition that no node leads.
pub(crate) const NO_LEADER: i32 = -1;

impl RunningCluster {
    /// The controller gives a node up: it loses what it leads, and clients are not told of it any more.
    pub(crate) fn fence(&self, node: &EmbeddedNode) {
        let mut state = self.state();
        if node.is_fenced() {
            return;
        }
        self.move_coordinators(&mut state, || node.set_fenced(true));
        state.forget_sessions(node.id);
        let alive = |id: i32| self.is_alive(id);
        each_partition(&mut state, |partition, unclean| {
            partition.lose(node.id, unclean, &alive)
        });
    }

    /// The controller takes a node back; it leads again only what has no other leader.
    pub(crate) fn unfence(&self, node: &EmbeddedNode) {
        let mut state = self.state();
        if !node.is_fenced() {
            return;
        }
        self.move_coordinators(&mut state, || node.set_fenced(false));
        let alive = |id: i32| self.is_alive(id);
        each_partition(&mut state, |partition, unclean| {
            partition.regain(node.id, unclean, &alive)
        });
    }

    /// Changes who coordinates what. Who waits for other members of a group that has moved is told to look for its
    /// coordinator.
    pub(crate) fn move_coordinators(&self, state: &mut ClusterState, change: impl FnOnce()) {
        let coordinator = |id: &str| {
            let node = self.coordinator(CoordinatorType::Group, id);
            node.map(|node| node.id)
        };
        let ids = state.groups.ids();
        let before: Vec<Option<i32>> = ids.iter().map(|id| coordinator(id)).collect();
        change();
        let now = self.now();
        for (id, before) in ids.iter().zip(before) {
            if coordinator(id) != before {
                state.groups.coordinator_moved(id, now);
            }
        }
    }

    pub(crate) fn is_alive(&self, id: i32) -> bool {
        self.node(id).is_some_and(|node| !node.is_fenced())
    }

    /// The replicas of a partition whose nodes are not alive.
    pub(crate) fn offline_replicas(&self, partition: &Partition) -> Vec<i32> {
        let replicas = partition.replicas.iter().copied();
        replicas.filter(|id| !self.is_alive(*id)).collect()
    }
}

fn each_partition(state: &mut ClusterState, mut change: impl FnMut(&mut Partition, bool)) {
    for topic in state.topics_mut() {
        let unclean = topic.config.unclean_leader_election;
        for partition in &mut topic.partitions {
            change(partition, unclean);
        }
    }
}

impl Partition {
    /// Holds an election that an administrator asks for: of the first replica, or an unclean one where there is no
    /// leader.
    pub(crate) fn elect(
        &mut self,
        unclean: bool,
        alive: &dyn Fn(i32) -> bool,
    ) -> Result<(), ErrorCode> {
        let preferred = self.replicas.first().copied();
        let needless = match unclean {
            true => self.leader != NO_LEADER,
            false => preferred == Some(self.leader),
        };
        if needless {
            return Err(ErrorCode::ElectionNotNeeded);
        }
        if unclean {
            let any = self.replicas.iter().find(|replica| alive(**replica));
            let next = *any.ok_or(ErrorCode::EligibleLeadersNotAvailable)?;
            self.in_sync = vec![next];
            self.lead_by(next);
            return Ok(());
        }
        let able = |replica: &i32| self.in_sync.contains(replica) && alive(*replica);
        let next = preferred.filter(able);
        self.lead_by(next.ok_or(ErrorCode::PreferredLeaderNotAvailable)?);
        Ok(())
    }

    /// Gives the partition other replicas, of which one at least is alive. All nodes share the log, so they are in sync
    /// at once.
    pub(crate) fn reassign(&mut self, replicas: Vec<i32>, alive: &dyn Fn(i32) -> bool) {
        self.in_sync = replicas
            .iter()
            .copied()
            .filter(|replica| alive(*replica))
            .collect();
        self.replicas = replicas;
        if !self.in_sync.contains(&self.leader) {
            self.lead_by(self.in_sync.first().copied().unwrap_or(NO_LEADER));
        }
    }

    fn lose(&mut self, node: i32, unclean: bool, alive: &dyn Fn(i32) -> bool) {
        if self.in_sync.len() > 1 {
            self.in_sync.retain(|replica| *replica != node);
        }
        if self.leader != node {
            return;
        }
        let in_sync = |replica: &&i32| self.in_sync.contains(*replica) && alive(**replica);
        let next = self.replicas.iter().find(in_sync).copied();
        let next = next.or_else(|| {
            let any = self.replicas.iter().find(|replica| alive(**replica));
            any.copied().filter(|_| unclean)
        });
        if let Some(next) = next
            && !self.in_sync.contains(&next)
        {
            self.in_sync = vec![next];
        }
        self.lead_by(next.unwrap_or(NO_LEADER));
    }

    fn regain(&mut self, node: i32, unclean: bool, alive: &dyn Fn(i32) -> bool) {
        if !self.replicas.contains(&node) {
            return;
        }
        if self.leader == NO_LEADER {
            if !self.in_sync.contains(&node) {
                if !unclean {
                    return;
                }
                self.in_sync = vec![node];
            }
            self.lead_by(node);
        }
        // Whoever is alive follows the leader, also who came back before it.
        for replica in &self.replicas {
            if alive(*replica) && !self.in_sync.contains(replica) {
                self.in_sync.push(*replica);
            }
        }
    }
}
