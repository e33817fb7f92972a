//! The one task of a client that asks for metadata, and what others see of its work.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::backoff::Backoff;
use kafkars_core::config::ClientConfig;
use kafkars_core::refresh::{Ask, Next, RefreshPlan};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::metadata::{
    MetadataRequest, MetadataRequestTopic, MetadataResponse,
};
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use crate::bootstrap::{self, Progress};
use crate::client::Core;
use crate::error::{BootstrapCause, BootstrapCauses, ClientError, SaslFailure};
use crate::metrics::add;
use crate::net::{Broker, ConnectionKind, first_success};
use crate::{after, now};

/// A known broker that has not answered for this long is overtaken by the next one.
const OVERTAKE_AFTER: Duration = Duration::from_secs(1);

/// When so many known brokers do not answer, a large cluster is not tried to the last one before starting over.
const KNOWN_TRIES: usize = 5;

/// A client that was never let in tries again after this if nobody asks: whoever waits without a time limit may be let
/// in later.
const UNASKED_PAUSE: Duration = Duration::from_secs(60);

/// Where wishes for metadata are left and its state is read.
#[derive(Debug)]
pub(crate) struct MetadataUpdater {
    plan: Mutex<RefreshPlan>,
    wake: Notify,
    round: watch::Sender<Round>,
    /// How far each bootstrap address got in the round under way.
    pub(crate) progress: Mutex<Progress>,
}

/// How the last round ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Round {
    /// Every address with its cause, after a round in which nobody answered.
    pub(crate) failure: Option<Arc<BootstrapCauses>>,
    /// When the round began that ended so.
    pub(crate) failure_began: Option<Instant>,
    /// When the last round began that was answered.
    pub(crate) answered_began: Option<Instant>,
    pub(crate) is_closed: bool,
}

/// An answer, and brokers that were connected to on the way to it.
pub(crate) struct MetadataAnswer {
    pub(crate) response: MetadataResponse,
    pub(crate) api_version: i16,
    pub(crate) connected: Vec<Arc<Broker>>,
}

/// Keeps a topic asked for while somebody waits for it.
pub(crate) struct Awaiting<'a> {
    desk: &'a MetadataUpdater,
    topic: &'a str,
}

impl MetadataUpdater {
    pub(crate) fn new(config: &ClientConfig, seed: u64) -> Self {
        let backoff = Backoff::new(config.retry_backoff, config.retry_backoff_max);
        Self {
            plan: Mutex::new(RefreshPlan::new(backoff, config.metadata_max_age, seed)),
            wake: Notify::new(),
            round: watch::Sender::new(Round::default()),
            progress: Mutex::new(Progress::default()),
        }
    }

    pub(crate) fn want(&self, topics: &[&str]) {
        if self.plan.lock().want(topics) {
            self.wake.notify_one();
        }
    }

    pub(crate) fn forget(&self, topics: &[&str]) {
        self.plan.lock().forget(topics);
    }

    pub(crate) fn doubt(&self, topics: &[&str]) {
        self.plan.lock().doubt(topics);
        self.wake.notify_one();
    }

    pub(crate) fn doubt_everything(&self) {
        self.plan.lock().doubt_everything();
        self.wake.notify_one();
    }

    pub(crate) fn start_awaiting<'a>(&'a self, topic: &'a str) -> Awaiting<'a> {
        self.begin_awaiting(topic);
        Awaiting { desk: self, topic }
    }

    pub(crate) fn begin_awaiting(&self, topic: &str) {
        self.plan.lock().start_awaiting(topic);
        self.wake.notify_one();
    }

    pub(crate) fn stop_awaiting(&self, topic: &str) {
        self.plan.lock().stop_awaiting(topic);
    }

    pub(crate) fn round(&self) -> watch::Receiver<Round> {
        self.round.subscribe()
    }

    pub(crate) fn close(&self) {
        self.round.send_modify(|round| round.is_closed = true);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.round.borrow().is_closed
    }

    /// Why the last round ended without metadata, if it did.
    pub(crate) fn last_failure(&self) -> Option<ClientError> {
        let round = self.round.borrow();
        let failure = round.failure.as_ref()?;
        Some(ClientError::Bootstrap(failure.as_ref().clone()))
    }

    /// The last round, if it began after this and no handshake succeeded in it, in a way that ends calls.
    pub(crate) fn refusal_since(&self, began: Instant) -> Option<ClientError> {
        let round = self.round.borrow();
        round.failure_began.filter(|round| *round >= began)?;
        let failure = ClientError::Bootstrap(round.failure.as_ref()?.as_ref().clone());
        (failure.security().is_some() && failure.is_worth_telling()).then_some(failure)
    }

    /// Whether the last round failed for a reason of security that time does not mend.
    fn is_refused(&self) -> bool {
        let failure = self.last_failure();
        failure.is_some_and(|failure| failure.is_hopeless() && failure.security().is_some())
    }

    /// The application has heard of the last failure and goes on.
    pub(crate) fn try_again(&self) {
        self.wake.notify_one();
    }

    /// What is known about why there is no metadata, also in the middle of a round.
    pub(crate) fn failure(&self, waited: Duration) -> ClientError {
        if let Some(failure) = &self.round.borrow().failure {
            return ClientError::Bootstrap(failure.as_ref().clone());
        }
        ClientError::Bootstrap(self.progress.lock().causes(waited))
    }
}

impl Drop for Awaiting<'_> {
    fn drop(&mut self) {
        self.desk.stop_awaiting(self.topic);
    }
}

/// Asks whenever the plan says so. Does no I/O before somebody wants something. After a login that was refused for good
/// the next one is tried when somebody asks again, or after a long pause: brokers lock accounts, and nobody would hear
/// of it.
pub(crate) async fn run(core: Arc<Core>) {
    let (mut is_refused, mut is_wanted) = (false, false);
    loop {
        let next = core.desk.plan.lock().next(now());
        match next {
            Next::Idle => {
                core.desk.wake.notified().await;
                is_wanted = true;
            }
            Next::Wait(_) | Next::Ask(_) if is_refused && !is_wanted => {
                wait(&core, after(now(), UNASKED_PAUSE)).await;
                is_wanted = true;
            }
            Next::Wait(until) => is_wanted |= wait(&core, until).await,
            Next::Ask(ask) => {
                is_wanted = false;
                let began = now();
                let result = refresh(&core, &ask).await;
                conclude(&core, &ask, began, result);
                is_refused = core.cluster().version == 0 && core.desk.is_refused();
            }
        }
    }
}

/// Whether somebody asked before the time was over.
async fn wait(core: &Core, until: Instant) -> bool {
    tokio::select! {
        () = core.desk.wake.notified() => true,
        () = tokio::time::sleep_until(until.into()) => false,
    }
}

fn conclude(
    core: &Core,
    ask: &Ask,
    began: Instant,
    result: Result<MetadataAnswer, BootstrapCauses>,
) {
    match result {
        Ok(answer) => {
            add(&core.network.counters.metadata_refreshes, 1);
            core.merge(&answer);
            let unreachable = core.unreachable();
            core.desk
                .plan
                .lock()
                .succeeded(ask, &core.cluster(), &unreachable, now());
            if core.desk.last_failure().is_some() {
                tracing::warn!(target: "kafkars::metadata", "metadata is there again");
            }
            core.desk.round.send_modify(|round| {
                round.failure = None;
                round.answered_began = Some(began);
            });
        }
        Err(causes) => {
            let failure = ClientError::Bootstrap(causes.clone());
            // One line for each change: a cluster may be away for hours.
            match core.desk.last_failure() {
                None => tracing::warn!(
                    target: "kafkars::metadata",
                    error = %failure,
                    "no metadata; goes on trying, and says when it succeeds"
                ),
                Some(_) => {
                    tracing::debug!(target: "kafkars::metadata", error = %failure, "still no metadata")
                }
            }
            core.desk.plan.lock().failed(ask, now());
            core.desk.round.send_modify(|round| {
                round.failure = Some(Arc::new(causes));
                round.failure_began = Some(began);
            });
        }
    }
}

/// Asks brokers that are known, then, when none of them answers, the bootstrap addresses again (KIP-899).
async fn refresh(core: &Arc<Core>, ask: &Ask) -> Result<MetadataAnswer, BootstrapCauses> {
    tracing::debug!(
        target: "kafkars::metadata",
        topics = ask.topics.len(),
        full = ask.full,
        "refresh"
    );
    let request = Arc::new(request(core, ask));
    let brokers = core.brokers_by_preference(None);
    let tries = brokers.iter().take(KNOWN_TRIES).map(|broker| {
        let (broker, request) = (Arc::clone(broker), Arc::clone(&request));
        let deadline = after(now(), core.network.config.request_timeout);
        async move { answer_of(&broker, &request, deadline).await }
    });
    let handle = core.network.tasks.handle();
    match first_success(handle, tries.collect(), OVERTAKE_AFTER).await {
        Ok(answer) => Ok(answer),
        Err(_) => bootstrap::bootstrap(core, &request).await,
    }
}

fn request(core: &Core, ask: &Ask) -> MetadataRequest {
    let topic = |name: &Arc<str>| MetadataRequestTopic {
        name: Some(name.to_string()),
        ..MetadataRequestTopic::default()
    };
    MetadataRequest {
        topics: Some(ask.topics.iter().map(topic).collect()),
        allow_auto_topic_creation: core.network.config.allow_auto_create_topics,
        ..MetadataRequest::default()
    }
}

/// One broker's answer.
pub(crate) async fn answer_of(
    broker: &Arc<Broker>,
    request: &MetadataRequest,
    deadline: Instant,
) -> Result<MetadataAnswer, BootstrapCause> {
    let failed = |cause: String| BootstrapCause::Metadata(cause.into());
    let connection = broker
        .connection(ConnectionKind::Coordinator, deadline)
        .await;
    let connection = connection.map_err(|error| match error {
        crate::error::AttemptError::Connect { cause, .. } => BootstrapCause::Connect(cause),
        other => failed(other.to_string()),
    })?;
    let api_version = connection.versions().highest::<MetadataRequest>();
    let api_version = api_version.map_err(|error| {
        BootstrapCause::Connect(crate::error::ConnectCause::Version(
            error.to_string().into(),
        ))
    })?;
    let started = connection.start_version(request, api_version, deadline);
    let answer = async { started?.await };
    let response = answer.await.map_err(|error| {
        if broker.wants_login(&error, connection.versions()) {
            BootstrapCause::Connect(crate::error::ConnectCause::Sasl(SaslFailure::Wanted))
        } else {
            failed(error.to_string())
        }
    })?;
    broker.has_answered();
    if let Err(code) = ErrorCode::check(response.error_code) {
        return Err(failed(format!("{}: {}", code.name(), code.description())));
    }
    if response.brokers.is_empty() {
        return Err(failed(
            "the broker does not know of any broker yet".to_owned(),
        ));
    }
    Ok(MetadataAnswer {
        response,
        api_version,
        connected: vec![Arc::clone(broker)],
    })
}
