//! Groups as administrators see them.

use bytes::Bytes;
use kafkars_protocol::messages::consumer_group_describe::DescribedGroup as ConsumerDescription;
use kafkars_protocol::messages::describe_groups::{DescribedGroup, DescribedGroupMember};
use kafkars_protocol::messages::list_groups::ListedGroup;
use kafkars_protocol::messages::share_group_describe::DescribedGroup as ShareDescription;

use super::classic::{ClassicGroup, ClassicMember, ClassicPhase};
use super::refusals::{not_a_consumer_group, not_a_share_group, not_found};
use super::{Group, Groups};
use crate::refusal::RefusedRequest;
use crate::topics::Topics;

impl Groups {
    /// Every group, in the order of their ids.
    pub(crate) fn list(&mut self, now: i64) -> Vec<ListedGroup> {
        self.sweep(now);
        let ids: Vec<String> = self.groups.keys().cloned().collect();
        ids.iter().for_each(|id| self.advance(id, now));
        self.groups
            .iter()
            .map(|(id, entry)| entry.group.listed(id))
            .collect()
    }

    /// True if there is a group of any kind under this id.
    pub(crate) fn exists(&self, id: &str) -> bool {
        self.groups.contains_key(id)
    }

    /// A classic group; none if there is none of that kind under this id.
    pub(crate) fn describe_classic(&mut self, id: &str, now: i64) -> Option<DescribedGroup> {
        self.with(id, now, |group| match group {
            Group::Classic(group) => Some(group.describe()),
            Group::Consumer(_) | Group::Share(_) => None,
        })?
    }

    /// A consumer group, or why there is none.
    pub(crate) fn describe_consumer(
        &mut self,
        id: &str,
        topics: &Topics<'_>,
        now: i64,
    ) -> Result<ConsumerDescription, RefusedRequest> {
        match self.kind(id, now) {
            Some(Group::Consumer(group)) => Ok(group.describe(topics)),
            Some(_) => Err(not_a_consumer_group(id)),
            None => Err(not_found(id)),
        }
    }

    /// A share group, or why there is none.
    pub(crate) fn describe_share(
        &mut self,
        id: &str,
        topics: &Topics<'_>,
        now: i64,
    ) -> Result<ShareDescription, RefusedRequest> {
        match self.kind(id, now) {
            Some(Group::Share(group)) => Ok(group.describe(topics)),
            Some(_) => Err(not_a_share_group(id)),
            None => Err(not_found(id)),
        }
    }
}

impl Group {
    fn listed(&self, id: &str) -> ListedGroup {
        let (protocol_type, state, kind) = match self {
            Self::Classic(group) => (
                group.protocol_type.clone().unwrap_or_default(),
                group.state(),
                "classic",
            ),
            Self::Consumer(group) => ("consumer".to_owned(), group.state(), "consumer"),
            Self::Share(group) => ("share".to_owned(), group.state(), "share"),
        };
        ListedGroup {
            group_id: id.to_owned(),
            protocol_type,
            group_state: state.to_owned(),
            group_type: kind.to_owned(),
        }
    }
}

impl ClassicGroup {
    /// Describes the group. What its members have said and own is told only while it is stable, as in Kafka.
    fn describe(&self) -> DescribedGroup {
        let stable = matches!(self.phase, ClassicPhase::Stable { .. });
        let protocol = self.protocol.as_deref().filter(|_| stable);
        let member = |member: &ClassicMember| DescribedGroupMember {
            member_id: member.id.clone(),
            group_instance_id: member.instance_id.clone(),
            client_id: member.client.id.clone(),
            client_host: member.client.host.clone(),
            member_metadata: protocol.map_or_else(Bytes::new, |name| member.metadata(name)),
            member_assignment: if stable {
                member.assignment.clone()
            } else {
                Bytes::new()
            },
        };
        DescribedGroup {
            group_id: self.id.clone(),
            group_state: self.state().to_owned(),
            protocol_type: self.protocol_type.clone().unwrap_or_default(),
            protocol_data: protocol.unwrap_or_default().to_owned(),
            members: self.members.values().map(member).collect(),
            ..DescribedGroup::default()
        }
    }
}
