//! What a client knows of each broker, for monitoring.

use std::collections::HashMap;
use std::sync::Arc;

use super::core::Core;
use crate::broker_traffic::BrokerTraffic;
use crate::error::{AttemptError, ClientError};
use crate::metrics::ClientMetrics;
use crate::net::{Broker, split_address};

/// The state of one broker, or of one bootstrap address.
#[derive(Debug, Clone)]
pub struct BrokerStatus {
    /// Its node id; `None` for a bootstrap address.
    pub node: Option<i32>,
    /// `host:port`.
    pub address: Arc<str>,
    /// Why the last try to connect failed, if it did.
    pub failure: Option<ClientError>,
    /// The number of that try among the client's failed ones, by which it is told from earlier ones.
    pub failure_number: Option<u64>,
    /// Counters of its connections; all zero for a bootstrap address.
    pub metrics: ClientMetrics,
    /// What has gone over its connections; nothing for a bootstrap address.
    pub traffic: BrokerTraffic,
}

impl Core {
    pub(super) fn broker_statuses(&self) -> Vec<BrokerStatus> {
        let reachability = &self.network.reachability;
        let status = |node, address: Arc<str>, (metrics, traffic)| {
            let failure = reachability.failure(&address);
            BrokerStatus {
                node,
                failure_number: failure.as_ref().map(|failure| failure.number),
                failure: failure.map(|failure| {
                    ClientError::Attempt(AttemptError::Connect {
                        address: Arc::clone(&address),
                        cause: failure.cause,
                    })
                }),
                address,
                metrics,
                traffic,
            }
        };
        let cluster = self.cluster();
        if cluster.version == 0 {
            let servers = self.network.config.bootstrap_servers.iter();
            let addresses = servers.filter_map(|server| split_address(server).ok());
            return addresses
                .map(|(host, port)| {
                    let address = format!("{host}:{port}").into();
                    status(None, address, Default::default())
                })
                .collect();
        }
        let counted = |(node, broker): (&i32, &Arc<Broker>)| {
            // The traffic is counted last, so it is read first: no more answers have a time than there are answers.
            let traffic = broker.traffic();
            (*node, (broker.metrics(), traffic))
        };
        let mut counted: HashMap<i32, (ClientMetrics, BrokerTraffic)> =
            self.brokers.read().iter().map(counted).collect();
        let nodes = cluster.brokers().map(|node| {
            let address = format!("{}:{}", node.host, node.port).into();
            let counted = counted.remove(&node.id).unwrap_or_default();
            status(Some(node.id), address, counted)
        });
        nodes.collect()
    }
}
