//! Secrets and tokens from Python: values, files and functions of the application.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use kafkars_client::config::{
    AwsCredentials, Callback, Provided, Provider, Secret, SecretSource, Token,
};
use kafkars_client::{ApplicationCall, CallAttempt};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::error;
use crate::imports::CALL_ATTEMPT;
use crate::lent::LentObjects;
use crate::secret_text::SecretText;

/// `kafkars.config.security.Secret`.
#[derive(FromPyObject)]
pub(crate) struct GivenSecret {
    source: Py<PyAny>,
}

/// A name: text, which is no secret, or any source of a secret.
#[derive(FromPyObject)]
pub(crate) enum GivenName {
    Text(String),
    Source(GivenSecret),
}

impl GivenName {
    /// The setting as the engine takes it.
    pub(crate) fn source(&self, py: Python<'_>, lent: &mut LentObjects) -> PyResult<SecretSource> {
        match self {
            Self::Text(text) => Ok(SecretSource::Value(Secret::new(text.as_str()))),
            Self::Source(source) => source.source(py, lent),
        }
    }
}

impl GivenSecret {
    /// The setting as the engine takes it.
    pub(crate) fn source(&self, py: Python<'_>, lent: &mut LentObjects) -> PyResult<SecretSource> {
        self.read_by(py, lent, secret)
    }

    /// The password of a key as the engine takes it; it need not be text.
    pub(crate) fn key_password(
        &self,
        py: Python<'_>,
        lent: &mut LentObjects,
    ) -> PyResult<SecretSource> {
        self.read_by(py, lent, key_password)
    }

    fn read_by(
        &self,
        py: Python<'_>,
        lent: &mut LentObjects,
        read: fn(&Bound<'_, PyAny>) -> PyResult<Secret>,
    ) -> PyResult<SecretSource> {
        let source = self.source.bind(py);
        if source.is_instance_of::<PyString>() || source.is_instance_of::<PyBytes>() {
            return Ok(SecretSource::Value(read(source)?));
        }
        if source.is_callable() {
            return Ok(SecretSource::Call(callback(source, lent, read)));
        }
        let path = source.extract::<PathBuf>();
        let path = path.map_err(|_| error::config("a secret is neither text nor a path".into()));
        Ok(SecretSource::File(path?))
    }
}

/// A function of the application. It is called on a separate thread, never on one that serves sockets.
struct ApplicationFunction<T> {
    call: ApplicationCall<T>,
    name: Arc<str>,
    /// Whether the next call is to begin with the function's own `refused()`, so that it forgets a value that it keeps.
    is_refused: Arc<AtomicBool>,
}

impl<T: Clone + Send + 'static> Provider<T> for ApplicationFunction<T> {
    fn provide(&self) -> Provided<T> {
        Box::pin(self.call.call())
    }

    fn refused(&self) {
        self.is_refused.store(true, Ordering::Release);
    }

    fn name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }
}

/// Lends a function to the engine; `read` makes a value of what it returns.
fn callback<T: Clone + Send + 'static>(
    function: &Bound<'_, PyAny>,
    lent: &mut LentObjects,
    read: fn(&Bound<'_, PyAny>) -> PyResult<T>,
) -> Callback<T> {
    // An asynchronous function runs on the loop that makes the client.
    let of_client = match function.hasattr("for_client") {
        Ok(true) => function.call_method0("for_client").ok(),
        _ => None,
    };
    let function = of_client.as_ref().unwrap_or(function);
    let described = function.getattr("description");
    let described = described.and_then(|text| text.extract::<String>());
    let name: Arc<str> = described.map_or_else(|_| "a function".into(), Into::into);
    // The providers of `kafkars` that keep a value have this method.
    let keeps = function.hasattr("refused").unwrap_or(false);
    let (function, failed) = (lent.lend(function), Arc::clone(&name));
    let is_refused = Arc::new(AtomicBool::new(false));
    let forgets = Arc::clone(&is_refused);
    let call = ApplicationCall::new(move |attempt| {
        let called = Python::try_attach(|py| {
            let function = function.take(py);
            let result = match keeps && forgets.swap(false, Ordering::AcqRel) {
                true => function
                    .call_method0("refused")
                    .and_then(|_| call_once(&function, attempt)),
                false => call_once(&function, attempt),
            };
            let value = result.and_then(|result| read(&result));
            value.map_err(|error| Arc::from(format!("{failed} failed: {error}")))
        });
        called.unwrap_or_else(|| Err("the process is ending".into()))
    });
    Callback(Arc::new(ApplicationFunction {
        call,
        name,
        is_refused,
    }))
}

/// Makes one call, which ends early if the function is asynchronous and the engine does not wait for it any more.
fn call_once<'py>(
    function: &Bound<'py, PyAny>,
    attempt: &CallAttempt,
) -> PyResult<Bound<'py, PyAny>> {
    let called = CALL_ATTEMPT.get(function.py())?.call1((function,))?;
    let given_up = called.clone().unbind();
    attempt.on_given_up(move || {
        // It need not be given up in a process that ends.
        Python::try_attach(|py| {
            if let Err(error) = given_up.call_method0(py, "give_up") {
                error.write_unraisable(py, None);
            }
        });
    });
    called.call_method0("outcome")
}

/// A function that returns tokens.
pub(crate) fn tokens(function: &Bound<'_, PyAny>, lent: &mut LentObjects) -> Callback<Token> {
    callback(function, lent, token)
}

/// A function that returns keys of AWS.
pub(crate) fn aws_credentials(
    function: &Bound<'_, PyAny>,
    lent: &mut LentObjects,
) -> Callback<AwsCredentials> {
    callback(function, lent, aws)
}

fn secret(result: &Bound<'_, PyAny>) -> PyResult<Secret> {
    let SecretText(text) = result.extract()?;
    Ok(Secret::new(text))
}

fn key_password(result: &Bound<'_, PyAny>) -> PyResult<Secret> {
    match result.cast::<PyBytes>() {
        Ok(bytes) => Ok(Secret::of_bytes(bytes.as_bytes().to_vec())),
        Err(_) => secret(result),
    }
}

/// A token, or a tuple of a token, its end and perhaps its extensions.
fn token(result: &Bound<'_, PyAny>) -> PyResult<Token> {
    type Extensions = HashMap<String, String>;
    let (value, end, extensions) = if let Ok(value) = result.extract::<String>() {
        (value, None, Extensions::new())
    } else if let Ok((value, end)) = result.extract::<(String, Option<f64>)>() {
        (value, end, Extensions::new())
    } else {
        // The error says what was expected, without the value.
        let read = result.extract::<(String, Option<f64>, Extensions)>();
        read.map_err(|_| {
            pyo3::exceptions::PyTypeError::new_err(
                "expected a token, or a tuple of a token, the time at which it ends and its extensions, as text that is UTF-8",
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

/// The tuple that `kafkars.config.aws` returns: key id, secret key, session token and region.
fn aws(result: &Bound<'_, PyAny>) -> PyResult<AwsCredentials> {
    type Given = (String, String, Option<String>, Option<String>);
    // PyO3's own error would quote a part of the keys.
    let given = result.extract::<Given>().map_err(|_| {
        pyo3::exceptions::PyTypeError::new_err("expected keys of AWS as text that is UTF-8")
    });
    let (access_key_id, secret, session_token, region) = given?;
    Ok(AwsCredentials {
        access_key_id,
        secret_access_key: Secret::new(secret),
        session_token: session_token.map(Secret::new),
        region,
    })
}
