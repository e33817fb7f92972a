//! The session of a connection knows who the client is, at listeners that ask.

use std::fmt;
use std::sync::Arc;

use kafkars_protocol::{ApiKey, ErrorCode};
use parking_lot::Mutex;

use super::listener::CheckedListener;
use super::sasl::Directory;
use super::sasl::session::{Gate, LoginStep, SaslSession};

/// The name of a client that has not said who it is.
pub(crate) const ANONYMOUS: &str = "ANONYMOUS";

/// The session of one connection. A connection of a plain listener has none.
pub(crate) struct LoginSession {
    /// The name of the client by its certificate.
    certificate: Option<Arc<str>>,
    // Held for one step of a login, which derives no keys from passwords.
    sasl: Option<Mutex<SaslSession>>,
}

impl LoginSession {
    /// The session of a new connection; none where the listener asks for nothing.
    pub(crate) fn begin(
        listener: &CheckedListener,
        certificate: Option<String>,
    ) -> Option<Arc<Self>> {
        let sasl = listener.sasl.as_ref();
        if sasl.is_none() && certificate.is_none() {
            return None;
        }
        Some(Arc::new(Self {
            certificate: certificate.map(Arc::from),
            sasl: sasl.map(|settings| Mutex::new(SaslSession::new(Arc::clone(settings)))),
        }))
    }

    /// The name of the client.
    pub(crate) fn user(&self) -> Option<Arc<str>> {
        match &self.sasl {
            Some(sasl) => sasl.lock().user(),
            None => self.certificate.clone(),
        }
    }

    /// True if the client has not logged in where it has to.
    pub(crate) fn is_waiting(&self) -> bool {
        let waiting = |sasl: &Mutex<SaslSession>| sasl.lock().user().is_none();
        self.sasl.as_ref().is_some_and(waiting)
    }

    /// True if the connection ends when what waits is written.
    pub(crate) fn is_refused(&self) -> bool {
        let refused = |sasl: &Mutex<SaslSession>| sasl.lock().is_refused();
        self.sasl.as_ref().is_some_and(refused)
    }

    /// True if the next frame is a bare message of a mechanism.
    pub(crate) fn expects_bare_message(&self) -> bool {
        let bare = |sasl: &Mutex<SaslSession>| sasl.lock().expects_bare_message();
        self.sasl.as_ref().is_some_and(bare)
    }

    /// Decides on a request.
    pub(crate) fn admit(&self, api: ApiKey, is_served: bool, now: i64) -> Gate {
        let admit = |sasl: &Mutex<SaslSession>| sasl.lock().admit(api, is_served, now);
        self.sasl.as_ref().map_or(Gate::Open, admit)
    }

    /// Agrees on a mechanism; none where nobody logs in.
    pub(crate) fn handshake(
        &self,
        wanted: &str,
        version: i16,
        now: i64,
    ) -> Option<(Option<ErrorCode>, Vec<String>)> {
        let sasl = self.sasl.as_ref()?;
        Some(sasl.lock().handshake(wanted, version, now))
    }

    /// Takes a message of a mechanism; none where nobody logs in. The error is what the client is told.
    pub(crate) fn authenticate(
        &self,
        message: &[u8],
        directory: &Directory<'_>,
    ) -> Option<Result<LoginStep, String>> {
        let sasl = self.sasl.as_ref()?;
        Some(sasl.lock().authenticate(message, directory))
    }

    /// True if a mechanism's messages are awaited.
    pub(crate) fn is_exchanging(&self) -> bool {
        let exchanging = |sasl: &Mutex<SaslSession>| sasl.lock().is_exchanging();
        self.sasl.as_ref().is_some_and(exchanging)
    }
}

impl fmt::Debug for LoginSession {
    /// Leaves out how far a login is: that holds secrets.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Session").finish_non_exhaustive()
    }
}
