//! The progress of bootstrapping, for errors that are raised meanwhile.

use std::sync::Arc;
use std::time::Duration;

use kafkars_protocol::ApiKey;

use crate::error::{BootstrapCause, BootstrapCauses, ConnectCause};
use crate::net::Broker;

/// The stage that each bootstrap address has reached.
#[derive(Debug, Default)]
pub(super) struct BootstrapProgress(Vec<(Arc<str>, BootstrapStage)>);

/// The stage of one bootstrap address.
#[derive(Debug)]
pub(super) enum BootstrapStage {
    Waiting,
    Asking(Arc<Broker>),
    /// Metadata has come; a connection to one of these brokers is being made.
    Reaching(Vec<Arc<Broker>>),
    Failed(BootstrapCause),
}

impl BootstrapProgress {
    /// Begins a round over these addresses.
    pub(super) fn new(servers: &[Arc<str>]) -> Self {
        let waiting = servers
            .iter()
            .map(|server| (Arc::clone(server), BootstrapStage::Waiting));
        Self(waiting.collect())
    }

    /// The causes so far. An address that is being tried has not answered for `waited`.
    pub(super) fn causes(&self, waited: Duration) -> BootstrapCauses {
        let cause = |stage: &BootstrapStage| match stage {
            BootstrapStage::Waiting => ConnectCause::TimedOut(waited).into(),
            BootstrapStage::Asking(broker) => {
                match broker.unanswered(&|api| api == ApiKey::Metadata) {
                    Some(silence) => BootstrapCause::Metadata(silence.to_string().into()),
                    None => broker.present_cause(waited).into(),
                }
            }
            BootstrapStage::Reaching(brokers) => unreachable_listeners(brokers, waited),
            BootstrapStage::Failed(cause) => cause.clone(),
        };
        let addresses = self.0.iter();
        addresses
            .map(|(address, stage)| (Arc::clone(address), cause(stage)))
            .collect()
    }

    pub(super) fn note(&mut self, address: &str, stage: BootstrapStage) {
        let entry = self.0.iter_mut().find(|(known, _)| **known == *address);
        if let Some(entry) = entry {
            entry.1 = stage;
        }
    }
}

fn unreachable_listeners(brokers: &[Arc<Broker>], waited: Duration) -> BootstrapCause {
    let cause = |broker: &Arc<Broker>| (Arc::clone(broker.address()), broker.present_cause(waited));
    BootstrapCause::AdvertisedListeners(brokers.iter().map(cause).collect())
}
