//! Reads secrets when they are needed.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kafkars_core::config::{Secret, SecretSource};
use zeroize::Zeroizing;

use super::file_reader::ReadingTurn;

/// Returns the current secret. The error says why there is none; also if its source takes longer than `limit`.
pub(crate) async fn resolve(source: &SecretSource, limit: Duration) -> Result<Secret, Arc<str>> {
    match source {
        SecretSource::Value(_) => read_now(source),
        SecretSource::File(path) => {
            let (turn, source) = (ReadingTurn::of(path), source.clone());
            let read = async { turn.read(move || read_now(&source)).await? };
            within(limit, &path.display().to_string(), read).await
        }
        SecretSource::Call(callback) => {
            let given = within(limit, &callback.0.name(), callback.0.provide()).await?;
            not_empty(given, || callback.0.name().to_string())
        }
    }
}

/// As [`resolve`], for a login: an empty value from the settings is refused too, because it would be sent.
pub(crate) async fn resolve_login(
    source: &SecretSource,
    limit: Duration,
    setting: &str,
) -> Result<Secret, Arc<str>> {
    let secret = resolve(source, limit).await?;
    filled(&secret, setting)?;
    Ok(secret)
}

/// Refuses an empty secret that would be sent, or would sign what is sent.
pub(crate) fn filled(secret: &Secret, name: &str) -> Result<(), Arc<str>> {
    match secret.expose_bytes().is_empty() {
        true => Err(format!("{name} is empty").into()),
        false => Ok(()),
    }
}

/// Waits for a value for at most `limit`. The error names its source, because nobody else is to blame.
pub(crate) async fn within<T>(
    limit: Duration,
    name: &str,
    value: impl Future<Output = Result<T, Arc<str>>>,
) -> Result<T, Arc<str>> {
    let late = |_| Err(format!("{name} has not answered within {} ms", limit.as_millis()).into());
    let in_time = tokio::time::timeout(limit, value).await;
    in_time.unwrap_or_else(late)
}

/// Refuses a path that is no regular file. A pipe or a device can be read once, and may never answer; files are read
/// again for new connections.
pub(crate) fn check_regular(path: &Path) -> Result<(), String> {
    match std::fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() && !metadata.is_dir() => Err(format!(
            "{}: is no regular file, and is read again for new connections; give what it holds as text, or copy it into a file",
            path.display()
        )),
        // A missing file is reported by whoever reads it.
        _ => Ok(()),
    }
}

/// Refuses an empty secret: a file is empty for a moment while it is written anew.
fn not_empty(secret: Secret, source: impl FnOnce() -> String) -> Result<Secret, Arc<str>> {
    match secret.expose_bytes().is_empty() {
        true => Err(format!("{} gave nothing", source()).into()),
        false => Ok(secret),
    }
}

/// As [`resolve`], without waiting; functions are not called.
pub(crate) fn read_now(source: &SecretSource) -> Result<Secret, Arc<str>> {
    match source {
        SecretSource::Value(secret) => Ok(secret.clone()),
        SecretSource::File(path) => {
            check_regular(path)?;
            let content = std::fs::read_to_string(path).map(Zeroizing::new);
            let content =
                content.map_err(|error| Arc::from(format!("{}: {error}", path.display())))?;
            // Some editors write a byte order mark, which is not part of the content.
            let text = content.strip_prefix('\u{feff}').unwrap_or(&content);
            let secret = Secret::new(text.trim_end_matches(['\n', '\r']));
            not_empty(secret, || path.display().to_string())
        }
        SecretSource::Call(_) => Err("is a function".into()),
    }
}
