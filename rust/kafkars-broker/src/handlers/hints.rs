//! Hints tell where the leader is, along with the error that says it is not here (KIP-951).

use crate::cluster::RunningCluster;

/// The nodes that lead what was asked for elsewhere, each once.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    leaders: Vec<i32>,
}

impl Hints {
    pub(crate) fn add(&mut self, leader: i32) {
        if !self.leaders.contains(&leader) {
            self.leaders.push(leader);
        }
    }

    /// The nodes in the form of an answer, which `endpoint` makes of the id, the host and the port of each.
    pub(crate) fn endpoints<E>(
        &self,
        cluster: &RunningCluster,
        listener: usize,
        endpoint: impl Fn(i32, String, i32) -> E,
    ) -> Vec<E> {
        let nodes = self.leaders.iter().filter_map(|id| cluster.node(*id));
        nodes
            .map(|node| {
                let (host, port) = node.host_and_port(listener);
                endpoint(node.id, host, port)
            })
            .collect()
    }
}
