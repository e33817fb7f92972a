//! Bootstrapping: from the addresses in the settings to a cluster.
//!
//! Addresses are tried in random order; the next one starts when one has failed or is slow. An address leads to the
//! cluster only if one of its brokers can then be reached at the listener it advertises: `advertised.listeners` that
//! only make sense inside the brokers' own network are the most common trap, and without this check they would show as
//! endless time-outs.

use std::sync::Arc;
use std::time::Duration;

use kafkars_protocol::messages::metadata::{MetadataRequest, MetadataResponseBroker};

use super::answer::{MetadataAnswer, answer_of};
use super::bootstrap_progress::{BootstrapProgress, BootstrapStage};
use crate::client::core::Core;
use crate::error::{AttemptError, BootstrapCause, BootstrapCauses, ConnectCause};
use crate::net::{Broker, ConnectionKind, first_success, split_address};
use crate::{after, now};

/// When an address has not answered for this long, the next one is tried beside it.
const OVERTAKE_AFTER: Duration = Duration::from_millis(250);

/// Tries every address once.
pub(super) async fn bootstrap(
    core: &Arc<Core>,
    request: &Arc<MetadataRequest>,
) -> Result<MetadataAnswer, BootstrapCauses> {
    let config = &core.network.config;
    let mut servers: Vec<Arc<str>> = config
        .bootstrap_servers
        .iter()
        .map(|server| server.as_str().into())
        .collect();
    *core.metadata_updater.progress.lock() = BootstrapProgress::new(&servers);
    core.network.random.lock().shuffle(&mut servers);
    let tries = servers.into_iter().map(|server| {
        let (core, request) = (Arc::clone(core), Arc::clone(request));
        async move {
            let result = try_address(&core, &server, &request).await;
            if let Err(cause) = &result {
                core.metadata_updater
                    .progress
                    .lock()
                    .note(&server, BootstrapStage::Failed(cause.clone()));
            }
            result
        }
    });
    let handle = core.network.tasks.handle();
    let result = first_success(handle, tries.collect(), OVERTAKE_AFTER).await;
    result.map_err(|_| core.metadata_updater.progress.lock().causes(Duration::ZERO))
}

async fn try_address(
    core: &Arc<Core>,
    server: &str,
    request: &MetadataRequest,
) -> Result<MetadataAnswer, BootstrapCause> {
    let (host, port) = split_address(server)?;
    let broker = Broker::new(Arc::clone(&host), port, Arc::clone(&core.network));
    core.metadata_updater
        .progress
        .lock()
        .note(server, BootstrapStage::Asking(Arc::clone(&broker)));
    let deadline = after(now(), core.network.config.request_timeout);
    let mut answer = answer_of(&broker, request, deadline).await?;
    let listens_there =
        |node: &MetadataResponseBroker| *node.host == *host && node.port == i32::from(port);
    if answer.response.brokers.iter().any(listens_there) {
        return Ok(answer);
    }
    let reached = reach(core, server, &answer.response.brokers).await?;
    answer.connected.push(reached);
    Ok(answer)
}

/// Connects to any of the brokers at the listener it advertises.
async fn reach(
    core: &Arc<Core>,
    server: &str,
    nodes: &[MetadataResponseBroker],
) -> Result<Arc<Broker>, BootstrapCause> {
    let broker = |node: &MetadataResponseBroker| {
        let port = u16::try_from(node.port).unwrap_or(0);
        Broker::new(node.host.as_str().into(), port, Arc::clone(&core.network))
    };
    let mut brokers: Vec<Arc<Broker>> = nodes.iter().map(broker).collect();
    core.network.random.lock().shuffle(&mut brokers);
    core.metadata_updater
        .progress
        .lock()
        .note(server, BootstrapStage::Reaching(brokers.clone()));
    let deadline = after(now(), core.network.config.request_timeout);
    let tries = brokers.iter().map(|broker| {
        let broker = Arc::clone(broker);
        async move {
            match broker
                .connection(ConnectionKind::Coordinator, deadline)
                .await
            {
                Ok(_) => Ok(broker),
                Err(error) => Err((Arc::clone(broker.address()), connect_cause(error))),
            }
        }
    });
    let handle = core.network.tasks.handle();
    let result = first_success(handle, tries.collect(), OVERTAKE_AFTER).await;
    result.map_err(|causes| {
        let causes = causes.into_iter().map(|(_, cause)| cause);
        BootstrapCause::AdvertisedListeners(causes.collect())
    })
}

fn connect_cause(error: AttemptError) -> ConnectCause {
    match error {
        AttemptError::Connect { cause, .. } => cause,
        other => ConnectCause::Io(other.to_string().into()),
    }
}
