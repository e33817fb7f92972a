//! What must hold at every moment of every history.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use kafkars_core::config::TopicPartition;

use crate::member::{Member, Work};
use crate::network::Process;

/// Records that the application of any member has finished.
#[derive(Default)]
pub(crate) struct Finished {
    upto: BTreeMap<TopicPartition, i64>,
    beyond: BTreeSet<(TopicPartition, i64)>,
}

impl Finished {
    pub(crate) fn add(&mut self, work: Work) {
        for (partition, range) in work {
            for offset in range {
                self.beyond.insert((partition.clone(), offset));
            }
            let upto = self.upto.entry(partition.clone()).or_default();
            while self.beyond.remove(&(partition.clone(), *upto)) {
                *upto += 1;
            }
            let upto = *upto;
            self.beyond
                .retain(|(other, offset)| *other != partition || *offset >= upto);
        }
    }

    /// Everything before this offset is finished.
    pub(crate) fn upto(&self, partition: &TopicPartition) -> i64 {
        self.upto.get(partition).copied().unwrap_or(0)
    }
}

/// Checks that no two running processes believe that they own the same partition.
pub(crate) fn owned_once(now: Instant, members: &[Option<Member>]) -> Result<(), String> {
    let mut owners: BTreeMap<&TopicPartition, Process> = BTreeMap::new();
    for member in members
        .iter()
        .flatten()
        .filter(|member| !member.is_frozen(now))
    {
        for partition in &member.held {
            if let Some(other) = owners.insert(partition, member.process) {
                return Err(format!(
                    "{partition} belongs to {other:?} and {:?}",
                    member.process
                ));
            }
        }
    }
    Ok(())
}

/// Checks that an accepted commit passes no unfinished record, and does not come from a member while another one owns
/// the partition.
pub(crate) fn committed_rightly(
    now: Instant,
    finished: &Finished,
    members: &[Option<Member>],
    from: Process,
    partition: &TopicPartition,
    offset: i64,
    before: i64,
) -> Result<(), String> {
    let upto = finished.upto(partition);
    if offset > upto {
        return Err(format!(
            "{from:?} committed {offset} of {partition}, but only {upto} are finished"
        ));
    }
    let holds = |member: &&Member| {
        member.process != from && !member.is_frozen(now) && member.held.contains(partition)
    };
    if let Some(owner) = members.iter().flatten().find(holds) {
        return Err(format!(
            "{from:?} committed {partition}, which belongs to {:?}",
            owner.process
        ));
    }
    let is_owner = members
        .iter()
        .flatten()
        .any(|member| member.process == from && member.held.contains(partition));
    if is_owner && offset < before {
        return Err(format!(
            "{from:?} went back from {before} to {offset} in {partition}"
        ));
    }
    Ok(())
}
