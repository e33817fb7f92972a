//! Requests about topics: what is not allowed is told topic by topic.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::create_partitions::{
    CreatePartitionsRequest, CreatePartitionsResponse,
};
use kafkars_protocol::messages::create_topics::{CreateTopicsRequest, CreateTopicsResponse};
use kafkars_protocol::messages::delete_records::{DeleteRecordsRequest, DeleteRecordsResponse};
use kafkars_protocol::messages::delete_topics::{DeleteTopicsRequest, DeleteTopicsResponse};
use kafkars_protocol::messages::describe_producers::{
    DescribeProducersRequest, DescribeProducersResponse,
};
use kafkars_protocol::messages::describe_topic_partitions::{
    DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse,
};
use kafkars_protocol::messages::fetch::FetchRequest;
use kafkars_protocol::messages::list_offsets::{ListOffsetsRequest, ListOffsetsResponse};
use kafkars_protocol::messages::metadata::{
    MetadataRequest, MetadataRequestTopic, MetadataResponse,
};
use kafkars_protocol::messages::offset_for_leader_epoch::{
    OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse,
};
use kafkars_protocol::messages::produce::{ProduceRequest, ProduceResponse};

use super::{each_of, part, split, unless};
use crate::handlers::{Peer, RequestGuard};
use crate::security::acl::AclOperation::{
    Alter, Create, Delete, Describe, DescribeConfigs, Read, Write,
};
use crate::security::acl::{CLUSTER, ResourceType};

const DENIED: ErrorCode = ErrorCode::TopicAuthorizationFailed;

/// A request whose topics have a name each, all of which need leave for one operation.
macro_rules! by_name {
    ($request:ident . $topics:ident . $name:ident, $operation:ident => $response:ident . $answers:ident) => {
        impl RequestGuard for $request {
            each_of!(
                $request.$topics,
                |peer, topic| peer.may_topic($operation, &topic.$name),
                DENIED => $response.$answers
            );
        }
    };
}

by_name!(ListOffsetsRequest.topics.name, Describe => ListOffsetsResponse.topics);
by_name!(DeleteRecordsRequest.topics.name, Delete => DeleteRecordsResponse.topics);
by_name!(OffsetForLeaderEpochRequest.topics.topic, Describe => OffsetForLeaderEpochResponse.topics);
by_name!(CreatePartitionsRequest.topics.name, Alter => CreatePartitionsResponse.results);
by_name!(DescribeProducersRequest.topics.name, Read => DescribeProducersResponse.topics);

impl RequestGuard for ProduceRequest {
    fn refusal(&self, peer: &Peer) -> Option<ErrorCode> {
        let id = self.transactional_id.as_deref()?;
        let code = ErrorCode::TransactionalIdAuthorizationFailed;
        unless(peer.may_transaction(Write, id), code)
    }

    each_of!(
        ProduceRequest.topic_data,
        |peer, topic| peer.may_either(Write, &topic.name, topic.topic_id),
        DENIED => ProduceResponse.responses
    );
}

/// A later request of a session does not name its topics, so each round of reading looks at the rules itself.
impl RequestGuard for FetchRequest {}

impl RequestGuard for MetadataRequest {
    fn take_denied(&mut self, peer: &Peer, version: i16) -> Vec<(Self, ErrorCode)> {
        let creates = peer.cluster.config.user.auto_create_topics
            && (version < 4 || self.allow_auto_topic_creation);
        let may = |topic: &MetadataRequestTopic| match &topic.name {
            None => peer.may_topic_id(Describe, topic.topic_id),
            Some(name) => {
                let exists = || peer.cluster.state().topic(name).is_some();
                peer.may_topic(Describe, name)
                    && (!creates
                        || exists()
                        || peer.may_cluster(Create)
                        || peer.may_topic(Create, name))
            }
        };
        let Some(topics) = &mut self.topics else {
            return Vec::new();
        };
        if topics.is_empty() {
            return Vec::new();
        }
        let denied = split(topics, may);
        if version == 0 && topics.is_empty() {
            // In this version none would be all. A topic without a name is none either.
            topics.push(MetadataRequestTopic {
                name: Some(String::new()),
                ..MetadataRequestTopic::default()
            });
        }
        part(denied, DENIED, |topics| Self {
            topics: Some(topics),
            ..self.clone()
        })
    }

    fn merge(answer: &mut MetadataResponse, refused: MetadataResponse) {
        let mut refused = refused.topics;
        answer
            .topics
            .retain(|topic| topic.name.as_deref() != Some(""));
        answer.topics.append(&mut refused);
    }

    fn conceal(answer: &mut MetadataResponse, peer: &Peer) {
        answer.topics.retain(|topic| {
            let name = topic.name.as_deref();
            topic.error_code != 0 || name.is_none_or(|name| peer.may_topic(Describe, name))
        });
        for topic in &mut answer.topics {
            let name = topic.name.as_deref().unwrap_or_default();
            let operations = topic.topic_authorized_operations;
            topic.topic_authorized_operations = peer.allowed(operations, ResourceType::Topic, name);
        }
        let operations = answer.cluster_authorized_operations;
        answer.cluster_authorized_operations = if peer.may_cluster(Describe) {
            peer.allowed(operations, ResourceType::Cluster, CLUSTER)
        } else {
            operations.min(0)
        };
    }
}

impl RequestGuard for DescribeTopicPartitionsRequest {
    fn take_denied(&mut self, peer: &Peer, _version: i16) -> Vec<(Self, ErrorCode)> {
        if self.topics.is_empty() {
            return Vec::new();
        }
        let denied = split(&mut self.topics, |topic| {
            peer.may_topic(Describe, &topic.name)
        });
        if self.topics.is_empty() {
            // None would be all: what is denied stays, and is taken out of the answer.
            self.topics = denied.clone();
        }
        part(denied, DENIED, |topics| Self {
            topics,
            ..self.clone()
        })
    }

    fn merge(
        answer: &mut DescribeTopicPartitionsResponse,
        refused: DescribeTopicPartitionsResponse,
    ) {
        let mut refused = refused.topics;
        let is_there = |name: &Option<String>| refused.iter().any(|topic| topic.name == *name);
        answer.topics.retain(|topic| !is_there(&topic.name));
        answer.topics.append(&mut refused);
    }

    fn conceal(answer: &mut DescribeTopicPartitionsResponse, peer: &Peer) {
        let may = |name: &Option<String>| {
            let name = name.as_deref().unwrap_or_default();
            peer.may_topic(Describe, name)
        };
        answer.topics.retain(|topic| may(&topic.name));
        for topic in &mut answer.topics {
            let name = topic.name.as_deref().unwrap_or_default();
            let operations = topic.topic_authorized_operations;
            topic.topic_authorized_operations = peer.allowed(operations, ResourceType::Topic, name);
        }
    }
}

impl RequestGuard for CreateTopicsRequest {
    each_of!(
        CreateTopicsRequest.topics,
        |peer, topic| peer.may_cluster(Create) || peer.may_topic(Create, &topic.name),
        DENIED => CreateTopicsResponse.topics
    );

    fn conceal(answer: &mut CreateTopicsResponse, peer: &Peer) {
        for topic in &mut answer.topics {
            if topic.error_code == 0 && !peer.may_topic(DescribeConfigs, &topic.name) {
                topic.topic_config_error_code = DENIED.code();
                topic.num_partitions = -1;
                topic.replication_factor = -1;
                topic.configs = None;
            }
        }
    }
}

impl RequestGuard for DeleteTopicsRequest {
    fn take_denied(&mut self, peer: &Peer, _version: i16) -> Vec<(Self, ErrorCode)> {
        let topic_names = split(&mut self.topic_names, |name| peer.may_topic(Delete, name));
        let topics = split(&mut self.topics, |topic| match &topic.name {
            Some(name) => peer.may_topic(Delete, name),
            None => peer.may_topic_id(Delete, topic.topic_id),
        });
        if topic_names.is_empty() && topics.is_empty() {
            return Vec::new();
        }
        let denied = Self {
            topics,
            topic_names,
            ..*self
        };
        vec![(denied, DENIED)]
    }

    fn merge(answer: &mut DeleteTopicsResponse, refused: DeleteTopicsResponse) {
        answer.responses.extend(refused.responses);
    }
}
