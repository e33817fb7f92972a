//! Metrics as dicts, whose keys are the names of the fields.

use kafkars_client::{BrokerTraffic, ClientMetrics, ConsumerMetrics, ProducerMetrics};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Puts fields of a struct into a dict. The pattern names every field, so a new counter does not compile until it is
/// here.
macro_rules! put {
    ($dict:expr, $metrics:expr, $type:ident { $($field:ident),* $(,)? }) => {{
        let $type { $($field),* } = $metrics;
        $($dict.set_item(stringify!($field), $field)?;)*
    }};
}

/// Counters of a producer, with those of its connections under `"client"`.
pub(crate) fn producer<'py>(
    py: Python<'py>,
    metrics: &ProducerMetrics,
    connections: &ClientMetrics,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    put!(
        dict,
        metrics,
        ProducerMetrics {
            records_sent,
            records_failed,
            batches_sent,
            bytes_sent,
            bytes_uncompressed,
            retries,
            unacknowledged,
            buffer_used,
        }
    );
    dict.set_item("client", client(py, connections)?)?;
    Ok(dict)
}

/// Counters of a consumer, with those of its connections under `"client"`.
pub(crate) fn consumer<'py>(
    py: Python<'py>,
    metrics: &ConsumerMetrics,
    connections: &ClientMetrics,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    put!(
        dict,
        metrics,
        ConsumerMetrics {
            records_consumed,
            bytes_fetched,
            fetches,
            buffered_bytes,
            assigned,
        }
    );
    dict.set_item("client", client(py, connections)?)?;
    Ok(dict)
}

/// Counters of an administrator: those of its connections under `"client"`.
pub(crate) fn admin<'py>(
    py: Python<'py>,
    connections: &ClientMetrics,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("client", client(py, connections)?)?;
    Ok(dict)
}

/// Adds what has gone to a broker and come from it.
pub(crate) fn put_traffic(dict: &Bound<'_, PyDict>, traffic: &BrokerTraffic) -> PyResult<()> {
    let requests = PyDict::new(dict.py());
    for (api, count) in &traffic.requests {
        requests.set_item(api.name(), count)?;
    }
    dict.set_item("requests", requests)?;
    dict.set_item("round_trips", &traffic.round_trips)?;
    let seconds = |since: Option<std::time::Duration>| since.map(|since| since.as_secs_f64());
    dict.set_item("since_request", seconds(traffic.since_request))?;
    dict.set_item("since_answer", seconds(traffic.since_answer))
}

/// Counters of a client's connections.
pub(crate) fn client<'py>(
    py: Python<'py>,
    metrics: &ClientMetrics,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    put!(
        dict,
        metrics,
        ClientMetrics {
            requests_sent,
            responses_received,
            bytes_sent,
            bytes_received,
            requests_in_flight,
            requests_timed_out,
            connections_made,
            connections_open,
            connections_failed,
            metadata_refreshes,
            throttle_time_ms,
        }
    );
    Ok(dict)
}
