//! Brokers as Python sees them: for the statistics and the error callbacks of faces.

use std::collections::BTreeMap;

use kafkars_client::Client;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error;
use crate::metrics;
use crate::pending_flag::PendingFlag;
use crate::runtime;

/// A broker's node id or None, its address, why it cannot be connected to or None, the number of that failure or None,
/// and its counters, with its traffic.
pub(crate) type BrokerStatusFields<'py> = (
    Option<i32>,
    String,
    Option<Bound<'py, PyAny>>,
    Option<u64>,
    Bound<'py, PyDict>,
);

/// Every broker, or every bootstrap address before the cluster is known.
pub(crate) fn statuses<'py>(
    py: Python<'py>,
    client: &Client,
) -> PyResult<Vec<BrokerStatusFields<'py>>> {
    let statuses = client.brokers().into_iter();
    statuses
        .map(|status| {
            let failure = status.failure.map(|failure| {
                let problem = error::client(py, &failure);
                problem.into_value(py).into_bound(py).into_any()
            });
            let counted = metrics::client(py, &status.metrics)?;
            metrics::put_traffic(&counted, &status.traffic)?;
            let address = status.address.to_string();
            Ok((
                status.node,
                address,
                failure,
                status.failure_number,
                counted,
            ))
        })
        .collect()
}

/// The lowest and the highest version of each API of the first broker that was connected to, by the API's number.
pub(crate) fn api_versions(client: &Client) -> BTreeMap<i16, (i16, i16)> {
    let versions = client.api_versions().into_iter();
    versions
        .map(|(api, range)| (api.as_i16(), (range.min, range.max)))
        .collect()
}

/// The leaders of a topic's partitions, as far as they are known: partition, node id and leader epoch.
pub(crate) fn leaders(client: &Client, topic: &str) -> Vec<(i32, i32, i32)> {
    let cluster = client.cluster();
    let Some(topic) = cluster.topic(topic) else {
        return Vec::new();
    };
    let partitions = topic.partitions.iter();
    let led = partitions.filter_map(|each| Some((each.partition, each.leader?, each.leader_epoch)));
    led.collect()
}

/// Sets a flag whenever a broker cannot be connected to, or can be again, until the client is gone. Begins to look for
/// the cluster, which otherwise starts with the first record or assignment.
pub(crate) fn watch(client: &Client, flag: PendingFlag) -> PyResult<()> {
    let mut changes = client.watch_brokers();
    runtime::handle()?.spawn(async move {
        while changes.changed().await.is_ok() {
            flag.set();
        }
    });
    Ok(())
}
