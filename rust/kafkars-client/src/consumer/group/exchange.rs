//! Sends requests to the coordinator, one try each: `kafkars_core::group` decides when to try again.

use std::sync::Arc;

use kafkars_core::cluster::Cluster;
use kafkars_core::coordinator::CoordinatorKind;
use kafkars_core::group::{CommitCall, GroupCall, GroupRequest, GroupResponse, RequestFailure};
use kafkars_protocol::messages::metadata::{MetadataRequest, MetadataRequestTopic};
use kafkars_protocol::messages::offset_commit::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
    OffsetCommitResponse, OffsetCommitResponsePartition, OffsetCommitResponseTopic,
};
use kafkars_protocol::{ErrorCode, Request, Uuid};

use crate::client::Client;
use crate::error::{AttemptError, ClientError};
use crate::net::ConnectionKind;
use crate::{after, now};

/// Finds the group's coordinator.
pub(super) async fn coordinator(client: &Client, group: &str) -> Result<i32, RequestFailure> {
    let deadline = after(now(), client.config().request_timeout);
    let found = client.find_coordinator(CoordinatorKind::Group, group, deadline);
    found.await.map_err(|error| match error {
        ClientError::Broker { code, message, .. } => RequestFailure::Refused(code, message),
        ClientError::Attempt(error) => failure(&error),
        ClientError::NoBroker { ref causes, .. } => match causes.first() {
            Some((_, first)) => failure_saying(first, error.to_string().into()),
            None => RequestFailure::Retriable(error.to_string().into()),
        },
        ClientError::Closed | ClientError::InvalidTopic(_) => {
            RequestFailure::Permanent(error.to_string().into())
        }
        ClientError::Bootstrap(_) | ClientError::TimedOut { .. } => {
            RequestFailure::Retriable(error.to_string().into())
        }
    })
}

/// Sends one request of the membership.
pub(super) async fn send(
    client: &Client,
    call: GroupCall,
) -> Result<GroupResponse, RequestFailure> {
    let target = RequestTarget {
        client,
        node: call.node,
        kind: match call.held_back {
            true => ConnectionKind::Membership,
            false => ConnectionKind::Coordinator,
        },
        timeout: call.timeout,
    };
    match call.request {
        GroupRequest::JoinGroup(request) => target.ask(request).await.map(GroupResponse::JoinGroup),
        GroupRequest::SyncGroup(request) => target.ask(request).await.map(GroupResponse::SyncGroup),
        GroupRequest::Heartbeat(request) => target.ask(request).await.map(GroupResponse::Heartbeat),
        GroupRequest::LeaveGroup(leave) => target
            .ask_with(|version| leave.build(version), i16::MAX)
            .await
            .map(GroupResponse::LeaveGroup),
        GroupRequest::ConsumerGroupHeartbeat(request) => target
            .ask(request)
            .await
            .map(GroupResponse::ConsumerGroupHeartbeat),
    }
}

/// Sends one OffsetCommit.
pub(super) async fn commit(
    client: &Client,
    call: CommitCall,
) -> Result<OffsetCommitResponse, RequestFailure> {
    let target = RequestTarget {
        client,
        node: call.node,
        kind: ConnectionKind::Coordinator,
        timeout: call.timeout,
    };
    let CommitCall {
        request,
        max_version,
        ..
    } = call;
    let (cluster, mut others) = (client.cluster(), Vec::new());
    let answer = target.ask_with(
        |version| commit_in(request, version, &cluster, &mut others),
        max_version,
    );
    let mut response = answer.await?;
    response
        .topics
        .extend(others.iter().map(refused_as_unknown));
    Ok(response)
}

/// The request as `version` sends it, which names topics either by id or by name. A name cannot tell a topic from one
/// that was created anew under it, so offsets of an earlier topic are left out then, and end up in `others`.
fn commit_in(
    mut request: OffsetCommitRequest,
    version: i16,
    cluster: &Cluster,
    others: &mut Vec<OffsetCommitRequestTopic>,
) -> OffsetCommitRequest {
    const BY_ID: i16 = 10;
    const INSTANCE_SINCE: i16 = 7;
    if version < BY_ID {
        let is_another = |asked: &mut OffsetCommitRequestTopic| {
            let known = cluster
                .topic(&asked.name)
                .map_or(Uuid::ZERO, |topic| topic.id);
            !known.is_zero() && !asked.topic_id.is_zero() && known != asked.topic_id
        };
        others.extend(request.topics.extract_if(.., is_another));
    }
    for topic in &mut request.topics {
        if version >= BY_ID {
            topic.name.clear();
        } else {
            topic.topic_id = Uuid::ZERO;
        }
    }
    if version < INSTANCE_SINCE {
        request.group_instance_id = None;
    }
    request
}

/// The answer of a coordinator that names topics by id, for a topic that is gone.
fn refused_as_unknown(asked: &OffsetCommitRequestTopic) -> OffsetCommitResponseTopic {
    let refused = |partition: &OffsetCommitRequestPartition| OffsetCommitResponsePartition {
        partition_index: partition.partition_index,
        error_code: ErrorCode::UnknownTopicId.code(),
    };
    OffsetCommitResponseTopic {
        name: asked.name.clone(),
        topic_id: asked.topic_id,
        partitions: asked.partitions.iter().map(refused).collect(),
    }
}

struct RequestTarget<'a> {
    client: &'a Client,
    node: i32,
    kind: ConnectionKind,
    timeout: std::time::Duration,
}

impl RequestTarget<'_> {
    async fn ask<R: Request + Send + Sync>(
        &self,
        request: R,
    ) -> Result<R::Response, RequestFailure> {
        self.ask_with(|_| request, i16::MAX).await
    }

    async fn ask_with<R: Request + Send + Sync>(
        &self,
        build: impl FnOnce(i16) -> R,
        max_version: i16,
    ) -> Result<R::Response, RequestFailure> {
        let deadline = after(now(), self.timeout);
        let asked = async {
            let connection = self
                .client
                .connection(self.node, self.kind, deadline)
                .await?;
            let version = connection.versions().highest::<R>()?.min(max_version);
            let answer = connection.start_version(&build(version), version, deadline)?;
            answer.await
        };
        let answer = asked.await;
        if let Err(error) = &answer
            && error.needs_metadata()
        {
            self.client.refresh_metadata();
        }
        answer.map_err(|error| failure(&error))
    }
}

fn failure(error: &AttemptError) -> RequestFailure {
    failure_saying(error, error.to_string().into())
}

fn failure_saying(error: &AttemptError, cause: Arc<str>) -> RequestFailure {
    match error {
        AttemptError::Unsupported { .. } => RequestFailure::Unsupported(cause),
        // The request has a field that the broker's version of it lacks.
        AttemptError::Encode(_) => RequestFailure::Unsupported(cause),
        // A poll itself raises that a broker does not trust us (`Consumer::trouble`); the group goes on when it does
        // again.
        error if error.retriable() || error.security().is_some() => {
            RequestFailure::Retriable(cause)
        }
        _ => RequestFailure::Permanent(cause),
    }
}

/// Asks for the metadata of topics, also of those that are known only by id (KIP-848).
pub(super) async fn resolve(client: &Client, names: Vec<Arc<str>>, ids: Vec<Uuid>) {
    let names: Vec<&str> = names.iter().map(|name| &**name).collect();
    client.want_topics(&names);
    client.refresh_topics(&names);
    let cluster = client.cluster();
    let unknown: Vec<Uuid> = ids
        .into_iter()
        .filter(|id| cluster.topic_by_id(*id).is_none())
        .collect();
    if unknown.is_empty() {
        return;
    }
    let request = MetadataRequest {
        topics: Some(
            unknown
                .iter()
                .map(|id| MetadataRequestTopic {
                    topic_id: *id,
                    name: None,
                })
                .collect(),
        ),
        allow_auto_topic_creation: false,
        ..MetadataRequest::default()
    };
    let deadline = after(now(), client.config().request_timeout);
    match client.request_any(request, deadline).await {
        Ok(response) => {
            let found: Vec<String> = response
                .topics
                .into_iter()
                .filter_map(|topic| topic.name.filter(|_| topic.error_code == 0))
                .collect();
            let found: Vec<&str> = found.iter().map(String::as_str).collect();
            client.want_topics(&found);
            client.refresh_topics(&found);
        }
        Err(error) => {
            tracing::debug!(target: "kafkars::group", client = %client.name(), %error, "topics of the assignment are not known yet");
        }
    }
}
