//! Topics of a client: which are in use, their metadata, waiting for one.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::cluster::{BrokerNode, Leader, LeaderHint, TopicMetadata};
use kafkars_protocol::messages::metadata::{MetadataRequest, MetadataRequestTopic};
use kafkars_protocol::{ApiKey, ErrorCode};
use tokio::time::timeout_at;

use super::handle::Client;
use super::refusal::any_broker;
use crate::error::ClientError;
use crate::{after, now, topic_name};

/// For how long further calls believe an answer that a topic does not exist. Asking again has the same pace.
const FRESH: Duration = Duration::from_secs(1);

impl Client {
    /// Marks topics as in use: their metadata is asked for now and refreshed from then on. Names that no topic can have
    /// are left out, because one of them would spoil the request for all.
    pub fn want_topics(&self, topics: &[&str]) {
        let valid: Vec<&str> = topics
            .iter()
            .copied()
            .filter(|topic| topic_name::is_valid(topic))
            .collect();
        self.core.metadata_updater.want(&valid);
    }

    /// Says which topics are read now. From the first call on only these are created by asking for them, and those that
    /// a call or a subscription waits for: others were looked at once, or read before, and one that is deleted would be
    /// made again.
    pub(crate) fn use_topics(&self, topics: HashSet<Arc<str>>) {
        self.core.metadata_updater.plan.lock().use_only(topics);
    }

    /// Asks for these topics, at the pace of retries, until they exist or the returned guard is dropped.
    pub(crate) fn await_topics(&self, topics: impl IntoIterator<Item = Arc<str>>) -> AwaitedTopics {
        let topics: Vec<_> = topics.into_iter().collect();
        for topic in &topics {
            self.core.metadata_updater.begin_awaiting(topic);
        }
        AwaitedTopics {
            client: self.clone(),
            topics,
        }
    }

    /// Marks topics as no longer in use.
    pub fn forget_topics(&self, topics: &[&str]) {
        self.core.metadata_updater.forget(topics);
        self.core.update(|cluster| cluster.forget(topics));
    }

    /// Asks for the metadata of all topics in use again, soon: many calls become one request.
    pub fn refresh_metadata(&self) {
        self.core.metadata_updater.doubt_everything();
    }

    /// Takes these topics into use, and waits for metadata that was asked for after the call. That may create them;
    /// they need not exist when this returns, because brokers take a moment.
    ///
    /// # Errors
    /// [`ClientError::Bootstrap`] as soon as no address has answered, or at the deadline; [`ClientError::Closed`] if
    /// the client is closed.
    pub async fn refreshed(&self, topics: &[&str], deadline: Instant) -> Result<(), ClientError> {
        let began = now();
        let updater = &self.core.metadata_updater;
        let mut round = updater.round();
        self.want_topics(topics);
        let valid = topics.iter().filter(|topic| topic_name::is_valid(topic));
        let _awaiting: Vec<_> = valid.map(|topic| updater.start_awaiting(topic)).collect();
        let answered = async {
            loop {
                {
                    let round = round.borrow_and_update();
                    let is_fresh = |at: Option<Instant>| at.is_some_and(|at| at >= began);
                    if round.is_closed {
                        return Err(ClientError::Closed);
                    }
                    if is_fresh(round.answered_began) {
                        return Ok(());
                    }
                    if let Some(causes) = round.failure.as_deref()
                        && is_fresh(round.failure_began)
                    {
                        return Err(ClientError::Bootstrap(causes.clone()));
                    }
                }
                // A round that began before the call ends the doubts of this one, too.
                updater.doubt_everything();
                if round.changed().await.is_err() {
                    return Err(ClientError::Closed);
                }
            }
        };
        match timeout_at(deadline.into(), answered).await {
            Ok(result) => result,
            Err(_) => Err(updater.failure(now() - began)),
        }
    }

    /// Asks for the metadata of these topics again, soon.
    pub fn refresh_topics(&self, topics: &[&str]) {
        self.core.metadata_updater.doubt(topics);
    }

    /// Applies a broker's hint at a new leader (KIP-951), with the addresses that came along. A hint whose leader epoch
    /// is not newer is ignored.
    pub fn apply_leader_hint(
        &self,
        topic: &str,
        partition: i32,
        leader_id: i32,
        leader_epoch: i32,
        nodes: impl IntoIterator<Item = (i32, String, i32)>,
    ) {
        let leader = Leader {
            node: leader_id,
            epoch: leader_epoch,
        };
        let node = |(id, host, port)| {
            let port = u16::try_from(port).ok()?;
            Some(BrokerNode {
                id,
                host,
                port,
                rack: None,
            })
        };
        let nodes: Vec<BrokerNode> = nodes.into_iter().filter_map(node).collect();
        let hint = LeaderHint {
            topic,
            partition,
            leader,
        };
        self.core
            .update(|cluster| cluster.apply_leader_hints(&[hint], &nodes));
    }

    /// Returns the topic's metadata, and waits until it is known. A topic that does not exist may be about to be
    /// created, so it is asked for until the deadline, or until brokers have said for `topic_metadata_propagation_max`
    /// since the call that it does not exist. A topic that was found missing in that way fails with the next answer, or
    /// with one of the last second, until it exists or `metadata_max_age` has passed. Names that no topic can have and
    /// topics that this client may not describe fail at once.
    ///
    /// # Errors
    /// [`ClientError::InvalidTopic`] for a name that no topic can have, [`ClientError::Broker`] if the topic does not
    /// exist or may not be described, [`ClientError::TimedOut`] at the deadline; otherwise as for [`Client::ready`].
    pub async fn topic(
        &self,
        name: &str,
        deadline: Instant,
    ) -> Result<Arc<TopicMetadata>, ClientError> {
        if !topic_name::is_valid(name) {
            return Err(ClientError::InvalidTopic(name.into()));
        }
        if let Some(found) = self.settled_topic(name) {
            return found;
        }
        let started = now();
        let lasting = self.config().metadata_max_age;
        let missing = &self.core.missing_topics;
        // For a topic that is known to be missing a very recent answer will do.
        let (propagation, since) = match missing.contains(name, started, lasting) {
            true => (Duration::ZERO, started.checked_sub(FRESH)),
            false => (self.config().topic_metadata_propagation_max, Some(started)),
        };
        let since = since.unwrap_or(started);
        let mut changed = self.cluster_changed();
        let mut round = self.core.metadata_updater.round();
        let _awaiting = self.core.metadata_updater.start_awaiting(name);
        self.ready(deadline).await?;
        let settled = async {
            let mut unknown_since = None;
            loop {
                changed.borrow_and_update();
                if let Some(found) = self.settled_topic(name) {
                    missing.remove(name);
                    return found;
                }
                let is_fresh = {
                    let round = round.borrow_and_update();
                    if round.is_closed {
                        return Err(ClientError::Closed);
                    }
                    round.answered_began.is_some_and(|began| began >= since)
                };
                unknown_since = match self.is_unknown(name) && is_fresh {
                    true => unknown_since.or_else(|| Some(now())),
                    false => None,
                };
                let told_long_enough = async {
                    match unknown_since {
                        Some(since) => {
                            tokio::time::sleep_until(after(since, propagation).into()).await;
                        }
                        None => std::future::pending().await,
                    }
                };
                let is_open = tokio::select! {
                    result = changed.changed() => result.is_ok(),
                    result = round.changed() => result.is_ok(),
                    () = told_long_enough => {
                        if propagation > Duration::ZERO {
                            missing.insert(name, now(), lasting);
                        }
                        return Err(self.no_such_topic(name));
                    }
                };
                if !is_open {
                    return Err(ClientError::Closed);
                }
            }
        };
        // Any broker can answer.
        let asked = self.unless_refused(any_broker, timeout_at(deadline.into(), settled));
        match asked.await? {
            Ok(result) => result,
            Err(_) => Err(ClientError::TimedOut {
                operation: format!("metadata of topic {name:?}").into(),
                waited: now() - started,
                cause: self.missing_topic(name, now() - started),
            }),
        }
    }

    /// As [`Client::topic`], but with metadata that is asked for after the call: a partition may be newer than the
    /// snapshot.
    pub(crate) async fn topic_anew(
        &self,
        name: &str,
        deadline: Instant,
    ) -> Result<Arc<TopicMetadata>, ClientError> {
        let mut round = self.core.metadata_updater.round();
        // The first round that ends may have begun before the call.
        for _ in 0..2 {
            self.refresh_topics(&[name]);
            if !matches!(
                timeout_at(deadline.into(), round.changed()).await,
                Ok(Ok(()))
            ) {
                break;
            }
        }
        self.topic(name, deadline).await
    }

    /// Lists the names of all topics that this client may describe, in order.
    ///
    /// # Errors
    /// As for [`Client::request_any`].
    pub async fn topics(&self, deadline: Instant) -> Result<Vec<String>, ClientError> {
        let request = MetadataRequest {
            topics: None,
            allow_auto_topic_creation: false,
            ..MetadataRequest::default()
        };
        let response = self.request_any(request, deadline).await?;
        let visible = response
            .topics
            .into_iter()
            .filter(|topic| topic.error_code == 0);
        let mut names: Vec<String> = visible.filter_map(|topic| topic.name).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// Asks once which of these topics the cluster says are not there for this client, and why. None is created by it.
    ///
    /// # Errors
    /// As for [`Client::request_any`].
    pub async fn refused_topics(
        &self,
        names: Vec<String>,
        deadline: Instant,
    ) -> Result<Vec<(String, ErrorCode)>, ClientError> {
        // A name that no topic can have may spoil the request for all.
        let (possible, impossible): (Vec<_>, Vec<_>) = names
            .into_iter()
            .partition(|name| topic_name::is_valid(name));
        let impossible = impossible
            .into_iter()
            .map(|name| (name, ErrorCode::InvalidTopicException));
        let mut refused: Vec<_> = impossible.collect();
        if possible.is_empty() {
            return Ok(refused);
        }
        let topic = |name| MetadataRequestTopic {
            name: Some(name),
            ..MetadataRequestTopic::default()
        };
        let request = MetadataRequest {
            topics: Some(possible.into_iter().map(topic).collect()),
            allow_auto_topic_creation: false,
            ..MetadataRequest::default()
        };
        let response = self.request_any(request, deadline).await?;
        for topic in response.topics {
            let code = ErrorCode::from(topic.error_code);
            // While a leader is elected, the topic is there.
            if let Some(name) = topic.name
                && !matches!(code, ErrorCode::None | ErrorCode::LeaderNotAvailable)
            {
                refused.push((name, code));
            }
        }
        Ok(refused)
    }

    /// The topic's metadata or error, unless asking again may change it.
    fn settled_topic(&self, name: &str) -> Option<Result<Arc<TopicMetadata>, ClientError>> {
        if self.core.metadata_updater.is_closed() {
            return Some(Err(ClientError::Closed));
        }
        let topic = Arc::clone(self.cluster().topic(name)?);
        match topic.error {
            None => Some(Ok(topic)),
            Some(ErrorCode::InvalidTopicException) => {
                Some(Err(ClientError::InvalidTopic(name.into())))
            }
            Some(code) if code.retriable() => None,
            Some(code) => Some(Err(ClientError::Broker {
                code,
                topic: Some(name.into()),
                partition: None,
                subject: None,
                message: None,
            })),
        }
    }

    /// True if the last answer said that the topic does not exist.
    pub(crate) fn is_unknown(&self, name: &str) -> bool {
        self.refusal_of_topic(name)
            .is_some_and(ErrorCode::unknown_topic)
    }

    /// Those of these topics of which the last answer said that they do not exist.
    pub(crate) fn unknown_among<'a>(
        &self,
        topics: impl IntoIterator<Item = &'a Arc<str>>,
    ) -> Vec<Arc<str>> {
        let topics = topics.into_iter();
        topics
            .filter(|topic| self.is_unknown(topic))
            .cloned()
            .collect()
    }

    fn no_such_topic(&self, name: &str) -> ClientError {
        let code = ErrorCode::UnknownTopicOrPartition;
        let message = format!(
            "there is no such topic: create it, or mend its name{}. Brokers have said so for \
             topic_metadata_propagation_max_ms={} ms; raise that setting to wait for a topic that is being created",
            self.why_not_created(code),
            self.config().topic_metadata_propagation_max.as_millis(),
        );
        ClientError::Broker {
            code,
            topic: Some(name.into()),
            partition: None,
            subject: None,
            message: Some(message.into()),
        }
    }

    /// Says why asking for the topic has not created it.
    fn why_not_created(&self, code: ErrorCode) -> &'static str {
        match (code, self.config().allow_auto_create_topics) {
            (ErrorCode::UnknownTopicOrPartition, true) => {
                "; the brokers do not create it by themselves (auto.create.topics.enable is off)"
            }
            (ErrorCode::UnknownTopicOrPartition, false) => {
                "; the client does not ask brokers to create it (allow_auto_create_topics is off)"
            }
            _ => "",
        }
    }

    /// The error of a topic in the last answer about it.
    pub(crate) fn refusal_of_topic(&self, name: &str) -> Option<ErrorCode> {
        self.cluster().topic(name).and_then(|topic| topic.error)
    }

    fn missing_topic(&self, name: &str, waited: Duration) -> Arc<str> {
        let Some(code) = self.refusal_of_topic(name) else {
            if let Some(silence) = self.silence(waited, |_, api| api == ApiKey::Metadata) {
                return silence;
            }
            return match &self.core.metadata_updater.round().borrow().failure {
                Some(failure) => ClientError::Bootstrap(failure.as_ref().clone())
                    .to_string()
                    .into(),
                None => "no answer yet".into(),
            };
        };
        let advice = self.why_not_created(code);
        let description = code.description().trim_end_matches('.');
        format!("{}: {description}{advice}", code.name()).into()
    }
}

/// A guard that keeps topics asked for until it is dropped.
pub(crate) struct AwaitedTopics {
    client: Client,
    topics: Vec<Arc<str>>,
}

impl AwaitedTopics {
    /// The names of the topics.
    pub(crate) fn names(&self) -> &[Arc<str>] {
        &self.topics
    }
}

impl Drop for AwaitedTopics {
    fn drop(&mut self) {
        for topic in &self.topics {
            self.client.core.metadata_updater.stop_awaiting(topic);
        }
    }
}
