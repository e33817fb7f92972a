//! The one task of a client that asks for metadata.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use kafkars_core::refresh::{Ask, Next};
use kafkars_protocol::messages::metadata::{MetadataRequest, MetadataRequestTopic};

use super::answer::{MetadataAnswer, answer_of};
use super::bootstrap::bootstrap;
use crate::client::core::Core;
use crate::error::{BootstrapCause, BootstrapCauses, ClientError};
use crate::metrics::add;
use crate::net::{KNOWN_TRIES, OVERTAKE_AFTER, first_success};
use crate::{after, now};

/// A client that no broker has let in tries again after this time although nobody asks: whoever waits without a time
/// limit may be let in later.
const UNASKED_PAUSE: Duration = Duration::from_secs(60);

/// Refreshes metadata as the `RefreshPlan` says. Does no I/O before somebody needs metadata. After a login that was
/// refused for good the next one is tried when somebody asks again, or after a long pause: brokers lock accounts, and
/// nobody would learn of the failure.
pub(crate) async fn run(core: Arc<Core>) {
    if core.network.config.bootstrap_servers.is_empty() {
        // There is nobody to ask, ever.
        return;
    }
    let (mut is_refused, mut is_wanted) = (false, false);
    loop {
        let next = core.metadata_updater.plan.lock().next(now());
        match next {
            Next::Idle => {
                core.metadata_updater.wake.notified().await;
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
                is_refused = core.cluster().version == 0 && core.metadata_updater.is_refused();
            }
        }
    }
}

/// Returns true if somebody asked before the time was over.
async fn wait(core: &Core, until: Instant) -> bool {
    tokio::select! {
        () = core.metadata_updater.wake.notified() => true,
        () = tokio::time::sleep_until(until.into()) => false,
    }
}

fn conclude(
    core: &Core,
    ask: &Ask,
    began: Instant,
    result: Result<Vec<MetadataAnswer>, BootstrapCauses>,
) {
    match result {
        Ok(answers) => {
            add(&core.network.counters.metadata_refreshes, 1);
            for answer in &answers {
                core.merge(answer);
            }
            let unreachable = core.unreachable();
            core.metadata_updater
                .plan
                .lock()
                .succeeded(ask, &core.cluster(), &unreachable, now());
            if core.metadata_updater.round.borrow().is_told {
                tracing::warn!(target: "kafkars::metadata", client = %core.network.name, "brokers tell again where topics are");
            }
            core.metadata_updater.round.send_modify(|round| {
                round.failure = None;
                round.is_told = false;
                round.answered_began = Some(began);
            });
        }
        Err(causes) => {
            let failure = ClientError::Bootstrap(causes.clone());
            // Logs one line for each change: a cluster may be away for hours. If no address can be connected to, that
            // was logged address by address.
            let is_known =
                (causes.iter()).all(|(_, cause)| matches!(cause, BootstrapCause::Connect(_)));
            let was_told = core.metadata_updater.round.borrow().is_told;
            if was_told || is_known {
                tracing::debug!(target: "kafkars::metadata", client = %core.network.name, error = %failure, "still no broker tells where topics are");
            } else {
                tracing::warn!(
                    target: "kafkars::metadata",
                    client = %core.network.name,
                    error = %failure,
                    "no broker tells where topics are; goes on trying, and says when it succeeds"
                );
            }
            core.metadata_updater.plan.lock().failed(ask, now());
            core.metadata_updater.round.send_modify(|round| {
                round.failure = Some(Arc::new(causes));
                round.is_told = was_told || !is_known;
                round.failure_began = Some(began);
            });
        }
    }
}

/// Asks about topics that may be created by that, and about the others in a request of their own.
async fn refresh(core: &Arc<Core>, ask: &Ask) -> Result<Vec<MetadataAnswer>, BootstrapCauses> {
    let creates = core.network.config.allow_auto_create_topics
        && !core.topics_were_found.load(Ordering::Relaxed);
    let (created, others): (Vec<_>, Vec<_>) = {
        let plan = core.metadata_updater.plan.lock();
        let topics = ask.topics.iter();
        topics.partition(|topic| creates && plan.may_create(topic))
    };
    let mut answers = Vec::new();
    if !created.is_empty() {
        answers.push(refresh_some(core, ask, request(&created, true)).await?);
    }
    if !others.is_empty() || created.is_empty() {
        answers.push(refresh_some(core, ask, request(&others, false)).await?);
    }
    Ok(answers)
}

/// Asks known brokers and, if none of them answers, the bootstrap addresses again (KIP-899).
async fn refresh_some(
    core: &Arc<Core>,
    ask: &Ask,
    request: MetadataRequest,
) -> Result<MetadataAnswer, BootstrapCauses> {
    tracing::debug!(
        target: "kafkars::metadata",
        client = %core.network.name,
        topics = request.topics.as_ref().map_or(0, Vec::len),
        full = ask.full,
        "asks which brokers lead which partitions"
    );
    let request = Arc::new(request);
    let brokers = core.brokers_by_preference(None);
    let tries = brokers.iter().take(KNOWN_TRIES).map(|broker| {
        let (broker, request) = (Arc::clone(broker), Arc::clone(&request));
        let deadline = after(now(), core.network.config.request_timeout);
        async move { answer_of(&broker, &request, deadline).await }
    });
    let handle = core.network.tasks.handle();
    match first_success(handle, tries.collect(), OVERTAKE_AFTER).await {
        Ok(answer) => Ok(answer),
        Err(_) => bootstrap(core, &request).await,
    }
}

fn request(topics: &[&Arc<str>], creates: bool) -> MetadataRequest {
    let topic = |name: &&Arc<str>| MetadataRequestTopic {
        name: Some(name.to_string()),
        ..MetadataRequestTopic::default()
    };
    MetadataRequest {
        topics: Some(topics.iter().map(topic).collect()),
        allow_auto_topic_creation: creates,
        ..MetadataRequest::default()
    }
}
