//! Where the leader is, told along with the error that says it is not here (KIP-951).

use std::sync::Arc;

use crate::cluster::Cluster;
use crate::nodes::Node;

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

    pub(crate) fn nodes<'a>(
        &'a self,
        cluster: &'a Cluster,
    ) -> impl Iterator<Item = Arc<Node>> + use<'a> {
        self.leaders
            .iter()
            .filter_map(|leader| cluster.node(*leader))
    }
}
