//! Failures of TLS.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use kafkars_core::error_kind::SecurityProblem;
use rustls::{AlertDescription, CertificateError, Error};

/// Why TLS failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsFailure {
    /// The broker's certificate is not trusted.
    #[error("the broker's certificate ({subject}) is not accepted: {reason}")]
    Certificate {
        /// The certificate's subject and issuer.
        subject: Arc<str>,
        /// What is wrong with it, and which setting decides.
        reason: Arc<str>,
    },
    /// The broker does not accept the client's certificate, or demands one and got none.
    #[error("the broker refused our certificate ({alert}): {hint}")]
    Refused {
        /// The TLS alert that it sent.
        alert: Arc<str>,
        /// What to do about it.
        hint: &'static str,
    },
    /// The two sides share no version, cipher suite or curve.
    #[error(
        "the broker and this client agree on no way to encrypt ({0}): compare ssl_enabled_protocols and ssl_cipher_suites with the broker's"
    )]
    NoAgreement(Arc<str>),
    /// The peer does not answer with TLS.
    #[error(
        "the port does not speak TLS: use the port of an SSL or SASL_SSL listener, or another security_protocol"
    )]
    NotTls,
    /// The peer closes the connection whenever a TLS handshake begins, and has never done otherwise.
    #[error(
        "the broker closes the connection whenever TLS is begun, as a port without TLS does: use the port of an SSL or SASL_SSL \
         listener, or another security_protocol"
    )]
    NeverAnswers,
    /// The peer closed the connection during the handshake.
    #[error(
        "the broker closed the connection during the TLS handshake: is it an SSL or SASL_SSL listener?"
    )]
    Closed,
    /// The peer did not answer during the handshake.
    #[error("no answer to the TLS handshake within {} ms: is it an SSL or SASL_SSL listener?", .0.as_millis())]
    TimedOut(Duration),
    /// A file with certificates or keys cannot be used.
    #[error("{setting}: {problem}")]
    Setting {
        /// The setting that names it.
        setting: &'static str,
        /// What is wrong with it.
        problem: Arc<str>,
    },
    /// The peer sent bytes that TLS does not allow at this point.
    #[error("TLS failed: {0}")]
    Garbled(Arc<str>),
    /// What the peer sent ended the handshake. Permanent once that has happened twice in a row and never otherwise.
    #[error("TLS failed{}: {problem}", if *is_repeated { ", twice in a row" } else { "" })]
    Ended {
        /// What it sent, and what to do about it.
        problem: Arc<str>,
        /// True from the second time in a row on.
        is_repeated: bool,
    },
    /// Any other failure.
    #[error("TLS failed: {0}")]
    Other(Arc<str>),
}

impl TlsFailure {
    /// True if only a change of the settings or the broker can help, not time.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Certificate { .. }
            | Self::Refused { .. }
            | Self::NoAgreement(_)
            | Self::NotTls
            | Self::NeverAnswers
            | Self::Setting { .. } => true,
            Self::Ended { is_repeated, .. } => *is_repeated,
            Self::Closed | Self::TimedOut(_) | Self::Garbled(_) | Self::Other(_) => false,
        }
    }

    /// The kind of security problem.
    #[must_use]
    pub fn problem(&self) -> SecurityProblem {
        match self {
            Self::Certificate { .. } | Self::Refused { .. } => SecurityProblem::Certificate,
            Self::TimedOut(_) => SecurityProblem::TimedOut,
            Self::NoAgreement(_)
            | Self::NotTls
            | Self::NeverAnswers
            | Self::Closed
            | Self::Setting { .. }
            | Self::Garbled(_)
            | Self::Ended { .. }
            | Self::Other(_) => SecurityProblem::Tls,
        }
    }

    /// The meaning of the failure before the broker's first response. Kafka 2.8 sends no alert to a client whose
    /// certificate it refuses, but the bytes of its handshake again, which cannot be decrypted at that point.
    pub(crate) fn before_first_answer(self) -> Self {
        match self {
            Self::Garbled(words) => Self::Refused {
                alert: words,
                hint: "brokers before 3.0 say no more than that when they refuse a client certificate or get none; see \
                       ssl_certificate_location and ssl_keystore_location, and the broker's log",
            },
            other => other,
        }
    }

    /// The meaning of an error of a TLS stream; `None` if it is not of TLS.
    pub(crate) fn in_stream(error: &io::Error) -> Option<Self> {
        let inner = error.get_ref()?.downcast_ref::<Error>()?;
        Some(Self::from_rustls(inner))
    }

    /// The meaning of a handshake that failed with a host.
    pub(crate) fn of_handshake(error: &io::Error, host: &str) -> Self {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
        if let Some(Error::AlertReceived(AlertDescription::UnrecognisedName)) = inner {
            return ended(format!(
                "the broker, or a proxy before it, knows no host {host:?} (UnrecognisedName): give a name that it knows in \
                 bootstrap_servers, or in the brokers' advertised.listeners"
            ));
        }
        if let Some(failure) = Self::in_stream(error) {
            return failure;
        }
        match error.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Other(error.to_string().into()),
        }
    }

    fn from_rustls(error: &Error) -> Self {
        let words: Arc<str> = error.to_string().into();
        match error {
            Error::InvalidCertificate(CertificateError::Other(other)) => {
                match other.0.downcast_ref::<Rejection>() {
                    Some(rejection) => Self::Certificate {
                        subject: Arc::clone(&rejection.subject),
                        reason: Arc::clone(&rejection.reason),
                    },
                    None => unnamed(words),
                }
            }
            Error::InvalidCertificate(_) | Error::NoCertificatesPresented => unnamed(words),
            Error::AlertReceived(alert) => from_alert(*alert),
            Error::PeerIncompatible(_) => Self::NoAgreement(words),
            Error::InvalidMessage(_) => Self::NotTls,
            Error::DecryptError
            | Error::InappropriateMessage { .. }
            | Error::InappropriateHandshakeMessage { .. } => Self::Garbled(words),
            _ => ended(words.to_string()),
        }
    }
}

fn ended(problem: String) -> TlsFailure {
    TlsFailure::Ended {
        problem: problem.into(),
        is_repeated: false,
    }
}

fn unnamed(reason: Arc<str>) -> TlsFailure {
    TlsFailure::Certificate {
        subject: "unnamed".into(),
        reason,
    }
}

fn from_alert(alert: AlertDescription) -> TlsFailure {
    let name: Arc<str> = format!("{alert:?}").into();
    let hint = match alert {
        AlertDescription::CertificateRequired | AlertDescription::NoCertificate => {
            "it wants a client certificate; set ssl_certificate_location and ssl_key_location, or ssl_keystore_location"
        }
        AlertDescription::BadCertificate
        | AlertDescription::UnsupportedCertificate
        | AlertDescription::CertificateUnknown
        | AlertDescription::UnknownCA
        // Sent if an authority has the name of the client's own issuer but another key, so that the signature does not
        // match.
        | AlertDescription::DecryptError
        | AlertDescription::AccessDenied => {
            "it wants a client certificate from an authority in its own trust store; see ssl_certificate_location and ssl_keystore_location"
        }
        AlertDescription::CertificateExpired => {
            "it has expired; renew the certificate in ssl_certificate_location"
        }
        AlertDescription::CertificateRevoked => "it was revoked; ask for another one",
        AlertDescription::HandshakeFailure
        | AlertDescription::ProtocolVersion
        | AlertDescription::InsufficientSecurity => return TlsFailure::NoAgreement(name),
        _ => {
            return ended(format!(
                "the broker, or a proxy before it, ended it ({name}); its log says why"
            ));
        }
    };
    TlsFailure::Refused { alert: name, hint }
}

/// Passes through rustls, whose own errors do not say which certificate is meant.
#[derive(Debug)]
pub(super) struct Rejection {
    pub(super) subject: Arc<str>,
    pub(super) reason: Arc<str>,
}

impl fmt::Display for Rejection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.subject, self.reason)
    }
}

impl std::error::Error for Rejection {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_a_refusal_before_the_first_answer_only() {
        let garbled = TlsFailure::from_rustls(&Error::DecryptError);
        assert!(!garbled.is_permanent());
        assert_eq!(garbled.problem(), SecurityProblem::Tls);
        let refused = garbled.before_first_answer();
        assert!(refused.is_permanent());
        assert_eq!(refused.problem(), SecurityProblem::Certificate);
        assert_eq!(TlsFailure::NotTls.before_first_answer(), TlsFailure::NotTls);
    }

    #[test]
    fn every_alert_about_a_certificate_is_final() {
        for alert in [
            AlertDescription::CertificateRequired,
            AlertDescription::BadCertificate,
            AlertDescription::UnsupportedCertificate,
            AlertDescription::CertificateRevoked,
            AlertDescription::CertificateExpired,
            AlertDescription::CertificateUnknown,
            AlertDescription::UnknownCA,
            AlertDescription::AccessDenied,
            AlertDescription::DecryptError,
        ] {
            let failure = from_alert(alert);
            assert!(failure.is_permanent(), "{failure}");
            assert_eq!(failure.problem(), SecurityProblem::Certificate, "{failure}");
        }
    }
}
