//! The embedded broker as a Python object.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use kafkars_broker::{
    CoordinatorType, EmbeddedBroker, EmbeddedBrokerError, InterceptId, LinkSettings, NodeState,
};
use parking_lot::Mutex;
use pyo3::prelude::*;

use crate::error;
use crate::runtime::ForkGuard;
use crate::secret_text::SecretText;

mod faults;
mod requests;
mod security;
mod settings;

pub(crate) use requests::PySeenRequest;
pub(crate) use security::{PyCertificateAuthority, PyMadeCertificate};
use settings::{Settings, TopicArguments, topic};

/// An in-memory Kafka cluster in this process, reachable over TCP.
#[pyclass(name = "EmbeddedBroker", module = "kafkars._kafkars", frozen, subclass)]
pub(crate) struct PyEmbeddedBroker {
    // Guards the reference; `None` once the broker is stopped. Never held during a call of the broker.
    broker: Mutex<Option<Arc<EmbeddedBroker>>>,
    addresses: String,
    fork_guard: ForkGuard,
}

#[pymethods]
impl PyEmbeddedBroker {
    #[new]
    fn new(py: Python<'_>, settings: Settings) -> PyResult<Self> {
        let config = settings.into_config()?;
        let broker = py
            .detach(|| EmbeddedBroker::start(config))
            .map_err(|failure| error::embedded_broker(&failure))?;
        Ok(Self {
            addresses: broker.bootstrap_servers(),
            broker: Mutex::new(Some(Arc::new(broker))),
            fork_guard: ForkGuard::here(),
        })
    }

    /// The addresses of the nodes, for `bootstrap_servers`: `host:port,host:port`.
    #[getter]
    fn bootstrap_servers(&self) -> String {
        let broker = self.broker.lock();
        let now = broker.as_ref().map(|broker| broker.bootstrap_servers());
        now.unwrap_or_else(|| self.addresses.clone())
    }

    /// The cluster's id.
    #[getter]
    fn cluster_id(&self) -> PyResult<String> {
        self.with(|broker| Ok(broker.cluster_id().to_owned()))
    }

    /// The addresses of the nodes at one of several listeners.
    fn _bootstrap_servers_of(&self, listener: &str) -> PyResult<String> {
        self.with(|broker| broker.bootstrap_servers_of(listener))
    }

    /// The names and protocols of the listeners.
    fn _listeners(&self) -> PyResult<Vec<(String, &'static str)>> {
        self.with(|broker| {
            let listeners = broker.listeners().into_iter();
            Ok(listeners
                .map(|(name, protocol)| (name, protocol.name()))
                .collect())
        })
    }

    fn _add_user(&self, py: Python<'_>, name: String, password: SecretText) -> PyResult<()> {
        let user = security::user((name, password));
        self.with_detached(py, |broker| broker.add_user(&user))
    }

    fn _remove_user(&self, name: &str) -> PyResult<bool> {
        self.with(|broker| broker.remove_user(name))
    }

    fn _add_acl(&self, rule: security::RuleArguments) -> PyResult<()> {
        let rule = security::rule(rule)?;
        self.with(|broker| broker.add_acl(rule))
    }

    fn _remove_acl(&self, rule: security::RuleArguments) -> PyResult<bool> {
        let rule = security::rule(rule)?;
        self.with(|broker| broker.remove_acl(&rule))
    }

    fn _acls(&self) -> PyResult<Vec<security::RuleArguments>> {
        let rules = self.with(|broker| broker.acls())?;
        Ok(rules.into_iter().map(security::rule_arguments).collect())
    }

    /// Creates a topic, as an administrator would.
    fn _create_topic(
        &self,
        name: String,
        partitions: Option<i64>,
        replication_factor: Option<i64>,
        configs: Vec<(String, String)>,
    ) -> PyResult<()> {
        let arguments: TopicArguments = (name, partitions, replication_factor, configs);
        let topic = topic(arguments)?;
        self.with(|broker| broker.create_topic(&topic))
    }

    /// The names of the topics, in alphabetical order.
    fn topics(&self) -> PyResult<Vec<String>> {
        self.with(|broker| Ok(broker.topics()))
    }

    /// The first and the next offset of a partition.
    ///
    /// Args:
    ///     topic: The topic's name.
    ///     partition: The partition's number.
    ///
    /// Raises:
    ///     InvalidPartitionError: The partition does not exist.
    fn offsets(&self, topic: &str, partition: i32) -> PyResult<(i64, i64)> {
        self.with(|broker| broker.offsets(topic, partition))
    }

    /// Id of the node that leads a partition; -1 while none can.
    ///
    /// Args:
    ///     topic: The topic's name.
    ///     partition: The partition's number.
    ///
    /// Raises:
    ///     InvalidPartitionError: The partition does not exist.
    fn leader(&self, topic: &str, partition: i32) -> PyResult<i32> {
        self.with(|broker| broker.leader(topic, partition))
    }

    /// Makes another node the leader of a partition, with a new leader epoch.
    ///
    /// Args:
    ///     topic: The topic's name.
    ///     partition: The partition's number.
    ///     node: Id of the new leader.
    ///
    /// Raises:
    ///     InvalidPartitionError: The partition does not exist.
    ///     InvalidArgumentError: The node does not exist.
    fn move_leader(&self, topic: &str, partition: i32, node: i32) -> PyResult<()> {
        self.with(|broker| broker.move_leader(topic, partition, node))
    }

    /// The id of the node that coordinates a group or transactional id; None while none can.
    fn _coordinator(&self, kind: &str, key: &str) -> PyResult<Option<i32>> {
        let kind = coordinator_kind(kind)?;
        self.with(|broker| broker.coordinator(kind, key))
    }

    /// Moves a coordinator to another node.
    fn _move_coordinator(&self, kind: &str, key: &str, node: i32) -> PyResult<()> {
        let kind = coordinator_kind(kind)?;
        self.with(|broker| broker.move_coordinator(kind, key, node))
    }

    /// The ids of all nodes, including those that are stopped.
    #[getter]
    fn nodes(&self) -> PyResult<Vec<i32>> {
        self.with(|broker| Ok(broker.nodes()))
    }

    /// The address of a node: `host:port`.
    ///
    /// Args:
    ///     node: The node's id; 1 for the first.
    ///
    /// Raises:
    ///     InvalidArgumentError: The node does not exist.
    fn address(&self, node: i32) -> PyResult<String> {
        self.with(|broker| {
            let address = broker.address(node).map(|address| address.to_string());
            address.ok_or(EmbeddedBrokerError::UnknownNode(node))
        })
    }

    /// The state of a node: "running", "paused" or "stopped".
    ///
    /// Args:
    ///     node: The node's id; 1 for the first.
    ///
    /// Raises:
    ///     InvalidArgumentError: The node does not exist.
    fn node_state(&self, node: i32) -> PyResult<&'static str> {
        self.with(|broker| {
            Ok(match broker.node_state(node)? {
                NodeState::Running => "running",
                NodeState::Paused => "paused",
                NodeState::Stopped => "stopped",
            })
        })
    }

    fn _add_node(&self, py: Python<'_>) -> PyResult<i32> {
        self.with_detached(py, EmbeddedBroker::add_node)
    }

    fn _steer_node(&self, py: Python<'_>, action: &str, node: i32) -> PyResult<()> {
        let call = match action {
            "stop" => EmbeddedBroker::stop_node,
            "kill" => EmbeddedBroker::kill_node,
            "start" => EmbeddedBroker::start_node,
            "restart" => EmbeddedBroker::restart_node,
            "pause" => EmbeddedBroker::pause_node,
            "fence" => EmbeddedBroker::fence_node,
            other => return Err(error::argument(format!("nodes cannot {other:?}"))),
        };
        self.with_detached(py, |broker| call(broker, node))
    }

    /// Closes every connection of one node, or of all; the nodes keep running.
    ///
    /// Args:
    ///     node: The node's id; None for all.
    ///
    /// Raises:
    ///     InvalidArgumentError: The node does not exist.
    #[pyo3(signature = (node=None))]
    fn cut_connections(&self, node: Option<i32>) -> PyResult<()> {
        self.with(|broker| broker.cut_connections(node))
    }

    fn _slow_down(
        &self,
        node: Option<i32>,
        latency: f64,
        bytes_per_second: Option<u64>,
    ) -> PyResult<()> {
        let Ok(latency) = Duration::try_from_secs_f64(latency) else {
            return Err(error::argument(format!(
                "{latency} is not a number of seconds"
            )));
        };
        let link = LinkSettings {
            latency,
            bytes_per_second,
        };
        self.with(|broker| broker.set_link(node, link))
    }

    /// Kafka's name of an API, however it is spelled.
    #[staticmethod]
    fn _api_name(name: &str) -> PyResult<&'static str> {
        Ok(faults::api(name)?.name())
    }

    /// Sets a fault and returns its number.
    fn _intercept(&self, fault: faults::Fault) -> PyResult<u64> {
        let intercept = fault.into_intercept()?;
        self.with(|broker| Ok(broker.intercept(intercept).number()))
    }

    fn _remove_fault(&self, number: u64) -> PyResult<bool> {
        self.with(|broker| Ok(broker.remove_intercept(InterceptId::from_number(number))))
    }

    fn _fault_hits(&self, number: u64) -> PyResult<u64> {
        self.with(|broker| Ok(broker.intercept_hits(InterceptId::from_number(number))))
    }

    /// Removes all faults.
    fn clear_faults(&self) -> PyResult<()> {
        self.with(|broker| {
            broker.clear_intercepts();
            Ok(())
        })
    }

    fn _requests(&self) -> PyResult<Vec<PySeenRequest>> {
        self.with(|broker| {
            Ok(broker
                .requests_seen()
                .into_iter()
                .map(PySeenRequest)
                .collect())
        })
    }

    /// Forgets the requests seen so far.
    fn forget_requests(&self) -> PyResult<()> {
        self.with(|broker| {
            broker.forget_requests_seen();
            Ok(())
        })
    }

    /// Waits for at most 50 ms until there have been more requests than `known`; returns how many there have been.
    fn _wait_for_requests(&self, py: Python<'_>, known: u64) -> PyResult<u64> {
        py.check_signals()?;
        self.with_detached(py, |broker| Ok(broker.wait_for_requests(known)))
    }

    /// Deletes what retention no longer keeps of a topic, or of all; gives how many offsets are gone.
    #[pyo3(signature = (topic=None))]
    fn run_retention(&self, py: Python<'_>, topic: Option<&str>) -> PyResult<u64> {
        self.with_detached(py, |broker| broker.run_retention(topic))
    }

    /// Compacts a topic, or all; gives how many records are gone.
    #[pyo3(signature = (topic=None))]
    fn compact(&self, py: Python<'_>, topic: Option<&str>) -> PyResult<u64> {
        self.with_detached(py, |broker| broker.compact(topic))
    }

    fn _set_quota(&self, name: &str, value: Option<f64>, client_id: Option<&str>) -> PyResult<()> {
        self.with(|broker| broker.set_quota(client_id, name, value))
    }

    fn _set_connection_rate(&self, value: Option<f64>, address: Option<IpAddr>) -> PyResult<()> {
        self.with(|broker| broker.set_connection_rate(address, value))
    }

    fn _now_ms(&self) -> PyResult<i64> {
        self.with(|broker| Ok(broker.clock().now()))
    }

    fn _advance_clock(&self, seconds: f64) -> PyResult<()> {
        let Ok(by) = Duration::try_from_secs_f64(seconds) else {
            let message =
                format!("{seconds} is not a number of seconds a clock can be advanced by");
            return Err(error::argument(message));
        };
        self.with(|broker| {
            broker.clock().advance(by);
            Ok(())
        })
    }

    fn _freeze_clock(&self, frozen: bool) -> PyResult<()> {
        self.with(|broker| {
            let clock = broker.clock();
            if frozen {
                clock.freeze()
            } else {
                clock.unfreeze()
            }
            Ok(())
        })
    }

    fn _clock_is_frozen(&self) -> PyResult<bool> {
        self.with(|broker| Ok(broker.clock().is_frozen()))
    }

    /// Ends it; what it held is gone.
    fn stop(&self, py: Python<'_>) {
        let broker = self.broker.lock().take();
        py.detach(|| self.end(broker));
    }

    /// True if nothing is left to stop.
    #[getter]
    fn _is_stopped(&self) -> bool {
        self.fork_guard.is_elsewhere() || self.broker.lock().is_none()
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, py: Python<'_>, _exception: &Bound<'_, pyo3::types::PyTuple>) {
        self.stop(py);
    }

    fn __repr__(&self) -> String {
        match *self.broker.lock() {
            Some(_) => format!("<EmbeddedBroker at {}>", self.addresses),
            None => "<EmbeddedBroker stopped>".to_owned(),
        }
    }
}

impl PyEmbeddedBroker {
    /// Makes a call that does not wait.
    fn with<T>(
        &self,
        call: impl FnOnce(&EmbeddedBroker) -> Result<T, EmbeddedBrokerError>,
    ) -> PyResult<T> {
        let broker = self.running()?;
        call(&broker).map_err(|failure| error::embedded_broker(&failure))
    }

    /// Makes a call that waits for the broker's thread, detached, because that may wait for the interpreter: predicates
    /// of faults are Python functions.
    fn with_detached<T: Send>(
        &self,
        py: Python<'_>,
        call: impl FnOnce(&EmbeddedBroker) -> Result<T, EmbeddedBrokerError> + Send,
    ) -> PyResult<T> {
        let broker = self.running()?;
        let answer = py.detach(|| call(&broker));
        answer.map_err(|failure| error::embedded_broker(&failure))
    }

    fn running(&self) -> PyResult<Arc<EmbeddedBroker>> {
        self.fork_guard.check()?;
        let broker = self.broker.lock().clone();
        broker.ok_or_else(|| error::embedded_broker(&EmbeddedBrokerError::Stopped))
    }

    /// Stops the broker. Not in a forked child, where its threads are missing, so that waiting for them would not end.
    fn end(&self, broker: Option<Arc<EmbeddedBroker>>) {
        if self.fork_guard.is_elsewhere() {
            std::mem::forget(broker);
        } else if let Some(broker) = broker {
            broker.stop();
        }
    }
}

impl Drop for PyEmbeddedBroker {
    fn drop(&mut self) {
        let mut broker = self.broker.get_mut().take();
        // Detached, because the broker's thread may be in the predicate of a fault, and need the interpreter to end.
        Python::try_attach(|py| py.detach(|| self.end(broker.take())));
        self.end(broker);
    }
}

fn coordinator_kind(name: &str) -> PyResult<CoordinatorType> {
    match name {
        "group" => Ok(CoordinatorType::Group),
        "transaction" => Ok(CoordinatorType::Transaction),
        "share" => Ok(CoordinatorType::Share),
        other => Err(error::argument(format!(
            "{other:?} is not a kind of coordinator"
        ))),
    }
}
