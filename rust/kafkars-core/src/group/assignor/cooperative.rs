//! `cooperative-sticky`: as `sticky`, but a partition that has an owner goes to another one in two steps (KIP-429).

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};

use super::sticky::{Claims, distribute, owned_by};
use super::strategy::{Assignment, Assignor, LastAssignment, plain};
use super::view::GroupView;
use crate::config::TopicPartition;

/// The assignor `cooperative-sticky`.
#[derive(Debug, Clone, Copy)]
pub struct CooperativeStickyAssignor;

impl Assignor for CooperativeStickyAssignor {
    fn name(&self) -> &str {
        "cooperative-sticky"
    }

    fn is_cooperative(&self) -> bool {
        true
    }

    /// The generation of what is owned, for leaders that do not know version 2 of the subscription.
    fn user_data(&self, last: &LastAssignment) -> Option<Bytes> {
        let mut bytes = BytesMut::with_capacity(4);
        bytes.put_i32(last.generation);
        Some(bytes.freeze())
    }

    fn assign(&self, group: &GroupView) -> Result<Assignment, Arc<str>> {
        let mut lists = distribute(group, &Claims::of_owned(group));
        withhold(group, &mut lists);
        Ok(plain(lists))
    }
}

/// Takes out partitions that another member still owns: that member gives them up first, and joins again so that they
/// can be assigned. Of those who say so only the last owner counts: a member that has missed a rebalance believes that
/// it still owns what has gone to another one since.
fn withhold(group: &GroupView, lists: &mut BTreeMap<Arc<str>, Vec<TopicPartition>>) {
    let mut owners: BTreeMap<TopicPartition, (i32, Vec<&Arc<str>>)> = BTreeMap::new();
    for (member, view) in &group.members {
        let (generation, partitions) = owned_by(view);
        for partition in partitions {
            let (newest, last) = owners.entry(partition).or_insert((generation, Vec::new()));
            match generation.cmp(newest) {
                Ordering::Less => {}
                Ordering::Equal => last.push(member),
                Ordering::Greater => (*newest, *last) = (generation, vec![member]),
            }
        }
    }
    for (member, list) in lists {
        list.retain(|partition| {
            owners
                .get(partition)
                .is_none_or(|(_, owners)| owners.contains(&member))
        });
    }
}
