//! Faults of the embedded broker, from their Python arguments.

use std::time::Duration;

use kafkars_broker::{Corruption, FaultAction, Intercept, SeenRequest};
use kafkars_protocol::{ApiKey, ErrorCode};
use pyo3::prelude::*;

use super::requests::PySeenRequest;
use crate::error;
use crate::imports::NEAREST_NAME;

/// The arguments of `kafkars.testing.EmbeddedBroker.intercept`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Fault {
    api: Option<String>,
    action: String,
    seconds: f64,
    position: usize,
    length: i32,
    times: Option<u32>,
    node: Option<i32>,
    when: Option<Py<PyAny>>,
}

impl Fault {
    pub(crate) fn into_intercept(self) -> PyResult<Intercept> {
        let action = self.action()?;
        let mut intercept = match &self.api {
            Some(name) => Intercept::new(api(name)?, action),
            None => Intercept::any(action),
        };
        if self.times == Some(0) {
            return Err(error::argument("times: a fault for 0 requests is none"));
        }
        if let Some(times) = self.times {
            intercept = intercept.times(times);
        }
        if let Some(node) = self.node {
            intercept = intercept.node(node);
        }
        if let Some(when) = self.when {
            intercept = intercept.when(move |request| accepts(&when, request));
        }
        Ok(intercept)
    }

    fn action(&self) -> PyResult<FaultAction> {
        let Ok(delay) = Duration::try_from_secs_f64(self.seconds) else {
            let message = format!("{} is not a number of seconds", self.seconds);
            return Err(error::argument(message));
        };
        Ok(match self.action.as_str() {
            "delay" => FaultAction::Delay(delay),
            "drop" => FaultAction::Drop,
            "disconnect" => FaultAction::Disconnect,
            "disconnect_after" => FaultAction::DisconnectAfter,
            "flip_byte" => FaultAction::Corrupt(Corruption::FlipByte(self.position)),
            "wrong_length" => FaultAction::Corrupt(Corruption::Length(self.length)),
            "truncate" => FaultAction::Corrupt(Corruption::Truncate(self.position)),
            "wrong_correlation_id" => FaultAction::Corrupt(Corruption::CorrelationId),
            name => match error_code(name) {
                Some(code) => FaultAction::Error(code),
                None => return Err(no_action(name)),
            },
        })
    }
}

/// The error code of this name, or of this number: a newer broker has codes for which the client has no name.
fn error_code(name: &str) -> Option<ErrorCode> {
    let named = ErrorCode::ALL.iter().find(|code| code.name() == name);
    let numbered = || Some(ErrorCode::from_i16(name.parse().ok()?));
    named.copied().or_else(numbered)
}

/// The API of this name, in any case.
pub(crate) fn api(name: &str) -> PyResult<ApiKey> {
    let known = ApiKey::ALL.iter().copied();
    let mut found = known.filter(|api| api.name().eq_ignore_ascii_case(name));
    found.next().ok_or_else(|| {
        let names: Vec<_> = ApiKey::ALL.iter().map(|api| api.name()).collect();
        let likely = hint(&[(name, &names)]);
        let known = names.join(", ");
        error::argument(format!(
            "api: {name:?} is not the name of a Kafka API{likely}; there are {known}"
        ))
    })
}

/// What can happen to a request, besides being answered with an error.
const ACTIONS: [&str; 8] = [
    "delay",
    "drop",
    "disconnect",
    "disconnect_after",
    "flip_byte",
    "wrong_length",
    "truncate",
    "wrong_correlation_id",
];

#[cold]
fn no_action(name: &str) -> PyErr {
    let codes: Vec<_> = ErrorCode::ALL.iter().map(|code| code.name()).collect();
    let (lower, upper) = (name.to_ascii_lowercase(), name.to_ascii_uppercase());
    let likely = hint(&[(&lower, &ACTIONS), (&upper, &codes)]);
    let actions = ACTIONS.join(", ");
    error::argument(format!(
        "action: {name:?} is neither an action nor an error code{likely}; actions are {actions}, and every error \
         code of Kafka by its name, class or number (kafkars.errors)"
    ))
}

/// A hint at the name that was probably meant, for the first of `tries` that a known name is similar to, as for
/// misspelled settings.
fn hint(tries: &[(&str, &[&str])]) -> String {
    let nearest = |py: Python<'_>| -> PyResult<Option<String>> {
        let nearest = NEAREST_NAME.get(py)?;
        for (name, known) in tries {
            let near = nearest.call1((*name, known.to_vec()))?;
            if !near.is_none() {
                return near.extract().map(Some);
            }
        }
        Ok(None)
    };
    let near = Python::attach(nearest).ok().flatten();
    near.map_or_else(String::new, |near| format!(", did you mean {near:?}?"))
}

/// Calls the predicate of a fault. One that raises does not match, and its exception is reported as unraisable. None
/// matches when the interpreter is about to end.
fn accepts(when: &Py<PyAny>, request: &SeenRequest) -> bool {
    let asked = Python::try_attach(|py| {
        let request = PySeenRequest(request.clone());
        let answer = when
            .call1(py, (request,))
            .and_then(|answer| answer.is_truthy(py));
        answer.unwrap_or_else(|raised| {
            raised.write_unraisable(py, Some(when.bind(py)));
            false
        })
    });
    asked.unwrap_or(false)
}
