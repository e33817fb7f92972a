//! The embedded broker as a Python object.

use std::time::Duration;

use kafkars_broker::{Action, BrokerConfig, BrokerError, EmbeddedBroker, Intercept, NewTopic};
use kafkars_protocol::{ApiKey, ErrorCode};
use parking_lot::Mutex;
use pyo3::prelude::*;

use crate::error;
use crate::runtime::Birthplace;

/// An in-memory Kafka cluster in this process, reachable over TCP.
#[pyclass(name = "EmbeddedBroker", module = "kafkars._kafkars", frozen, subclass)]
pub(crate) struct PyEmbeddedBroker {
    // Guards the broker; none once it is stopped. Calls on it are quick, except stopping, which happens outside.
    broker: Mutex<Option<EmbeddedBroker>>,
    addresses: String,
    birthplace: Birthplace,
}

/// A topic as Python gives it: name, partitions, settings.
type TopicArguments = (String, Option<i32>, Vec<(String, String)>);

#[pymethods]
impl PyEmbeddedBroker {
    #[new]
    #[pyo3(signature = (
        *, nodes=1, port=0, topics=Vec::new(), auto_create_topics=true, default_partitions=1,
        topic_defaults=Vec::new(), advertised_host=None, advertised_port=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "settings by name")]
    fn new(
        py: Python<'_>,
        nodes: u16,
        port: u16,
        topics: Vec<TopicArguments>,
        auto_create_topics: bool,
        default_partitions: i32,
        topic_defaults: Vec<(String, String)>,
        advertised_host: Option<String>,
        advertised_port: Option<u16>,
    ) -> PyResult<Self> {
        let config = BrokerConfig {
            nodes,
            port,
            topics: topics.into_iter().map(topic).collect(),
            auto_create_topics,
            default_partitions,
            topic_defaults,
            advertised_host,
            advertised_port,
            ..BrokerConfig::default()
        };
        let broker = py
            .detach(|| EmbeddedBroker::start(config))
            .map_err(|failure| error::embedded_broker(&failure))?;
        Ok(Self {
            addresses: broker.bootstrap_servers(),
            broker: Mutex::new(Some(broker)),
            birthplace: Birthplace::here(),
        })
    }

    /// Where its nodes listen: `host:port,host:port`.
    #[getter]
    fn bootstrap_servers(&self) -> &str {
        &self.addresses
    }

    /// Creates a topic, as an administrator would.
    fn _create_topic(
        &self,
        name: String,
        partitions: Option<i32>,
        configs: Vec<(String, String)>,
    ) -> PyResult<()> {
        self.with(|broker| broker.create_topic(&topic((name, partitions, configs))))
    }

    /// Names of its topics, in alphabetical order.
    fn topics(&self) -> PyResult<Vec<String>> {
        self.with(|broker| Ok(broker.topics()))
    }

    /// First offset and next offset of a partition.
    fn offsets(&self, topic: &str, partition: i32) -> PyResult<(i64, i64)> {
        self.with(|broker| broker.offsets(topic, partition))
    }

    /// Id of the node that leads a partition.
    fn leader(&self, topic: &str, partition: i32) -> PyResult<i32> {
        self.with(|broker| broker.leader(topic, partition))
    }

    /// Gives a partition to another node, under a new leader epoch.
    fn move_leader(&self, topic: &str, partition: i32, node: i32) -> PyResult<()> {
        self.with(|broker| broker.move_leader(topic, partition, node))
    }

    /// Sets a fault for requests of one API: see `kafkars.testing.EmbeddedBroker.intercept`.
    fn _intercept(
        &self,
        api: &str,
        action: &str,
        argument: f64,
        times: Option<u32>,
        node: Option<i32>,
    ) -> PyResult<()> {
        let Some(api) = ApiKey::ALL
            .iter()
            .copied()
            .find(|known| known.name().eq_ignore_ascii_case(api))
        else {
            return Err(error::argument(format!(
                "{api:?} is not the name of a Kafka API"
            )));
        };
        let action = match action {
            "delay" => Action::Delay(Duration::from_secs_f64(argument.clamp(0.0, 3_600.0))),
            "drop" => Action::Drop,
            "disconnect" => Action::Disconnect,
            "disconnect_after" => Action::DisconnectAfter,
            name => match ErrorCode::ALL
                .iter()
                .copied()
                .find(|code| code.name() == name)
            {
                Some(code) => Action::Error(code),
                None => {
                    return Err(error::argument(format!(
                        "{name:?} is neither an action nor an error code"
                    )));
                }
            },
        };
        let mut intercept = Intercept::new(api, action);
        if let Some(times) = times {
            intercept = intercept.times(times);
        }
        if let Some(node) = node {
            intercept = intercept.node(node);
        }
        self.with(|broker| {
            broker.intercept(intercept);
            Ok(())
        })
    }

    /// Ends it; what it held is gone.
    fn stop(&self, py: Python<'_>) {
        let broker = self.broker.lock().take();
        py.detach(|| self.end(broker));
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
    fn with<T>(&self, call: impl FnOnce(&EmbeddedBroker) -> Result<T, BrokerError>) -> PyResult<T> {
        self.birthplace.check()?;
        let broker = self.broker.lock();
        let answer = broker.as_ref().ok_or(BrokerError::Stopped).and_then(call);
        drop(broker);
        answer.map_err(|failure| error::embedded_broker(&failure))
    }

    /// In a forked child the threads to stop are in the parent, and waiting for them would not end.
    fn end(&self, broker: Option<EmbeddedBroker>) {
        if self.birthplace.is_elsewhere() {
            std::mem::forget(broker);
        }
    }
}

impl Drop for PyEmbeddedBroker {
    fn drop(&mut self) {
        let broker = self.broker.get_mut().take();
        self.end(broker);
    }
}

fn topic((name, partitions, configs): TopicArguments) -> NewTopic {
    NewTopic {
        name,
        partitions,
        configs,
        ..NewTopic::default()
    }
}
