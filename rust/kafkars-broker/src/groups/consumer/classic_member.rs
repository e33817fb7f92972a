//! Members of the classic protocol in a consumer group (KIP-848): the group assigns to them too, and leads them through
//! JoinGroup, SyncGroup and Heartbeat to what they are to have.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::consumer_protocol_subscription::ConsumerProtocolSubscription;
use kafkars_protocol::messages::heartbeat::HeartbeatRequest;
use kafkars_protocol::messages::join_group::{JoinGroupRequestProtocol, JoinGroupResponse};
use kafkars_protocol::messages::sync_group::{SyncGroupRequest, SyncGroupResponse};

use super::classic_protocol::ClassicProtocol;
use super::group::ConsumerGroup;
use super::member::{ConsumerMember, MemberState};
use crate::groups::classic::metadata::{encode_assignment, subscription};
use crate::groups::classic::{CONSUMER, ClassicMember, Join, KNOWN_ID_SINCE};
use crate::groups::refusals::check_instance;
use crate::ids::random_uuid;
use crate::topic::TopicIdPartition;
use crate::topics::Topics;

impl ConsumerGroup {
    /// Lets a member join, or join again. It does not wait for the others: what it gets at once is what nobody else
    /// has.
    pub(crate) fn join(
        &mut self,
        join: Join,
        topics: &Topics<'_>,
        max_size: usize,
        now: i64,
    ) -> Result<JoinGroupResponse, ErrorCode> {
        let request = &join.request;
        let is_new = request.member_id.is_empty();
        let id = if is_new {
            random_uuid().to_string()
        } else {
            request.member_id.clone()
        };
        if self.members.len() >= max_size && !self.members.contains_key(&id) {
            return Err(ErrorCode::GroupMaxSizeReached);
        }
        let common = |protocol: &JoinGroupRequestProtocol| {
            let mut classic = self.members.values().filter_map(|it| it.classic.as_ref());
            classic.all(|member| member.knows(&protocol.name))
        };
        if request.protocol_type != CONSUMER || !request.protocols.iter().any(common) {
            return Err(ErrorCode::InconsistentGroupProtocol);
        }
        if is_new && request.group_instance_id.is_none() && join.version >= KNOWN_ID_SINCE {
            return Ok(JoinGroupResponse {
                error_code: ErrorCode::MemberIdRequired.code(),
                member_id: id,
                ..JoinGroupResponse::default()
            });
        }
        let member = ClassicMember::new(id.clone(), join.request, join.client);
        let classic = ClassicProtocol::of(&member);
        let said = subscription(classic.metadata()).ok_or(ErrorCode::UnknownServerError)?;
        if let Some(instance) = &member.instance_id {
            match self.instances.get(instance).cloned() {
                Some(current) if current == id => {}
                Some(current) if is_new => self.take_place_of(&current, &id, instance),
                Some(_) => return Err(ErrorCode::FencedInstanceId),
                None if is_new => {}
                None => return Err(ErrorCode::UnknownMemberId),
            }
        }
        let owned = partitions(&said, topics);
        let changed = self.update(member, classic, said, now);
        if self.subscribed.refresh(self.members.values(), topics) || changed {
            self.begin_epoch();
        }
        if self.epoch > self.assignment_epoch {
            self.make_targets();
        }
        self.reconcile(&id, Some(&owned));
        let member = self.members.get(&id).ok_or(ErrorCode::UnknownMemberId)?;
        let protocols = member.classic.iter().flat_map(|it| &it.protocols);
        Ok(JoinGroupResponse {
            generation_id: member.epoch,
            protocol_type: Some(CONSUMER.to_owned()),
            protocol_name: protocols.map(|protocol| protocol.name.clone()).next(),
            member_id: id,
            ..JoinGroupResponse::default()
        })
    }

    /// Takes over what a member says when it joins; returns true if that changes what is to be assigned.
    fn update(
        &mut self,
        said: ClassicMember,
        classic: ClassicProtocol,
        subscription: ConsumerProtocolSubscription,
        now: i64,
    ) -> bool {
        let id = said.id.clone();
        let mut changed = !self.members.contains_key(&id);
        if let Some(instance) = &said.instance_id {
            self.instances.insert(instance.clone(), id.clone());
        }
        let member = self
            .members
            .entry(id.clone())
            .or_insert_with(|| ConsumerMember::new(id));
        let names: BTreeSet<String> = subscription.topics.into_iter().collect();
        changed |= member.names != names || member.regex.is_some();
        member.names = names;
        member.regex = None;
        if let Some(rack) = subscription.rack_id.filter(|rack| !rack.is_empty()) {
            changed |= member.rack_id.as_ref() != Some(&rack);
            member.rack_id = Some(rack);
        }
        member.rebalance_timeout_ms = said.rebalance_timeout_ms();
        member.instance_id = said.instance_id;
        member.client = said.client;
        member.expires_at = now.saturating_add(classic.session_timeout_ms);
        member.revoke_by = None;
        member.classic = Some(ClassicProtocol {
            sync_by: Some(now.saturating_add(member.rebalance_timeout_ms)),
            ..classic
        });
        changed
    }

    /// Gives a member what it was assigned when it joined.
    pub(crate) fn sync(
        &mut self,
        request: &SyncGroupRequest,
        now: i64,
    ) -> Result<SyncGroupResponse, ErrorCode> {
        let (id, instance) = (&request.member_id, request.group_instance_id.as_deref());
        let epoch = self.epoch;
        let member = self.classic_member(id, instance, request.generation_id)?;
        let best = member.classic.iter().flat_map(|it| &it.protocols).next();
        let best = best.map(|protocol| protocol.name.as_str());
        let differs = |said: &Option<String>, here| said.is_some() && said.as_deref() != here;
        if differs(&request.protocol_type, Some(CONSUMER)) || differs(&request.protocol_name, best)
        {
            return Err(ErrorCode::InconsistentGroupProtocol);
        }
        // One that has not given up yet what it must learns here what it may keep.
        if member.epoch < epoch && member.progress != MemberState::Revoking {
            member.expect_join(now);
            return Err(ErrorCode::RebalanceInProgress);
        }
        member.heard_of(now);
        let mut metadata = Bytes::new();
        if let Some(classic) = &mut member.classic {
            classic.sync_by = None;
            metadata = classic.metadata();
        }
        let assigned: Vec<TopicIdPartition> = member.assigned.keys().copied().collect();
        Ok(SyncGroupResponse {
            protocol_type: request.protocol_type.clone(),
            protocol_name: request.protocol_name.clone(),
            assignment: encode_assignment(metadata, self.by_name(&assigned)),
            ..SyncGroupResponse::default()
        })
    }

    /// Partitions by the names of their topics, as far as these exist and somebody reads them.
    pub(in crate::groups) fn by_name<'a>(
        &self,
        partitions: impl IntoIterator<Item = &'a TopicIdPartition>,
    ) -> BTreeMap<&str, Vec<i32>> {
        let names = self.subscribed.names();
        let mut topics: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
        for (topic, partition) in partitions {
            if let Some(name) = names.get(topic) {
                topics.entry(name).or_default().push(*partition);
            }
        }
        topics
    }

    /// Takes the heartbeat of a member, and tells it to join again if there is something for it to do.
    pub(crate) fn classic_heartbeat(
        &mut self,
        request: &HeartbeatRequest,
        now: i64,
    ) -> Result<(), ErrorCode> {
        let (id, instance) = (&request.member_id, request.group_instance_id.as_deref());
        let must_join = self.must_join_again(id);
        let member = self.classic_member(id, instance, request.generation_id)?;
        member.heard_of(now);
        if must_join {
            member.expect_join(now);
            return Err(ErrorCode::RebalanceInProgress);
        }
        Ok(())
    }

    /// True if there is another epoch, something to give up, or all is free that the member waited for.
    fn must_join_again(&self, id: &str) -> bool {
        let Some(member) = self.members.get(id) else {
            return false;
        };
        let is_free = |partition: &TopicIdPartition| {
            let owner = self.owners.get(partition);
            owner.is_none_or(|owner| owner == id)
        };
        let mut target = self.targets.get(id).into_iter().flatten();
        member.epoch < self.epoch
            || match member.progress {
                MemberState::Stable => false,
                MemberState::Revoking => true,
                MemberState::Waiting => target.all(is_free),
            }
    }

    /// Finds a member of the classic protocol that is in this generation.
    fn classic_member(
        &mut self,
        id: &str,
        instance: Option<&str>,
        generation: i32,
    ) -> Result<&mut ConsumerMember, ErrorCode> {
        check_instance(&self.instances, instance, id)?;
        let member = self.members.get_mut(id).ok_or(ErrorCode::UnknownMemberId)?;
        if member.classic.is_none() {
            return Err(ErrorCode::UnknownMemberId);
        }
        member.check_generation(generation)?;
        Ok(member)
    }
}

impl ConsumerMember {
    fn heard_of(&mut self, now: i64) {
        if let Some(classic) = &self.classic {
            self.expires_at = now.saturating_add(classic.session_timeout_ms);
        }
    }

    /// Notes that the member was told to join again; the time for that begins when it is told first.
    fn expect_join(&mut self, now: i64) {
        let until = now.saturating_add(self.rebalance_timeout_ms);
        if let Some(classic) = &mut self.classic {
            classic.join_by.get_or_insert(until);
        }
    }
}

/// The partitions that a member says it still has, of topics that exist.
fn partitions(
    said: &ConsumerProtocolSubscription,
    topics: &Topics<'_>,
) -> BTreeSet<TopicIdPartition> {
    let owned = said.owned_partitions.iter();
    let known = owned.filter_map(|topic| Some((topics.find(&topic.topic)?.0, &topic.partitions)));
    known
        .flat_map(|(id, indexes)| indexes.iter().map(move |index| (id, *index)))
        .collect()
}
