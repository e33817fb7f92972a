//! Secrets, and where they come from.

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use zeroize::Zeroizing;

/// A password, token or key. Its memory is overwritten when it is dropped, and it shows itself as `***` everywhere.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<Vec<u8>>);

impl Secret {
    /// Takes a secret over.
    #[must_use]
    pub fn new(value: impl Into<String>) -> Self {
        Self(Zeroizing::new(value.into().into_bytes()))
    }

    /// Takes the password of a key over, which need not be text.
    #[must_use]
    pub fn of_bytes(value: Vec<u8>) -> Self {
        Self(Zeroizing::new(value))
    }

    /// The secret itself, for the place that needs it. Empty if its bytes are not UTF-8.
    #[must_use]
    pub fn expose(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// The secret as bytes, which may be any for the password of a key.
    #[must_use]
    pub fn expose_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("***")
    }
}

/// What a [`Provider`] returns; the error is a text that says why there is no value, and never has one in it.
pub type Provided<T> = Pin<Box<dyn Future<Output = Result<T, Arc<str>>> + Send>>;

/// A function of the application that makes a value whenever one is needed.
pub trait Provider<T>: Send + Sync {
    /// Starts to make a value.
    fn provide(&self) -> Provided<T>;

    /// Notes that a broker has refused the last value, so that a kept one is not given again.
    fn refused(&self) {}

    /// Returns what error messages call it, such as "the function token".
    fn name(&self) -> Arc<str>;
}

/// A shared provider. Two are equal if they are the same one.
pub struct Callback<T>(pub Arc<dyn Provider<T>>);

impl<T> Clone for Callback<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> fmt::Debug for Callback<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a function")
    }
}

impl<T> PartialEq for Callback<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Eq for Callback<T> {}

/// Where a secret comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretSource {
    /// The setting itself.
    Value(Secret),
    /// A file, read whenever the secret is needed; a newline at its end does not belong to the secret.
    File(PathBuf),
    /// A function, called whenever the secret is needed.
    Call(Callback<Secret>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_never_shows_itself() {
        let source = SecretSource::Value(Secret::new("swordfish"));
        assert_eq!(format!("{source:?}"), "Value(***)");
        assert_eq!(Secret::new("swordfish").expose(), "swordfish");
        assert_eq!(Secret::new("swordfish").expose_bytes(), b"swordfish");
        let bytes = Secret::of_bytes(b"gro\xdf".to_vec());
        assert_eq!(format!("{bytes:?}"), "***");
        assert_eq!(
            (bytes.expose_bytes(), bytes.expose()),
            (&b"gro\xdf"[..], "")
        );
    }
}
