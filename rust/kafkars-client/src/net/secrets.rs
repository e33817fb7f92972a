//! Secrets at the moment they are needed.

use std::sync::Arc;

use kafkars_core::config::{Secret, SecretSource};
use zeroize::Zeroizing;

/// The secret as it is now. The error says why there is none.
pub(crate) async fn resolve(source: &SecretSource) -> Result<Secret, Arc<str>> {
    match source {
        SecretSource::Value(_) => read_now(source),
        SecretSource::File(_) => {
            let source = source.clone();
            let read = tokio::task::spawn_blocking(move || read_now(&source)).await;
            read.unwrap_or_else(|_| Err("the process is ending".into()))
        }
        SecretSource::Call(callback) => callback.0.provide().await,
    }
}

/// The same without waiting; functions are not called.
pub(crate) fn read_now(source: &SecretSource) -> Result<Secret, Arc<str>> {
    match source {
        SecretSource::Value(secret) => Ok(secret.clone()),
        SecretSource::File(path) => {
            let content = std::fs::read_to_string(path).map(Zeroizing::new);
            let content =
                content.map_err(|error| Arc::from(format!("{}: {error}", path.display())))?;
            Ok(Secret::new(content.trim_end_matches(['\n', '\r'])))
        }
        SecretSource::Call(_) => Err("is a function".into()),
    }
}
