//! `roundrobin`: all partitions of all topics in order, dealt to the members in turn.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::strategy::{Assignment, Assignor, plain};
use super::view::GroupView;
use crate::config::TopicPartition;

/// The assignor `roundrobin`.
#[derive(Debug, Clone, Copy)]
pub struct RoundRobinAssignor;

impl Assignor for RoundRobinAssignor {
    fn name(&self) -> &str {
        "roundrobin"
    }

    fn assign(&self, group: &GroupView) -> Result<Assignment, Arc<str>> {
        let order = group.in_order();
        let subscribed: BTreeSet<&Arc<str>> = group
            .members
            .values()
            .flat_map(|member| &member.topics)
            .collect();
        let mut lists = group.empty_lists();
        let mut turn = 0;
        for (topic, view) in &group.topics {
            if !subscribed.contains(topic) {
                continue;
            }
            for number in 0..view.partitions.len() {
                let wants = |turn: &usize| {
                    let member = group.members.get(order[*turn % order.len()]);
                    member.is_some_and(|member| member.topics.contains(topic))
                };
                // Members that do not want the topic lose their turn.
                let Some(taker) = (turn..turn + order.len()).find(wants) else {
                    break;
                };
                if let Some(list) = lists.get_mut(order[taker % order.len()]) {
                    list.push(TopicPartition {
                        topic: Arc::clone(topic),
                        partition: number as i32,
                    });
                }
                turn = taker + 1;
            }
        }
        Ok(plain(lists))
    }
}
