//! Requests about groups, and about the topics that groups read.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::alter_share_group_offsets::{
    AlterShareGroupOffsetsRequest, AlterShareGroupOffsetsResponse,
};
use kafkars_protocol::messages::consumer_group_describe::{
    self, ConsumerGroupDescribeRequest, ConsumerGroupDescribeResponse,
};
use kafkars_protocol::messages::consumer_group_heartbeat::ConsumerGroupHeartbeatRequest;
use kafkars_protocol::messages::delete_groups::{DeleteGroupsRequest, DeleteGroupsResponse};
use kafkars_protocol::messages::delete_share_group_offsets::{
    DeleteShareGroupOffsetsRequest, DeleteShareGroupOffsetsResponse,
};
use kafkars_protocol::messages::describe_groups::{DescribeGroupsRequest, DescribeGroupsResponse};
use kafkars_protocol::messages::describe_share_group_offsets::{
    DescribeShareGroupOffsetsRequest, DescribeShareGroupOffsetsResponse,
};
use kafkars_protocol::messages::heartbeat::HeartbeatRequest;
use kafkars_protocol::messages::join_group::JoinGroupRequest;
use kafkars_protocol::messages::leave_group::LeaveGroupRequest;
use kafkars_protocol::messages::list_groups::{ListGroupsRequest, ListGroupsResponse};
use kafkars_protocol::messages::offset_commit::{OffsetCommitRequest, OffsetCommitResponse};
use kafkars_protocol::messages::offset_delete::{OffsetDeleteRequest, OffsetDeleteResponse};
use kafkars_protocol::messages::offset_fetch::{
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchResponse,
};
use kafkars_protocol::messages::share_acknowledge::ShareAcknowledgeRequest;
use kafkars_protocol::messages::share_fetch::ShareFetchRequest;
use kafkars_protocol::messages::share_group_describe::{
    self, ShareGroupDescribeRequest, ShareGroupDescribeResponse,
};
use kafkars_protocol::messages::share_group_heartbeat::ShareGroupHeartbeatRequest;
use kafkars_protocol::messages::sync_group::SyncGroupRequest;

use super::{each_of, part, split, unless};
use crate::handlers::{Peer, RequestGuard, Serve};
use crate::security::acl::AclOperation::{self, Delete, Describe, Read};
use crate::security::acl::ResourceType;

const GROUP_DENIED: ErrorCode = ErrorCode::GroupAuthorizationFailed;
const TOPIC_DENIED: ErrorCode = ErrorCode::TopicAuthorizationFailed;

fn group(peer: &Peer, operation: AclOperation, group: &str) -> Option<ErrorCode> {
    unless(peer.may_group(operation, group), GROUP_DENIED)
}

/// A request of a member, who has to be allowed to read with the group.
macro_rules! of_a_member {
    ($($request:ident),*) => {
        $(impl RequestGuard for $request {
            fn refusal(&self, peer: &Peer) -> Option<ErrorCode> {
                group(peer, Read, &self.group_id)
            }
        })*
    };
}

of_a_member!(
    JoinGroupRequest,
    SyncGroupRequest,
    HeartbeatRequest,
    LeaveGroupRequest
);

/// A heartbeat that may also say what the member wants to read.
macro_rules! with_subscription {
    ($($request:ident),*) => {
        $(impl RequestGuard for $request {
            fn refusal(&self, peer: &Peer) -> Option<ErrorCode> {
                let mut topics = self.subscribed_topic_names.iter().flatten();
                let may = |topic: &String| peer.may_topic(Describe, topic);
                let denied = group(peer, Read, &self.group_id);
                denied.or_else(|| unless(topics.all(may), TOPIC_DENIED))
            }
        })*
    };
}

with_subscription!(ConsumerGroupHeartbeatRequest, ShareGroupHeartbeatRequest);

/// Kafka's words for a group that is not shown, because its members have topics that the client may not describe.
const HIDDEN_TOPICS: &str =
    "The group has described topic(s) that the client is not authorized to describe.";

/// Leaves out refused groups, and those whose members read topics that the client may not describe.
macro_rules! without_hidden_topics {
    ($response:ident, $module:ident::$group:ident, [$($assignment:ident),+]) => {
        fn conceal(answer: &mut $response, peer: &Peer) {
            for group in &mut answer.groups {
                let is_shown = group.members.iter().all(|member| {
                    let assignments = [$(&member.$assignment),+].into_iter();
                    let mut topics = assignments.flat_map(|assignment| &assignment.topic_partitions);
                    topics.all(|topic| peer.may_topic(Describe, &topic.topic_name))
                });
                if is_shown {
                    let operations = group.authorized_operations;
                    group.authorized_operations =
                        peer.allowed(operations, ResourceType::Group, &group.group_id);
                } else {
                    *group = $module::$group {
                        group_id: std::mem::take(&mut group.group_id),
                        error_code: TOPIC_DENIED.code(),
                        error_message: Some(HIDDEN_TOPICS.to_owned()),
                        ..Default::default()
                    };
                }
            }
        }
    };
}

impl RequestGuard for DescribeGroupsRequest {
    each_of!(
        DescribeGroupsRequest.groups,
        |peer, it| peer.may_group(Describe, it),
        GROUP_DENIED => DescribeGroupsResponse.groups
    );

    fn conceal(answer: &mut DescribeGroupsResponse, peer: &Peer) {
        for group in &mut answer.groups {
            let operations = group.authorized_operations;
            group.authorized_operations =
                peer.allowed(operations, ResourceType::Group, &group.group_id);
        }
    }
}

impl RequestGuard for ConsumerGroupDescribeRequest {
    each_of!(
        ConsumerGroupDescribeRequest.group_ids,
        |peer, it| peer.may_group(Describe, it),
        GROUP_DENIED => ConsumerGroupDescribeResponse.groups
    );
    without_hidden_topics!(
        ConsumerGroupDescribeResponse,
        consumer_group_describe::DescribedGroup,
        [assignment, target_assignment]
    );
}

impl RequestGuard for ShareGroupDescribeRequest {
    each_of!(
        ShareGroupDescribeRequest.group_ids,
        |peer, it| peer.may_group(Describe, it),
        GROUP_DENIED => ShareGroupDescribeResponse.groups
    );
    without_hidden_topics!(
        ShareGroupDescribeResponse,
        share_group_describe::DescribedGroup,
        [assignment]
    );
}

impl RequestGuard for DeleteGroupsRequest {
    each_of!(
        DeleteGroupsRequest.groups_names,
        |peer, it| peer.may_group(Delete, it),
        GROUP_DENIED => DeleteGroupsResponse.results
    );
}

impl RequestGuard for DescribeShareGroupOffsetsRequest {
    each_of!(
        DescribeShareGroupOffsetsRequest.groups,
        |peer, it| peer.may_group(Describe, &it.group_id),
        GROUP_DENIED => DescribeShareGroupOffsetsResponse.groups
    );

    fn conceal(answer: &mut DescribeShareGroupOffsetsResponse, peer: &Peer) {
        for group in &mut answer.groups {
            let may = |name: &str| peer.may_topic(Describe, name);
            group.topics.retain(|topic| may(&topic.topic_name));
        }
    }
}

impl RequestGuard for AlterShareGroupOffsetsRequest {
    fn refusal(&self, peer: &Peer) -> Option<ErrorCode> {
        group(peer, Read, &self.group_id).or_else(|| {
            let mut topics = self.topics.iter();
            let all = topics.all(|topic| peer.may_topic(Read, &topic.topic_name));
            unless(all, TOPIC_DENIED)
        })
    }

    fn merge(answer: &mut AlterShareGroupOffsetsResponse, refused: AlterShareGroupOffsetsResponse) {
        answer.responses.extend(refused.responses);
    }
}

impl RequestGuard for DeleteShareGroupOffsetsRequest {
    fn refusal(&self, peer: &Peer) -> Option<ErrorCode> {
        group(peer, Delete, &self.group_id).or_else(|| {
            let mut topics = self.topics.iter();
            let all = topics.all(|topic| peer.may_topic(Read, &topic.topic_name));
            unless(all, TOPIC_DENIED)
        })
    }

    fn merge(
        answer: &mut DeleteShareGroupOffsetsResponse,
        refused: DeleteShareGroupOffsetsResponse,
    ) {
        answer.responses.extend(refused.responses);
    }
}

/// A request of a member of a share group. What a session holds is asked for by none of its later requests, so the
/// handlers look at the rules of topics themselves.
macro_rules! of_a_share_member {
    ($($request:ident),*) => {
        $(impl RequestGuard for $request {
            fn refusal(&self, peer: &Peer) -> Option<ErrorCode> {
                group(peer, Read, self.group_id.as_deref().unwrap_or_default())
            }
        })*
    };
}

of_a_share_member!(ShareFetchRequest, ShareAcknowledgeRequest);

impl RequestGuard for ListGroupsRequest {
    fn conceal(answer: &mut ListGroupsResponse, peer: &Peer) {
        if !peer.may_cluster(Describe) {
            let may = |id: &str| peer.may_group(Describe, id);
            answer.groups.retain(|group| may(&group.group_id));
        }
    }
}

impl RequestGuard for OffsetCommitRequest {
    fn refusal(&self, peer: &Peer) -> Option<ErrorCode> {
        group(peer, Read, &self.group_id)
    }

    each_of!(
        OffsetCommitRequest.topics,
        |peer, topic| peer.may_either(Read, &topic.name, topic.topic_id),
        TOPIC_DENIED => OffsetCommitResponse.topics
    );
}

impl RequestGuard for OffsetDeleteRequest {
    fn refusal(&self, peer: &Peer) -> Option<ErrorCode> {
        group(peer, Delete, &self.group_id)
    }

    each_of!(
        OffsetDeleteRequest.topics,
        |peer, topic| peer.may_topic(Read, &topic.name),
        TOPIC_DENIED => OffsetDeleteResponse.topics
    );
}

/// First version that asks for several groups.
const SEVERAL_SINCE: i16 = 8;

impl RequestGuard for OffsetFetchRequest {
    fn answer_refused(&self, peer: &Peer, version: i16) -> Option<OffsetFetchResponse> {
        if version >= SEVERAL_SINCE {
            return None;
        }
        let code = group(peer, Describe, &self.group_id)?;
        Some(self.refuse(peer, version, code))
    }

    fn take_denied(&mut self, peer: &Peer, version: i16) -> Vec<(Self, ErrorCode)> {
        if version < SEVERAL_SINCE {
            let Some(topics) = &mut self.topics else {
                return Vec::new();
            };
            let denied = split(topics, |topic| peer.may_topic(Describe, &topic.name));
            return part(denied, TOPIC_DENIED, |topics| Self {
                topics: Some(topics),
                ..self.clone()
            });
        }
        let groups = split(&mut self.groups, |it| {
            peer.may_group(Describe, &it.group_id)
        });
        let mut parts = part(groups, GROUP_DENIED, |groups| Self {
            groups,
            ..Self::default()
        });
        let mut denied = Vec::new();
        for group in &mut self.groups {
            let Some(topics) = &mut group.topics else {
                continue;
            };
            let topics = split(topics, |topic| {
                peer.may_either(Describe, &topic.name, topic.topic_id)
            });
            if !topics.is_empty() {
                denied.push(OffsetFetchRequestGroup {
                    topics: Some(topics),
                    ..group.clone()
                });
            }
        }
        parts.extend(part(denied, TOPIC_DENIED, |groups| Self {
            groups,
            ..Self::default()
        }));
        parts
    }

    fn merge(answer: &mut OffsetFetchResponse, refused: OffsetFetchResponse) {
        answer.topics.extend(refused.topics);
        for group in refused.groups {
            let mut groups = answer.groups.iter_mut();
            match groups.find(|there| there.group_id == group.group_id) {
                // The group may be asked about; some of its topics may not.
                Some(there) => there.topics.extend(group.topics),
                None => answer.groups.push(group),
            }
        }
    }

    fn conceal(answer: &mut OffsetFetchResponse, peer: &Peer) {
        let may = |name: &str| name.is_empty() || peer.may_topic(Describe, name);
        answer.topics.retain(|topic| may(&topic.name));
        for group in &mut answer.groups {
            group.topics.retain(|topic| may(&topic.name));
        }
    }
}
