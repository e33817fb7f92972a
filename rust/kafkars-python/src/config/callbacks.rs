//! Secrets and tokens from Python: values, files and functions of the application.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use kafkars_client::config::{Callback, Provided, Provider, Secret, SecretSource, Token};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// `kafkars.config.security.Secret`.
#[derive(FromPyObject)]
pub(crate) struct GivenSecret {
    source: Py<PyAny>,
}

impl GivenSecret {
    /// The same for the engine.
    pub(crate) fn source(&self, py: Python<'_>) -> PyResult<SecretSource> {
        let source = self.source.bind(py);
        if source.is_instance_of::<PyString>() {
            return Ok(SecretSource::Value(Secret::new(
                source.extract::<String>()?,
            )));
        }
        if source.is_callable() {
            let function = Function(Arc::new(self.source.clone_ref(py)));
            return Ok(SecretSource::Call(Callback(Arc::new(function))));
        }
        Ok(SecretSource::File(source.extract::<PathBuf>()?))
    }
}

/// A function of the application. It is called on a thread that may wait, never on one that serves sockets.
pub(crate) struct Function(pub(crate) Arc<Py<PyAny>>);

impl Function {
    fn call<T: Send + 'static>(&self, read: fn(&Bound<'_, PyAny>) -> PyResult<T>) -> Provided<T> {
        let function = Arc::clone(&self.0);
        Box::pin(async move {
            let called = tokio::task::spawn_blocking(move || {
                Python::attach(|py| {
                    let result = function.bind(py).call0();
                    result.and_then(|result| read(&result)).map_err(|error| {
                        Arc::from(format!("the function given for it failed: {error}"))
                    })
                })
            });
            let result = called.await;
            result.unwrap_or_else(|_| Err("the process is ending".into()))
        })
    }
}

impl Provider<Secret> for Function {
    fn provide(&self) -> Provided<Secret> {
        self.call(|result| Ok(Secret::new(result.extract::<String>()?)))
    }
}

impl Provider<Token> for Function {
    fn provide(&self) -> Provided<Token> {
        self.call(token)
    }
}

/// A token, or a tuple of a token, its end and its extensions.
fn token(result: &Bound<'_, PyAny>) -> PyResult<Token> {
    type Extensions = HashMap<String, String>;
    let (value, end, extensions) = if let Ok(value) = result.extract::<String>() {
        (value, None, Extensions::new())
    } else if let Ok((value, end)) = result.extract::<(String, Option<f64>)>() {
        (value, end, Extensions::new())
    } else {
        // Its error says what was expected, without the value.
        let read = result.extract::<(String, Option<f64>, Extensions)>();
        read.map_err(|_| {
            pyo3::exceptions::PyTypeError::new_err(
                "expected a token, or a tuple of a token, the time at which it ends and its extensions",
            )
        })?
    };
    let since = end.and_then(|end| Duration::try_from_secs_f64(end).ok());
    Ok(Token {
        value: Secret::new(value),
        expires_at: since.and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since)),
        extensions: extensions.into_iter().collect(),
    })
}
