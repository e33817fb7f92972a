//! A classic group out of what is left of a consumer group (KIP-848).

use std::collections::BTreeMap;

use super::group::{CONSUMER, ClassicGroup, ClassicPhase};
use super::member::ClassicMember;
use super::metadata::encode_assignment;
use crate::groups::consumer::{ConsumerGroup, ConsumerMember};
use crate::settings::group::GroupSettings;

impl ClassicGroup {
    /// Makes a classic group of the members of a consumer group that follow the classic protocol. They go on with what
    /// they were to have, until they are told to join again.
    pub(in crate::groups) fn left_of(
        group: &ConsumerGroup,
        settings: &GroupSettings,
        now: i64,
    ) -> Self {
        let members = group.members.values();
        let members: BTreeMap<String, ClassicMember> = members
            .filter_map(|member| Some((member.id.clone(), classic_member(group, member, now)?)))
            .collect();
        let instances = members.values();
        let mut classic = Self {
            phase: ClassicPhase::Stable { until: None },
            generation: group.epoch,
            protocol_type: Some(CONSUMER.to_owned()),
            leader: members.keys().next().cloned(),
            instances: instances
                .filter_map(|member| Some((member.instance_id.clone()?, member.id.clone())))
                .collect(),
            members,
            ..Self::new(&group.id, settings, now)
        };
        classic.protocol = classic.choose_protocol();
        classic.subscribed = classic.subscriptions();
        classic
    }
}

fn classic_member(
    group: &ConsumerGroup,
    member: &ConsumerMember,
    now: i64,
) -> Option<ClassicMember> {
    let classic = member.classic.as_ref()?;
    let target = group.targets.get(&member.id).into_iter().flatten();
    Some(ClassicMember {
        id: member.id.clone(),
        instance_id: member.instance_id.clone(),
        client: member.client.clone(),
        session_timeout_ms: classic.session_timeout_ms,
        rebalance_timeout_ms: member.rebalance_timeout_ms,
        assignment: encode_assignment(classic.metadata(), group.by_name(target)),
        protocols: classic.protocols.clone(),
        joining: None,
        syncing: None,
        is_new: false,
        unsynced: false,
        expires_at: now.saturating_add(classic.session_timeout_ms),
    })
}
